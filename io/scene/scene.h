// A scene: all data of a run, from a scene file.
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

/// Output settings of a run.
struct OutputSettings {
  double interval_s = 0.02;            // simulated time between frames
  std::vector<std::string> fields;     // body fields beyond pose and velocity in each frame
  bool hdf5 = true;                    // trajectory.h5
  bool vtk = true;                     // VTK series for ParaView
  int significant_bits = 24;           // of the numbers in frames; 24 is single precision
  bool contacts = true;                // frames hold the contacts too
  double contacts_interval_s = 0.0;    // simulated time between frames with contacts; 0: every frame
  bool impacts = false;                // impacts.csv, of piecewise steps
  double wall_cells_m = 0.0;           // longest edge of wall cells, for which loads are summed up; 0: none
  double wall_cells_interval_s = 0.0;  // between records of wall cells; 0: with each frame
  bool stage_table = false;            // print the times of the stages over the run at its end
};

/// When a run writes a checkpoint, in addition to the one at its end; whichever limit is reached first. 0: no
/// limit.
struct CheckpointSettings {
  double wall_time_s = 600.0;  // since the last one
  double interval_s = 0.0;     // simulated time
  int steps = 0;
  int keep = 2;  // number of newest ones that are kept; 0: no checkpoints
};

/// A body from another run, for the initial state of a scene.
struct CarriedBody {
  BodyId id = 0;
  std::int32_t material = 0;  // index in the names of CarriedBodies
  ShapeKind kind = ShapeKind::ellipsoid;
  std::int32_t function = -1;                                                 // or clump, likewise; -1: none
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
/// The condition that ends a run; end_time always does.
enum class RunEnd { end_time, at_rest };
/// Defaults of the solver's tolerance and sweeps, and of the overlap of adaptive steps.
enum class Accuracy { draft, standard, reference };

struct Scene {
  std::filesystem::path file;
  std::string text;                                            // the file, byte for byte
  std::vector<std::pair<std::string, std::string>> overrides;  // of the command line, as given
  std::string name;                                            // the file's stem unless the scene has a name
  std::string description;
  Accuracy accuracy = Accuracy::standard;
  double end_time_s = 1.0;
  RunEnd until = RunEnd::end_time;
  double rest_speed_m_s = 0.0;        // bodies whose surface is not faster are at rest
  double rest_duration_s = 0.1;       // time for which all bodies must be at rest before the run ends
  double largest_time_step_s = 0.01;  // value of the model's time_step_s if steps are adaptive
  Vec3 origin = Vec3::Zero();         // m, of the coordinates in frames and of all data made from them
  OutputSettings output;
  CheckpointSettings checkpoints;
  std::optional<double> ledger_tolerance;  // unexplained energy over energy turned over at which the run ends
  Model model;
  State initial;
  std::vector<Event> events;
  std::vector<MeasurementPlan> measurements;
  CarriedBodies carried;          // bodies of another run, in addition to its own
  std::vector<InputFile> inputs;  // files from which it was made, except its own
  std::vector<Fault> warnings;    // settings that do not prevent a run but are probably not intended
};

/// Upper limit of steps and frames of a run: beyond it a time in double precision cannot distinguish
/// them.
inline constexpr double most_steps = 9e15;
/// The shortest step that is not shortened to end at a given time, s.
inline double least_step(const Scene& scene) {
  const Settings& settings = scene.model.settings;
  return settings.adaptive_step ? settings.least_time_step_s : settings.time_step_s;
}

// Steps end near the times of frames and of the end, or, if they are adaptive, at these times.

/// Do steps end exactly at the times of frames and of the end?
inline bool steps_land(const Settings& settings) {
  return settings.adaptive_step || settings.stepping == Stepping::piecewise;
}

/// Largest difference between the end of a step and the moment for which it is meant, s: half a step, since
/// the times of steps of constant length are sums of rounded numbers; only rounding if they are adaptive.
inline double time_slack(const Scene& scene) {
  const Settings& settings = scene.model.settings;
  return steps_land(settings) ? 1e-6 * scene.output.interval_s : 0.5 * settings.time_step_s;
}

/// The run plan of a scene.
inline RunPlan run_plan(const Scene& scene) {
  return {scene.initial.time_s, scene.output.interval_s, time_slack(scene), scene.events};
}

}  // namespace scree::io
