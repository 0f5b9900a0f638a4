// Measurement `residence`: times that bodies stay in a region.
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/measurements/kinds.h"

namespace scree {

namespace {

class Residence : public Measurement {
 public:
  explicit Residence(const MeasurementPlan& plan) : region_(*plan.region) {}

  std::vector<MeasuredColumn> columns() const override {
    return {{"inside", "1"},   {"entered", "1"}, {"left", "1"}, {"mean_s", "s"},
            {"median_s", "s"}, {"p10_s", "s"},   {"p90_s", "s"}};
  }
  std::vector<std::string> headlines() const override { return {"mean_s", "median_s", "left"}; }
  bool needs_every_step() const override { return true; }
  void begin(const MeasuredMoment& moment) override {
    for_bodies_in(moment, region_, [&](std::size_t i, const Vec3&) { inside_[moment.bodies.id[i]] = none; });
  }
  void see(const MeasuredMoment& moment) override {
    std::map<BodyId, double> now;
    for_bodies_in(moment, region_, [&](std::size_t i, const Vec3&) {
      const BodyId id = moment.bodies.id[i];
      if (now.contains(id)) return;  // another image of it
      const auto before = inside_.find(id);
      const bool is_new = before == inside_.end();
      now[id] = is_new ? moment.time_s : before->second;
      entered_ += is_new ? 1.0 : 0.0;
    });
    for (const auto& [id, since] : inside_) {
      if (now.contains(id)) continue;
      left_ += 1.0;
      if (!std::isnan(since)) stays_.push_back({static_cast<double>(id), since, moment.time_s});
    }
    inside_.swap(now);
  }
  std::vector<double> row(const MeasuredMoment&, double) override {
    std::vector<double> times;
    double sum = 0.0;
    for (const Stay& s : stays_) {
      times.push_back(s.left_s - s.entered_s);
      sum += times.back();
    }
    std::ranges::sort(times);
    const auto quantile = [&](double q) {  // interpolated linearly between the times
      if (times.empty()) return none;
      const double at = q * static_cast<double>(times.size() - 1);
      const auto low = static_cast<std::size_t>(at), high = std::min(low + 1, times.size() - 1);
      return times[low] + (at - static_cast<double>(low)) * (times[high] - times[low]);
    };
    const auto count = static_cast<double>(times.size());
    return {static_cast<double>(inside_.size()),
            entered_,
            left_,
            count > 0.0 ? sum / count : none,
            quantile(0.5),
            quantile(0.1),
            quantile(0.9)};
  }
  std::optional<MeasuredTable> table() const override {
    MeasuredTable table{{{"body", "1"}, {"entered_s", "s"}, {"left_s", "s"}}, {}};
    for (const Stay& s : stays_) table.rows.push_back({s.body, s.entered_s, s.left_s});
    return table;
  }
  std::vector<double> memory() const override {
    std::vector<double> numbers{entered_, left_, static_cast<double>(inside_.size())};
    for (const auto& [id, since] : inside_) numbers.insert(numbers.end(), {static_cast<double>(id), since});
    for (const Stay& s : stays_) numbers.insert(numbers.end(), {s.body, s.entered_s, s.left_s});
    return numbers;
  }
  void remember(std::vector<double> n) override {
    entered_ = n.at(0);
    left_ = n.at(1);
    std::size_t at = 3;
    for (auto count = static_cast<std::size_t>(n.at(2)); count > 0; --count, at += 2)
      inside_[static_cast<BodyId>(n.at(at))] = n.at(at + 1);
    for (; at + 2 < n.size(); at += 3) stays_.push_back({n[at], n[at + 1], n[at + 2]});
  }

 private:
  struct Stay {
    double body, entered_s, left_s;
  };
  std::optional<Region> region_;
  std::map<BodyId, double> inside_;  // entry time, s; NaN: before the measurement began
  std::vector<Stay> stays_;          // of bodies that entered and left
  double entered_ = 0.0, left_ = 0.0;
};

}  // namespace

std::unique_ptr<Measurement> make_residence(const MeasurementPlan& plan) {
  return std::make_unique<Residence>(plan);
}

}  // namespace scree
