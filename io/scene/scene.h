// A scene file, read: everything a run needs.
#pragma once

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
  OutputSettings output;
  std::optional<double> ledger_tolerance;  // a larger unexplained part of the energy turned over ends a run
  Model model;
  State initial;
  std::vector<Fault> warnings;  // what does not keep the scene from running but is probably not meant
};

}  // namespace scree::io
