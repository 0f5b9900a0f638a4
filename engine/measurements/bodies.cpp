// Measurement `bodies`: paths of some bodies.
#include <algorithm>
#include <cmath>

#include "engine/measurements/kinds.h"

namespace scree {

namespace {

class Tracks : public Measurement {
 public:
  explicit Tracks(const MeasurementPlan& plan) : ids_(plan.bodies), up_(plan.up) {}

  std::vector<MeasuredColumn> columns() const override {
    std::vector<MeasuredColumn> columns;
    for (const BodyId id : ids_) {
      const std::string of = '.' + std::to_string(id);
      add_vector(columns, "position_", "_m" + of, "m");
      add_vector(columns, "velocity_", "_m_s" + of, "m/s");
      columns.push_back({"rank" + of, "1"});
    }
    return columns;
  }
  /// Rank: the share of the other bodies with lower centres, 0 to 1; in a periodic cell of the images in it.
  std::vector<double> row(const MeasuredMoment& moment, double) override {
    const Bodies& bodies = moment.bodies;
    const auto height_of = [&](const Vec3& x) {
      return up_.dot(moment.cell.is_periodic() ? Vec3(x + moment.cell.image_in_cell(x)) : x);
    };
    std::vector<double> row;
    for (const BodyId id : ids_) {
      const auto found = std::ranges::find(bodies.id, id);
      if (found == bodies.id.end()) {
        row.insert(row.end(), 7, none);
        continue;
      }
      const auto i = static_cast<std::size_t>(found - bodies.id.begin());
      append(row, bodies.position[i]);
      append(row, bodies.linear_velocity[i]);
      const double height = height_of(bodies.position[i]);
      const auto lower =
          std::ranges::count_if(bodies.position, [&](const Vec3& x) { return height_of(x) < height; });
      row.push_back(bodies.size() > 1 ? static_cast<double>(lower) / static_cast<double>(bodies.size() - 1)
                                      : none);
    }
    return row;
  }

 private:
  std::vector<BodyId> ids_;
  Vec3 up_;
};

}  // namespace

std::unique_ptr<Measurement> make_bodies(const MeasurementPlan& plan) {
  return std::make_unique<Tracks>(plan);
}

}  // namespace scree
