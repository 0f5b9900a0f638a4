#include "engine/geometry/implicit/implicit_contacts.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <span>

#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/implicit/line_contact.h"
#include "engine/geometry/implicit/sample_search.h"

namespace scree {

namespace {

constexpr double usual_depth = 0.5;  // of the smaller smallest length
// Motion that a comparison of covers allows for, over the size: at first the least, three times more each
// time that no contact may appear or vanish meanwhile, the hasty one if it may. For pairs that are new or
// move so fast that they are `fast` times this away from the last comparison: none except for rounding.
constexpr double least_slack = 0.02, most_slack = 0.1, slack_growth = 3.0, hasty_slack = 0.0025,
                 no_slack = 1e-9;
constexpr double fast = 2.0;

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
  const Between planes = planes_between(p, 0.0);
  for (; depth < deeper * all; depth *= deeper) {
    Search search;
    search_all(p, {0.0, depth}, planes, {}, search, nullptr);
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

/// The touch moved by s along a tangent: both surfaces there, along the same normal.
std::optional<CriticalPair> aside(const PairView& p, const CriticalPair& t, Three direction, double s) {
  const Three a = t.a + s * direction, along_b = back(p.turn, t.n), b = t.b + back(p.turn, s * direction);
  const std::optional<double> on_a = height(*p.a, p.scale_a, a, t.n),
                              on_b = height(*p.b, p.scale_b, b, along_b);
  if (!on_a || !on_b) return std::nullopt;
  CriticalPair moved = t;
  moved.a = a + *on_a * t.n;
  moved.b = b + *on_b * along_b;
  moved.phi = t.phi + *on_b - *on_a;
  return moved;
}

/// Adds one contact as gaps: itself, and the ends of its flat patch.
void give(const PlacedImplicit& a, const PairView& p, const CriticalPair& t, std::uint32_t feature,
          double margin, std::vector<Gap>& found) {
  Three direction[2];
  const Plane2 bend{t.bend_a.xx + t.bend_b.xx, t.bend_a.xy + t.bend_b.xy, t.bend_a.yy + t.bend_b.yy};
  const int flat = flat_directions(bend, t.n, p.size, direction);
  found.push_back(to_gap(a, p, t, feature));
  std::uint32_t end = 1;
  for (int k = 0; k < flat; ++k) {
    for (const double sign : {-1.0, 1.0}) {
      const Three to = sign * direction[k];
      const CriticalPair there = end_of_flat(t, p.size, [&](double s) { return aside(p, t, to, s); });
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

/// Largest movement of any point of b in a's axes since the covers were compared.
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

/// The motion for which the next comparison allows, m.
double next_slack(const PairView& p, const PairMemory& memory) {
  const double least = least_slack * p.size;
  if (!(moved(p, memory) <= fast * std::max(memory.slack, least))) return no_slack * p.size;
  const bool was_settled = memory.slack >= least;
  return was_settled ? std::min(slack_growth * memory.slack, most_slack * p.size) : least;
}

/// Follows the remembered contacts; false if one is lost, two have merged, or the memory is not valid so far.
bool follow(const PairView& p, const ContactReach& reach, PairMemory& memory,
            std::vector<Followed>& followed) {
  const double distance = moved(p, memory);
  if (!(distance <= memory.slack && reach.margin + distance <= memory.reach)) return false;
  for (ImplicitStart& s : memory.starts) {
    const bool is_line = is_line_point(s.feature);
    const CriticalPair t = is_line
                               ? newton_across(p, to_three(s.on_a), to_three(s.on_b), longest_step * p.size)
                               : newton(p, to_three(s.on_a), to_three(s.on_b));
    if (!t.converged || t.phi < -reach.depth) return false;
    if (!is_line && !is_contact(t.bend_a, t.bend_b, t.phi)) return false;
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
    ++count.cached;
  } else {
    const Between planes = planes_between(p, reach.margin);
    if (planes.gap() > reach.margin) {
      ++count.apart;
      return;
    }
    ++count.compared;
    search.followed.clear();
    const double slack = next_slack(p, memory);
    const SearchReach wide{reach.margin + slack, reach.depth + slack, slack};
    search_all(p, wide, planes, memory.starts, search, counts);
    remember(p, search, wide, memory);
  }
  bool any = false;
  for (const Followed& f : search.followed) {
    if (f.touch.phi > reach.margin || f.touch.phi < -reach.depth || !runs_clear(p, f.touch)) continue;
    if (is_line_point(f.feature))
      found.push_back(to_gap(a, p, f.touch, f.feature));
    else
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
  return bending(bend_a, bend_b, g.distance,
                 {{to_three(of_a.angular), to_three(of_b.angular)},
                  {to_three(of_a.linear), to_three(of_b.linear)},
                  {to_three(x_a - a.position), to_three(x_b - b.position)}},
                 nt, is_line_point(g.feature) ? weakest_bend(view(a, b).size) : -infinity);
}

}  // namespace scree
