// The periodic cell and its flow.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>

#include "io/scene/faults.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

constexpr const char* axes[] = {"x", "y", "z"};
constexpr double rounding = 1e-12;  // of components of unit vectors

void read_flow(const Section& section, Reading& reading) {
  PeriodicCell& cell = reading.scene.model.cell;
  CellFlow flow = settings_of<CellFlow>(section);
  if (section.has("stop")) flow.stop = section.number("stop");
  if (flow.stop <= flow.start) reading.faults.push_back(about(section, "stop", "must be later than start"));
  if (!cell.flow.empty() && flow.start < cell.flow.back().stop) {
    reading.faults.push_back(section.has("start")
                                 ? about(section, "start", "is before the end of the previous flow")
                                 : missing_key(section, "start"));
    reading.faults.back().suggestion =
        "flows must follow one another: write a stop for the first and a start for the next";
  }
  const auto gradient = settings_of<FlowGradient>(section);
  flow.rate << gradient.x.transpose(), gradient.y.transpose(), gradient.z.transpose();
  for (int i = 0; i < 3; ++i) {
    const std::string key = fmt::format("gradient_{}", axes[i]);
    for (int j = 0; j < 3; ++j) {
      if (flow.rate(i, j) == 0.0) continue;
      const bool repeats = cell.periodic[i] && cell.periodic[j];
      if (repeats) continue;
      Fault fault = fault_at(section.given(key).items[j], fmt::format("{}[{}]", section.path_of(key), j),
                             "flows along or across a direction that is not periodic");
      fault.unit = "1/s";
      reading.faults.push_back(std::move(fault));
    }
  }
  cell.flow.push_back(flow);
}

void read_stress(const Section& section, Reading& reading) {
  PeriodicCell& cell = reading.scene.model.cell;
  auto held = settings_of<HeldStress>(section);
  if (section.has("largest_rate")) held.largest_rate = section.number("largest_rate");
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string key = fmt::format("stress_{}", axes[k]);
    if (!section.has(key)) continue;
    held.stress = section.number(key);
    cell.held[k] = held;
    if (!cell.periodic[k])
      reading.faults.push_back(about(section, key, "is along a direction that is not periodic"));
  }
  if (!cell.holds_stress()) {
    for (const char* key : {"inertia", "largest_rate"})
      if (section.has(key))
        reading.faults.push_back(about(section, key, "has no effect without stress_x, stress_y or stress_z"));
    return;
  }
  const SolverSettings& solver = reading.scene.model.settings.solver;
  const SolverKind kind = solver.kind;
  const bool biased = solver.position_correction == PositionCorrection::biased;
  if (!biased && kind != SolverKind::one_pass) return;
  for (const char* key : {"stress_x", "stress_y", "stress_z"}) {
    if (!section.has(key)) continue;
    if (biased) {
      reading.faults.push_back(
          about(section, key, "cannot be combined with position_correction = \"biased\""));
      break;
    }
    reading.faults.push_back(about(
        section, key,
        fmt::format("cannot be combined with the solver '{}', which does not support it", to_string(kind))));
    reading.faults.back().suggestion = "choose gauss_seidel";
    break;
  }
}

/// The reason why a plane cannot be a wall of a periodic cell; empty if it can.
std::string problem_in_cell(const Model& model, const Boundary& boundary, const Plane& plane) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (model.cell.periodic[k] && std::abs(plane.normal[static_cast<int>(k)]) > rounding)
      return fmt::format("has a wall across {}, in which the cell is periodic", axes[k]);
  }
  const auto tilts = [&](const Vec3& axis) { return axis.cross(plane.normal).norm() > rounding; };
  if (!boundary.is_carried()) return {};
  const Part& part = model.parts[boundary.part];
  const bool by_motion = std::ranges::any_of(part.motion.stages, [&](const MotionStage& stage) {
    return stage.kind == MotionStage::Kind::rotation && tilts(stage.axis);
  });
  if (by_motion || part.is_free() || (part.freedom == Freedom::about && tilts(part.axis)))
    return "tilts, but walls of a periodic [cell] may rotate only about their normals";
  return {};
}

/// Calls f(k) for the periodic axes of the cell.
template <class F>
void for_repeated_axes(const PeriodicCell& cell, F&& f) {
  for (std::size_t k = 0; k < 3; ++k)
    if (cell.periodic[k]) f(k);
}

constexpr double wider = 1.0 + 1e-9;  // allows for rounding when widths are compared with a cell

/// An inlet's region must not be wider than the cell.
void check_inlets(const Section& top, Reading& reading) {
  const Model& model = reading.scene.model;
  const std::vector<Section> sections = elements(top, "inlets");
  if (model.inlets.size() != sections.size()) return;  // already reported
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (model.cell.holds_stress()) {
      Fault fault = about(sections[i], "region", "cannot be combined with a [cell] that holds a stress");
      fault.suggestion = "fill the cell with [[bodies]], or remove stress_x, stress_y and stress_z";
      reading.faults.push_back(std::move(fault));
      continue;
    }
    const Vec3 extent = 2.0 * bounding_box(model.inlets[i].region).second;
    for_repeated_axes(model.cell, [&](std::size_t k) {
      const auto axis = static_cast<Eigen::Index>(k);
      const double edge = model.cell.high[axis] - model.cell.low[axis];
      if (extent[axis] <= edge * wider) return;
      Fault fault = about(sections[i], "region",
                          fmt::format("is {:.6g} m wide along {}, a periodic direction of the [cell]",
                                      extent[axis], axes[k]));
      fault.allowed = fmt::format("<= {:.6g} m, the width of the cell", edge);
      reading.faults.push_back(std::move(fault));
    });
  }
}

