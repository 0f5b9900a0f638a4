#include "engine/modules/equations/simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scree::equations {

namespace {

std::size_t place(int k) { return static_cast<std::size_t>(k); }

// Newton's method: change of an unknown over its size (or over `nominal`, if that is larger).
constexpr double converged_change = 1e-12;
constexpr double squared_change = 1e-8;     // with quadratic convergence: the remaining error is its square
constexpr double least_contraction = 1e-2;  // of a change over the one before: quadratic
constexpr double stalled_change = 1e-9;     // rounding level; accepted if it does not decrease further
constexpr int most_iterations = 40, most_halvings = 20;
constexpr double least_step = 1e-7;      // over the requested step
constexpr double longest_growth = 10.0;  // of one step over the one before, for the second-order formula
constexpr double worth_keeping = 0.3;    // of the pivots of the best choice of states
constexpr double grid_reached = 1e-9;    // of the step

std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

}  // namespace

Simulation::Simulation(FlatModel model, const RunOptions& options)
    : owned_(std::make_unique<FlatModel>(std::move(model))), model_(*owned_), options_(options) {
  if (!(options.step > 0.0)) throw std::invalid_argument("the step must be positive");
  add_formula_symbols(model_);
  for (const Alias& one : model_.aliases) alias_[one.variable] = one;
  value_ = model_.value;
  value_.resize(model_.symbols.size(), 0.0);
  std::vector<Expr> all;
  for (const Relation& r : model_.relations) all.push_back(r.difference);
  relation_code_ = expressions_code(model_, all);
  value_.resize(std::max(value_.size(), place(relation_code_.registers)), 0.0);
  difference_.resize(all.size());
  for (const int v : model_.variables) at(v) = model_[v].start;
  at(FlatModel::time) = input_from_s_ = input_to_s_ = options_.start;
  for (std::size_t k = 0; k < model_.inputs.size(); ++k)
    input_to_.push_back(k < options_.inputs.size() ? options_.inputs[k] : model_[model_.inputs[k]].start);
  input_from_ = input_to_;
  set_inputs();
  hold(relations_now());
  initialise();
  dummies_ = std::make_unique<DummyDerivatives>(model_);
  choose_states();
  accept();
  counts_.steps = 0;
}

double Simulation::value(int symbol) const {
  const auto found = alias_.find(symbol);
  if (found == alias_.end()) return value_[place(symbol)];
  const Alias& one = found->second;
  return one.other < 0 ? one.value : one.sign * value(one.other);
}

double Simulation::value(const std::string& name) const {
  const int found = model_.find(name);
  if (found < 0) throw std::out_of_range("the model has no " + name);
  return value(found);
}

void Simulation::choose_states() {
  std::set<int> chosen;
  try {
    if (dummies_->needed()) chosen = dummies_->choose(value_);
  } catch (const std::runtime_error& error) {
    throw NumericalFailure("at " + number_text(time()) + " s: " + error.what());
  }
  system_ = system_for(chosen, options_.tearing);
  ++counts_.state_choices;
}

/// Prepared once per choice of dummies.
std::shared_ptr<StepSystem> Simulation::system_for(const std::set<int>& dummies, Tearing tearing) {
  std::shared_ptr<StepSystem>& system = systems_[{dummies, tearing}];
  if (system) return system;
  system = std::make_shared<StepSystem>(prepare_step(model_, dummies, tearing));
  std::vector<const Program*> programs;
  for (const BlockCode& code : system->code) {
    programs.push_back(&code.follow);
    programs.push_back(&code.evaluate);
  }
  if (options_.compiled) system->compiled = CompiledPrograms::compile(programs, why_interpreted_);
  if (system->compiled) compile_seconds_ += system->compiled->seconds();
  for (const Program* program : programs)
    value_.resize(std::max(value_.size(), place(program->registers)), 0.0);
  return system;
}

