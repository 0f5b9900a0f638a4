// Quality of the poses at the end of a run, measured alike for all engines: overlaps of the true ellipsoids,
// solid fraction, kinetic energy, bodies lost. Usage: overlaps states=POSES.csv and the neutral scene
// (peers.h). Prints JSON.
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>

#include "benchmarks/peers/peers.h"
#include "engine/detection/broad_phase.h"
#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/ellipsoid_plane.h"

namespace {

using namespace scree;

constexpr double bed_quantile = 0.9;  // the bed reaches up to this quantile of the centres' heights

Vec3 vector(const peers::Three& v) { return {v[0], v[1], v[2]}; }

struct Overlaps {
  int pairs = 0, at_walls = 0;      // pairs that overlap
  double sum = 0.0, deepest = 0.0;  // over the smallest semi-axis
  void add(double distance, double unit, int& count) {
    if (!(distance < 0.0)) return;
    ++count;
    sum -= distance / unit;
    deepest = std::max(deepest, -distance / unit);
  }
};

/// Bodies inside the box: with finite values, and a centre within the walls and above the floor.
std::vector<peers::BodyState> inside(const std::vector<peers::BodyState>& states, double half_side) {
  std::vector<peers::BodyState> result;
  for (const peers::BodyState& s : states) {
    double sum = 0.0;
    for (const double q : s.orientation) sum += q * q;
    for (const auto& three : {s.position, s.velocity, s.angular_velocity})
      for (const double v : three) sum += v * v;
    if (std::isfinite(sum) && std::abs(s.position[0]) < half_side && std::abs(s.position[1]) < half_side &&
        s.position[2] > 0.0)
      result.push_back(s);
  }
  return result;
}

Overlaps measure_overlaps(const std::vector<PlacedEllipsoid>& bodies, const peers::Scene& scene) {
  const double unit = *std::min_element(scene.semi_axes.begin(), scene.semi_axes.end());
  std::vector<BoundingBox> boxes;
  boxes.reserve(bodies.size());
  for (const PlacedEllipsoid& body : bodies)
    boxes.push_back({body.centre, body.matrix.diagonal().cwiseSqrt()});
  CandidatePairs pairs;
  find_candidate_pairs(boxes, pairs);
  Overlaps result;
  for (std::size_t a = 0; a < bodies.size(); ++a) {
    for (auto p = static_cast<std::size_t>(pairs.row[a]); p < static_cast<std::size_t>(pairs.row[a + 1]); ++p)
      result.add(gap(bodies[a], bodies[pairs.b[p]]).distance, unit, result.pairs);
    for (const peers::WallPlane& wall : peers::walls(scene))
      result.add(gap(bodies[a], Plane{vector(wall.point), vector(wall.normal)}).distance, unit,
                 result.at_walls);
  }
  return result;
}

double bed_height(std::vector<PlacedEllipsoid> bodies) {
  const auto k = static_cast<std::ptrdiff_t>(bed_quantile * static_cast<double>(bodies.size() - 1));
  std::nth_element(bodies.begin(), bodies.begin() + k, bodies.end(),
                   [](const auto& a, const auto& b) { return a.centre[2] < b.centre[2]; });
  return bodies[k].centre[2];
}

/// Exact volume of the ellipsoids below the height, over the volume of the box below it. Overlapping volume
/// counts twice.
double solid_fraction(const std::vector<PlacedEllipsoid>& bodies, const peers::Scene& scene, double height) {
  double filled = 0.0;
  for (const PlacedEllipsoid& body : bodies) {
    const double t = std::clamp((height - body.centre[2]) / std::sqrt(body.matrix(2, 2)), -1.0, 1.0);
    filled +=
        scene.mass() / scene.density * (2.0 + 3.0 * t - t * t * t) / 4.0;  // segment of a sphere, mapped
  }
  return filled / (4.0 * scene.half_side * scene.half_side * height);
}

/// Kinetic energy of translation and rotation, J.
double kinetic_energy(const peers::BodyState& s, const Quat& orientation, const peers::Scene& scene) {
  const Vec3 spin = orientation.conjugate() * vector(s.angular_velocity);
  return 0.5 * scene.mass() * vector(s.velocity).squaredNorm() +
         0.5 * spin.cwiseAbs2().dot(vector(scene.inertia()));
}

void measure(const peers::Arguments& arguments) {
  const peers::Scene scene(arguments);
  const std::vector<peers::BodyState> all = peers::read_states(arguments.text("states"));
  const std::vector<peers::BodyState> states = inside(all, scene.half_side);
  const Ellipsoid shape{vector(scene.semi_axes)};
  std::vector<PlacedEllipsoid> bodies;
  double energy = 0.0;
  for (const peers::BodyState& s : states) {
    const auto& q = s.orientation;
    const Quat orientation = Quat(q[0], q[1], q[2], q[3]).normalized();
    bodies.push_back(place(shape, {vector(s.position), orientation}));
    energy += kinetic_energy(s, orientation, scene);
  }
  const double count = std::max(1.0, static_cast<double>(bodies.size()));
  const Overlaps overlaps = measure_overlaps(bodies, scene);
  const double height = bodies.empty() ? 0.0 : bed_height(bodies);
  fmt::print(
      "{{\"bodies\": {}, \"lost\": {}, \"overlapping_pairs\": {}, \"overlapping_walls\": {}, "
      "\"overlap_mean\": {:.6g}, \"overlap_max\": {:.6g}, \"bed_height_m\": {:.6g}, "
      "\"solid_fraction\": {:.6g}, \"kinetic_energy_J\": {:.6g}}}\n",
      all.size(), all.size() - bodies.size(), overlaps.pairs, overlaps.at_walls,
      overlaps.sum / std::max(1, overlaps.pairs + overlaps.at_walls), overlaps.deepest, height,
      bodies.empty() ? 0.0 : solid_fraction(bodies, scene, height), energy / count);
}

}  // namespace

int main(int argc, char** argv) { return peers::run_program("overlaps", argc, argv, measure); }
