#include "engine/simulation/rods.h"

#include "engine/simulation/population.h"

namespace scree {

namespace {

/// One end of a rod in the world.
struct End {
  std::int32_t body;     // of the problem
  Vec3 point, arm;       // m; arm from the body's centre
  Vec3 velocity, bends;  // m/s; m/s^2 of the point while the body moves on
};

End end_at(const Bodies& bodies, std::int32_t body, const Vec3& place, const Twist& v) {
  const auto i = static_cast<std::size_t>(body);
  const Vec3 arm = bodies.orientation[i] * place;
  return {body, bodies.position[i] + arm, arm, v.linear + v.angular.cross(arm),
          v.angular.cross(v.angular.cross(arm))};
}

}  // namespace

void add_rods(const Model& model, const State& state, double h, const std::vector<Twist>& before,
              ContactProblem& p, std::vector<std::int32_t>& row_of_rod) {
  row_of_rod.assign(model.rods.size(), -1);
  if (model.rods.empty()) return;
  const SlotsById slots(state.bodies);
  for (std::size_t k = 0; k < model.rods.size(); ++k) {
    const Rod& rod = model.rods[k];
    const std::int32_t a = slots.find(rod.a), b = rod.b == ground ? -1 : slots.find(rod.b);
    if (a < 0 || (b < 0 && rod.b != ground)) continue;
    const bool a_moves = p.is_moved(static_cast<std::size_t>(a)),
               b_moves = b >= 0 && p.is_moved(static_cast<std::size_t>(b));
    if (!a_moves && !b_moves) continue;
    const End end_a = end_at(state.bodies, a, rod.point_a, before[static_cast<std::size_t>(a)]);
    End end_b{static_cast<std::int32_t>(p.bodies()), rod.point_b, Vec3::Zero(), Vec3::Zero(), Vec3::Zero()};
    if (b >= 0) {
      end_b = end_at(state.bodies, b, rod.point_b, before[static_cast<std::size_t>(b)]);
    } else {  // a body of its own that nothing moves
      p.free_velocity.emplace_back();
      p.response.emplace_back();
    }
    const Vec3 apart = end_a.point - end_b.point, u = end_a.velocity - end_b.velocity;
    const double l = apart.norm();
    if (!(l > 0.0)) continue;
    const Vec3 d = apart / l;
    const double bending = (u.squaredNorm() - u.dot(d) * u.dot(d)) / l + d.dot(end_a.bends - end_b.bends);
    row_of_rod[k] = static_cast<std::int32_t>(p.rows.size());
    p.rows.push_back({.edge = {end_a.body, end_b.body},
                      .linear = padded(d),
                      .angular_a = padded(end_a.arm.cross(d)),
                      .angular_b = padded(end_b.arm.cross(d)),
                      .bias = (l - rod.length) / h + 0.5 * h * bending,
                      .start_impulse = k < state.rod_impulse.size() ? state.rod_impulse[k] : 0.0});
  }
}

}  // namespace scree
