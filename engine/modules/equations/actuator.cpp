#include "engine/modules/equations/actuator.h"

#include <mutex>

namespace scree::equations {

namespace {

/// The algebra library counts references without locks, so one thread at a time may use it.
std::mutex& algebra() {
  static std::mutex one;
  return one;
}

/// Runs one call at a time; errors of the model become ActuatorFailure.
auto guarded(const FlatModel& model, const auto& what) {
  const std::lock_guard lock(algebra());
  try {
    return what();
  } catch (const NumericalFailure& error) {
    throw ActuatorFailure(model.name + ": " + error.what());
  } catch (const InputError& error) {
    throw ActuatorFailure(model.name + ": " + error.what());
  } catch (const std::invalid_argument& error) {  // from a memory that is not the model's
    throw ActuatorFailure(model.name + ": " + error.what());
  }
}

class Actuator : public ActuatorModel {
 public:
  Actuator(FlatModel model, const std::vector<std::string>& outputs) : model_(std::move(model)) {
    for (const std::string& name : outputs) outputs_.push_back(model_.find(name));
  }

  std::vector<double> start(double time_s, std::span<const double> inputs) const override {
    return guarded(model_, [&] {
      simulation_ = std::make_unique<Simulation>(
          model_, RunOptions{.start = time_s, .inputs = {inputs.begin(), inputs.end()}, .compiled = false});
      return simulation_->save();
    });
  }

  void look(std::span<const double> memory, std::span<double> outputs) const override {
    guarded(model_, [&] {
      at(memory);
      for (std::size_t k = 0; k < outputs_.size(); ++k) outputs[k] = simulation_->value(outputs_[k]);
    });
  }

  void step(double end_s, std::span<const double> inputs, std::vector<double>& memory) const override {
    guarded(model_, [&] {
      at(memory);
      simulation_->step_to(end_s, inputs);
      memory = simulation_->save();
    });
  }

 private:
  /// Any simulation of the model is suitable: all differences are in the memory.
  void at(std::span<const double> memory) const {
    if (!simulation_) simulation_ = std::make_unique<Simulation>(model_, RunOptions{.compiled = false});
    simulation_->restore(memory);
  }

  FlatModel model_;
  std::vector<int> outputs_;
  mutable std::unique_ptr<Simulation> simulation_;
};

}  // namespace

std::unique_ptr<const ActuatorModel> make_actuator(FlatModel model, const std::vector<std::string>& outputs) {
  return std::make_unique<Actuator>(std::move(model), outputs);
}

}  // namespace scree::equations
