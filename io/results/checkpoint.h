// Checkpoints: all that a run needs to go on as if it had never stopped.
#pragma once

#include <functional>

#include "io/files/archive.h"
#include "io/results/run_folder.h"
#include "io/scene/scene.h"

namespace scree::io {

inline const ArchiveKind checkpoint_kind{"scree checkpoint", 14};

/// What a checkpoint says first.
struct CheckpointHead {
  std::string scree_version, commit, compiler;
  bool finished = false;          // the run came to its end here
  std::int64_t initial_hash = 0;  // of the state that the scene begins with
};

// The lists of what a checkpoint holds, for writing and for reading.
void visit(Archive& io, CheckpointHead& head);
void visit(Archive& io, Scene& scene);  // what the scene can be made of again
void visit(Archive& io, State& state);  // bit for bit, but for what follows from the rest

/// Of the bodies that a scene begins with.
std::int64_t initial_hash(const Scene& scene);

/// The number in "step_000000123.h5"; -1 for other names.
std::int64_t step_of(const std::filesystem::path& checkpoint);
/// The checkpoints of a run, newest first.
std::vector<std::filesystem::path> checkpoints(const RunFolder& folder);

/// Writes one; `memory` adds what else the run has to remember. Then those beyond scene.checkpoints.keep go.
/// Throws WriteError: those that were there are there still.
void write_checkpoint(const RunFolder& folder, const Scene& scene, const State& state, bool finished,
                      const std::function<void(Archive&)>& memory);

}  // namespace scree::io
