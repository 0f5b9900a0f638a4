#include "engine/detection/detection.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/geometry/ellipsoid_batch.h"
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

// Reaches are rounded up to multiples of this part of the smallest length: bodies at rest then all have the
// same, and none has to be raised to its neighbours'.
constexpr double reach_grain = 1.0 / 1024.0;

// What boxes are made wider by, over the smallest length: pairs are searched for anew when a body has left
// its box.
constexpr double skin_part = 0.1;

// Travel against each other in a step, over the smaller smallest length, from which on a pair's contact is
// sought along the way; and the gap, over the same length, that counts as touch there.
constexpr double fast_travel = 0.5, touch_accuracy = 1e-6;

/// Where a body is and how far it gets.
SCREE_FOR_EACH_TARGET
void prepare_bodies(const DetectionInput& in, const Block& block, DetectionWorkspace& w) {
  for (std::size_t i = block.begin; i < block.end; ++i) {
    const ShapeIndex shape = in.bodies.shape[i];
    const Vector4 v = to_vector4(in.bodies.linear_velocity[i]),
                  spin = to_vector4(in.bodies.angular_velocity[i]);
    w.travel[i] = in.time_step_s *
                  (std::sqrt(dot(v, v)) + std::sqrt(dot(spin, spin)) * in.shapes.bounding_radius(shape));
    const double smallest = in.shapes.smallest_length(shape), grain = reach_grain * smallest;
    const double reach = w.travel[i] + in.time_step_s * in.free_speed_m_s + 0.5 * resting_margin * smallest;
    w.own_reach[i] = grain * std::ceil(reach / grain);
    switch (in.shapes.kind(shape)) {
      case ShapeKind::ellipsoid: {
        w.placed[i] = place(in.shapes.ellipsoid(shape), in.bodies.pose(i));
        // The half extents of the box are the support distances along the axes: square roots of S's diagonal.
        const Vec3 half = w.placed[i].matrix.diagonal().cwiseSqrt();
        w.boxes[i] = {in.bodies.position[i], half + Vec3::Constant(w.own_reach[i])};
        break;
      }
    }
  }
}

void prepare(const DetectionInput& in, DetectionWorkspace& w) {
  const std::size_t n = in.bodies.size();
  w.boxes.resize(n);
  w.travel.resize(n);
  w.own_reach.resize(n);
  w.placed.resize(n);
  for_blocks(n, grain_medium, [&](const Block& block) { prepare_bodies(in, block, w); });
}

/// The larger of both, whichever thread comes first.
void raise_to(double& value, double candidate) {
  const std::atomic_ref<double> shared(value);
  double now = shared.load(std::memory_order_relaxed);
  while (now < candidate && !shared.compare_exchange_weak(now, candidate, std::memory_order_relaxed)) {
  }
}

/// A body may be set moving within the step by any of its neighbours: it gets as far as the fastest of them.
void spread_reach(DetectionWorkspace& w) {
  w.reach = w.own_reach;
  for_each_index(w.reach.size(), grain_medium, [&](std::size_t a) {
    double farthest = w.own_reach[a];
    for (auto p = static_cast<std::size_t>(w.pairs.row[a]); p < static_cast<std::size_t>(w.pairs.row[a + 1]);
         ++p) {
      const auto b = static_cast<std::size_t>(w.pairs.b[p]);
      farthest = std::max(farthest, w.own_reach[b]);
      raise_to(w.reach[b], w.own_reach[a]);
    }
    raise_to(w.reach[a], farthest);
  });
}

inline void append(DetectionWorkspace::BlockContacts& out, const ContactKey& key, const Gap& gap,
                   double acceleration) {
  out.contacts.push_back({key, gap.point, gap.normal, gap.distance, acceleration});
  if (gap.status == GapStatus::iteration_limit) ++out.failures;
}

Twist twist(const Bodies& bodies, std::size_t i) {
  return {bodies.linear_velocity[i], bodies.angular_velocity[i]};
}

