#include "engine/simulation/step_failure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace scree {

namespace {

// Frames are in single precision, and products of two numbers must not overflow.
constexpr double largest_number = 1e30;

bool has_large_numbers(const Bodies& bodies) {
  const auto is_large = [](const Vec3& v) { return !(v.cwiseAbs().maxCoeff() < largest_number); };
  return std::ranges::any_of(bodies.position, is_large) ||
         std::ranges::any_of(bodies.linear_velocity, is_large) ||
         std::ranges::any_of(bodies.angular_velocity, is_large) ||
         std::ranges::any_of(bodies.mass, [](double m) { return !(m < largest_number); });
}

bool is_broken(const StepReport& report, const Bodies& bodies) {
  const EnergyLedger& e = report.energy;
  return report.status == SolveStatus::diverged || !std::isfinite(e.kinetic) || !std::isfinite(e.potential) ||
         !std::isfinite(report.impulse_size_N_s) ||
         (std::max(e.kinetic, std::abs(e.potential)) > largest_number &&
          any(bodies.ranks, has_large_numbers(bodies)));
}

/// The first part whose prescribed motion leads nowhere; null if there is none.
const Part* part_without_place(const Model& model, const State& state) {
  for (std::size_t m = 0; m < model.parts.size(); ++m) {
    const Pose pose = pose_of(model.parts[m], state_of(model.parts, state.parts, m), state.time_s);
    if (!pose.position.allFinite() || !pose.orientation.coeffs().allFinite()) return &model.parts[m];
  }
  return nullptr;
}

std::string vector_text(const Vec3& v) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "[%.4g, %.4g, %.4g]", v.x(), v.y(), v.z());
  return text.data();
}

}  // namespace

std::string broken_body(const Model& model, const Bodies& bodies) {
  std::size_t broken = 0;
  double fastest = -1.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const bool finite = bodies.position[i].allFinite() && bodies.linear_velocity[i].allFinite() &&
                        bodies.angular_velocity[i].allFinite();
    const double speed = finite ? bodies.linear_velocity[i].stableNorm() : infinity;
    if (!(speed > fastest)) continue;
    fastest = speed;
    broken = i;
    if (!finite) break;
  }
  struct Broken {
    double speed;
    BodyId id;
    MaterialIndex material;
    Vec3 position, velocity;
  };
  std::vector<Broken> own;
  if (bodies.size() > 0)
    own.push_back({fastest, bodies.id[broken], bodies.material[broken], bodies.position[broken],
                   bodies.linear_velocity[broken]});
  const std::vector<Broken> all = of_all(bodies.ranks, own);
  if (all.empty()) return "there are no bodies";
  const Broken& worst = *std::ranges::max_element(all, {}, &Broken::speed);
  return "body " + std::to_string(worst.id) + " of " + model.materials.name(worst.material) + " at " +
         vector_text(worst.position) + " m, with velocity " + vector_text(worst.velocity) + " m/s";
}

StepFailure failure_after(const Model& model, const State& state, const StepResult& result) {
  const StepReport& report = result.report;
  std::ostringstream text;
  if (is_broken(report, state.bodies)) {
    text << broken_body(model, state.bodies)
         << ": numbers are no longer finite since this step; a smaller time_step (now " << report.time_step_s
         << " s) or fewer overlaps at the start may help";
    return {StepFailure::Kind::not_finite, text.str()};
  }
  if (const Part* const part = part_without_place(model, state)) {
    text << "part '" << part->name << "': its motion is not a number at " << state.time_s
         << " s; its function may be the root of a negative number, or divide by zero";
    return {StepFailure::Kind::not_finite, text.str()};
  }
  if (report.insertion.astray >= 0) {
    text << "body " << report.insertion.astray
         << " has left the domain, which ends the run (domain.outside = \"stop\")";
    return {StepFailure::Kind::left_domain, text.str()};
  }
  if (result.cell.is_too_narrow)
    return {StepFailure::Kind::narrow_cell,
            "the cell that holds a stress has become narrower than twice the largest body; start with more "
            "bodies"};
  return {};
}

}  // namespace scree
