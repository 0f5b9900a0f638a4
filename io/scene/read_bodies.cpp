#include <fmt/format.h>
#include <map>

#include "engine/generation/packing.h"
#include "io/scene/body_table.h"
#include "io/scene/faults.h"
#include "io/scene/keys.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"
#include "io/scene/validate.h"

namespace scree::io {

namespace {

std::optional<Quat> fixed_orientation(const Section& section) {
  if (!section.has("orientation")) return std::nullopt;
  const Node& node = section.given("orientation");
  if (node.kind == NodeKind::text)
    return node.text == "aligned" ? std::optional(Quat::Identity()) : std::nullopt;
  return Quat(node.items[0].number, node.items[1].number, node.items[2].number, node.items[3].number)
      .normalized();
}

bool is_random(const Section& section) {
  return section.has("orientation") && section.given("orientation").kind == NodeKind::text &&
         section.text("orientation") == "random";
}

/// Reads one heading of [[bodies]] and appends its bodies to the scene.
class GroupReader {
 public:
  GroupReader(const Section& section, std::size_t number, Reading& reading)
      : section_(section), number_(number), reading_(reading), model_(reading.scene.model) {}

  void read() {
    group_.path = section_.path();
    group_.where = section_.node()->where;
    group_.form = form_of(*section_.node(), "bodies");
    group_.begin = bodies().size();
    const std::optional<MaterialIndex> material = find_material(section_, reading_);
    const bool has_function = section_.node()->find("shape") != nullptr;
    const std::optional<ShapeDescription> shape = has_function ? read_function() : read_semi_axes();
    if (!section_.node()->faulty && material && (shape || (group_.form == "table" && !has_function))) {
      material_ = *material;
      if (group_.form == "single") single(*shape);
      if (group_.form == "table") table(shape);
      if (group_.form == "lattice" || group_.form == "random") generated(*shape);
    }
    group_.end = bodies().size();
    reading_.groups.push_back(group_);
  }

 private:
  Bodies& bodies() { return reading_.scene.initial.bodies; }

  static ShapeDescription ellipsoid(const Vec3& semi_axes) {
    return {ShapeKind::ellipsoid, {semi_axes[0], semi_axes[1], semi_axes[2], 0.0, 0.0}};
  }

  std::optional<ShapeDescription> read_function() {
    for (const char* const key : {"semi_axes", "radius"}) {
      if (const Node* node = section_.node()->find(key))
        reading_.faults.push_back(
            fault_at(*node, section_.path_of(key), "is given beside shape; leave one out"));
    }
    if (section_.node()->find("size") == nullptr) reading_.faults.push_back(missing_key(section_, "size"));
    const std::optional<std::int32_t> function = find_function(section_, reading_);
    if (!function || !section_.has("size")) return std::nullopt;
    return ShapeDescription{ShapeKind::implicit,
                            {0.0, 0.0, 0.0, static_cast<double>(*function), section_.number("size")}};
  }

  std::optional<ShapeDescription> read_semi_axes() {
    if (const Node* size = section_.node()->find("size"))
      reading_.faults.push_back(fault_at(*size, section_.path_of("size"), "has no meaning without shape"));
    const Node* axes = section_.node()->find("semi_axes");
    const Node* radius = section_.node()->find("radius");
    if (axes != nullptr && radius != nullptr) {
      reading_.faults.push_back(
          fault_at(*radius, section_.path_of("radius"), "is given beside semi_axes; leave one out"));
      return std::nullopt;
    }
    if (section_.has("semi_axes")) return ellipsoid(section_.vector("semi_axes"));
    if (section_.has("radius")) return ellipsoid(Vec3::Constant(section_.number("radius")));
    if (axes == nullptr && radius == nullptr && group_.form != "table") {
      reading_.faults.push_back({.where = section_.node()->where,
                                 .key_path = section_.path_of("semi_axes"),
                                 .problem = "is missing (or radius, for a sphere, or shape)",
                                 .value = {},
                                 .unit = "m",
                                 .allowed = "> 0",
                                 .suggestion = {}});
    }
    return std::nullopt;
  }

