// A scene that somebody else's program takes from communication point to communication point.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/run/run.h"
#include "io/fmu/variables.h"

namespace scree::io {

/// What became of a communication step.
enum class Outcome {
  done,
  ended,    // an event of the scene ended the run on the way: what was done stands
  refused,  // nothing was done: the step is none that the scene can take
  failed    // numbers are no longer usable
};

/// Where an instance stands, as of rollback; inputs included.
struct Snapshot {
  State state;
  CommunicationStep done;
  std::vector<double> inputs;
  double start_s = 0.0;
  int threads = 1;
  bool over = false;
};

/// Errors of people are exceptions: InputError of scenes, ReadError of what does not fit together.
class Instance {
 public:
  /// Reads `resources`/scene.toml; `guid` must be that of the scene.
  Instance(const std::filesystem::path& resources, const std::string& guid);

  Instance(const Instance&) = delete;  // its run refers to it
  Instance& operator=(const Instance&) = delete;
  ~Instance() = default;

  const std::vector<Variable>& variables() const { return variables_; }
  /// Of a variable that is no text. Precondition: `reference` is one.
  double value(std::size_t reference) const;
  std::string state_hash() const;
  /// Of an input or a parameter, finite.
  void set(std::size_t reference, double value);

  /// The experiment's time at the scene's start, s.
  void set_start(double start_s) { start_s_ = start_s; }
  /// The experiment's time now, s.
  double time_s() const { return state_.time_s - scene_.initial.time_s + start_s_; }
  /// From one communication point to the next. Steps of one length fit a whole number of times, adaptive
  /// and piecewise ones end at the second point. Instances may do this at the same time.
  Outcome advance(double current_s, double step_s);
  /// Why the last advance() did not end well.
  const std::string& message() const { return message_; }
  /// Events of the scene in the last advance(), as text.
  const std::vector<std::string>& happened() const { return happened_; }

  /// As it was when it was made.
  void reset();
  Snapshot snapshot() const;
  void restore(const Snapshot& snapshot);

 private:
  Outcome refuse(std::string message);
  /// The number of steps up to the second point, 0 where their length is not given; -1: none fits.
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
