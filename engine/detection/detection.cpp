#include "engine/detection/detection.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <ranges>
#include <utility>

#include "engine/core/parallel.h"
#include "engine/core/vector4.h"
#include "engine/geometry/seams.h"

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

// What boxes are made wider by: pairs are searched for anew when a body has left its box. As wide as the
// fastest body gets in so many steps, within these bounds, over the smallest length.
constexpr double searched_for = 3.0, least_skin = 0.1, most_skin = 0.5;

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

// Surfaces pass through an edge of another wall if they are this near to it, over the smallest length: walls
// that were made to be flush are so to the digits of their files.
constexpr double flush = 1e-4;

// After so many steps in which it listed nothing a block gives back the room for its lists; at once where but
// few blocks list something, as in a bed where single grains do not come to rest.
constexpr int long_renewed = 10;
constexpr double few_blocks = 0.25;

// Of detections, in any workspace.
std::atomic<std::uint64_t> stamps = 0;

/// Copies plain numbers as bytes: what has Eigen's vectors in it would go member by member.
template <class T>
void copy_plain(const T* from, std::size_t count, T* to) {
  if (count > 0) std::memcpy(static_cast<void*>(to), from, count * sizeof(T));
}

/// How far an ellipsoid's surface has moved at most along any direction, m: its support distance is the root
/// of n.S n, and not less than the smallest semi-axis.
SCREE_INLINE double moved(const PlacedEllipsoid& from, const PlacedEllipsoid& to, double smallest) {
  static_assert(sizeof(PlacedEllipsoid) == 3 * sizeof(Vector4));
  // Straight from where they stand: copies of all twelve numbers would be made in pieces and read as a whole.
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

/// Makes a body ready for its pairs; returns the half extents of its bounding box, m.
SCREE_INLINE Vec3 place_body(const PlacedShapes& placed, std::size_t body) {
  const ShapeIndex shape = placed.bodies.shape[body];
  if (!placed.shapes.functions().empty())
    placed.implicits[body] =
        place(placed.shapes.function_of(shape), placed.bodies.pose(body), placed.shapes.size_of(shape));
  if (!placed.shapes.clumps().empty()) place_parts(placed, body);
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
    const double smallest = in.shapes.smallest_length(shape), grain = reach_grain * smallest,
                 travel = in.time_step_s * speed;
    const double farthest =
        travel + in.time_step_s * in.free_speed_m_s + 0.5 * (resting_margin * smallest + in.bridge_m);
    const double reach = grain * std::ceil(farthest / grain);
    w.boxes[i] = {in.bodies.position[i], place_body(placed, i) + Vec3::Constant(reach)};
    w.reach[i] = {travel, reach, reach, smallest, 0.0};
  }
}

/// And how far it has got since the last detection: some bodies at a time, for what has just been written in
/// pieces is slow to read as a whole.
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

/// Those that nothing moves have no contacts with each other.
void mark_unmoved(const Bodies& bodies, std::vector<std::uint8_t>& unmoved) {
  unmoved.resize(bodies.kinematic_group.size());
  for (std::size_t i = 0; i < unmoved.size(); ++i)
    unmoved[i] = bodies.is_asleep(i) || bodies.is_held(i) ? 1 : 0;
}

/// Makes room for the parts of all bodies.
void number_parts(const DetectionInput& in, DetectionWorkspace& w) {
  w.first_part.assign(1, 0);
  for (const ShapeIndex shape : in.bodies.shape)
    w.first_part.push_back(w.first_part.back() + static_cast<std::int32_t>(in.shapes.part_count(shape)));
  w.parts.resize(w.first_part.back());
}

