#include "engine/detection/detection.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/core/vector4.h"

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
// its box. As wide as the fastest body gets in the step, within these bounds.
constexpr double least_skin = 0.1, most_skin = 0.3;

// How much further than by itself a body must be pushed within a step, over the smallest length, for those
// behind it to be looked for.
constexpr double least_push = 0.02;

// How much nearer than by themselves others may push two bodies given by functions in a step, over the
// smaller smallest length: looking as far as for ellipsoids, to where the fastest neighbours would push them,
// costs many times what it saves in overlaps (decision 35).
constexpr double pushed = 0.1;

// Travel against each other in a step, over the smaller smallest length, from which on a pair's contact is
// sought along the way; and the gap, over the same length, that counts as touch there.
constexpr double fast_travel = 0.5, touch_accuracy = 1e-6;

std::size_t slot(std::int32_t body) { return static_cast<std::size_t>(body); }

/// Where a body is and how far it gets.
SCREE_FOR_EACH_TARGET
void prepare_bodies(const DetectionInput& in, const PlacedShapes& placed, const Block& block,
                    DetectionWorkspace& w) {
  const bool flows = in.cell.flows();
  for (std::size_t i = block.begin; i < block.end; ++i) {
    const ShapeIndex shape = in.bodies.shape[i];
    const Vector4 v = to_vector4(in.bodies.linear_velocity[i]),
                  spin = to_vector4(in.bodies.angular_velocity[i]);
    double speed = std::sqrt(dot(v, v)) + std::sqrt(dot(spin, spin)) * in.shapes.bounding_radius(shape);
    if (flows)  // against the flow, and what that brings two neighbours nearer to each other
      speed += (in.bodies.linear_velocity[i] - in.cell.flow(in.bodies.position[i])).norm() -
               std::sqrt(dot(v, v)) + in.cell.rate.norm() * in.shapes.bounding_radius(shape);
    w.travel[i] = in.time_step_s * speed;
    const double smallest = in.shapes.smallest_length(shape), grain = reach_grain * smallest;
    const double reach =
        w.travel[i] + in.time_step_s * in.free_speed_m_s + 0.5 * (resting_margin * smallest + in.bridge_m);
    w.own_reach[i] = grain * std::ceil(reach / grain);
    w.boxes[i] = {in.bodies.position[i], place_body(placed, i) + Vec3::Constant(w.own_reach[i])};
  }
}

/// Those that nothing moves have no contacts with each other.
void mark_unmoved(const Bodies& bodies, std::vector<std::uint8_t>& unmoved) {
  unmoved.resize(bodies.guide.size());
  for (std::size_t i = 0; i < unmoved.size(); ++i)
    unmoved[i] = bodies.is_asleep(i) || bodies.is_held(i) ? 1 : 0;
}

/// Makes room for the parts of all bodies.
void number_parts(const DetectionInput& in, DetectionWorkspace& w) {
  w.first_part.assign(1, 0);
  for (const ShapeIndex shape : in.bodies.shape)
    w.first_part.push_back(w.first_part.back() + static_cast<std::int32_t>(in.shapes.part_count(shape)));
  w.parts.resize(static_cast<std::size_t>(w.first_part.back()));
}

