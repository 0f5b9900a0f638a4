#include "engine/detection/block_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/core/parallel.h"
#include "engine/core/vector4.h"
#include "engine/geometry/seams.h"

namespace scree {

namespace {

// The acceleration of a gap is computed if surfaces travel further in a step than the root of this share of
// the smallest length. It requires bodies to separate, which a wedged body cannot do; a body this fast is not
// wedged. For slower bodies the effect is below 1e-7 of the length per step.
constexpr double least_bending = 1e-7;

// Distance by which others may push two bodies given by functions towards each other in a step, over the
// smaller smallest length. The search distance of ellipsoids, which follows from the fastest neighbours,
// would cost much more time than the avoided overlaps are worth (decision 35).
constexpr double pushed = 0.1;

// Relative travel in a step, over the smaller smallest length, from which on the contact of a pair is
// searched along the path; and the gap, over the same length, that counts as touch there.
constexpr double fast_travel = 0.5, touch_accuracy = 1e-6;

// Surfaces pass through an edge of another wall if they are this near to it, over the smallest length: walls
// that are meant to be flush are so to the digits of their files.
constexpr double flush = 1e-4;

// A block without new list entries for this number of steps frees its lists.
constexpr int long_renewed = 10;

/// Stores the image of body b that is nearest to body i in `image`; false if it is the body itself.
bool find_image(const DetectionInput& in, std::size_t i, std::int32_t b, ImageShift& image) {
  if (is_boundary(b)) return false;
  image.shift = in.cell.nearest_image(in.bodies.position[b] - in.bodies.position[i]);
  if (image.shift.isZero(0.0)) return false;
  image.velocity = in.cell.image_velocity(image.shift);
  return true;
}

/// Is the acceleration of a gap significant if the surfaces travel this far in a step?
bool bends(double travel, double smallest) { return travel * travel > least_bending * smallest * smallest; }

/// The first contact of two fast bodies within the step. Both sides of a contact need one point, for angular
/// momentum: it moves with the smaller body, whose arms it must fit.
Gap first_touch_of(const Making& m, std::size_t i, std::size_t j, const ImageShift* image, const Gap& now,
                   double smaller) {
  const Vec3 velocity = m.velocity(i, j, image);
  Gap touch = first_touch(m.placed, static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), image, now,
                          std::max(touch_accuracy * smaller, m.turning(i, j)));
  touch.acceleration = 0.0;
  const double closing = -touch.normal.dot(velocity);
  // At the touch the first body is ahead of its present place by velocity * t, in B's frame. A pair that does
  // not touch in the step is where it is.
  if (closing > 0.0 && touch.distance <= closing * m.in.time_step_s &&
      m.smallest_length(i) < m.smallest_length(j))
    touch.point -= touch.distance / closing * velocity;
  return touch;
}

/// Do two bodies approach each other so far in a step that their present normal is not that of their
/// contact?
bool is_fast(const Making& m, std::size_t i, std::int32_t b, const ImageShift* image, double smaller) {
  if (is_boundary(b)) return false;
  const double shift = fast_travel * smaller / m.in.time_step_s;
  return m.velocity(i, b, image).squaredNorm() > shift * shift;
}

/// The origin of a partner's arms: its centre, or its image's.
SCREE_INLINE Vector4 centre_of(const Making& m, std::int32_t b, const ImageShift* image) {
  if (is_boundary(b)) return to_vector4(m.w.boundaries[boundary_of(b)].pose.position);
  const Vector4 centre = first_three(&m.w.boxes[b].centre);
  return image == nullptr ? centre : centre + to_vector4(image->shift);
}

/// Sets the place of a contact from the gap of its pair. Between bodies it acts midway, for angular momentum;
/// on a boundary it acts on the body's own surface.
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

/// Starts with the lasting share of its impulses, rotated from its last normal to the new one. (Not read
/// from the contact, which has just been written.)
SCREE_INLINE void go_on(Vector4 last_normal, Vector4 normal, Contact& contact) {
  const double lasting = contact.lasting;
  contact.impulse = to_vec3f(turned_with(last_normal, normal, lasting * to_vector4(contact.impulse)));
  if (!contact.torque_impulse.isZero(0.0f))
    contact.torque_impulse =
        to_vec3f(turned_with(last_normal, normal, lasting * to_vector4(contact.torque_impulse)));
  contact.lasting = 1.0f;
}

/// The contacts of a body, found in the order of keys.
class ContactsOfBody {
 public:
  ContactsOfBody(const Making& m, std::size_t i, DetectionWorkspace::Found& out) : m_(m), i_(i), out_(out) {
    const Contacts& last = m.last.contacts;
    if (i + 1 >= last.row.size()) return;
    last_ = last.list.data() + last.row[i];
    end_of_last_ = last.list.data() + last.row[i + 1];
  }

