#include "engine/simulation/gap_curvature.h"

#include <algorithm>
#include <cmath>

#include "engine/core/frames.h"

namespace scree {

namespace {

// Upper limit of radii of curvature, over the larger bounding radius.
constexpr double most_flat = 10.0;

}  // namespace

double GapCurvature::radius() const {
  const double det = k11 * k22 - k12 * k12;
  const bool widens = k11 + k22 > 0.0 && det * flattest * flattest > 1.0;
  return widens ? 1.0 / std::sqrt(det) : flattest;
}

std::array<double, 2> GapCurvature::principal() const {
  const double mean = 0.5 * (k11 + k22), apart = std::hypot(0.5 * (k11 - k22), k12), least = 1.0 / flattest;
  return {std::max(mean + apart, least), std::max(mean - apart, least)};
}

GapCurvature gap_curvature(const Model& model, const Bodies& bodies, const Contact& c) {
  const auto across = tangents(c.normal);
  Vec3 sum = Vec3::Zero();
  double most = 0.0;
  const auto add = [&](std::size_t i, const Vec3& arm) {
    const Quat back = bodies.orientation[i].conjugate();
    sum += curvature(model.shapes, bodies.shape[i], back * arm, back * across[0], back * across[1]);
    most = std::max(most, model.shapes.bounding_radius(bodies.shape[i]));
  };
  // Between bodies a contact is midway between the surfaces, at walls it is on the body's surface.
  const bool wall = is_boundary(c.key.b);
  const Vec3 half = wall ? Vec3(Vec3::Zero()) : Vec3(0.5 * c.gap * c.normal);
  add(c.key.a, c.arm_a + half);
  if (!wall) add(c.key.b, c.arm_b - half);
  return {sum[0], sum[1], sum[2], most_flat * most};
}

}  // namespace scree
