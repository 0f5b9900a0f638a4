// Measurement `screening`: separation of small grains from large ones by a screen.
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/measurements/crossings.h"
#include "engine/measurements/kinds.h"

namespace scree {

namespace {

/// Undersize bodies are smaller than the aperture. Efficiency: share of the undersize that passed through the
/// screen in all undersize that left it either way. Purity: share of undersize in what passed through. A body
/// counts at the first of the two planes that it crosses: planes are endless unless they have a radius, and
/// what falls off the end of the screen crosses the plane below it too.
class Screening : public Measurement {
 public:
  explicit Screening(const MeasurementPlan& plan)
      : aperture_(plan.aperture), through_(*plan.plane), over_(*plan.over) {}

  std::vector<MeasuredColumn> columns() const override {
    return {{"efficiency", "1"},
            {"purity", "1"},
            {"through_kg_s", "kg/s"},
            {"over_kg_s", "kg/s"},
            {"undersize_through_kg", "kg", true},
            {"oversize_through_kg", "kg", true},
            {"undersize_over_kg", "kg", true},
            {"oversize_over_kg", "kg", true}};
  }
  bool needs_every_step() const override { return true; }
  void begin(const MeasuredMoment& moment) override {
    for (Crossings* c : {&through_, &over_}) c->see(moment, [](std::size_t, int) {});
  }
  void see(const MeasuredMoment& moment) override {
    const auto add = [&](Crossings& plane, int first) {
      plane.see(moment, [&](std::size_t i, int way) {
        if (way < 0 && !crossed_.contains(moment.bodies.id[i]))
          return;  // it was beyond the plane at the start
        const auto crossed = crossed_.try_emplace(moment.bodies.id[i], Crossed{first, 0}).first;
        if (crossed->second.plane != first) return;
        crossed->second.net += way;
        if (crossed->second.net == 0) crossed_.erase(crossed);
        const bool large = diameter(moment.shapes, moment.bodies.shape[i]) >= aperture_;
        mass_[first + (large ? 1 : 0)] += way * moment.bodies.mass[i];
      });
    };
    add(through_, 0);
    add(over_, 2);
  }
  std::vector<double> row(const MeasuredMoment& moment, double elapsed_s) override {
    forget_removed(moment.bodies.id);
    const double through = mass_[0] + mass_[1], over = mass_[2] + mass_[3];
    std::vector<double> row{ratio(mass_[0], mass_[0] + mass_[2]), ratio(mass_[0], through),
                            (through - last_through_) / elapsed_s, (over - last_over_) / elapsed_s};
    row.insert(row.end(), mass_, mass_ + 4);
    last_through_ = through;
    last_over_ = over;
    return row;
  }
  std::vector<double> memory() const override {
    std::vector<double> numbers(mass_, mass_ + 4);
    numbers.insert(numbers.end(), {last_through_, last_over_});
    through_.append_memory(numbers);
    over_.append_memory(numbers);
    for (const auto& [id, crossed] : crossed_) {
      numbers.push_back(static_cast<double>(id));
      numbers.push_back(crossed.plane);
      numbers.push_back(crossed.net);
    }
    return numbers;
  }
  void remember(std::vector<double> n) override {
    for (int k = 0; k < 4; ++k) mass_[k] = n.at(k);
    last_through_ = n.at(4);
    last_over_ = n.at(5);
    for (std::size_t at = over_.remember(n, through_.remember(n, 6)); at + 2 < n.size(); at += 3)
      crossed_[static_cast<BodyId>(n[at])] = {static_cast<int>(n[at + 1]), static_cast<int>(n[at + 2])};
  }

 private:
  void forget_removed(std::vector<BodyId> present) {
    std::ranges::sort(present);
    std::erase_if(crossed_,
                  [&](const auto& entry) { return !std::ranges::binary_search(present, entry.first); });
  }

  double aperture_;
  Crossings through_, over_;
  /// The plane that a body crossed, by its place in mass_, and how many times more along the normal than
  /// back.
  struct Crossed {
    int plane, net;
  };
  std::map<BodyId, Crossed> crossed_;
  double mass_[4]{};  // kg: undersize and oversize through, undersize and oversize over
  double last_through_ = 0.0, last_over_ = 0.0;
};

}  // namespace

std::unique_ptr<Measurement> make_screening(const MeasurementPlan& plan) {
  return std::make_unique<Screening>(plan);
}

}  // namespace scree
