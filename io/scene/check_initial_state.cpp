#include <algorithm>
#include <fmt/format.h>

#include "engine/simulation/adaptive_step.h"
#include "engine/simulation/placement.h"
#include "io/scene/reading.h"

namespace scree::io {

namespace {

const BodyGroup& group_of(const Reading& reading, std::size_t body) {
  return *std::find_if(reading.groups.begin(), reading.groups.end(),
                       [&](const BodyGroup& group) { return body >= group.begin && body < group.end; });
}

SourceLocation location(const Reading& reading, std::size_t body) {
  const BodyGroup& group = group_of(reading, body);
  if (group.table.empty()) return group.where;
  return {group.table, group.lines.empty() ? 0 : group.lines[body - group.begin], 1};
}

/// "bodies[2]", or "bodies[2] number 17" if the heading has many bodies.
std::string name(const Reading& reading, std::size_t body) {
  const BodyGroup& group = group_of(reading, body);
  return group.form == "single" ? group.path : fmt::format("{} number {}", group.path, body - group.begin);
}

/// Name, and location in the file.
std::string description(const Reading& reading, std::size_t body) {
  const SourceLocation place = location(reading, body);
  std::string text = name(reading, body) + " (" + place.file;
  if (place.line > 0) text += fmt::format(":{}:{}", place.line, place.column);
  return text + ')';
}

/// Position of the body's centre relative to the boundary.
WallRoom room_of(const Reading& reading, const Misplaced& m) {
  const Model& model = reading.scene.model;
  const Boundary& boundary = model.boundaries[m.other];
  return room(place(boundary, pose_of(boundary, model.parts, {}), 0.0).surface,
              reading.scene.initial.bodies.position[m.body]);
}
/// Distance of the centre behind the boundary, m; 0 if it is not behind it.
double depth_behind(const Reading& reading, const Misplaced& m) {
  return m.how == Misplaced::How::behind ? room_of(reading, m).depth : 0.0;
}

Fault fault_of(const Reading& reading, const Misplaced& m, double limit) {
  Fault fault;
  const std::size_t body = m.by_boundary ? m.body : m.other;  // of a pair, the later one
  fault.where = location(reading, body);
  fault.key_path = name(reading, body);
  const std::string other = m.by_boundary
                                ? "the boundary '" + reading.scene.model.boundaries[m.other].name + "'"
                                : description(reading, m.body);
  switch (m.how) {
    case Misplaced::How::overlaps:
      fault.problem =
          fmt::format("overlaps {} by {:.3g} m{}", other, m.depth_m, m.at_least ? " or more" : "");
      fault.value = fmt::format("{:.3g}", m.relative);
      fault.unit = "of the smallest semi-axis";
      fault.allowed = fmt::format("<= {}", limit);
      break;
    case Misplaced::How::behind:
      fault.problem = fmt::format("has its centre behind {} by {:.3g} m", other, depth_behind(reading, m));
      break;
    case Misplaced::How::in_the_wall:
      fault.problem = "has its centre in the wall of " + other;
      break;
    case Misplaced::How::wider_than_the_bore:
      fault.problem = fmt::format("is {:.4g} m wide and does not fit into the bore of {:.4g} m of {}",
                                  m.width_m, room_of(reading, m).bore, other);
      break;
  }
  return fault;
}

/// Reports the worst of similar faults, and their number.
void add_worst(const std::vector<Misplaced>& alike, double limit, const char* the_rest, Reading& reading) {
  if (alike.empty()) return;
  const auto worst =
      std::max_element(alike.begin(), alike.end(), [&reading](const Misplaced& p, const Misplaced& q) {
        return std::pair(depth_behind(reading, p), p.relative) <
               std::pair(depth_behind(reading, q), q.relative);
      });
  Fault fault = fault_of(reading, *worst, limit);
  if (alike.size() > 1) fault.suggestion = fmt::format(fmt::runtime(the_rest), alike.size());
  reading.faults.push_back(std::move(fault));
}

}  // namespace

void check_initial_state(const PlacementLimits& limits, Reading& reading) {
  const Model& model = reading.scene.model;
  const Bodies& bodies = reading.scene.initial.bodies;
  if (const std::optional<Crowd> found = crowd(model, bodies)) {
    Fault fault;
    fault.where = location(reading, found->other);
    fault.key_path = name(reading, found->other);
    fault.problem = fmt::format("is in the same place as {}", description(reading, found->body));
    fault.suggestion =
        fmt::format("this holds for many of the first {} bodies; the others were not checked", found->near);
    reading.faults.push_back(std::move(fault));
    return;
  }
  const std::vector<Misplaced> all = misplaced_bodies(model, bodies, limits.overlap);
  const auto those = [&](auto&& are_meant) {
    std::vector<Misplaced> result;
    std::copy_if(all.begin(), all.end(), std::back_inserter(result), are_meant);
    return result;
  };
  for (const BodyGroup& group : reading.groups) {
    for (std::size_t boundary = 0; boundary < model.boundaries.size(); ++boundary) {
      const auto alike = those([&](const Misplaced& m) {
        return m.by_boundary && m.other == boundary && m.body >= group.begin && m.body < group.end;
      });
      add_worst(alike, limits.overlap, "this is the worst of {} such bodies", reading);
    }
  }
  add_worst(those([](const Misplaced& m) { return !m.by_boundary; }), limits.overlap,
            "this is the deepest of {} pairs that overlap too deeply", reading);

  if (model.settings.stepping == Stepping::piecewise) return;
  const Travel travel = farthest_travel(model, bodies);
  if (travel.relative <= limits.travel) return;
  const double dt = first_step(model, bodies);
  Fault warning;
  warning.where = location(reading, travel.body);
  warning.key_path = name(reading, travel.body);
  warning.problem = fmt::format(
      "moves by {:.2g} of its smallest semi-axis in the first time step of {:.3g} s and may pass through "
      "other bodies",
      travel.relative, dt);
  warning.suggestion =
      fmt::format("{} = {:.1g} would be safe", model.settings.adaptive_step ? "least_time_step" : "time_step",
                  dt * limits.travel / travel.relative);
  reading.scene.warnings.push_back(std::move(warning));
}

}  // namespace scree::io
