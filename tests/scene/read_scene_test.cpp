// The result of reading a valid scene.
#include "io/scene/read_scene.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <numbers>
#include <sstream>

#include "engine/core/parallel.h"
#include "engine/simulation/placement.h"
#include "engine/simulation/step.h"
#include "io/scene/settings_keys.h"

namespace scree::io {
namespace {

const std::string material = R"(
[[materials]]
name = "glass"
density = 2500
)";
const std::string sphere = R"(
[[bodies]]
radius = 0.1
position = [0, 0, 1]
)";

Scene read(const std::string& text) { return read_scene_text(text, "folder/small.toml"); }

/// The name of an enumerator, as printed by the compiler; a number if there is none with this value.
template <auto value>
std::string enumerator() {
  const std::string text = __PRETTY_FUNCTION__;  // "... [with auto value = scree::DragLaw::none; ...]"
  const std::size_t begin = text.find("value = ") + 8, end = text.find_first_of(";]", begin);
  const std::string name = text.substr(begin, end - begin);
  return name.substr(name.rfind(':') + 1);
}
template <class E>
std::vector<std::string> enumerators() {
  std::vector<std::string> names;
  [&]<int... k>(std::integer_sequence<int, k...>) { (names.push_back(enumerator<static_cast<E>(k)>()), ...); }
  (std::make_integer_sequence<int, 12>());
  std::erase_if(names, [](const std::string& name) { return name.find(')') != name.npos; });
  return names;
}

// take() finds an enumerator by the position of its word.
TEST(SettingsKeys, WordsMatchEnumeratorsInOrder) {
  int count = 0;
  const auto check = [&]<class T>(T settings) {
    for_each_key(settings, [&]<class M>(std::string_view section, std::string_view name, M&) {
      if constexpr (std::is_enum_v<M>) {
        std::vector<std::string> words = split_words(find_key(section, name)->words);
        for (std::string& word : words) std::ranges::replace(word, ' ', '_');
        std::vector<std::string> names = enumerators<M>();
        ASSERT_GE(names.size(), words.size());
        names.resize(words.size());  // enumerators without a word are at the end
        EXPECT_EQ(words, names) << section << '.' << name;
        ++count;
      }
    });
  };
  check(Scene{});
  check(Fluid{});
  check(LatticeSettings{});
  check(SizeDistribution{});
  check(SizeShares{});
  check(MachineJoint{});
  check(JointMotor{});
  EXPECT_EQ(count, 12);  // one more: add it above
}

/// Every member that a key sets, in the order of the keys.
template <class T>
std::vector<std::string> values(T settings) {
  std::vector<std::string> all;
  for_each_key(settings, [&]<class M>(std::string_view section, std::string_view key, M& member) {
    std::ostringstream text;
    text << section << '.' << key << " = ";
    if constexpr (std::is_enum_v<M>) {
      text << static_cast<int>(member);
    } else if constexpr (std::is_same_v<M, std::vector<std::string>>) {
      for (const std::string& item : member) text << item << ' ';
    } else {
      text << std::hexfloat << member;
    }
    all.push_back(text.str());
  });
  return all;
}

// A key that a scene omits has the default of the engine's structs; the reference has the same.
TEST(ReadScene, DefaultsAreThoseOfTheEngine) {
  const Scene scene = read(material + sphere);
  EXPECT_EQ(values(scene), values(Scene()));
  EXPECT_EQ(values(scene.model.materials.law(MaterialIndex(0), MaterialIndex(0))), values(PairLaw()));
  EXPECT_EQ(values(scene.model.materials.surface(MaterialIndex(0))), values(Surface()));
  EXPECT_EQ(scene.model.settings.sort_interval, 500);
  EXPECT_FALSE(scene.ledger_tolerance);
  EXPECT_EQ(scene.name, "small");
  EXPECT_EQ(default_of(*find_key("", "sort_interval")), "500");
  EXPECT_EQ(default_of(*find_key("solver", "kind")), "\"gauss_seidel\"");
  EXPECT_EQ(default_of(*find_key("checks", "max_initial_overlap")), "0.05");
}

// The default of a key comes from a struct, except for a few keys without a struct.
TEST(ReadScene, KeyTableHoldsNoDefaultsOfStructs) {
  for (const Key& key : keys()) {
    if (!key.fallback.empty()) {
      const bool of_shapes =
          key.section == "shapes" || key.section == "perturbations" || key.section == "members";
      EXPECT_TRUE(key.name == "seed" || key.name == "open" || key.name == "caps" || of_shapes)
          << key.section << '.' << key.name;
    }
  }
}

TEST(ReadScene, KeepsTheTextByteForByte) {
  const std::string text = "# a comment\r\n" + material + sphere;
  EXPECT_EQ(read(text).text, text);
}

TEST(ReadScene, TakesEverySetting) {
  const Scene scene = read(R"(
name = "all"
description = "every setting"
gravity = [1, 2, 3]
time_step = 0.01
substeps = 3
restitution_threshold = 0.2
end_time = 7
[solver]
kind = "nsgs"
max_sweeps = 11
tolerance = 0.1
warm_start = false
friction_samples = 8
correction_fraction = 0.3
correction_slop = 0.01
correction_speed = 2
correction_sweeps = 5
[sleep]
speed = 0.001
duration = 0.4
tolerance = 0.02
[output]
interval = 0.5
fields = ["kinetic_energy"]
hdf5 = false
vtk = false
contacts = false
significant_bits = 16
contacts_interval = 2
stage_table = true
)" + material + sphere);
  const Settings& settings = scene.model.settings;
  EXPECT_EQ(settings.gravity, Vec3(1.0, 2.0, 3.0));
  EXPECT_EQ(settings.time_step_s, 0.01);
  EXPECT_EQ(settings.substeps, 3);
  EXPECT_EQ(settings.restitution_threshold_m_s, 0.2);
  EXPECT_EQ(settings.solver.kind, SolverKind::nsgs);
  EXPECT_EQ(settings.solver.max_sweeps, 11);
  EXPECT_EQ(settings.solver.tolerance, 0.1);
  EXPECT_FALSE(settings.solver.warm_start);
  EXPECT_EQ(settings.solver.friction_samples, 8);
  EXPECT_EQ(settings.solver.correction_fraction, 0.3);
  EXPECT_EQ(settings.solver.correction_slop, 0.01);
  EXPECT_EQ(settings.solver.correction_speed_m_s, 2.0);
  EXPECT_EQ(settings.solver.correction_sweeps, 5);
  EXPECT_EQ(settings.sleep.speed_m_s, 0.001);
  EXPECT_EQ(settings.sleep.duration_s, 0.4);
  EXPECT_EQ(settings.sleep.tolerance, 0.02);
  EXPECT_EQ(scene.output.interval_s, 0.5);
  EXPECT_EQ(scene.output.fields, std::vector<std::string>{"kinetic_energy"});
  EXPECT_FALSE(scene.output.hdf5 || scene.output.vtk || scene.output.contacts);
  EXPECT_EQ(scene.output.contacts_interval_s, 2.0);
  EXPECT_EQ(scene.output.significant_bits, 16);
  EXPECT_TRUE(scene.output.stage_table);
  EXPECT_EQ(scene.name, "all");
  EXPECT_EQ(scene.description, "every setting");
  EXPECT_EQ(scene.end_time_s, 7.0);
}

