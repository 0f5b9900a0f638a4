#include "engine/geometry/implicit/convex_hull.h"

#include <algorithm>
#include <set>

#include "engine/core/random.h"

namespace scree {

namespace {

constexpr double joggle = 1e-9;  // of the size along each axis

struct Facet {
  std::array<std::int32_t, 3> corner;
  Vec3 normal;                      // outward, unit
  double offset;                    // m
  std::vector<std::int32_t> above;  // points on its outer side that belong to no other facet
  bool alive = true;
  double height(const Vec3& x) const { return normal.dot(x) - offset; }
};

Facet facet(const std::vector<Vec3>& x, std::int32_t a, std::int32_t b, std::int32_t c) {
  const auto at = [&](std::int32_t i) -> const Vec3& { return x[i]; };
  const Vec3 n = (at(b) - at(a)).cross(at(c) - at(a)).normalized();
  return {{a, b, c}, n, n.dot(at(a)), {}, true};
}

/// Four points that span a large tetrahedron.
std::array<std::int32_t, 4> first_corners(const std::vector<Vec3>& x) {
  const auto farthest = [&](auto&& measure) {
    std::int32_t best = 0;
    double most = -1.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double d = measure(x[i]);
      if (d > most) most = d, best = static_cast<std::int32_t>(i);
    }
    return best;
  };
  const auto at = [&](std::int32_t i) -> const Vec3& { return x[i]; };
  std::array<std::int32_t, 4> k{};
  k[1] = farthest([&](const Vec3& p) { return (p - at(k[0])).squaredNorm(); });
  const Vec3 along = at(k[1]) - at(k[0]);
  k[2] = farthest([&](const Vec3& p) { return (p - at(k[0])).cross(along).squaredNorm(); });
  const Vec3 across = along.cross(at(k[2]) - at(k[0]));
  k[3] = farthest([&](const Vec3& p) { return std::abs((p - at(k[0])).dot(across)); });
  if (across.dot(at(k[3]) - at(k[0])) > 0.0) std::swap(k[1], k[2]);  // the fourth is below the first three
  return k;
}

/// Assigns each point to a facet above which it lies.
void share_out(const std::vector<Vec3>& x, const std::vector<std::int32_t>& points,
               std::vector<Facet>& facets, std::size_t first) {
  for (const std::int32_t p : points) {
    for (std::size_t f = first; f < facets.size(); ++f) {
      if (!(facets[f].height(x[p]) > 0.0)) continue;
      facets[f].above.push_back(p);
      break;
    }
  }
}

/// Replaces all facets that a point can see by facets from the point to the rim of these.
void add_point(const std::vector<Vec3>& x, std::int32_t point, std::vector<Facet>& facets) {
  std::set<std::array<std::int32_t, 2>> rim;
  std::vector<std::int32_t> left;
  for (Facet& f : facets) {
    if (!f.alive || !(f.height(x[point]) > 0.0)) continue;
    f.alive = false;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t a = f.corner[k], b = f.corner[(k + 1) % 3];
      if (rim.erase({b, a}) == 0) rim.insert({a, b});
    }
    left.insert(left.end(), f.above.begin(), f.above.end());
    f.above = {};
  }
  std::erase(left, point);
  const std::size_t first = facets.size();
  for (const auto& [a, b] : rim) facets.push_back(facet(x, a, b, point));
  share_out(x, left, facets, first);
}

}  // namespace

ConvexHull convex_hull(std::vector<Vec3> x) {
  if (x.size() < 4) return {};
  Vec3 low = x[0], high = x[0];
  for (const Vec3& p : x) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const Vec3 size = high - low;
  if (!(size.minCoeff() > 0.0) || !size.allFinite()) return {};
  Random random(1);
  for (Vec3& p : x) p = (p - low).cwiseQuotient(size) + joggle * random.direction();
  const auto [a, b, c, d] = first_corners(x);
  std::vector<Facet> facets{facet(x, a, b, c), facet(x, a, d, b), facet(x, b, d, c), facet(x, c, d, a)};
  std::vector<std::int32_t> all(x.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(i);
  for (const std::int32_t k : {a, b, c, d}) std::erase(all, k);
  share_out(x, all, facets, 0);
  for (std::size_t f = 0; f < facets.size(); ++f) {
    if (facets[f].above.empty()) continue;
    const auto higher = [&](std::int32_t i, std::int32_t j) {
      return facets[f].height(x[i]) < facets[f].height(x[j]);
    };
    add_point(x, *std::ranges::max_element(facets[f].above, higher), facets);
    // Dead facets would be scanned without need.
    if (facets.size() > 64 && std::ranges::count(facets, false, &Facet::alive) > std::ssize(facets) / 2) {
      std::erase_if(facets, [](const Facet& facet) { return !facet.alive; });
      f = static_cast<std::size_t>(-1);
    }
  }
  ConvexHull hull;
  for (const Facet& f : facets) {
    if (!f.alive) continue;
    hull.triangles.push_back(f.corner);
    hull.corners.insert(hull.corners.end(), f.corner.begin(), f.corner.end());
    const auto at = [&](std::size_t k) { return Vec3(x[f.corner[k]] - x[0]); };
    hull.volume += at(0).cross(at(1)).dot(at(2)) / 6.0;
  }
  hull.volume *= size.prod();
  std::ranges::sort(hull.corners);
  hull.corners.erase(std::unique(hull.corners.begin(), hull.corners.end()), hull.corners.end());
  return hull;
}

}  // namespace scree