  /// Adds the contact with a partner that has this gap, if there is one within the step; bends: is the pair
  /// in motion?
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

/// The pairs of a block of bodies, in which these are body a: in the order of keys, and sorted by
/// kind.
struct BlockPairs {
  PairGaps found;
  std::array<std::vector<ShapePair>, PairKind::count> of_kind;  // [PairKind::index()]
  std::vector<std::size_t> boundaries;                          // boundaries near its bodies
};

/// One per thread, kept from block to block.
BlockPairs& scratch_pairs() {
  static thread_local BlockPairs pairs;
  return pairs;
}

/// The cached normals of a body's pairs, in the order of partners.
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
    const CollisionFilter& filter = m_.w.filter;
    const bool only_ellipsoids = m_.in.shapes.only_ellipsoids();
    const Halo* const halo = m_.in.halo;
    const std::size_t first_ghost = halo == nullptr ? m_.in.bodies.size() : halo->own_bodies(),
                      first_after = halo == nullptr ? first_ghost : halo->first_after();
    for (auto p = row[i], end = row[i + 1]; p < end; ++p) {
      const std::int32_t b = partner[p];
      if (filter.contain(i, b)) continue;
      if (static_cast<std::size_t>(b) >= first_ghost && static_cast<std::size_t>(b) < first_after) continue;
      const PairKind kind =
          only_ellipsoids ? two_ellipsoids : pair_kind(m_.placed, static_cast<std::int32_t>(i), b);
      const DetectionWorkspace::Reach& of_partner = reach[b];
      const std::span<const CachedNormal> of_pair = cached_normals.of(b);
      const double margin = of_body.pushed + of_partner.pushed,
                   length = std::min(of_body.smallest_length, of_partner.smallest_length);
      if (m_.is_known_apart && kind == two_ellipsoids && !of_pair.empty()) {
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

  /// Distance by which a body's surface may leave its own place in the step, m. A boundary does not
  /// contribute a half of the resting margin.
  double margin_of(std::size_t i) const {
    return m_.w.reach[i].pushed + 0.5 * (resting_margin * m_.smallest_length(i) + m_.in.bridge_m);
  }

  /// Lists the boundaries that are not clear of a box about all the block's bodies.
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
    const bool asleep = m_.in.bodies.is_asleep(i), carried = m_.in.bodies.is_carried(i);
    for (const std::size_t k : out_.boundaries) {
      const DetectionWorkspace::Guard& guard = m_.w.guards[k];
      if (!guard.moves && asleep) continue;
      if (carried && !m_.w.boundaries[k].is_driven) continue;
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
    const bool moves = bends(near.travel, near.length), remembers = near.kind.is_cached();
    std::int32_t image = -1;
    ImageShift found;
    if (m_.repeats && find_image(m_.in, near.i, near.b, found)) {
      image = static_cast<std::int32_t>(out_.found.images.size());
      out_.found.images.push_back(found);
    }
    double margin = near.margin;
    if (near.kind == two_implicits)
      margin =
          std::min(margin, m_.approach(near.i, near.b, image >= 0 ? &found : nullptr) + pushed * near.length);
    out_.found.of_pair.emplace_back(a, near.b, image, 0, 0, moves, remembers, near.length);
    out_.of_kind[near.kind.index()].emplace_back(a, near.b, number, image, margin, cached_normals,
                                                 remembers ? recall(a, near.b) : -1, moves);
  }

  /// Index of the memory of a pair: the stored one, or a new one. A pair belongs to one block only.
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

/// Rounded down, so that the result is not larger; values not above zero are useless.
SCREE_INLINE float rounded_down(double x) {
  return x > 0.0 ? static_cast<float>(x) * (1.0f - 0x1p-22f) : 0.0f;
}

/// Do the pairs of a block have the contacts and cached normals of the last step, all in the same places?
/// This is true in most blocks of a bed at rest.
bool are_those_of_last_step(const Making& m, const Block& block, const PairGaps& found) {
  const Contacts& contacts = m.last.contacts;
  const NormalCache& cached_normals = m.last.cached_normals;
  const std::size_t n = m.in.halo == nullptr ? m.in.bodies.size() : m.in.halo->own_bodies();
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

/// Updates them in place.
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

/// Lists the contacts and cached normals of a block, and their number for each of its bodies.
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

/// Does a wall (another one, or for a mesh also the same) rise from the edge near a body?
bool is_seam(const Making& m, std::span<const std::size_t> boundaries, std::int32_t partner,
             const SharpPlace& place) {
  return std::ranges::any_of(boundaries, [&](std::size_t k) {
    const PlacedBoundary& wall = m.w.boundaries[k];
    const DetectionWorkspace::Guard& guard = m.w.guards[k];
    if (wall.removed || ((place.point - guard.high).array() > place.slack).any() ||
        ((guard.low - place.point).array() > place.slack).any())
      return false;
    // Parts that meet at an edge of the same wall have been checked there; for meshes, if corners are shared.
    if (k == boundary_of(partner) && !std::holds_alternative<PlacedMesh>(wall.surface)) return false;
    return std::visit([&](const auto& surface) { return rises_at(surface, place); }, wall.surface);
  });
}

/// Flush walls are one surface: edges from which others rise are no contacts, and a shared contact counts
/// once.
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

}  // namespace

void give_back_lists(DetectionWorkspace::Found& block) {
  block.contacts = std::vector<Contact>();
  block.cached_normals = std::vector<CachedNormal>();
  block.apart = std::vector<float>();
}

SCREE_FOR_EACH_TARGET
void collide_block(const Making& m, const Block& block, DetectionWorkspace& w) {
  BlockPairs& pairs = scratch_pairs();
  PairLists lists(m, block, pairs);
  for (std::size_t i = block.begin; i < block.end; ++i) lists.add_pairs_of(i);
  for (std::size_t kind = 0; kind < PairKind::count; ++kind)
    find_gaps(kind, m.placed, pairs.of_kind[kind], pairs.found);
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

}  // namespace scree
