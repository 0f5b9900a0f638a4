#include "engine/simulation/subsystems/newcomers.h"

#include <algorithm>
#include <cmath>

#include "engine/detection/detection.h"
#include "engine/simulation/motion.h"
#include "engine/simulation/ranks/state_part.h"
#include "engine/simulation/subsystems/cell_flow.h"
#include "engine/simulation/subsystems/parts.h"

namespace scree {

namespace {

// Over the smallest length: a shorter drift cannot pass through anything, and its overlaps are
// corrected as usual; and the distance between two checks of the path.
constexpr double least_drift = 0.02, stride = 0.25;
constexpr int most_looks = 100;

// Overlap that contacts correct without effect, over the smallest length.
constexpr double little_overlap = 0.005;

// Up to this number new bodies are checked together with near bodies only; above it, with all.
constexpr std::size_t few = 64;

bool is_new(const Bodies& bodies, BodyId first, std::size_t i) {
  return bodies.id[i] >= first && !bodies.is_carried(i) && !bodies.is_asleep(i);
}

/// The slots of new bodies that drift, of all ranks, and of all bodies here that may be in their path.
std::vector<std::size_t> concerned(const Model& model, const Bodies& bodies, BodyId first, double h) {
  const auto reach = [&](std::size_t i) {
    return model.shapes.bounding_radius(bodies.shape[i]) + 0.5 * h * bodies.linear_velocity[i].norm();
  };
  struct Moving {
    Vec3 position;
    double reach;
  };
  std::vector<Moving> moving;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (is_new(bodies, first, i) && !bodies.linear_velocity[i].isZero(0.0))
      moving.push_back({bodies.position[i], reach(i)});
  moving = of_all(bodies.ranks, moving);
  std::vector<std::size_t> near;
  for (std::size_t j = 0; j < bodies.size(); ++j) {
    if (moving.size() > few || model.cell.is_periodic() ||
        std::ranges::any_of(moving, [&](const Moving& newcomer) {
          const double far = newcomer.reach + reach(j);
          return (newcomer.position - bodies.position[j]).squaredNorm() <= far * far;
        }))
      near.push_back(j);
  }
  return near;
}

Bodies subset(const Bodies& bodies, const std::vector<std::size_t>& slots) {
  Bodies some;
  const auto take = [&](const auto& from, auto& to) {
    if (from.empty()) return;
    for (const std::size_t i : slots) to.push_back(from[i]);
  };
  take(bodies.position, some.position);
  take(bodies.orientation, some.orientation);
  take(bodies.linear_velocity, some.linear_velocity);
  take(bodies.angular_velocity, some.angular_velocity);
  take(bodies.asleep, some.asleep);
  take(bodies.mass, some.mass);
  take(bodies.inertia, some.inertia);
  take(bodies.shape, some.shape);
  take(bodies.material, some.material);
  take(bodies.id, some.id);
  take(bodies.part, some.part);
  take(bodies.rest, some.rest);
  return some;
}

/// Puts a body where it is among others.
void place(const Bodies& from, std::size_t i, Bodies& to) {
  to.position[i] = from.position[i];
  to.orientation[i] = from.orientation[i];
}

/// Depth of each body in others or in walls, over the contact's length.
std::vector<double> depths(const Model& model, const State& state, const Bodies& bodies, double time_s,
                           std::span<const BoundaryPose> boundary_pose) {
  DetectionWorkspace workspace;
  Contacts contacts;
  NormalCache cached_normals;
  std::vector<CachedPair> cached;
  find_contacts({model.shapes, bodies, model.boundaries, time_s, 0.0, 0.0, boundary_pose,
                 cell_at(model, state, time_s)},
                workspace, {contacts, cached_normals, cached});
  std::vector<double> deepest(bodies.size(), 0.0);
  for (const Contact& c : contacts.list) {
    const double depth = -c.gap / double{c.length};
    const auto raise = [&](std::int32_t body) {
      double& of_body = deepest[body];
      of_body = std::max(of_body, depth);
    };
    raise(c.key.a);
    if (!is_boundary(c.key.b)) raise(c.key.b);
  }
  return deepest;
}

}  // namespace

std::int64_t hold_back_newcomers(const Model& model, BodyId first, double h, State& state) {
  Bodies& bodies = state.bodies;
  double farthest = 0.0;  // drift of new bodies, over their smallest length
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (is_new(bodies, first, i))
      farthest = std::max(farthest, 0.5 * h * bodies.linear_velocity[i].norm() /
                                        model.shapes.smallest_length(bodies.shape[i]));
  farthest = most(bodies.ranks, farthest);
  if (farthest < least_drift) return 0;

  // All ranks check all relevant bodies, those of lower ranks first.
  const std::vector<std::size_t> own_slots = concerned(model, bodies, first, h);
  std::size_t before = 0;
  const Bodies start = bodies_of_all(bodies.ranks, subset(bodies, own_slots), before);
  constexpr std::size_t elsewhere = static_cast<std::size_t>(-1);
  std::vector<std::size_t> slots(start.size(), elsewhere);
  std::ranges::copy(own_slots, slots.begin() + static_cast<std::ptrdiff_t>(before));
  const std::vector<BoundaryPose> boundary_pose = boundary_poses(model, state);
  const std::vector<double> given = depths(model, state, start, state.time_s, boundary_pose);
  const int looks = std::clamp(static_cast<int>(std::ceil(farthest / stride)), 1, most_looks);
  std::vector<double> deepest(slots.size(), 0.0);  // on the path
  Bodies there;
  for (int k = 1; k <= looks; ++k) {
    const double after = 0.5 * h * k / looks;
    there = start;
    drift(there, after);
    const std::vector<double> now = depths(model, state, there, state.time_s + after, boundary_pose);
    for (std::size_t i = 0; i < slots.size(); ++i) deepest[i] = std::max(deepest[i], now[i]);
  }
  std::vector<std::uint8_t> waits(slots.size(), 0);
  for (std::size_t k = 0; k < slots.size(); ++k)
    waits[k] = is_new(start, first, k) && !start.linear_velocity[k].isZero(0.0) &&
               deepest[k] > given[k] + little_overlap;
  if (std::ranges::count(waits, 1) == 0) return 0;
  // Others may come to the place of a delayed body: then it moves on, unless that is worse.
  for (std::size_t k = 0; k < slots.size(); ++k)
    if (waits[k] != 0) place(start, k, there);
  const std::vector<double> waiting = depths(model, state, there, state.time_s + 0.5 * h, boundary_pose);
  there = start;
  drift(there, -0.5 * h);
  std::int64_t held = 0;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    if (waits[k] == 0 || waiting[k] >= deepest[k]) continue;
    ++held;
    const std::size_t i = slots[k];
    if (i == elsewhere) continue;
    bodies.position[i] = there.position[k];
    bodies.orientation[i] = there.orientation[k];
    bodies.angular_velocity[i] = there.angular_velocity[k];
  }
  return held;
}

}  // namespace scree
