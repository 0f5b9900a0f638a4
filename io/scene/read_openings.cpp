// Inlets, outlets and the domain.
#include <fmt/format.h>
#include <set>

#include "engine/simulation/subsystems/insertion.h"
#include "io/scene/faults.h"
#include "io/scene/grain_keys.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

/// Number of positions that are tried before an inlet is reported to have no room for a grain.
constexpr int most_attempts = 2000;

std::string name_of(const Section& section, const char* kind, std::size_t number) {
  return section.has("name") ? section.text("name") : fmt::format("{}{}", kind, number);
}

/// Exactly one of the two rates.
bool read_rate(const Section& section, Inlet& inlet, Reading& reading) {
  const Node *mass = section.node()->find("mass_rate"), *number = section.node()->find("number_rate");
  if (mass == nullptr && number == nullptr && !section.node()->has_foreign_keys) {
    Fault fault = missing_key(section, "mass_rate");
    fault.problem = "is missing (mass_rate or number_rate is needed)";
    reading.faults.push_back(std::move(fault));
  } else if (mass != nullptr && number != nullptr) {
    reading.faults.push_back(fault_at(*number, section.path_of("number_rate"),
                                      "cannot be combined with mass_rate; remove one of them"));
  }
  if (section.has("mass_rate")) inlet.mass_rate = section.number("mass_rate");
  if (section.has("number_rate")) inlet.number_rate = section.number("number_rate");
  return (mass == nullptr) != (number == nullptr);
}

void read_limits(const Section& section, Inlet& inlet, Reading& reading) {
  if (section.has("mass")) inlet.most_mass = section.number("mass");
  if (section.has("count")) inlet.most_count = static_cast<double>(section.integer("count"));
  if (section.has("stop")) inlet.stop_s = section.number("stop");
  if (inlet.stop_s < inlet.start_s)
    reading.faults.push_back(about(section, "stop", "must not be before start"));
}

/// Grains of one shape and material with different sizes.
struct Ingredient {
  std::vector<InletGrain> grains;  // `until` is the share within the ingredient
  double share = 1.0;              // in the mixture, by mass or by number; the sum is arbitrary
};

/// Reports a fault and returns nothing if the heading of an inlet or of its grains is faulty.
std::optional<Ingredient> read_ingredient(const Section& section, int sizes, Reading& reading) {
  const std::optional<MaterialIndex> material = find_material(section, reading);
  const std::optional<ShapeDescription> shape = read_grain_shape(section, true, reading);
  if (section.node()->faulty || !material || !shape) return std::nullopt;
  const std::optional<SizeLaw> scale = read_scale(section, reading);
  if (!scale) return std::nullopt;
  const SizeClasses classes = size_classes(scale->law, static_cast<std::size_t>(sizes), scale->by_mass);
  Ingredient ingredient;
  for (std::size_t k = 0; k < classes.size.size(); ++k)
    ingredient.grains.push_back(
        {reading.scene.model.shapes.add(scaled_shape(*shape, classes.size[k])), *material, classes.until[k]});
  return ingredient;
}

/// The headings [[inlets.grains]] of an inlet, or the one kind that the inlet itself describes.
std::vector<Ingredient> read_ingredients(const Section& section, Reading& reading) {
  const int sizes = settings_of<SizeShares>(section).sizes;
  std::vector<Ingredient> ingredients;
  if (section.node()->find("grains") == nullptr) {
    if (section.has("shares_by"))
      reading.faults.push_back(about(section, "shares_by", "has no effect without [[inlets.grains]]"));
    if (const std::optional<Ingredient> only = read_ingredient(section, sizes, reading))
      ingredients.push_back(*only);
    return ingredients;
  }
  for (const char* key : {"material", "semi_axes", "radius", "shape", "size", "scale"})
    if (const Node* node = section.node()->find(key)) {
      reading.faults.push_back(
          fault_at(*node, section.path_of(key), "cannot be combined with [[inlets.grains]]"));
      reading.faults.back().suggestion = fmt::format("move {} to each of the [[inlets.grains]]", key);
    }
  for (const Section& grains : elements(section, "grains")) {
    std::optional<Ingredient> read = read_ingredient(grains, sizes, reading);
    if (!read || !grains.has("share")) continue;
    read->share = grains.number("share");
    ingredients.push_back(std::move(*read));
  }
  return ingredients;
}

/// All kinds of grains, with shares by number.
std::vector<InletGrain> mixed(const std::vector<Ingredient>& ingredients, bool by_mass, const Model& model) {
  std::vector<double> number;
  double sum = 0.0;
  for (const Ingredient& i : ingredients) {
    number.push_back(by_mass ? i.share / mean_mass(i.grains, model) : i.share);
    sum += number.back();
  }
  std::vector<InletGrain> grains;
  double before = 0.0;
  for (std::size_t k = 0; k < ingredients.size(); ++k) {
    for (InletGrain grain : ingredients[k].grains) {
      grain.until = (before + number[k] * grain.until) / sum;
      grains.push_back(grain);
    }
    before += number[k];
  }
  grains.back().until = 1.0;
  return grains;
}

/// Checks that the largest grain has room in the empty inlet.
void require_place(const Section& section, const Inlet& inlet, Reading& reading) {
  const Model& model = reading.scene.model;
  const auto largest = std::ranges::max_element(
      inlet.grains, {}, [&](const InletGrain& grain) { return model.shapes.bounding_radius(grain.shape); });
  if (has_place(model, inlet, *largest, most_attempts, std::max(0.0, inlet.start_s))) return;
  Fault fault = about(section, "region",
                      fmt::format("has no room for the largest grain: {} random positions overlap boundaries",
                                  most_attempts));
  fault.suggestion = "enlarge it, or move it away from boundaries";
  reading.faults.push_back(std::move(fault));
}

void read_inlet(const Section& section, std::size_t number, Reading& reading) {
  Inlet inlet;
  inlet.name = name_of(section, "inlet", number);
  const std::vector<Ingredient> ingredients = read_ingredients(section, reading);
  const bool has_rate = read_rate(section, inlet, reading);
  if (section.node()->faulty) return;
  set_from(section, inlet);
  read_limits(section, inlet, reading);
  if (ingredients.empty() || !has_rate) return;
  const std::optional<Region> region = read_region(section.child("region"), reading);
  if (!region) return;
  inlet.grains = mixed(ingredients, !section.has("shares_by") || section.text("shares_by") == "mass",
                       reading.scene.model);
  inlet.region = *region;
  inlet.orientation = fixed_orientation(section);
  inlet.spread = read_spread(section, reading);
  // Differs from the random streams of [[bodies]] with the same numbers.
  inlet.seed = section.has("seed") ? static_cast<std::uint64_t>(section.integer("seed"))
                                   : ~Random(static_cast<std::uint64_t>(reading.seed), number).bits();
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
  std::set<std::string> taken;
  for (const auto& [list, kind] : {std::pair{"inlets", "inlet"}, std::pair{"outlets", "outlet"}}) {
    std::size_t k = 0;
    for (const Section& section : elements(top, list))
      if (!taken.insert(name_of(section, kind, k++)).second && section.has("name"))
        reading.faults.push_back(
            fault_at(section.given("name"), section.path_of("name"), "is already in use"));
  }
  std::size_t number = 0;
  for (const Section& section : elements(top, "inlets")) read_inlet(section, number++, reading);
  number = 0;
  for (const Section& section : elements(top, "outlets")) read_outlet(section, number++, reading);
  read_domain(top.child("domain"), reading);
}

}  // namespace scree::io