void Simulation::set_formula(double h) {
  const std::vector<double>& last = before_[0];
  const double h_before = before_.size() > 1 ? before_time_[0] - before_time_[1] : 0.0;
  const bool second =
      options_.formula == Formula::bdf2 && before_.size() > 1 && h <= longest_growth * h_before;
  const double ratio = second ? h / h_before : 0.0;
  at(model_.rate) = (1.0 + 2.0 * ratio) / ((1.0 + ratio) * h);
  for (const int v : system_->inlined.states) {
    double& history = at(model_[v].history);
    history = -(1.0 + ratio) * last[place(v)] / h;
    if (second) history += ratio * ratio / (1.0 + ratio) * before_[1][place(v)] / h;
  }
}

/// The polynomial through the last steps, of at most second degree.
void Simulation::predict(double h) {
  const std::size_t points = before_.size();
  const double t = before_time_[0] + h;
  double weight[3] = {1.0, 0.0, 0.0};
  for (std::size_t j = 0; j < points; ++j) {
    weight[j] = 1.0;
    for (std::size_t k = 0; k < points; ++k)
      if (k != j) weight[j] *= (t - before_time_[k]) / (before_time_[j] - before_time_[k]);
  }
  for (const int u : system_->predicted) {
    double sum = 0.0;
    for (std::size_t j = 0; j < points; ++j) sum += weight[j] * before_[j][place(u)];
    at(u) = sum;
  }
  at(FlatModel::time) = t;
  set_inputs();
}

void Simulation::set_inputs() {
  const double all = input_to_s_ - input_from_s_,
               part = all > 0.0 ? std::clamp((time() - input_from_s_) / all, 0.0, 1.0) : 1.0;
  for (std::size_t k = 0; k < input_to_.size(); ++k)
    at(model_.inputs[k]) =
        part == 1.0 ? input_to_[k] : input_from_[k] + part * (input_to_[k] - input_from_[k]);
}

/// With tearing or, if that does not converge, with all unknowns of each block iterated: the unknowns that
/// follow from a tearing variable may have no solution, or two that coincide, although the block has one.
Simulation::Outcome Simulation::solve_step(double h) {
  Outcome done = try_step(h);
  if (done.good || options_.tearing == Tearing::none || options_.tearing == Tearing::whole) return done;
  const std::shared_ptr<StepSystem> torn = system_;
  system_ = system_for(torn->dummies, Tearing::none);
  const bool good = try_step(h).good;
  system_ = torn;
  if (good) ++counts_.untorn_steps;
  return good ? Outcome{} : done;
}

Simulation::Outcome Simulation::try_step(double h) {
  predict(h);
  set_formula(h);
  for (std::size_t s = 0; s < system_->stages.size(); ++s)
    if (Outcome done = run_stage(s); !done.good) return done;
  for (const int v : system_->inlined.states)
    at(model_[v].derivative) = at(model_.rate) * at(v) + at(model_[v].history);
  return {};
}

std::string Simulation::block_name(std::size_t stage) const {
  std::string names;
  for (const int t : system_->stages[stage].tears) names += (names.empty() ? "" : ", ") + model_[t].name;
  return "the block of " + std::to_string(system_->stages[stage].size()) + " unknowns with " + names;
}

std::string Simulation::failure_text(std::size_t stage, const std::string& what) const {
  const TornBlock& block = system_->stages[stage];
  std::string text = "at " + number_text(time()) + " s, " + block_name(stage) + ": " + what;
  for (std::size_t k = 0; k < block.tears.size(); ++k) {
    text += "\n    " + model_[block.tears[k]].name + " = " + number_text(value_[place(block.tears[k])]) +
            ", residual " + number_text(out_[k]) + " of " + model_.equations[place(block.residuals[k])].text;
  }
  return text;
}

void Simulation::evaluate(std::size_t stage) {
  const Program& program = system_->code[stage].evaluate;
  out_.resize(std::max(out_.size(), program.outputs.size()));
  ++counts_.evaluations;
  if (system_->compiled)
    system_->compiled->function(2 * stage + 1)(value_.data(), out_.data());
  else
    program.run(value_, out_);
}

void Simulation::follow(std::size_t stage) {
  if (system_->compiled)
    system_->compiled->function(2 * stage)(value_.data(), out_.data());
  else
    system_->code[stage].follow.run(value_, out_);
}