TEST(ReadScene, StepsMayBeAdaptive) {
  const Settings equal = read(material + sphere).model.settings;
  EXPECT_FALSE(equal.adaptive_step);
  const Settings by_default = read("time_step = \"adaptive\"\n" + material + sphere).model.settings;
  EXPECT_TRUE(by_default.adaptive_step);
  EXPECT_EQ(by_default.time_step_s, Scene{}.largest_time_step_s);
  EXPECT_EQ(by_default.least_time_step_s, Settings{}.least_time_step_s);
  const Settings given = read(
                             "time_step = \"adaptive\"\nlargest_time_step = 0.02\nleast_time_step = 2e-5\n"
                             "time_step_overlap = 0.004\n" +
                             material + sphere)
                             .model.settings;
  EXPECT_EQ(given.time_step_s, 0.02);
  EXPECT_EQ(given.least_time_step_s, 2e-5);
  EXPECT_EQ(given.time_step_overlap, 0.004);
}

State at(double time_s) {
  State state;
  state.time_s = time_s;
  return state;
}

// The last part of a run has no short step behind the last frame, and no step for a rounding difference.
TEST(ReadScene, AdaptiveStepsLandOnFramesAndOnTheEnd) {
  Scene scene =
      read("time_step = \"adaptive\"\nend_time = 0.3\n[output]\ninterval = 0.1\n" + material + sphere);
  EXPECT_EQ(next_landing(run_plan(scene), at(0.0), 0.3), 0.1);
  EXPECT_EQ(next_landing(run_plan(scene), at(0.1), 0.3), 0.2);
  EXPECT_EQ(next_landing(run_plan(scene), at(0.1 * (1.0 - 1e-15)), 0.3), 0.2);
  EXPECT_EQ(next_landing(run_plan(scene), at(0.2), 0.3), 0.3);  // 3 * 0.1 is not 0.3
  EXPECT_EQ(next_landing(run_plan(scene), at(0.2), 0.25), 0.25);
  scene.initial.time_s = 0.07;
  EXPECT_DOUBLE_EQ(next_landing(run_plan(scene), at(0.1), 0.3), 0.17);
}

TEST(ReadScene, PairsWithoutALawCombineTheirMaterials) {
  const Scene scene = read(R"(
[[materials]]
name = "a"
density = 1
friction = 0.4
torsional_friction = 0.01
rolling_friction = 0.04
restitution = 0.3
[[materials]]
name = "b"
density = 2
friction = 0.9
torsional_friction = 0.04
rolling_friction = 0.01
restitution = 0.8
[[materials]]
name = "c"
density = 3
friction = 0.0
[[material_pairs]]
materials = ["c", "a"]
friction = 0.7
[[bodies]]
radius = 0.1
position = [0, 0, 0]
material = "b"
)");
  const Materials& materials = scene.model.materials;
  const MaterialIndex a(0), b(1), c(2);
  EXPECT_DOUBLE_EQ(materials.law(a, b).friction, 0.6);
  EXPECT_DOUBLE_EQ(materials.law(a, b).torsional_friction_m, 0.02);
  EXPECT_DOUBLE_EQ(materials.law(b, a).rolling_friction_m, 0.02);
  EXPECT_DOUBLE_EQ(materials.law(a, b).restitution, 0.3);
  EXPECT_DOUBLE_EQ(materials.law(b, c).friction, 0.0);
  EXPECT_DOUBLE_EQ(materials.law(a, c).friction, 0.7);
  EXPECT_DOUBLE_EQ(materials.law(a, c).restitution, 0.0);  // not given for the pair: mixed
  EXPECT_DOUBLE_EQ(materials.law(b, b).friction, 0.9);
  EXPECT_EQ(scene.initial.bodies.material[0], b);
}

TEST(ReadScene, PlacesASingleBody) {
  const Scene scene = read(material + R"(
[[bodies]]
semi_axes = [0.1, 0.2, 0.3]
position = [1, 2, 3]
orientation = [0.7071, 0, 0.7071, 0]
velocity = [4, 5, 6]
angular_velocity = [7, 8, 9]
)");
  const Bodies& bodies = scene.initial.bodies;
  ASSERT_EQ(bodies.size(), 1u);
  EXPECT_EQ(bodies.position[0], Vec3(1.0, 2.0, 3.0));
  EXPECT_NEAR(bodies.orientation[0].norm(), 1.0, 1e-15);  // normalised
  EXPECT_NEAR(bodies.orientation[0].y(), std::sqrt(0.5), 1e-15);
  EXPECT_EQ(bodies.linear_velocity[0], Vec3(4.0, 5.0, 6.0));
  EXPECT_EQ(bodies.angular_velocity[0], Vec3(7.0, 8.0, 9.0));
  EXPECT_NEAR(bodies.mass[0], 2500.0 * 4.0 / 3.0 * std::numbers::pi * 0.006, 1e-12);
}

TEST(ReadScene, BuildsBoundaries) {
  const Scene scene = read(material + sphere + R"(
[[boundaries]]
type = "plane"
normal = [0, 0, 2]
point = [0, 0, -1]
[[boundaries]]
name = "walls"
type = "box"
low = [-1, -2, -3]
high = [1, 2, 3]
open = ["+z", "-y"]
[[boundaries]]
type = "tube"
start = [0, 0, 0]
end = [0, 0, 2]
inner_radius = 0.5
thickness = 0.1
)");
  const Boundaries& boundaries = scene.model.boundaries;
  ASSERT_EQ(boundaries.size(), 6u);  // a plane, four walls, a tube
  EXPECT_EQ(boundaries[0].name, "plane0");
  EXPECT_EQ(std::get<Plane>(boundaries[0].surface).normal, Vec3::UnitZ());
  EXPECT_EQ(boundaries[1].name, "walls.-x");
  EXPECT_EQ(boundaries[4].name, "walls.-z");
  EXPECT_EQ(boundaries[5].name, "tube2");
  EXPECT_EQ(std::get<Tube>(boundaries[5].surface).inner_radius, 0.5);
}