/// How far bodies may get in the step by themselves, m.
struct Farthest {
  double least = infinity, most = 0.0;
};
/// All bodies.
Farthest prepare(const DetectionInput& in, const PlacedShapes& placed, DetectionWorkspace& w) {
  const std::size_t n = in.bodies.size();
  w.boxes.resize(n);
  mark_unmoved(in.bodies, w.unmoved);
  if (!in.shapes.clumps().empty()) number_parts(in, w);
  w.reach.resize(n);
  w.ellipsoids.resize(n);
  w.implicits.resize(in.shapes.functions().empty() ? 0 : n);
  return reduce_blocks(
      n, grain_medium, Farthest{},
      [&](const Block& block) {
        prepare_block(in, placed, block, w);
        Farthest of_block;
        for (std::size_t i = block.begin; i < block.end; ++i) {
          of_block.least = std::min(of_block.least, w.reach[i].alone);
          of_block.most = std::max(of_block.most, w.reach[i].alone);
        }
        return of_block;
      },
      [](const Farthest& a, const Farthest& b) -> Farthest {
        return {std::min(a.least, b.least), std::max(a.most, b.most)};
      });
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

/// Boxes of bodies that others may push further than they move by themselves; is there any that counts?
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

/// What keeps most bodies from most boundaries: a body whose centre is further above the plane than its
/// bounding sphere may reach is clear of it. Boundaries without such a plane have the normal zero. The same
/// for the box of a mesh or of a surface of revolution.
void place_boundaries(const DetectionInput& in, DetectionWorkspace& w) {
  w.boundaries.clear();
  w.guards.clear();
  for (std::size_t k = 0; k < in.boundaries.size(); ++k) {
    const PlacedBoundary& placed = w.boundaries.emplace_back(
        place(in.boundaries[k], in.time_s, in.time_step_s, boundary_pose_of(in.boundary_pose, k)));
    DetectionWorkspace::Guard guard{
        {Vec3::Zero(), Vec3::Zero()},
        Vec3::Constant(-infinity),
        Vec3::Constant(infinity),
        placed.moves() || in.boundaries[k].is_mounted() || !placed.surface_velocity.isZero(0.0)};
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
  image.shift = in.cell.nearest_image(in.bodies.position[b] - in.bodies.position[i]);
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
  bool repeats;                 // is the cell periodic?
  bool is_known_apart = false;  // do DetectionWorkspace::apart and these seeds belong together?

  /// How far apart the two of a seed are at least, m.
  double apart(std::size_t seed, std::size_t i, std::int32_t b) const {
    return double{w.apart[seed]} - w.reach[i].moved - w.reach[b].moved;
  }

  double smallest_length(std::size_t i) const { return w.reach[i].smallest_length; }
  /// How much of what two surfaces travel in the step is of their turning, m.
  double turning(std::size_t i, std::size_t j) const {
    const std::vector<Vec3>& v = in.bodies.linear_velocity;
    return w.reach[i].travel + w.reach[j].travel - in.time_step_s * (v[i].norm() + v[j].norm());
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
  return m.velocity(i, b, image).squaredNorm() > shift * shift;
}

/// What arms of a partner begin at: its centre, or its image's.
SCREE_INLINE Vector4 centre_of(const Making& m, std::int32_t b, const ImageShift* image) {
  if (is_boundary(b)) return to_vector4(m.w.boundaries[boundary_of(b)].pose.position);
  const Vector4 centre = first_three(&m.w.boxes[b].centre);
  return image == nullptr ? centre : centre + to_vector4(image->shift);
}

/// A contact's place, from the gap of its pair. It acts between bodies midway, for angular momentum; against
/// a boundary on the body's own surface.
SCREE_INLINE void place(const Making& m, const ImageShift* image, const Gap& gap, double length,
                        Contact& contact) {
  const auto [a, b, feature] = contact.key;
  const Vector4 normal = first_three(&gap.normal);
  Vector4 point = first_three(&gap.point);
  if (is_boundary(b)) point += 0.5 * gap.distance * normal;
  put_three(normal, &contact.normal);
  put_three(point - first_three(&m.w.boxes[a].centre), &contact.arm_a);
  put_three(point - centre_of(m, b, image), &contact.arm_b);
  contact.gap = gap.distance;
  contact.gap_acceleration = static_cast<float>(gap.acceleration);
  contact.length = static_cast<float>(length);
}

/// Begins with what lasts of the impulses that it has, turned from its last normal to the new one. (Not read
/// from the contact, where it has just been written.)
SCREE_INLINE void go_on(Vector4 last_normal, Vector4 normal, Contact& contact) {
  const double lasting = contact.lasting;
  contact.impulse = to_vec3f(turned_with(last_normal, normal, lasting * to_vector4(contact.impulse)));
  if (!contact.torque_impulse.isZero(0.0f))
    contact.torque_impulse =
        to_vec3f(turned_with(last_normal, normal, lasting * to_vector4(contact.torque_impulse)));
  contact.lasting = 1.0f;
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
  SCREE_INLINE void add(std::int32_t b, const ImageShift* image, const Gap& gap, bool bends, double length) {
    if (!bends || !is_fast(m_, i_, b, image, length)) return put(b, image, gap, length);
    const Gap touch = first_touch_of(m_, i_, b, image, gap, length);
    if (touch.distance < infinity) put(b, image, touch, length);
  }

 private:
  SCREE_INLINE void put(std::int32_t b, const ImageShift* image, const Gap& gap, double length) {
    if (gap.status == GapStatus::iteration_limit) ++out_.failures;
    Contact& contact = out_.contacts.emplace_back(ContactKey{static_cast<std::int32_t>(i_), b, gap.feature});
    place(m_, image, gap, length, contact);
    while (last_ != end_of_last_ && last_->key < contact.key) ++last_;
    if (last_ == end_of_last_ || last_->key != contact.key) return;
    contact.lasting = last_->lasting;
    contact.impulse = last_->impulse;
    contact.torque_impulse = last_->torque_impulse;
    go_on(first_three(&last_->normal), first_three(&gap.normal), contact);
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
  std::vector<std::size_t> boundaries;  // that its bodies may meet
};

/// One a thread, kept from block to block.
BlockPairs& scratch_pairs() {
  static thread_local BlockPairs pairs;
  return pairs;
}

/// The seeds of a body's pairs, asked for in the order of partners.
class CachedNormalsOfBody {
 public:
  CachedNormalsOfBody(const NormalCache& cached_normals, std::size_t body) {
    if (body + 1 >= cached_normals.row.size()) return;
    next_ = cached_normals.list.data() + cached_normals.row[body];
    end_ = cached_normals.list.data() + cached_normals.row[body + 1];
  }
  SCREE_INLINE std::span<const CachedNormal> of(std::int32_t partner) {
    while (next_ != end_ && partner_order(next_->b) < partner_order(partner)) ++next_;
    const CachedNormal* const first = next_;
    while (next_ != end_ && next_->b == partner) ++next_;
    return {first, next_};
  }

 private:
  const CachedNormal *next_ = nullptr, *end_ = nullptr;
};

class PairLists {
 public:
  PairLists(const Making& m, const Block& block, BlockPairs& out) : m_(m), out_(out) {
    list_boundaries(block);
    out.found.gap.clear();
    out.found.of_pair.clear();
    out.found.cached.clear();
    out.found.images.clear();
    for (auto& list : out.of_kind) list.clear();
    cached_ =
        std::ranges::lower_bound(m.last.cached, static_cast<std::int32_t>(block.begin), {}, &CachedPair::a);
  }

  SCREE_INLINE void add_pairs_of(std::size_t i) {
    CachedNormalsOfBody cached_normals(m_.last.cached_normals, i);
    const std::int32_t *const partner = m_.w.pairs.b.data(), *const row = m_.w.pairs.row.data();
    const DetectionWorkspace::Reach *const reach = m_.w.reach.data(), of_body = reach[i];
    const CollisionFilter* const filter = m_.in.filter;
    const bool only_ellipsoids = m_.in.shapes.only_ellipsoids();
    for (auto p = row[i], end = (row[i + 1]); p < end; ++p) {
      const std::int32_t b = partner[p];
      if (filter != nullptr && filter->contain(i, b)) continue;
      const PairKind kind = only_ellipsoids ? PairKind::ellipsoid_ellipsoid
                                            : pair_kind(m_.placed, static_cast<std::int32_t>(i), b);
      const DetectionWorkspace::Reach& of_partner = reach[b];
      const std::span<const CachedNormal> of_pair = cached_normals.of(b);
      const double margin = of_body.pushed + of_partner.pushed,
                   length = std::min(of_body.smallest_length, of_partner.smallest_length);
      if (m_.is_known_apart && kind == PairKind::ellipsoid_ellipsoid && !of_pair.empty()) {
        const auto seed = of_pair.data() - m_.last.cached_normals.list.data();
        if (m_.apart(static_cast<std::size_t>(seed), i, b) > margin + touch_accuracy * length) {
          out_.found.of_pair.emplace_back(static_cast<std::int32_t>(i), b, -1,
                                          static_cast<std::int32_t>(seed), PairGaps::still_apart, false,
                                          false, length);
          continue;
        }
      }
      add({kind, i, b, margin, length, of_body.travel + of_partner.travel}, of_pair);
    }
    add_boundaries(i, cached_normals);
  }

 private:
  struct Near {
    PairKind kind;
    std::size_t i;
    std::int32_t b;
    double margin, length, travel;  // m, travel: of both surfaces in the step
  };

  /// How far a body's surface may reach in the step beyond its own place, m. A boundary has no half of the
  /// resting margin to bring.
  double margin_of(std::size_t i) const {
    return m_.w.reach[i].pushed + 0.5 * (resting_margin * m_.smallest_length(i) + m_.in.bridge_m);
  }

  /// Those that are not clear of a box about all the block's bodies.
  void list_boundaries(const Block& block) {
    out_.boundaries.clear();
    Vec3 low = Vec3::Constant(infinity), high = Vec3::Constant(-infinity);
    double clear = 0.0;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      low = low.cwiseMin(m_.in.bodies.position[i]);
      high = high.cwiseMax(m_.in.bodies.position[i]);
      clear = std::max(clear, m_.in.shapes.bounding_radius(m_.in.bodies.shape[i]) + margin_of(i));
    }
    const Vec3 centre = 0.5 * (low + high), half = 0.5 * (high - low);
    for (std::size_t k = 0; k < m_.w.guards.size(); ++k) {
      const DetectionWorkspace::Guard& guard = m_.w.guards[k];
      const Vec3& normal = guard.plane.normal;
      const bool is_clear = normal.dot(centre - guard.plane.point) - normal.cwiseAbs().dot(half) > clear ||
                            ((low - guard.high).array() > clear).any() ||
                            ((guard.low - high).array() > clear).any();
      if (guard.moves || !is_clear) out_.boundaries.push_back(k);
    }
  }

  SCREE_INLINE void add_boundaries(std::size_t i, CachedNormalsOfBody& cached_normals) {
    if (out_.boundaries.empty()) return;
    const double length = m_.smallest_length(i), margin = margin_of(i);
    const double clear = m_.in.shapes.bounding_radius(m_.in.bodies.shape[i]) + margin;
    const Vec3 at = m_.in.bodies.position[i];
    const bool asleep = m_.in.bodies.is_asleep(i), held = m_.in.bodies.is_held(i);
    for (const std::size_t k : out_.boundaries) {
      const DetectionWorkspace::Guard& guard = m_.w.guards[k];
      if (!guard.moves && asleep) continue;
      if (held && !m_.in.boundaries[k].is_mounted()) continue;
      const double travel = guard.moves ? travel_of(m_.in, m_.w, k, i) : 0.0;
      if (guard.plane.normal.dot(at - guard.plane.point) > clear + travel) continue;
      if (((at - guard.high).array() > clear + travel).any() ||
          ((guard.low - at).array() > clear + travel).any())
        continue;
      const auto a = static_cast<std::int32_t>(i), b = boundary_partner(k);
      add({pair_kind(m_.placed, a, b), i, b, margin + travel, length, m_.w.reach[i].travel + travel},
          cached_normals.of(b));
    }
  }

  SCREE_INLINE void add(const Near& near, std::span<const CachedNormal> cached_normals) {
    const auto a = static_cast<std::int32_t>(near.i),
               number = static_cast<std::int32_t>(out_.found.of_pair.size());
    const bool moves = bends(near.travel, near.length), remembers = is_cached(near.kind);
    std::int32_t image = -1;
    ImageShift found;
    if (m_.repeats && find_image(m_.in, near.i, near.b, found)) {
      image = static_cast<std::int32_t>(out_.found.images.size());
      out_.found.images.push_back(found);
    }
    double margin = near.margin;
    if (near.kind == PairKind::implicit_implicit)
      margin =
          std::min(margin, m_.approach(near.i, near.b, image >= 0 ? &found : nullptr) + pushed * near.length);
    out_.found.of_pair.emplace_back(a, near.b, image, 0, 0, moves, remembers, near.length);
    out_.of_kind[static_cast<std::size_t>(near.kind)].emplace_back(
        a, near.b, number, image, margin, cached_normals, remembers ? recall(a, near.b) : -1, moves);
  }

  /// Where the memory of a pair goes: what was kept of it, or a new one. A pair is of one block alone.
  std::int32_t recall(std::int32_t a, std::int32_t b) {
    const auto is_before = [&](const CachedPair& p) {
      return p.a < a || (p.a == a && partner_order(p.b) < partner_order(b));
    };
    const auto end = m_.last.cached.end();
    while (cached_ != end && is_before(*cached_)) ++cached_;
    std::vector<CachedPair>& list = out_.found.cached;
    list.push_back({a, b, {}});
    if (cached_ != end && cached_->a == a && cached_->b == b) list.back().memory = std::move(cached_->memory);
    return static_cast<std::int32_t>(list.size()) - 1;
  }

  const Making& m_;
  BlockPairs& out_;
  std::vector<CachedPair>::iterator cached_;
};

/// As a number that is not larger; what is not larger than zero serves nobody.
SCREE_INLINE float rounded_down(double x) {
  return x > 0.0 ? static_cast<float>(x) * (1.0f - 0x1p-22f) : 0.0f;
}

/// Have the pairs of a block the contacts and seeds of the last step, every one in its place? So they have in
/// most blocks of a bed at rest.
bool are_those_of_last_step(const Making& m, const Block& block, const PairGaps& found) {
  const Contacts& contacts = m.last.contacts;
  const NormalCache& cached_normals = m.last.cached_normals;
  const std::size_t n = m.in.bodies.size();
  if (contacts.row.size() != n + 1 || cached_normals.row.size() != n + 1) return false;
  const PairGaps::Found *pair = found.of_pair.data(), *const end = pair + found.of_pair.size();
  std::int32_t c = contacts.row[block.begin], s = cached_normals.row[block.begin];
  for (std::size_t i = block.begin; i < block.end; ++i) {
    const auto a = static_cast<std::int32_t>(i);
    const std::int32_t end_c = contacts.row[i + 1], end_s = cached_normals.row[i + 1];
    for (; pair != end && pair->a == a; ++pair) {
      if (pair->count == PairGaps::still_apart) {
        if (pair->first != s++) return false;
        continue;
      }
      const Gap* gap = found.gap.data() + pair->first;
      for (const Gap* const last = gap + pair->count; gap != last; ++gap) {
        if (!pair->is_cached) {
          if (s == end_s) return false;
          const CachedNormal& seed = cached_normals.list[s++];
          if (seed.b != pair->b || seed.feature != gap->feature) return false;
        }
        if (!(gap->distance < infinity)) continue;
        if (c == end_c || contacts.list[c++].key != ContactKey{a, pair->b, gap->feature}) return false;
        if (pair->bends && is_fast(m, i, pair->b, found.image_of(*pair), pair->length)) return false;
      }
    }
    if (c != end_c || s != end_s) return false;
  }
  return true;
}

/// Renews them where they stand.
SCREE_FOR_EACH_TARGET
void renew_block(const Making& m, const Block& block, const PairGaps& found, DetectionWorkspace& w) {
  DetectionWorkspace::Found& out = w.found[block.index];
  Contacts& contacts = m.last.contacts;
  NormalCache& cached_normals = m.last.cached_normals;
  auto c = contacts.row[block.begin], s = cached_normals.row[block.begin];
  const Gap* const gaps = found.gap.data();
  for (const PairGaps::Found& pair : found.of_pair) {
    const auto i = pair.a;
    if (pair.count == PairGaps::still_apart) {
      w.apart[s] = rounded_down(m.apart(s, i, pair.b));
      ++out.known_apart;
      ++s;
      continue;
    }
    for (const Gap *gap = gaps + pair.first, *end = gap + pair.count; gap != end; ++gap) {
      if (!pair.is_cached) {
        cached_normals.list[s].normal = gap->normal;
        w.apart[s++] = rounded_down(gap->apart);
      }
      if (!(gap->distance < infinity)) continue;
      if (gap->status == GapStatus::iteration_limit) ++out.failures;
      Contact& contact = contacts.list[c++];
      const Vector4 last_normal = first_three(&contact.normal);
      place(m, found.image_of(pair), *gap, pair.length, contact);
      go_on(last_normal, first_three(&gap->normal), contact);
    }
  }
  for (std::size_t i = block.begin; i < block.end; ++i) {
    w.contact_row[i] = contacts.row[i + 1] - contacts.row[i];
    w.cached_normal_row[i] = cached_normals.row[i + 1] - cached_normals.row[i];
  }
}

/// Lists the contacts and seeds of a block, and how many each of its bodies has.
SCREE_FOR_EACH_TARGET
void list_block(const Making& m, const Block& block, const PairGaps& found, DetectionWorkspace& w) {
  DetectionWorkspace::Found& out = w.found[block.index];
  make_room(out.cached_normals, found.gap.size());
  make_room(out.apart, found.gap.size());
  make_room(out.contacts, static_cast<std::size_t>(std::ranges::count_if(
                              found.gap, [](const Gap& g) { return g.distance < infinity; })));
  const PairGaps::Found *pair = found.of_pair.data(), *const last_pair = pair + found.of_pair.size();
  const Gap* const gaps = found.gap.data();
  for (std::size_t i = block.begin; i < block.end; ++i) {
    const std::size_t contacts = out.contacts.size(), cached_normals = out.cached_normals.size();
    ContactsOfBody of_body(m, i, out);
    for (; pair != last_pair && pair->a == static_cast<std::int32_t>(i); ++pair) {
      if (pair->count == PairGaps::still_apart) {
        out.cached_normals.push_back(m.last.cached_normals.list[pair->first]);
        out.apart.push_back(rounded_down(m.apart(pair->first, i, pair->b)));
        ++out.known_apart;
        continue;
      }
      for (const Gap *gap = gaps + pair->first, *end = gap + pair->count; gap != end; ++gap) {
        if (!pair->is_cached) {
          out.cached_normals.emplace_back(pair->b, gap->feature, gap->normal);
          out.apart.push_back(rounded_down(gap->apart));
        }
        if (gap->distance < infinity)
          of_body.add(pair->b, found.image_of(*pair), *gap, pair->bends, pair->length);
      }
    }
    w.contact_row[i] = static_cast<std::int32_t>(out.contacts.size() - contacts);
    w.cached_normal_row[i] = static_cast<std::int32_t>(out.cached_normals.size() - cached_normals);
  }
}

/// Does a wall, another or of a mesh the same, rise from the edge that a body comes near to?
bool is_seam(const Making& m, std::span<const std::size_t> boundaries, std::int32_t partner,
             const SharpPlace& place) {
  return std::ranges::any_of(boundaries, [&](std::size_t k) {
    const PlacedBoundary& wall = m.w.boundaries[k];
    const DetectionWorkspace::Guard& guard = m.w.guards[k];
    if (wall.removed || ((place.point - guard.high).array() > place.slack).any() ||
        ((guard.low - place.point).array() > place.slack).any())
      return false;
    // What meets at an edge of its own wall was looked at there; of meshes, as far as corners are shared.
    if (k == boundary_of(partner) && !std::holds_alternative<PlacedMesh>(wall.surface)) return false;
    return std::visit([&](const auto& surface) { return rises_at(surface, place); }, wall.surface);
  });
}

/// Flush walls are one surface: edges that others rise from are no contacts, and what two walls share is one.
void join_walls(const Making& m, BlockPairs& pairs) {
  std::vector<SharpPlace> met;  // of a body
  std::int32_t body = -1;
  for (const PairGaps::Found& pair : pairs.found.of_pair) {
    if (!is_boundary(pair.b)) continue;
    if (std::exchange(body, pair.a) != pair.a) met.clear();
    for (Gap& gap : std::span(pairs.found.gap).subspan(pair.first, pair.count)) {
      if (!gap.is_sharp || !(gap.distance < infinity)) continue;
      const SharpPlace place{gap.point - 0.5 * gap.distance * gap.normal, gap.normal, flush * pair.length,
                             pair.length};
      if (std::ranges::any_of(met, [&](const SharpPlace& other) { return is_same(place, other); }) ||
          is_seam(m, pairs.boundaries, pair.b, place))
        gap.distance = infinity;
      else
        met.push_back(place);
    }
  }
}

void give_back_lists(DetectionWorkspace::Found& block) {
  block.contacts = std::vector<Contact>();
  block.cached_normals = std::vector<CachedNormal>();
  block.apart = std::vector<float>();
}

/// All contacts of the bodies of a block, as the lower number of their pair.
SCREE_FOR_EACH_TARGET
void collide_block(const Making& m, const Block& block, DetectionWorkspace& w) {
  BlockPairs& pairs = scratch_pairs();
  PairLists lists(m, block, pairs);
  for (std::size_t i = block.begin; i < block.end; ++i) lists.add_pairs_of(i);
  for (std::size_t kind = 0; kind < pair_kinds; ++kind)
    find_gaps(static_cast<PairKind>(kind), m.placed, pairs.of_kind[kind], pairs.found);
  join_walls(m, pairs);

  DetectionWorkspace::Found& out = w.found[block.index];
  out.contacts.clear();
  out.cached_normals.clear();
  out.apart.clear();
  out.cached.swap(pairs.found.cached);
  out.known_apart = out.failures = 0;
  out.renewed = are_those_of_last_step(m, block, pairs.found) ? std::min(out.renewed, long_renewed) + 1 : 0;
  if (out.renewed > 0) {
    if (out.renewed == long_renewed) give_back_lists(out);
    const auto part_of = [&](const std::vector<std::int32_t>& row) -> DetectionWorkspace::Place {
      return {static_cast<std::size_t>(row[block.begin]), 0,
              static_cast<std::size_t>(row[block.end] - row[block.begin])};
    };
    out.of_contacts = part_of(m.last.contacts.row);
    out.of_cached_normals = part_of(m.last.cached_normals.row);
    renew_block(m, block, pairs.found, w);
  } else {
    list_block(m, block, pairs.found, w);
    out.of_contacts = {0, 0, out.contacts.size()};
    out.of_cached_normals = {0, 0, out.cached_normals.size()};
  }
}

/// Puts what the blocks have listed behind each other, which is the order of the keys; what they have renewed
/// moves there from where it stands in the list.
template <class T>
void join(std::span<DetectionWorkspace::Found> found, std::vector<T> DetectionWorkspace::Found::*listed,
          DetectionWorkspace::Place DetectionWorkspace::Found::*place, std::vector<T>& list) {
  std::size_t total = 0;
  for (DetectionWorkspace::Found& block : found) {
    (block.*place).goes_to = total;
    total += (block.*place).count;
  }
  if (total > list.size()) resize_with_room(list, total);
  const auto move = [&](const DetectionWorkspace::Found& block) {
    const auto& [stands, goes_to, count] = block.*place;
    std::memmove(static_cast<void*>(list.data() + goes_to), list.data() + stands, count * sizeof(T));
  };
  // Forward from the first on, then back from the last on: nothing is written over that has yet to move.
  for (const auto& block : found)
    if (block.renewed > 0 && (block.*place).goes_to < (block.*place).stands) move(block);
  for (const auto& block : found | std::views::reverse)
    if (block.renewed > 0 && (block.*place).goes_to > (block.*place).stands) move(block);
  list.resize(total);
  for_each_index(found.size(), 1, [&](std::size_t k) {
    const DetectionWorkspace::Found& block = found[k];
    if (block.renewed == 0)
      copy_plain((block.*listed).data(), (block.*place).count, list.data() + (block.*place).goes_to);
  });
}

/// The lists of all blocks as those of the step.
void merge(DetectionWorkspace& w, std::size_t blocks, const DetectionMemory& memory) {
  auto& [contacts, cached_normals, cached] = memory;
  const std::span found(w.found.data(), blocks);
  using Found = DetectionWorkspace::Found;
  const auto listed = std::ranges::count_if(found, [](const Found& block) { return block.renewed == 0; });
  if (listed > 0) {
    join(found, &Found::contacts, &Found::of_contacts, contacts.list);
    join(found, &Found::cached_normals, &Found::of_cached_normals, cached_normals.list);
    join(found, &Found::apart, &Found::of_cached_normals, w.apart);
    exclusive_scan(w.contact_row);
    exclusive_scan(w.cached_normal_row);
    contacts.row.swap(w.contact_row);
    cached_normals.row.swap(w.cached_normal_row);
    if (static_cast<double>(listed) < few_blocks * static_cast<double>(blocks)) {
      for (Found& block : found)
        if (block.renewed == 0) give_back_lists(block);
    }
  }
  cached_normals.stamp = w.stamp = ++stamps;
  cached.clear();
  for (Found& block : found) std::ranges::move(block.cached, std::back_inserter(cached));
}

}  // namespace

DetectionReport find_contacts(const DetectionInput& in, DetectionWorkspace& w,
                              const DetectionMemory& memory) {
  const std::size_t n = in.bodies.size();
  const PlacedShapes placed{in.shapes, in.bodies,    w.ellipsoids, w.implicits,
                            w.parts,   w.first_part, w.boundaries, in.time_step_s};
  const Farthest farthest = prepare(in, placed, w);
  const auto find_pairs = [&] {
    update_candidate_pairs(
        w.boxes,
        [&](std::size_t i) {
          const double smallest = w.reach[i].smallest_length;
          return std::clamp(searched_for * farthest.most, least_skin * smallest, most_skin * smallest);
        },
        w.pair_list, w.pairs, w.unmoved.empty() ? in.bodies.asleep : w.unmoved, in.cell);
  };
  find_pairs();
  if (farthest.least < farthest.most) {  // else nobody can be pushed further, as in a bed at rest
    spread_reach(w);
    if (widen_boxes(w)) find_pairs();
  }
  place_boundaries(in, w);

  w.contact_row.resize(n + 1);
  w.cached_normal_row.resize(n + 1);
  w.contact_row[n] = w.cached_normal_row[n] = 0;
  resize_with_room(w.apart, memory.cached_normals.list.size());
  const std::size_t blocks = block_count(n, grain_heavy);
  if (w.found.size() < blocks) w.found.resize(blocks);
  const bool repeats = in.cell.is_periodic(),
             is_known_apart = !repeats && w.stamp != 0 && memory.cached_normals.stamp == w.stamp;
  const Making making{in, placed, w, memory, repeats, is_known_apart};
  for_blocks(n, grain_heavy, [&](const Block& block) { collide_block(making, block, w); });
  merge(w, blocks, memory);

  DetectionReport report;
  report.candidates = static_cast<std::int64_t>(w.pairs.size());
  for (std::size_t k = 0; k < blocks; ++k) {
    report.known_apart += w.found[k].known_apart;
    report.failures += w.found[k].failures;
  }
  return report;
}

}  // namespace scree