void prepare(const DetectionInput& in, const PlacedShapes& placed, DetectionWorkspace& w) {
  const std::size_t n = in.bodies.size();
  w.boxes.resize(n);
  w.travel.resize(n);
  mark_unmoved(in.bodies, w.unmoved);
  if (!in.shapes.clumps().empty()) number_parts(in, w);
  w.own_reach.resize(n);
  w.ellipsoids.resize(n);
  w.implicits.resize(in.shapes.functions().empty() ? 0 : n);
  for_blocks(n, grain_medium, [&](const Block& block) { prepare_bodies(in, placed, block, w); });
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

/// Boxes of bodies that others may push further than they move by themselves; is there any that counts?
bool widen_boxes(const DetectionInput& in, DetectionWorkspace& w) {
  return reduce_blocks(
      w.boxes.size(), grain_medium, false,
      [&](const Block& block) {
        bool any = false;
        for (std::size_t i = block.begin; i < block.end; ++i) {
          const double further = w.reach[i] - w.own_reach[i];
          if (!(further > least_push * in.shapes.smallest_length(in.bodies.shape[i]))) continue;
          w.boxes[i].half += Vec3::Constant(further);
          any = true;
        }
        return any;
      },
      [](bool a, bool b) { return a || b; });
}

/// What keeps most bodies from most boundaries: a body whose centre is further above the plane than its
/// bounding sphere may reach is clear of it. Boundaries without such a plane have the normal zero. The same
/// for the box of a mesh or of a surface of revolution.
void place_boundaries(const DetectionInput& in, DetectionWorkspace& w) {
  w.boundaries.clear();
  w.guards.clear();
  for (std::size_t k = 0; k < in.boundaries.size(); ++k) {
    const PlacedBoundary& placed = w.boundaries.emplace_back(
        place(in.boundaries[k], in.time_s, in.time_step_s, standing_of(in.standing, k)));
    DetectionWorkspace::Guard guard{
        {Vec3::Zero(), Vec3::Zero()},
        Vec3::Constant(-infinity),
        Vec3::Constant(infinity),
        placed.moves() || in.boundaries[k].is_mounted() || !placed.belt.isZero(0.0)};
    if (const auto* plane = std::get_if<Plane>(&placed.surface)) guard.plane = *plane;
    const auto set_box = [&](const auto& surface) {
      const auto [middle, half] = bounding_box(surface);
      guard.low = middle - half;
      guard.high = middle + half;
    };
    if (const auto* mesh = std::get_if<PlacedMesh>(&placed.surface)) set_box(*mesh);
    const auto* revolved = std::get_if<PlacedRevolved>(&placed.surface);
    if (revolved != nullptr && !revolved->surface->hollow) set_box(*revolved);
    if (placed.removed) guard.low.setConstant(infinity);  // all are clear of it
    w.guards.push_back(guard);
  }
}

/// How far a boundary's surface moves in the step where a body is, m.
double travel_of(const DetectionInput& in, const DetectionWorkspace& w, std::size_t boundary, std::size_t i) {
  if (!w.guards[boundary].moves) return 0.0;
  const PlacedBoundary& placed = w.boundaries[boundary];
  const Twist& v = placed.twist;
  const Vec3 arm = in.bodies.position[i] - placed.pose.position;
  const double radius = in.shapes.bounding_radius(in.bodies.shape[i]);
  const double speed = (v.linear + v.angular.cross(arm)).norm() + v.angular.norm() * radius;
  if (!in.boundaries[boundary].is_mounted()) return in.time_step_s * speed;
  const VelocityField& gain = placed.gain;
  return in.time_step_s * (speed + gain.at(in.bodies.position[i]).norm() + gain.angular.norm() * radius);
}

/// The image of body b that is nearest to body i goes to `image`; false if it is the body itself.
bool find_image(const DetectionInput& in, std::size_t i, std::int32_t b, ImageShift& image) {
  if (is_boundary(b)) return false;
  image.shift = in.cell.nearest_image(in.bodies.position[slot(b)] - in.bodies.position[i]);
  if (image.shift.isZero(0.0)) return false;
  image.velocity = in.cell.image_velocity(image.shift);
  return true;
}

/// All that contacts are made from.
struct Making {
  const DetectionInput& in;
  const PlacedShapes& placed;
  const DetectionWorkspace& w;
  const DetectionMemory& last;
  bool repeats;  // is the cell periodic?

  double smallest_length(std::size_t i) const { return in.shapes.smallest_length(in.bodies.shape[i]); }
  /// How far the surfaces of a pair travel in the step, m.
  double travel(std::size_t i, std::int32_t b) const {
    return w.travel[i] + (is_boundary(b) ? travel_of(in, w, boundary_of(b), i) : w.travel[slot(b)]);
  }
  /// How much of that is of their turning.
  double turning(std::size_t i, std::size_t j) const {
    const std::vector<Vec3>& v = in.bodies.linear_velocity;
    return travel(i, static_cast<std::int32_t>(j)) - in.time_step_s * (v[i].norm() + v[j].norm());
  }
  /// Against each other; of an image, with its own.
  Vec3 velocity(std::size_t i, std::size_t j, const ImageShift* image) const {
    const Vec3 v = in.bodies.linear_velocity[i] - in.bodies.linear_velocity[j];
    return image == nullptr ? v : Vec3(v - image->velocity);
  }
  /// How near two bodies may come to each other in the step if nothing but each other moves them, m.
  double approach(std::size_t i, std::size_t j, const ImageShift* image) const {
    return in.time_step_s * velocity(i, j, image).norm() + turning(i, j) +
           resting_margin * (smallest_length(i) + smallest_length(j)) + in.bridge_m;
  }
  double length(std::size_t i, std::int32_t b) const {
    return is_boundary(b) ? smallest_length(i) : std::min(smallest_length(i), smallest_length(slot(b)));
  }
};

/// Can a gap bend by something that counts while the surfaces travel this far in a step?
bool bends(double travel, double smallest) { return travel * travel > least_bending * smallest * smallest; }

/// Where two fast bodies meet within the step. Both sides of a contact need one point, for angular momentum:
/// it is carried by the smaller body, whose arms it must fit.
Gap first_touch_of(const Making& m, std::size_t i, std::size_t j, const ImageShift* image, const Gap& now,
                   double smaller) {
  const Vec3 velocity = m.velocity(i, j, image);
  Gap touch = first_touch(m.placed, static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), image, now,
                          std::max(touch_accuracy * smaller, m.turning(i, j)));
  touch.acceleration = 0.0;
  const double closing = -touch.normal.dot(velocity);
  // At the touch the first body is ahead of its place now by velocity * t, in B's frame.
  if (touch.distance < infinity && closing > 0.0 && m.smallest_length(i) < m.smallest_length(j))
    touch.point -= touch.distance / closing * velocity;
  return touch;
}

