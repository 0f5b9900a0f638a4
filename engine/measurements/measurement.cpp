#include "engine/measurements/measurement.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/measurements/kinds.h"

namespace scree {

void add_columns(std::vector<MeasuredColumn>& columns, const std::string& name, const std::string& unit,
                 const Classes& classes) {
  for (const std::string& of : classes.names())
    columns.push_back({of.empty() ? name : name + '.' + of, unit});
}

void add_vector(std::vector<MeasuredColumn>& columns, const std::string& before, const std::string& after,
                const std::string& unit) {
  for (const char axis : {'x', 'y', 'z'}) columns.push_back({before + axis + after, unit});
}

void append(std::vector<double>& row, const Vec3& v) { row.insert(row.end(), {v[0], v[1], v[2]}); }

std::unique_ptr<Measurement> make_measurement(const MeasurementPlan& plan) {
  switch (plan.kind) {
    case MeasureKind::quantity:
      return make_quantities(plan);
    case MeasureKind::flow:
      return make_flow(plan);
    case MeasureKind::bulk:
      return make_bulk(plan);
    case MeasureKind::surface:
      return make_surface(plan);
    case MeasureKind::mixing:
      return make_mixing(plan);
    case MeasureKind::residence:
      return make_residence(plan);
    case MeasureKind::pair_correlation:
      return make_pair_correlation(plan);
    case MeasureKind::profile:
      return make_profile(plan);
    case MeasureKind::bodies:
      return make_bodies(plan);
    case MeasureKind::screening:
      return make_screening(plan);
  }
  assert(false);
  return nullptr;
}

void MeasurementClock::end_row(double time_s) {
  next_ = std::max(next_, std::floor((time_s + slack_ - begin_) / interval_)) + 1.0;
}

Measuring::Measuring(const MeasurementPlan& plan, double interval_s, double slack_s)
    : plan_(plan),
      interval_(interval_s),
      slack_(slack_s),
      measurement_(make_measurement(plan)),
      clock_(0.0, interval_s, slack_s) {}

bool Measuring::wants(double time_s) const {
  if (time_s + slack_ < plan_.from_s || time_s - slack_ > plan_.until_s) return false;
  return !begun_ || measurement_->needs_every_step() || is_due(time_s);
}

std::optional<std::vector<double>> Measuring::see(const MeasuredMoment& moment) {
  const double time = moment.time_s;
  if (!wants(time)) return std::nullopt;
  if (!begun_) {
    begun_ = true;
    last_row_ = time;
    clock_ = MeasurementClock(time, interval_, slack_);
    measurement_->begin(moment);
    return std::nullopt;
  }
  const bool ends_row = is_due(time);
  measurement_->see(moment);
  if (!ends_row) return std::nullopt;
  const double elapsed = time - last_row_;
  last_row_ = time;
  clock_.end_row(time);
  return measurement_->row(moment, elapsed);
}

std::vector<double> Measuring::memory() const {
  std::vector<double> numbers{begun_ ? 1.0 : 0.0, clock_.begin_s(), clock_.next(), last_row_};
  const std::vector<double> more = measurement_->memory();
  numbers.insert(numbers.end(), more.begin(), more.end());
  return numbers;
}

void Measuring::remember(std::vector<double> numbers) {
  if (numbers.size() < 4) return;
  begun_ = numbers[0] != 0.0;
  clock_.go_on(numbers[1], numbers[2]);
  last_row_ = numbers[3];
  measurement_->remember({numbers.begin() + 4, numbers.end()});
}

}  // namespace scree
