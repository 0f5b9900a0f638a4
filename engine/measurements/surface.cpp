// Measurement `surface`: the free surface of a heap, a bed or a flow: height along a direction, or about an
// axis.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "engine/measurements/kinds.h"

namespace scree {

namespace {

class FreeSurface : public Measurement {
 public:
  explicit FreeSurface(const MeasurementPlan& plan)
      : region_(plan.region), up_(plan.up), centre_(plan.centre), fit_(plan.fit), cell_(plan.cell) {
    along_ = (plan.along - plan.along.dot(up_) * up_).normalized();
  }

  std::vector<MeasuredColumn> columns() const override {
    std::vector<MeasuredColumn> c{{"angle_deg", "deg"}, {"height_max_m", "m"}, {"height_mean_m", "m"}};
    if (centre_)
      c.push_back({"run_out_m", "m"});
    else
      c.insert(c.end(), {{"front_low_m", "m"}, {"front_high_m", "m"}});
    return c;
  }
  bool needs_contacts() const override { return true; }

  std::vector<double> row(const MeasuredMoment& moment, double) override {
    if (cell_ == 0.0) cell_ = 2.0 * mean_diameter(moment);
    const std::map<std::int64_t, Bin> bins = heights(moment);
    const auto columns_there = static_cast<std::size_t>(centre_ ? 4 : 5);
    if (bins.empty()) return std::vector<double>(columns_there, none);
    const auto [first, last] = connected(bins);
    double most = -infinity, sum = 0.0;
    for (auto k = first;; ++k) {
      most = std::max(most, k->second.height);
      sum += k->second.height;
      Sum& mean = profile_[k->first];
      mean.height += k->second.height;
      mean.count += 1.0;
      if (k == last) break;
    }
    const auto count = static_cast<double>(std::distance(first, last) + 1);
    std::vector<double> row{angle(first, last), most, sum / count};
    if (!centre_) row.push_back(first->second.low);
    row.push_back(last->second.high);
    return row;
  }

  std::optional<MeasuredTable> table() const override {
    MeasuredTable table{{{centre_ ? "radius_m" : "position_m", "m"}, {"height_m", "m"}, {"moments", "1"}},
                        {}};
    for (const auto& [k, sum] : profile_)
      table.rows.push_back({(static_cast<double>(k) + 0.5) * cell_, sum.height / sum.count, sum.count});
    return table;
  }
  std::vector<double> memory() const override {
    std::vector<double> numbers{cell_};
    for (const auto& [k, sum] : profile_)
      numbers.insert(numbers.end(), {static_cast<double>(k), sum.height, sum.count});
    return numbers;
  }
  void remember(std::vector<double> n) override {
    cell_ = n.at(0);
    for (std::size_t at = 1; at + 2 < n.size(); at += 3)
      profile_[static_cast<std::int64_t>(n[at])] = {n[at + 1], n[at + 2]};
  }

 private:
  struct Bin {
    double height = -infinity, low = infinity, high = -infinity, bodies = 0.0;
  };
  struct Sum {
    double height = 0.0, count = 0.0;
  };
  using Bins = std::map<std::int64_t, Bin>;

  /// The coordinate along the direction, or the distance from the axis.
  double coordinate(const Vec3& x) const {
    if (!centre_) return along_.dot(x);
    const Vec3 d = x - *centre_;
    return (d - up_.dot(d) * up_).norm();
  }

  /// Bins of width `cell` by the places of centres, for bodies in contact: flying bodies are not part of
  /// the surface.
  Bins heights(const MeasuredMoment& moment) const {
    const Bodies& bodies = moment.bodies;
    std::vector<std::uint8_t> touches(bodies.size(), moment.knows_contacts ? 0 : 1);
    for (const ContactForce& c : moment.contacts) {
      touches[c.a] = 1;
      if (c.b >= 0) touches[c.b] = 1;
    }
    Bins bins;
    for_bodies_in(moment, region_, [&](std::size_t i, const Vec3& x) {
      if (touches[i] == 0) return;
      const double at = coordinate(x);
      const Vec3 outwards = centre_ ? Vec3(x - *centre_ - up_.dot(x - *centre_) * up_) : along_;
      const auto reach = [&](double sign) {
        return outwards.isZero(0.0) ? 0.0 : half_width(moment, i, sign * outwards.normalized());
      };
      Bin& bin = bins[static_cast<std::int64_t>(std::floor(at / cell_))];
      bin.height = std::max(bin.height, up_.dot(x) + half_width(moment, i, up_));
      bin.low = std::min(bin.low, at - reach(-1.0));
      bin.high = std::max(bin.high, at + reach(1.0));
      bin.bodies += 1.0;
    });
    return bins;
  }
  static double half_width(const MeasuredMoment& moment, std::size_t i, const Vec3& direction) {
    const Vec3 d = moment.bodies.orientation[i].conjugate() * direction;
    return support(moment.shapes, moment.bodies.shape[i], d).dot(d);
  }

  /// The bins connected without a gap to the one with the most bodies.
  static std::pair<Bins::const_iterator, Bins::const_iterator> connected(const Bins& bins) {
    auto first = std::ranges::max_element(
        bins, [](const auto& a, const auto& b) { return a.second.bodies < b.second.bodies; });
    auto last = first;
    while (first != bins.begin() && std::prev(first)->first == first->first - 1) --first;
    while (std::next(last) != bins.end() && std::next(last)->first == last->first + 1) ++last;
    return {first, last};
  }

  /// Angle of the straight line through the heights in the fitted part of the bins: rising along the
  /// direction, falling with the radius.
  double angle(Bins::const_iterator first, Bins::const_iterator last) const {
    const double begin = static_cast<double>(first->first),
                 width = static_cast<double>(last->first) + 1.0 - begin;
    double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (auto k = first;; ++k) {
      const double at = static_cast<double>(k->first) + 0.5, part = (at - begin) / width;
      if (part >= fit_[0] && part <= fit_[1]) {
        n += 1.0;
        x += at;
        y += k->second.height / cell_;
        xx += at * at;
        xy += at * k->second.height / cell_;
      }
      if (k == last) break;
    }
    if (n < 2.0) return none;
    const double slope = (n * xy - x * y) / (n * xx - x * x);
    return (centre_ ? -1.0 : 1.0) * std::atan(slope) * 180.0 / std::numbers::pi;
  }

  std::optional<Region> region_;
  Vec3 along_, up_;
  std::optional<Vec3> centre_;
  Vec2 fit_;
  double cell_;
  std::map<std::int64_t, Sum> profile_;
};

}  // namespace

std::unique_ptr<Measurement> make_surface(const MeasurementPlan& plan) {
  return std::make_unique<FreeSurface>(plan);
}

}  // namespace scree