/// Do two bodies come so far in a step, against each other, that the normal between them now says little
/// about how they will meet?
bool is_fast(const Making& m, std::size_t i, std::int32_t b, const ImageShift* image, double smaller) {
  if (is_boundary(b)) return false;
  const double shift = fast_travel * smaller / m.in.time_step_s;
  return m.velocity(i, slot(b), image).squaredNorm() > shift * shift;
}

/// Arms from the centres. Between bodies both sides use the midpoint, for angular momentum; against a
/// boundary the body's own surface point.
SCREE_INLINE void set_arms(const Making& m, std::size_t i, std::int32_t b, const ImageShift* image,
                           const Gap& g, Contact& contact) {
  const bool fixed = is_boundary(b);
  const Vec3 point = fixed ? Vec3(g.point + 0.5 * g.distance * g.normal) : g.point;
  contact.arm_a = point - m.in.bodies.position[i];
  contact.arm_b =
      point - (fixed ? m.w.boundaries[boundary_of(b)].pose.position : m.in.bodies.position[slot(b)]);
  if (image != nullptr) contact.arm_b -= image->shift;
}

/// What lasts of a contact's impulses, turned from its last normal to the new one.
SCREE_INLINE void go_on(const Contact& last, Contact& contact) {
  const Vector4 from = to_vector4(last.normal), to = to_vector4(contact.normal);
  contact.impulse = to_vec3f(turned_with(from, to, double{last.lasting} * to_vector4(last.impulse)));
  if (!last.torque_impulse.isZero(0.0f))
    contact.torque_impulse =
        to_vec3f(turned_with(from, to, double{last.lasting} * to_vector4(last.torque_impulse)));
}

/// The contacts of a body, found one after the other in the order of keys.
class ContactsOfBody {
 public:
  ContactsOfBody(const Making& m, std::size_t i, DetectionWorkspace::Found& out) : m_(m), i_(i), out_(out) {
    const Contacts& last = m.last.contacts;
    if (i + 1 >= last.row.size()) return;
    last_ = last.list.data() + last.row[i];
    end_of_last_ = last.list.data() + last.row[i + 1];
  }