TEST(ReadScene, BuildsSurfacesOfRevolution) {
  const Scene scene = read("[parameters]\na = 0.5\n" + material + sphere + R"(
[[boundaries]]
type = "disc"
centre = [0, -3, 0]
normal = [0, 2, 0]
radius = 2
[[boundaries]]
type = "cylinder"
start = [0, 0, 5]
end = [0, 0, 7]
radius = 1
caps = ["end"]
[[boundaries]]
type = "cone"
start = [0, 0, -3]
end = [0, 0, -2]
start_radius = 0
end_radius = 1
caps = ["start", "end"]
rounding = 0.1
[[boundaries]]
type = "sphere"
centre = [0, 0, 1]
radius = 3
inside = true
[[boundaries]]
type = "torus"
centre = [0, 0, -4]
axis = [1, 0, 0]
radius = 2
tube_radius = 0.2
[[boundaries]]
type = "revolved"
start = [0, 0, -8]
axis = [0, 0, -3]
profile = [["= a", 0], [1, 1], [1.5, 2], [2, 2]]
closed = true
)");
  const auto surface = [&](std::size_t k) -> const RevolvedSurface& {
    return *std::get<PlacedRevolved>(scene.model.boundaries[k].surface).surface;
  };
  const auto axis = [&](std::size_t k) {
    return Vec3(std::get<PlacedRevolved>(scene.model.boundaries[k].surface).pose.orientation * Vec3::UnitZ());
  };
  ASSERT_EQ(scene.model.boundaries.size(), 6u);
  EXPECT_EQ(surface(0).corners, (std::vector<Vec2>{{0, 0}, {2, 0}}));
  EXPECT_LT((axis(0) - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_EQ(surface(1).corners, (std::vector<Vec2>{{1, 0}, {1, 2}, {0, 2}}));
  EXPECT_EQ(surface(2).corners, (std::vector<Vec2>{{0, 0}, {1, 1}, {0, 1}}));  // a tip needs no cap
  EXPECT_EQ(surface(2).rounding, 0.1);
  EXPECT_TRUE(surface(3).hollow);
  EXPECT_EQ(surface(3).rounding, 3.0);
  EXPECT_EQ(surface(4).corners, (std::vector<Vec2>{{2, 0}}));
  EXPECT_EQ(surface(4).rounding, 0.2);
  // The line continues straight at the second corner.
  EXPECT_EQ(surface(5).corners, (std::vector<Vec2>{{0.5, 0}, {1.5, 2}, {2, 2}}));
  EXPECT_EQ(surface(5).segments.size(), 3u);
  EXPECT_LT((axis(5) + Vec3::UnitZ()).norm(), 1e-15);
}

TEST(ReadScene, OverlapUpToTheLimitIsAccepted) {
  const std::string pair =
      material + sphere + "[[bodies]]\nradius = 0.1\nposition = [0.19, 0, 1]\n";  // a tenth
  EXPECT_THROW(read(pair), InputError);
  EXPECT_NO_THROW(read("checks.max_initial_overlap = 0.101\n" + pair));
}

TEST(ReadScene, WarnsOfStepsThatAreLongForTheBodies) {
  const Scene scene = read("time_step = 0.1\n" + material + sphere + "velocity = [1, 0, 0]\n");
  ASSERT_EQ(scene.warnings.size(), 2u);  // the other: also long for gravity
  EXPECT_NE(to_string(scene.warnings[1]).find("folder/small.toml:7:1: bodies[0]: moves by"),
            std::string::npos)
      << to_string(scene.warnings[1]);
}

TEST(ReadScene, ReadsSurfaceFrictionAndRestitutionLaws) {
  const Scene scene = read(R"(
restitution_law = "energetic"
[checks]
ledger_tolerance = 1e-5
[solver]
friction_cone = "sampled"
position_correction = "biased"
biased_sweeps = 2
unbiased_sweeps = 3
[[materials]]
name = "bark"
density = 600
friction_factors = [1, 0.5, 0.25]
[[friction_patches]]
material = "bark"
centre = [0.1, 0, 0]
radius = 0.02
edge = 0.01
factor = 0.1
[[bodies]]
radius = 0.1
position = [0, 0, 1]
)");
  const Settings& settings = scene.model.settings;
  EXPECT_EQ(settings.restitution_law, RestitutionLaw::energetic);
  EXPECT_EQ(settings.solver.friction_cone, FrictionCone::sampled);
  EXPECT_EQ(settings.solver.position_correction, PositionCorrection::biased);
  EXPECT_EQ(settings.solver.biased_sweeps, 2);
  EXPECT_EQ(settings.solver.unbiased_sweeps, 3);
  EXPECT_EQ(scene.ledger_tolerance, 1e-5);
  const Surface& surface = scene.model.materials.surface(MaterialIndex(0));
  EXPECT_EQ(surface.direction_factors, Vec3(1.0, 0.5, 0.25));
  ASSERT_EQ(surface.patches.size(), 1u);
  EXPECT_EQ(surface.patches[0].centre, Vec3(0.1, 0.0, 0.0));
  EXPECT_EQ(surface.patches[0].radius_m, 0.02);
  EXPECT_EQ(surface.patches[0].edge_m, 0.01);
  EXPECT_EQ(surface.patches[0].factor, 0.1);
}

const std::string dumbbell = R"(
[[shapes]]
name = "dumbbell"
semi_axes = [1, 0.5, 0.5]
[[shapes.perturbations]]
type = "ellipsoid"
semi_axes = [0.55, 0, 0]
weight = -0.65
)";

TEST(ReadScene, ReadsImplicitShapesWithTheirSize) {
  const Scene scene = read(material + dumbbell + R"(
[[bodies]]
shape = "dumbbell"
size = 0.1
position = [0, 0, 1]
[[bodies]]
shape = "dumbbell"
size = 0.2
position = [0, 0, 2]
)");
  const Shapes& shapes = scene.model.shapes;
  ASSERT_EQ(shapes.functions().size(), 1u);
  EXPECT_EQ(shapes.functions()[0].name, "dumbbell");
  const Bodies& bodies = scene.initial.bodies;
  // The waist removes a part of the ellipsoid; size is one unit of length.
  const double volume = scree::volume(shapes, bodies.shape[0]), whole = 4.0 / 3.0 * M_PI * 0.25e-3;
  EXPECT_LT(volume, 0.9 * whole);
  EXPECT_GT(volume, 0.5 * whole);
  EXPECT_NEAR(bodies.mass[0], 2500.0 * volume, 1e-12);
  EXPECT_NEAR(bodies.mass[1], 8.0 * bodies.mass[0], 1e-9);
  EXPECT_NEAR(bodies.inertia[1][2], 32.0 * bodies.inertia[0][2], 1e-9);
}

// Shapes are made in parallel and entered in order, with the same bits on any number of threads.
TEST(ReadScene, ShapesBuiltInParallelKeepOrderAndBits) {
  std::string text = material;
  for (const auto& [name, waist] : {std::pair{"slim", 0.5}, {"plain", 0.0}, {"middle", 0.7}})
    text += fmt::format(
        "[[shapes]]\nname = \"{}\"\nsemi_axes = [1, 0.5, 0.5]\nperturbations = [{{ type = \"ellipsoid\", "
        "semi_axes = [{}, 0, 0], weight = {} }}]\n",
        name, 0.5 + 0.1 * waist, -waist);
  text += "[[bodies]]\nshape = \"middle\"\nsize = 0.1\nposition = [0, 0, 1]\n";
  std::vector<std::vector<double>> numbers;
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    const Scene scene = read(text);
    const std::vector<ShapeFunction>& made = scene.model.shapes.functions();
    ASSERT_EQ(made.size(), 3u);
    EXPECT_EQ(made[0].name, "slim");
    EXPECT_EQ(made[1].name, "plain");
    EXPECT_EQ(made[2].name, "middle");
    EXPECT_GT(made[1].shape->volume, made[0].shape->volume);
    EXPECT_GT(made[0].shape->volume, made[2].shape->volume);
    std::vector<double>& all = numbers.emplace_back();
    for (const ShapeFunction& f : made) {
      all.insert(all.end(), {f.shape->volume, f.shape->inertia_per_mass[0], f.shape->bounding_radius});
      all.insert(all.end(), f.shape->support_table.begin(), f.shape->support_table.end());
    }
    EXPECT_EQ(scene.initial.bodies.mass[0],
              2500.0 * volume(scene.model.shapes, scene.initial.bodies.shape[0]));
  }
  set_thread_count(0);
  EXPECT_EQ(numbers[0], numbers[1]);
}

