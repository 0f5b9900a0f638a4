// Pairs of functionally defined bodies in random poses, and comparison of the fast search with the certified
// one.
#pragma once

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <string>

#include "engine/core/random.h"
#include "tests/support/certified_search.h"
#include "tests/support/implicit_shapes.h"

namespace scree::test {

/// With only a small table of support bounds, which otherwise takes most of the time.
inline ImplicitShape made(const PerturbedQuadric& f) {
  ShapeFindings findings;
  std::optional<ImplicitShape> s = make_implicit_shape(f, {.support_cells = 1}, findings);
  for (const std::string& e : findings.errors) ADD_FAILURE() << e;
  return s ? *s : ImplicitShape{};
}

/// The shapes of the library and the ellipsoid, or those with these names.
inline std::vector<ImplicitShape> made_library(const std::vector<std::string>& names = {}) {
  std::vector<NamedShape> all = library();
  all.push_back({"ellipsoid", ellipsoid()});
  std::vector<ImplicitShape> shapes;
  for (const NamedShape& s : all) {
    if (names.empty() || std::ranges::find(names, s.name) != names.end()) shapes.push_back(made(s.function));
  }
  return shapes;
}

/// All contacts of a new pair, with a body or with a wall.
template <class Other>
std::vector<Gap> found(const PlacedImplicit& body, const Other& other, double margin) {
  PairMemory memory;
  std::vector<Gap> gaps;
  contacts(body, other, margin, memory, gaps);
  return gaps;
}

/// A randomly rotated body in a random direction from another, at a distance such that the supporting planes
/// across that direction are `apart` from each other (m; the bodies may be farther from each other).
inline PlacedImplicit next_to(const PlacedImplicit& a, const ImplicitShape& shape, double scale, double apart,
                              Random& random) {
  PlacedImplicit b = place(shape, {Vec3::Zero(), random.rotation()}, scale);
  const Vec3 d = random.direction();
  const auto reach = [](const PlacedImplicit& s, const Vec3& e) {
    const Vec3 local = s.rotation.transpose() * e;
    return s.scale * local.dot(support(*s.shape, local));
  };
  b.position = a.position + (reach(a, d) + reach(b, -d) + apart) * d;
  return b;
}

struct Judgement {
  std::int64_t pairs = 0, certified = 0, missed = 0, missed_deep = 0, undecided_pairs = 0;
  double point_error = 0.0, normal_error = 0.0;  // over the size, largest
  double fast_s = 0.0, again_s = 0.0,
         certified_s = 0.0;  // of all pairs: first search, search with memory, certified search
  ContactCounts counts;

  std::string text() const {
    char line[500];
    const double n = static_cast<double>(pairs);
    std::snprintf(
        line, sizeof line,
        "%lld pairs, %lld certified contacts, %lld missed (and %lld of overlaps beyond a tenth of the size), "
        "%lld pairs undecided, %lld deep; "
        "largest error: point %.2g,"
        " normal %.2g; microseconds a pair: first %.1f, remembered %.2f, certified %.1f",
        static_cast<long long>(pairs), static_cast<long long>(certified), static_cast<long long>(missed),
        static_cast<long long>(missed_deep), static_cast<long long>(undecided_pairs),
        static_cast<long long>(counts.deep), point_error, normal_error, 1e6 * fast_s / n, 1e6 * again_s / n,
        1e6 * certified_s / n);
    return line;
  }
};

/// Random pairs, sizes 1 : 0.5 to 1 : 1.5, separate, touching and overlapping by up to `deepest` of the
/// smaller size. A certified contact is missed if the fast search has none within 1e-5 of the size.
inline Judgement judge(const std::vector<ImplicitShape>& shapes, int pairs, std::uint64_t seed,
                       double deepest = 0.25) {
  constexpr double smallest_patch = 1e-3;
  constexpr double deep_overlap = 0.1;  // beyond it another side of a body may be nearer than the contact's
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::time_point from) {
    return std::chrono::duration<double>(Clock::now() - from).count();
  };
  Random random(seed);
  std::vector<Refinement> refined;
  refined.reserve(shapes.size());
  for (const ImplicitShape& s : shapes) refined.emplace_back(s);
  const auto any = [&] {
    return static_cast<std::size_t>(random.uniform() * static_cast<double>(shapes.size()));
  };
  Judgement j;
  while (j.pairs < pairs) {
    const std::size_t i = any(), k = any();
    if (shapes[i].semi_axes && shapes[k].semi_axes) continue;  // these use the exact search
    const double scale = random.uniform(0.5, 1.5), size = std::min(1.0, scale);
    const PlacedImplicit a = place(shapes[i], {Vec3::Zero(), random.rotation()});
    const PlacedImplicit b = next_to(a, shapes[k], scale, random.uniform(-deepest, 0.05) * size, random);
    const double margin = 0.02 * size;
    ++j.pairs;
    PairMemory memory;
    std::vector<Gap> fast, again;
    Clock::time_point from = Clock::now();
    contacts(a, b, margin, memory, fast, &j.counts);
    j.fast_s += seconds(from);
    from = Clock::now();
    contacts(a, b, margin, memory, again);
    j.again_s += seconds(from);
    from = Clock::now();
    const CertifiedContacts exact =
        certified_contacts(a, b, usual_reach(a, b, margin), smallest_patch, refined[i], refined[k]);
    j.certified_s += seconds(from);
    j.certified += static_cast<std::int64_t>(exact.contacts.size());
    if (exact.undecided > 0) ++j.undecided_pairs;
    for (const Gap& e : exact.contacts) {
      double nearest = infinity, turned = infinity;
      for (const Gap& f : fast) {
        if ((f.point - e.point).norm() >= nearest) continue;
        nearest = (f.point - e.point).norm();
        turned = (f.normal - e.normal).norm();
      }
      if (nearest > 1e-5 * size) {
        ++(e.distance < -deep_overlap * size ? j.missed_deep : j.missed);
        continue;
      }
      j.point_error = std::max(j.point_error, nearest / size);
      j.normal_error = std::max(j.normal_error, turned);
    }
  }
  return j;
}

}  // namespace scree::test
