// A scene file, read: everything a run needs.
#pragma once

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/errors.h"
#include "engine/simulation/model.h"

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
  bool stage_table = false;          // print the times of the stages over the run at its end
};

struct Scene {
  std::filesystem::path file;
  std::string text;                                            // the file, byte for byte
  std::vector<std::pair<std::string, std::string>> overrides;  // of the command line, as given
  std::string name;  // the file's stem unless the scene says otherwise
  std::string description;
  double end_time_s = 1.0;
  double largest_time_step_s = 0.01;  // what the model's time_step_s becomes if steps are adaptive
  OutputSettings output;
  std::optional<double> ledger_tolerance;  // a larger unexplained part of the energy turned over ends a run
  Model model;
  State initial;
  std::vector<Fault> warnings;  // what does not keep the scene from running but is probably not meant
};

// Steps end near, or, if they are adaptive, at the times of frames and of the end.

/// How far from a moment the step ends that is meant for it, at most, s: half a step, for the times of steps
/// of one length are sums of rounded numbers; nothing but rounding if they are adaptive.
inline double time_slack(const Scene& scene) {
  const Settings& settings = scene.model.settings;
  return settings.adaptive_step ? 1e-6 * scene.output.interval_s : 0.5 * settings.time_step_s;
}

/// When the next frame is due, or `end_s` if that comes first, s.
inline double next_landing(const Scene& scene, double time_s, double end_s) {
  const double start = scene.initial.time_s, interval = scene.output.interval_s, slack = time_slack(scene);
  const double frame = start + interval * (std::floor((time_s + slack - start) / interval) + 1.0);
  return frame < end_s - slack ? frame : end_s;
}

}  // namespace scree::io
