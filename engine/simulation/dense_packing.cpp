#include "engine/simulation/dense_packing.h"

#include <algorithm>
#include <cmath>

#include "engine/simulation/step.h"

namespace scree {

namespace {

constexpr double loose = 0.12;  // solid fraction up to which random places are found easily
// Decrease of lengths per stage, relative: at first, and the least.
constexpr double first_shrink = 0.02, least_shrink = 2e-5;
// Overlaps over the smaller smallest length: limit before the next shrinking, and limit beyond which
// the shrinking is undone.
constexpr double calm = 2e-3, deep = 0.03;
// Gaps, likewise: the aim, and the final limit, which is larger than differences between methods that compute
// a gap, so that there is no overlap by any of them.
constexpr double margin = 1e-5, enough = 0.5 * margin;
constexpr int rounds_to_calm = 60, rounds_to_end = 4000, sweeps = 16;

Vec3 centre_of(const Region& region, const PeriodicCell& cell) {
  Vec3 centre = bounding_box(region).first;
  for (int k = 0; k < 3; ++k)
    if (cell.periodic[k]) centre[k] = 0.5 * (cell.low[k] + cell.high[k]);
  return centre;
}

/// Is the region as wide as the cell along an axis, so that there is no wall?
bool is_open(const Region& region, const PeriodicCell& cell, int axis) {
  if (!cell.periodic[axis]) return false;
  const auto* box = std::get_if<BoxRegion>(&region);
  constexpr double rounding = 1e-9;
  const double width = cell.high[axis] - cell.low[axis];
  return box != nullptr && box->high[axis] - box->low[axis] >= width * (1.0 - rounding);
}

void set_walls(const Region& region, const PeriodicCell& cell, Model& model) {
  const MaterialIndex material(0);
  if (const auto* box = std::get_if<BoxRegion>(&region)) {
    std::vector<std::string> open;
    for (int k = 0; k < 3; ++k)
      if (is_open(region, cell, k))
        for (const char sign : {'-', '+'}) open.push_back(std::string{sign, "xyz"[k]});
    model.boundaries = box_walls("", material, box->low, box->high, open);
    return;
  }
  const auto& cylinder = std::get<CylinderRegion>(region);
  const Vec3 axis = (cylinder.end - cylinder.start).normalized(), beyond = cylinder.radius * axis;
  model.boundaries = {
      {"", material, Tube{cylinder.start - beyond, cylinder.end + beyond, cylinder.radius, cylinder.radius}},
      {"", material, Plane{cylinder.start, axis}},
      {"", material, Plane{cylinder.end, -axis}}};
}

/// The grains in a separate world, in which only overlaps move them.
class Press {
 public:
  Press(const Shapes& shapes, const std::vector<ShapeIndex>& shape, const Region& region,
        const PeriodicCell& cell, double factor, const std::vector<Pose>& poses)
      : region_(region), cell_(cell), centre_(centre_of(region, cell)), factor_(factor) {
    model_.shapes = shapes;
    model_.materials.add("grain", 1.0);
    Settings& s = model_.settings;
    s.gravity.setZero();
    s.time_step_s = 1.0;
    s.sort_interval = 0;
    s.solver.correction_fraction = 1.0;
    s.solver.correction_slop = -margin;
    s.solver.correction_speed_m_s = infinity;
    s.solver.correction_sweeps = sweeps;
    for (std::size_t i = 0; i < shape.size(); ++i)
      add_body(state_.bodies, model_.shapes, model_.materials, {shape[i], MaterialIndex(0), poses[i], {}});
    place_container();
  }

  double factor() const { return factor_; }
  const Bodies& bodies() const { return state_.bodies; }

  void shrink_to(double factor) {
    for (Vec3& x : state_.bodies.position) x = centre_ + factor / factor_ * (x - centre_);
    factor_ = factor;
    place_container();
  }
  /// Separates overlapping grains until no overlap exceeds `most`; returns the deepest overlap found,
  /// negative if there are only gaps.
  double relax(double most, int rounds) {
    double overlap = infinity;
    for (int k = 0; k < rounds && overlap > most; ++k) {
      const Bodies looked_at = state_.bodies;
      step(model_, state_, workspace_, result_);
      if (!result_.failure.step_is_done()) return infinity;  // a crowd
      overlap = deepest_overlap();
      if (overlap <= most) state_.bodies = looked_at;  // the step has moved them on, maybe closer to others
    }
    return overlap;
  }
  State& state() { return state_; }

 private:
  void place_container() {
    set_walls(enlarged(region_, cell_, factor_), cell_, model_);
    model_.cell = cell_;
    model_.cell.flow.clear();
    model_.cell.held.fill(std::nullopt);
    model_.cell.low = centre_ + factor_ * (cell_.low - centre_);
    model_.cell.high = centre_ + factor_ * (cell_.high - centre_);
  }

  /// Over the smaller smallest length, from the last step.
  double deepest_overlap() const {
    const auto length = [&](std::int32_t partner) {
      if (is_boundary(partner)) return infinity;
      return model_.shapes.smallest_length(state_.bodies.shape[partner]);
    };
    double deepest = -infinity;
    for (const Contact& c : state_.contacts.list)
      deepest = std::max(deepest, -c.gap / std::min(length(c.key.a), length(c.key.b)));
    return deepest;
  }

  Region region_;
  PeriodicCell cell_;
  Vec3 centre_;
  double factor_;
  Model model_;
  State state_;
  Workspace workspace_;
  StepResult result_;
};

}  // namespace

Region enlarged(const Region& region, const PeriodicCell& cell, double factor) {
  const Vec3 centre = centre_of(region, cell);
  const auto moved = [&](const Vec3& x) { return Vec3(centre + factor * (x - centre)); };
  if (const auto* box = std::get_if<BoxRegion>(&region)) return BoxRegion{moved(box->low), moved(box->high)};
  const auto& cylinder = std::get<CylinderRegion>(region);
  return CylinderRegion{moved(cylinder.start), moved(cylinder.end), factor * cylinder.radius};
}

Looseness looseness(const Region& region, double grain_volume) {
  const double fraction = grain_volume / volume(region);
  return {fraction, std::max(1.0, std::cbrt(fraction / loose))};
}

double compress(const Shapes& shapes, const std::vector<ShapeIndex>& shape, const Region& region,
                const PeriodicCell& cell, double factor, std::vector<Pose>& poses) {
  Press press(shapes, shape, region, cell, factor, poses);
  double shrink = first_shrink;
  State good = press.state();
  double good_factor = factor;
  while (press.factor() > 1.0 && shrink >= least_shrink) {
    press.shrink_to(std::max(1.0, press.factor() * (1.0 - shrink)));
    const double overlap = press.relax(calm, rounds_to_calm);
    if (overlap <= calm) {
      good = press.state();
      good_factor = press.factor();
      continue;
    }
    shrink *= 0.5;
    if (overlap <= deep) continue;  // the next one is smaller
    press.shrink_to(good_factor);
    press.state().bodies = good.bodies;
  }
  // There is no overlap at the end; if that is not possible, the final size is larger.
  while (press.relax(-enough, rounds_to_end) > -enough) press.shrink_to(press.factor() * 1.001);
  const Bodies& bodies = press.bodies();
  for (std::size_t i = 0; i < poses.size(); ++i) poses[i] = bodies.pose(i);
  return press.factor();
}

}  // namespace scree
