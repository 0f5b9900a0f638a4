#include "engine/simulation/coarseness.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/core/parallel.h"
#include "engine/simulation/motion.h"

namespace scree {

namespace {

// Travel of a wall in a step, over the smallest body's smallest length, and rotation, rad, up to which no
// further check is made.
constexpr double little_travel = 0.1, little_turn = 0.1;

constexpr int looks = 8;  // parts of a step between which a wall's path is checked

double shortest(const Model& model, const Bodies& bodies) {
  const double of_own = reduce_blocks(
      bodies.size(), grain_medium, infinity,
      [&](const Block& block) {
        double least = infinity;
        for (std::size_t i = block.begin; i < block.end; ++i)
          least = std::min(least, model.shapes.smallest_length(bodies.shape[i]));
        return least;
      },
      [](double a, double b) { return std::min(a, b); });
  return least(bodies.ranks, of_own);
}

/// From a boundary's centre to the farthest body, m.
double farthest_body(const Bodies& bodies, const Vec3& centre) {
  double farthest = 0.0;
  for (const Vec3& x : bodies.position) farthest = std::max(farthest, (x - centre).norm());
  return most(bodies.ranks, farthest);
}

/// The rotation of a wall that moves its surface: without the part about its axis of symmetry.
Vec3 moving_spin(const PlacedBoundary& wall) {
  const Vec3& spin = wall.twist.angular;
  const std::optional<TurningAxis> axis = turning_axis(wall.surface);
  if (!axis) return spin;
  constexpr double rounding = 1e-9;
  const Vec3 apart = wall.pose.position - axis->point;
  const bool same = spin.cross(axis->direction).norm() <= rounding * spin.norm() &&
                    apart.cross(axis->direction).norm() <= rounding * (1.0 + apart.norm());
  return same ? Vec3(Vec3::Zero()) : spin;
}

/// Speed of a point of the wall; for a plane only the normal part.
double speed_of(const PlacedBoundary& wall, const Vec3& velocity) {
  const auto* plane = std::get_if<Plane>(&wall.surface);
  return plane != nullptr ? std::abs(plane->normal.dot(velocity)) : velocity.norm();
}

/// Largest travel of a wall in h at a body that it may touch, over that body's smallest length.
double largest_travel(const Model& model, const Bodies& bodies, const PlacedBoundary& wall,
                      const DetectionWorkspace::Guard& guard, const Vec3& spin, double h) {
  const auto* plane = std::get_if<Plane>(&wall.surface);
  double farthest = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.is_carried(i)) continue;
    const Vec3& x = bodies.position[i];
    const double speed = speed_of(wall, wall.twist.linear + spin.cross(x - wall.pose.position)),
                 reach = model.shapes.bounding_radius(bodies.shape[i]) + h * speed;
    const bool near = plane != nullptr ? std::abs(plane->normal.dot(x - plane->point)) <= reach
                                       : ((x - guard.high).array() <= reach).all() &&
                                             ((guard.low - x).array() <= reach).all();
    if (near) farthest = std::max(farthest, h * speed / model.shapes.smallest_length(bodies.shape[i]));
  }
  return most(bodies.ranks, farthest);
}

}  // namespace

void look_at_walls(const Model& model, const StepPlan& plan, const State& state, const Workspace& w,
                   Coarseness& found) {
  double least = 0.0;
  for (std::size_t k = 0; k < w.detection.boundaries.size(); ++k) {
    const PlacedBoundary& wall = w.detection.boundaries[k];
    const Boundary& boundary = model.boundaries[k];
    if (wall.removed || !model.moves(k)) continue;
    if (least == 0.0) least = shortest(model, state.bodies);
    const Vec3 spin = moving_spin(wall);
    double radius = surface_radius(wall.surface, wall.pose.position);
    if (!std::isfinite(radius)) radius = farthest_body(state.bodies, wall.pose.position);
    if (plan.h * (speed_of(wall, wall.twist.linear) + spin.norm() * radius) > little_travel * least) {
      const double travel = largest_travel(model, state.bodies, wall, w.detection.guards[k], spin, plan.h);
      if (travel > found.wall_travel) {
        found.wall_travel = travel;
        found.travelling = static_cast<std::int32_t>(k);
      }
    }
    const BoundaryPose boundary_pose = pose_of(boundary, model.parts, state.parts);
    if (boundary_pose.motion == nullptr) continue;
    const double way =
        wall_way(boundary, boundary_pose, plan.end_s - plan.h, plan.h, radius).detour_m / least;
    if (way > found.wall_detour) {
      found.wall_detour = way;
      found.detouring = static_cast<std::int32_t>(k);
    }
  }
}