TEST(ReadScene, ShapesMayBeClumps) {
  const Scene scene = read(material + R"(
[[shapes]]
name = "club"
members = [{ radius = 1 }, { semi_axes = [2, 0.5, 0.5], position = [2, 0, 0], orientation = [0, 0, 0, 1] }]
[[bodies]]
shape = "club"
size = 0.1
position = [0, 0, 1]
)");
  const Shapes& shapes = scene.model.shapes;
  ASSERT_EQ(shapes.clumps().size(), 1u);
  ASSERT_EQ(shapes.clumps()[0].given.size(), 2u);
  EXPECT_EQ(shapes.clumps()[0].given[0].ellipsoid.semi_axes, Vec3(1, 1, 1));
  EXPECT_EQ(shapes.clumps()[0].given[1].pose.position, Vec3(2, 0, 0));
  const ShapeIndex shape = scene.initial.bodies.shape[0];
  EXPECT_EQ(shapes.kind(shape), ShapeKind::clump);
  EXPECT_NEAR(scene.initial.bodies.mass[0], 2500e-3 * shapes.clumps()[0].shape->volume, 1e-12);
}

TEST(ReadScene, PartsCarryBoundariesAndBodies) {
  const Scene scene = read(material + R"(
[[parts]]
name = "rotor"
motion_waits = true
motion = [{ type = "rotation", axis = [0, 1, 0], point = [0, 0, 2], angular_speed = 3 }]
[[parts]]
name = "lid"
freedom = "along"
direction = [0, 0, -2]
mass = 4
motion = [{ type = "rotation", axis = [0, 0, 1], point = [1, 0, 0], angular_speed = 1 }]
[[boundaries]]
name = "drum"
type = "tube"
start = [0, -1, 2]
end = [0, 1, 2]
inner_radius = 1
thickness = 0.1
part = "rotor"
[[boundaries]]
name = "lifter"
type = "disc"
centre = [0, 0, 1.2]
radius = 0.1
part = "rotor"
[[boundaries]]
name = "box"
type = "box"
low = [-5, -5, -5]
high = [5, 5, 8]
open = ["+z"]
motion = [{ type = "translation", direction = [1, 0, 0], speed = 0.1 }]
[[boundaries]]
name = "plate"
type = "plane"
point = [0, 0, 7]
normal = [0, 0, -1]
part = "lid"
[[bodies]]
radius = 0.1
position = [0, 0.5, 1.2]
part = "rotor"
[[bodies]]
radius = 0.1
position = [0, -0.5, 2]
[[events]]
quantity = "torque_y_N_m"
part = "rotor"
rises_above = 1
stop = true
[[events]]
quantity = "time_s"
rises_above = 0.5
start_motion = "rotor"
)");
  const Model& model = scene.model;
  ASSERT_EQ(model.parts.size(), 3u);
  const Part &rotor = model.parts[0], &lid = model.parts[1], &box = model.parts[2];
  EXPECT_EQ(rotor.freedom, Freedom::none);
  EXPECT_TRUE(rotor.motion_waits);
  EXPECT_EQ(rotor.centre, Vec3(0, 0, 2));  // on the axis of its motion
  EXPECT_EQ(lid.freedom, Freedom::along);
  EXPECT_EQ(lid.axis, -Vec3::UnitZ());
  EXPECT_EQ(lid.centre, Vec3(1, 0, 0));
  EXPECT_EQ(lid.motion.stages.size(), 1u);
  EXPECT_EQ(box.name, "box");
  ASSERT_EQ(model.boundaries.size(), 8u);
  EXPECT_EQ(model.boundaries[0].part, 0);
  EXPECT_EQ(model.boundaries[1].part, 0);
  EXPECT_EQ(model.boundaries[1].centre, rotor.centre);
  for (std::size_t k = 2; k < 7; ++k) EXPECT_EQ(model.boundaries[k].part, 2) << k;  // a box is one part
  EXPECT_EQ(model.boundaries[7].part, 1);
  EXPECT_EQ(scene.initial.bodies.part, (std::vector<std::int32_t>{0, -1}));
  EXPECT_FALSE(start_of(rotor).clock.runs);
  ASSERT_EQ(scene.events.size(), 2u);
  EXPECT_EQ(scene.events[1].actions.start_motion, std::vector<std::size_t>{0});
}