Simulation::Outcome Simulation::run_stage(std::size_t stage) {
  const TornBlock& block = system_->stages[stage];
  if (!block.tears.empty()) return newton(stage);
  follow(stage);
  for (const TornBlock::Assignment& a : block.assignments) {
    if (std::isfinite(at(a.unknown))) continue;
    return {false, "at " + number_text(time()) + " s, " + model_[a.unknown].name + " cannot be found from " +
                       model_.equations[place(a.equation)].text};
  }
  return {};
}

/// change_ = -J^-1 f, both in out_; false if J is singular.
bool Simulation::solve_linear(std::size_t n) {
  if (n == 1) {
    change_[0] = -out_[0] / out_[1];
    return std::isfinite(change_[0]);
  }
  const auto size = static_cast<Eigen::Index>(n);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  matrix_ = Eigen::Map<const RowMajor>(out_.data() + n, size, size);
  lu_.compute(matrix_);
  right_ = lu_.solve(Eigen::Map<const Eigen::VectorXd>(out_.data(), size));
  Eigen::Map<Eigen::VectorXd>(change_.data(), size) = -right_;
  return right_.allFinite();
}

Simulation::Outcome Simulation::newton(std::size_t stage) {
  const TornBlock& block = system_->stages[stage];
  const std::size_t n = block.tears.size();
  tears_.resize(n);
  change_.resize(n);
  const auto finite = [&] {
    return std::all_of(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(n),
                       [](double f) { return std::isfinite(f); });
  };
  evaluate(stage);
  if (!finite())
    return {false, failure_text(stage, "the iteration cannot start: the residuals are not finite")};
  double last = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    ++counts_.iterations;
    if (!solve_linear(n)) return {false, failure_text(stage, "the Jacobian is singular")};
    double size = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
      const int t = block.tears[k];
      tears_[k] = at(t);
      size = std::max(size, std::abs(change_[k]) / std::max(std::abs(tears_[k]), model_[t].nominal));
    }
    for (std::size_t k = 0; k < n; ++k) at(block.tears[k]) = tears_[k] + change_[k];
    const bool quadratic = size <= squared_change && (iteration == 0 || size <= least_contraction * last);
    const bool done = block.linear || size <= converged_change || quadratic ||
                      (size <= stalled_change && size >= 0.5 * last);
    if (done) {  // also the following unknowns, by their derivatives: errors are quadratic, or zero in a
                 // linear block
      const double* gradient = out_.data() + n + n * n;
      for (const TornBlock::Assignment& a : block.assignments)
        for (std::size_t k = 0; k < n; ++k) at(a.unknown) += *gradient++ * change_[k];
      return {};
    }
    evaluate(stage);
    for (int halving = 0; !finite(); ++halving) {
      if (halving == most_halvings)
        return {
            false,
            failure_text(stage, "even after repeated halving of the step the equations cannot be evaluated")};
      for (std::size_t k = 0; k < n; ++k) {
        change_[k] *= 0.5;
        at(block.tears[k]) = tears_[k] + change_[k];
      }
      evaluate(stage);
    }
    last = size;
  }
  return {false, failure_text(stage, "not converged after " + std::to_string(most_iterations) +
                                         " iterations, last change " + number_text(last))};
}

/// The present state becomes the last one.
void Simulation::accept() {
  constexpr std::size_t most = 3;
  const std::size_t symbols = model_.symbols.size();
  if (before_.size() == most) {
    std::rotate(before_.begin(), before_.end() - 1, before_.end());
    std::rotate(before_time_.begin(), before_time_.end() - 1, before_time_.end());
  } else {
    before_.insert(before_.begin(), std::vector<double>());
    before_time_.insert(before_time_.begin(), 0.0);
  }
  before_[0].assign(value_.begin(), value_.begin() + static_cast<std::ptrdiff_t>(symbols));
  before_time_[0] = time();
  difference_at_start_.resize(difference_.size());
  differences(difference_at_start_);
  ++counts_.steps;
}

void Simulation::advance() {
  double goal = static_cast<double>(grid_ + 1) * options_.step;
  if (goal - time() <= grid_reached * options_.step) goal = static_cast<double>(++grid_ + 1) * options_.step;
  if (!advance_towards(goal, options_.step)) return;
  ++grid_;
  events_in_step_ = 0;
}