void look_at_turns(const Model& model, double h, const State& state, const Workspace& w, Coarseness& found) {
  const Bodies& bodies = state.bodies;
  const auto turn = [&](std::size_t i) {
    return h * std::sqrt(std::max(w.before[i].angular.squaredNorm(),
                                  to_vec3(w.solution.velocity[i].angular).squaredNorm()));
  };
  const double fastest = reduce_blocks(
      bodies.size(), grain_medium, 0.0,
      [&](const Block& block) {
        double most = 0.0;
        for (std::size_t i = block.begin; i < block.end; ++i) most = std::max(most, turn(i));
        return most;
      },
      [](double a, double b) { return std::max(a, b); });
  if (most(bodies.ranks, fastest) <= little_turn) return;
  std::optional<std::size_t> found_at;  // contact; none: it was found before
  const auto look = [&](std::size_t c, std::int32_t body) {
    const auto i = static_cast<std::size_t>(body);
    constexpr double round = 1e-9;  // difference of radii, over the larger
    const double largest = model.shapes.bounding_radius(bodies.shape[i]);
    if (largest - model.shapes.smallest_length(bodies.shape[i]) <= round * largest) return;
    if (const double now = turn(i); now > found.turn_rad) {
      found.turn_rad = now;
      found.turning = bodies.id[i];
      found_at = c;
    }
  };
  for (std::size_t c = 0; c < w.problem.contacts(); ++c) {
    const double struck = w.impact.empty() ? 0.0 : w.impact[c][0];
    if (!(w.solution.impulse[c][0] + struck > 0.0)) continue;
    look(c, w.problem.edge[c].a);
    if (static_cast<std::size_t>(w.problem.edge[c].b) < bodies.size()) look(c, w.problem.edge[c].b);
  }
  if (bodies.ranks == nullptr) return;
  struct Turn {  // of equal ones the first contact counts
    double rad;
    std::int64_t contact;
    BodyId body;
    bool operator<(const Turn& o) const { return rad != o.rad ? rad < o.rad : contact > o.contact; }
  };
  const Turn own{found.turn_rad, found_at ? w.problem.share->contact[*found_at] : -1, found.turning};
  const std::vector<Turn> all = of_all(bodies.ranks, std::vector{own});
  const Turn& largest = *std::ranges::max_element(all, std::less<>{});
  found.turn_rad = largest.rad;
  found.turning = largest.body;
}

double surface_radius(const BoundarySurface& surface, const Vec3& centre) {
  const std::optional<WallExtent> box = extent_of(surface);
  return box ? ((box->middle - centre).cwiseAbs() + box->half).norm() : infinity;
}

WallWay wall_way(const Boundary& boundary, const BoundaryPose& boundary_pose, double begin_s, double h,
                 double radius_m) {
  const auto pose = [&](double part) {
    return boundary_pose.motion->at(boundary_pose.clock.at(begin_s + part * h));
  };
  const Pose begin = pose(0.0), end = pose(1.0);
  const Vec3 centre = begin.orientation * boundary.centre + begin.position;
  PlacedBoundary wall;
  wall.surface = moved(boundary.surface, begin);
  wall.pose.position = centre;
  wall.twist = twist_between(begin, end, boundary.centre, h);
  const Vec3 spin = moving_spin(wall);
  WallWay way;
  way.travel_m = h * (speed_of(wall, wall.twist.linear) + (spin.isZero(0.0) ? 0.0 : spin.norm() * radius_m));
  if (const std::optional<WallExtent> extent = extent_of(wall.surface); extent && !spin.isZero(0.0)) {
    // The corners of its box are the farthest places from the axis, which can be much nearer than its ends.
    double fastest = 0.0;
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 sign((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1);
      const Vec3 place = extent->middle + sign.cwiseProduct(extent->half) - centre;
      fastest = std::max(fastest, (wall.twist.linear + spin.cross(place)).norm());
    }
    way.travel_m = std::min(way.travel_m, h * fastest);
  }
  for (int k = 1; k < looks; ++k) {
    const double part = static_cast<double>(k) / looks;
    const Pose is = pose(part), evenly = moved(begin, WallMotion{centre, wall.twist}, part * h);
    const Vec3 apart = (is.orientation * boundary.centre + is.position) -
                       (evenly.orientation * boundary.centre + evenly.position);
    const double turned = is.orientation.angularDistance(evenly.orientation);
    way.detour_m = std::max(way.detour_m, apart.norm() + (turned > 0.0 ? radius_m * turned : 0.0));
  }
  return way;
}

}  // namespace scree
