// Measurement `profile`: layers of a region along its axis, with means over space and time.
#include <algorithm>
#include <cmath>

#include "engine/measurements/kinds.h"

namespace scree {

namespace {

class Profile : public Measurement {
 public:
  explicit Profile(const MeasurementPlan& plan) : region_(*plan.region), cell_(plan.cell) {
    if (const auto* cylinder = std::get_if<CylinderRegion>(&region_)) {
      axis_ = (cylinder->end - cylinder->start).normalized();
      low_ = axis_.dot(cylinder->start);
      high_ = axis_.dot(cylinder->end);
    } else {
      const auto [middle, half] = bounding_box(region_);
      axis_ = plan.along;
      const double reach = axis_.cwiseAbs().dot(half);
      low_ = axis_.dot(middle) - reach;
      high_ = axis_.dot(middle) + reach;
    }
  }

  std::vector<MeasuredColumn> columns() const override { return {{"bodies", "1"}, {"mass_kg", "kg"}}; }

  std::vector<double> row(const MeasuredMoment& moment, double) override {
    const Bodies& bodies = moment.bodies;
    moments_ += 1.0;
    if (bodies.size() == 0) return {0.0, 0.0};  // no size for the layers yet
    make_layers(moment);
    double count = 0.0, all = 0.0;
    for_bodies_in(moment, region_, [&](std::size_t i, const Vec3& x) {
      const double m = bodies.mass[i];
      const Vec3 v = bodies.linear_velocity[i] + moment.cell.image_velocity(x - bodies.position[i]);
      const double at = (axis_.dot(x) - low_) / layers_.thickness;
      Layer& layer = sums_[std::min(static_cast<std::size_t>(std::max(at, 0.0)), sums_.size() - 1)];
      layer.bodies += 1.0;
      layer.mass += m;
      layer.momentum += m * v;
      layer.squares += m * v.squaredNorm();
      count += 1.0;
      all += m;
    });
    std::vector<double> solid(sums_.size(), 0.0);
    for_bodies_near(moment, region_, [&](std::size_t i, const Vec3& x) {
      add_volume_in_layers(moment, i, x, region_, layers_, solid);
    });
    for (std::size_t k = 0; k < solid.size(); ++k) sums_[k].solid += solid[k];
    return {count, all};
  }

  std::optional<MeasuredTable> table() const override {
    MeasuredTable table{{{"position_m", "m"},
                         {"solid_fraction", "1"},
                         {"density_kg_m3", "kg/m3"},
                         {"velocity_x_m_s", "m/s"},
                         {"velocity_y_m_s", "m/s"},
                         {"velocity_z_m_s", "m/s"},
                         {"temperature_m2_s2", "m2/s2"},
                         {"bodies", "1"},
                         {"moments", "1"}},
                        {}};
    const double space = volume(region_) / (high_ - low_) * layers_.thickness;
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      const Layer& s = sums_[k];
      const Vec3 v = s.mass > 0.0 ? Vec3(s.momentum / s.mass) : Vec3(Vec3::Constant(none));
      table.rows.push_back({low_ + (static_cast<double>(k) + 0.5) * layers_.thickness,
                            s.solid / (space * moments_), s.mass / (space * moments_), v[0], v[1], v[2],
                            s.mass > 0.0 ? (s.squares / s.mass - v.squaredNorm()) / 3.0 : none,
                            s.bodies / moments_, moments_});
    }
    return table;
  }
  std::vector<double> memory() const override {
    std::vector<double> numbers{moments_, layers_.thickness};
    for (const Layer& s : sums_) {
      numbers.insert(numbers.end(), {s.bodies, s.mass, s.squares, s.solid});
      append(numbers, s.momentum);
    }
    return numbers;
  }
  void remember(std::vector<double> n) override {
    moments_ = n.at(0);
    if (n.size() == 2) return;
    set_layers((n.size() - 2) / 7);
    std::size_t at = 2;
    for (Layer& s : sums_) {
      s = {n[at], n[at + 1], n[at + 2], n[at + 3], {n[at + 4], n[at + 5], n[at + 6]}};
      at += 7;
    }
  }

 private:
  struct Layer {
    double bodies = 0.0, mass = 0.0, squares = 0.0, solid = 0.0;  // 1, kg, kg m^2/s^2, m^3
    Vec3 momentum = Vec3::Zero();                                 // kg m/s
  };
  void make_layers(const MeasuredMoment& moment) {
    if (!sums_.empty()) return;
    const double wanted = cell_ > 0.0 ? cell_ : std::max(mean_diameter(moment), 1e-3 * (high_ - low_));
    set_layers(static_cast<std::size_t>(std::clamp(std::round((high_ - low_) / wanted), 1.0, 1e6)));
  }
  void set_layers(std::size_t count) {
    layers_ = {axis_, low_, (high_ - low_) / static_cast<double>(count), count};
    sums_.assign(count, {});
  }

  Region region_;
  double cell_;
  Vec3 axis_;
  double low_ = 0.0, high_ = 0.0;  // m, along the axis
  Layers layers_;
  std::vector<Layer> sums_;
  double moments_ = 0.0;
};

}  // namespace

std::unique_ptr<Measurement> make_profile(const MeasurementPlan& plan) {
  return std::make_unique<Profile>(plan);
}

}  // namespace scree
