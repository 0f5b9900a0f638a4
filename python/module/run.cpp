#include "python/module/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <pybind11/stl.h>
#include <tuple>
#include <unistd.h>

#include "engine/core/shared_threads.h"
#include "engine/simulation/placement.h"
#include "engine/simulation/subsystems/population.h"
#include "io/files/text_file.h"
#include "io/scene/resume.h"
#include "python/module/scene.h"

namespace scree::python {

namespace {

// Interval at which a long advance() checks for Ctrl-C.
constexpr std::chrono::milliseconds between_looks{20};

thread_local bool in_step = false;

/// Steps of all runs, so that the interpreter can wait for them before it exits.
struct Going {
  std::mutex mutex;
  std::condition_variable less;
  int runs = 0;
  std::atomic<bool> closing{false};
};
Going& going() {
  static Going one;
  return one;
}

/// [n, 3] result of a function of forces.
DoubleArray vectors_of(const char* name, const py::handle& given, std::size_t n) {
  DoubleArray array = DoubleArray::ensure(given);
  if (!array) {
    PyErr_Clear();
    throw py::type_error(fmt::format("the function of forces: {} must be an array of numbers", name));
  }
  if (array.ndim() != 2 || array.shape(0) != static_cast<py::ssize_t>(n) || array.shape(1) != 3)
    throw py::value_error(fmt::format(
        "the function of forces: {} must be of shape ({}, 3), in the order of bodies.id", name, n));
  return array;
}

}  // namespace

/// Ends the steps of a run when the interpreter exits.
class SteppedRun::Stopper : public RunObserver {
 public:
  bool may_go_on() override { return !going().closing; }
};

/// While it exists, no other thread steps or reads the run. Created and destroyed with the GIL.
class SteppedRun::Alone {
 public:
  explicit Alone(SteppedRun& run) : run_(run) {
    run.expect_idle("step");
    std::erase_if(run.leases_, [](const auto& lease) { return !lease->in_force(); });
    if (!run.leases_.empty()) {
      PyErr_SetString(
          PyExc_BufferError,
          "arrays of run.view() are still referred to: the run cannot change before they are gone");
      throw py::error_already_set();
    }
    if (going().closing) throw std::runtime_error("the interpreter is about to end: no run steps any more");
    run.stepping_ = true;
    const std::lock_guard lock(going().mutex);
    ++going().runs;
  }
  ~Alone() {
    run_.stepping_ = false;
    const std::lock_guard lock(going().mutex);
    --going().runs;
    going().less.notify_all();
  }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  SteppedRun& run_;
};

bool SteppedRun::is_in_step() { return in_step; }

void SteppedRun::close_all() {
  going().closing = true;
  const py::gil_scoped_release release;
  std::unique_lock lock(going().mutex);
  going().less.wait(lock, [] { return going().runs == 0; });
}

SteppedRun::SteppedRun(const io::Scene& scene, std::string identity, int threads, const std::string& folder,
                       bool overwrite)
    : scene_(scene),
      identity_(std::move(identity)),
      scene_shapes_(scene.model.shapes.size()),
      state_(scene.initial),
      plan_(io::run_plan(scene)),
      stopper_(std::make_unique<Stopper>()),
      threads_(threads),
      is_recorded_(!folder.empty()),
      process_(getpid()),
      forces_(py::none()),
      summary_(py::none()) {
  if (threads < 0 || threads > 1024)
    throw py::value_error(fmt::format("threads: must be 0 (all) to 1024 (value {})", threads));
  arm_events(scene_.model, scene_.events, state_);
  if (is_recorded_) {
    vtk_.emplace();
    recorder_ = std::make_unique<io::RunRecorder>(scene_, io::RecordOptions{folder, overwrite});
    recorder_->begin(state_);
  }
  run_ = std::make_unique<Run>(scene_.model, plan_, state_);
  run_->observe(*stopper_);
  if (recorder_) run_->observe(*recorder_);
  shown_ = start_result(scene_.model, state_);
}

SteppedRun::~SteppedRun() {
  try {
    if (process_ == getpid()) finish();
  } catch (...) {  // no caller can receive the error
  }
}

void SteppedRun::expect_idle(const char* what) const {
  if (stepping_)
    throw std::runtime_error(fmt::format(
        "the run is stepping, in another thread or in the step that called this: it cannot {}", what));
}

void SteppedRun::advance(std::int64_t steps, double end_s) {
  const Alone alone(*this);
  if (broken_)
    throw std::runtime_error("the last step could not be done: the run goes on only after restore()");
  if (!summary_.is_none())
    throw std::runtime_error("the run was finished: its results are summed up and stand in its folder");
  if (getpid() != process_ && threads_ != 1)
    throw std::runtime_error(
        "this process was forked from the one that made the run, without its threads: use "
        "multiprocessing.get_context('spawn'), or make the run with threads=1");
  stopped_.clear();
  begin_report();
  RunStop stop = RunStop::none;
  const bool land = end_s < infinity;
  {
    const py::gil_scoped_release release;
    const SharedThreads threads(threads_);
    struct InStep {
      InStep() { in_step = true; }
      ~InStep() { in_step = false; }
    };
    auto looked = std::chrono::steady_clock::now();
    for (std::int64_t done = 0; stop == RunStop::none && done < steps; ++done) {
      if (land && !(state_.time_s < end_s - plan_.slack_s)) {
        stop = RunStop::end_time;
        break;
      }
      try {
        const InStep now;
        stop = run_->step(end_s);
      } catch (...) {  // from a function of forces or the recorder: the result may be incomplete
        shown_ = start_result(scene_.model, state_);
        throw;
      }
      if (stop != RunStop::interrupted && (stop != RunStop::failed || run_->failure().step_is_done())) {
        shown_.reset();
        add_to_report();
        for (const Happening& h : run_->happenings())
          happened_.push_back(
              fmt::format("t = {:g} s: {}", h.time_s, event_text(plan_.events[h.event], h.value)));
      }
      if (const auto now = std::chrono::steady_clock::now(); now - looked > between_looks) {
        looked = now;
        const py::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      }
    }
  }
  if (stop == RunStop::failed) fail();
  if (stop == RunStop::end_time) stopped_ = "end_time";
  if (stop == RunStop::event) stopped_ = "event";
  if (stop == RunStop::interrupted) stopped_ = "interrupted";
}

void SteppedRun::fail() {
  stopped_ = "failed";
  broken_ = !run_->failure().step_is_done();
  const py::object type = error_class("StepError");
  PyErr_SetObject(type.ptr(), type(run_->failure_text()).ptr());
  throw py::error_already_set();
}

void SteppedRun::begin_report() { amounts_s_ = 0.0; }

void SteppedRun::add_to_report() {
  const std::span<const Observable> list = observables(ObservedKind::run);
  const Observed now{scene_.model, state_, run_->result(), nullptr, scene_.rest_speed_m_s};
  constexpr std::int64_t itself = 0;
  amounts_.resize(list.size(), std::nan(""));
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (!list[k].is_known_of(scene_.model, itself)) continue;
    const double value = amount(list[k], now, {&itself, 1});
    amounts_[k] = amounts_s_ == 0.0 ? value : merged(list[k].over, amounts_[k], value);
  }
  amounts_s_ += now.result.report.time_step_s;
}

