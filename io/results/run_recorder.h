// Everything that a run leaves behind, driven by the loop that advances it.
#pragma once

#include <memory>
#include <span>

#include "engine/run/run.h"
#include "io/files/archive.h"
#include "io/results/measured_series.h"
#include "io/results/run_folder.h"
#include "io/results/stage_table.h"
#include "io/results/summary.h"

namespace scree::io {

struct RecordOptions {
  std::filesystem::path folder;
  bool overwrite = false;
};

/// Made before the first step, told about every step, finished once. Frames are written in the background at
/// the scene's interval; the first shows the initial state. Members throw WriteError. While it lives no other
/// recorder writes to its folder.
class RunRecorder : public RunObserver {
 public:
  /// The scene must outlive the recorder. Throws InputError for an unknown name in output.fields, and
  /// WriteError, before anything is written, if the folder holds results that may not be overwritten, or
  /// another run writes to it.
  RunRecorder(const Scene& scene, const RecordOptions& options);
  /// Goes on with the files of a run after what a checkpoint remembers of it; what they have beyond that is
  /// cut off. `state`: the checkpoint's.
  RunRecorder(const Scene& scene, const std::filesystem::path& folder, const State& state,
              Archive& checkpoint);
  ~RunRecorder() override;

  /// Writes the checkpoint that a run begins with, so that it can be gone on with whenever it is cut off;
  /// before the first step. `state`: what the first step begins with.
  void begin(const State& state);

  /// Of a run by ranks: is a frame or a checkpoint due?
  bool wants_bodies(const State& state) override;

  /// `state` is as the step left it; what a frame shows of it is copied if one is due.
  void after_step(const StepResult& result, const State& state) override;

  /// What events did at the end of the step, after after_step(). `state`: with what they changed; the hash in
  /// the step's row is of it.
  void after_events(std::span<const Happening> happenings, const State& state) override;

  /// Where the energy ledger does not close within what the scene wants (checks.ledger_tolerance).
  std::string objection() override;

  /// Writes a checkpoint if one is due (scene.checkpoints); after after_events(). Throws OutOfRoom while what
  /// a checkpoint and another frame need is still free, but not much more.
  void before_next(const State& state) override;

  /// Writes a checkpoint, unless the run has failed, the last frame if it is not written yet, and the
  /// summary, and closes all files. What can be written is written even if something else cannot; only then
  /// the first WriteError is thrown. Without a `good` state, such as one in the middle of a step, there is no
  /// frame of it.
  Summary finish(RunStatus status, const State& state, bool good = true);

  const RunStatistics& statistics() const;
  const RunFolder& folder() const;
  const StageTable& stage_table() const;
  /// What measurements came to; after finish().
  const std::vector<MeasuredSeries>& measured() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace scree::io
