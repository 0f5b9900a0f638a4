// An instance of a scene, which another program advances from communication point to communication point.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/run/run.h"
#include "io/fmu/variables.h"

namespace scree::io {

/// Result of a communication step.
enum class Outcome {
  done,
  ended,    // an event of the scene ended the run in the step; what was done remains valid
  refused,  // nothing was done: the scene cannot make this step
  failed    // numbers are no longer usable
};

/// State of an instance, for rollback; includes inputs.
struct Snapshot {
  State state;
  CommunicationStep done;
  std::vector<double> inputs;
  double start_s = 0.0;
  int threads = 1;
  bool over = false;
};

/// User errors are exceptions: InputError for scenes, ReadError for files that do not match.
class Instance {
 public:
  /// Reads `resources`/scene.toml; `guid` must be that of the scene.
  Instance(const std::filesystem::path& resources, const std::string& guid);

  Instance(const Instance&) = delete;  // `run_` refers to members
  Instance& operator=(const Instance&) = delete;
  ~Instance() = default;

  const std::vector<Variable>& variables() const { return variables_; }
  /// Value of a variable that is no text. Precondition: `reference` is valid.
  double value(std::size_t reference) const;
  std::string state_hash() const;
  /// Sets an input or a parameter; the value must be finite.
  void set(std::size_t reference, double value);

  /// The experiment's time at the scene's start, s.
  void set_start(double start_s) { start_s_ = start_s; }
  /// The present time of the experiment, s.
  double time_s() const { return state_.time_s - scene_.initial.time_s + start_s_; }
  /// Advances from one communication point to the next. Steps of constant length must fit a whole number of
  /// times; adaptive and piecewise ones end at the second point. Several instances may do this at the same
  /// time.
  Outcome advance(double current_s, double step_s);
  /// The reason why the last advance() did not succeed.
  const std::string& message() const { return message_; }
  /// Events of the scene in the last advance(), as text.
  const std::vector<std::string>& happened() const { return happened_; }

  /// Restores the initial state.
  void reset();
  Snapshot snapshot() const;
  void restore(const Snapshot& snapshot);

 private:
  Outcome refuse(std::string message);
  /// Number of steps up to the second point, 0 if their length is not constant; -1: the length does not fit.
  std::int64_t steps_in(double step_s) const;
  Outcome one_step(double land_at_s);
  std::vector<double> inputs() const;
  void set_inputs(const std::vector<double>& values);

  Scene scene_;
  std::vector<Variable> variables_;
  std::vector<double> first_inputs_;
  RunPlan plan_;  // no frames
  State state_;
  Run run_{scene_.model, plan_, state_};
  CommunicationStep done_;
  double start_s_ = 0.0;
  int threads_ = 1;
  bool over_ = false;
  std::string message_;
  std::vector<std::string> happened_;
};

}  // namespace scree::io
