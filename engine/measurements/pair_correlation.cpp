// Measurement `pair_correlation`: distances of pairs of bodies relative to random places.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include "engine/measurements/kinds.h"

namespace scree {

namespace {

/// g(r). In a box, pairs count whose first body is farther than the last bin from its sides, so that all
/// second bodies are seen; in a periodic cell all pairs count.
class PairCorrelation : public Measurement {
 public:
  explicit PairCorrelation(const MeasurementPlan& plan)
      : region_(plan.region), radius_(plan.radius), cell_(plan.cell) {}

  std::vector<MeasuredColumn> columns() const override {
    return {{"bodies", "1"}, {"pairs", "1"}, {"first_peak_m", "m"}, {"first_peak", "1"}};
  }

  std::vector<double> row(const MeasuredMoment& moment, double) override {
    if (moment.bodies.size() == 0) return {0.0, 0.0, none, none};  // no size for the bins yet
    make_bins(moment);
    std::vector<Vec3> all;
    for_bodies_in(moment, region_, [&](std::size_t, const Vec3& x) { all.push_back(x); });
    const std::vector<double> found = count_pairs(moment, all);
    double firsts = 0.0, pairs = 0.0;
    for (const Vec3& x : all) firsts += is_first(x) ? 1.0 : 0.0;
    const double density = static_cast<double>(all.size()) / measured_volume(moment, region_);
    double most = 0.0, at = none;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double expected = firsts * density * shell(k);
      counted_[k] += found[k];
      expected_[k] += expected;
      pairs += found[k];
      if (expected > 0.0 && found[k] / expected > most) {
        most = found[k] / expected;
        at = middle(k);
      }
    }
    return {firsts, pairs, at, most > 0.0 ? most : none};
  }

  std::optional<MeasuredTable> table() const override {
    MeasuredTable table{{{"distance_m", "m"}, {"pair_correlation", "1"}, {"pairs", "1"}}, {}};
    for (std::size_t k = 0; k < counted_.size(); ++k)
      table.rows.push_back({middle(k), expected_[k] > 0.0 ? counted_[k] / expected_[k] : none, counted_[k]});
    return table;
  }
  std::vector<double> memory() const override {
    std::vector<double> numbers{radius_, cell_};
    for (std::size_t k = 0; k < counted_.size(); ++k)
      numbers.insert(numbers.end(), {counted_[k], expected_[k]});
    return numbers;
  }
  void remember(std::vector<double> n) override {
    radius_ = n.at(0);
    cell_ = n.at(1);
    for (std::size_t at = 2; at + 1 < n.size(); at += 2) {
      counted_.push_back(n[at]);
      expected_.push_back(n[at + 1]);
    }
  }

 private:
  double middle(std::size_t k) const { return (static_cast<double>(k) + 0.5) * cell_; }
  double shell(std::size_t k) const {
    const double r = static_cast<double>(k) * cell_, R = r + cell_;
    return 4.0 / 3.0 * std::numbers::pi * (R * R * R - r * r * r);
  }
  void make_bins(const MeasuredMoment& moment) {
    if (!counted_.empty()) return;
    const double d = mean_diameter(moment);
    if (radius_ == 0.0) radius_ = 4.0 * d;
    if (cell_ == 0.0) cell_ = 0.05 * d;
    const auto count = static_cast<std::size_t>(std::clamp(std::ceil(radius_ / cell_ - 1e-9), 1.0, 1e6));
    counted_.assign(count, 0.0);
    expected_.assign(count, 0.0);
  }
  bool is_first(const Vec3& x) const {
    const auto* box = region_ ? std::get_if<BoxRegion>(&*region_) : nullptr;
    return box == nullptr || (x - box->low).cwiseMin(box->high - x).minCoeff() >= reach();
  }
  double reach() const { return static_cast<double>(counted_.size()) * cell_; }

  std::vector<double> count_pairs(const MeasuredMoment& moment, const std::vector<Vec3>& all) const {
    std::vector<double> found(counted_.size(), 0.0);
    const double reach = this->reach();
    const bool wraps = !region_ && moment.cell.is_periodic();
    using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
    std::map<Place, std::vector<Vec3>> grid;
    const auto place = [&](const Vec3& x) {
      const auto at = [&](int k) { return static_cast<std::int64_t>(std::floor(x[k] / reach)); };
      return Place{at(0), at(1), at(2)};
    };
    if (wraps) {  // all images that a body in the cell may meet
      const Vec3 corner = 0.5 * moment.cell.lattice.cwiseAbs().rowwise().sum();
      for (const Vec3& x : all)
        moment.cell.visit_images(x, moment.cell.centre, corner + Vec3::Constant(reach),
                                 [&](const Vec3& shift) {
                                   grid[place(x + shift)].push_back(x + shift);
                                   return true;
                                 });
    } else {
      for (const Vec3& x : all) grid[place(x)].push_back(x);
    }
    for (const Vec3& x : all) {
      if (!is_first(x)) continue;
      const auto [i, j, k] = place(x);
      for (std::int64_t a = i - 1; a <= i + 1; ++a)
        for (std::int64_t b = j - 1; b <= j + 1; ++b)
          for (std::int64_t c = k - 1; c <= k + 1; ++c) {
            const auto near = grid.find({a, b, c});
            if (near == grid.end()) continue;
            for (const Vec3& y : near->second) {
              const double r = (y - x).norm();
              if (r > 0.0 && r < reach)
                found[std::min(static_cast<std::size_t>(r / cell_), found.size() - 1)] += 1.0;
            }
          }
    }
    return found;
  }

  std::optional<Region> region_;
  double radius_, cell_;
  std::vector<double> counted_, expected_;  // [bin] pairs, of all moments
};

}  // namespace

std::unique_ptr<Measurement> make_pair_correlation(const MeasurementPlan& plan) {
  return std::make_unique<PairCorrelation>(plan);
}

}  // namespace scree
