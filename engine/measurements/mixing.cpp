// Measurement `mixing`: mixing and segregation of classes of bodies.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "engine/measurements/kinds.h"

namespace scree {

namespace {

class Mixing : public Measurement {
 public:
  explicit Mixing(const MeasurementPlan& plan)
      : region_(plan.region),
        classes_(plan.classes),
        by_place_(plan.by_place),
        along_(plan.along),
        up_(plan.up),
        cell_(plan.cell) {}

  std::vector<MeasuredColumn> columns() const override {
    std::vector<MeasuredColumn> c{{"lacey_index", "1"}, {"segregation_index", "1"}, {"cells", "1"}};
    for (const std::string& of : names()) {
      add_vector(c, "centre_", "_m." + of, "m");
      c.push_back({"bodies." + of, "1"});
    }
    return c;
  }

  void begin(const MeasuredMoment& moment) override {
    if (!by_place_) return;
    std::vector<double> places;
    for_bodies_in(moment, region_, [&](std::size_t, const Vec3& x) { places.push_back(along_.dot(x)); });
    if (places.empty()) return;
    const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
    std::ranges::nth_element(places, middle);
    const double border = *middle;
    for_bodies_in(moment, region_, [&](std::size_t i, const Vec3& x) {
      (along_.dot(x) < border ? low_ : high_).insert(moment.bodies.id[i]);
    });
  }

  std::vector<double> row(const MeasuredMoment& moment, double) override {
    if (cell_ == 0.0) cell_ = 4.0 * mean_diameter(moment);
    const std::size_t kinds = names().size();
    std::vector<Vec3> centre(kinds, Vec3::Zero());
    std::vector<double> count(kinds, 0.0);
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::pair<double, double>> cells;
    double mean = 0.0, square = 0.0, all = 0.0;
    // The first two classes that have bodies: a wall's material is a class too, which no body is of.
    std::vector<bool> is_there(kinds, false);
    for_bodies_in(moment, region_, [&](std::size_t i, const Vec3&) {
      if (const std::optional<std::size_t> kind = kind_of(moment, i)) is_there[*kind] = true;
    });
    const auto next = [&](std::size_t from) {
      return static_cast<std::size_t>(
          std::find(is_there.begin() + static_cast<std::ptrdiff_t>(from), is_there.end(), true) -
          is_there.begin());
    };
    const std::size_t lead = next(0), second = lead < kinds ? next(lead + 1) : kinds;
    for_bodies_in(moment, region_, [&](std::size_t i, const Vec3& x) {
      const std::optional<std::size_t> kind = kind_of(moment, i);
      if (!kind) return;
      centre[*kind] += x;
      count[*kind] += 1.0;
      const double height = up_.dot(x);
      mean += height;
      square += height * height;
      all += 1.0;
      const auto at = [&](int k) { return static_cast<std::int64_t>(std::floor(x[k] / cell_)); };
      auto& [first, together] = cells[{at(0), at(1), at(2)}];
      first += *kind == lead ? 1.0 : 0.0;
      together += 1.0;
    });
    std::vector<double> row = lacey(cells, lead < kinds ? count[lead] : 0.0, all);
    for (std::size_t k = 0; k < kinds; ++k)
      centre[k] = count[k] > 0.0 ? Vec3(centre[k] / count[k]) : Vec3(Vec3::Constant(none));
    const double spread = std::sqrt(std::max(0.0, square / all - mean * mean / (all * all)));
    // A column of the height h has the spread h / sqrt(12); its halves are h / 2 apart.
    const double apart =
        second < kinds ? up_.dot(centre[lead] - centre[second]) / (std::sqrt(3.0) * spread) : none;
    row.insert(row.begin() + 1, apart);
    for (std::size_t k = 0; k < kinds; ++k) {
      append(row, centre[k]);
      row.push_back(count[k]);
    }
    return row;
  }

  std::vector<double> memory() const override {
    std::vector<double> numbers{cell_, static_cast<double>(low_.size())};
    for (const auto* ids : {&low_, &high_})
      for (const BodyId id : *ids) numbers.push_back(static_cast<double>(id));
    return numbers;
  }
  void remember(std::vector<double> n) override {
    cell_ = n.at(0);
    for (std::size_t k = 2; k < n.size(); ++k)
      (static_cast<double>(k - 2) < n.at(1) ? low_ : high_).insert(static_cast<BodyId>(n[k]));
  }

 private:
  std::vector<std::string> names() const {
    return by_place_ ? std::vector<std::string>{"low", "high"} : classes_.names();
  }
  std::optional<std::size_t> kind_of(const MeasuredMoment& moment, std::size_t i) const {
    if (!by_place_) return classes_.of(moment, i);
    if (low_.contains(moment.bodies.id[i])) return 0;
    if (high_.contains(moment.bodies.id[i])) return 1;
    return std::nullopt;
  }

  /// Lacey (1954): (S0^2 - S^2) / (S0^2 - Sr^2) of the share of the first class in cells, weighted by bodies:
  /// S0^2 = p (1 - p) for separate classes, Sr^2 = p (1 - p) / n for random mixing, with n
  /// bodies per cell. And the number of cells.
  static std::vector<double> lacey(const auto& cells, double firsts, double all) {
    const double p = all > 0.0 ? firsts / all : none, apart = p * (1.0 - p);
    double variance = 0.0, inverse = 0.0;
    for (const auto& [place, sums] : cells) {
      const auto& [first, together] = sums;
      variance += together / all * (first / together - p) * (first / together - p);
      inverse += 1.0 / all;  // of n, by bodies
    }
    const double random = apart * inverse;
    return {apart > random ? (apart - variance) / (apart - random) : none, static_cast<double>(cells.size())};
  }

  std::optional<Region> region_;
  Classes classes_;
  bool by_place_;
  Vec3 along_, up_;
  double cell_;
  std::set<BodyId> low_, high_;  // halves at the start
};

}  // namespace

std::unique_ptr<Measurement> make_mixing(const MeasurementPlan& plan) {
  return std::make_unique<Mixing>(plan);
}

}  // namespace scree
