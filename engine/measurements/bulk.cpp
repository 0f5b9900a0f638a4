// Measurement `bulk`: density, motion, contacts and stress of grains in a region.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "engine/measurements/kinds.h"

namespace scree {

namespace {

/// The direction of a body: the axis whose moment of inertia differs most from the other two,
/// such as the long axis of a rod or the short one of a disc. Zero if there is none.
Vec3 direction_of(const Bodies& bodies, std::size_t i) {
  const Vec3& moments = bodies.inertia[i];
  int axis = 0;
  double most = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double other = 0.5 * (moments.sum() - moments[k]);
    if (std::abs(moments[k] - other) > most) {
      most = std::abs(moments[k] - other);
      axis = k;
    }
  }
  constexpr double alike = 1e-6;
  return most > alike * moments.sum() ? Vec3(bodies.orientation[i] * Vec3::Unit(axis)) : Vec3(Vec3::Zero());
}

/// Velocity v + G (x - c), fitted to the bodies by mass; and the mean square of the residuals, times the
/// mass.
struct Flow {
  Vec3 centre = Vec3::Zero(), velocity = Vec3::Zero();
  Mat3 gradient = Mat3::Zero();  // 1/s, dv_i/dx_j
  bool has_gradient = false;     // are there enough bodies for it?
  double freedom = 0.0;          // share of the mean square of random velocities that the fit leaves
  Vec3 at(const Vec3& x) const { return velocity + gradient * (x - centre); }
};

struct BodyInside {
  std::size_t body;
  Vec3 centre, velocity;  // of the image
};

Flow fitted_flow(const Bodies& bodies, const std::vector<BodyInside>& inside, double mean_diameter) {
  Flow flow;
  double mass = 0.0;
  for (const BodyInside& b : inside) {
    const double m = bodies.mass[b.body];
    mass += m;
    flow.centre += m * b.centre;
    flow.velocity += m * b.velocity;
  }
  if (mass == 0.0) return flow;
  flow.centre /= mass;
  flow.velocity /= mass;
  Mat3 places = Mat3::Zero(), both = Mat3::Zero();
  for (const BodyInside& b : inside) {
    const double m = bodies.mass[b.body];
    const Vec3 x = b.centre - flow.centre;
    places += m * x * x.transpose();
    both += m * (b.velocity - flow.velocity) * x.transpose();
  }
  constexpr std::size_t fewest = 8;  // bodies necessary to distinguish a gradient from their own motion
  flow.has_gradient = inside.size() >= fewest;
  // Along directions in which their places hardly differ it is unknown.
  constexpr double least_spread = 0.25;  // diameters, root mean square
  double fitted = 1.0;                   // parameters for each component of the velocity
  if (flow.has_gradient) {
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(places);
    for (int k = 0; k < 3; ++k) {
      const Vec3 axis = eigen.eigenvectors().col(k);
      if (!(eigen.eigenvalues()[k] > mass * std::pow(least_spread * mean_diameter, 2))) continue;
      flow.gradient += both * axis * axis.transpose() / eigen.eigenvalues()[k];
      fitted += 1.0;
    }
  }
  flow.freedom = 1.0 - fitted / static_cast<double>(inside.size());
  return flow;
}

class Bulk : public Measurement {
 public:
  explicit Bulk(const MeasurementPlan& plan)
      : region_(plan.region), flow_axis_(plan.along), rattlers_below_(plan.rattlers_below) {
    gradient_axis_ = (plan.up - plan.up.dot(flow_axis_) * flow_axis_).normalized();
  }

