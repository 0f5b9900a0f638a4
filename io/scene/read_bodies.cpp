#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "engine/modules/generation/packing.h"
#include "engine/simulation/dense_packing.h"
#include "engine/simulation/placement.h"
#include "engine/simulation/subsystems/parts.h"
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

/// Tests whether a new grain would overlap a wall, before bodies exist and before elliptic cylinders
/// become meshes for function shapes.
class WallProbe {
 public:
  /// `least_scale`: the smallest scale of the grains of this shape.
  WallProbe(const Model& model, const ShapeDescription& shape, MaterialIndex material, double least_scale)
      : model_(model), shape_(shape), material_(material) {
    if (model_.shapes.functions().empty() || model_.boundaries.empty()) return;
    const ShapeIndex smallest = model_.shapes.add(scaled_shape(shape, least_scale));
    mesh_round_walls(model_.shapes.smallest_length(smallest), model_.boundaries);
  }

  bool holds(const Grain& grain) {
    if (!index_ || grain.scale != scale_) index_ = model_.shapes.add(scaled_shape(shape_, grain.scale));
    scale_ = grain.scale;
    return is_in_boundary(model_, *index_, material_, grain.pose);
  }

 private:
  Model model_;  // a copy, because the test shapes must not be added to the scene
  ShapeDescription shape_;
  MaterialIndex material_;
  std::optional<ShapeIndex> index_;
  double scale_ = 0.0;
};

/// Reads one heading of [[bodies]] and makes its bodies.
class GroupReader {
 public:
  GroupReader(const Section& section, std::size_t number, Reading& reading)
      : section_(section), number_(number), reading_(reading), model_(reading.scene.model) {}

  /// The order in which groups are made, independent of their order in the file: bodies with given positions,
  /// then dense packings, then bodies at random positions.
  int order() const {
    const std::string form = form_of(*section_.node(), "bodies");
    return form == "random" ? 2 : form == "dense" ? 1 : 0;
  }

