#include "engine/detection/clump_gaps.h"

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/geometry/ellipsoid_batch.h"
#include "engine/geometry/ellipsoid_surfaces.h"

namespace scree {

namespace {

constexpr std::uint32_t members = max_clump_members;

/// Two near members, and the start of their search.
struct MemberPair {
  const ShapePair* pair;
  const PlacedMember *a, *b;
  PlacedEllipsoid partner;  // b, or its image
  Vec3 start;               // unit, from B to A
  std::uint32_t feature;
  bool is_known;  // from a cached normal
};

double radius(const PlacedMember& member) { return member.ellipsoid.semi_axes.maxCoeff(); }

/// Twist of the member's centre for a twist of the body.
Twist twist_of(const PlacedMember& member, const Twist& body) {
  return {body.linear + body.angular.cross(member.arm), body.angular};
}
/// Acceleration of that centre, m/s^2.
Vec3 bending_of(const PlacedMember& member, const Twist& body) {
  return body.angular.cross(body.angular.cross(member.arm));
}

/// Adds the pairs of members of one pair, in the order of features.
void add_near_members(const PlacedShapes& s, const ShapePair& pair, const PairGaps& found,
                      std::vector<MemberPair>& near) {
  const std::span<const PlacedMember> of_a = s.members_of(pair.a), of_b = s.members_of(pair.b);
  const Vec3 shift = pair.image >= 0 ? found.images[pair.image].shift : Vec3(Vec3::Zero());
  auto seed = pair.cached_normals.begin();
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    for (std::size_t j = 0; j < of_b.size(); ++j) {
      const PlacedMember &a = of_a[i], &b = of_b[j];
      const Vec3 apart = a.placed.centre - b.placed.centre - shift;
      const double reach = radius(a) + radius(b) + pair.margin;
      if (apart.squaredNorm() > reach * reach) continue;
      const auto feature = static_cast<std::uint32_t>(i) * members + static_cast<std::uint32_t>(j);
      while (seed != pair.cached_normals.end() && seed->feature < feature) ++seed;
      const bool known = seed != pair.cached_normals.end() && seed->feature == feature;
      const double d = apart.norm();
      const Vec3 start = known ? seed->normal : d > 0.0 ? Vec3(apart / d) : Vec3(Vec3::UnitZ());
      near.push_back({&pair, &a, &b, {b.placed.centre + shift, b.placed.matrix}, start, feature, known});
    }
  }
}

/// The gap of a pair in a batch that has climbed.
Gap gap_in(const PlacedShapes& s, const EllipsoidBatch& batch, std::size_t k, const MemberPair& p,
           const PairGaps& found) {
  Gap nearest{.normal = p.start};
  nearest.feature = p.feature;
  if (batch.is_apart(k)) return nearest;
  const bool quick = p.is_known && batch.has_arrived(k);
  nearest = quick ? contact_of(batch, k, p.a->placed.centre, p.partner.centre)
                  : gap(p.a->placed, p.partner, p.is_known ? &p.start : nullptr);
  nearest.feature = p.feature;
  if (nearest.distance > p.pair->margin) {
    nearest.distance = infinity;
  } else if (p.pair->bends) {
    const Twist of_a = s.twist(p.pair->a), of_b = s.twist_of_partner(*p.pair, found);
    nearest.acceleration = nearest.normal.dot(bending_of(*p.a, of_a) - bending_of(*p.b, of_b)) +
                           (quick ? batch.acceleration[k]
                                  : gap_acceleration(p.a->placed, p.partner, nearest.normal,
                                                     twist_of(*p.a, of_a), twist_of(*p.b, of_b)));
  }
  return nearest;
}

SCREE_FOR_EACH_TARGET
void find_member_gaps(const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  static thread_local std::vector<MemberPair> near;
  near.clear();
  for (const ShapePair& pair : pairs) add_near_members(s, pair, found, near);
  EllipsoidBatch batch;
  for (std::size_t begin = 0; begin < near.size(); begin += EllipsoidBatch::capacity) {
    const auto member =
        std::span(near).subspan(begin, std::min(EllipsoidBatch::capacity, near.size() - begin));
    const bool any_bends = std::ranges::any_of(member, [](const MemberPair& p) { return p.pair->bends; });
    batch.size = 0;
    for (const MemberPair& p : member) {
      batch.add(p.a->placed, p.partner, p.start, p.pair->margin);
      if (any_bends)
        batch.set_motion(twist_of(*p.a, s.twist(p.pair->a)),
                         twist_of(*p.b, s.twist_of_partner(*p.pair, found)));
    }
    climb(batch);
    if (any_bends) bend(batch);
    for (std::size_t k = 0; k < member.size(); ++k)
      found.add(*member[k].pair, gap_in(s, batch, k, member[k], found));
  }
}

/// The number of a member is inserted below the kind of the touched feature, above its number.
std::uint32_t feature_of(std::uint32_t touched, std::size_t member) {
  constexpr std::uint32_t kind = 3u << 30;
  return (touched & kind) | ((touched & ~kind) * members + static_cast<std::uint32_t>(member));
}

template <class Surface>
void find_wall_gaps(const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  std::vector<Gap> some;
  for (const ShapePair& pair : pairs) {
    const auto& surface = std::get<Surface>(s.boundaries[boundary_of(pair.b)].surface);
    const Twist body = s.twist(pair.a);
    const WallMotion wall = s.wall_motion(pair.b);
    const std::span<const PlacedMember> of_a = s.members_of(pair.a);
    some.clear();
    for (std::size_t i = 0; i < of_a.size(); ++i) {
      const std::size_t before = some.size();
      contacts(of_a[i].ellipsoid, of_a[i].pose, surface, pair.margin, some);
      for (Gap& g : std::span(some).subspan(before)) {
        if (pair.bends)
          g.acceleration = gap_acceleration(of_a[i].ellipsoid, of_a[i].pose, surface, g,
                                            {twist_of(of_a[i], body), s.time_step_s, wall}) +
                           g.normal.dot(bending_of(of_a[i], body));
        g.feature = feature_of(g.feature, i);
      }
    }
    std::ranges::sort(some, {}, &Gap::feature);
    for (const Gap& g : some) found.add(pair, g);
  }
}

}  // namespace

