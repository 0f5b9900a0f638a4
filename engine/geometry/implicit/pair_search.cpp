#include "engine/geometry/implicit/pair_search.h"

namespace scree {

namespace {

constexpr double surely_clear =
    0.02;  // of the smaller smallest length: lines that are shorter than this always count as clear
constexpr double clear_of_ends = 1e-6;  // of the size

bool hits(const ImplicitShape& s, double scale, Three from, Three direction, double nearest,
          double farthest) {
  const double in = 1.0 / scale;
  return farthest > nearest &&
         ray_hit(s.function, to_vec3(in * from), to_vec3(in * direction), nearest, farthest) < infinity;
}

}  // namespace

bool runs_clear(const PairView& p, const CriticalPair& t) {
  if (std::abs(t.phi) < surely_clear * smaller_length(p)) return true;
  const Three a_in_b = back(p.turn, t.a - p.offset), b_in_a = p.offset + p.turn * t.b;
  if (t.phi < 0.0) return value_on_a(p, b_in_a) >= 0.0 && value_on_b(p, a_in_b) >= 0.0;
  const double end = clear_of_ends * p.size;
  return !hits(*p.a, p.scale_a, t.a, t.n, end, t.phi - end) &&
         !hits(*p.b, p.scale_b, a_in_b, back(p.turn, t.n), end, t.phi - end);
}

Gap to_gap(const PlacedImplicit& a, const PairView& p, const CriticalPair& t, std::uint32_t feature) {
  Gap g;
  const Three middle = 0.5 * (t.a + p.offset + p.turn * t.b);
  g.point = a.position + a.rotation * to_vec3(middle);
  g.normal = -(a.rotation * to_vec3(t.n));
  g.distance = t.phi;
  g.feature = feature;
  g.status = t.converged ? GapStatus::converged : GapStatus::iteration_limit;
  return g;
}

}  // namespace scree
