// Everything that a run leaves behind, driven by the loop that advances it.
#pragma once

#include <memory>
#include <span>

#include "io/results/run_folder.h"
#include "io/results/stage_table.h"
#include "io/results/summary.h"

namespace scree::io {

struct RecordOptions {
  std::filesystem::path folder;
  bool overwrite = false;
};

/// Made before the first step, told about every step, finished once. Frames are written in the background at
/// the scene's interval; the first shows the initial state. Members throw WriteError.
class RunRecorder {
 public:
  /// The scene must outlive the recorder. Throws InputError for an unknown name in output.fields, and
  /// WriteError, before anything is written, if the folder holds results that may not be overwritten.
  RunRecorder(const Scene& scene, const RecordOptions& options);
  ~RunRecorder();

  /// `state` is as the step left it; what a frame shows of it is copied if one is due. `loads`: of the step,
  /// by boundary; none are not recorded.
  void after_step(const StepReport& report, const State& state, std::span<const BoundaryLoad> loads = {});

  /// What events did at the end of the step, after after_step(). `state`: with what they changed.
  void after_events(std::span<const Happening> happenings, const State& state);

  /// Writes the last frame if it is not written yet, the final state and the summary, and closes all files.
  /// What can be written is written even if something else cannot; only then the first WriteError is thrown.
  Summary finish(RunStatus status, const State& state);

  const RunStatistics& statistics() const;
  const RunFolder& folder() const;
  const StageTable& stage_table() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace scree::io
