// Measurement `quantity`: series of observables of steps (observables.h), over the steps of a row.
#include "engine/measurements/kinds.h"

namespace scree {

namespace {

class Quantities : public Measurement {
 public:
  explicit Quantities(const MeasurementPlan& plan) : plan_(plan), amounts_(plan.quantities.size(), 0.0) {}

  std::vector<MeasuredColumn> columns() const override {
    std::vector<MeasuredColumn> columns;
    for (std::size_t k = 0; k < amounts_.size(); ++k)
      columns.push_back({plan_.quantities[k]->name, plan_.units[k]});
    return columns;
  }
  bool needs_every_step() const override { return true; }
  bool needs_bodies() const override {
    return plan_.observed == ObservedKind::region || plan_.observed == ObservedKind::bonds;
  }
  void see(const MeasuredMoment& moment) override {
    if (moment.observed == nullptr) return;
    Observed now = *moment.observed;
    if (plan_.region) now.region = &*plan_.region;
    now.rest_speed_m_s = plan_.rest_speed_m_s;
    for (std::size_t k = 0; k < amounts_.size(); ++k) {
      const Observable& q = *plan_.quantities[k];
      const double x = amount(q, now, plan_.parts);
      amounts_[k] = seen_ == 0.0 ? x : merged(q.over, amounts_[k], x);
    }
    seen_ += 1.0;
    time_ += now.result.report.time_step_s;
  }
  std::vector<double> row(const MeasuredMoment&, double) override {
    std::vector<double> row;
    for (std::size_t k = 0; k < amounts_.size(); ++k)
      row.push_back(plan_.quantities[k]->over == OverSteps::mean && time_ > 0.0 ? amounts_[k] / time_
                                                                                : amounts_[k]);
    seen_ = time_ = 0.0;
    return row;
  }
  std::vector<double> memory() const override {
    std::vector<double> numbers{seen_, time_};
    numbers.insert(numbers.end(), amounts_.begin(), amounts_.end());
    return numbers;
  }
  void remember(std::vector<double> n) override {
    seen_ = n.at(0);
    time_ = n.at(1);
    for (std::size_t k = 0; k < amounts_.size(); ++k) amounts_[k] = n.at(k + 2);
  }

 private:
  MeasurementPlan plan_;
  std::vector<double> amounts_;     // [quantity] since the last row
  double seen_ = 0.0, time_ = 0.0;  // steps, s
};

}  // namespace

std::unique_ptr<Measurement> make_quantities(const MeasurementPlan& plan) {
  return std::make_unique<Quantities>(plan);
}

}  // namespace scree