double smallest_length(const DetectionInput& in, std::size_t i) {
  return in.shapes.smallest_length(in.bodies.shape[i]);
}
double smaller_length(const DetectionInput& in, std::size_t i, std::size_t j) {
  return std::min(smallest_length(in, i), smallest_length(in, j));
}

/// Can a gap bend by something that counts while the surfaces travel this far in a step?
bool bends(double travel, double smallest) { return travel * travel > least_bending * smallest * smallest; }

/// Do two bodies come so far in a step, against each other, that the normal between them now says little
/// about how they will meet?
bool is_fast(const DetectionInput& in, std::size_t i, std::size_t j, double smaller) {
  const double travel = in.time_step_s * (in.bodies.linear_velocity[i] - in.bodies.linear_velocity[j]).norm();
  return travel > fast_travel * smaller;
}

/// Where two fast bodies meet within the step. Both sides of a contact need one point, for angular momentum:
/// it is carried by the smaller body, whose arms it must fit.
Gap first_touch_of(const DetectionInput& in, const DetectionWorkspace& w, std::size_t i, std::size_t j,
                   const Gap& now) {
  const Vec3 velocity = in.bodies.linear_velocity[i] - in.bodies.linear_velocity[j];
  const double turning =
      w.travel[i] + w.travel[j] -
      in.time_step_s * (in.bodies.linear_velocity[i].norm() + in.bodies.linear_velocity[j].norm());
  const double nearness = std::max(touch_accuracy * smaller_length(in, i, j), turning);
  Gap touch = first_touch(w.placed[i], w.placed[j], now, velocity, in.time_step_s, nearness);
  const double closing = -touch.normal.dot(velocity);
  // At the touch the first body is ahead of its place now by velocity * t, in B's frame.
  if (touch.distance < infinity && closing > 0.0 && smallest_length(in, i) < smallest_length(in, j))
    touch.point -= touch.distance / closing * velocity;
  return touch;
}

/// The narrow phase of consecutive pairs, a batch at a time: which are proven apart, and the gaps of the
/// others.
class PairGaps {
 public:
  PairGaps(DetectionWorkspace& w, const ContactMemory& last, std::size_t first_body, std::size_t end)
      : w_(w), last_(last), body_(first_body), end_(end) {}

  /// The gap of a pair, or null if it is wider than the two bodies may move. Pairs have to be asked for in
  /// their order. Leaves the pair's direction for the next step.
  const Gap* operator[](std::size_t pair) {
    if (pair >= batch_end_) compute(pair);
    const std::size_t k = pair - batch_begin_;
    return is_near_[k] ? &gap_[k] : nullptr;
  }

 private:
  struct Pair {
    std::size_t a, b;
    bool known;  // from the last step
  };

  void compute(std::size_t begin) {
    batch_begin_ = begin;
    batch_end_ = std::min(end_, begin + EllipsoidBatch::capacity);
    stage();
    climb(batch_);
    for (std::size_t k = 0; k < batch_.size; ++k) {
      is_near_[k] = !batch_.is_apart(k);
      if (!is_near_[k]) continue;
      const Pair& pair = pair_[k];
      const PlacedEllipsoid &a = w_.placed[pair.a], &b = w_.placed[pair.b];
      Vec3& normal = w_.pair_normal[begin + k];
      if (pair.known && batch_.has_arrived(k)) {
        gap_[k] = contact_of(batch_, k, a.centre, b.centre);
      } else {
        gap_[k] = gap(a, b, pair.known ? &normal : nullptr);
      }
      normal = gap_[k].normal;
      is_near_[k] = !(gap_[k].distance > batch_.margin[k]);
    }
  }

