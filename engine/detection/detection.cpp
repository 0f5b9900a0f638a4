#include "engine/detection/detection.h"

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/ellipsoid_plane.h"
#include "engine/geometry/ellipsoid_tube.h"

namespace scree {

namespace {

// The bending of a gap is computed where surfaces travel further in a step than the root of this part of the
// smallest length. It asks bodies to part, which a wedged body cannot; a body that moves this fast is not
// wedged. Slower, the bending itself stays below 1e-7 of the length a step.
constexpr double least_bending = 1e-7;

// Gap up to which contacts are kept even between bodies at rest, over the smallest length: impulses of the
// same step may set them moving. Each body brings half.
constexpr double resting_margin = 0.01;

// What boxes are made wider by, over the smallest length: pairs are searched for anew when a body has left
// its box.
constexpr double skin_part = 0.1;

// Travel against each other in a step, over the smaller smallest length, from which on a pair's contact is
// sought along the way; and the gap, over the same length, that counts as touch there.
constexpr double fast_travel = 0.5, touch_accuracy = 1e-6;

void prepare(const DetectionInput& in, DetectionWorkspace& w) {
  const std::size_t n = in.bodies.size();
  w.boxes.resize(n);
  w.radius.resize(n);
  w.travel.resize(n);
  w.reach.resize(n);
  w.placed.resize(n);
  w.smallest.resize(n);
  w.skin.resize(n);
  for_each_index(n, grain_medium, [&](std::size_t i) {
    const ShapeIndex shape = in.bodies.shape[i];
    w.smallest[i] = smallest_length(in.shapes, shape);
    w.skin[i] = skin_part * w.smallest[i];
    w.radius[i] = bounding_radius(in.shapes, shape);
    const double spin = in.bodies.angular_velocity[i].norm() * w.radius[i];
    w.travel[i] = in.time_step_s * (in.bodies.linear_velocity[i].norm() + spin);
    w.reach[i] = w.travel[i] + in.time_step_s * in.free_speed_m_s + 0.5 * resting_margin * w.smallest[i];
    switch (in.shapes.kind(shape)) {
      case ShapeKind::ellipsoid: {
        w.placed[i] = place(in.shapes.ellipsoid(shape), in.bodies.pose(i));
        // The half extents of the box are the support distances along the axes: square roots of S's diagonal.
        const Vec3 half = w.placed[i].matrix.diagonal().cwiseSqrt();
        w.boxes[i] = {in.bodies.position[i], half + Vec3::Constant(w.reach[i])};
        break;
      }
    }
  });
}

/// A body may be set moving within the step by any of its neighbours: it gets as far as the fastest of them.
void spread_reach(DetectionWorkspace& w) {
  w.own_reach = w.reach;
  for (std::size_t a = 0; a + 1 < w.pairs.row.size(); ++a) {
    for (auto p = static_cast<std::size_t>(w.pairs.row[a]); p < static_cast<std::size_t>(w.pairs.row[a + 1]);
         ++p) {
      const auto b = static_cast<std::size_t>(w.pairs.b[p]);
      w.reach[a] = std::max(w.reach[a], w.own_reach[b]);
      w.reach[b] = std::max(w.reach[b], w.own_reach[a]);
    }
  }
}

/// Appends to a block's list, which keeps its memory from step to step.
void append(DetectionWorkspace::BlockContacts& out, const ContactKey& key, const Gap& gap,
            double acceleration) {
  if (out.count == out.contacts.size()) out.contacts.resize(std::max<std::size_t>(256, 2 * out.count));
  out.contacts.key[out.count] = key;
  out.contacts.point[out.count] = gap.point;
  out.contacts.normal[out.count] = gap.normal;
  out.contacts.gap[out.count] = gap.distance;
  out.contacts.gap_acceleration[out.count] = acceleration;
  ++out.count;
  if (gap.status == GapStatus::iteration_limit) ++out.failures;
}

Twist twist(const Bodies& bodies, std::size_t i) {
  return {bodies.linear_velocity[i], bodies.angular_velocity[i]};
}

/// Can a gap bend by something that counts while the surfaces travel this far in a step?
bool bends(double travel, double smallest) { return travel * travel > least_bending * smallest * smallest; }

/// Do two bodies come so far in a step, against each other, that the normal between them now says little
/// about how they will meet?
bool is_fast(const DetectionInput& in, const DetectionWorkspace& w, std::size_t i, std::size_t j) {
  const double travel = in.time_step_s * (in.bodies.linear_velocity[i] - in.bodies.linear_velocity[j]).norm();
  return travel > fast_travel * std::min(w.smallest[i], w.smallest[j]);
}

/// Where two fast bodies meet within the step. Both sides of a contact need one point, for angular momentum:
/// it is carried by the smaller body, whose arms it must fit.
Gap first_touch_of(const DetectionInput& in, const DetectionWorkspace& w, std::size_t i, std::size_t j,
                   const Gap& now) {
  const Vec3 velocity = in.bodies.linear_velocity[i] - in.bodies.linear_velocity[j];
  const double turning =
      w.travel[i] + w.travel[j] -
      in.time_step_s * (in.bodies.linear_velocity[i].norm() + in.bodies.linear_velocity[j].norm());
  const double nearness = std::max(touch_accuracy * std::min(w.smallest[i], w.smallest[j]), turning);
  Gap touch = first_touch(w.placed[i], w.placed[j], now, velocity, in.time_step_s, nearness);
  const double closing = -touch.normal.dot(velocity);
  // At the touch the first body is ahead of its place now by velocity * t, in B's frame.
  if (touch.distance < infinity && closing > 0.0 && w.smallest[i] < w.smallest[j])
    touch.point -= touch.distance / closing * velocity;
  return touch;
}

/// Contact of an ellipsoid pair, if there is one. Returns its normal, or a direction that proves the two
/// apart.
Vec3 collide_pair(const DetectionInput& in, const DetectionWorkspace& w, const ContactMemory& last,
                  std::int32_t a, std::int32_t b, DetectionWorkspace::BlockContacts& out) {
  const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
  const PlacedEllipsoid &pa = w.placed[i], &pb = w.placed[j];
  const double margin = w.reach[i] + w.reach[j];
  const Vec3* known = find_pair_normal(last, a, b);
  const Vec3 guess = known != nullptr ? *known : Vec3((pa.centre - pb.centre).normalized());
  if (separation(pa, pb, -guess) > margin) return guess;
  const Gap g = gap(pa, pb, known);
  if (g.distance > margin) return g.normal;
  if (is_fast(in, w, i, j)) {
    const Gap touch = first_touch_of(in, w, i, j, g);
    if (touch.distance < infinity) append(out, {a, b, g.feature}, touch, 0.0);
    return g.normal;
  }
  const double travel = w.travel[i] + w.travel[j], smallest = std::min(w.smallest[i], w.smallest[j]);
  const double acceleration =
      bends(travel, smallest) ? gap_acceleration(pa, pb, g.normal, twist(in.bodies, i), twist(in.bodies, j))
                              : 0.0;
  append(out, {a, b, g.feature}, g, acceleration);
  return g.normal;
}

void collide_boundary(const DetectionInput& in, const DetectionWorkspace& w, std::int32_t a,
                      std::int32_t boundary, DetectionWorkspace::BlockContacts& out) {
  const auto i = static_cast<std::size_t>(a);
  const std::int32_t b = static_cast<std::int32_t>(in.bodies.size()) + boundary;
  const auto& surface = in.boundaries[static_cast<std::size_t>(boundary)].surface;
  const double margin = w.reach[i] + 0.5 * resting_margin * w.smallest[i];  // a wall has no half to bring
  if (const auto* plane = std::get_if<Plane>(&surface)) {
    // Most bodies are far from most planes: the bounding sphere tells.
    const double height = plane->normal.dot(in.bodies.position[i] - plane->point);
    if (height > w.radius[i] + margin) return;
    const Gap g = gap(w.placed[i], *plane);
    if (g.distance > margin) return;
    const bool bent = bends(w.travel[i], w.smallest[i]);
    append(out, {a, b, g.feature}, g,
           bent ? gap_acceleration(w.placed[i], *plane, twist(in.bodies, i)) : 0.0);
  } else if (const auto* tube = std::get_if<Tube>(&surface)) {
    Gap found[max_tube_contacts];
    const Ellipsoid& shape = in.shapes.ellipsoid(in.bodies.shape[i]);
    const int count = gaps(shape, in.bodies.pose(i), *tube, margin, found);
    for (int k = 0; k < count; ++k) {
      const bool bent = bends(w.travel[i], w.smallest[i]);
      append(out, {a, b, found[k].feature}, found[k],
             bent ? gap_acceleration(shape, in.bodies.pose(i), *tube, found[k], twist(in.bodies, i),
                                     in.time_step_s)
                  : 0.0);
    }
  }
}

/// Puts the blocks' lists behind each other, which is the order of the keys.
void merge(std::size_t bodies, DetectionWorkspace& w, std::size_t blocks, Contacts& contacts) {
  std::size_t total = 0;
  std::vector<std::size_t> start(blocks);
  for (std::size_t k = 0; k < blocks; ++k) {
    start[k] = total;
    total += w.found[k].count;
  }
  contacts.resize(total);
  for_blocks(blocks, 1, [&](const Block& block) {
    const auto& found = w.found[block.index];
    const auto to = static_cast<std::ptrdiff_t>(start[block.index]);
    const auto count = static_cast<std::ptrdiff_t>(found.count);
    std::copy_n(found.contacts.key.begin(), count, contacts.key.begin() + to);
    std::copy_n(found.contacts.point.begin(), count, contacts.point.begin() + to);
    std::copy_n(found.contacts.normal.begin(), count, contacts.normal.begin() + to);
    std::copy_n(found.contacts.gap.begin(), count, contacts.gap.begin() + to);
    std::copy_n(found.contacts.gap_acceleration.begin(), count, contacts.gap_acceleration.begin() + to);
  });
  w.contact_row.assign(bodies + 1, 0);
  for (const ContactKey& key : contacts.key) ++w.contact_row[static_cast<std::size_t>(key.a)];
  exclusive_scan(w.contact_row);
}

}  // namespace

DetectionReport find_contacts(const DetectionInput& in, const ContactMemory& last, DetectionWorkspace& w,
                              Contacts& contacts) {
  const std::size_t n = in.bodies.size();
  prepare(in, w);
  update_candidate_pairs(w.boxes, w.skin, w.pair_list, w.pairs);
  spread_reach(w);
  w.pair_normal.resize(w.pairs.size());

  const std::size_t blocks = block_count(n, grain_heavy);
  if (w.found.size() < blocks) w.found.resize(blocks);
  for_blocks(n, grain_heavy, [&](const Block& block) {
    auto& out = w.found[block.index];
    out.count = 0;
    out.failures = 0;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const auto a = static_cast<std::int32_t>(i);
      for (auto p = static_cast<std::size_t>(w.pairs.row[i]);
           p < static_cast<std::size_t>(w.pairs.row[i + 1]); ++p) {
        w.pair_normal[p] = collide_pair(in, w, last, a, w.pairs.b[p], out);
      }
      for (std::size_t k = 0; k < in.boundaries.size(); ++k) {
        collide_boundary(in, w, a, static_cast<std::int32_t>(k), out);
      }
    }
  });
  merge(n, w, blocks, contacts);

  DetectionReport report;
  report.candidates = static_cast<std::int64_t>(w.pairs.size());
  for (std::size_t k = 0; k < blocks; ++k) report.failures += w.found[k].failures;
  return report;
}

}  // namespace scree
