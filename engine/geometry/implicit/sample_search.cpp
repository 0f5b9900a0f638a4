#include "engine/geometry/implicit/sample_search.h"

#include <algorithm>
#include <array>

#include "engine/geometry/implicit/line_contact.h"
#include "engine/geometry/implicit/sample_batch.h"

namespace scree {

namespace {

constexpr double excess_safety = 1.5;  // on the excess found in tables of distances
// A contact is firm if the distance widens in each direction by this share of the total of the bends;
// searches that begin or come this near to one, in spacings, end there.
constexpr double firm = 0.2, firm_reach = 0.25, contact_reach = 0.1;
constexpr double surely_bent = 2.0;  // times as near, for a search from a sample that is not open
// Balls about a start that a search must not leave, in spacings, on the body of the sample and on the other
// one.
constexpr double own_reach = 6.0, other_reach = 8.0;

SCREE_FOR_EACH_TARGET
void evaluate(const PerturbedQuadric& function, SampleBatch& j) {
  const std::size_t n = j.padded();
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

/// Does the distance widen fast enough in all directions to exclude another critical pair next to this one?
bool is_firm(const CriticalPair& t) {
  const Matrix2 m = relative_bend(t.bend_a, t.bend_b, t.phi);
  return is_contact(t.bend_a, t.bend_b, t.phi) &&
         m.det() > firm * (m.xx + m.yy) * (norm(t.bend_a) + norm(t.bend_b));
}

void note(const CriticalPair& t, Search& search) {
  search.seen.push_back(t);
  if (is_contact(t.bend_a, t.bend_b, t.phi))
    search.known.push_back({t.a, t.b, is_firm(t) ? firm_reach : contact_reach});
}

/// Adds a contact with a feature that no other one has.
void add(const CriticalPair& t, std::uint32_t feature, Search& search) {
  const auto taken = [&](const Followed& f) { return f.feature == feature; };
  while (std::ranges::any_of(search.followed, taken)) feature += 1u << 4;
  search.followed.push_back({t, feature});
}

/// Adds a critical pair; true if it was new.
bool take(const PairView& p, const SearchReach& reach, const CriticalPair& t, std::uint32_t feature,
          Search& search) {
  const auto is_this = [&](const CriticalPair& o) { return is_same(p, t.a, t.b, o); };
  if (!t.converged || std::ranges::any_of(search.seen, is_this)) return false;
  note(t, search);
  if (is_within(t, reach)) add(t, feature, search);
  return true;
}

/// One body of a pair, with the other one for which it is searched.
struct OneSide {
  const PairView& p;
  bool is_a;
  const ImplicitShape &own, &other;
  double scale, scale_of_other;
  Rotation turn;  // from own axes to the other's
  Three origin;   // own centre, in units of the other body's function
  Three up;       // own axes: only points higher than `least` along it can be near enough to the other body
  double least;   // m
};
OneSide side_a(const PairView& p, const SearchReach& reach, const Between& planes) {
  const Rotation& r = p.turn;
  return {p,
          true,
          *p.a,
          *p.b,
          p.scale_a,
          p.scale_b,
          {{r.x.x, r.y.x, r.z.x}, {r.x.y, r.y.y, r.z.y}, {r.x.z, r.y.z, r.z.z}},
          (-1.0 / p.scale_b) * back(r, p.offset),
          planes.n,
          planes.low_b - reach.margin};
}
OneSide side_b(const PairView& p, const SearchReach& reach, const Between& planes) {
  return {p,
          false,
          *p.b,
          *p.a,
          p.scale_b,
          p.scale_a,
          p.turn,
          (1.0 / p.scale_a) * p.offset,
          back(p.turn, -1.0 * planes.n),
          dot(planes.n, p.offset) - planes.high_a - reach.margin};
}

/// Selected balls of a list, up to the size of BatchLanes, in the units of its shape.
struct Chosen {
  std::size_t size = 0;
  std::array<std::int32_t, BatchLanes{}.size()> which;
  BatchLanes x, y, z, radius;
};

/// Keeps those that may be near enough to the other body by its table of distances; then their centres are in
/// units of its function, and `apart` is the table's distance, m.
SCREE_FOR_EACH_TARGET
void keep_near(const OneSide& s, const SearchReach& reach, Chosen& c, BatchLanes& apart) {
  const DistanceTable& t = s.other.distances;
  const double ratio = s.scale / s.scale_of_other;
  const Rotation turn = s.turn;
  const Three origin = s.origin, low = to_three(t.low);
  const double inverse = t.inverse_cell, last_x = t.cells[0], last_y = t.cells[1], last_z = t.cells[2];
  const auto row = t.cells[0] + 1, layer = row * (t.cells[1] + 1);
  const double margin = reach.margin, depth = reach.depth, own = s.scale, unit = s.scale_of_other;
  const double excess = excess_safety * t.excess, error = t.error, near = t.near;
  BatchLanes wx, wy, wz, beyond;
  std::array<std::int32_t, BatchLanes{}.size()> at, keep;
  std::array<BatchLanes, 8> corner;
  const std::size_t n = (c.size + 3) / 4 * 4;
  for (std::size_t k = 0; k < n; ++k) {
    const Three x{c.x[k], c.y[k], c.z[k]}, y = origin + ratio * (turn * x);
    c.x[k] = y.x;
    c.y[k] = y.y;
    c.z[k] = y.z;
    const Three r = inverse * (y - low);
    const auto within = [](double v, double last) {
      const double positive = v > 0.0 ? v : 0.0;
      return positive < last ? positive : last;
    };
    const Three inside{within(r.x, last_x), within(r.y, last_y), within(r.z, last_z)};
    const auto square = [](double out) {
      return out != 0.0 ? (std::abs(out) + cells_beyond_box) * (std::abs(out) + cells_beyond_box) : 0.0;
    };
    beyond[k] = square(r.x - inside.x) + square(r.y - inside.y) + square(r.z - inside.z);
    const auto cell = [](double v, double last) {
      return static_cast<std::int32_t>(v < last - 1.0 ? v : last - 1.0);
    };
    const std::int32_t i = cell(inside.x, last_x), j = cell(inside.y, last_y), l = cell(inside.z, last_z);
    wx[k] = inside.x - i;
    wy[k] = inside.y - j;
    wz[k] = inside.z - l;
    at[k] = i + row * j + layer * l;
  }
  const float* distance = t.distance.data();
  for (std::size_t k = 0; k < n; ++k) {
    const float* d = distance + at[k];
    corner[0][k] = double{d[0]};
    corner[1][k] = double{d[1]};
    corner[2][k] = double{d[row]};
    corner[3][k] = double{d[row + 1]};
    corner[4][k] = double{d[layer]};
    corner[5][k] = double{d[layer + 1]};
    corner[6][k] = double{d[layer + row]};
    corner[7][k] = double{d[layer + row + 1]};
  }
  for (std::size_t k = 0; k < n; ++k) {
    const auto mix = [](double weight, double a, double b) { return a + weight * (b - a); };
    const double below =
        mix(wy[k], mix(wx[k], corner[0][k], corner[1][k]), mix(wx[k], corner[2][k], corner[3][k]));
    const double above =
        mix(wy[k], mix(wx[k], corner[4][k], corner[5][k]), mix(wx[k], corner[6][k], corner[7][k]));
    const double inside = mix(wz[k], below, above), outside = std::sqrt(beyond[k]) / inverse;
    const double d = beyond[k] > 0.0 ? outside : inside, radius = own * c.radius[k];
    apart[k] = unit * d;
    const double less = unit * (d < near ? excess : error), more = unit * error;
    keep[k] = apart[k] - less - radius <= margin && apart[k] + more + radius >= -depth;
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < c.size; ++k) {
    c.which[kept] = c.which[k];
    c.x[kept] = c.x[k];
    c.y[kept] = c.y[k];
    c.z[kept] = c.z[k];
    apart[kept] = apart[k];
    kept += static_cast<std::size_t>(keep[k]);
  }
  c.size = kept;
}

/// Adds balls of a list, [first, first + count), of which all or part may be near enough by height alone;
/// returns the number examined before there was no more room.
SCREE_FOR_EACH_TARGET
std::int32_t add_high(const OneSide& s, const Balls& balls, std::int32_t first, std::int32_t count,
                      Chosen& chosen) {
  const std::size_t room = chosen.which.size() - chosen.size,
                    n = std::min(room, static_cast<std::size_t>(count)),
                    from = static_cast<std::size_t>(first);
  const double least = s.least / s.scale;
  const Three up = s.up;
  const double *x = balls.x.data() + from, *y = balls.y.data() + from, *z = balls.z.data() + from,
               *radius = balls.radius.data() + from;
  std::array<std::int32_t, BatchLanes{}.size()> is_high;
  for (std::size_t k = 0; k < n; ++k)
    is_high[k] = up.x * x[k] + up.y * y[k] + up.z * z[k] + radius[k] >= least ? 1 : 0;
  std::size_t size = chosen.size;
  for (std::size_t k = 0; k < n; ++k) {
    chosen.which[size] = first + static_cast<std::int32_t>(k);
    chosen.x[size] = x[k];
    chosen.y[size] = y[k];
    chosen.z[size] = z[k];
    chosen.radius[size] = radius[k];
    size += static_cast<std::size_t>(is_high[k]);
  }
  chosen.size = size;
  return static_cast<std::int32_t>(n);
}

/// Calls take(chosen) whenever there is no more room; the rest stays in `chosen`.
template <class Take>
void choose_high(const OneSide& s, const Balls& balls, std::int32_t first, std::int32_t count, Chosen& chosen,
                 Take&& take) {
  while (count > 0) {
    const std::int32_t done = add_high(s, balls, first, count, chosen);
    first += done;
    count -= done;
    if (chosen.size == chosen.which.size()) take(chosen);
  }
}

/// Start points of Newton, on the body of the sample and on the other one, m.
struct Start {
  std::int32_t sample;
  double spacing, apart;  // m
  Three own, other;
  bool is_open;
};
Start start_of(const OneSide& s, const SampleBatch& b, std::size_t k) {
  const SurfaceSample& sample = s.own.samples.samples[b.sample[k]];
  const Three u = b.aside(k);
  return {
      b.sample[k],
      s.scale * sample.spacing,
      b.apart[k],
      s.scale * to_three(sample.point) + u,
      s.scale_of_other * Three{b.x[k], b.y[k], b.z[k]} + s.turn * (u + b.apart[k] * to_three(sample.normal)),
      b.is_open[k] != 0.0};
}

/// Newton in a region.
SCREE_FOR_EACH_TARGET
CriticalPair newton_within(const PairView& p, const SearchRegion& region) {
  return newton(p, region.a, region.b, &region);
}

/// Looks for a point of a line contact where Newton finds no contact.
void follow_line(const OneSide& s, const SearchReach& reach, const Start& start, std::uint32_t feature,
                 Search& search) {
  constexpr double same_line = 0.5, line_reach = 3.0;  // spacings
  const auto is_near = [&](Three a, Three b, double spacings) {
    return norm((s.is_a ? a : b) - start.own) < spacings * start.spacing;
  };
  if (!start.is_open ||
      std::ranges::any_of(search.known, [&](const KnownContact& c) { return is_near(c.a, c.b, 1.0); }) ||
      std::ranges::any_of(search.line,
                          [&](const Followed& f) { return is_near(f.touch.a, f.touch.b, same_line); }))
    return;
  const double radius = line_reach * start.spacing;
  const CriticalPair t = s.is_a ? newton_across(s.p, start.own, start.other, radius)
                                : newton_across(s.p, start.other, start.own, radius);
  if (t.converged && t.phi <= reach.margin && t.phi >= -reach.depth)
    search.line.push_back({t, (feature & ~15u) | line_point});
}

/// Newton from a start.
void follow_from(const OneSide& s, const SearchReach& reach, const Start& start, Search& search) {
  const auto begins_at = [&](const KnownContact& c) {
    const double near = (start.is_open ? 1.0 : surely_bent) * c.reach * start.spacing;
    return norm((s.is_a ? c.a : c.b) - start.own) < near;
  };
  if (std::ranges::any_of(search.known, begins_at)) return;
  const double own = own_reach * start.spacing,
               other = other_reach * start.spacing + 0.5 * std::abs(start.apart);
  SearchRegion region{start.own, start.other, own, other, search.known, start.spacing};
  if (!s.is_a) {
    std::swap(region.a, region.b);
    std::swap(region.radius_a, region.radius_b);
  }
  const CriticalPair t = newton_within(s.p, region);
  if (!t.converged && !t.left) search.settled = false;
  const std::uint32_t feature =
      (static_cast<std::uint32_t>(start.sample) & 0x7ffffff) << 4 | (s.is_a ? 0u : 1u << 31);
  const bool is_new = take(s.p, reach, t, feature, search);
  if (t.converged && is_within(t, reach)) return;
  follow_line(s, reach, start, feature, search);
  if (!is_new) return;
  // A critical pair that is no contact may have one next to it: along the direction in which the distance
  // widens least.
  search.settled = false;
  const Plane2 bend{t.bend_a.xx + t.bend_b.xx, t.bend_a.xy + t.bend_b.xy, t.bend_a.yy + t.bend_b.yy};
  const Three next = beside * start.spacing * flattest(bend, t.n);
  for (const double sign : {-1.0, 1.0}) {
    const Three to = sign * next;
    take(s.p, reach, newton(s.p, t.a + to, t.b + back(s.p.turn, to)), feature, search);
  }
}

void search_from(const OneSide& s, const SearchReach& reach, Search& search, ContactCounts* counts) {
  const SurfaceSamples& all = s.own.samples;
  const SampleFrames frames{s.scale,
                            s.scale_of_other,
                            s.turn,
                            reach.margin,
                            s.scale_of_other * s.other.distances.error,
                            reach.slack / s.p.size};
  static thread_local SampleBatch batch;
  static thread_local Chosen samples, groups;
  batch.size = samples.size = groups.size = 0;
  const auto finish = [&] {
    evaluate(s.other.function, batch);
    find_starts(frames, batch);
    for (std::size_t k = 0; k < batch.size; ++k) {
      if (batch.is_open[k] != 0.0) search.settled = false;
      if (batch.is_start[k] == 0.0) continue;
      if (counts != nullptr) ++counts->newton;
      follow_from(s, reach, start_of(s, batch, k), search);
    }
    batch.size = 0;
  };
  BatchLanes apart{};
  const auto take_samples = [&](Chosen& c) {
    keep_near(s, reach, c, apart);
    for (std::size_t k = 0; k < c.size; ++k) {
      batch.add(all, c.which[k], {c.x[k], c.y[k], c.z[k]}, apart[k]);
      if (batch.is_full()) finish();
    }
    c.size = 0;
  };
  const auto take_groups = [&](Chosen& c) {
    keep_near(s, reach, c, apart);
    for (std::size_t k = 0; k < c.size; ++k) {
      const auto [first, count] = all.groups[c.which[k]];
      choose_high(s, all.balls, first, count, samples, take_samples);
    }
    c.size = 0;
  };
  choose_high(s, all.of_groups, 0, static_cast<std::int32_t>(all.groups.size()), groups, take_groups);
  take_groups(groups);
  take_samples(samples);
  finish();
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
    if (is_line_point(s.feature)) {
      const CriticalPair t = newton_across(p, to_three(s.on_a), to_three(s.on_b), longest_step * p.size);
      if (t.converged && t.phi <= reach.margin && t.phi >= -reach.depth)
        search.line.push_back({t, s.feature});
      continue;
    }
    const CriticalPair t = newton(p, to_three(s.on_a), to_three(s.on_b));
    if (is_within(t, reach)) take(p, reach, t, s.feature, search);
  }
  const std::size_t kept = search.line.size();
  search_from(side_a(p, reach, planes), reach, search, counts);
  search_from(side_b(p, reach, planes), reach, search, counts);
  take_lines(p.size, kept, search.line, search.followed);
}

}  // namespace scree
