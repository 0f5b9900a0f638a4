// Checkpoints: all data with which a run continues as if it had not stopped.
#pragma once

#include <functional>

#include "io/files/archive.h"
#include "io/results/run_folder.h"
#include "io/scene/scene.h"

namespace scree::io {

inline const ArchiveKind checkpoint_kind{"scree checkpoint", 17};

/// The first data of a checkpoint.
struct CheckpointHead {
  std::string scree_version, commit, compiler;
  bool finished = false;          // the run ended here
  std::int64_t initial_hash = 0;  // of the initial state of the scene
};

// The members of a checkpoint, for writing and for reading.
void visit(Archive& io, CheckpointHead& head);
void visit(Archive& io, Scene& scene);  // data from which the scene can be made again
void visit(Archive& io, State& state);  // bit for bit, except for derived data

/// Hash of the bodies with which a scene begins.
std::int64_t initial_hash(const Scene& scene);

/// The number in "step_000000123.h5"; -1 for other names.
std::int64_t step_of(const std::filesystem::path& checkpoint);
/// The checkpoints of a run, newest first.
std::vector<std::filesystem::path> checkpoints(const RunFolder& folder);

/// Writes a checkpoint; `memory` adds other state of the run. Then removes those beyond
/// scene.checkpoints.keep. Throws WriteError; then the older ones still exist.
void write_checkpoint(const RunFolder& folder, const Scene& scene, const State& state, bool finished,
                      const std::function<void(Archive&)>& memory);

}  // namespace scree::io