  /// Puts the pairs of the batch beside each other, each with its last direction or that of the centres.
  void stage() {
    batch_.size = 0;
    for (std::size_t p = batch_begin_; p < batch_end_; ++p) {
      while (static_cast<std::size_t>(w_.pairs.row[body_ + 1]) <= p) ++body_;
      const auto b = static_cast<std::size_t>(w_.pairs.b[p]);
      const PlacedEllipsoid &pa = w_.placed[body_], &pb = w_.placed[b];
      const Vec3* known =
          find_pair_normal(last_, static_cast<std::int32_t>(body_), static_cast<std::int32_t>(b));
      Vec3& normal = w_.pair_normal[p];
      normal = known != nullptr ? *known : Vec3((pa.centre - pb.centre).normalized());
      pair_[batch_.size] = {body_, b, known != nullptr};
      batch_.add(pa, pb, normal, w_.reach[body_] + w_.reach[b]);
    }
  }

  DetectionWorkspace& w_;
  const ContactMemory& last_;
  std::size_t body_, end_, batch_begin_ = 0, batch_end_ = 0;
  EllipsoidBatch batch_;
  std::array<Pair, EllipsoidBatch::capacity> pair_;
  std::array<Gap, EllipsoidBatch::capacity> gap_;
  std::array<bool, EllipsoidBatch::capacity> is_near_;
};

/// Contact of an ellipsoid pair with this gap.
void add_pair_contact(const DetectionInput& in, const DetectionWorkspace& w, std::size_t i, std::size_t j,
                      const Gap& g, DetectionWorkspace::BlockContacts& out) {
  const ContactKey key{static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), g.feature};
  const double smaller = smaller_length(in, i, j);
  if (!bends(w.travel[i] + w.travel[j], smaller)) {  // nor are they fast
    append(out, key, g, 0.0);
  } else if (!is_fast(in, i, j, smaller)) {
    append(out, key, g,
           gap_acceleration(w.placed[i], w.placed[j], g.normal, twist(in.bodies, i), twist(in.bodies, j)));
  } else if (const Gap touch = first_touch_of(in, w, i, j, g); touch.distance < infinity) {
    append(out, key, touch, 0.0);
  }
}

/// What keeps most bodies from most boundaries: a body whose centre is further above the plane than its
/// bounding sphere may reach is clear of it. Boundaries without such a plane have the normal zero.
void find_guards(const DetectionInput& in, DetectionWorkspace& w) {
  w.guards.clear();
  for (const Boundary& boundary : in.boundaries) {
    const auto* plane = std::get_if<Plane>(&boundary.surface);
    w.guards.push_back(plane != nullptr ? *plane : Plane{Vec3::Zero(), Vec3::Zero()});
  }
}

/// How far the gap to a wall may be; a wall has no half of the resting margin to bring.
double wall_margin(const DetectionInput& in, const DetectionWorkspace& w, std::size_t i) {
  return w.reach[i] + 0.5 * resting_margin * smallest_length(in, i);
}

void collide_boundary(const DetectionInput& in, const DetectionWorkspace& w, std::int32_t a,
                      std::int32_t boundary, DetectionWorkspace::BlockContacts& out) {
  const auto i = static_cast<std::size_t>(a);
  const std::int32_t b = static_cast<std::int32_t>(in.bodies.size()) + boundary;
  const auto& surface = in.boundaries[static_cast<std::size_t>(boundary)].surface;
  const double smallest = smallest_length(in, i), margin = wall_margin(in, w, i);
  if (const auto* plane = std::get_if<Plane>(&surface)) {
    const Gap g = gap(w.placed[i], *plane);
    if (g.distance > margin) return;
    const bool bent = bends(w.travel[i], smallest);
    append(out, {a, b, g.feature}, g,
           bent ? gap_acceleration(w.placed[i], *plane, twist(in.bodies, i)) : 0.0);
  } else if (const auto* tube = std::get_if<Tube>(&surface)) {
    Gap found[max_tube_contacts];
    const Ellipsoid& shape = in.shapes.ellipsoid(in.bodies.shape[i]);
    const int count = gaps(shape, in.bodies.pose(i), *tube, margin, found);
    for (int k = 0; k < count; ++k) {
      const bool bent = bends(w.travel[i], smallest);
      append(out, {a, b, found[k].feature}, found[k],
             bent ? gap_acceleration(shape, in.bodies.pose(i), *tube, found[k], twist(in.bodies, i),
                                     in.time_step_s)
                  : 0.0);
    }
  }
}

