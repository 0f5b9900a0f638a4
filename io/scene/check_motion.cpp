// Warns about walls, inlets and rotations that are too fast for the time step: a run would solve another
// problem.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/coarseness.h"
#include "io/scene/faults.h"
#include "io/scene/reading.h"

namespace scree::io {

namespace {

// Number of steps of a run at which walls are checked, evenly distributed; and how often a step is halved to
// find one that is short enough.
constexpr int looks_at_walls = 500, most_halvings = 30;

/// Distance from a point to the farthest place where a body is or enters, m.
double farthest_place(const Model& model, const Bodies& bodies, const Vec3& from) {
  double farthest = 0.0;
  for (const Vec3& x : bodies.position) farthest = std::max(farthest, (x - from).norm());
  for (const Inlet& inlet : model.inlets) {
    const auto [middle, half] = bounding_box(inlet.region);
    farthest = std::max(farthest, ((middle - from).cwiseAbs() + half).norm());
  }
  return farthest;
}

/// The step with one digit, rounded down.
std::string step_that_would_do(const Settings& settings, double dt) {
  const double decade = std::pow(10.0, std::floor(std::log10(dt)));
  return fmt::format("{} = {:.1g} would be safe", settings.adaptive_step ? "largest_time_step" : "time_step",
                     std::floor(dt / decade * (1.0 + 1e-9)) * decade);
}

void look_at_inlets(const Section& top, double dt, Reading& reading) {
  const Model& model = reading.scene.model;
  const std::vector<Section> sections = elements(top, "inlets");
  for (std::size_t k = 0; k < std::min(sections.size(), model.inlets.size()); ++k) {
    const Inlet& inlet = model.inlets[k];
    double least = infinity;
    for (const InletGrain& grain : inlet.grains)
      least = std::min(least, model.shapes.smallest_length(grain.shape));
    const double relative = dt * inlet.twist.linear.norm() / least;
    if (!(relative > fair_travel) || !sections[k].has("velocity")) continue;
    Fault warning = fault_at(sections[k].given("velocity"), sections[k].path_of("velocity"),
                             fmt::format("moves the smallest grains by {:.2g} of their smallest semi-axis in "
                                         "a step of {:.3g} s: they may overlap other grains deeply",
                                         relative, dt));
    warning.suggestion = step_that_would_do(model.settings, dt * fair_travel / relative);
    reading.scene.warnings.push_back(std::move(warning));
  }
}

/// Sets the key path and the location of a part's motion.
void point_to_motion(const Section& top, const std::string& part, Fault& warning) {
  warning.key_path = fmt::format("part '{}'", part);
  for (const std::string heading : {"parts", "boundaries", "bodies"}) {
    std::size_t number = 0;
    for (const Section& section : elements(top, heading)) {
      const std::string kind =
                            heading == "boundaries" && section.has("type") ? section.text("type") : heading,
                        name = section.has("name") ? section.text("name") : fmt::format("{}{}", kind, number);
      ++number;
      const Node* motion = section.node()->find("motion");
      if (motion == nullptr || name != part) continue;
      warning.where = motion->where;
      warning.key_path = section.path_of("motion");
    }
  }
}

/// The largest distance that a wall moves in any of the checked steps, and the largest deviation from uniform
/// motion.
WallWay farthest_way(const Boundary& boundary, const BoundaryPose& boundary_pose, double h, double until_s,
                     double radius_m) {
  const double steps = std::max(1.0, std::floor(until_s / h));
  const int looks = static_cast<int>(std::min<double>(looks_at_walls, steps));
  WallWay most;
  for (int n = 0; n < looks; ++n) {
    const WallWay way = wall_way(boundary, boundary_pose, std::floor(steps * n / looks) * h, h, radius_m);
    most.travel_m = std::max(most.travel_m, way.travel_m);
    most.detour_m = std::max(most.detour_m, way.detour_m);
  }
  return most;
}

void look_at_walls(const Section& top, double dt, Reading& reading) {
  const Scene& scene = reading.scene;
  const Model& model = scene.model;
  const double least = smallest_of_all(model, scene.initial.bodies);
  if (!(least < infinity)) return;
  std::set<std::int32_t> told;  // parts
  for (const Boundary& boundary : model.boundaries) {
    const BoundaryPose boundary_pose = pose_of(boundary, model.parts, scene.initial.parts);
    if (boundary_pose.motion == nullptr || told.contains(boundary.part)) continue;
    double radius = surface_radius(boundary.surface, boundary.centre);
    if (!std::isfinite(radius)) radius = farthest_place(model, scene.initial.bodies, boundary.centre);
    const auto longest_way = [&](double h) {
      return farthest_way(boundary, boundary_pose, h, scene.end_time_s, radius);
    };
    const auto is_fair = [&](const WallWay& way) {
      return way.travel_m <= fair_travel * least && way.detour_m <= fair_detour * least;
    };
    const WallWay way = longest_way(dt);
    if (is_fair(way)) continue;
    double safe = 0.5 * dt;
    for (int halved = 1; halved < most_halvings && !is_fair(longest_way(safe)); ++halved) safe *= 0.5;
    Fault warning;
    warning.where.file = scene.file.string();
    told.insert(boundary.part);
    point_to_motion(top, model.parts[boundary.part].name, warning);
    if (way.detour_m > fair_detour * least)
      warning.problem = fmt::format(
          "deviates from uniform motion by up to {:.3g} m within a step of {:.3g} s, {:.2g} of the smallest "
          "semi-axis: bodies do not feel this deviation",
          way.detour_m, dt, way.detour_m / least);
    else
      warning.problem = fmt::format(
          "moves by up to {:.3g} m in a step of {:.3g} s, {:.2g} of the smallest semi-axis: the wall may "
          "pass through bodies, or push them by this distance at once",
          way.travel_m, dt, way.travel_m / least);
    warning.suggestion = step_that_would_do(model.settings, safe);
    reading.scene.warnings.push_back(std::move(warning));
  }
}

void look_at_spins(double dt, Reading& reading) {
  const Model& model = reading.scene.model;
  const Bodies& bodies = reading.scene.initial.bodies;
  double most = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double largest = model.shapes.bounding_radius(bodies.shape[i]);
    if (largest - model.shapes.smallest_length(bodies.shape[i]) > 1e-9 * largest)
      most = std::max(most, dt * bodies.angular_velocity[i].norm());
  }
  if (!(most > fair_turn)) return;
  Fault warning;
  warning.where.file = reading.scene.file.string();
  warning.key_path = "bodies";
  warning.problem = fmt::format(
      "are not round and rotate by up to {:.2g} rad in a step of {:.3g} s: the places of their impacts "
      "depend on the step",
      most, dt);
  warning.suggestion = step_that_would_do(model.settings, dt * fair_turn / most);
  reading.scene.warnings.push_back(std::move(warning));
}

}  // namespace

void check_motion(const Section& top, Reading& reading) {
  const Model& model = reading.scene.model;
  if (model.settings.stepping == Stepping::piecewise) return;
  const double dt =
      model.settings.adaptive_step ? reading.scene.largest_time_step_s : model.settings.time_step_s;
  look_at_inlets(top, dt, reading);
  look_at_walls(top, dt, reading);
  look_at_spins(dt, reading);
}

}  // namespace scree::io