std::vector<double> SteppedRun::report() const {
  expect_idle("be looked at");
  const std::span<const Observable> list = observables(ObservedKind::run);
  std::vector<double> values = amounts_;
  if (amounts_s_ > 0.0) {
    for (std::size_t k = 0; k < list.size(); ++k)
      if (list[k].over == OverSteps::mean) values[k] /= amounts_s_;
    return values;
  }
  const Observed now = observed();
  values.clear();
  for (const Observable& quantity : list)
    values.push_back(quantity.is_known_of(now.model, 0) ? value(quantity, now, 0) : std::nan(""));
  return values;
}

std::vector<std::string> SteppedRun::take_happened() { return std::exchange(happened_, {}); }

py::object SteppedRun::finish() {
  if (!summary_.is_none() || !recorder_) return summary_;
  expect_idle("be finished");
  const io::RunStatus status = stopped_ == "failed"        ? io::RunStatus::failed
                               : stopped_ == "interrupted" ? io::RunStatus::interrupted
                               : stopped_ == "event" || !(state_.time_s < scene_.end_time_s - plan_.slack_s)
                                   ? io::RunStatus::finished
                                   : io::RunStatus::interrupted;
  summary_ = py::str(recorder_->folder().path.string());
  const auto recorder = std::move(recorder_);  // which releases the folder; no step follows
  struct Busy {                                // no thread changes the state while it is written
    std::atomic<bool>& flag;
    explicit Busy(std::atomic<bool>& f) : flag(f) { flag = true; }
    ~Busy() { flag = false; }
  } busy(stepping_);
  const py::gil_scoped_release release;
  recorder->finish(status, state_, !broken_);
  return summary_;
}

const State& SteppedRun::state() const {
  expect_idle("be looked at");
  return state_;
}

const StepResult& SteppedRun::result() const {
  expect_idle("be looked at");
  return shown_ ? *shown_ : run_->result();
}

Observed SteppedRun::observed() const {
  return {scene_.model, state(), result(), nullptr, scene_.rest_speed_m_s};
}

const std::vector<std::int32_t>& SteppedRun::slots_by_id() const { return order_.of(state().bodies); }

