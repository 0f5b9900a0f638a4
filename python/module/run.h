// A run that Python steps.
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

/// Where a run stands, with what people have set of its machines.
struct KeptState {
  std::string scene;  // whose run it is: SteppedRun's identity
  State state;
  std::vector<double> inputs;
  std::vector<ShapeDescription> new_shapes;  // beyond those of the scene
  std::optional<StepResult> result;          // of the last step, where it is known
};

/// Arrays that lie in the run itself are out: it cannot step.
struct Lease {
  std::atomic<int> arrays{0};
  bool open = true;
  bool in_force() const { return open || arrays > 0; }
};

/// Exceptions of all members that say so: RuntimeError where another thread steps it, BufferError where
/// arrays of a view are out.
class SteppedRun {
 public:
  /// `identity`: what tells this scene from others, for states. `threads`: 0 for all of the machine's. An
  /// empty folder: nothing is recorded.
  SteppedRun(const io::Scene& scene, std::string identity, int threads, const std::string& folder,
             bool overwrite);
  SteppedRun(const SteppedRun&) = delete;
  SteppedRun& operator=(const SteppedRun&) = delete;
  ~SteppedRun();

  /// Steps until so many are done, or that time (s) has come, or something ends the run. Without the GIL.
  void advance(std::int64_t steps, double end_s);
  const std::string& stopped() const { return stopped_; }
  std::vector<std::string> take_happened();
  /// Of all quantities of the run, in the order of their list, over the steps of the last advance(), as far
  /// as it came; at the start those of the start. NaN of those that are not known.
  std::vector<double> report() const;
  /// Writes what ends a recorded run; its folder, or nothing.
  py::object finish();

  const io::Scene& scene() const { return scene_; }
  /// For members that look: nobody steps it.
  const State& state() const;
  const StepResult& result() const;
  Observed observed() const;
  const std::vector<std::int32_t>& slots_by_id() const;

  /// For members that change it between steps.
  State& to_change();
  /// The model, of which no checkpoint knows what is set: with a folder that is noted there.
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
  void drop_forces() { forces_ = py::none(); }  // of a run that nobody refers to any more

  /// Is this thread within a step?
  static bool is_in_step();
  /// No run steps any more, and all that did have ended: before the interpreter goes.
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

  io::Scene scene_;  // its own: inputs change the model
  std::string identity_;
  std::size_t scene_shapes_;
  State state_;
  RunPlan plan_;
  std::unique_ptr<Stopper> stopper_;
  std::optional<io::VtkLoading> vtk_;
  std::unique_ptr<io::RunRecorder> recorder_;
  std::unique_ptr<Run> run_;
  std::optional<StepResult> shown_;  // while no step was done since the start, or since restore()
  mutable OrderOfIds order_;
  int threads_;
  bool is_recorded_;
  int process_;
  std::atomic<bool> stepping_{false};
  std::vector<std::shared_ptr<Lease>> leases_;
  std::vector<double> amounts_;  // [quantity of the run] over the steps of the last advance()
  double amounts_s_ = 0.0;       // how long those were
  bool acted_on_ = false;        // was it noted?
  std::string stopped_;
  bool broken_ = false;  // the last step was not done: nothing follows but restore()
  std::vector<std::string> happened_;
  py::object forces_;
  py::object summary_;
};

void add_run(py::module_& m);
void add_contacts(py::class_<SteppedRun, std::shared_ptr<SteppedRun>>& run);
void add_machines(py::class_<SteppedRun, std::shared_ptr<SteppedRun>>& run);

}  // namespace scree::python
