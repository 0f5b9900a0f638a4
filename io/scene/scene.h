// A scene file, read: everything a run needs.
#pragma once

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/errors.h"
#include "engine/measurements/measurement.h"
#include "engine/run/run.h"

namespace scree::io {

/// When and what a run writes.
struct OutputSettings {
  double interval_s = 0.02;          // simulated time between frames
  std::vector<std::string> fields;   // body fields beyond pose and velocity that every frame holds
  bool hdf5 = true;                  // trajectory.h5
  bool vtk = true;                   // VTK series for ParaView
  int significant_bits = 24;         // of the numbers in frames; 24 is single precision
  bool contacts = true;              // frames hold the contacts too
  double contacts_interval_s = 0.0;  // simulated time between frames with contacts; 0: every frame
  bool impacts = false;              // impacts.csv, of piecewise steps
  double wall_cells_m = 0.0;  // longest edge of the cells that loads of walls are summed up in; 0: none
  double wall_cells_interval_s = 0.0;  // between moments at which those are recorded; 0: with every frame
  bool stage_table = false;            // print the times of the stages over the run at its end
};

/// When a run writes a checkpoint, beside the one at its end; whichever comes first. 0: never for this
/// reason.
struct CheckpointSettings {
  double wall_time_s = 600.0;  // since the last one
  double interval_s = 0.0;     // simulated time
  int steps = 0;
  int keep = 2;  // the newest; 0: there are none at all
};

/// A body that another run leaves to a scene.
struct CarriedBody {
  BodyId id = 0;
  std::int32_t material = 0;  // of the names that are carried along
  ShapeKind kind = ShapeKind::ellipsoid;
  std::int32_t function = -1;  // or clump, likewise; -1: its shape is none
  Eigen::Matrix<double, 5, 1> numbers = Eigen::Matrix<double, 5, 1>::Zero();  // of its ShapeDescription
  Vec3 position = Vec3::Zero(), velocity = Vec3::Zero(), angular_velocity = Vec3::Zero();
  Quat orientation = Quat::Identity();
};
struct CarriedBodies {
  std::vector<std::string> materials, functions;
  std::vector<CarriedBody> list;
  BodyId next_id = 0;
};

/// A file that a scene names.
struct InputFile {
  std::filesystem::path path;
  std::uint32_t crc32 = 0;  // of its bytes when it was read
};
/// What ends a run; end_time does in any case.
enum class RunEnd { end_time, at_rest };

struct Scene {
  std::filesystem::path file;
  std::string text;                                            // the file, byte for byte
  std::vector<std::pair<std::string, std::string>> overrides;  // of the command line, as given
  std::string name;  // the file's stem unless the scene says otherwise
  std::string description;
  double end_time_s = 1.0;
  RunEnd until = RunEnd::end_time;
  double rest_speed_m_s = 0.0;        // whose surface is not faster is at rest
  double rest_duration_s = 0.1;       // for which all have to be, for the run to end
  double largest_time_step_s = 0.01;  // what the model's time_step_s becomes if steps are adaptive
  Vec3 origin = Vec3::Zero();         // m, of the coordinates in frames and of all that is made from them
  OutputSettings output;
  CheckpointSettings checkpoints;
  std::optional<double> ledger_tolerance;  // a larger unexplained part of the energy turned over ends a run
  Model model;
  State initial;
  std::vector<Event> events;
  std::vector<MeasurementPlan> measurements;
  CarriedBodies carried;          // what it begins with beside its own bodies
  std::vector<InputFile> inputs;  // that it was made of, beside its own
  std::vector<Fault> warnings;    // what does not keep the scene from running but is probably not meant
};

/// The most steps and frames that a run may have: of more, a time in double precision does not tell one from
/// the next.
inline constexpr double most_steps = 9e15;
/// The shortest step that is not cut short by a landing, s.
inline double least_step(const Scene& scene) {
  const Settings& settings = scene.model.settings;
  return settings.adaptive_step ? settings.least_time_step_s : settings.time_step_s;
}

// Steps end near, or, if they are adaptive, at the times of frames and of the end.

/// Do steps end exactly at the times of frames and of the end?
inline bool steps_land(const Settings& settings) {
  return settings.adaptive_step || settings.stepping == Stepping::piecewise;
}

/// How far from a moment the step ends that is meant for it, at most, s: half a step, for the times of steps
/// of one length are sums of rounded numbers; nothing but rounding if they are adaptive.
inline double time_slack(const Scene& scene) {
  const Settings& settings = scene.model.settings;
  return steps_land(settings) ? 1e-6 * scene.output.interval_s : 0.5 * settings.time_step_s;
}

/// What a run of it does beside its steps.
inline RunPlan run_plan(const Scene& scene) {
  return {scene.initial.time_s, scene.output.interval_s, time_slack(scene), scene.events};
}

}  // namespace scree::io