/// No plane of an outlet, and no end of a domain, may lie across a periodic direction: images of every body
/// would be beyond it.
void check_ways_out(const Section& top, Reading& reading) {
  const PeriodicCell& cell = reading.scene.model.cell;
  for (const Section& section : elements(top, "outlets")) {
    if (section.node()->faulty || !section.has("type") || section.text("type") != "half_space") continue;
    const Vec3 normal = section.vector("normal").normalized();
    for_repeated_axes(cell, [&](std::size_t k) {
      if (std::abs(normal[static_cast<Eigen::Index>(k)]) <= rounding) return;
      reading.faults.push_back(about(section, "normal",
                                     fmt::format("must be 0 along {}, a periodic direction of the [cell]: "
                                                 "every body has an image beyond such a plane",
                                                 axes[k])));
      reading.faults.back().suggestion = "write type = \"box\"";
    });
  }
  const Section domain = top.child("domain");
  if (domain.node() == nullptr || domain.node()->faulty) return;
  const auto check = [&](const char* key, double sign, const Vec3& face) {
    if (!domain.has(key)) return;
    const Vec3 end = domain.vector(key);
    for_repeated_axes(cell, [&](std::size_t k) {
      const auto axis = static_cast<Eigen::Index>(k);
      const double slack = (wider - 1.0) * (cell.high[axis] - cell.low[axis]);
      if (sign * (end[axis] - face[axis]) >= -slack) return;
      reading.faults.push_back(
          about(domain, key, fmt::format("ends within the [cell] along {}, a periodic direction", axes[k])));
      reading.faults.back().suggestion =
          "make it at least as wide as the cell there; the domain then has no end in this direction";
    });
  };
  check("low", -1.0, cell.low);
  check("high", 1.0, cell.high);
}

/// Reports walls that would be at a single place of a periodic cell.
void refuse_places(const Section& top, Reading& reading) {
  const Model& model = reading.scene.model;
  std::size_t number = 0;
  for (const Section& section : elements(top, "boundaries")) {
    const std::size_t at = number++;
    if (!section.has("type")) continue;  // already reported
    const std::string type = section.text("type");
    const std::string name = section.has("name") ? section.text("name") : fmt::format("{}{}", type, at);
    if (type != "plane" && type != "box") {
      reading.faults.push_back(
          about(section, "type", "cannot be used in a periodic [cell]: its walls must be planes"));
      continue;
    }
    for (const Boundary& b : model.boundaries) {
      const auto* plane = std::get_if<Plane>(&b.surface);
      if (plane == nullptr || (b.name != name && !b.name.starts_with(name + '.'))) continue;
      if (const std::string problem = problem_in_cell(model, b, *plane); !problem.empty())
        reading.faults.push_back(about(section, "type", problem));
    }
  }
}

}  // namespace

void read_cell(const Section& top, Reading& reading) {
  if (top.node()->find("cell") == nullptr) return;
  const Section section = top.child("cell");
  if (section.node() == nullptr || section.node()->faulty) return;
  PeriodicCell& cell = reading.scene.model.cell;
  set_from(section, cell);
  if (!is_box(section, reading)) return;
  const std::vector<std::string> along = settings_of<RepeatedDirections>(section).periodic;
  for (std::size_t k = 0; k < 3; ++k) cell.periodic[k] = std::ranges::find(along, axes[k]) != along.end();
  if (!cell.is_periodic())
    reading.faults.push_back(about(section, "periodic", "must have at least one direction"));
  read_stress(section, reading);
  for (const Section& flow : elements(section, "flow"))
    if (!flow.node()->faulty) read_flow(flow, reading);
}

void check_cell(const Section& top, Reading& reading) {
  const Model& model = reading.scene.model;
  if (!model.cell.is_periodic()) return;
  const Section section = top.child("cell");
  refuse_places(top, reading);
  check_inlets(top, reading);
  check_ways_out(top, reading);
  if (model.cell.flows() && model.settings.sleep.is_on())
    reading.faults.push_back(about(top.child("sleep"), "speed", "cannot be combined with a cell that flows"));
  // Even where the cell is narrowest, no body may touch two images of another body, or its own image.
  double largest = 0.0;
  const Bodies& bodies = reading.scene.initial.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    largest = std::max(largest, 2.0 * model.shapes.bounding_radius(bodies.shape[i]));
  for (const Inlet& inlet : model.inlets)
    for (const InletGrain& grain : inlet.grains)
      largest = std::max(largest, 2.0 * model.shapes.bounding_radius(grain.shape));
  // The cell may be narrower during a flow than before and after it, e.g. when sheared by half its width.
  constexpr int moments = 1000;
  const double end = reading.scene.end_time_s;
  std::vector<double> times{0.0, end};
  for (const CellFlow& flow : model.cell.flow) {
    const double stop = std::min(flow.stop, end);
    for (int k = 0; k <= moments && flow.start < stop; ++k)
      times.push_back(flow.start + (stop - flow.start) * k / moments);
  }
  for (const double t : times) {
    const PlacedCell cell = model.cell.at(t);
    if (!cell.lattice.allFinite() || !cell.inverse.allFinite() || !cell.deformation.allFinite()) {
      reading.faults.push_back(about(
          section, "high", fmt::format("becomes too large for floating-point numbers before {:g} s", t)));
      return;
    }
    const double width = cell.least_width();
    if (width >= 2.0 * largest) continue;
    Fault fault =
        about(section, "high", fmt::format("gives a cell of only {:.3g} m width at {:g} s", width, t));
    fault.allowed = fmt::format(">= {:.3g} m, twice the largest body", 2.0 * largest);
    reading.faults.push_back(std::move(fault));
    return;
  }
}

}  // namespace scree::io
