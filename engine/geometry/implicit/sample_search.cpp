#include "engine/geometry/implicit/sample_search.h"

#include <algorithm>
#include <array>

#include "engine/core/vector4.h"

namespace scree {

namespace {

// How near to a sample the slope must be able to vanish for a search to start there, in spacings; and what is
// left open of the sum of the two bends, of their norms.
constexpr double start_reach = 1.0, unsure_bend = 0.25;
constexpr double facing = 0.3;         // cosine between the normals of a start, at least
constexpr double excess_safety = 1.5;  // on what tables of distances were found to exceed
// A contact is firm where the distance widens in every direction by this part of what the bends have in all;
// searches that begin or come so near to one, in spacings, end there.
constexpr double firm = 0.2, firm_reach = 0.25;
// Balls about a start that a search stays in, in spacings, on the body of the sample and on the other one.
constexpr double own_reach = 6.0, other_reach = 8.0;
constexpr double beside = 0.3;  // spacings from what is no contact to where its neighbours are looked for

/// (F1) with derivatives at many points, structure of arrays.
struct JetBatch {
  static constexpr std::size_t capacity = 64;
  std::size_t size = 0;
  std::array<double, capacity> x, y, z, f, gx, gy, gz, xx, yy, zz, xy, xz, yz;
};

SCREE_FOR_EACH_TARGET
void evaluate(const PerturbedQuadric& function, JetBatch& j) {
  const std::size_t n = (j.size + 3) / 4 * 4;
  const Quadric b = function.base;  // copies, so that no store can change them
  for (std::size_t k = 0; k < n; ++k) {
    const Three at{j.x[k], j.y[k], j.z[k]}, g = gradient(b, at);
    j.f[k] = value(b, at, g);
    j.gx[k] = g.x;
    j.gy[k] = g.y;
    j.gz[k] = g.z;
    j.xx[k] = b.xx;
    j.yy[k] = b.yy;
    j.zz[k] = b.zz;
    j.xy[k] = b.xy;
    j.xz[k] = b.xz;
    j.yz[k] = b.yz;
  }
  for (const Perturbation& p : function.perturbations) {
    const Quadric c = p.quadric;
    const double twice = 2.0 * p.weight;
    for (std::size_t k = 0; k < n; ++k) {
      const Three at{j.x[k], j.y[k], j.z[k]}, g = gradient(c, at);
      const double q = value(c, at, g), w = q > 0.0 ? twice : 0.0, wq = w * q;
      j.f[k] += 0.5 * wq * q;
      j.gx[k] += wq * g.x;
      j.gy[k] += wq * g.y;
      j.gz[k] += wq * g.z;
      j.xx[k] += w * g.x * g.x + wq * c.xx;
      j.yy[k] += w * g.y * g.y + wq * c.yy;
      j.zz[k] += w * g.z * g.z + wq * c.zz;
      j.xy[k] += w * g.x * g.y + wq * c.xy;
      j.xz[k] += w * g.x * g.z + wq * c.xz;
      j.yz[k] += w * g.y * g.z + wq * c.yz;
    }
  }
}

/// Eigenvalues of a symmetric matrix, the larger one first, and the direction of that.
struct Axes2 {
  double larger, smaller;
  Two along;
};
Axes2 axes_of(const Plane2& m) {
  const double middle = 0.5 * (m.xx + m.yy), half_x = 0.5 * (m.xx - m.yy),
               half = std::sqrt(half_x * half_x + m.xy * m.xy);
  const Two e = half_x > 0.0 ? Two{half + half_x, m.xy} : Two{m.xy, half - half_x};
  const double length = norm(e);
  return {middle + half, middle - half, length > 0.0 ? Two{e.x / length, e.y / length} : Two{1.0, 0.0}};
}

/// Does the distance widen fast enough in all directions for no other critical pair to be next to this one?
bool is_firm(const Touch& t) {
  const Matrix2 m = relative_bend(t.bend_a, t.bend_b, t.phi);
  return is_contact(t.bend_a, t.bend_b, t.phi) &&
         m.det() > firm * (m.xx + m.yy) * (norm(t.bend_a) + norm(t.bend_b));
}

void note(const Touch& t, Search& search) {
  search.seen.push_back(t);
  if (is_firm(t)) search.firm.push_back(t);
}

/// A contact with a feature that no other one has.
void add(const Touch& t, std::uint32_t feature, Search& search) {
  const auto taken = [&](const Followed& f) { return f.feature == feature; };
  while (std::ranges::any_of(search.followed, taken)) feature += 1u << 4;
  search.followed.push_back({t, feature});
}

/// Takes in a critical pair; was it new?
bool take(const PairView& p, const SearchReach& reach, const Touch& t, std::uint32_t feature,
          Search& search) {
  const auto is_this = [&](const Touch& o) { return is_same(p, t.a, t.b, o); };
  if (!t.converged || std::ranges::any_of(search.seen, is_this)) return false;
  note(t, search);
  if (is_within(t, reach)) add(t, feature, search);
  return true;
}

/// A body seen with the other one that it is searched for.
struct OneSide {
  const PairView& p;
  bool is_a;
  const ImplicitShape &own, &other;
  double scale, scale_of_other;
  Three up;      // own axes: only what is higher than `least` along it can be near enough to the other body
  double least;  // m

