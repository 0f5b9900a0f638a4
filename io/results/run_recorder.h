// Writes all results of a run, called by the run loop.
#pragma once

#include <functional>
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

/// Created before the first step, called for each step, finished once. Frames are written in the background
/// at the scene's interval; the first one is the initial state. Members throw WriteError. During its lifetime
/// no other recorder writes to its folder.
class RunRecorder : public RunObserver {
 public:
  /// The scene must outlive the recorder. Throws InputError for an unknown name in output.fields, and
  /// WriteError, before it writes anything, if the folder has results that must not be overwritten, or
  /// another run writes to it.
  RunRecorder(const Scene& scene, const RecordOptions& options);
  /// Continues the files of a run from the state in a checkpoint; later parts of the files are
  /// cut off. `state`: the checkpoint's.
  RunRecorder(const Scene& scene, const std::filesystem::path& folder, const State& state,
              Archive& checkpoint);
  ~RunRecorder() override;

  /// Writes the checkpoint of the initial state, so that a run can be continued after any interruption;
  /// call it before the first step. `state`: at the beginning of the first step.
  void begin(const State& state);

  /// For a run by ranks: is a frame or a checkpoint due?
  bool wants_bodies(const State& state) override;

  /// `state`: after the step; it is copied if a frame is due.
  void after_step(const StepResult& result, const State& state) override;

  /// All ranks pack the frame of the step, if there is one.
  void share_work(Ranks& ranks) override;

  /// The effects of events at the end of the step; call it after after_step(). `state`: with their changes;
  /// the hash in the step's row is that of it.
  void after_events(std::span<const Happening> happenings, const StepResult& result,
                    const State& state) override;

  /// If the energy ledger does not close within the scene's limit (checks.ledger_tolerance).
  std::string objection() override;

  /// Writes a checkpoint if one is due (scene.checkpoints); call it after after_events(). Throws OutOfRoom
  /// while the space for a checkpoint and another frame is still free, but not much more.
  void before_next(const State& state) override;

  /// Writes a checkpoint, unless the run has failed, the last frame if it is not written yet, and the
  /// summary, and closes all files. Each file is written even if others fail; then
  /// the first WriteError is thrown. If the state is not `good`, such as in the middle of a step, there is no
  /// frame of it.
  Summary finish(RunStatus status, const State& state, bool good = true,
                 const std::function<void(const std::string&)>& note = {});

  /// The processes that shared the run, for the summary.
  void shared_by(std::vector<RankUse> ranks);

  const RunStatistics& statistics() const;
  const RunFolder& folder() const;
  const StageTable& stage_table() const;
  /// Results of measurements; after finish().
  const std::vector<MeasuredSeries>& measured() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// On ranks other than the first: packs parts of frames for the recorder there.
class FramePacker : public RunObserver {
 public:
  bool wants_bodies(const State&) override { return false; }
  void share_work(Ranks& ranks) override;
};

}  // namespace scree::io
