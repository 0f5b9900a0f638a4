// A run that Python advances step by step.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/files/vtk_file.h"
#include "io/results/run_recorder.h"
#include "io/scene/scene.h"
#include "python/module/bodies.h"

namespace scree::python {

/// State of a run, with the user's changes of its machines.
struct KeptState {
  std::string scene;  // the run's scene: SteppedRun's identity
  State state;
  std::vector<double> inputs;
  std::vector<ShapeDescription> new_shapes;  // in addition to those of the scene
  std::optional<StepResult> result;          // of the last step, if known
};

/// Arrays that lie in the run itself are in use: it cannot step.
struct Lease {
  std::atomic<int> arrays{0};
  bool open = true;
  bool in_force() const { return open || arrays > 0; }
};

/// All members may throw RuntimeError, if another thread steps the run, and BufferError, if arrays of a view
/// are in use.
class SteppedRun {
 public:
  /// `identity`: distinguishes this scene from others, for states. `threads`: 0 for all of the machine. Empty
  /// folder: nothing is recorded.
  SteppedRun(const io::Scene& scene, std::string identity, int threads, const std::string& folder,
             bool overwrite);
  SteppedRun(const SteppedRun&) = delete;
  SteppedRun& operator=(const SteppedRun&) = delete;
  ~SteppedRun();

  /// Steps until the given number of steps or the time end_s (s) is reached, or the run ends. Without the
  /// GIL.
  void advance(std::int64_t steps, double end_s);
  const std::string& stopped() const { return stopped_; }
  std::vector<std::string> take_happened();
  /// Values of all quantities of the run, in the order of their list, over the steps of the last advance();
  /// before any step, those of the initial state. NaN if unknown.
  std::vector<double> report() const;
  /// Writes the end of a recorded run; returns its folder, or None.
  py::object finish();

  const io::Scene& scene() const { return scene_; }
  /// For members that read the run: no thread steps it.
  const State& state() const;
  const StepResult& result() const;
  Observed observed() const;
  const std::vector<std::int32_t>& slots_by_id() const;

  /// For members that change the run between steps.
  State& to_change();
  /// The model. Checkpoints do not contain changes of it; a run with a folder notes that there was one.
  Model& model_to_change();
  std::vector<std::int32_t> slots_of(const std::vector<BodyId>& ids) const;  // throws IndexError
  std::vector<BodyId> insert(const std::vector<NewBody>& bodies, bool check);
  ShapeIndex shape_of(const ShapeDescription& description);
  std::int32_t function_named(const std::string& name, bool& is_clump) const;

  KeptState keep() const;
  void restore(const KeptState& kept);

  std::shared_ptr<Lease> lease();
  void set_forces(py::object function);
  const py::object& forces() const { return forces_; }
  void drop_forces() { forces_ = py::none(); }  // when nothing refers to the run any more

  /// Is this thread inside a step?
  static bool is_in_step();
  /// Stops the steps of all runs and waits for their end: before the interpreter exits.
  static void close_all();

 private:
  class Stopper;
  class Alone;
  void expect_idle(const char* what) const;
  void begin_report();
  void add_to_report();
  void ask_forces(const State& state, double h, std::span<Wrench> given);
  std::vector<double> inputs() const;
  void set_inputs(const std::vector<double>& values);
  void fail();
  void note_action();

  io::Scene scene_;  // a copy: inputs change the model
  std::string identity_;
  std::size_t scene_shapes_;
  State state_;
  RunPlan plan_;
  std::unique_ptr<Stopper> stopper_;
  std::optional<io::VtkLoading> vtk_;
  std::unique_ptr<io::RunRecorder> recorder_;
  std::unique_ptr<Run> run_;
  std::optional<StepResult> shown_;  // until the first step after the start or after restore()
  mutable OrderOfIds order_;
  int threads_;
  bool is_recorded_;
  int process_;
  std::atomic<bool> stepping_{false};
  std::vector<std::shared_ptr<Lease>> leases_;
  std::vector<double> amounts_;  // [quantity of the run] over the steps of the last advance()
  double amounts_s_ = 0.0;       // duration of these steps
  bool acted_on_ = false;        // was the change noted?
  std::string stopped_;
  bool broken_ = false;  // the last step failed: only restore() may follow
  std::vector<std::string> happened_;
  py::object forces_;
  py::object summary_;
};

void add_run(py::module_& m);
void add_contacts(py::class_<SteppedRun, std::shared_ptr<SteppedRun>>& run);
void add_machines(py::class_<SteppedRun, std::shared_ptr<SteppedRun>>& run);

}  // namespace scree::python