  std::vector<MeasuredColumn> columns() const override {
    std::vector<MeasuredColumn> c{{"bodies", "1"}, {"mass_kg", "kg"}, {"solid_fraction", "1"}};
    add_vector(c, "centre_", "_m", "m");
    add_vector(c, "velocity_", "_m_s", "m/s");
    c.insert(c.end(), {{"temperature_m2_s2", "m2/s2"},
                       {"shear_rate_1_s", "1/s"},
                       {"contact_number", "1"},
                       {"contact_number_without_rattlers", "1"},
                       {"share_of_rattlers", "1"},
                       {"pressure_Pa", "Pa"},
                       {"shear_stress_Pa", "Pa"},
                       {"mu", "1"},
                       {"mu_flow", "1"},
                       {"inertial_number", "1"},
                       {"normal_stress_difference_1", "1"},
                       {"normal_stress_difference_2", "1"}});
    for (const char* ij : {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"})
      c.push_back({std::string("stress_") + ij + "_Pa", "Pa"});
    c.push_back({"orientation_order", "1"});
    add_vector(c, "director_", "", "1");
    return c;
  }
  std::vector<std::string> headlines() const override {
    return {"solid_fraction", "contact_number", "pressure_Pa", "mu"};
  }
  bool needs_contacts() const override { return true; }

  std::vector<double> row(const MeasuredMoment& moment, double) override {
    const Bodies& bodies = moment.bodies;
    std::vector<BodyInside> inside;
    for_bodies_in(moment, region_, [&](std::size_t i, const Vec3& x) {
      inside.push_back(
          {i, x, bodies.linear_velocity[i] + moment.cell.image_velocity(x - bodies.position[i])});
    });
    const double space = measured_volume(moment, region_);
    double mass = 0.0, volumes = 0.0, diameters = 0.0, squares = 0.0;
    for (const BodyInside& b : inside) {
      diameters += diameter(moment.shapes, bodies.shape[b.body]);
      squares += bodies.mass[b.body] * b.velocity.squaredNorm();
    }
    const auto count = static_cast<double>(inside.size());
    const Flow flow = fitted_flow(bodies, inside, diameters / count);
    Mat3 kinetic = Mat3::Zero();
    for (const BodyInside& b : inside) {
      const double m = bodies.mass[b.body];
      const Vec3 v = b.velocity - flow.at(b.centre);
      mass += m;
      volumes += volume(moment.shapes, bodies.shape[b.body]);
      kinetic += m * v * v.transpose();
    }
    constexpr double rounding = 1e-24;
    if (kinetic.trace() < rounding * squares) kinetic.setZero();
    const bool is_known = flow.freedom > 0.0;  // of more than one body
    if (is_known) kinetic /= flow.freedom;
    std::vector<double> row{count, mass, solid_volume_inside(moment) / space};
    append(row, mass > 0.0 ? flow.centre : Vec3(Vec3::Constant(none)));
    append(row, mass > 0.0 ? flow.velocity : Vec3(Vec3::Constant(none)));
    row.push_back(is_known ? ratio(kinetic.trace(), 3.0 * mass) : none);
    const Mat3 rate = 0.5 * (flow.gradient + flow.gradient.transpose());
    const Mat3 deviation = rate - rate.trace() / 3.0 * Mat3::Identity();
    const double shear_rate = flow.has_gradient ? std::sqrt(2.0 * deviation.squaredNorm()) : none;
    row.push_back(shear_rate);
    add_contact_numbers(moment, inside, row);
    const Mat3 stress = moment.knows_contacts
                            ? Mat3((contact_forces_times_branches(moment) + kinetic) / space)
                            : Mat3(Mat3::Constant(none));
    const double pressure = stress.trace() / 3.0;
    const Mat3 even = 0.5 * (stress + stress.transpose()) - pressure * Mat3::Identity();
    const double shear = std::sqrt(0.5 * even.squaredNorm());
    const Vec3 across = gradient_axis_.cross(flow_axis_);
    const auto normal = [&](const Vec3& n) { return n.dot(stress * n); };
    row.insert(row.end(), {pressure, shear, ratio(shear, pressure),
                           ratio(std::abs(flow_axis_.dot(even * gradient_axis_)), pressure),
                           shear_rate * diameters / count * std::sqrt(ratio(mass / volumes, pressure)),
                           ratio(normal(flow_axis_) - normal(gradient_axis_), pressure),
                           ratio(normal(gradient_axis_) - normal(across), pressure)});
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) row.push_back(stress(i, j));
    add_order(bodies, inside, row);
    return row;
  }

 private:
  double solid_volume_inside(const MeasuredMoment& moment) const {
    const Bodies& bodies = moment.bodies;
    double solid = 0.0;
    if (!region_)
      for (const ShapeIndex shape : bodies.shape) solid += volume(moment.shapes, shape);
    else
      for_bodies_near(moment, *region_, [&](std::size_t i, const Vec3& x) {
        solid += volume(moment.shapes, bodies.shape[i]) * part_of_body(moment, i, x, *region_);
      });
    return solid;
  }

  /// N m: the sum over contacts of the force on body a times the line to its centre from that of b or, for a
  /// wall, from the contact; only the part in the region, with the line through the contact's point.
  Mat3 contact_forces_times_branches(const MeasuredMoment& moment) const {
    // In a whole cell the engine sums all parts of a step, substeps and halves.
    if (!region_ && moment.observed != nullptr) {
      const StepResult& step = moment.observed->result;
      if (step.report.time_step_s > 0.0) return step.contact_moment / step.report.time_step_s;
    }
    Mat3 sum = Mat3::Zero();
    const auto box = region_ ? bounding_box(*region_) : std::pair{Vec3(Vec3::Zero()), Vec3(Vec3::Zero())};
    for (const ContactForce& c : moment.contacts) {
      const auto to_point = [&](std::int32_t body) {  // from the point to the centre of the nearest image
        const Vec3 d = moment.bodies.position[body] - c.point;
        return moment.cell.is_periodic() ? Vec3(d + moment.cell.nearest_image(d)) : d;
      };
      const Vec3 a = to_point(c.a), b = c.b >= 0 ? to_point(c.b) : Vec3(Vec3::Zero());
      if (!region_) {
        sum += c.force * (a - b).transpose();
        continue;
      }
      const auto add = [&](const Vec3& point) {
        const Vec3 branch =
            part_of_line(*region_, point, point + a) * a -
            (c.b >= 0 ? Vec3(part_of_line(*region_, point, point + b) * b) : Vec3(Vec3::Zero()));
        sum += c.force * branch.transpose();
      };
      const Vec3 reach = a.cwiseAbs().cwiseMax(b.cwiseAbs());
      if (!moment.cell.is_periodic()) {
        if (((c.point - box.first).cwiseAbs() - box.second - reach).maxCoeff() <= 0.0) add(c.point);
        continue;
      }
      moment.cell.visit_images(c.point, box.first, box.second + reach, [&](const Vec3& shift) {
        add(c.point + shift);
        return true;
      });
    }
    return sum;
  }

  void add_contact_numbers(const MeasuredMoment& moment, const std::vector<BodyInside>& inside,
                           std::vector<double>& row) const {
    if (!moment.knows_contacts) {
      row.insert(row.end(), 3, none);
      return;
    }
    std::vector<int> contacts(moment.bodies.size(), 0);
    for (const ContactForce& c : moment.contacts) {
      ++contacts[c.a];
      if (c.b >= 0) ++contacts[c.b];
    }
    double all = 0.0, of_others = 0.0, rattlers = 0.0;
    for (const BodyInside& b : inside) {
      const int n = contacts[b.body];
      all += n;
      if (n < rattlers_below_)
        rattlers += 1.0;
      else
        of_others += n;
    }
    const auto count = static_cast<double>(inside.size());
    row.insert(row.end(), {ratio(all, count), ratio(of_others, count - rattlers), ratio(rattlers, count)});
  }

  /// The nematic order of the bodies' directions u: the eigenvalue of largest magnitude of <3 u u^T - 1> / 2,
  /// 1 if all are parallel, 0 if they are random, -1/2 if they are in a plane; and its eigenvector.
  void add_order(const Bodies& bodies, const std::vector<BodyInside>& inside,
                 std::vector<double>& row) const {
    Mat3 sum = Mat3::Zero();
    double count = 0.0;
    for (const BodyInside& b : inside) {
      const Vec3 u = direction_of(bodies, b.body);
      if (u.isZero(0.0)) continue;
      sum += 1.5 * u * u.transpose() - 0.5 * Mat3::Identity();
      count += 1.0;
    }
    if (count == 0.0) {
      row.insert(row.end(), 4, none);
      return;
    }
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(sum / count);
    const Vec3& values = eigen.eigenvalues();
    const int largest = std::abs(values[0]) > std::abs(values[2]) ? 0 : 2;
    Vec3 director = eigen.eigenvectors().col(largest);
    int most;
    director.cwiseAbs().maxCoeff(&most);
    row.push_back(values[largest]);
    append(row, director[most] < 0.0 ? Vec3(-director) : director);
  }

  std::optional<Region> region_;
  Vec3 flow_axis_, gradient_axis_;
  int rattlers_below_;
};

}  // namespace

std::unique_ptr<Measurement> make_bulk(const MeasurementPlan& plan) { return std::make_unique<Bulk>(plan); }

}  // namespace scree