  /// The same shape in another size.
  static ShapeDescription scaled(ShapeDescription shape, double scale) {
    for (const std::size_t k : {0u, 1u, 2u, 4u}) shape.numbers[k] *= scale;
    return shape;
  }

  /// Of the ellipsoid that holds a shape.
  Vec3 semi_axes_of(const ShapeDescription& shape) {
    return enclosing_ellipsoid(model_.shapes, index_of(shape)).semi_axes;
  }

  ShapeIndex index_of(const ShapeDescription& described) {
    const auto [shape, is_new] = shapes_.try_emplace(described);
    if (is_new) shape->second = model_.shapes.add(described);
    return shape->second;
  }

  void add(const ShapeDescription& shape, const Pose& pose, const Twist& twist) {
    add_body(bodies(), model_.shapes, model_.materials, {index_of(shape), material_, pose, twist});
  }

  std::uint64_t seed() const {
    if (section_.has("seed")) return static_cast<std::uint64_t>(section_.integer("seed"));
    return Random(static_cast<std::uint64_t>(reading_.seed), number_).bits();
  }

  void single(const ShapeDescription& shape) {
    Quat orientation = fixed_orientation(section_).value_or(Quat::Identity());
    if (is_random(section_)) orientation = Random(seed()).rotation();
    add(shape, {section_.vector("position"), orientation}, settings_of<Twist>(section_));
  }

  void table(const std::optional<ShapeDescription>& shape) {
    const std::filesystem::path name = section_.text("table");
    const std::filesystem::path file = reading_.scene.file.parent_path() / name;
    if (const std::string problem = table_problem(file); !problem.empty()) {
      reading_.faults.push_back(fault_at(section_.given("table"), section_.path_of("table"), problem));
      return;
    }
    TableFaults table_faults;
    const BodyTable table = read_body_table(file, file.string(), table_faults);
    for (Fault& warning : table_faults.warnings) reading_.scene.warnings.push_back(std::move(warning));
    if (!table_faults.faults.empty()) {
      for (Fault& fault : table_faults.faults) reading_.faults.push_back(std::move(fault));
      return;
    }
    if (table.semi_axes.empty() && !shape) {
      Fault fault = fault_at(section_.given("table"), section_.path_of("table"),
                             "has no semi-axes, and the scene gives none");
      fault.suggestion = "add semi_axes = [a, b, c] or radius to this heading";
      reading_.faults.push_back(fault);
      return;
    }
    if (!table.semi_axes.empty() && shape) {
      Fault fault = fault_at(section_.given("table"), section_.path_of("table"),
                             "has semi-axes, and the scene gives them too");
      fault.suggestion = "leave out semi_axes, radius or shape of this heading";
      reading_.faults.push_back(fault);
      return;
    }
    const Twist common = settings_of<Twist>(section_);
    for (std::size_t i = 0; i < table.size(); ++i) {
      Twist motion = common;
      if (!table.velocity.empty()) motion.linear = table.velocity[i];
      if (!table.angular_velocity.empty()) motion.angular = table.angular_velocity[i];
      add(table.semi_axes.empty() ? *shape : ellipsoid(table.semi_axes[i]),
          {table.position[i], table.orientation[i]}, motion);
    }
    group_.table = file.string();
    group_.lines = table.lines;
  }

  std::optional<Region> read_region() {
    const Section region = section_.child("region");
    if (region.text("type") == "cylinder") {
      const CylinderRegion cylinder{region.vector("start"), region.vector("end"), region.number("radius")};
      if (cylinder.start != cylinder.end) return cylinder;
      reading_.faults.push_back(
          fault_at(region.given("end"), region.path_of("end"), "must differ from start"));
      return std::nullopt;
    }
    if (!is_box(region, reading_)) return std::nullopt;
    return BoxRegion{region.vector("low"), region.vector("high")};
  }