void place_members(const PlacedShapes& placed, std::size_t body) {
  const ShapeIndex shape = placed.bodies.shape[body];
  const Pose pose = placed.bodies.pose(body);
  const auto first = static_cast<std::size_t>(placed.first_member[body]);
  for (std::size_t k = 0; k < placed.shapes.member_count(shape); ++k) {
    const ClumpMember member = placed.shapes.member(shape, k);
    PlacedMember& here = placed.members[first + k];
    here.ellipsoid = member.ellipsoid;
    here.arm = pose.orientation * member.pose.position;
    here.pose = {pose.position + here.arm, pose.orientation * member.pose.orientation};
    here.placed = place(member.ellipsoid, here.pose);
  }
}

std::uint32_t swapped_members(std::uint32_t feature) {
  return feature % members * members + feature / members;
}

void find_clump_gaps(const PlacedShapes& s, std::span<const ShapePair> pairs, PairGaps& found) {
  find_member_gaps(s, pairs, found);
}

namespace {
template <std::size_t... kind>
constexpr auto wall_finders(std::index_sequence<kind...>) {
  return std::array{&find_wall_gaps<std::variant_alternative_t<kind, BoundarySurface>>...};
}
}  // namespace

const std::array<void (*)(const PlacedShapes&, std::span<const ShapePair>, PairGaps&),
                 std::variant_size_v<BoundarySurface>>
    clump_wall_finders = wall_finders(std::make_index_sequence<std::variant_size_v<BoundarySurface>>());

}  // namespace scree
