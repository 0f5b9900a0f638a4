#include "engine/detection/travel_bounds.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/core/vector4.h"

namespace scree {

namespace {

// Reaches are rounded up to multiples of this share of the smallest length: then all bodies at rest have the
// same one, and none has to be raised to its neighbours'.
constexpr double reach_grain = 1.0 / 1024.0;

// Push distance in a step beyond the body's own travel, over the smallest length, from which on the bodies
// behind it are taken into account.
constexpr double least_push = 0.02;

/// Upper bound of the movement of an ellipsoid's surface along any direction, m: its support distance is the
/// root of n.S n, and at least the smallest semi-axis.
SCREE_INLINE double moved(const PlacedEllipsoid& from, const PlacedEllipsoid& to, double smallest) {
  static_assert(sizeof(PlacedEllipsoid) == 3 * sizeof(Vector4));
  // Read directly: copies of all twelve numbers would be made in pieces and read as a whole (slow).
  const auto change = [&](std::size_t k) __attribute__((always_inline)) {
    const auto at = [&](const PlacedEllipsoid& e) {
      return reinterpret_cast<const char*>(&e) + k * sizeof(Vector4);
    };
    return all_four(at(to)) - all_four(at(from));
  };
  const Vector4 way = change(0), turn1 = change(1), turn2 = change(2), squared = way * way,
                turned = turn1 * turn1 + turn2 * turn2;
  return std::sqrt(squared[0] + squared[1] + squared[2]) +
         0.5 * std::sqrt(squared[3] + ((turned[0] + turned[1]) + (turned[2] + turned[3]))) / smallest;
}

SCREE_FOR_EACH_TARGET
void set_moved(const PlacedEllipsoid* last, std::size_t begin, std::size_t end, DetectionWorkspace& w) {
  for (std::size_t i = begin; i < end; ++i)
    w.reach[i].moved = moved(last[i - begin], w.ellipsoids[i], w.reach[i].smallest_length);
}

/// Prepares a body for its pairs; returns the half extents of its bounding box, m.
SCREE_INLINE Vec3 place_body(const PlacedShapes& placed, std::size_t body) {
  const ShapeIndex shape = placed.bodies.shape[body];
  if (!placed.shapes.functions().empty())
    placed.implicits[body] =
        place(placed.shapes.function_of(shape), placed.bodies.pose(body), placed.shapes.size_of(shape));
  if (!placed.shapes.clumps().empty()) place_members(placed, body);
  switch (placed.shapes.kind(shape)) {
    case ShapeKind::implicit:
    case ShapeKind::clump:
      return half_extent(placed.shapes, shape, placed.bodies.orientation[body]);
    case ShapeKind::ellipsoid: {
      const auto [x, y, z] = symmetric_columns(placed.bodies.orientation[body],
                                               placed.shapes.ellipsoid(shape).semi_axes.cwiseAbs2());
      PlacedEllipsoid& ellipsoid = placed.ellipsoids[body];
      ellipsoid.centre = placed.bodies.position[body];
      put_three(x, &ellipsoid.matrix(0, 0));
      put_three(y, &ellipsoid.matrix(0, 1));
      ellipsoid.matrix.col(2) = to_vec3(z);
      // Support distances along the axes: square roots of the diagonal of S.
      return Vec3(std::sqrt(x[0]), std::sqrt(y[1]), std::sqrt(z[2]));
    }
  }
  return Vec3::Zero();
}

/// Places of bodies and their travel.
SCREE_FOR_EACH_TARGET
void prepare_bodies(const DetectionInput& in, const PlacedShapes& placed, const Block& block,
                    DetectionWorkspace& w) {
  const bool flows = in.cell.flows();
  for (std::size_t i = block.begin; i < block.end; ++i) {
    const ShapeIndex shape = in.bodies.shape[i];
    const Vector4 v = to_vector4(in.bodies.linear_velocity[i]),
                  spin = to_vector4(in.bodies.angular_velocity[i]);
    double speed = std::sqrt(dot(v, v)) + std::sqrt(dot(spin, spin)) * in.shapes.bounding_radius(shape);
    if (flows)  // relative to the flow, plus the approach of two neighbours by it
      speed += (in.bodies.linear_velocity[i] - in.cell.flow(in.bodies.position[i])).norm() -
               std::sqrt(dot(v, v)) + in.cell.rate.norm() * in.shapes.bounding_radius(shape);
    const double smallest = in.shapes.smallest_length(shape), grain = reach_grain * smallest,
                 travel = in.time_step_s * speed;
    const double farthest =
        travel + in.time_step_s * in.free_speed_m_s + 0.5 * (resting_margin * smallest + in.bridge_m);
    const double reach = grain * std::ceil(farthest / grain);
    w.boxes[i] = {in.bodies.position[i], place_body(placed, i) + Vec3::Constant(reach)};
    w.reach[i] = {travel, reach, reach, smallest, 0.0};
  }
}

/// Also their travel since the last detection; a few bodies at a time, because data just written in
/// pieces are slow to read as a whole.
void prepare_block(const DetectionInput& in, const PlacedShapes& placed, const Block& block,
                   DetectionWorkspace& w) {
  std::array<PlacedEllipsoid, 64> last;
  for (std::size_t first = block.begin; first < block.end; first += last.size()) {
    const std::size_t end = std::min(first + last.size(), block.end);
    copy_plain(&w.ellipsoids[first], end - first, last.data());
    prepare_bodies(in, placed, {block.index, first, end}, w);
    set_moved(last.data(), first, end, w);
  }
}

/// Bodies that cannot move have no contacts with each other, unless they are asked for; contacts among ghosts
/// are not found here.
void mark_unmoved(const DetectionInput& in, std::vector<std::uint8_t>& unmoved) {
  const Bodies& bodies = in.bodies;
  const Halo* const halo = in.halo;
  constexpr std::uint8_t ghost = 1, still = 2;
  unmoved.assign(halo != nullptr ? bodies.size() : bodies.part.size(), 0);
  if (halo != nullptr)
    std::fill(unmoved.begin() + static_cast<std::ptrdiff_t>(halo->own_bodies()), unmoved.end(), ghost);
  for (std::size_t i = 0; i < unmoved.size() && !in.finds_unmoved; ++i)
    if (bodies.is_asleep(i) || bodies.is_carried(i)) unmoved[i] |= still;
}

/// Allocates the members of all bodies.
void number_members(const DetectionInput& in, DetectionWorkspace& w) {
  w.first_member.assign(1, 0);
  for (const ShapeIndex shape : in.bodies.shape)
    w.first_member.push_back(w.first_member.back() +
                             static_cast<std::int32_t>(in.shapes.member_count(shape)));
  w.members.resize(w.first_member.back());
}

/// Sets the larger of both, independent of the order of threads.
void raise_to(double& value, double candidate) {
  const std::atomic_ref<double> shared(value);
  double now = shared.load(std::memory_order_relaxed);
  while (now < candidate && !shared.compare_exchange_weak(now, candidate, std::memory_order_relaxed)) {
  }
}

}  // namespace

namespace {

void make_room_for_bodies(const DetectionInput& in, DetectionWorkspace& w) {
  const std::size_t n = in.bodies.size();
  w.boxes.resize(n);
  mark_unmoved(in, w.unmoved);
  if (!in.shapes.clumps().empty()) number_members(in, w);
  w.reach.resize(n);
  w.ellipsoids.resize(n);
  w.implicits.resize(in.shapes.functions().empty() ? 0 : n);
}

TravelBounds of_both(const TravelBounds& a, const TravelBounds& b) {
  return {std::min(a.least, b.least), std::max(a.most, b.most)};
}

TravelBounds bounds_of(const DetectionWorkspace& w, std::size_t begin, std::size_t end) {
  TravelBounds bounds;
  for (std::size_t i = begin; i < end; ++i) {
    bounds.least = std::min(bounds.least, w.reach[i].alone);
    bounds.most = std::max(bounds.most, w.reach[i].alone);
  }
  return bounds;
}

}  // namespace

TravelBounds place_bodies(const DetectionInput& in, const PlacedShapes& placed, DetectionWorkspace& w) {
  make_room_for_bodies(in, w);
  return reduce_blocks(
      in.bodies.size(), grain_medium, TravelBounds{},
      [&](const Block& block) {
        prepare_block(in, placed, block, w);
        return bounds_of(w, block.begin, block.end);
      },
      of_both);
}

TravelBounds place_ghosts(const DetectionInput& in, const PlacedShapes& placed, DetectionWorkspace& w) {
  make_room_for_bodies(in, w);
  const std::size_t first = in.halo->own_bodies(), n = in.bodies.size();
  for_blocks(n - first, grain_medium, [&](const Block& block) {
    prepare_block(in, placed, {block.index, first + block.begin, first + block.end}, w);
    for (std::size_t i = first + block.begin; i < first + block.end; ++i) w.reach[i].moved = infinity;
  });
  return bounds_of(w, 0, n);
}

void spread_reach(DetectionWorkspace& w) {
  for_each_index(w.reach.size(), grain_medium, [&](std::size_t a) {
    const double alone = w.reach[a].alone;
    double farthest = alone;
    for (auto p = static_cast<std::size_t>(w.pairs.row[a]); p < static_cast<std::size_t>(w.pairs.row[a + 1]);
         ++p) {
      DetectionWorkspace::Reach& of_b = w.reach[w.pairs.b[p]];
      farthest = std::max(farthest, of_b.alone);
      if (alone > of_b.alone) raise_to(of_b.pushed, alone);
    }
    raise_to(w.reach[a].pushed, farthest);
  });
}

bool widen_boxes(DetectionWorkspace& w) {
  return reduce_blocks(
      w.boxes.size(), grain_medium, false,
      [&](const Block& block) {
        bool any = false;
        for (std::size_t i = block.begin; i < block.end; ++i) {
          const double further = w.reach[i].pushed - w.reach[i].alone;
          if (!(further > least_push * w.reach[i].smallest_length)) continue;
          w.boxes[i].half += Vec3::Constant(further);
          any = true;
        }
        return any;
      },
      [](bool a, bool b) { return a || b; });
}

/// Guards that exclude most bodies from most boundaries: a body whose centre is further above the plane than
/// its bounding sphere reaches is clear of it. Boundaries without such a plane have the normal zero. The same
/// for the box of a bounded wall.
void place_boundaries(const DetectionInput& in, DetectionWorkspace& w) {
  w.boundaries.clear();
  w.guards.clear();
  const double motion_s = in.motion_s > 0.0 ? in.motion_s : in.time_step_s;
  for (std::size_t k = 0; k < in.boundaries.size(); ++k) {
    const PlacedBoundary& placed = w.boundaries.emplace_back(
        place(in.boundaries[k], boundary_pose_of(in.boundary_pose, k), in.time_s, motion_s));
    DetectionWorkspace::Guard guard{
        {Vec3::Zero(), Vec3::Zero()},
        Vec3::Constant(-infinity),
        Vec3::Constant(infinity),
        placed.moves() || placed.is_driven || !placed.surface_velocity.isZero(0.0)};
    if (const auto* plane = std::get_if<Plane>(&placed.surface)) guard.plane = *plane;
    if (const auto box = extent_of(placed.surface)) {
      guard.low = box->middle - box->half;
      guard.high = box->middle + box->half;
    }
    if (placed.removed) guard.low.setConstant(infinity);  // all bodies are clear of it
    w.guards.push_back(guard);
  }
}

double travel_of(const DetectionInput& in, const DetectionWorkspace& w, std::size_t boundary, std::size_t i) {
  if (!w.guards[boundary].moves) return 0.0;
  const PlacedBoundary& placed = w.boundaries[boundary];
  const Twist& v = placed.twist;
  const Vec3 arm = in.bodies.position[i] - placed.pose.position;
  const double radius = in.shapes.bounding_radius(in.bodies.shape[i]);
  const double speed = (v.linear + v.angular.cross(arm)).norm() + v.angular.norm() * radius;
  if (!placed.is_driven) return in.time_step_s * speed;
  const VelocityField& gain = placed.gain;
  return in.time_step_s * (speed + gain.at(in.bodies.position[i]).norm() + gain.angular.norm() * radius);
}

}  // namespace scree