  void make() {
    group_.path = section_.path();
    if (section_.has("name")) group_.name = section_.text("name");
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
      if (group_.form == "lattice" || group_.form == "random" || group_.form == "dense") generated(*shape);
    }
    group_.end = bodies().size();
  }

  /// Moves the group's bodies from `made`, where they are in the order of creation, to the end of the scene's
  /// bodies.
  void enter(const Bodies& made) {
    const std::size_t begin = bodies().size();
    for (std::size_t i = group_.begin; i < group_.end; ++i) {
      add_body(bodies(), model_.shapes, model_.materials,
               {made.shape[i],
                made.material[i],
                made.pose(i),
                {made.linear_velocity[i], made.angular_velocity[i]}});
      bodies().orientation.back() = made.orientation[i];  // exactly: add_body() normalises anew
    }
    group_.end = begin + (group_.end - group_.begin);
    group_.begin = begin;
    if (!section_.node()->faulty) carry();
    reading_.groups.push_back(group_);
  }

 private:
  Bodies& bodies() { return reading_.scene.initial.bodies; }

  /// Semi-axes of the ellipsoid that encloses a shape.
  Vec3 semi_axes_of(const ShapeDescription& shape) {
    if (shape.kind == ShapeKind::ellipsoid) return Vec3(shape.numbers.data());
    return enclosing_ellipsoid(model_.shapes, index_of(shape)).semi_axes;
  }

  void refuse(std::string_view key, const char* problem) {
    reading_.faults.push_back(about(section_, key, problem));
  }

  /// Bodies with `fixed`, `motion` or `part` are carried by a part.
  void carry() {
    const bool moves = section_.node()->find("motion") != nullptr,
               fixed = section_.has("fixed") && section_.boolean("fixed");
    if (section_.has("fixed") && !fixed && moves)
      refuse("fixed", "cannot be combined with motion: a body with a motion is not fixed");
    const char* const key = section_.has("part") ? "part" : moves ? "motion" : "fixed";
    if (!moves && !fixed && !section_.has("part")) {
      return;
    }
    for (const char* velocity : {"velocity", "angular_velocity"})
      if (section_.has(velocity))
        refuse(velocity, section_.has("part")
                             ? "cannot be combined with part"
                             : "cannot be combined with fixed or motion: a motion gives the velocity");
    if (model_.settings.sleep.is_on()) {
      refuse(key, "cannot be combined with sleep");
      reading_.faults.back().suggestion = "remove [sleep]";
    }
    if (model_.cell.flows()) refuse(key, "cannot be combined with a cell that flows");
    const std::string name = section_.has("name") ? section_.text("name") : fmt::format("bodies{}", number_);
    const std::optional<std::size_t> part = read_carrier(section_, name, fixed && !moves, reading_);
    if (!part) return;
    Vec3 middle = Vec3::Zero();
    Part& carrier = model_.parts[*part];
    for (std::size_t i = group_.begin; i < group_.end; ++i) {
      middle += bodies().position[i] / static_cast<double>(group_.end - group_.begin);
      carry_body(static_cast<std::int32_t>(*part), i, reading_.scene.initial);
      begin_motion(carrier, i, bodies());
    }
    if (!section_.has("part")) carrier.centre = centre_of(carrier.motion).value_or(middle);
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
    BodyTable table = read_body_table(file, file.string(), table_faults);
    for (Fault& warning : table_faults.warnings) reading_.scene.warnings.push_back(std::move(warning));
    if (!table_faults.faults.empty()) {
      for (Fault& fault : table_faults.faults) reading_.faults.push_back(std::move(fault));
      return;
    }
    if (table.semi_axes.empty() && !shape) {
      Fault fault = fault_at(section_.given("table"), section_.path_of("table"),
                             "has no semi-axes, and the scene does not have them either");
      fault.suggestion = "add semi_axes = [a, b, c] or radius to this heading";
      reading_.faults.push_back(fault);
      return;
    }
    if (!table.semi_axes.empty() && shape) {
      Fault fault = fault_at(section_.given("table"), section_.path_of("table"),
                             "has semi-axes, but the scene has them too");
      fault.suggestion = "remove semi_axes, radius or shape under this heading";
      reading_.faults.push_back(fault);
      return;
    }
    if (!place(table)) return;
    const std::vector<MaterialIndex> materials = materials_of(table, file.string());
    if (materials.size() != table.size()) return;
    if (!are_thick_enough(table, file.string())) return;
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

  /// Mirrors, rotates and moves the bodies of a table. Reports a fault and returns false if the mirror image
  /// of a shape is another shape.
  bool place(BodyTable& table) {
    const double scale = section_.has("table_scale") ? section_.number("table_scale") : 1.0;
    const Quat rotation = fixed_orientation(section_, "rotate").value_or(Quat::Identity());
    const Vec3 move = section_.has("move") ? section_.vector("move") : Vec3(Vec3::Zero());
    const bool mirrors = section_.has("mirror");
    if (mirrors && section_.node()->find("shape") != nullptr) {
      refuse("mirror",
             "works only for ellipsoids: the mirror image of another shape may be a different shape");
      return false;
    }
    Vec3 sign = Vec3::Ones();
    if (mirrors) sign[section_.text("mirror")[0] - 'x'] = -1.0;
    for (Vec3& x : table.position) x = rotation * (sign.cwiseProduct(scale * x)) + move;
    for (Vec3& a : table.semi_axes) a *= scale;
    for (Vec3& v : table.velocity) v = rotation * (sign.cwiseProduct(scale * v));
    // The components of axial vectors in the mirror's plane change their sign.
    for (Vec3& w : table.angular_velocity) w = rotation * (mirrors ? Vec3(-sign.cwiseProduct(w)) : w);
    for (Quat& q : table.orientation) {
      if (mirrors) q = Quat(Mat3(sign.asDiagonal() * q.toRotationMatrix() * sign.asDiagonal()));
      q = (rotation * q).normalized();
    }
    return true;
  }

  /// Reports a fault and returns false if an ellipsoid of a table is too thin for a scene with function
  /// shapes.
  bool are_thick_enough(const BodyTable& table, const std::string& file) {
    for (std::size_t i = 0; i < table.semi_axes.size(); ++i) {
      Fault fault;
      fault.problem = problem_beside_functions(described_ellipsoid(table.semi_axes[i]), reading_);
      if (fault.problem.empty()) continue;
      fault.where = {file, table.lines.empty() ? 0 : table.lines[i], table.lines.empty() ? 0 : 1};
      fault.key_path = fmt::format("semi_axes[{}]", i);
      reading_.faults.push_back(std::move(fault));
      return false;  // the other rows probably have the same problem
    }
    return true;
  }

  /// Material of each body: from the table, or else from the heading. The list is shorter after a fault.
  std::vector<MaterialIndex> materials_of(const BodyTable& table, const std::string& file) {
    if (table.material.empty() || (table.may_ignore_materials && section_.has("material"))) {
      const auto material = find_material(section_, reading_);
      return std::vector<MaterialIndex>(material ? table.size() : 0, material.value_or(MaterialIndex(0)));
    }
    if (section_.has("material")) {
      Fault fault = fault_at(section_.given("table"), section_.path_of("table"),
                             "has materials, but the scene has one too");
      fault.suggestion = "remove material under this heading";
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
      if (at == names.size()) {  // not a name, but a number from 0 as in exported tables
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
      return {};  // the other rows probably have the same problem
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
    const std::optional<std::size_t> asked_for = count_of(shape, *region, recipe.scale);
    if (!asked_for) return;
    const std::size_t count = *asked_for;
    if (bodies().size() + count > reading_.most_bodies) {
      Fault fault =
          about(section_, count_key(), "is too large: these bodies need more memory than this machine has");
      fault.allowed =
          fmt::format("<= {}", reading_.most_bodies - std::min(reading_.most_bodies, bodies().size()));
      reading_.faults.push_back(std::move(fault));
      return;
    }
    std::vector<Grain> grains;
    if (group_.form == "lattice") {
      auto places = settings_of<LatticeSettings>(section_);
      places.spacing =
          section_.has("spacing") ? section_.number("spacing") : safe_spacing(recipe, places.jitter);
      if (!keeps_apart(places.spacing, recipe)) return;
      places.count = count;
      if (count_key() != "count") {  // its places draw their sizes themselves
        places.count = reading_.most_bodies - bodies().size();
        places.cubes = cubes_of(shape, *region);
      }
      grains = lattice(recipe, *region, places, seed());
    } else if (group_.form == "dense") {
      std::optional<std::vector<Grain>> packed = dense(recipe, shape, *region, count);
      if (!packed) return;
      grains = std::move(*packed);
    } else {
      auto packing = settings_of<RandomPackingSettings>(section_);
      packing.count = count;
      WallProbe walls(model_, shape, material_, smallest(scale->law));
      packing.is_blocked = [&walls](const Grain& grain) { return walls.holds(grain); };
      grains = random_packing(recipe, *region, packing, obstacles(), seed(), model_.cell.at(0.0));
    }
    const bool by_sums = group_.form == "lattice" && count_key() != "count";
    if (by_sums ? !reaches(grains, recipe, cubes_of(shape, *region))
                : grains.size() < count && group_.form != "dense")
      cannot_fit(grains.size(), *region);
    const Twist motion = settings_of<Twist>(section_);
    const std::vector<Twist> random = random_motions(grains);
    for (std::size_t i = 0; i < grains.size(); ++i)
      add(scaled_shape(shape, grains[i].scale), grains[i].pose,
          {motion.linear + random[i].linear, motion.angular + random[i].angular});
  }

  /// Normally distributed velocities without total momentum.
  std::vector<Twist> random_motions(const std::vector<Grain>& grains) {
    std::vector<Twist> motions(grains.size());
    const auto [linear, angular] = settings_of<RandomMotion>(section_);
    if (linear == 0.0 && angular == 0.0) return motions;
    constexpr std::uint64_t of_motions =
        0x6d6f74696f6e73;  // a random stream different from that of the positions
    double whole = 0.0;
    Vec3 momentum = Vec3::Zero();
    for (std::size_t i = 0; i < grains.size(); ++i) {
      Random random(seed() ^ of_motions, i);
      for (int k = 0; k < 3; ++k) motions[i].linear[k] = linear * random.normal();
      for (int k = 0; k < 3; ++k) motions[i].angular[k] = angular * random.normal();
      const double mass = std::pow(grains[i].scale, 3);
      whole += mass;
      momentum += mass * motions[i].linear;
    }
    for (Twist& m : motions) m.linear -= momentum / whole;
    return motions;
  }

  /// The key that defines the number of bodies.
  std::string_view count_key() const {
    const auto* given = std::ranges::find_if(count_keys, [&](const char* key) { return section_.has(key); });
    return given == count_keys.end() ? count_keys.front() : *given;
  }

  /// kg, of a body of scale 1.
  double mass_of_one(const ShapeDescription& shape) {
    return model_.materials.density(material_) * volume(model_.shapes, index_of(shape));
  }

  /// Sum of the cubes of all scales that gives the total mass, or the solid fraction.
  double cubes_of(const ShapeDescription& shape, const Region& region) {
    return count_key() == total_mass
               ? section_.number(total_mass) / mass_of_one(shape)
               : section_.number(count_key()) * volume(region) / volume(model_.shapes, index_of(shape));
  }

  /// The given number of bodies, or that which comes nearest to the total mass or the solid fraction.
  /// Reports a fault and returns nothing if there is none.
  std::optional<std::size_t> count_of(const ShapeDescription& shape, const Region& region,
                                      const SizeDistribution& law) {
    const std::string_view key = count_key();
    if (!section_.has(key)) {
      reading_.faults.push_back(missing_key(section_, key));
      return std::nullopt;
    }
    for (const char* other : count_keys) {
      if (other == key || !section_.has(other)) continue;
      refuse(other, fmt::format("cannot be combined with {}", key).c_str());
      return std::nullopt;
    }
    if (key == "count") return static_cast<std::size_t>(section_.integer(key));
    const double cubes = cubes_of(shape, region);
    double sum = 0.0;  // in the order in which the sizes are drawn
    for (std::size_t count = 0; count <= reading_.most_bodies; ++count) {
      Random random(seed(), count);
      const double next = std::pow(sample(law, random), 3);
      if (sum + 0.5 * next > cubes) {
        if (count == 0) less_than_one(next * mass_of_one(shape));
        return count == 0 ? std::nullopt : std::optional(count);
      }
      sum += next;
    }
    return reading_.most_bodies + 1;
  }

  void less_than_one(double mass_kg) {
    Fault fault = about(section_, count_key(), "is less than half of one body");
    fault.suggestion = fmt::format("one body has {:.4g} kg", mass_kg);
    reading_.faults.push_back(std::move(fault));
  }

  /// Do the grains of a lattice come as near to this sum of cubes as they can?
  bool reaches(const std::vector<Grain>& grains, const GrainRecipe& recipe, double wanted) {
    double cubes = 0.5 * std::pow(largest(recipe.scale), 3);
    for (const Grain& grain : grains) cubes += std::pow(grain.scale, 3);
    return cubes >= wanted;
  }

  /// Random positions in a larger region, which is then compressed. Reports a fault and returns nothing if
  /// this fails.
  std::optional<std::vector<Grain>> dense(const GrainRecipe& recipe, const ShapeDescription& shape,
                                          const Region& region, std::size_t count) {
    const auto fail = [&](std::string_view key, const std::string& problem, const std::string& suggestion) {
      refuse(key, problem.c_str());
      reading_.faults.back().suggestion = suggestion;
      return std::nullopt;
    };
    if (std::holds_alternative<MeshRegion>(region))
      return fail("region", "must be a box or a cylinder for a dense packing", "write generate = \"random\"");
    // Sizes are drawn in the same way as for random packings, so that the total volume is known in advance.
    double whole = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      Random random(seed(), i);
      whole += std::pow(sample(recipe.scale, random), 3);
    }
    whole *= volume(model_.shapes, index_of(shape));
    const auto [fraction, factor] = looseness(region, whole);
    auto places = settings_of<RandomPackingSettings>(section_);
    places.count = count;
    const PeriodicCell& cell = model_.cell;
    PeriodicCell wide = cell;
    const Vec3 middle = 0.5 * (cell.low + cell.high);
    wide.low = middle + factor * (cell.low - middle);
    wide.high = middle + factor * (cell.high - middle);
    wide.flow.clear();
    std::vector<Grain> grains =
        random_packing(recipe, enlarged(region, cell, factor), places, {}, seed(), wide.at(0.0));
    if (grains.size() < count) {
      cannot_fit(grains.size(), region);
      return std::nullopt;
    }
    std::vector<ShapeIndex> shapes;
    std::vector<Pose> poses;
    for (const Grain& grain : grains) {
      shapes.push_back(index_of(scaled_shape(shape, grain.scale)));
      poses.push_back(grain.pose);
    }
    const double reached = compress(model_.shapes, shapes, region, cell, factor, poses);
    if (reached > 1.0)
      return fail(count_key(),
                  fmt::format("is too large: these bodies would fill {:.4g} of the region, but only {:.4g} "
                              "was reached without overlap",
                              fraction, fraction / std::pow(reached, 3)),
                  "reduce it, or enlarge the region");
    for (std::size_t i = 0; i < grains.size(); ++i) grains[i].pose = poses[i];
    leave_out_overlapping(recipe, shape, region, grains);
    return grains;
  }

  /// Removes grains of a dense packing which overlap walls or earlier bodies, with a warning.
  void leave_out_overlapping(const GrainRecipe& recipe, const ShapeDescription& shape, const Region& region,
                             std::vector<Grain>& grains) {
    WallProbe walls(model_, shape, material_, smallest(recipe.scale));
    const std::vector<Obstacle> others = obstacles();
    // Grains touch the region's border, up to rounding.
    const Packer room(enlarged(region, model_.cell, 1.1), others, model_.cell.at(0.0));
    const auto overlaps = [&](const Grain& grain) {
      const ShapeIndex scaled = index_of(scaled_shape(shape, grain.scale));
      return walls.holds(grain) ||
             (!others.empty() && !room.fits(obstacle_of(model_.shapes, scaled, grain.pose)));
    };
    const std::size_t left_out = std::erase_if(grains, overlaps);
    if (left_out == 0) return;
    Fault warning = about(section_, count_key(),
                          fmt::format("gives a packing of {} bodies, of which {} are left out, because they "
                                      "overlap a boundary or other bodies",
                                      grains.size() + left_out, left_out));
    if (grains.empty()) {
      warning.suggestion = "move the region away from the boundaries";
      reading_.faults.push_back(std::move(warning));
    } else {
      reading_.scene.warnings.push_back(std::move(warning));
    }
  }

  /// Reports a fault and returns false if neighbours overlap in every orientation.
  bool keeps_apart(double spacing, const GrainRecipe& recipe) {
    const double thickness = 2.0 * smallest(recipe.scale) * recipe.semi_axes.minCoeff();
    // Rounding errors of "= 2 * radius" are accepted.
    if (spacing >= thickness * (1.0 - 1e-12)) return true;
    Fault fault = fault_at(section_.given("spacing"), section_.path_of("spacing"),
                           "is less than the thickness of the smallest bodies");
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
    Fault fault = about(section_, count_key(),
                        fmt::format("is too large: only {} of the bodies fit into the region of {:.4g} m^3",
                                    fitted, volume(region)));
    fault.suggestion = group_.form == "lattice"
                           ? fmt::format("enlarge the region, or reduce {} or spacing", count_key())
                           : fmt::format(
                                 "enlarge the region, reduce {}, or increase attempts; random packings "
                                 "far from boundaries fill a fifth to a quarter of the volume, a "
                                 "lattice about half",
                                 count_key());
    if (const std::string plane = plane_before(region); fitted == 0 && !plane.empty())
      fault.suggestion = fmt::format(
          "the whole region is behind the plane '{}', whose normal must point to the free side", plane);
    reading_.faults.push_back(fault);
  }

  /// Name of a plane which has the whole region behind it; empty if there is none.
  std::string plane_before(const Region& region) const {
    const auto [middle, half] = bounding_box(region);
    for (const Boundary& boundary : model_.boundaries)
      if (const auto* plane = std::get_if<Plane>(&boundary.surface))
        if ((middle - plane->point).dot(plane->normal) + half.dot(plane->normal.cwiseAbs()) <= 0.0)
          return boundary.name;
    return "";
  }

  static constexpr const char* total_mass = "total_mass";
  static constexpr std::array count_keys{"count", "solid_fraction", total_mass};

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
  const std::vector<Section> sections = elements(top, "bodies");
  std::vector<GroupReader> groups;
  for (std::size_t k = 0; k < sections.size(); ++k) groups.emplace_back(sections[k], k, reading);
  std::vector<GroupReader*> order;
  for (GroupReader& group : groups) order.push_back(&group);
  std::ranges::stable_sort(order, {}, &GroupReader::order);
  for (GroupReader* group : order) group->make();
  const Bodies made = std::exchange(reading.scene.initial.bodies, {});
  for (GroupReader& group : groups) group.enter(made);
}

}  // namespace scree::io