TEST(ReadScene, ReadsFixedAndKinematicBodies) {
  const Scene scene = read(material + R"(
[[bodies]]
radius = 0.1
position = [0, 0, 1]
[[bodies]]
name = "floor"
fixed = true
radius = 0.1
position = [1, 0, 1]
[[bodies]]
radius = 0.1
position = [3, 0, 1]
[[bodies.motion]]
type = "rotation"
axis = [0, 0, 2]
point = [3, 1, 0]
angular_speed = 2
[[bodies]]
radius = 0.1
position = [4, 0, 1]
[[events]]
quantity = "force_N"
part = "floor"
rises_above = 1
release_bodies = "bodies2"
)");
  const Model& model = scene.model;
  ASSERT_EQ(model.parts.size(), 2u);
  EXPECT_EQ(model.parts[0].name, "floor");
  EXPECT_TRUE(model.parts[0].motion.is_none());
  EXPECT_EQ(model.parts[0].centre, Vec3(1, 0, 1));
  EXPECT_EQ(model.parts[1].name, "bodies2");
  EXPECT_EQ(model.parts[1].centre, Vec3(3, 1, 0));
  EXPECT_EQ(scene.initial.bodies.part, (std::vector<std::int32_t>{-1, 0, 1, -1}));
  EXPECT_EQ(scene.initial.bodies.rest[2].position, Vec3(3, 0, 1));
  ASSERT_EQ(scene.events.size(), 1u);
  EXPECT_EQ(scene.events[0].actions.release_bodies, std::vector<std::size_t>{1});
}

