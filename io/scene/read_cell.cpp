// The periodic cell, and how it flows.
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
constexpr double rounding = 1e-12;  // of unit vectors

void read_flow(const Section& section, Reading& reading) {
  PeriodicCell& cell = reading.scene.model.cell;
  CellFlow flow = settings_of<CellFlow>(section);
  if (section.has("stop")) flow.stop = section.number("stop");
  if (flow.stop <= flow.start) reading.faults.push_back(about(section, "stop", "comes no later than start"));
  if (!cell.flow.empty() && flow.start < cell.flow.back().stop) {
    reading.faults.push_back(section.has("start")
                                 ? about(section, "start", "comes before the end of the flow above it")
                                 : missing_key(section, "start"));
    reading.faults.back().suggestion = "flows follow each other: give the first a stop, the next a start";
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
                             "flows along, or across, a direction that is not periodic");
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
        reading.faults.push_back(about(section, key, "is of no use to a cell that holds no stress"));
    return;
  }
  const SolverSettings& solver = reading.scene.model.settings.solver;
  const SolverKind kind = solver.kind;
  const bool biased = solver.position_correction == PositionCorrection::biased;
  if (!biased && kind != SolverKind::one_pass) return;
  for (const char* key : {"stress_x", "stress_y", "stress_z"}) {
    if (!section.has(key)) continue;
    if (biased) {
      reading.faults.push_back(about(section, key, "does not go with position_correction = \"biased\""));
      break;
    }
    reading.faults.push_back(about(
        section, key,
        fmt::format("does not go with the solver '{}', which knows no rates of cells", to_string(kind))));
    reading.faults.back().suggestion = "choose gauss_seidel";
    break;
  }
}

/// What keeps a plane from being a wall of a periodic cell; empty if nothing does.
std::string problem_in_cell(const Model& model, const Boundary& boundary, const Plane& plane) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (model.cell.periodic[k] && std::abs(plane.normal[static_cast<int>(k)]) > rounding)
      return fmt::format("has a wall across {}, along which the cell repeats itself", axes[k]);
  }
  const auto tilts = [&](const Vec3& axis) { return axis.cross(plane.normal).norm() > rounding; };
  if (!boundary.is_carried()) return {};
  const Part& part = model.parts[boundary.part];
  const bool by_motion = std::ranges::any_of(part.motion.stages, [&](const MotionStage& stage) {
    return stage.kind == MotionStage::Kind::rotation && tilts(stage.axis);
  });
  if (by_motion || part.is_free() || (part.freedom == Freedom::about && tilts(part.axis)))
    return "tilts, and walls of a periodic [cell] may turn about their normals alone";
  return {};
}

/// Calls f(k) for the axes along which the cell repeats itself.
template <class F>
void for_repeated_axes(const PeriodicCell& cell, F&& f) {
  for (std::size_t k = 0; k < 3; ++k)
    if (cell.periodic[k]) f(k);
}

constexpr double wider = 1.0 + 1e-9;  // than a cell, beyond rounding

/// Grains come from a region that is a part of the cell, or as wide as it is.
void check_inlets(const Section& top, Reading& reading) {
  const Model& model = reading.scene.model;
  const std::vector<Section> sections = elements(top, "inlets");
  if (model.inlets.size() != sections.size()) return;  // said already
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (model.cell.holds_stress()) {
      Fault fault = about(sections[i], "region",
                          "does not go with a [cell] that holds a stress: how fast that stretches belongs to "
                          "the bodies in it");
      fault.suggestion = "fill the cell by [[bodies]], or leave stress_x, stress_y and stress_z out";
      reading.faults.push_back(std::move(fault));
      continue;
    }
    const Vec3 extent = 2.0 * bounding_box(model.inlets[i].region).second;
    for_repeated_axes(model.cell, [&](std::size_t k) {
      const auto axis = static_cast<Eigen::Index>(k);
      const double edge = model.cell.high[axis] - model.cell.low[axis];
      if (extent[axis] <= edge * wider) return;
      Fault fault = about(sections[i], "region",
                          fmt::format("is {:.6g} m wide along {}, along which the [cell] repeats itself",
                                      extent[axis], axes[k]));
      fault.allowed = fmt::format("<= {:.6g} m, the width of the cell", edge);
      reading.faults.push_back(std::move(fault));
    });
  }
}

/// A plane across what repeats itself, and a domain that ends there, would have everybody's images beyond it.
void check_ways_out(const Section& top, Reading& reading) {
  const PeriodicCell& cell = reading.scene.model.cell;
  for (const Section& section : elements(top, "outlets")) {
    if (section.node()->faulty || !section.has("type") || section.text("type") != "half_space") continue;
    const Vec3 normal = section.vector("normal").normalized();
    for_repeated_axes(cell, [&](std::size_t k) {
      if (std::abs(normal[static_cast<Eigen::Index>(k)]) <= rounding) return;
      reading.faults.push_back(about(
          section, "normal",
          fmt::format("is not level along {}, along which the [cell] repeats itself: every body has an image "
                      "beyond such a plane",
                      axes[k])));
      reading.faults.back().suggestion = "say type = \"box\"";
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
          about(domain, key,
                fmt::format("ends within the [cell] along {}, along which it repeats itself", axes[k])));
      reading.faults.back().suggestion = "make it as wide as the cell there, or wider: it ends nowhere then";
    });
  };
  check("low", -1.0, cell.low);
  check("high", 1.0, cell.high);
}

/// No wall in a cell may be at one place alone.
void refuse_places(const Section& top, Reading& reading) {
  const Model& model = reading.scene.model;
  std::size_t number = 0;
  for (const Section& section : elements(top, "boundaries")) {
    const std::size_t at = number++;
    if (!section.has("type")) continue;  // said already
    const std::string type = section.text("type");
    const std::string name = section.has("name") ? section.text("name") : fmt::format("{}{}", type, at);
    if (type != "plane" && type != "box") {
      reading.faults.push_back(
          about(section, "type", "is at one place of a periodic [cell]: walls are planes there"));
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
  if (!cell.is_periodic()) reading.faults.push_back(about(section, "periodic", "names no direction"));
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
    reading.faults.push_back(about(top.child("sleep"), "speed", "does not go with a cell that flows"));
  // No body touches two images of another, nor itself, as the cell is at its narrowest.
  double largest = 0.0;
  const Bodies& bodies = reading.scene.initial.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    largest = std::max(largest, 2.0 * model.shapes.bounding_radius(bodies.shape[i]));
  for (const Inlet& inlet : model.inlets)
    for (const InletGrain& grain : inlet.grains)
      largest = std::max(largest, 2.0 * model.shapes.bounding_radius(grain.shape));
  // Between its ends a flow may make the cell narrower: sheared by half of itself, it is.
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
      reading.faults.push_back(
          about(section, "high", fmt::format("flows out of the range of numbers until {:g} s", t)));
      return;
    }
    const double width = cell.least_width();
    if (width >= 2.0 * largest) continue;
    Fault fault =
        about(section, "high", fmt::format("makes a cell that is {:.3g} m wide at {:g} s", width, t));
    fault.allowed = fmt::format(">= {:.3g} m, twice the largest body", 2.0 * largest);
    reading.faults.push_back(std::move(fault));
    return;
  }
}

}  // namespace scree::io
