// Inlets, outlets and the domain.
#include <fmt/format.h>

#include "engine/simulation/subsystems/insertion.h"
#include "io/scene/faults.h"
#include "io/scene/grain_keys.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

/// Places that are tried before an inlet counts as one that has room for no grain.
constexpr int most_attempts = 2000;

std::string name_of(const Section& section, const char* kind, std::size_t number) {
  return section.has("name") ? section.text("name") : fmt::format("{}{}", kind, number);
}

/// Exactly one of the two rates.
bool read_rate(const Section& section, Inlet& inlet, Reading& reading) {
  const Node *mass = section.node()->find("mass_rate"), *number = section.node()->find("number_rate");
  if (mass == nullptr && number == nullptr) {
    Fault fault = missing_key(section, "mass_rate");
    fault.problem = "is missing (or number_rate)";
    reading.faults.push_back(std::move(fault));
  } else if (mass != nullptr && number != nullptr) {
    reading.faults.push_back(
        fault_at(*number, section.path_of("number_rate"), "is given beside mass_rate; leave one out"));
  }
  if (section.has("mass_rate")) inlet.mass_rate = section.number("mass_rate");
  if (section.has("number_rate")) inlet.number_rate = section.number("number_rate");
  return (mass == nullptr) != (number == nullptr);
}

void read_limits(const Section& section, Inlet& inlet, Reading& reading) {
  if (section.has("mass")) inlet.most_mass = section.number("mass");
  if (section.has("count")) inlet.most_count = static_cast<double>(section.integer("count"));
  if (section.has("stop")) inlet.stop_s = section.number("stop");
  if (inlet.stop_s < inlet.start_s) reading.faults.push_back(about(section, "stop", "comes before start"));
}

void add_shapes(const Section& section, const ShapeDescription& shape, const SizeLaw& scale, Inlet& inlet,
                Reading& reading) {
  const SizeClasses classes = size_classes(
      scale.law, static_cast<std::size_t>(settings_of<SizeShares>(section).sizes), scale.by_mass);
  for (const double size : classes.size)
    inlet.shapes.push_back(reading.scene.model.shapes.add(scaled_shape(shape, size)));
  inlet.until = classes.until;
}

/// The largest of the grains must find a place while nothing else is there.
void require_place(const Section& section, const Inlet& inlet, Reading& reading) {
  const Scene& scene = reading.scene;
  if (has_place(scene.model, inlet, inlet.shapes.back(), most_attempts, std::max(0.0, inlet.start_s))) return;
  Fault fault = about(section, "region",
                      fmt::format("has no place for the largest grain in {} tries that is free of boundaries",
                                  most_attempts));
  fault.suggestion = "enlarge it, or move it away from boundaries";
  reading.faults.push_back(std::move(fault));
}

void read_inlet(const Section& section, std::size_t number, Reading& reading) {
  const std::optional<MaterialIndex> material = find_material(section, reading);
  const std::optional<ShapeDescription> shape = read_grain_shape(section, true, reading);
  Inlet inlet;
  inlet.name = name_of(section, "inlet", number);
  const bool has_rate = read_rate(section, inlet, reading);
  if (section.node()->faulty || !material || !shape || !has_rate) return;
  set_from(section, inlet);
  read_limits(section, inlet, reading);
  const std::optional<Region> region = read_region(section.child("region"), reading);
  const std::optional<SizeLaw> scale = read_scale(section, reading);
  if (!region || !scale) return;
  inlet.material = *material;
  inlet.region = *region;
  inlet.orientation = fixed_orientation(section);
  inlet.spread = read_spread(section, reading);
  // Beside the streams of [[bodies]] with the same numbers.
  inlet.seed = section.has("seed") ? static_cast<std::uint64_t>(section.integer("seed"))
                                   : ~Random(static_cast<std::uint64_t>(reading.seed), number).bits();
  add_shapes(section, *shape, *scale, inlet, reading);
  if (reading.faults.empty()) require_place(section, inlet, reading);
  Model& model = reading.scene.model;
  model.inlets.push_back(std::move(inlet));
  if (!section.has("waits") || !section.boolean("waits")) return;
  reading.waiting_inlets.push_back({section, model.inlets.size() - 1});
}

void read_outlet(const Section& section, std::size_t number, Reading& reading) {
  if (section.node()->faulty) return;
  Outlet outlet{name_of(section, "outlet", number), {}};
  if (section.text("type") == "half_space") {
    HalfSpace half{section.vector("point"), section.vector("normal")};
    if (half.normal.isZero(0.0)) {
      reading.faults.push_back(about(section, "normal", "must not be zero"));
      return;
    }
    half.normal.normalize();
    outlet.where = half;
  } else if (const std::optional<Region> region = read_region(section, reading)) {
    std::visit([&](const auto& r) { outlet.where = r; }, *region);
  } else {
    return;
  }
  reading.scene.model.outlets.push_back(std::move(outlet));
}

void read_domain(const Section& section, Reading& reading) {
  if (section.node() == nullptr || section.node()->faulty) return;
  Domain& domain = reading.scene.model.domain;
  if (section.has("low")) domain.low = section.vector("low");
  if (section.has("high")) domain.high = section.vector("high");
  if (section.has("low") && section.has("high") && !is_box(section, reading)) return;
  const std::string word = section.text("outside");
  domain.outside = word == "remove" ? Outside::remove : word == "reflect" ? Outside::reflect : Outside::stop;
}

}  // namespace

void read_openings(const Section& top, Reading& reading) {
  std::size_t number = 0;
  for (const Section& section : elements(top, "inlets")) read_inlet(section, number++, reading);
  number = 0;
  for (const Section& section : elements(top, "outlets")) read_outlet(section, number++, reading);
  read_domain(top.child("domain"), reading);
}

}  // namespace scree::io