TEST(ReadScene, ReadsBondsBetweenBodies) {
  const Scene scene = read(R"(
end_time = 1
materials = [{ name = "a", density = 1000 }, { name = "b", density = 1000 }]
bodies = [{ radius = 0.1, position = [0, 0, 1], material = "a" }]
[[bonds]]
materials = ["b"]
youngs_modulus = 1e9
damping = 0.1
tensile_strength = 1e6
breaking_moment = 2
time = 0.5
[[bonds]]
name = "late"
waits = true
reach = 0.2
[[events]]
quantity = "bonds"
falls_below = 1
form_bonds = "late"
)");
  ASSERT_EQ(scene.model.bonds.size(), 2u);
  const BondLaw &first = scene.model.bonds[0], &late = scene.model.bonds[1];
  EXPECT_EQ(first.name, "bonds0");
  EXPECT_EQ(first.glues, (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(first.youngs_modulus, 1e9);
  EXPECT_EQ(first.damping, 0.1);
  EXPECT_EQ(first.tensile_strength, 1e6);
  EXPECT_EQ(first.shear_strength, infinity);
  EXPECT_EQ(first.breaking_moment, 2.0);
  EXPECT_EQ(first.time_s, 0.5);
  EXPECT_TRUE(late.is_rigid());
  EXPECT_TRUE(late.is_unbreakable());
  EXPECT_TRUE(late.glues.empty());
  EXPECT_EQ(late.time_s, infinity);
  EXPECT_EQ(late.reach, 0.2);
  ASSERT_EQ(scene.events.size(), 1u);
  EXPECT_EQ(scene.events[0].actions.form_bonds, std::vector<std::size_t>{1});
}

TEST(ReadScene, EventsStartInletsAndChangeMaterials) {
  const Scene scene = read(R"(
end_time = 1
[[materials]]
name = "dry"
density = 1000
[[materials]]
name = "wet"
density = 1000
friction = 0.1
[[inlets]]
name = "feed"
waits = true
radius = 0.01
material = "dry"
number_rate = 10
region = { type = "box", low = [0, 0, 1], high = [1, 1, 2] }
[[outlets]]
name = "drain"
type = "half_space"
point = [0, 0, 0]
normal = [0, 0, -1]
[[events]]
quantity = "time_s"
rises_above = 0.1
start_inlet = "feed"
[[events]]
quantity = "mass_kg"
opening = "drain"
rises_above = 0.2
stop_inlet = "feed"
change_material = ["dry", "wet"]
)");
  ASSERT_EQ(scene.events.size(), 2u);
  EXPECT_EQ(scene.events[0].actions.start_inlet, std::vector<std::size_t>{0});
  const Actions& second = scene.events[1].actions;
  EXPECT_EQ(second.stop_inlet, std::vector<std::size_t>{0});
  ASSERT_TRUE(second.change_material);
  EXPECT_EQ(second.change_material->first.value, 0);
  EXPECT_EQ(second.change_material->second.value, 1);
  ASSERT_EQ(scene.initial.overrides.inlets.size(), 1u);
  EXPECT_FALSE(scene.initial.overrides.inlets[0].runs);
  State state = scene.initial;
  state.left = {{3, 0.25, 0}, {}};
  const StepResult start = start_result(scene.model, state);
  EXPECT_EQ(scene.events[1].condition.value({scene.model, state, start}), 0.25);
}

// Bodies given by functions meet round walls as meshes: here a function that is an ellipsoid, in a cylinder
// with a floor and in the same shape from a tube and a plane.
// A drum made of a cylinder and its cap holds a body as a pipe on a plane does; an elliptic cylinder becomes
// a mesh.
TEST(ReadScene, ImplicitBodiesMeetRoundWallsExactly) {
  const auto settled = [](const std::string& walls) {
    const Scene scene = read(material + R"(
[[shapes]]
name = "egg"
semi_axes = [1.0, 0.8, 0.7]
[[bodies]]
shape = "egg"
size = 0.1
position = [0.05, 0.03, 0.12]
)" + walls);
    State state = scene.initial;
    Workspace workspace;
    StepResult result;
    while (state.time_s < 0.5) step(scene.model, state, workspace, result);
    EXPECT_LT(result.report.penetration_max, 1e-2);
    EXPECT_EQ(std::holds_alternative<PlacedMesh>(scene.model.boundaries[0].surface),
              walls.find("elliptic_cylinder") != std::string::npos);
    return state.bodies.position[0];
  };
  const Vec3 drum = settled(R"(
[[boundaries]]
type = "cylinder"
start = [0, 0, 0]
end = [0, 0, 1]
radius = 0.2
caps = ["start"]
)"),
             pipe = settled(R"(
[[boundaries]]
type = "tube"
start = [0, 0, -0.5]
end = [0, 0, 1]
inner_radius = 0.2
thickness = 0.02
[[boundaries]]
type = "plane"
)"),
             meshed = settled(R"(
[[boundaries]]
type = "elliptic_cylinder"
start = [0, 0, -0.5]
end = [0, 0, 1]
half_width = 0.2
half_height = 0.2
thickness = 0.02
up = [0, 1, 0]
[[boundaries]]
type = "plane"
)");
  EXPECT_LT((drum - pipe).norm(), 1e-4) << drum.transpose() << " | " << pipe.transpose();
  EXPECT_LT((meshed - pipe).norm(), 2e-3) << meshed.transpose() << " | " << pipe.transpose();
}

TEST(ReadScene, ReadsPrescribedStressOfCells) {
  const Scene scene = read(material + R"(
[[bodies]]
radius = 0.1
position = [0, 0, 1]
[cell]
low = [0, 0, 0]
high = [1, 1, 1]
stress_y = 100
stress_z = 200
inertia = 0.5
)");
  const PeriodicCell& cell = scene.model.cell;
  EXPECT_FALSE(cell.held[0]);
  ASSERT_TRUE(cell.held[1] && cell.held[2]);
  EXPECT_EQ(cell.held[1]->stress, 100.0);
  EXPECT_EQ(cell.held[2]->stress, 200.0);
  EXPECT_EQ(cell.held[2]->inertia, 0.5);
  EXPECT_EQ(cell.held[2]->largest_rate, infinity);
  EXPECT_TRUE(cell.flows());
}

// mu of a bulk: the plane of the shear, where gravity does not say what is up.
TEST(ReadScene, ABulkHasTheAxesOfItsShear) {
  const std::string cell = material + R"(
[[bodies]]
radius = 0.1
position = [0, 0, 0.5]
[cell]
low = [0, 0, 0]
high = [1, 1, 1]
[[cell.flow]]
gradient_x = [-1, 0, 0]
stop = 0.1
[[cell.flow]]
gradient_z = [0, 5, 0]
start = 0.1
[[measurements]]
name = "flow"
measure = "bulk"
)";
  const MeasurementPlan of_shear = read("gravity = [0, 0, 0]\n" + cell).measurements.at(0);
  EXPECT_EQ(of_shear.along, Vec3::UnitZ());
  EXPECT_EQ(of_shear.up, Vec3::UnitY());
  EXPECT_EQ(read("gravity = [0, 0, 0]\n" + cell + "up = [1, 0, 0]\n").measurements.at(0).up, Vec3::UnitX());
}

// Two sizes in a box: the requested amount, without overlap and inside the box (the reader checks this).
TEST(ReadScene, PackingsMayBeDense) {
  const Scene scene = read(material + R"(
[checks]
max_initial_overlap = 1e-9
[[boundaries]]
type = "box"
low = [0, 0, 0]
high = [1, 1, 1]
[[bodies]]
generate = "dense"
solid_fraction = 0.5
radius = 0.06
scale = { distribution = "uniform", low = 0.8, high = 1.2 }
region = { type = "box", low = [0, 0, 0], high = [1, 1, 1] }
)");
  double filled = 0.0;
  for (const double mass : scene.initial.bodies.mass)
    filled += mass / scene.model.materials.density(MaterialIndex(0));
  EXPECT_NEAR(filled, 0.5, 0.02);
}

// A rod through the box: grains which overlap it are left out, and the reader finds no overlap (to 1e-9). The
// second packing above leaves out those that overlap the lattice in it.
TEST(ReadScene, DensePackingsAvoidWallsAndOtherBodies) {
  const Scene scene = read(material + R"(
[checks]
max_initial_overlap = 1e-9
[[boundaries]]
type = "cylinder"
start = [0.5, 0.5, -1]
end = [0.5, 0.5, 3]
radius = 0.15
[[bodies]]
generate = "dense"
solid_fraction = 0.5
radius = 0.06
region = { type = "box", low = [0, 0, 0], high = [1, 1, 1] }
[[bodies]]
generate = "dense"
solid_fraction = 0.5
radius = 0.06
region = { type = "box", low = [0, 0, 1], high = [1, 1, 2] }
[[bodies]]
radius = 0.2
position = [0.2, 0.2, 1.5]
)");
  ASSERT_EQ(scene.warnings.size(), 2u);
  for (const Fault& warning : scene.warnings)
    EXPECT_NE(warning.problem.find("are left out"), std::string::npos) << warning.problem;
  // The free volume of both boxes holds about the requested share: 0.5 of 2 m^3, less the rod, the large
  // sphere and a layer of one radius around them.
  const double grain = 4.0 / 3.0 * std::numbers::pi * std::pow(0.06, 3);
  const auto grains = static_cast<double>(scene.initial.bodies.size() - 1);
  const double rod = std::numbers::pi * 0.15 * 0.15 * 2.0, ball = 4.0 / 3.0 * std::numbers::pi * 0.008;
  EXPECT_LT(grains * grain, 0.5 * (2.0 - rod - ball));
  EXPECT_GT(grains * grain, 0.3 * (2.0 - rod - ball));
}

TEST(ReadScene, AccuracySetsDefaultsThatKeysOverride) {
  const std::string body = material + R"(
[[bodies]]
radius = 0.1
position = [0, 0, 1]
)";
  const Settings plain = read("time_step = \"adaptive\"\n" + body).model.settings;
  const auto level = [&](const char* name, const char* more) {
    return read(fmt::format("time_step = \"adaptive\"\naccuracy = \"{}\"\n{}", name, more) + body)
        .model.settings;
  };
  EXPECT_EQ(level("standard", "").solver.tolerance, plain.solver.tolerance);
  EXPECT_EQ(level("draft", "").solver.tolerance, 0.01);
  EXPECT_EQ(level("draft", "").time_step_overlap, 0.004);
  EXPECT_DOUBLE_EQ(level("reference", "").solver.tolerance, 1e-4);
  EXPECT_DOUBLE_EQ(level("reference", "").time_step_overlap, 2.5e-4);
  EXPECT_EQ(level("reference", "").solver.max_sweeps, 10'000);
  const Settings mixed = level("draft", "solver.tolerance = 0.003\n");
  EXPECT_EQ(mixed.solver.tolerance, 0.003);
  EXPECT_EQ(mixed.time_step_overlap, 0.004);
}

TEST(ReadScene, ReadsCohesionOfMaterials) {
  const Scene scene = read(R"(
end_time = 1
bodies = [{ radius = 0.1, position = [0, 0, 1], material = "a" }]
[[materials]]
name = "a"
density = 1000
surface_tension = 0.04
wetting_angle = 30
bridge_volume = 1e-9
[[materials]]
name = "b"
density = 1000
surface_tension = 0.09
wetting_angle = 60
bridge_volume = 4e-9
[[materials]]
name = "dry"
density = 1000
[[material_pairs]]
materials = ["a", "dry"]
adhesion_energy = 0.2
)");
  const Materials& materials = scene.model.materials;
  const MaterialIndex a(0), b(1), dry(2);
  EXPECT_NEAR(materials.law(a, a).cohesion.wetting_angle, M_PI / 6.0, 1e-15);
  EXPECT_NEAR(materials.law(a, b).cohesion.surface_tension, 0.06, 1e-15);
  EXPECT_NEAR(materials.law(b, a).cohesion.wetting_angle, M_PI / 4.0, 1e-15);
  EXPECT_NEAR(materials.law(a, b).cohesion.bridge_volume, 2e-9, 1e-22);
  EXPECT_EQ(materials.law(b, dry).cohesion.surface_tension, 0.0);
  EXPECT_EQ(materials.law(dry, a).cohesion.adhesion_energy, 0.2);
  EXPECT_FALSE(materials.law(b, dry).cohesion.acts());
  EXPECT_NEAR(materials.farthest_bridge(), (1.0 + M_PI / 6.0) * std::cbrt(4e-9), 1e-12);
}

std::string faults_of(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ReadScene, ShapeErrorsNameTheirKey) {
  const std::string body = "[[bodies]]\nshape = \"dumbell\"\nsize = 0.1\nposition = [0, 0, 1]\n";
  const std::string near_miss = faults_of(material + dumbbell + body);
  EXPECT_NE(near_miss.find("bodies[0].shape: is not the name of a shape"), std::string::npos) << near_miss;
  EXPECT_NE(near_miss.find("dumbbell"), std::string::npos) << near_miss;
  // A cylinder without ends.
  const std::string endless =
      faults_of(material + "[[shapes]]\nname = \"rod\"\nsemi_axes = [1, 1, 0]\n" + sphere);
  EXPECT_NE(endless.find("shapes[0]"), std::string::npos) << endless;
  // A shape's file without a shape.
  const std::filesystem::path empty = std::filesystem::path(testing::TempDir()) / "scree_empty_shape.toml";
  std::ofstream(empty).close();
  const std::string nothing =
      faults_of(material + "[[shapes]]\nname = \"rod\"\nfile = \"" + empty.string() + "\"\n" + sphere);
  EXPECT_NE(nothing.find("shape.semi_axes: is missing"), std::string::npos) << nothing;
  const std::string both =
      faults_of(material + dumbbell + "[[bodies]]\nshape = \"dumbbell\"\nradius = 1\nposition = [0, 0, 1]\n");
  EXPECT_NE(both.find("cannot be combined with shape"), std::string::npos) << both;
  EXPECT_NE(both.find("bodies[0].size: is missing"), std::string::npos) << both;
}

/// 150 bodies at random in a box about the origin, with these walls.
Scene random_bodies(const std::string& grain, const std::string& walls, const std::string& shapes = "") {
  return read_scene_text(material + shapes + R"(
[[bodies]]
generate = "random"
count = 150
seed = 3
region = { type = "box", low = [-0.5, -0.5, -0.5], high = [0.5, 0.5, 0.5] }
)" + grain + walls,
                         std::filesystem::path(SCREE_SOURCE_DIR) / "tests" / "scene" / "none.toml");
}

