// The periodic cell, and how it flows.
#include <algorithm>
#include <fmt/format.h>

#include "io/scene/faults.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

constexpr const char* axes[] = {"x", "y", "z"};

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
      const bool repeats =
          cell.periodic[static_cast<std::size_t>(i)] && cell.periodic[static_cast<std::size_t>(j)];
      if (repeats) continue;
      Fault fault = fault_at(section.given(key).items[static_cast<std::size_t>(j)],
                             fmt::format("{}[{}]", section.path_of(key), j),
                             "flows along, or across, a direction that is not periodic");
      fault.unit = "1/s";
      reading.faults.push_back(std::move(fault));
    }
  }
  cell.flow.push_back(flow);
}

/// Nothing in a cell may be at one place alone.
void refuse_places(const Section& top, Reading& reading) {
  for (const char* key : {"inlets", "outlets", "domain"}) {
    const Node* const node = top.node()->find(key);
    if (node != nullptr) reading.faults.push_back(fault_at(*node, key, "does not go with a periodic [cell]"));
  }
  const Model& model = reading.scene.model;
  std::size_t number = 0;
  for (const Section& section : elements(top, "boundaries")) {
    const std::string type = section.has("type") ? section.text("type") : "";
    const std::string name = section.has("name") ? section.text("name") : fmt::format("{}{}", type, number);
    ++number;
    if (type != "plane" && type != "box") {
      reading.faults.push_back(
          about(section, "type", "is at one place of a periodic [cell]: walls are planes there"));
      continue;
    }
    for (const Boundary& b : model.boundaries) {
      if (b.name != name && !b.name.starts_with(name + '.')) continue;
      const Vec3 normal = std::get<Plane>(b.surface).normal;
      for (int k = 0; k < 3; ++k) {
        if (!model.cell.periodic[static_cast<std::size_t>(k)] || std::abs(normal[k]) < 1e-12) continue;
        reading.faults.push_back(
            about(section, "type",
                  fmt::format("has a wall across {}, along which the cell repeats itself", axes[k])));
        break;
      }
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
  for (const Section& flow : elements(section, "flow"))
    if (!flow.node()->faulty) read_flow(flow, reading);
}

void check_cell(const Section& top, Reading& reading) {
  const Model& model = reading.scene.model;
  if (!model.cell.is_periodic()) return;
  const Section section = top.child("cell");
  refuse_places(top, reading);
  if (model.cell.flows() && model.settings.sleep.is_on())
    reading.faults.push_back(about(top.child("sleep"), "speed", "does not go with a cell that flows"));
  // No body touches two images of another, nor itself, as the cell is at its narrowest.
  double largest = 0.0;
  const Bodies& bodies = reading.scene.initial.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    largest = std::max(largest, 2.0 * model.shapes.bounding_radius(bodies.shape[i]));
  std::vector<double> times{0.0, reading.scene.end_time_s};
  for (const CellFlow& flow : model.cell.flow)
    for (const double t : {flow.start, flow.stop})
      if (t < reading.scene.end_time_s) times.push_back(t);
  for (const double t : times) {
    const double width = model.cell.at(t).least_width();
    if (width >= 2.0 * largest) continue;
    Fault fault =
        about(section, "high", fmt::format("makes a cell that is {:.3g} m wide at {:g} s", width, t));
    fault.allowed = fmt::format(">= {:.3g} m, twice the largest body", 2.0 * largest);
    reading.faults.push_back(std::move(fault));
    return;
  }
}

}  // namespace scree::io