SCREE_INLINE void collide_boundaries(const DetectionInput& in, const DetectionWorkspace& w, std::size_t i,
                                     DetectionWorkspace::BlockContacts& out) {
  const double clear = in.shapes.bounding_radius(in.bodies.shape[i]) + wall_margin(in, w, i);
  for (std::size_t k = 0; k < in.boundaries.size(); ++k) {
    if (w.guards[k].normal.dot(in.bodies.position[i] - w.guards[k].point) > clear) continue;
    collide_boundary(in, w, static_cast<std::int32_t>(i), static_cast<std::int32_t>(k), out);
  }
}

/// All contacts of the bodies of a block, as the lower number of their pair.
SCREE_FOR_EACH_TARGET
void collide_block(const DetectionInput& in, const Block& block, const ContactMemory& last,
                   DetectionWorkspace& w) {
  auto& out = w.found[block.index];
  out.contacts.clear();
  out.failures = 0;
  PairGaps gaps(w, last, block.begin, static_cast<std::size_t>(w.pairs.row[block.end]));
  for (std::size_t i = block.begin; i < block.end; ++i) {
    const std::size_t before = out.contacts.size();
    for (auto p = static_cast<std::size_t>(w.pairs.row[i]); p < static_cast<std::size_t>(w.pairs.row[i + 1]);
         ++p) {
      if (const Gap* gap = gaps[p])
        add_pair_contact(in, w, i, static_cast<std::size_t>(w.pairs.b[p]), *gap, out);
    }
    if (!in.bodies.is_asleep(i)) collide_boundaries(in, w, i, out);
    w.contact_row[i] = static_cast<std::int32_t>(out.contacts.size() - before);
  }
}

/// Puts the blocks' lists behind each other, which is the order of the keys. contact_row holds the contacts
/// of each body.
void merge(DetectionWorkspace& w, std::size_t blocks, Contacts& contacts) {
  std::size_t total = 0;
  for (std::size_t k = 0; k < blocks; ++k) {
    w.found[k].first = total;
    total += w.found[k].contacts.size();
  }
  contacts.resize(total);
  for_blocks(blocks, 1, [&](const Block& block) {
    std::size_t c = w.found[block.index].first;
    for (const auto& found : w.found[block.index].contacts) {
      contacts.key[c] = found.key;
      contacts.point[c] = found.point;
      contacts.normal[c] = found.normal;
      contacts.gap[c] = found.gap;
      contacts.gap_acceleration[c] = found.gap_acceleration;
      ++c;
    }
  });
  exclusive_scan(w.contact_row);
}

}  // namespace

DetectionReport find_contacts(const DetectionInput& in, const ContactMemory& last, DetectionWorkspace& w,
                              Contacts& contacts) {
  const std::size_t n = in.bodies.size();
  prepare(in, w);
  update_candidate_pairs(
      w.boxes, [&](std::size_t i) { return skin_part * smallest_length(in, i); }, w.pair_list, w.pairs,
      in.bodies.asleep);
  spread_reach(w);
  find_guards(in, w);
  w.pair_normal.resize(w.pairs.size());
  w.contact_row.resize(n + 1);
  w.contact_row[n] = 0;

  const std::size_t blocks = block_count(n, grain_heavy);
  if (w.found.size() < blocks) w.found.resize(blocks);
  for_blocks(n, grain_heavy, [&](const Block& block) { collide_block(in, block, last, w); });
  merge(w, blocks, contacts);

  DetectionReport report;
  report.candidates = static_cast<std::int64_t>(w.pairs.size());
  for (std::size_t k = 0; k < blocks; ++k) report.failures += w.found[k].failures;
  return report;
}

}  // namespace scree