const std::string crossing_walls = R"(
[[boundaries]]
type = "plane"
point = [0, 0, -0.3]
[[boundaries]]
type = "cylinder"
start = [0.2, 0.2, -1]
end = [0.2, 0.2, 1]
radius = 0.1
[[boundaries]]
type = "tube"
start = [-0.3, -0.3, -1]
end = [-0.3, -0.3, 1]
inner_radius = 0.1
thickness = 0.05
[[boundaries]]
type = "mesh"
file = "../../scenes/moving_walls/gate.stl"
position = [0, -0.1, 0]
)";
const std::string bean = R"(
[[shapes]]
name = "grain"
semi_axes = [1.0, 0.6, 0.5]
[[shapes.perturbations]]
type = "ellipsoid"
semi_axes = [0.9, 0.45, 0]
centre = [0, 0.75, 0]
weight = -0.8
)";
const std::string jack = R"(
[[shapes]]
name = "grain"
members = [{ semi_axes = [1, 0.3, 0.3] }, { semi_axes = [0.3, 1, 0.3] }]
)";

TEST(ReadScene, RandomBodiesDoNotOverlapWalls) {
  for (const auto& [grain, shapes] :
       {std::pair<std::string, std::string>("semi_axes = [0.04, 0.03, 0.02]\n", ""),
        {"shape = \"grain\"\nsize = 0.04\n", bean},
        {"shape = \"grain\"\nsize = 0.04\nscale = { distribution = \"uniform\", low = 0.7, high = 1 }\n",
         jack}}) {
    const Scene scene = random_bodies(grain, crossing_walls, shapes);  // no errors: no overlap above 5 %
    EXPECT_EQ(scene.initial.bodies.size(), 150u);
    // Surfaces of revolution are meshed to a thousandth of the size, but the size is unknown while bodies are
    // placed.
    for (const Misplaced& m : misplaced_bodies(scene.model, scene.initial.bodies, 2e-3))
      EXPECT_FALSE(m.by_boundary) << scene.model.boundaries[m.other].name << ' ' << m.relative;
  }
}

TEST(ReadScene, DistantWallsDoNotChangeRandomBodies) {
  const std::string grain = "semi_axes = [0.04, 0.03, 0.02]\n";
  const Scene none = random_bodies(grain, ""),
              far = random_bodies(grain, "[[boundaries]]\ntype = \"plane\"\npoint = [0, 0, -0.5]\n");
  for (std::size_t i = 0; i < 150; ++i) {
    EXPECT_EQ(none.initial.bodies.position[i], far.initial.bodies.position[i]);
    EXPECT_EQ(none.initial.bodies.orientation[i].coeffs(), far.initial.bodies.orientation[i].coeffs());
  }
}

Quat orientation_of(const std::string& text) {
  return read_scene_text(
             "[[materials]]\nname = \"m\"\ndensity = 1\n[[bodies]]\nradius = 0.1\nposition = [0, 0, 0]\n"
             "orientation = " +
                 text + "\n",
             "s.toml")
      .initial.bodies.orientation[0];
}

void expect_same(const Quat& a, const Mat3& b) { EXPECT_LT((a.toRotationMatrix() - b).norm(), 1e-14); }