  /// The contact with a partner that has this gap, if there is one within the step; bends: is the pair in
  /// motion?
  SCREE_INLINE void add(std::int32_t b, const ImageShift* image, const Gap& gap, bool bends) {
    const double length = m_.length(i_, b);
    if (!bends || !is_fast(m_, i_, b, image, length)) return put(b, image, gap, length);
    const Gap touch = first_touch_of(m_, i_, slot(b), image, gap, length);
    if (touch.distance < infinity) put(b, image, touch, length);
  }

 private:
  SCREE_INLINE void put(std::int32_t b, const ImageShift* image, const Gap& gap, double length) {
    if (gap.status == GapStatus::iteration_limit) ++out_.failures;
    Contact& contact = out_.contacts.emplace_back();
    contact.key = {static_cast<std::int32_t>(i_), b, gap.feature};
    contact.normal = gap.normal;
    set_arms(m_, i_, b, image, gap, contact);
    contact.gap = gap.distance;
    contact.gap_acceleration = static_cast<float>(gap.acceleration);
    contact.length = static_cast<float>(length);
    while (last_ != end_of_last_ && last_->key < contact.key) ++last_;
    if (last_ != end_of_last_ && last_->key == contact.key) go_on(*last_, contact);
  }

  const Making& m_;
  std::size_t i_;
  DetectionWorkspace::Found& out_;
  const Contact *last_ = nullptr, *end_of_last_ = nullptr;
};

/// The pairs of a block of bodies, as the lower number of their pair: in the order of keys, and sorted by
/// kind.
struct BlockPairs {
  PairGaps found;
  std::array<std::vector<ShapePair>, pair_kinds> of_kind;
};

/// One a thread, kept from block to block.
BlockPairs& scratch_pairs() {
  static thread_local BlockPairs pairs;
  return pairs;
}

class PairLists {
 public:
  PairLists(const Making& m, std::size_t first_body, BlockPairs& out)
      : m_(m), last_(m.last.seeds), out_(out) {
    out.found.gap.clear();
    out.found.of_pair.clear();
    out.found.remembered.clear();
    out.found.images.clear();
    for (auto& list : out.of_kind) list.clear();
    remembered_ = std::ranges::lower_bound(m.last.remembered, static_cast<std::int32_t>(first_body), {},
                                           &RememberedPair::a);
  }

  SCREE_INLINE void add_pairs_of(std::size_t i) {
    seed_ = i + 1 < last_.row.size() ? last_.list.data() + last_.row[i] : nullptr;
    end_of_seeds_ = seed_ != nullptr ? last_.list.data() + last_.row[i + 1] : nullptr;
    const CandidatePairs& pairs = m_.w.pairs;
    const bool only_ellipsoids = m_.in.shapes.only_ellipsoids();
    for (auto p = slot(pairs.row[i]); p < slot(pairs.row[i + 1]); ++p) {
      const std::int32_t b = pairs.b[p];
      if (m_.in.silent != nullptr && m_.in.silent->contain(i, b)) continue;
      add(only_ellipsoids ? PairKind::ellipsoid_ellipsoid
                          : pair_kind(m_.placed, static_cast<std::int32_t>(i), b),
          i, b, m_.w.reach[i] + m_.w.reach[slot(b)]);
    }
    add_boundaries(i);
  }

 private:
  SCREE_INLINE void add_boundaries(std::size_t i) {
    // A boundary has no half of the resting margin to bring.
    const double margin = m_.w.reach[i] + 0.5 * (resting_margin * m_.smallest_length(i) + m_.in.bridge_m);
    const double clear = m_.in.shapes.bounding_radius(m_.in.bodies.shape[i]) + margin;
    for (std::size_t k = 0; k < m_.in.boundaries.size(); ++k) {
      const DetectionWorkspace::Guard& guard = m_.w.guards[k];
      if (!guard.moves && m_.in.bodies.is_asleep(i)) continue;
      if (m_.in.bodies.is_held(i) && !m_.in.boundaries[k].is_mounted()) continue;
      const double travel = guard.moves ? travel_of(m_.in, m_.w, k, i) : 0.0;
      const Vec3& at = m_.in.bodies.position[i];
      if (guard.plane.normal.dot(at - guard.plane.point) > clear + travel) continue;
      if (((at - guard.high).array() > clear + travel).any() ||
          ((guard.low - at).array() > clear + travel).any())
        continue;
      const auto a = static_cast<std::int32_t>(i), b = boundary_partner(k);
      add(pair_kind(m_.placed, a, b), i, b, margin + travel);
    }
  }