State& SteppedRun::to_change() {
  const Alone look(*this);
  return state_;
}

Model& SteppedRun::model_to_change() {
  const Alone look(*this);
  note_action();
  return scene_.model;
}

void SteppedRun::note_action() {
  if (!recorder_ || acted_on_) return;
  acted_on_ = true;
  io::write_whole_file(
      recorder_->folder().acted_on(),
      fmt::format("A program has set machines of this run or given it forces from t = {:g} s on; "
                  "checkpoints do not know of that.\n",
                  state_.time_s));
}

std::vector<std::int32_t> SteppedRun::slots_of(const std::vector<BodyId>& ids) const {
  const SlotsById by_id(state().bodies);
  std::vector<std::int32_t> slots;
  for (const BodyId id : ids) {
    slots.push_back(by_id.find(id));
    if (slots.back() < 0) throw py::index_error(fmt::format("there is no body {}", id));
  }
  return slots;
}

ShapeIndex SteppedRun::shape_of(const ShapeDescription& wanted) {
  const Alone look(*this);
  Shapes& shapes = scene_.model.shapes;
  for (std::int32_t s = 0; static_cast<std::size_t>(s) < shapes.size(); ++s)
    if (description(shapes, ShapeIndex{s}) == wanted) return ShapeIndex{s};
  if (is_recorded_)
    throw py::value_error(
        "a run with a folder can have the shapes of its scene alone, so that it can be gone on with");
  return shapes.add(wanted);
}

std::int32_t SteppedRun::function_named(const std::string& name, bool& is_clump) const {
  const Shapes& shapes = scene_.model.shapes;
  for (std::size_t k = 0; k < shapes.functions().size(); ++k)
    if (shapes.functions()[k].name == name) return is_clump = false, static_cast<std::int32_t>(k);
  for (std::size_t k = 0; k < shapes.clumps().size(); ++k)
    if (shapes.clumps()[k].name == name) return is_clump = true, static_cast<std::int32_t>(k);
  throw py::value_error(fmt::format("shape: the scene has none of the name '{}'", name));
}

std::vector<BodyId> SteppedRun::insert(const std::vector<NewBody>& bodies, bool check) {
  State& state = to_change();
  std::vector<BodyId> ids;
  const BodyId next = state.bodies.next_id;
  for (const NewBody& body : bodies) ids.push_back(scree::insert(scene_.model, state, body));
  if (!check || ids.empty()) return ids;
  const Bodies& all = state.bodies;
  const bool walls_stand = !scene_.model.any_boundary_moves();
  for (const Misplaced& m : misplaced_bodies(scene_.model, all, PlacementLimits{}.overlap)) {
    const bool is_new = all.id[m.body] >= ids.front() || (!m.by_boundary && all.id[m.other] >= ids.front());
    if (!is_new || (m.by_boundary && !walls_stand)) continue;
    const BodyId body = std::max(all.id[m.body], m.by_boundary ? all.id[m.body] : all.id[m.other]);
    const std::string where = m.by_boundary
                                  ? fmt::format("boundary '{}'", scene_.model.boundaries[m.other].name)
                                  : fmt::format("body {}", std::min(all.id[m.body], all.id[m.other]));
    const std::string depth =
        m.how == Misplaced::How::overlaps
            ? fmt::format("overlaps {} by {:.3g} of the smaller one's smallest length", where, m.relative)
            : fmt::format("cannot be where {} is", where);
    remove(state, ids);
    state.bodies.next_id = next;
    throw py::value_error(fmt::format(
        "position: new body {} of {} {}; nothing was inserted (check=False inserts it nevertheless)",
        body - ids.front(), ids.size(), depth));
  }
  return ids;
}

std::vector<double> SteppedRun::inputs() const {
  std::vector<double> values;
  const Model& model = scene_.model;
  for (const MachineJoint& joint : model.joints) values.push_back(joint.motor.value);
  for (const Boundary& b : model.boundaries)
    values.insert(values.end(), b.surface_velocity.begin(), b.surface_velocity.end());
  for (const Part& part : model.parts) {
    values.push_back(part.force);
    for (const MotionStage& stage : part.motion.stages) {
      values.insert(values.end(), {stage.law.rate, stage.law.start});
      values.push_back(stage.law.values.size() == 1 ? stage.law.values[0] : std::nan(""));
    }
  }
  return values;
}