bool Simulation::advance_towards(double goal, double whole) {
  double h = goal - before_time_[0];
  Outcome done = solve_step(h);
  while (!done.good) {
    const std::string why = done.why;
    if (h < least_step * whole) throw NumericalFailure(why);
    h *= 0.5;
    ++counts_.halved_steps;
    done = solve_step(h);
    if (!done.good) done.why = why;
  }
  if (!held_.empty() && relations_now() != held_) {
    locate(h);
    handle_event();
    return false;
  }
  accept();
  if (dummies_->needed()) {
    try {
      if (dummies_->worth(system_->dummies, value_) < worth_keeping) choose_states();
    } catch (const std::runtime_error& error) {
      throw NumericalFailure("at " + number_text(time()) + " s: " + error.what());
    }
  }
  return goal - time() <= grid_reached * whole;
}

void Simulation::step_to(double end, std::span<const double> inputs) {
  const double whole = end - time();
  if (!(whole > 0.0))
    throw std::invalid_argument("a step must go forward, not from " + number_text(time()) + " s to " +
                                number_text(end) + " s");
  input_from_s_ = time();
  input_to_s_ = end;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    input_from_[k] = at(model_.inputs[k]);
    input_to_[k] = inputs[k];
    double change = inputs[k] - input_from_[k];
    for (int rate = model_[model_.inputs[k]].derivative; rate >= 0; rate = model_[rate].derivative) {
      const double now = change / whole;
      change = now - at(rate);
      at(rate) = now;
    }
  }
  events_in_step_ = 0;
  while (!advance_towards(end, whole)) {
  }
}

std::vector<double> Simulation::save() const {
  std::vector<double> all{static_cast<double>(before_.size()), static_cast<double>(system_->dummies.size())};
  all.insert(all.end(), system_->dummies.begin(), system_->dummies.end());
  all.insert(all.end(), held_.begin(), held_.end());
  for (std::size_t k = 0; k < before_.size(); ++k) {
    all.push_back(before_time_[k]);
    all.insert(all.end(), before_[k].begin(), before_[k].end());
  }
  return all;
}

void Simulation::restore(std::span<const double> saved) {
  std::size_t next = 0;
  const auto take = [&](std::size_t count) {
    if (count > saved.size() - next) throw std::invalid_argument("the saved state belongs to another model");
    next += count;
    return saved.subspan(next - count, count);
  };
  const auto count_of = [&](double x, std::size_t most) {
    if (!(x >= 0.0 && x <= static_cast<double>(most) && x == std::floor(x)))
      throw std::invalid_argument("the saved state belongs to another model");
    return static_cast<std::size_t>(x);
  };
  const std::size_t symbols = model_.symbols.size(), steps = count_of(take(1)[0], 3),
                    chosen = count_of(take(1)[0], symbols);
  std::set<int> dummies;
  for (const double one : take(chosen)) dummies.insert(static_cast<int>(count_of(one, symbols - 1)));
  std::vector<char> held;
  for (const double one : take(model_.relations.size())) held.push_back(one != 0.0);
  std::vector<std::vector<double>> before;
  std::vector<double> times;
  for (std::size_t k = 0; k < steps; ++k) {
    times.push_back(take(1)[0]);
    const auto values = take(symbols);
    before.emplace_back(values.begin(), values.end());
  }
  if (steps == 0 || next != saved.size())
    throw std::invalid_argument("the saved state belongs to another model");
  before_ = std::move(before);
  before_time_ = std::move(times);
  std::ranges::copy(before_[0], value_.begin());
  input_from_s_ = input_to_s_ = time();
  for (std::size_t k = 0; k < model_.inputs.size(); ++k) input_from_[k] = input_to_[k] = at(model_.inputs[k]);
  hold(held);
  difference_at_start_.resize(difference_.size());
  differences(difference_at_start_);
  if (dummies != system_->dummies) system_ = system_for(dummies, options_.tearing);
}

void Simulation::run_until(double end) {
  while (time() < end - 0.5 * grid_reached * options_.step) advance();
}

}  // namespace scree::equations