  SCREE_INLINE void add(PairKind kind, std::size_t i, std::int32_t b, double margin) {
    while (seed_ != end_of_seeds_ && partner_order(seed_->b) < partner_order(b)) ++seed_;
    const Seed* const first = seed_;
    while (seed_ != end_of_seeds_ && seed_->b == b) ++seed_;
    const auto a = static_cast<std::int32_t>(i),
               number = static_cast<std::int32_t>(out_.found.of_pair.size());
    const bool moves = bends(m_.travel(i, b), m_.length(i, b));
    std::int32_t image = -1;
    ImageShift found;
    if (m_.repeats && find_image(m_.in, i, b, found)) {
      image = static_cast<std::int32_t>(out_.found.images.size());
      out_.found.images.push_back(found);
    }
    if (kind == PairKind::implicit_implicit)
      margin =
          std::min(margin, m_.approach(i, slot(b), image >= 0 ? &found : nullptr) + pushed * m_.length(i, b));
    out_.found.of_pair.push_back({a, b, moves, is_remembered(kind), image});
    out_.of_kind[static_cast<std::size_t>(kind)].push_back(
        {a, b, number, margin, moves, {first, seed_}, is_remembered(kind) ? recall(a, b) : -1, image});
  }

  /// Where the memory of a pair goes: what was kept of it, or a new one. A pair is of one block alone.
  std::int32_t recall(std::int32_t a, std::int32_t b) {
    const auto is_before = [&](const RememberedPair& p) {
      return p.a < a || (p.a == a && partner_order(p.b) < partner_order(b));
    };
    const auto end = m_.last.remembered.end();
    while (remembered_ != end && is_before(*remembered_)) ++remembered_;
    std::vector<RememberedPair>& list = out_.found.remembered;
    list.push_back({a, b, {}});
    if (remembered_ != end && remembered_->a == a && remembered_->b == b)
      list.back().memory = std::move(remembered_->memory);
    return static_cast<std::int32_t>(list.size()) - 1;
  }

  const Making& m_;
  const Seeds& last_;
  BlockPairs& out_;
  const Seed *seed_ = nullptr, *end_of_seeds_ = nullptr;
  std::vector<RememberedPair>::iterator remembered_;
};

/// All contacts of the bodies of a block, as the lower number of their pair.
SCREE_FOR_EACH_TARGET
void collide_block(const Making& m, const Block& block, DetectionWorkspace& w) {
  BlockPairs& pairs = scratch_pairs();
  PairLists lists(m, block.begin, pairs);
  for (std::size_t i = block.begin; i < block.end; ++i) lists.add_pairs_of(i);
  for (std::size_t kind = 0; kind < pair_kinds; ++kind)
    find_gaps(static_cast<PairKind>(kind), m.placed, pairs.of_kind[kind], pairs.found);

  DetectionWorkspace::Found& out = w.found[block.index];
  out.contacts.clear();
  out.seeds.clear();
  out.remembered.swap(pairs.found.remembered);
  out.failures = 0;
  make_room(out.seeds, pairs.found.gap.size());
  make_room(out.contacts, static_cast<std::size_t>(std::ranges::count_if(
                              pairs.found.gap, [](const Gap& g) { return g.distance < infinity; })));
  const std::vector<PairGaps::Found>& of_pair = pairs.found.of_pair;
  std::size_t pair = 0;
  for (std::size_t i = block.begin; i < block.end; ++i) {
    const std::size_t contacts = out.contacts.size(), seeds = out.seeds.size();
    ContactsOfBody of_body(m, i, out);
    for (; pair < of_pair.size() && of_pair[pair].a == static_cast<std::int32_t>(i); ++pair) {
      const PairGaps::Found& found = of_pair[pair];
      for (std::int32_t k = found.first; k < found.first + found.count; ++k) {
        const Gap& gap = pairs.found.gap[slot(k)];
        if (!found.is_remembered) out.seeds.push_back({found.b, gap.feature, gap.normal});
        if (gap.distance < infinity) of_body.add(found.b, pairs.found.image_of(found), gap, found.bends);
      }
    }
    w.contact_row[i] = static_cast<std::int32_t>(out.contacts.size() - contacts);
    w.seed_row[i] = static_cast<std::int32_t>(out.seeds.size() - seeds);
  }
}