void SteppedRun::set_inputs(const std::vector<double>& values) {
  Model& model = scene_.model;
  auto value = values.begin();
  for (MachineJoint& joint : model.joints) joint.motor.value = *value++;
  for (Boundary& b : model.boundaries)
    for (double& component : b.surface_velocity) component = *value++;
  for (Part& part : model.parts) {
    part.force = *value++;
    for (MotionStage& stage : part.motion.stages) {
      stage.law.rate = *value++;
      stage.law.start = *value++;
      const double offset = *value++;
      if (stage.law.values.size() <= 1) {
        stage.law.times.clear();
        stage.law.values.clear();
        if (!std::isnan(offset)) {
          stage.law.times = {0.0};
          stage.law.values = {offset};
        }
      }
    }
  }
}

KeptState SteppedRun::keep() const {
  expect_idle("be kept");
  if (broken_) throw std::runtime_error("the last step could not be done: there is no state to keep");
  KeptState kept{identity_, state_, inputs(), {}, result()};
  const Shapes& shapes = scene_.model.shapes;
  for (std::size_t s = scene_shapes_; s < shapes.size(); ++s)
    kept.new_shapes.push_back(description(shapes, ShapeIndex{static_cast<std::int32_t>(s)}));
  return kept;
}

void SteppedRun::restore(const KeptState& kept) {
  const Alone look(*this);
  Model& model = scene_.model;
  if (kept.scene != identity_) throw py::value_error("the state is of a run of another scene");
  if (is_recorded_)
    throw std::runtime_error("a run with a folder goes forwards alone; restore() is for runs without one");
  for (std::size_t k = 0; k < kept.new_shapes.size(); ++k) {
    const std::size_t s = scene_shapes_ + k;
    if (s == model.shapes.size()) model.shapes.add(kept.new_shapes[k]);
    if (description(model.shapes, ShapeIndex{static_cast<std::int32_t>(s)}) != kept.new_shapes[k])
      throw py::value_error("the state has shapes that this run has inserted in another order");
  }
  State state = kept.state;
  if (!kept.result) io::complete(model, state);  // the state was read from a file
  if (kept.inputs.size() != inputs().size())
    throw py::value_error("the state is of another scene's machines");
  state_ = std::move(state);
  set_inputs(kept.inputs);
  run_ = std::make_unique<Run>(model, plan_, state_);
  run_->observe(*stopper_);
  shown_ = kept.result ? *kept.result : start_result(model, state_);
  amounts_s_ = 0.0;
  stopped_.clear();
  broken_ = false;
}

std::shared_ptr<Lease> SteppedRun::lease() {
  expect_idle("be viewed");
  std::erase_if(leases_, [](const auto& lease) { return !lease->in_force(); });
  return leases_.emplace_back(std::make_shared<Lease>());
}

void SteppedRun::set_forces(py::object function) {
  const Alone look(*this);
  Model& model = scene_.model;
  if (function.is_none()) {
    model.forces.own = nullptr;
  } else {
    if (!PyCallable_Check(function.ptr()))
      throw py::type_error("forces: must be a function of bodies, or None");
    if (model.settings.stepping != Stepping::contacts)
      throw py::value_error("forces: piecewise steps know none of one's own; use stepping = \"contacts\"");
    note_action();
    model.forces.own = [this](const State& state, double h, std::span<Wrench> given) {
      ask_forces(state, h, given);
    };
  }
  forces_ = std::move(function);
}

void SteppedRun::ask_forces(const State& state, double h, std::span<Wrench> given) {
  const py::gil_scoped_acquire acquire;
  const std::vector<std::int32_t>& order = order_.of(state.bodies);
  const auto bodies = std::make_shared<BodyArrays>(scene_.model, state, h, order);
  struct Closing {
    BodyArrays& bodies;
    ~Closing() { bodies.close(); }
  } closing{*bodies};
  const py::object result = forces_(bodies);
  if (result.is_none()) return;
  const bool both = py::isinstance<py::tuple>(result);
  if (both && py::len(result) != 2)
    throw py::value_error("the function of forces: must return forces, or (forces, torques), or None");
  py::object force = result, torque = py::none();
  if (both) std::tie(force, torque) = result.cast<std::tuple<py::object, py::object>>();
  const std::size_t n = given.size();
  const auto take = [&](const char* name, const py::object& array, Vec3 Wrench::*member) {
    if (array.is_none()) return;
    const DoubleArray numbers = vectors_of(name, array, n);
    const double* in = numbers.data();
    for (std::size_t k = 0; k < n; ++k, in += 3) {
      given[static_cast<std::size_t>(order[k])].*member = Vec3(in[0], in[1], in[2]);
      if (!(std::abs(in[0]) + std::abs(in[1]) + std::abs(in[2]) < infinity))
        throw py::value_error(fmt::format("the function of forces: {} of body {} is not finite", name,
                                          state.bodies.id[static_cast<std::size_t>(order[k])]));
    }
  };
  take("force", force, &Wrench::force);
  take("torque", torque, &Wrench::torque);
}

}  // namespace scree::python
