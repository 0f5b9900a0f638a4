#include "io/scene/carried_bodies.h"

#include <algorithm>
#include <fmt/format.h>

#include "io/files/file_errors.h"
#include "io/results/run_folder.h"
#include "io/results/trajectory_reader.h"
#include "io/scene/faults.h"
#include "io/scene/grain_keys.h"
#include "io/scene/reading.h"
#include "io/scene/resume.h"

namespace scree::io {

namespace {

CarriedBodies carried(const Model& model, const Bodies& bodies, BodyId next_id) {
  CarriedBodies c;
  c.next_id = next_id;
  for (std::size_t m = 0; m < model.materials.size(); ++m)
    c.materials.push_back(model.materials.name(MaterialIndex(static_cast<std::int64_t>(m))));
  for (const ShapeFunction& f : model.shapes.functions()) c.functions.push_back(f.name);
  for (const ShapeClump& f : model.shapes.clumps()) c.functions.push_back(f.name);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const ShapeDescription shape = description(model.shapes, bodies.shape[i]);
    CarriedBody b;
    b.id = bodies.id[i];
    b.material = bodies.material[i].value;
    b.kind = shape.kind;
    if (shape.kind != ShapeKind::ellipsoid) b.function = static_cast<std::int32_t>(shape.numbers[3]);
    if (shape.kind == ShapeKind::clump)
      b.function += static_cast<std::int32_t>(model.shapes.functions().size());
    for (std::size_t k = 0; k < shape.numbers.size(); ++k)
      b.numbers[static_cast<Eigen::Index>(k)] = shape.numbers[k];
    b.position = bodies.position[i];
    b.orientation = bodies.orientation[i];
    b.velocity = bodies.linear_velocity[i];
    b.angular_velocity = bodies.angular_velocity[i];
    c.list.push_back(b);
  }
  std::ranges::sort(c.list, {}, &CarriedBody::id);
  return c;
}

Fault fault_of(const std::string& problem, const std::string& value, const std::string& suggestion) {
  Fault fault;
  fault.where.file = "--restart-from";
  fault.problem = problem;
  fault.value = value;
  fault.suggestion = suggestion;
  return fault;
}

/// The index of each of these names in the scene; a fault for each name that is used but missing.
template <class NameOf>
std::vector<std::int32_t> places(const std::vector<std::string>& names, std::size_t count, NameOf&& name_of,
                                 const std::vector<bool>& used, const std::string& what, Reading& reading) {
  std::vector<std::int32_t> found(names.size(), -1);
  for (std::size_t k = 0; k < names.size(); ++k) {
    for (std::size_t m = 0; m < count; ++m)
      if (name_of(m) == names[k]) found[k] = static_cast<std::int32_t>(m);
    if (found[k] < 0 && used[k])
      reading.faults.push_back(
          fault_of(fmt::format("has bodies of a {} which this scene does not have", what), names[k],
                   fmt::format("copy the [[{}s]] of that name from the other scene", what)));
  }
  return found;
}

}  // namespace

CarriedBodies carried_bodies(const std::filesystem::path& folder, std::optional<double> time_s) {
  if (!time_s) {
    const Resumed run = resume(folder);
    return carried(run.scene.model, run.state.bodies, run.state.bodies.next_id);
  }
  const TrajectoryReader reader(RunFolder{folder}.trajectory());
  if (reader.frames() == 0) throw ReadError(fmt::format("{} has no frame", folder.string()));
  const RecordedRun& run = reader.run();
  BodyId next_id = 0;
  for (const BodyId id : run.bodies.id) next_id = std::max(next_id, id + 1);
  Bodies bodies = reader.bodies(reader.nearest_frame(*time_s));
  for (Vec3& x : bodies.position) x += run.origin;
  return carried(run.model, bodies, next_id);
}

void add_carried_bodies(Reading& reading) {
  Scene& scene = reading.scene;
  const CarriedBodies& c = scene.carried;
  if (c.list.empty()) return;
  Model& model = scene.model;
  std::vector<bool> material_used(c.materials.size()), function_used(c.functions.size());
  for (const CarriedBody& b : c.list) {
    material_used.at(b.material) = true;
    if (b.function >= 0) function_used.at(b.function) = true;
  }
  const std::size_t before = reading.faults.size();
  const std::vector<std::int32_t> material = places(
      c.materials, model.materials.size(),
      [&](std::size_t m) { return model.materials.name(MaterialIndex(static_cast<std::int64_t>(m))); },
      material_used, "material", reading);
  const std::size_t functions = model.shapes.functions().size();
  const std::vector<std::int32_t> function = places(
      c.functions, functions + model.shapes.clumps().size(),
      [&](std::size_t f) {
        return f < functions ? model.shapes.functions()[f].name : model.shapes.clumps()[f - functions].name;
      },
      function_used, "shape", reading);
  if (reading.faults.size() > before) return;

  // Bodies of the other run keep their numbers; those of the scene get new ones.
  Bodies& bodies = scene.initial.bodies;
  for (BodyId& id : bodies.id) id += c.next_id;
  const BodyId next_id = bodies.next_id + c.next_id;
  BodyGroup group;
  group.begin = bodies.size();
  group.path = "--restart-from";
  group.where.file = scene.file.string();
  group.form = "restart";
  for (const CarriedBody& b : c.list) {
    ShapeDescription shape{b.kind, {}};
    for (std::size_t k = 0; k < shape.numbers.size(); ++k)
      shape.numbers[k] = b.numbers[static_cast<Eigen::Index>(k)];
    if (b.function >= 0) {  // the scene determines the kind
      const auto found = static_cast<std::size_t>(function[b.function]);
      shape.kind = found < functions ? ShapeKind::implicit : ShapeKind::clump;
      shape.numbers[3] = static_cast<double>(found < functions ? found : found - functions);
    }
    if (const std::string problem = problem_beside_functions(shape, reading); !problem.empty()) {
      reading.faults.push_back(fault_of(problem, fmt::format("body {}", b.id), ""));
      return;
    }
    const BodyIndex slot = add_body(bodies, model.shapes, model.materials,
                                    {model.shapes.add(shape),
                                     MaterialIndex(material[b.material]),
                                     {b.position, b.orientation},
                                     {b.velocity, b.angular_velocity}});
    bodies.id[slot] = b.id;
  }
  bodies.next_id = next_id;
  group.end = bodies.size();
  reading.groups.push_back(group);
}

}  // namespace scree::io
