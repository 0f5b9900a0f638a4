// Continues a run from its checkpoint.
#pragma once

#include "io/results/checkpoint.h"

namespace scree::io {

/// A continued run.
struct Resumed {
  CheckpointHead head;
  Scene scene;
  State state;
  Archive archive;                    // other state of the run, under "run"
  std::vector<std::string> warnings;  // checkpoints that could not be read; another program
};

/// From the newest complete checkpoint of a run. The scene is the recorded text with the recorded
/// files. Throws ReadError if there is none, if it has another version, or if a file of the
/// scene, or the resulting scene, has changed; InputError if the scene has faults now.
Resumed resume(const std::filesystem::path& folder);

/// The scene's file of a run, from its newest checkpoint; empty if there is none.
std::filesystem::path scene_file_of(const std::filesystem::path& folder);

/// Checks that a state which was read belongs to this model, and computes its derived data.
/// Throws ReadError.
void complete(const Model& model, State& state);

}  // namespace scree::io
