// Measurement `flow`: throughput of a plane or an opening.
#include <numeric>

#include "engine/measurements/crossings.h"
#include "engine/measurements/kinds.h"

namespace scree {

void Crossings::append_memory(std::vector<double>& numbers) const {
  numbers.push_back(static_cast<double>(id_.size()));
  for (std::size_t i = 0; i < id_.size(); ++i) {
    numbers.push_back(static_cast<double>(id_[i]));
    append(numbers, position_[i]);
  }
}

std::size_t Crossings::remember(const std::vector<double>& numbers, std::size_t at) {
  const auto count = static_cast<std::size_t>(numbers.at(at++));
  id_.clear();
  position_.clear();
  for (std::size_t i = 0; i < count; ++i, at += 4) {
    id_.push_back(static_cast<BodyId>(numbers.at(at)));
    position_.emplace_back(numbers.at(at + 1), numbers.at(at + 2), numbers.at(at + 3));
  }
  return at;
}

int Crossings::way_through(const PlacedCell& cell, const Vec3& from, const Vec3& to) const {
  const auto way = [&](const Vec3& a, const Vec3& b) {
    const double before = plane_.normal.dot(a - plane_.point), after = plane_.normal.dot(b - plane_.point);
    if ((before < 0.0) == (after < 0.0)) return 0;
    const Vec3 there = a + before / (before - after) * (b - a) - plane_.point;
    if (!(there.norm() <= plane_.radius)) return 0;
    return after >= 0.0 ? 1 : -1;
  };
  if (!cell.is_periodic()) return way(from, to);
  const Vec3 moved = to - from + cell.nearest_image(to - from);
  if (const int found = way(from, from + moved); found != 0) return found;
  const Vec3 ends = to + cell.image_in_cell(to);  // it may have entered through a face of the cell
  return (ends - from - moved).isZero(0.0) ? 0 : way(ends - moved, ends);
}

void Crossings::find_rows() {
  rows_.clear();
  for (std::size_t i = 0; i < id_.size(); ++i) rows_.emplace(id_[i], i);
}

namespace {

/// Sums of a class.
struct Passed {
  double mass = 0.0, bodies = 0.0;
};

/// A row of the throughput since the last one, and in total.
std::vector<double> flow_row(const std::vector<Passed>& since, const std::vector<Passed>& all,
                             double elapsed_s) {
  std::vector<double> row;
  for (const Passed& p : since) row.push_back(p.mass / elapsed_s);
  for (const Passed& p : since) row.push_back(p.bodies / elapsed_s);
  for (const Passed& p : all) row.push_back(p.mass);
  for (const Passed& p : all) row.push_back(p.bodies);
  return row;
}

std::vector<MeasuredColumn> flow_columns(const Classes& classes) {
  std::vector<MeasuredColumn> columns;
  add_columns(columns, "mass_flow_kg_s", "kg/s", classes);
  add_columns(columns, "number_flow_1_s", "1/s", classes);
  const std::size_t first_total = columns.size();
  add_columns(columns, "mass_kg", "kg", classes);
  add_columns(columns, "bodies", "1", classes);
  for (std::size_t k = first_total; k < columns.size(); ++k) columns[k].is_total = true;
  return columns;
}

class PlaneFlow : public Measurement {
 public:
  explicit PlaneFlow(const MeasurementPlan& plan)
      : classes_(plan.classes),
        crossings_(*plan.plane),
        since_(classes_.names().size()),
        all_(since_.size()) {}

  std::vector<MeasuredColumn> columns() const override { return flow_columns(classes_); }
  bool needs_every_step() const override { return true; }
  void begin(const MeasuredMoment& moment) override {
    crossings_.see(moment, [](std::size_t, int) {});
  }
  void see(const MeasuredMoment& moment) override {
    crossings_.see(moment, [&](std::size_t i, int way) {
      for (auto* sums : {&since_, &all_}) {
        Passed& p = (*sums)[classes_.of(moment, i)];
        p.mass += way * moment.bodies.mass[i];
        p.bodies += way;
      }
    });
  }
  std::vector<double> row(const MeasuredMoment&, double elapsed_s) override {
    std::vector<double> row = flow_row(since_, all_, elapsed_s);
    std::ranges::fill(since_, Passed{});
    return row;
  }
  std::vector<double> memory() const override {
    std::vector<double> numbers;
    for (const auto* sums : {&since_, &all_})
      for (const Passed& p : *sums) numbers.insert(numbers.end(), {p.mass, p.bodies});
    crossings_.append_memory(numbers);
    return numbers;
  }
  void remember(std::vector<double> numbers) override {
    std::size_t at = 0;
    for (auto* sums : {&since_, &all_})
      for (Passed& p : *sums) {
        p = {numbers.at(at), numbers.at(at + 1)};
        at += 2;
      }
    crossings_.remember(numbers, at);
  }

 private:
  Classes classes_;
  Crossings crossings_;
  std::vector<Passed> since_, all_;  // [class]
};

/// The flow of an inlet or outlet, which has its own counters.
class OpeningFlow : public Measurement {
 public:
  explicit OpeningFlow(const MeasurementPlan& plan) : opening_(*plan.opening) {}
  std::vector<MeasuredColumn> columns() const override { return flow_columns({}); }
  bool needs_bodies() const override { return false; }
  void begin(const MeasuredMoment& moment) override { first_ = last_ = passed(moment); }
  std::vector<double> row(const MeasuredMoment& moment, double elapsed_s) override {
    const Passed now = passed(moment);
    std::vector<double> row = flow_row({minus(now, last_)}, {minus(now, first_)}, elapsed_s);
    last_ = now;
    return row;
  }
  std::vector<double> memory() const override {
    return {first_.mass, first_.bodies, last_.mass, last_.bodies};
  }
  void remember(std::vector<double> n) override {
    first_ = {n.at(0), n.at(1)};
    last_ = {n.at(2), n.at(3)};
  }

 private:
  static Passed minus(const Passed& a, const Passed& b) { return {a.mass - b.mass, a.bodies - b.bodies}; }
  Passed passed(const MeasuredMoment& moment) const {
    if (opening_ >= moment.passed.size()) return {};
    const Throughput& t = moment.passed[opening_];
    return {t.mass, static_cast<double>(t.bodies)};
  }
  std::size_t opening_;
  Passed first_, last_;
};

}  // namespace

std::unique_ptr<Measurement> make_flow(const MeasurementPlan& plan) {
  if (plan.opening) return std::make_unique<OpeningFlow>(plan);
  return std::make_unique<PlaneFlow>(plan);
}

}  // namespace scree