/// Puts the blocks' lists behind each other, which is the order of the keys.
void merge(DetectionWorkspace& w, std::size_t blocks, const DetectionMemory& memory) {
  auto& [contacts, seeds, remembered] = memory;
  std::size_t found_contacts = 0, found_seeds = 0;
  for (std::size_t k = 0; k < blocks; ++k) {
    w.found[k].first_contact = found_contacts;
    w.found[k].first_seed = found_seeds;
    found_contacts += w.found[k].contacts.size();
    found_seeds += w.found[k].seeds.size();
  }
  resize_with_room(contacts.list, found_contacts);
  resize_with_room(seeds.list, found_seeds);
  for_each_index(blocks, 1, [&, &contacts = contacts, &seeds = seeds](std::size_t k) {
    const DetectionWorkspace::Found& found = w.found[k];
    std::copy(found.contacts.begin(), found.contacts.end(), contacts.list.begin() + found.first_contact);
    std::copy(found.seeds.begin(), found.seeds.end(), seeds.list.begin() + found.first_seed);
  });
  exclusive_scan(w.contact_row);
  exclusive_scan(w.seed_row);
  contacts.row.swap(w.contact_row);
  seeds.row.swap(w.seed_row);
  remembered.clear();
  for (std::size_t k = 0; k < blocks; ++k)
    std::ranges::move(w.found[k].remembered, std::back_inserter(remembered));
}

}  // namespace

DetectionReport find_contacts(const DetectionInput& in, DetectionWorkspace& w,
                              const DetectionMemory& memory) {
  const std::size_t n = in.bodies.size();
  const PlacedShapes placed{in.shapes, in.bodies,    w.ellipsoids, w.implicits,
                            w.parts,   w.first_part, w.boundaries, in.time_step_s};
  prepare(in, placed, w);
  const double farthest = n > 0 ? *std::max_element(w.own_reach.begin(), w.own_reach.end()) : 0.0;
  const auto find_pairs = [&] {
    update_candidate_pairs(
        w.boxes,
        [&](std::size_t i) {
          const double smallest = in.shapes.smallest_length(in.bodies.shape[i]);
          return std::clamp(farthest, least_skin * smallest, most_skin * smallest);
        },
        w.pair_list, w.pairs, w.unmoved.empty() ? in.bodies.asleep : w.unmoved, in.cell);
  };
  find_pairs();
  spread_reach(w);
  if (widen_boxes(in, w)) find_pairs();
  place_boundaries(in, w);

  w.contact_row.resize(n + 1);
  w.seed_row.resize(n + 1);
  w.contact_row[n] = w.seed_row[n] = 0;
  const std::size_t blocks = block_count(n, grain_heavy);
  if (w.found.size() < blocks) w.found.resize(blocks);
  const Making making{in, placed, w, memory, in.cell.is_periodic()};
  for_blocks(n, grain_heavy, [&](const Block& block) { collide_block(making, block, w); });
  merge(w, blocks, memory);

  DetectionReport report;
  report.candidates = static_cast<std::int64_t>(w.pairs.size());
  for (std::size_t k = 0; k < blocks; ++k) report.failures += w.found[k].failures;
  return report;
}

}  // namespace scree
