#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "engine/generation/packing.h"
#include "engine/simulation/guides.h"
#include "io/scene/body_table.h"
#include "io/scene/faults.h"
#include "io/scene/grain_keys.h"
#include "io/scene/keys.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"
#include "io/scene/validate.h"

namespace scree::io {

namespace {

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
    const bool has_function = section_.node()->find("shape") != nullptr;
    const std::optional<ShapeDescription> shape =
        read_grain_shape(section_, group_.form != "table", reading_);
    if (group_.form == "table") {
      if (!section_.node()->faulty && (shape || !has_function)) table(shape);
    } else if (const auto material = find_material(section_, reading_);
               !section_.node()->faulty && material && shape) {
      material_ = *material;
      if (group_.form == "single") single(*shape);
      if (group_.form == "lattice" || group_.form == "random") generated(*shape);
    }
    group_.end = bodies().size();
    if (!section_.node()->faulty) hold();
    reading_.groups.push_back(group_);
  }

 private:
  Bodies& bodies() { return reading_.scene.initial.bodies; }

  /// Of the ellipsoid that holds a shape.
  Vec3 semi_axes_of(const ShapeDescription& shape) {
    if (shape.kind == ShapeKind::ellipsoid) return Vec3(shape.numbers.data());
    return enclosing_ellipsoid(model_.shapes, index_of(shape)).semi_axes;
  }

  void refuse(std::string_view key, const char* problem) {
    reading_.faults.push_back(about(section_, key, problem));
  }

  /// Bodies that do not move by themselves have a guide.
  void hold() {
    const bool moves = section_.node()->find("motion") != nullptr;
    if (section_.has("held") && !section_.boolean("held") && moves)
      refuse("held", "does not go with motion: what is led does not move by itself");
    if (!moves && !(section_.has("held") && section_.boolean("held"))) {
      if (section_.has("name")) refuse("name", "is of no use to bodies that are not held");
      return;
    }
    for (const char* key : {"velocity", "angular_velocity"})
      if (section_.has(key)) refuse(key, "does not go with bodies that are held: give them motion");
    if (reading_.scene.model.settings.sleep.is_on()) {
      refuse(moves ? "motion" : "held", "does not go with sleep yet");
      reading_.faults.back().suggestion = "leave out [sleep]";
    }
    if (model_.cell.flows()) refuse(moves ? "motion" : "held", "does not go with a cell that flows");
    Guide guide{section_.has("name") ? section_.text("name") : fmt::format("bodies{}", number_), {}};
    if (std::ranges::find(model_.guides, guide.name, &Guide::name) != model_.guides.end())
      refuse("name", "was taken before");
    guide.motion = read_motion(section_, reading_);
    Vec3 middle = Vec3::Zero();
    for (std::size_t i = group_.begin; i < group_.end; ++i) {
      hold_body(static_cast<std::int32_t>(model_.guides.size()), i, reading_.scene.initial);
      middle += bodies().position[i] / static_cast<double>(group_.end - group_.begin);
    }
    guide.centre = centre_of(guide.motion).value_or(middle);
    model_.guides.push_back(std::move(guide));
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
    const std::filesystem::path file = beside_scene(name.string(), reading_);
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
    const std::vector<MaterialIndex> materials = materials_of(table, file.string());
    if (materials.size() != table.size()) return;
    const Twist common = settings_of<Twist>(section_);
    for (std::size_t i = 0; i < table.size(); ++i) {
      material_ = materials[i];
      Twist motion = common;
      if (!table.velocity.empty()) motion.linear = table.velocity[i];
      if (!table.angular_velocity.empty()) motion.angular = table.angular_velocity[i];
      add(table.semi_axes.empty() ? *shape : described_ellipsoid(table.semi_axes[i]),
          {table.position[i], table.orientation[i]}, motion);
    }
    group_.table = file.string();
    group_.lines = table.lines;
  }

