#include "engine/geometry/implicit/line_contact.h"

#include <algorithm>

namespace scree {

CriticalPair newton_across(const PairView& p, Three a, Three b, double radius) {
  CriticalPair t{a, b, {}, 0.0, {}, {}, false};
  const double weakest = weakest_bend(p.size), limit = 0.5 * radius;
  for (int i = 0; i < line_iterations; ++i) {
    const PairStep s = step_at(p, t);
    const Plane2 bend{t.bend_a.xx + t.bend_b.xx, t.bend_a.xy + t.bend_b.xy, t.bend_a.yy + t.bend_b.yy};
    Two u = solve_across(s.m, bend, weakest, s.right);
    const Two au = t.bend_a * u;
    Two v{u.x + t.phi * au.x - s.shift.x, u.y + t.phi * au.y - s.shift.y};
    const double step = std::max(norm(u), norm(v));
    if (!(step < 1e10 * p.size)) return t;
    if (step > limit) {
      const double shorter = limit / step;
      u = {shorter * u.x, shorter * u.y};
      v = {shorter * v.x, shorter * v.y};
    }
    t.a = t.a + along(s.frame, u) + std::clamp(s.on_a.off, -limit, limit) * s.on_a.n;
    t.b = t.b + back(p.turn, along(s.frame, v)) + std::clamp(s.on_b.off, -limit, limit) * s.on_b.n;
    if (norm(t.a - a) > radius) return t;
    if (std::max({step, std::abs(s.on_a.off), std::abs(s.on_b.off)}) < newton_tolerance * p.size) {
      const Two tilt{au.x + s.k.x, au.y + s.k.y};
      t.n = s.on_a.n + along(s.frame, tilt);
      t.n = (1.0 / norm(t.n)) * t.n;
      t.phi = dot(t.n, p.offset + p.turn * t.b - t.a);
      t.converged = std::isfinite(t.phi) && dot(s.on_a.n, s.n_b) < 0.0 && is_along_line(bend, s.n_t, weakest);
      return t;
    }
  }
  return t;
}

bool is_held_by(const FlatView& contact, Three point, double size) {
  constexpr double beside_line = 0.25;  // over the distance along it
  const Three n = contact.n, r = point - contact.at;
  if (norm(r) < flat_width * size) return true;
  Three direction[2];
  const int flat = flat_directions(contact.bend, n, size, direction);
  const Three in_plane = r - dot(r, n) * n;
  if (flat == 0 || std::abs(dot(r, n)) > beside_line * norm(r)) return false;
  const double ahead = std::abs(dot(in_plane, direction[0]));
  return flat == 2 || norm(in_plane) <= std::hypot(1.0, beside_line) * ahead;
}

std::vector<std::size_t> spread_over_line(std::span<const LineCandidate> candidates, std::size_t kept,
                                          std::span<const Three> held, double least, double size) {
  std::vector<std::size_t> chosen;
  if (candidates.empty()) return chosen;
  const auto nearest = static_cast<std::size_t>(
      std::ranges::min_element(candidates, {}, &LineCandidate::phi) - candidates.begin());
  const double limit = std::min(least, candidates[nearest].phi) + flatness * size;
  if (candidates[nearest].phi > limit) return chosen;
  const auto apart = [&](std::size_t k) {
    double d = infinity;
    for (const Three& h : held) d = std::min(d, norm(h - candidates[k].at));
    for (const std::size_t c : chosen) d = std::min(d, norm(candidates[c].at - candidates[k].at));
    return d;
  };
  for (std::size_t k = 0; k < kept && chosen.size() < points_of_line; ++k) {
    if (candidates[k].phi <= limit) chosen.push_back(k);
  }
  const auto is_as_near = [&](std::size_t k) {
    return candidates[k].phi <= candidates[nearest].phi + 0.5 * flatness * size;
  };
  if (std::ranges::none_of(chosen, is_as_near)) chosen = {nearest};
  while (chosen.size() < points_of_line) {
    std::size_t farthest = 0;
    double distance = 0.0;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      if (candidates[k].phi > limit) continue;
      const double d = apart(k);
      if (d > distance) {
        distance = d;
        farthest = k;
      }
    }
    if (distance < flat_width * size) break;
    chosen.push_back(farthest);
  }
  return chosen;
}

}  // namespace scree
