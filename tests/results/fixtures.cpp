#include "tests/results/fixtures.h"

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <stdlib.h>

#include "engine/core/random.h"
#include "engine/simulation/observables.h"
#include "io/results/run_recorder.h"

namespace scree::test {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "scree_test_XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

io::Scene example_scene(int bodies) {
  io::Scene scene;
  scene.file = "example.toml";
  scene.text = "# an example\nname = \"example\"  # gr\xc3\xbc\xc3\x9f\x65\n";
  scene.overrides = {{"time_step", "1e-3"}};
  scene.name = "example";
  scene.description = "made up";
  scene.end_time_s = 0.05;
  scene.output.interval_s = 0.01;
  Model& model = scene.model;
  model.settings.time_step_s = 1e-3;
  const MaterialIndex stone = model.materials.add("stone", 2500.0),
                      steel = model.materials.add("steel", 7800.0);
  model.materials.set_law(stone, steel, {0.3, 1e-4, 2e-4, 0.1});
  model.boundaries = box_walls("box", steel, {-1.0, -1.0, 0.0}, {1.0, 1.0, 2.0}, {"+z"});
  model.boundaries.push_back({"tube", steel, Tube{{0.0, 0.0, 2.0}, {0.0, 0.0, 3.0}, 0.5, 0.1}});
  Random random(7);
  const ShapeIndex shape = model.shapes.add(Ellipsoid{{0.03, 0.02, 0.01}});
  for (int i = 0; i < bodies; ++i) {
    const Pose pose{{random.uniform(-0.9, 0.9), random.uniform(-0.9, 0.9), random.uniform(0.1, 1.9)},
                    random.rotation()};
    add_body(scene.initial.bodies, model.shapes, model.materials,
             {shape, stone, pose, {random.direction(), 10.0 * random.direction()}});
  }
  return scene;
}

ExampleStep example_step(const io::Scene& scene, std::int64_t number) {
  ExampleStep example{scene.initial, {}};
  State& state = example.state;
  state.step = number;
  state.time_s = static_cast<double>(number) * scene.model.settings.time_step_s;
  Bodies& bodies = state.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    bodies.position[i] += state.time_s * bodies.linear_velocity[i];
  const auto n = static_cast<std::int32_t>(bodies.size());
  std::vector<Contact>& contacts = state.contacts.list;
  for (std::int32_t a = 0; a < n; ++a) {
    const ContactKey key{a, a == 0 ? boundary_partner(0) : std::min(a + 1, n - 1), 0};
    if (key.a == key.b) continue;
    // The contact's point is the centre of a.
    contacts.push_back({.key = key,
                        .normal = Vec3::UnitZ(),
                        .arm_a = Vec3::Zero(),
                        .arm_b = Vec3::Zero(),
                        .gap = -1e-4 * a,
                        .gap_acceleration = 0.0f,
                        .length = 0.01f});
    if (a % 2 == 0) contacts.back().impulse = Vec3f(0.1f, 0.2f, 0.3f + static_cast<float>(a));
    contacts.back().lasting = 0.5f;
  }
  state.contacts.index(bodies.size());
  example.result = start_result(scene.model, state);
  StepReport& report = example.result.report;
  report.step = number;
  report.time_s = state.time_s;
  report.bodies = n;
  report.contacts = static_cast<std::int64_t>(contacts.size());
  report.energy.kinetic = kinetic_energy(bodies);
  report.energy.potential = potential_energy(bodies, scene.model.settings.gravity);
  report.energy.dissipated_by_friction = 0.5;
  report.energy_injected_J = 0.25;
  report.residual_rms_relative = 1e-3;
  report.penetration_max = 0.02 / static_cast<double>(number);
  report.penetration_mean = 0.01 / static_cast<double>(number);
  report.momentum_error_relative = 1e-16 * static_cast<double>(number);
  report.time = {0.001, 0.002, 0.003, 0.004};
  return example;
}

std::vector<BodyId> present(std::int64_t step) {
  if (step < 10) return {7, 3, 12};
  if (step < 20) return {12, 20, 7};
  if (step < 30) return {};
  return {41, 3, 20, 12};
}

Vec3 place_of(BodyId id, std::int64_t step) {
  return {0.1 * static_cast<double>(id), 1e-3 * static_cast<double>(step), 0.5};
}
double length_of(BodyId id) { return 0.01 + 1e-3 * static_cast<double>(id); }

namespace {

/// A State with these bodies; each touches the next one by slot, and the last one a boundary.
ExampleStep step_of(Model& model, std::int64_t number) {
  ExampleStep result;
  State& state = result.state;
  state.step = number;
  state.time_s = static_cast<double>(number) * model.settings.time_step_s;
  const std::vector<BodyId> ids = present(number);
  const auto n = static_cast<std::int32_t>(ids.size());
  for (const BodyId id : ids) {
    const double a = length_of(id);
    add_body(state.bodies, model.shapes, model.materials,
             {model.shapes.add(Ellipsoid{{a, a, 0.5 * a}}),
              MaterialIndex(id % 2),
              {place_of(id, number), Quat::Identity()},
              {Vec3::UnitX(), Vec3::Zero()}});
    state.bodies.id.back() = id;
  }
  for (std::int32_t a = 0; a < n; ++a)
    state.contacts.list.push_back({.key = {a, a + 1 < n ? a + 1 : boundary_partner(0), 0},
                                   .normal = Vec3::UnitZ(),
                                   .arm_a = Vec3::Zero(),
                                   .arm_b = Vec3::Zero(),
                                   .gap = -1e-4,
                                   .gap_acceleration = 0.0f,
                                   .length = 0.01f,
                                   .impulse = Vec3f::UnitZ()});
  result.result = start_result(model, state);
  result.result.report.step = number;
  result.result.report.time_s = state.time_s;
  return result;
}

}  // namespace

void record_coming_and_going(const std::filesystem::path& folder) {
  io::Scene scene = example_scene(0);
  scene.initial = step_of(scene.model, 0).state;
  ExampleStep step;
  io::RunRecorder recorder(scene, {folder, false});
  for (int k = 1; k <= 40; ++k) {
    step = step_of(scene.model, k);
    recorder.after_step(step.result, step.state);
  }
  recorder.finish(io::RunStatus::finished, step.state);
}

void record_row_in_a_cell(const std::filesystem::path& folder) {
  io::Scene scene;
  scene.name = "row";
  Model& model = scene.model;
  const MaterialIndex grain = model.materials.add("grain", 2500.0);
  model.materials.set_law(grain, grain, {});
  model.settings.time_step_s = 1e-3;
  model.settings.gravity.setZero();
  model.cell.periodic = {true, true, true};
  model.cell.high = Vec3::Constant(0.03);
  model.cell.held[1] = HeldStress{1000.0};
  const ShapeIndex ball = model.shapes.add(Ellipsoid{Vec3::Constant(0.005)});
  for (int i = 0; i < 3; ++i)
    add_body(scene.initial.bodies, model.shapes, model.materials,
             {ball,
              grain,
              {Vec3(0.005, 0.005 + 0.01 * i, 0.001), Quat::Identity()},
              {Vec3(0.2, 0, 0), Vec3::Zero()}});
  scene.output.interval_s = 0.1;
  scene.output.vtk = false;
  scene.end_time_s = 0.2;
  scene.checkpoints.keep = 0;
  io::RunRecorder recorder(scene, {folder, false});
  State state = scene.initial;
  Workspace workspace;
  StepResult result;
  for (int k = 0; k < 200; ++k) {
    step(model, state, workspace, result);
    recorder.after_step(result, state);
  }
  recorder.finish(io::RunStatus::finished, state);
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace scree::test