  /// m, own axes, to what the other body's function takes.
  Three in_other(Three x) const {
    return (1.0 / scale_of_other) * (is_a ? back(p.turn, x - p.offset) : p.offset + p.turn * x);
  }
  Three turned(Three v) const { return is_a ? back(p.turn, v) : p.turn * v; }
  Three turned_back(Three v) const { return is_a ? p.turn * v : back(p.turn, v); }
  /// m
  double distance_at(Three y) const { return scale_of_other * distance(other.distances, to_vec3(y)); }
  /// What such a distance of the table may be too large by, m.
  double excess(double apart) const {
    const DistanceTable& t = other.distances;
    return scale_of_other * (apart < scale_of_other * t.near ? excess_safety * t.excess : t.error);
  }
};
OneSide side_a(const PairView& p, const SearchReach& reach, const Between& planes) {
  return {p, true, *p.a, *p.b, p.scale_a, p.scale_b, planes.n, planes.low_b - reach.margin};
}
OneSide side_b(const PairView& p, const SearchReach& reach, const Between& planes) {
  return {p,
          false,
          *p.b,
          *p.a,
          p.scale_b,
          p.scale_a,
          back(p.turn, -1.0 * planes.n),
          dot(planes.n, p.offset) - planes.high_a - reach.margin};
}

/// Samples that may be near enough to the other body.
struct Candidates {
  std::vector<std::int32_t> sample;
  std::vector<Three> there;   // in what the other body's function takes
  std::vector<double> apart;  // m, by the table
};

void collect(const OneSide& s, const SearchReach& reach, Candidates& found) {
  const double error = s.scale_of_other * s.other.distances.error;
  const auto may_be_near = [&](double apart, double radius) {
    return apart - s.excess(apart) - radius <= reach.margin && apart + error + radius >= -reach.depth;
  };
  found.sample.clear();
  found.there.clear();
  found.apart.clear();
  for (const SampleGroup& group : s.own.samples.groups) {
    const Three centre = s.scale * to_three(group.centre);
    const double radius = s.scale * (group.radius + group.spacing);
    if (dot(s.up, centre) + radius < s.least) continue;
    if (!may_be_near(s.distance_at(s.in_other(centre)), radius)) continue;
    for (std::int32_t k = group.first; k < group.first + group.count; ++k) {
      const SurfaceSample& sample = s.own.samples.samples[static_cast<std::size_t>(k)];
      const Three x = s.scale * to_three(sample.point);
      const double spacing = s.scale * sample.spacing;
      if (dot(s.up, x) + spacing < s.least) continue;
      const Three y = s.in_other(x);
      const double apart = s.distance_at(y);
      if (!may_be_near(apart, spacing)) continue;
      found.sample.push_back(k);
      found.there.push_back(y);
      found.apart.push_back(apart);
    }
  }
}

/// Where Newton begins, on the body of the sample and on the other one, m.
struct Start {
  std::int32_t sample;
  double spacing, apart;  // m
  Three own, other;
  bool is_sure;  // do the surfaces bend away from each other there, whatever is left open?
};

/// From the jet of the other body at a sample; none where the slope cannot vanish near enough.
std::optional<Start> start_at(const OneSide& s, const SearchReach& reach, std::int32_t k, double table,
                              const JetBatch& j, std::size_t lane) {
  const Three g{j.gx[lane], j.gy[lane], j.gz[lane]};
  const double length = norm(g);
  if (!(length > 0.0)) return std::nullopt;
  const SurfaceSample& sample = s.own.samples.samples[static_cast<std::size_t>(k)];
  const Three n = to_three(sample.normal), m = s.turned_back((-1.0 / length) * g);
  if (-dot(n, m) < facing) return std::nullopt;
  const Tangents frame = tangents(n), frame_other{s.turned(frame.x), s.turned(frame.y)};
  const Two slope = across(frame, m);
  const double spacing = s.scale * sample.spacing, error = s.scale_of_other * s.other.distances.error;
  const double apart = std::clamp(-s.scale_of_other * j.f[lane] / length, table - error, table + error);
  if (apart - norm(slope) * spacing > reach.margin) return std::nullopt;
  const double own = 1.0 / s.scale, other = -1.0 / (s.scale_of_other * length);
  const std::array<double, 6>& b = sample.bend;
  const Plane2 bend = across(
                   frame, Symmetric{own * b[0], own * b[1], own * b[2], own * b[3], own * b[4], own * b[5]}),
               bend_other =
                   across(frame_other, Symmetric{other * j.xx[lane], other * j.yy[lane], other * j.zz[lane],
                                                 other * j.xy[lane], other * j.xz[lane], other * j.yz[lane]});
  const Axes2 sum = axes_of({bend.xx + bend_other.xx, bend.xy + bend_other.xy, bend.yy + bend_other.yy});
  const double unsure = unsure_bend * (norm(bend) + norm(bend_other)), near = start_reach * spacing;
  const double slope_1 = sum.along.x * slope.x + sum.along.y * slope.y,
               slope_2 = sum.along.x * slope.y - sum.along.y * slope.x;
  if (std::abs(slope_1) > near * (std::abs(sum.larger) + unsure) ||
      std::abs(slope_2) > near * (std::abs(sum.smaller) + unsure))
    return std::nullopt;
  const auto downhill = [&](double steep, double bends) {
    return bends > unsure ? std::clamp(-steep / bends, -spacing, spacing) : 0.0;
  };
  const double u_1 = downhill(slope_1, sum.larger), u_2 = downhill(slope_2, sum.smaller);
  const Three u =
      along(frame, {sum.along.x * u_1 - sum.along.y * u_2, sum.along.y * u_1 + sum.along.x * u_2});
  return Start{k,
               spacing,
               apart,
               s.scale * to_three(sample.point) + u,
               s.scale_of_other * Three{j.x[lane], j.y[lane], j.z[lane]} + s.turned(u + apart * n),
               sum.smaller > unsure};
}

/// Newton from a start.
void follow_from(const OneSide& s, const SearchReach& reach, const Start& start, Search& search) {
  if (!start.is_sure) search.settled = false;
  const double near = firm_reach * start.spacing;
  const auto begins_at = [&](const Touch& t) { return norm((s.is_a ? t.a : t.b) - start.own) < near; };
  if (std::ranges::any_of(search.firm, begins_at)) return;
  const double own = own_reach * start.spacing,
               other = other_reach * start.spacing + 0.5 * std::abs(start.apart);
  SearchRegion region{start.own, start.other, own, other, search.firm, near};
  if (!s.is_a) {
    std::swap(region.a, region.b);
    std::swap(region.radius_a, region.radius_b);
  }
  const Touch t = newton(s.p, region.a, region.b, &region);
  if (!t.converged && !t.left) search.settled = false;
  const std::uint32_t feature =
      (static_cast<std::uint32_t>(start.sample) & 0x7ffffff) << 4 | (s.is_a ? 0u : 1u << 31);
  if (!take(s.p, reach, t, feature, search) || is_within(t, reach)) return;
  // What is no contact may have one next to it: along the direction in which the distance widens least.
  search.settled = false;
  const Two steepest =
      axes_of({t.bend_a.xx + t.bend_b.xx, t.bend_a.xy + t.bend_b.xy, t.bend_a.yy + t.bend_b.yy}).along;
  const Three flattest = along(tangents(t.n), {-steepest.y, steepest.x});
  for (const double sign : {-1.0, 1.0}) {
    const Three to = sign * beside * start.spacing * flattest;
    take(s.p, reach, newton(s.p, t.a + to, t.b + back(s.p.turn, to)), feature, search);
  }
}

void search_from(const OneSide& s, const SearchReach& reach, Search& search, ContactCounts* counts) {
  static thread_local Candidates candidates;
  collect(s, reach, candidates);
  JetBatch batch;
  for (std::size_t first = 0; first < candidates.sample.size(); first += JetBatch::capacity) {
    batch.size = std::min(JetBatch::capacity, candidates.sample.size() - first);
    for (std::size_t k = 0; k < (batch.size + 3) / 4 * 4; ++k) {
      const Three y = candidates.there[std::min(first + k, candidates.there.size() - 1)];
      batch.x[k] = y.x;
      batch.y[k] = y.y;
      batch.z[k] = y.z;
    }
    evaluate(s.other.function, batch);
    for (std::size_t k = 0; k < batch.size; ++k) {
      const std::optional<Start> start =
          start_at(s, reach, candidates.sample[first + k], candidates.apart[first + k], batch, k);
      if (!start) continue;
      if (counts != nullptr) ++counts->newton;
      follow_from(s, reach, *start, search);
    }
  }
}

}  // namespace

Between planes_between(const PairView& p, double margin) {
  constexpr int rounds = 10;
  constexpr double first_step = 0.4;
  const auto along_n = [&](Three n) {
    return Between{n, p.scale_a * support_bound(*p.a, to_vec3(n)),
                   dot(n, p.offset) - p.scale_b * support_bound(*p.b, to_vec3(back(p.turn, -1.0 * n)))};
  };
  const double length = norm(p.offset);
  Between best = along_n(length > 0.0 ? (1.0 / length) * p.offset : Three{0.0, 0.0, 1.0});
  double step = first_step;
  for (int k = 0; k < rounds && best.gap() <= margin; ++k) {
    const Tangents t = tangents(best.n);
    Between better = best;
    for (const Three& way : {t.x, -1.0 * t.x, t.y, -1.0 * t.y}) {
      const Three to = best.n + step * way;
      const Between there = along_n((1.0 / norm(to)) * to);
      if (there.gap() > better.gap()) better = there;
    }
    if (better.gap() > best.gap())
      best = better;
    else
      step *= 0.5;
  }
  return best;
}

void search_all(const PairView& p, const SearchReach& reach, const Between& planes,
                std::span<const ImplicitStart> known, Search& search, ContactCounts* counts) {
  for (const ImplicitStart& s : known) {
    const Touch t = newton(p, to_three(s.on_a), to_three(s.on_b));
    if (is_within(t, reach)) take(p, reach, t, s.feature, search);
  }
  search_from(side_a(p, reach, planes), reach, search, counts);
  search_from(side_b(p, reach, planes), reach, search, counts);
}

}  // namespace scree