  /// [body] that of the table, or else that of the heading. Fewer after a fault.
  std::vector<MaterialIndex> materials_of(const BodyTable& table, const std::string& file) {
    if (table.material.empty()) {
      const auto material = find_material(section_, reading_);
      return std::vector<MaterialIndex>(material ? table.size() : 0, material.value_or(MaterialIndex(0)));
    }
    if (section_.has("material")) {
      Fault fault = fault_at(section_.given("table"), section_.path_of("table"),
                             "has materials, and the scene gives one too");
      fault.suggestion = "leave out material of this heading";
      reading_.faults.push_back(fault);
      return {};
    }
    std::vector<std::string> names;
    for (std::size_t m = 0; m < model_.materials.size(); ++m)
      names.push_back(model_.materials.name(MaterialIndex(static_cast<std::int64_t>(m))));
    std::vector<MaterialIndex> found;
    for (std::size_t i = 0; i < table.size(); ++i) {
      const std::string& text = table.material[i];
      auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), text) - names.begin());
      if (at == names.size()) {  // not a name: a number, from 0, as exported tables have it
        const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        at = digits && text.size() < 9 ? std::stoul(text) : names.size();
      }
      if (at < names.size()) {
        found.emplace_back(static_cast<std::int64_t>(at));
        continue;
      }
      Fault fault;
      fault.where = {file, table.lines.empty() ? 0 : table.lines[i], table.lines.empty() ? 0 : 1};
      fault.key_path = "material";
      fault.problem = "is neither the name of a material nor its number";
      fault.value = '"' + text + '"';
      fault.allowed = fmt::format("\"{}\", or 0 to {}", fmt::join(names, "\", \""), names.size() - 1);
      fault.suggestion = did_you_mean(text, names);
      reading_.faults.push_back(fault);
      return {};  // the others are most likely alike
    }
    return found;
  }

  void generated(const ShapeDescription& shape) {
    const std::optional<Region> region = read_region(section_.child("region"), reading_);
    const std::optional<SizeLaw> scale = read_scale(section_, reading_);
    if (!region || !scale) return;
    GrainRecipe recipe{semi_axes_of(shape), scale->by_mass ? by_number(scale->law) : scale->law,
                       fixed_orientation(section_)};
    if (!model_.shapes.functions().empty()) {
      recipe.function = &model_.shapes.function_of(index_of(shape));
      recipe.size = model_.shapes.size_of(index_of(shape));
    }
    if (shape.kind == ShapeKind::clump) {
      recipe.clump = &model_.shapes.clump_of(index_of(shape));
      recipe.size = model_.shapes.sized_clump(index_of(shape)).size;
    }
    recipe.spread = read_spread(section_, reading_);
    const auto count = static_cast<std::size_t>(section_.integer("count"));
    if (bodies().size() + count > reading_.most_bodies) {
      Fault fault = fault_at(section_.given("count"), section_.path_of("count"),
                             "these bodies do not fit into the memory that there is");
      fault.allowed =
          fmt::format("<= {}", reading_.most_bodies - std::min(reading_.most_bodies, bodies().size()));
      reading_.faults.push_back(std::move(fault));
      return;
    }
    std::vector<Grain> grains;
    if (group_.form == "lattice") {
      const double jitter = settings_of<LatticeSettings>(section_).jitter;
      const double spacing =
          section_.has("spacing") ? section_.number("spacing") : safe_spacing(recipe, jitter);
      if (!keeps_apart(spacing, recipe)) return;
      grains = lattice(recipe, *region, {count, spacing, jitter}, seed());
    } else {
      const int attempts = settings_of<RandomPackingSettings>(section_).attempts;
      grains = random_packing(recipe, *region, {count, attempts}, obstacles(), seed(), model_.cell.at(0.0));
    }
    if (grains.size() < count) cannot_fit(grains.size(), *region);
    const Twist motion = settings_of<Twist>(section_);
    for (const Grain& grain : grains) add(scaled_shape(shape, grain.scale), grain.pose, motion);
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

  std::vector<Obstacle> obstacles() {
    std::vector<Obstacle> placed;
    for (std::size_t i = 0; i < bodies().size(); ++i)
      placed.push_back(obstacle_of(model_.shapes, bodies().shape[i], bodies().pose(i)));
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

std::optional<std::size_t> find_guide(const Section& section, std::string_view key, Reading& reading) {
  const std::vector<Guide>& guides = reading.scene.model.guides;
  const auto found = std::ranges::find(guides, section.text(key), &Guide::name);
  if (found != guides.end()) return static_cast<std::size_t>(found - guides.begin());
  std::vector<std::string> names;
  for (const Guide& guide : guides) names.push_back(guide.name);
  reading.faults.push_back(about(section, key, "is not the name of held bodies"));
  reading.faults.back().suggestion = did_you_mean(section.text(key), names);
  return std::nullopt;
}

}  // namespace scree::io