TEST(Orientations, AreGivenInDegrees) {
  const auto about = [](int axis, double degrees) {
    return Eigen::AngleAxisd(degrees * std::numbers::pi / 180.0, Vec3::Unit(axis)).toRotationMatrix();
  };
  expect_same(orientation_of("{axis = [0, 3, 0], angle = 30}"), about(1, 30));
  // Capitals: about the body's axes, one after the other; small letters: about the world's.
  expect_same(orientation_of("{euler = [10, 20, 30]}"), about(0, 10) * about(1, 20) * about(2, 30));
  expect_same(orientation_of("{euler = [10, 20, 30], order = \"ZXZ\"}"),
              about(2, 10) * about(0, 20) * about(2, 30));
  expect_same(orientation_of("{euler = [10, 20, 30], order = \"xyz\"}"),
              about(2, 30) * about(1, 20) * about(0, 10));
  for (const char* wrong :
       {"{axis = [0, 0, 1]}", "{angle = 30}", "{}", "{axis = [0, 0, 0], angle = 1}",
        "{euler = [1, 2, 3], order = \"XXZ\"}", "{euler = [1, 2, 3], order = \"XyZ\"}",
        "{axis = [0, 0, 1], angle = 1, euler = [1, 2, 3]}", "{axis = [0, 0, 1], angle = 1, order = \"XYZ\"}"})
    EXPECT_THROW(orientation_of(wrong), InputError) << wrong;
}

// 3 kg of lead to 1 kg of glass, in balls of masses m_l and m_g: numbers are as 3/m_l to 1/m_g.
TEST(Inlets, MixturesHaveSharesByMassOrNumber) {
  const auto inlet = [](const std::string& by) {
    return read_scene_text(R"(
[[materials]]
name = "glass"
density = 2500
[[materials]]
name = "lead"
density = 11000
[[inlets]]
number_rate = 10
region = {type = "box", low = [0, 0, 0], high = [1, 1, 1]}
)" + by + R"(
[[inlets.grains]]
share = 1
material = "glass"
radius = 0.01
[[inlets.grains]]
share = 3
material = "lead"
radius = 0.02
scale = {distribution = "uniform", low = 0.5, high = 1.5}
)",
                           "s.toml");
  };
  const Scene by_number = inlet("shares_by = \"number\"");
  const std::vector<InletGrain>& grains = by_number.model.inlets[0].grains;
  EXPECT_NEAR(grains.front().until, 0.25, 1e-15);
  EXPECT_EQ(grains.back().until, 1.0);
  EXPECT_EQ(grains.size(), 201u);
  const Scene by_mass = inlet("");
  double mass_of_glass = 0.0, mass = 0.0, before = 0.0;
  for (const InletGrain& grain : by_mass.model.inlets[0].grains) {
    const double m = (grain.until - before) * volume(by_mass.model.shapes, grain.shape) *
                     by_mass.model.materials.density(grain.material);
    before = grain.until;
    mass += m;
    if (grain.material == MaterialIndex(0)) mass_of_glass += m;
  }
  EXPECT_NEAR(mass_of_glass / mass, 0.25, 1e-12);
}

TEST(Materials, RollingFrictionIsALengthOrARatio) {
  const auto scene = [](const std::string& first, const std::string& second, const std::string& pair = "") {
    return read_scene_text("[[materials]]\nname = \"a\"\ndensity = 1\n" + first +
                               "\n[[materials]]\nname = \"b\"\ndensity = 1\n" + second + "\n" + pair +
                               "\n[[bodies]]\nradius = 0.1\nmaterial = \"a\"\nposition = [0, 0, 0]\n",
                           "s.toml");
  };
  const Scene both = scene("rolling_friction_ratio = 0.04", "rolling_friction_ratio = 0.09");
  EXPECT_NEAR(both.model.materials.law(MaterialIndex(0), MaterialIndex(1)).rolling_friction_ratio, 0.06,
              1e-15);
  EXPECT_THROW(scene("rolling_friction_ratio = 0.04", "rolling_friction = 0.001"), InputError);
  EXPECT_THROW(scene("rolling_friction_ratio = 0.04\nrolling_friction = 0.001", ""), InputError);
  const Scene settled = scene("rolling_friction_ratio = 0.04", "rolling_friction = 0.001",
                              "[[material_pairs]]\nmaterials = [\"a\", \"b\"]\nrolling_friction = 0.002\n");
  const PairLaw& law = settled.model.materials.law(MaterialIndex(0), MaterialIndex(1));
  EXPECT_EQ(law.rolling_friction_m, 0.002);
  EXPECT_EQ(law.rolling_friction_ratio, 0.0);
}

TEST(Shapes, ClumpsComeFromFilesOfSpheres) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "scree_clump_file";
  std::filesystem::create_directories(folder);
  const auto read = [&](const std::string& text) {
    std::ofstream(folder / "c.txt") << text;
    return read_scene_text(
        "[[materials]]\nname = \"m\"\ndensity = 1\n[[shapes]]\nname = \"c\"\nfile = \"c.txt\"\n"
        "[[bodies]]\nshape = \"c\"\nsize = 1\nposition = [0, 0, 0]\n",
        folder / "s.toml");
  };
  const Scene scene = read("# LIGGGHTS\n0 0 0 0.1\n\n 0.1\t0 0 0.05\n");
  EXPECT_EQ(scene.model.shapes.clumps().size(), 1u);
  EXPECT_EQ(read("x,y,z,r\n0,0,0,0.1\n0.1,0,0,0.05\n").model.shapes.clumps().size(), 1u);
  EXPECT_THROW(read("0 0 0\n"), InputError);
  EXPECT_THROW(read("0 0 0 -1\n"), InputError);
  EXPECT_THROW(read("# nothing\n"), InputError);
  std::filesystem::remove_all(folder);
}

TEST(Measurements, PairCorrelationNeedsAVolume) {
  const std::string scene =
      "[[measurements]]\nmeasure = \"pair_correlation\"\n[[materials]]\nname = \"m\"\ndensity = 1\n"
      "[[bodies]]\nradius = 0.1\nposition = [0.5, 0.5, 0.5]\n";
  const std::string cell = "[cell]\nlow = [0, 0, 0]\nhigh = [1, 1, 1]\n";
  EXPECT_THROW(read_scene_text(scene, "s.toml"), InputError);
  EXPECT_EQ(read_scene_text(scene + cell, "s.toml").measurements.size(), 1u);
}

}  // namespace
}  // namespace scree::io
