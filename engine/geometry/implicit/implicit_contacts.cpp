#include "engine/geometry/implicit/implicit_contacts.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <span>

#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/implicit/flat_contact.h"

namespace scree {

namespace {

constexpr double usual_depth = 0.5;  // of the smaller smallest length
// Of the size, motion that a comparison of covers allows for: at first the least, three times more each time
// that nothing may appear or vanish meanwhile, the hasty one where it may; for two that move so fast, or are
// so new, that they are `fast` times this away from where they were last compared, none but for rounding.
constexpr double least_slack = 0.003, most_slack = 0.03, slack_growth = 3.0, hasty_slack = 0.0025,
                 no_slack = 1e-9;
constexpr double fast = 2.0;
constexpr double same_place = 1e-5;  // of the size: two contacts nearer than this are one
constexpr double surely_clear =
    0.02;  // of the smaller smallest length: lines shorter than this run as they must
constexpr double clear_of_ends = 1e-6;  // of the size
constexpr double widest_region = 0.5;   // cosine of the half angle of regions that are searched as a whole
constexpr double unevenest = 8.0;       // largest relative curvature of such a region over its least
constexpr double least_bulge = 0.1;     // of 1/size: relative curvature that counts as bending apart
constexpr double region_reach =
    1.5;  // of a region's radius: Newton that goes farther has nothing to find there
constexpr double leaf_reach = 2.0;  // the same where a leaf's bend leaves more open
constexpr double patch_reach =
    1.0;  // of a patch's radius: a critical pair so near to it is the one it leads to

double smaller_length(const PairView& p) {
  return std::min(p.scale_a * p.a->smallest_length, p.scale_b * p.b->smallest_length);
}

double value_on_a(const PairView& p, Three x) { return value(p.a->function, (1.0 / p.scale_a) * x); }
double value_on_b(const PairView& p, Three x) { return value(p.b->function, (1.0 / p.scale_b) * x); }

bool hits(const ImplicitShape& s, double scale, Three from, Three direction, double nearest,
          double farthest) {
  const double in = 1.0 / scale;
  return farthest > nearest &&
         ray_hit(s.function, to_vec3(in * from), to_vec3(in * direction), nearest, farthest) < infinity;
}

/// Does the line between the points of a critical pair run outside both bodies where they are apart, inside
/// both where they overlap?
bool runs_clear(const PairView& p, const Touch& t) {
  if (std::abs(t.phi) < surely_clear * smaller_length(p)) return true;
  const Three a_in_b = back(p.turn, t.a - p.offset), b_in_a = p.offset + p.turn * t.b;
  if (t.phi < 0.0) return value_on_a(p, b_in_a) >= 0.0 && value_on_b(p, a_in_b) >= 0.0;
  const double end = clear_of_ends * p.size;
  return !hits(*p.a, p.scale_a, t.a, t.n, end, t.phi - end) &&
         !hits(*p.b, p.scale_b, a_in_b, back(p.turn, t.n), end, t.phi - end);
}

bool is_same(const PairView& p, Three a, Three b, const Touch& t) {
  const double near = same_place * p.size;
  return norm(a - t.a) < near && norm(b - t.b) < near;
}

/// A critical pair that counts as a contact wherever it is.
struct Followed {
  Touch touch;
  std::uint32_t feature;
};

/// Two patches whose bounds leave room for a critical pair.
struct PatchesThere {
  std::int32_t a, b;  // nodes
  Looked looked;
};

/// Centre and normal of a node of b in a's axes.
struct NodeOfB {
  Three centre, normal;
};
NodeOfB in_a(const PairView& p, const CoverNode& b) {
  return {p.offset + p.turn * (p.scale_b * to_three(b.centre)), p.turn * to_three(b.normal)};
}

/// Calls leaves(i, j) for pairs of leaves that may touch and are in no pair of nodes that is done.
template <class Done, class Leaves>
void compare_covers(const PairView& p, const SearchReach& reach, Done&& is_done, Leaves&& leaves) {
  const std::vector<CoverNode>&nodes_a = p.a->cover.nodes, &nodes_b = p.b->cover.nodes;
  std::array<std::pair<std::int32_t, std::int32_t>, 256> stack;
  std::size_t waiting = 0;
  stack[waiting++] = {0, 0};
  while (waiting > 0) {
    const auto [i, j] = stack[--waiting];
    const CoverNode &a = nodes_a[static_cast<std::size_t>(i)], &b = nodes_b[static_cast<std::size_t>(j)];
    const NodeOfB of_b = in_a(p, b);
    if (!may_touch(a, p.scale_a, b, p.scale_b, of_b.centre, of_b.normal, reach)) continue;
    if (is_done(i, j)) continue;
    if (a.child < 0 && b.child < 0) {
      leaves(i, j);
    } else if (b.child < 0 || (a.child >= 0 && p.scale_a * a.radius >= p.scale_b * b.radius)) {
      stack[waiting++] = {a.child, j};
      stack[waiting++] = {a.child + 1, j};
    } else {
      stack[waiting++] = {i, b.child};
      stack[waiting++] = {i, b.child + 1};
    }
    assert(waiting + 2 <= stack.size());
  }
}

Looked look_at_leaves(const PairView& p, const SearchReach& reach, std::int32_t i, std::int32_t j) {
  const CoverNode &a = p.a->cover.nodes[static_cast<std::size_t>(i)],
                  &b = p.b->cover.nodes[static_cast<std::size_t>(j)];
  const NodeOfB of_b = in_a(p, b);
  return look<Proof::sampled>(p, a, p.a->cover.patches[static_cast<std::size_t>(a.patch)], b,
                              p.b->cover.patches[static_cast<std::size_t>(b.patch)], of_b.centre, of_b.normal,
                              reach);
}

const CoverNode& node_of_a(const PairView& p, const PatchesThere& at) {
  return p.a->cover.nodes[static_cast<std::size_t>(at.a)];
}
const CoverNode& node_of_b(const PairView& p, const PatchesThere& at) {
  return p.b->cover.nodes[static_cast<std::size_t>(at.b)];
}

/// Do two regions bend away from each other everywhere, so that they hold one critical pair at most, and
/// evenly enough for Newton to find it?
bool bulge_apart(const PairView& p, const CoverNode& a, const CoverNode& b) {
  if (!(a.cosine > widest_region && b.cosine > widest_region)) return false;
  const double least = a.least_bend / p.scale_a + b.least_bend / p.scale_b,
               most = a.most_bend / p.scale_a + b.most_bend / p.scale_b;
  return least > least_bulge / p.size && most < unevenest * least;
}

/// Is one of these critical pairs where two patches must have theirs?
bool leads_to_seen(const PairView& p, const PatchesThere& at, std::span<const Touch> seen) {
  const CoverNode &a = node_of_a(p, at), &b = node_of_b(p, at);
  const Looked& l = at.looked;
  Three on_a = p.scale_a * to_three(a.centre), on_b = p.scale_b * to_three(b.centre);
  double near_a = patch_reach * p.scale_a * a.radius, near_b = patch_reach * p.scale_b * b.radius;
  if (l.what == PatchPair::at_most_one) {
    const Tangents frame = tangents(to_three(a.normal));
    on_a = on_a + along(frame, l.u);
    on_b = on_b + back(p.turn, along(frame, l.v));
    near_a += l.error_a;
    near_b += l.error_b;
  }
  return std::ranges::any_of(
      seen, [&](const Touch& t) { return norm(t.a - on_a) < near_a && norm(t.b - on_b) < near_b; });
}

std::uint32_t born_at(const PairView& p, const PatchesThere& at) {
  const auto a = static_cast<std::uint32_t>(node_of_a(p, at).patch),
             b = static_cast<std::uint32_t>(node_of_b(p, at).patch);
  return (a & 0x3fff) << 18 | (b & 0x3fff) << 4;
}

/// What a search found: all contacts within reach and slack.
struct Search {
  std::vector<Followed> followed;
  std::vector<Touch> seen;  // critical pairs of every kind
  bool settled = true;      // no patches where contacts may appear or vanish
};

void add(const PairView& p, Search& search, const Touch& t, std::uint32_t feature) {
  for (const Followed& f : search.followed) {
    if (is_same(p, t.a, t.b, f.touch)) return;
  }
  const auto taken = [&](const Followed& f) { return f.feature == feature; };
  while (std::ranges::any_of(search.followed, taken)) feature += 1u << 4;
  search.followed.push_back({t, feature});
}

bool is_within(const Touch& t, const SearchReach& reach) {
  return t.converged && t.phi <= reach.margin && t.phi >= -reach.depth &&
         is_contact(t.bend_a, t.bend_b, t.phi);
}

/// Compares the covers and follows what they leave. Known contacts keep their features.
void search_all(const PairView& p, const SearchReach& reach, std::span<const ImplicitStart> known,
                Search& search, ContactCounts* counts) {
  for (const ImplicitStart& s : known) {
    const Touch t = newton(p, to_three(s.on_a), to_three(s.on_b));
    if (is_within(t, reach)) add(p, search, t, s.feature);
  }
  for (const Followed& f : search.followed) search.seen.push_back(f.touch);
  const auto follow_from = [&](const PatchesThere& at, double radii) {
    if (counts != nullptr) ++counts->newton;
    const CoverNode &a = node_of_a(p, at), &b = node_of_b(p, at);
    const SearchRegion region{p.scale_a * to_three(a.centre), p.scale_b * to_three(b.centre),
                              radii * p.scale_a * a.radius, radii * p.scale_b * b.radius};
    const Touch t = newton(p, region.a, region.b, &region);
    const auto is_this = [&](const Touch& o) { return is_same(p, t.a, t.b, o); };
    if (t.converged && std::ranges::none_of(search.seen, is_this)) {
      search.seen.push_back(t);
      if (is_within(t, reach)) add(p, search, t, born_at(p, at));
    }
    return t.converged || t.left;
  };
  const auto is_done = [&](std::int32_t i, std::int32_t j) {
    const PatchesThere at{i, j, {}};
    const bool are_leaves = node_of_a(p, at).child < 0 && node_of_b(p, at).child < 0;
    return !are_leaves && bulge_apart(p, node_of_a(p, at), node_of_b(p, at)) &&
           (leads_to_seen(p, at, search.seen) || follow_from(at, region_reach));
  };
  compare_covers(p, reach, is_done, [&](std::int32_t i, std::int32_t j) {
    const PatchesThere at{i, j, look_at_leaves(p, reach, i, j)};
    if (at.looked.what == PatchPair::nothing) return;
    const bool bulge = bulge_apart(p, node_of_a(p, at), node_of_b(p, at));
    if (at.looked.what == PatchPair::any && !bulge) search.settled = false;
    if (!leads_to_seen(p, at, search.seen)) follow_from(at, bulge ? region_reach : leaf_reach);
  });
}

/// Is some point on the line between the centres inside both?
bool overlap_between_centres(const PairView& p) {
  constexpr int points = 9;
  for (int k = 0; k < points; ++k) {
    const Three x = (static_cast<double>(k) / (points - 1)) * p.offset;
    if (value_on_a(p, x) > 0.0 && value_on_b(p, back(p.turn, x - p.offset)) > 0.0) return true;
  }
  return false;
}

/// The least deep of all overlaps.
Followed deep_contact(const PairView& p, double depth) {
  constexpr double deeper = 1.5;
  const double all = 2.0 * (p.scale_a * p.a->bounding_radius + p.scale_b * p.b->bounding_radius);
  for (; depth < deeper * all; depth *= deeper) {
    Search search;
    search_all(p, {0.0, depth}, {}, search, nullptr);
    const auto best =
        std::ranges::max_element(search.followed, {}, [](const Followed& f) { return f.touch.phi; });
    if (best != search.followed.end()) return *best;
  }
  Followed none{};
  none.touch.converged = false;
  const double length = norm(p.offset);
  none.touch.n = length > 0.0 ? (1.0 / length) * p.offset : Three{0.0, 0.0, 1.0};
  none.touch.phi = length - p.scale_a * p.a->smallest_length - p.scale_b * p.b->smallest_length;
  none.touch.a = (p.scale_a * p.a->smallest_length) * none.touch.n;
  none.touch.b = back(p.turn, none.touch.a + none.touch.phi * none.touch.n - p.offset);
  return none;
}

Gap to_gap(const PlacedImplicit& a, const PairView& p, const Touch& t, std::uint32_t feature) {
  Gap g;
  const Three middle = 0.5 * (t.a + p.offset + p.turn * t.b);
  g.point = a.position + a.rotation * to_vec3(middle);
  g.normal = -(a.rotation * to_vec3(t.n));
  g.distance = t.phi;
  g.feature = feature;
  g.status = t.converged ? GapStatus::converged : GapStatus::iteration_limit;
  return g;
}

/// The touch moved aside by s along a tangent: both surfaces there, along the same normal.
std::optional<Touch> aside(const PairView& p, const Touch& t, Three direction, double s) {
  const Three a = t.a + s * direction, along_b = back(p.turn, t.n), b = t.b + back(p.turn, s * direction);
  const std::optional<double> on_a = height(*p.a, p.scale_a, a, t.n),
                              on_b = height(*p.b, p.scale_b, b, along_b);
  if (!on_a || !on_b) return std::nullopt;
  Touch moved = t;
  moved.a = a + *on_a * t.n;
  moved.b = b + *on_b * along_b;
  moved.phi = t.phi + *on_b - *on_a;
  return moved;
}

/// One contact as gaps: itself, and the ends of the flat patch it lies in.
void give(const PlacedImplicit& a, const PairView& p, const Touch& t, std::uint32_t feature, double margin,
          std::vector<Gap>& found) {
  Three direction[2];
  const Plane2 bend{t.bend_a.xx + t.bend_b.xx, t.bend_a.xy + t.bend_b.xy, t.bend_a.yy + t.bend_b.yy};
  const int flat = flat_directions(bend, t.n, p.size, direction);
  found.push_back(to_gap(a, p, t, feature));
  std::uint32_t end = 1;
  for (int k = 0; k < flat; ++k) {
    for (const double sign : {-1.0, 1.0}) {
      const Three to = sign * direction[k];
      const Touch there = end_of_flat(t, p.size, [&](double s) { return aside(p, t, to, s); });
      if (there.phi <= margin) found.push_back(to_gap(a, p, there, feature + end));
      ++end;
    }
  }
}

void remember(const PairView& p, const Search& search, const SearchReach& reach, PairMemory& memory) {
  memory.offset = to_vec3(p.offset);
  Mat3 turn;
  turn.row(0) = to_vec3(p.turn.x).transpose();
  turn.row(1) = to_vec3(p.turn.y).transpose();
  turn.row(2) = to_vec3(p.turn.z).transpose();
  memory.turn = Quat(turn).normalized();
  memory.reach = reach.margin;
  memory.slack = search.settled ? reach.slack : std::min(reach.slack, hasty_slack * p.size);
  memory.starts.clear();
  for (const Followed& f : search.followed)
    memory.starts.push_back({to_vec3(f.touch.a), to_vec3(f.touch.b), f.feature});
}

/// How far any point of b may have moved in a's axes since the covers were compared.
double moved(const PairView& p, const PairMemory& memory) {
  const Quat& q = memory.turn;
  const auto turned = [&](const Vec3& axis) { return to_three(q * axis); };
  // |R - R0| over the columns: 2 sqrt 2 sin(angle / 2).
  double square = 0.0;
  for (int i = 0; i < 3; ++i) {
    const Vec3 e = Vec3::Unit(i);
    const Three d = p.turn * to_three(e) - turned(e);
    square += dot(d, d);
  }
  return norm(p.offset - to_three(memory.offset)) +
         std::sqrt(0.5 * square) * p.scale_b * p.b->bounding_radius;
}

/// The motion that the next comparison is to allow for, m.
double next_slack(const PairView& p, const PairMemory& memory) {
  const double least = least_slack * p.size;
  if (!(moved(p, memory) <= fast * std::max(memory.slack, least))) return no_slack * p.size;
  const bool was_settled = memory.slack >= least;
  return was_settled ? std::min(slack_growth * memory.slack, most_slack * p.size) : least;
}

/// Is there a plane between the two that proves a gap of more than `margin`? Looked for from the line of
/// centres by a compass search.
bool surely_apart(const PairView& p, double margin) {
  constexpr int rounds = 10;
  constexpr double first_step = 0.4;
  const auto proven = [&](Three n) {
    return dot(n, p.offset) - p.scale_a * support_bound(*p.a, to_vec3(n)) -
           p.scale_b * support_bound(*p.b, to_vec3(back(p.turn, -1.0 * n)));
  };
  const double length = norm(p.offset);
  if (!(length > 0.0)) return false;
  Three n = (1.0 / length) * p.offset;
  double best = proven(n), step = first_step;
  for (int k = 0; k < rounds && best <= margin; ++k) {
    const Tangents t = tangents(n);
    Three better = n;
    for (const Three& way : {t.x, -1.0 * t.x, t.y, -1.0 * t.y}) {
      Three to = n + step * way;
      to = (1.0 / norm(to)) * to;
      const double there = proven(to);
      if (there <= best) continue;
      best = there;
      better = to;
    }
    if (norm(better - n) > 0.0)
      n = better;
    else
      step *= 0.5;
  }
  return best > margin;
}

/// Follows the remembered contacts; false if one is lost, two have met, or the memory does not reach so far.
bool follow(const PairView& p, const ContactReach& reach, PairMemory& memory,
            std::vector<Followed>& followed) {
  const double distance = moved(p, memory);
  if (!(distance <= memory.slack && reach.margin + distance <= memory.reach)) return false;
  for (ImplicitStart& s : memory.starts) {
    const Touch t = newton(p, to_three(s.on_a), to_three(s.on_b));
    if (!t.converged || !is_contact(t.bend_a, t.bend_b, t.phi) || t.phi < -reach.depth) return false;
    if (norm(t.a - to_three(s.on_a)) > longest_step * p.size) return false;
    for (const Followed& f : followed) {
      if (is_same(p, t.a, t.b, f.touch)) return false;
    }
    s.on_a = to_vec3(t.a);
    s.on_b = to_vec3(t.b);
    followed.push_back({t, s.feature});
  }
  return true;
}

}  // namespace

PlacedImplicit place(const ImplicitShape& shape, const Pose& pose, double scale) {
  return {&shape, pose.position, pose.orientation.toRotationMatrix(), scale};
}

ContactReach usual_reach(const PlacedImplicit& a, const PlacedImplicit& b, double margin) {
  return {margin, usual_depth * smaller_length(view(a, b))};
}

void contacts(const PlacedImplicit& a, const PlacedImplicit& b, double margin, PairMemory& memory,
              std::vector<Gap>& found, ContactCounts* counts) {
  if (a.shape->semi_axes && b.shape->semi_axes) {
    const auto ellipsoid = [](const PlacedImplicit& s) {
      const Vec3 squares = (s.scale * *s.shape->semi_axes).cwiseAbs2();
      return PlacedEllipsoid{s.position, s.rotation * squares.asDiagonal() * s.rotation.transpose()};
    };
    const Gap g = gap(ellipsoid(a), ellipsoid(b));
    if (g.distance <= margin) found.push_back(g);
    return;
  }
  const PairView p = view(a, b);
  const ContactReach reach = usual_reach(a, b, margin);
  ContactCounts none;
  ContactCounts& count = counts != nullptr ? *counts : none;
  Search search;
  if (follow(p, reach, memory, search.followed)) {
    ++count.remembered;
  } else if (surely_apart(p, reach.margin)) {
    ++count.apart;
    return;
  } else {
    ++count.compared;
    search.followed.clear();
    const double slack = next_slack(p, memory);
    const SearchReach wide{reach.margin + slack, reach.depth + slack, slack,
                           slack / (p.scale_b * p.b->bounding_radius)};
    search_all(p, wide, memory.starts, search, counts);
    remember(p, search, wide, memory);
  }
  bool any = false;
  for (const Followed& f : search.followed) {
    if (f.touch.phi > reach.margin || f.touch.phi < -reach.depth || !runs_clear(p, f.touch)) continue;
    give(a, p, f.touch, f.feature, margin, found);
    any = true;
  }
  if (any || !(memory.reach > -infinity) || !overlap_between_centres(p)) return;
  ++count.deep;
  memory.reach = -infinity;
  const Followed least = deep_contact(p, reach.depth);
  found.push_back(to_gap(a, p, least.touch, least.feature));
}

double gap_acceleration(const PlacedImplicit& a, const PlacedImplicit& b, const Gap& g, const Twist& of_a,
                        const Twist& of_b) {
  const Vec3 n = -g.normal, x_a = g.point - 0.5 * g.distance * n, x_b = g.point + 0.5 * g.distance * n;
  const Three nt = to_three(n);
  const Tangents frame = tangents(nt);
  const auto bend = [&](const PlacedImplicit& s, const Vec3& x) {
    const SurfaceHere here =
        surface_here(*s.shape, s.scale, to_three(s.rotation.transpose() * (x - s.position)));
    const Tangents local{to_three(s.rotation.transpose() * to_vec3(frame.x)),
                         to_three(s.rotation.transpose() * to_vec3(frame.y))};
    return across(local, here.bend);
  };
  const Plane2 bend_a = bend(a, x_a), bend_b = bend(b, x_b);
  return bending(bend_a, bend_b, g.distance, {to_three(of_a.angular), to_three(of_b.angular)},
                 {to_three(of_a.linear), to_three(of_b.linear)},
                 {to_three(x_a - a.position), to_three(x_b - b.position)}, nt);
}

std::int32_t Refinement::of_patch(std::int32_t patch) {
  of_patch_.resize(shape_->cover.patches.size(), -1);
  const auto at = static_cast<std::size_t>(patch);
  if (of_patch_[at] < 0) {
    of_patch_[at] = static_cast<std::int32_t>(parts_.size());
    const CoverNode& node = shape_->cover.nodes[static_cast<std::size_t>(shape_->cover.node_of_patch[at])];
    parts_.push_back({{node, shape_->cover.patches[at], shape_->cover.boxes[at]}, {-1, -1}, false});
  }
  return of_patch_[at];
}

void Refinement::divide(std::int32_t part) {
  if (parts_[static_cast<std::size_t>(part)].divided) return;
  const std::array<Box, 2> half = halves(parts_[static_cast<std::size_t>(part)].leaf.box);
  for (std::size_t k = 0; k < 2; ++k) {
    const std::optional<CoverLeaf> leaf = cover_leaf(shape_->function, half[k]);
    if (!leaf) continue;
    parts_[static_cast<std::size_t>(part)].child[k] = static_cast<std::int32_t>(parts_.size());
    parts_.push_back({*leaf, {-1, -1}, false});
  }
  parts_[static_cast<std::size_t>(part)].divided = true;
}

CertifiedContacts certified_contacts(const PlacedImplicit& a, const PlacedImplicit& b,
                                     const ContactReach& reach, double smallest, Refinement& of_a,
                                     Refinement& of_b) {
  const PairView p = view(a, b);
  const SearchReach all{reach.margin, reach.depth};
  CertifiedContacts result;
  Search search;
  std::vector<std::pair<std::int32_t, std::int32_t>> waiting;
  const auto never = [](std::int32_t, std::int32_t) { return false; };
  compare_covers(p, all, never, [&](std::int32_t i, std::int32_t j) {
    waiting.emplace_back(of_a.of_patch(p.a->cover.nodes[static_cast<std::size_t>(i)].patch),
                         of_b.of_patch(p.b->cover.nodes[static_cast<std::size_t>(j)].patch));
  });
  while (!waiting.empty()) {
    const auto [i, j] = waiting.back();
    waiting.pop_back();
    ++result.pairs;
    const CoverLeaf &la = of_a[i].leaf, &lb = of_b[j].leaf;
    const NodeOfB there = in_a(p, lb.node);
    if (!may_touch(la.node, p.scale_a, lb.node, p.scale_b, there.centre, there.normal, all)) continue;
    const Looked looked =
        look<Proof::certified>(p, la.node, la.patch, lb.node, lb.patch, there.centre, there.normal, all);
    const PatchPair what = looked.what;
    if (what == PatchPair::nothing) continue;
    const double radius_a = p.scale_a * la.node.radius, radius_b = p.scale_b * lb.node.radius;
    const bool least = std::max(radius_a, radius_b) < smallest * p.size;
    if (what == PatchPair::at_most_one || least) {
      const Three on_a = p.scale_a * to_three(la.node.centre), on_b = p.scale_b * to_three(lb.node.centre);
      const Touch t = newton(p, on_a, on_b);
      const bool here =
          t.converged && norm(t.a - on_a) <= 1.01 * radius_a && norm(t.b - on_b) <= 1.01 * radius_b;
      if (here && is_within(t, all)) add(p, search, t, 0);
      if (here && what == PatchPair::at_most_one) continue;
      if (least) {
        ++result.undecided;
        continue;
      }
    }
    const bool first = radius_a >= radius_b;
    (first ? of_a : of_b).divide(first ? i : j);
    for (const std::int32_t child : (first ? of_a[i] : of_b[j]).child) {
      if (child >= 0) waiting.emplace_back(first ? child : i, first ? j : child);
    }
  }
  for (const Followed& f : search.followed) {
    if (runs_clear(p, f.touch)) result.contacts.push_back(to_gap(a, p, f.touch, 0));
  }
  return result;
}

}  // namespace scree