  bool is_window(const Section& scale) {
    if (!scale.has("low") || scale.number("low") < scale.number("high")) return true;
    Fault fault = fault_at(scale.given("high"), scale.path_of("high"), "must be above low");
    fault.allowed = fmt::format("> {}", scale.number("low"));
    reading_.faults.push_back(fault);
    return false;
  }

  void generated(const ShapeDescription& shape) {
    const std::optional<Region> region = read_region();
    const Section scale = section_.child("scale");
    const bool scale_is_good = scale.node() == nullptr || is_window(scale);
    if (!region || !scale_is_good) return;
    const GrainRecipe recipe{
        semi_axes_of(shape),
        scale.node() == nullptr ? SizeDistribution{} : settings_of<SizeDistribution>(scale),
        fixed_orientation(section_)};
    const auto count = static_cast<std::size_t>(section_.integer("count"));
    std::vector<Grain> grains;
    if (group_.form == "lattice") {
      const double jitter = settings_of<LatticeSettings>(section_).jitter;
      const double spacing =
          section_.has("spacing") ? section_.number("spacing") : safe_spacing(recipe, jitter);
      if (!keeps_apart(spacing, recipe)) return;
      grains = lattice(recipe, *region, {count, spacing, jitter}, seed());
    } else {
      const int attempts = settings_of<RandomPackingSettings>(section_).attempts;
      grains = random_packing(recipe, *region, {count, attempts}, obstacles(), seed());
    }
    if (grains.size() < count) cannot_fit(grains.size(), *region);
    const Twist motion = settings_of<Twist>(section_);
    for (const Grain& grain : grains) add(scaled(shape, grain.scale), grain.pose, motion);
  }

  /// False, with a fault, if neighbours overlap however they are turned.
  bool keeps_apart(double spacing, const GrainRecipe& recipe) {
    const double thickness = 2.0 * smallest(recipe.scale) * recipe.semi_axes.minCoeff();
    // The rounding of "= 2 * radius" must not count.
    if (spacing >= thickness * (1.0 - 1e-12)) return true;
    Fault fault = fault_at(section_.given("spacing"), section_.path_of("spacing"),
                           "is less than the smallest bodies are thick");
    fault.unit = find_key("bodies", "spacing")->unit;
    fault.allowed = fmt::format(">= {:.6g}", thickness);
    reading_.faults.push_back(std::move(fault));
    return false;
  }

  std::vector<PlacedEllipsoid> obstacles() {
    std::vector<PlacedEllipsoid> placed;
    for (std::size_t i = 0; i < bodies().size(); ++i) {
      placed.push_back(place(enclosing_ellipsoid(model_.shapes, bodies().shape[i]), bodies().pose(i)));
    }
    return placed;
  }

  void cannot_fit(std::size_t fitted, const Region& region) {
    Fault fault = fault_at(
        section_.given("count"), section_.path_of("count"),
        fmt::format("only {} of the bodies fit into the region of {:.4g} m^3", fitted, volume(region)));
    fault.suggestion = group_.form == "lattice"
                           ? "enlarge the region, or lower count or spacing"
                           : "enlarge the region, lower count, or raise attempts; random places fill "
                             "a fifth to a quarter of the volume, a lattice about half";
    reading_.faults.push_back(fault);
  }

  const Section& section_;
  std::size_t number_;
  Reading& reading_;
  Model& model_;
  MaterialIndex material_;
  BodyGroup group_;
  std::map<ShapeDescription, ShapeIndex> shapes_;
};

}  // namespace

void read_bodies(const Section& top, Reading& reading) {
  std::size_t number = 0;
  for (const Section& section : elements(top, "bodies")) GroupReader(section, number++, reading).read();
}

}  // namespace scree::io
