#include "engine/geometry/implicit/surface_samples.h"

#include <algorithm>
#include <span>

#include "engine/geometry/implicit/pair_search.h"

namespace scree {

namespace {

constexpr double widest = 0.13, narrowest = 0.03;  // of the bounding radius, between samples
constexpr double turn = 0.4;                       // rad, rotation of the normal from sample to sample
constexpr double fineness = 0.4;                   // of that distance: size of the examined parts of leaves
constexpr int most_parts = 4;                      // of a leaf along a side
constexpr double same_side = -0.5;  // cosine of the normals of samples that may represent each other
constexpr std::size_t group_size = 16;

/// A point of the surface, with the radius of the surface that it represents, m.
struct Candidate {
  SurfaceSample sample;
  double radius;
};

/// Adds candidates for the surface in a leaf, part by part.
void add_candidates(const PerturbedQuadric& f, const CoverNode& leaf, const Box& box, double bounding_radius,
                    std::vector<Candidate>& found) {
  constexpr int iterations = 5;
  const double bend = std::max(leaf.most_bend, -leaf.least_bend),
               apart = std::clamp(turn / bend, narrowest * bounding_radius, widest * bounding_radius);
  const int n = std::clamp(static_cast<int>(std::ceil(leaf.radius / (fineness * apart))), 1, most_parts);
  const Vec3 part = box.size() / n;
  const auto add = [&](const Vec3& near) {
    Vec3 x = near;
    FunctionValue at = evaluate(f, x);
    for (int k = 0; k < iterations; ++k) {
      x -= (at.value / at.gradient.squaredNorm()) * at.gradient;
      at = evaluate(f, x);
    }
    const double length = at.gradient.norm();
    if (!((x - near).norm() < 0.75 * part.norm()) || !(length > 0.0)) return;
    const Vec3 normal = -at.gradient / length;
    const Tangents frame = tangents(to_three(normal));
    const double k = -1.0 / length;
    const Plane2 here =
        across(frame, Symmetric{k * at.xx, k * at.yy, k * at.zz, k * at.xy, k * at.xz, k * at.yz});
    found.push_back({{x, normal, to_vec3(frame.x), to_vec3(frame.y), {here.xx, here.xy, here.yy}, apart},
                     leaf.radius / n});
  };
  if (n == 1) return add(leaf.centre);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) add(box.low + part.cwiseProduct(Vec3(i + 0.5, j + 0.5, k + 0.5)));
}

}  // namespace

SurfaceSamples surface_samples(const PerturbedQuadric& f, const Cover& cover, double bounding_radius) {
  // Leaves in the order of the tree, so that those of a group are contiguous.
  std::vector<Candidate> candidates;
  std::vector<std::int32_t> waiting;
  if (!cover.nodes.empty()) waiting.push_back(0);
  while (!waiting.empty()) {
    const CoverNode& node = cover.nodes[waiting.back()];
    waiting.pop_back();
    if (node.child >= 0) {
      waiting.push_back(node.child + 1);
      waiting.push_back(node.child);
    } else {
      add_candidates(f, node, cover.boxes[node.patch], bounding_radius, candidates);
    }
  }
  SurfaceSamples s;
  const auto stand_for_each_other = [](const SurfaceSample& a, const SurfaceSample& b) {
    return a.normal.dot(b.normal) > same_side;
  };
  for (const Candidate& c : candidates) {
    const auto covers = [&](const SurfaceSample& o) {
      const double near = std::min(c.sample.spacing, o.spacing);
      return (o.point - c.sample.point).squaredNorm() < near * near && stand_for_each_other(o, c.sample);
    };
    if (std::ranges::none_of(s.samples, covers)) s.samples.push_back(c.sample);
  }
  // The surface that each one really covers.
  std::vector<double> reach(s.samples.size(), 0.0);
  for (const Candidate& c : candidates) {
    double nearest = infinity;
    std::size_t best = 0;
    for (std::size_t k = 0; k < s.samples.size(); ++k) {
      const double distance = (s.samples[k].point - c.sample.point).norm();
      if (distance >= nearest || !stand_for_each_other(s.samples[k], c.sample)) continue;
      nearest = distance;
      best = k;
    }
    reach[best] = std::max(reach[best], nearest + c.radius);
  }
  for (std::size_t k = 0; k < s.samples.size(); ++k) s.samples[k].spacing = reach[k];
  for (std::size_t first = 0; first < s.samples.size(); first += group_size) {
    const auto members = std::span(s.samples).subspan(first, std::min(group_size, s.samples.size() - first));
    Vec3 low = Vec3::Constant(infinity), high = -low;
    for (const SurfaceSample& m : members) {
      low = low.cwiseMin(m.point);
      high = high.cwiseMax(m.point);
    }
    const Vec3 centre = 0.5 * (low + high);
    double radius = 0.0;
    for (const SurfaceSample& m : members) radius = std::max(radius, (m.point - centre).norm() + m.spacing);
    s.groups.push_back({static_cast<std::int32_t>(first), static_cast<std::int32_t>(members.size())});
    s.of_groups.add(centre, radius);
  }
  for (const SurfaceSample& m : s.samples) s.balls.add(m.point, m.spacing);
  return s;
}

}  // namespace scree
