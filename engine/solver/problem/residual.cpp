#include "engine/solver/problem/residual.h"

#include <cmath>

#include "engine/core/exact_sum.h"
#include "engine/solver/problem/contact_response.h"
#include "engine/solver/problem/friction_disc.h"

namespace scree {

Vec3 natural_map(const Vec3& impulse, const Vec3& u, double friction, double trace, int corners) {
  const double rho = 3.0 / trace;
  if (corners == 0) return natural_map_of_cone(impulse, u, friction, rho);
  Vec3 aim = impulse - rho * u;
  const double radius = friction * std::max(0.0, impulse[0]);
  aim[0] = std::max(0.0, aim[0]);
  aim.tail<2>() = project_on_disc(aim.tail<2>(), radius, corners);
  return (impulse - aim) / rho;
}

double row_residual_squared(const ContactProblem& p, std::size_t r, const std::vector<BodyVelocity>& velocity,
                            const std::vector<Vec3>& impulse, const std::vector<double>& row_impulse) {
  const Row& row = p.rows[r];
  const RowBounds bounds = bounds_of(row, impulse);
  const double p_r = row_impulse[r], u = velocity_of(row, velocity) + row.compliance * p_r;
  if (row.bound != RowBound::disc) {
    const double map = (p_r - std::clamp(p_r - row.inverse_w * u, bounds.low, bounds.high)) / row.inverse_w;
    return row.length * map * row.length * map;
  }
  if (is_second_of_disc(p, r)) return 0.0;
  const Row& other = p.rows[r + 1];
  const double rho = 2.0 / (1.0 / row.inverse_w + 1.0 / other.inverse_w);
  const Vec2 now(p_r, row_impulse[r + 1]), aim = now - rho * Vec2(u, velocity_of(other, velocity));
  return (row.length * (now - project_on_disc(aim, bounds.high)) / rho).squaredNorm();
}

ResidualSum residual_of_rows(const ContactProblem& p, std::size_t begin, std::size_t end,
                             const std::vector<BodyVelocity>& velocity, const std::vector<Vec3>& impulse,
                             const std::vector<double>& row_impulse) {
  ResidualSum sum;
  for (std::size_t r = begin; r < end; ++r)
    sum.add(row_residual_squared(p, r, velocity, impulse, row_impulse));
  return sum;
}

Residual residual(const ContactProblem& p, const std::vector<BodyVelocity>& velocity,
                  const std::vector<Vec3>& impulse, const std::vector<double>& row_impulse,
                  const ResidualOfEach& each, ContactCompliances compliance) {
  const auto trace = [&](std::size_t c) {
    return p.delassus.empty() ? 3.0 / respond(p.contact[c], p.edge[c], p.response.data()).rho
                              : p.delassus[c].trace();
  };
  const auto squared_of = [&](std::size_t c, const Vec3& u) {
    const double of_bodies = trace(c), gives = compliance.empty() ? 0.0 : compliance[c].compliance.sum(),
                 part = of_bodies / (of_bodies + gives);
    double squared =
        part * part *
        natural_map(impulse[c], u, p.friction(c), of_bodies + gives, p.friction_corners).squaredNorm();
    for_rows_of(p, c, c + 1, [&](std::size_t r) {
      squared += row_residual_squared(p, r, velocity, impulse, row_impulse);
    });
    return squared;
  };
  ExactSums<ResidualSum> sum;
  const auto of_contacts = [&](const Block& block) {
    ResidualSum of_block;
    for (std::size_t c = block.begin; c < block.end; ++c) {
      Vec3 u = p.frame(c) * relative_velocity(p, c, velocity);
      u[0] += p.offset(c);
      if (each.normal_velocity != nullptr) each.normal_velocity[c] = u[0];
      if (!compliance.empty()) u += compliance[c].velocity(impulse[c]);
      const bool is_idle = impulse[c][0] <= 0.0 && u[0] >= 0.0;  // numbers that are not finite are not idle
      const double squared = is_idle ? 0.0 : squared_of(c, u);
      if (each.squared != nullptr) each.squared[c] = static_cast<float>(squared);
      if (!is_idle && p.is_own(c)) of_block.add(squared);
    }
    return of_block;
  };
  add_ranges(p.blocks(), of_contacts, sum);
  sum_over(p.ranks(), sum);
  // All ranks have these rows.
  sum.add(residual_of_rows(p, p.contact_rows, p.rows.size(), velocity, impulse, row_impulse));
  return sum.value().residual();
}

Residual residual(const ContactProblem& p, const std::vector<BodyVelocity>& velocity,
                  const std::vector<Vec3>& impulse, const std::vector<double>& row_impulse) {
  return residual(p, velocity, impulse, row_impulse, {}, p.compliance);
}

}  // namespace scree
