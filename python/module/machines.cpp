// Changes of a run's machines by the user during the run.
#include <algorithm>
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "engine/simulation/overrides.h"
#include "python/module/run.h"

namespace scree::python {

namespace {

double finite(const char* what, double value) {
  if (!std::isfinite(value)) throw py::value_error(fmt::format("{}: must be finite (value {})", what, value));
  return value;
}

const char* kind_of(const JointMotor& motor) {
  switch (motor.kind) {
    case JointMotor::Kind::none:
      return "none";
    case JointMotor::Kind::speed:
      return "speed";
    case JointMotor::Kind::position:
      return "position";
    case JointMotor::Kind::force:
      return "force";
  }
  return "none";
}

void set_motor(SteppedRun& run, std::size_t joint, double value) {
  JointMotor& motor = run.model_to_change().joints.at(joint).motor;
  if (motor.kind == JointMotor::Kind::none)
    throw py::value_error(fmt::format("joint '{}' has no motor", run.scene().model.joints[joint].name));
  motor.value = finite("motor", value);
}

void set_force(SteppedRun& run, std::size_t part, double value) {
  Part& p = run.model_to_change().parts.at(part);
  if (!p.has_axis())
    throw py::value_error(
        fmt::format("part '{}' has no axis that forces move it along or about (its key: freedom)", p.name));
  p.force = finite("force", value);
}

/// A part that forces move has one velocity for all of its boundaries, and a free one adds it to its own.
void set_belt(SteppedRun& run, std::size_t boundary, const std::vector<double>& velocity) {
  Model& model = run.model_to_change();
  Boundary& belt = model.boundaries.at(boundary);
  const bool driven = belt.part >= 0 && model.parts[static_cast<std::size_t>(belt.part)].is_driven();
  if (driven && (model.parts[static_cast<std::size_t>(belt.part)].is_free() ||
                 std::ranges::count(model.boundaries, belt.part, &Boundary::part) > 1))
    throw py::value_error(fmt::format(
        "surface_velocity: boundary '{}' is on a part which forces move; of these, only a part with "
        "freedom \"along\" or \"about\" and a single boundary can have one",
        belt.name));
  belt.surface_velocity = Vec3(velocity[0], velocity[1], velocity[2]);
}

/// The only stage of a part's motion; the user may set its speed.
MotionStage& settable_stage(Part& part) {
  const std::vector<MotionStage>& stages = part.motion.stages;
  const bool one = stages.size() == 1 && stages[0].law.amplitude == 0.0 && !stages[0].law.function &&
                   stages[0].law.values.size() <= 1;
  if (!one)
    throw py::value_error(
        fmt::format("part '{}': only of one motion with nothing but a speed may that be set", part.name));
  return part.motion.stages[0];
}

std::size_t with_motion(const SteppedRun& run, std::size_t part) {
  const Part& p = run.scene().model.parts.at(part);
  if (p.motion.is_none())
    throw py::value_error(fmt::format("part '{}' has no motion (its key: motion)", p.name));
  return part;
}

/// The motion continues from the current position with this speed.
void set_speed(SteppedRun& run, std::size_t part, double speed) {
  Part& p = run.model_to_change().parts.at(part);
  MotionStage& stage = settable_stage(p);
  const PartState now = state_of(run.scene().model.parts, run.state().parts, part);
  const double reading = now.clock.at(run.state().time_s);
  const double travelled = stage.law.at(reading);
  TimeLaw& law = stage.law;
  law.rate = finite("speed", speed);
  law.start = std::isfinite(reading) ? std::max(reading, 0.0) : 0.0;
  law.stop = infinity;
  law.times = {0.0};
  law.values = {travelled};
}

bool motion_runs(const SteppedRun& run, std::size_t part) {
  return state_of(run.scene().model.parts, run.state().parts, part).clock.runs;
}

py::array pose_now(const SteppedRun& run, std::size_t boundary) {
  const Model& model = run.scene().model;
  const Boundary& b = model.boundaries.at(boundary);
  const Pose pose = motion_of(pose_of(b, model.parts, run.state().parts), run.state().time_s);
  const Eigen::Vector4d q = in_words_order(pose.orientation);
  const Vec3 centre = pose.orientation * b.centre + pose.position;
  Eigen::Matrix<double, 7, 1> all;
  all << centre, q;
  return column<double>(7, [&](std::size_t k) { return all[static_cast<Eigen::Index>(k)]; });
}

}  // namespace

void add_machines(py::class_<SteppedRun, std::shared_ptr<SteppedRun>>& run) {
  run.def("_motor",
          [](const SteppedRun& r, std::size_t k) { return r.scene().model.joints.at(k).motor.value; })
      .def("_motor_kind",
           [](const SteppedRun& r, std::size_t k) { return kind_of(r.scene().model.joints.at(k).motor); })
      .def("_set_motor", &set_motor)
      .def("_force", [](const SteppedRun& r, std::size_t k) { return r.scene().model.parts.at(k).force; })
      .def("_set_force", &set_force)
      .def("_speed",
           [](const SteppedRun& r, std::size_t k) {
             Part part = r.scene().model.parts.at(k);
             return settable_stage(part).law.rate;
           })
      .def("_set_speed", &set_speed)
      .def("_motion_runs", &motion_runs)
      .def("_start_motion",
           [](SteppedRun& r, std::size_t k) {
             start_motion(r.scene().model, with_motion(r, k), r.to_change());
           })
      .def("_stop_motion",
           [](SteppedRun& r, std::size_t k) {
             stop_motion(r.scene().model, with_motion(r, k), r.to_change());
           })
      .def("_release", [](SteppedRun& r, std::size_t k) { release_part(r.scene().model, k, r.to_change()); })
      .def("_lock", [](SteppedRun& r, std::size_t k) { lock_part(r.scene().model, k, r.to_change()); })
      .def("_start_inlet",
           [](SteppedRun& r, std::size_t k) { start_inlet(r.scene().model, k, r.to_change()); })
      .def("_stop_inlet", [](SteppedRun& r, std::size_t k) { stop_inlet(r.scene().model, k, r.to_change()); })
      .def("_inlets", [](const SteppedRun& r) { return r.scene().model.inlets.size(); })
      .def("_remove_boundary",
           [](SteppedRun& r, std::size_t k) { remove_boundary(r.scene().model, k, r.to_change()); })
      .def("_boundary_part",
           [](const SteppedRun& r, std::size_t k) { return r.scene().model.boundaries.at(k).part; })
      .def("_boundary_pose", &pose_now)
      .def("_surface_velocity",
           [](const SteppedRun& r, std::size_t k) {
             const Vec3 v = r.scene().model.boundaries.at(k).surface_velocity;
             return column<double>(3, [&](std::size_t c) { return v[static_cast<Eigen::Index>(c)]; });
           })
      .def("_set_surface_velocity",
           [](SteppedRun& r, std::size_t k, const py::object& value) {
             const std::vector<double> v = numbers_for("surface_velocity", value, 1, 3);
             if (v.empty()) throw py::type_error("surface_velocity: must be three numbers");
             set_belt(r, k, v);
           })
      .def("_set_gravity", [](SteppedRun& r, const py::object& value) {
        const std::vector<double> g = numbers_for("gravity", value, 1, 3);
        if (g.empty()) throw py::type_error("gravity: must be three numbers");
        set_gravity(Vec3(g[0], g[1], g[2]), r.to_change());
      });
}

}  // namespace scree::python
