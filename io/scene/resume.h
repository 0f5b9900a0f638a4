// Going on with a run from its checkpoint.
#pragma once

#include "io/results/checkpoint.h"

namespace scree::io {

/// A run that goes on.
struct Resumed {
  CheckpointHead head;
  Scene scene;
  State state;
  Archive archive;                    // what else the run has to remember is under "run"
  std::vector<std::string> warnings;  // checkpoints that could not be read; another program
};

/// From the newest checkpoint of a run that is whole. The scene is the recorded text, with the files that it
/// names as they were. Throws ReadError if there is none, if it is of another version, or if a file that the
/// scene names, or the scene that comes of it, has changed; InputError where the scene has faults now.
Resumed resume(const std::filesystem::path& folder);

/// Fills what follows from the rest in a state that was read, after it has looked whether it is one of this
/// model. Throws ReadError.
void complete(const Model& model, State& state);

}  // namespace scree::io
