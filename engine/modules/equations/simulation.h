// Simulation of a declarative model.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <stdexcept>

#include "engine/modules/equations/compiled.h"
#include "engine/modules/equations/index_reduction.h"
#include "engine/modules/equations/step_code.h"

namespace scree::equations {

enum class Formula { implicit_euler, bdf2 };

struct RunOptions {
  double step = 1e-3;               // s
  double start = 0.0;               // s, start time
  std::vector<double> inputs = {};  // at the start, in the model's order; empty: their `start`
  Formula formula = Formula::implicit_euler;
  Tearing tearing = Tearing::marked;
  bool compiled = true;  // if there is a compiler
};

/// No solution: the message gives block, variables, residuals and time.
class NumericalFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The equations of a step for one choice of states.
struct StepSystem {
  std::set<int> dummies;
  Inlined inlined;
  Incidence incidence;
  std::vector<Block> blocks;
  std::vector<TornBlock> torn;
  std::vector<TornBlock> stages;  // as `torn`, with successive assignments joined
  std::vector<BlockCode> code;    // [stage]
  std::vector<int> predicted;     // unknowns from which iterations, or the nearest angle, start
  std::shared_ptr<const CompiledPrograms> compiled;  // follow and evaluate of each stage, or null
};

/// Matching, blocks, tearing and code. Throws InputError if no matching is complete.
StepSystem prepare_step(const FlatModel& model, const std::set<int>& dummies, Tearing tearing);

/// Reads, flattens, removes aliases, checks the structure and reduces the index; then formulas can be
/// inlined. `parameters` of the main model get these values instead of those in the text.
FlatModel compile_model(const SourceText& source, const std::string& main = {},
                        const std::map<std::string, double>& parameters = {});

struct RunCounts {
  long steps = 0, iterations = 0, evaluations = 0, events = 0, state_choices = 0, untorn_steps = 0,
       halved_steps = 0;
  int free_starts = 0;  // starting values that nothing fixed; those nearest to `start` are used
};

class Simulation {
 public:
  /// Computes consistent starting values. Throws NumericalFailure, InputError.
  Simulation(FlatModel model, const RunOptions& options);

  /// Advances to the next multiple of the step, or to an event before it.
  void advance();
  void run_until(double time);
  /// Advances in one step, except for events. Inputs change linearly to these values; their derivatives
  /// are differences.
  void step_to(double time, std::span<const double> inputs);

  /// All state on which later steps depend, as numbers. restore() needs the same model and options.
  std::vector<double> save() const;
  /// Throws std::invalid_argument if the numbers do not belong to this model.
  void restore(std::span<const double> saved);

  double time() const { return value_[FlatModel::time]; }
  const FlatModel& model() const { return model_; }
  /// Value of a variable by its name in the text, also of eliminated ones. Throws std::out_of_range.
  double value(const std::string& name) const;
  double value(int symbol) const;
  const StepSystem& system() const { return *system_; }
  const RunCounts& counts() const { return counts_; }
  const std::vector<double>& event_times() const { return event_times_; }
  /// Reason why the code is interpreted although it should be compiled; empty: it is compiled.
  const std::string& why_interpreted() const { return why_interpreted_; }
  double compile_seconds() const { return compile_seconds_; }

 private:
  struct Outcome {
    bool good = true;
    std::string why = {};
  };
  void initialise();
  void solve_start();
  void choose_states();
  std::shared_ptr<StepSystem> system_for(const std::set<int>& dummies, Tearing tearing);
  Outcome solve_step(double h);
  Outcome try_step(double h);
  /// Advances towards `goal`, by `whole` at most; true if it is reached.
  bool advance_towards(double goal, double whole);
  void set_inputs();
  void predict(double h);
  void set_formula(double h);
  Outcome run_stage(std::size_t stage);
  Outcome newton(std::size_t stage);
  void evaluate(std::size_t stage);
  void follow(std::size_t stage);
  bool solve_linear(std::size_t n);
  std::string block_name(std::size_t stage) const;
  std::string failure_text(std::size_t stage, const std::string& what) const;
  void accept();
  std::vector<char> relations_now();
  void differences(std::vector<double>& out);
  double locate(double h);
  void handle_event();
  void jump(const std::vector<char>& before);
  void hold(const std::vector<char>& relations);
  double& at(int symbol) { return value_[symbol]; }

  std::unique_ptr<FlatModel> owned_;  // on the heap, so that references to it stay valid after a move
  FlatModel& model_;
  RunOptions options_;
  std::unique_ptr<DummyDerivatives> dummies_;
  std::map<std::pair<std::set<int>, Tearing>, std::shared_ptr<StepSystem>> systems_;
  std::shared_ptr<StepSystem> system_;
  std::map<int, Alias> alias_;  // by the eliminated variable
  Program relation_code_;

  std::vector<double> value_;                // registers: symbols, then scratch
  std::vector<std::vector<double>> before_;  // [steps back] values of symbols, up to three
  std::vector<double> before_time_;
  std::vector<char> held_;  // [relation]
  std::vector<double> difference_at_start_, difference_;
  std::vector<double> out_, scaled_, tears_, change_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd right_;
  Eigen::PartialPivLU<Eigen::MatrixXd> lu_;

  std::vector<double> input_from_, input_to_;  // [input], at the two times below
  double input_from_s_ = 0.0, input_to_s_ = 0.0;

  long grid_ = 0;  // multiples of the step that are complete
  long events_in_step_ = 0;
  RunCounts counts_;
  std::vector<double> event_times_;
  std::string why_interpreted_;
  double compile_seconds_ = 0.0;
};

}  // namespace scree::equations
