#include "engine/geometry/implicit/surface_cover.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/frames.h"
#include "engine/geometry/implicit/evaluation.h"

namespace scree {

namespace {

// Smooth bodies have some thousand. An edge all around, as in flakes, or a surface that is rough everywhere
// needs more: then larger ones are used.
constexpr std::size_t most_patches = 20'000;
// Added for the few roundings between interval bounds and the stored values.
constexpr double rounding = 1e-12;

double frobenius(const std::array<double, 6>& h) {
  return std::sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2] + 2.0 * (h[3] * h[3] + h[4] * h[4] + h[5] * h[5]));
}

/// A point of the box near the surface.
Vec3 near_surface(const PerturbedQuadric& f, const Box& box) {
  constexpr int iterations = 4;
  Vec3 x = box.middle();
  for (int k = 0; k < iterations; ++k) {
    const FunctionValue at = evaluate(f, x);
    const double gg = at.gradient.squaredNorm();
    if (!(gg > 0.0)) break;
    x -= (at.value / gg) * at.gradient;
    x = x.cwiseMax(box.low).cwiseMin(box.high);
  }
  return x;
}

}  // namespace

double spread(const CoverNode& node) { return std::atan2(node.sine, node.cosine); }

std::optional<CoverLeaf> cover_leaf(const PerturbedQuadric& f, const Box& all) {
  constexpr int contractions = 2;
  Box box = all;
  Bounds b = bounds(f, box);
  for (int k = 0; k < contractions; ++k) {
    const std::optional<Box> smaller = contract(f, box, b);
    if (!smaller) return std::nullopt;
    box = *smaller;
    b = bounds(f, box);
  }
  if (b.value.low > 0.0 || b.value.high < 0.0) return std::nullopt;
  CoverLeaf leaf;
  leaf.box = box;
  CoverNode& node = leaf.node;
  node.centre = near_surface(f, box);
  node.radius = (1.0 + rounding) * (box.high - node.centre).cwiseMax(node.centre - box.low).norm();
  const FunctionValue at = evaluate(f, node.centre);
  const double length = at.gradient.norm();
  if (length > 0.0) node.normal = -at.gradient / length;
  double off = 0.0;
  for (int i = 0; i < 3; ++i) {
    const Range& g = b.gradient[i];
    const double most = std::max(g.high - at.gradient[i], at.gradient[i] - g.low);
    off += most * most;
  }
  off = (1.0 + rounding) * std::sqrt(off);
  Patch& patch = leaf.patch;
  if (!(off < length)) {
    patch.bend_error = infinity;
    patch.rise = node.radius;
    return leaf;
  }
  node.sine = std::min(1.0, off / length + rounding);
  node.cosine = std::sqrt(1.0 - node.sine * node.sine);
  const double least = length - off;
  const std::array<double, 6> h{at.xx, at.yy, at.zz, at.xy, at.xz, at.yz};
  std::array<double, 6> change, largest;
  for (std::size_t i = 0; i < 6; ++i) {
    patch.bend[i] = -h[i] / length;
    change[i] = std::max(b.second[i].high - h[i], h[i] - b.second[i].low);
    largest[i] = b.second[i].largest();
  }
  patch.bend_error =
      (1.0 + rounding) *
      (frobenius(change) / least + frobenius(largest) * (node.sine / least + 1.0 / least - 1.0 / length));
  patch.rise = std::min(node.radius, node.radius * node.sine + std::abs(at.value) / least);
  return leaf;
}

CoverNode joined(const CoverNode& a, const CoverNode& b) {
  CoverNode r;
  r.least_bend = std::min(a.least_bend, b.least_bend);
  r.most_bend = std::max(a.most_bend, b.most_bend);
  // The smallest ball around two.
  const Vec3 between = b.centre - a.centre;
  const double distance = between.norm();
  if (distance + b.radius <= a.radius) {
    r.centre = a.centre;
    r.radius = a.radius;
  } else if (distance + a.radius <= b.radius) {
    r.centre = b.centre;
    r.radius = b.radius;
  } else {
    r.radius = (1.0 + rounding) * 0.5 * (distance + a.radius + b.radius);
    r.centre = a.centre + ((r.radius - a.radius) / distance) * between;
  }
  // The same for two cones, as arcs on the sphere.
  const double half_a = spread(a), half_b = spread(b);
  const double angle = std::atan2(a.normal.cross(b.normal).norm(), a.normal.dot(b.normal));
  double half;
  if (angle + half_b <= half_a) {
    r.normal = a.normal;
    half = half_a;
  } else if (angle + half_a <= half_b) {
    r.normal = b.normal;
    half = half_b;
  } else {
    half = 0.5 * (angle + half_a + half_b);
    const double turn = half - half_a, s = std::sin(angle);
    r.normal =
        s > 1e-9 ? Vec3((std::sin(angle - turn) * a.normal + std::sin(turn) * b.normal) / s) : a.normal;
    if (!(s > 1e-9)) half = std::numbers::pi;
    r.normal.normalize();
  }
  half = std::min(half * (1.0 + rounding) + rounding, std::numbers::pi);
  r.cosine = std::cos(half);
  r.sine = std::sin(half);
  return r;
}

namespace {

/// The principal curvatures, 1/m, the smaller one first.
std::pair<double, double> curvatures(const FunctionValue& at) {
  const double length = at.gradient.norm();
  const auto [t0, t1] = tangents(-at.gradient / length);
  Mat3 h;
  h << at.xx, at.xy, at.xz, at.xy, at.yy, at.yz, at.xz, at.yz, at.zz;
  const double a = -t0.dot(h * t0), b = -t0.dot(h * t1), c = -t1.dot(h * t1);
  const double mean = 0.5 * (a + c) / length, half = std::hypot(0.5 * (a - c), b) / length;
  return {mean - half, mean + half};
}

/// Samples the surface on a grid of lines through a leaf's box.
void sample(const PerturbedQuadric& f, CoverLeaf& leaf) {
  constexpr int lines = 6, iterations = 4;
  const Vec3 &c = leaf.node.centre, &n = leaf.node.normal;
  auto [least, most] = curvatures(evaluate(f, c));
  const Vec3 size = leaf.box.size(), slack = Vec3::Constant(0.05 * size.maxCoeff());
  Eigen::Index across = 0;  // the lines' direction
  n.cwiseAbs().maxCoeff(&across);
  for (int i = 0; i <= lines; ++i) {
    for (int j = 0; j <= lines; ++j) {
      Vec3 x = leaf.box.middle();
      x[(across + 1) % 3] = leaf.box.low[(across + 1) % 3] + size[(across + 1) % 3] * i / lines;
      x[(across + 2) % 3] = leaf.box.low[(across + 2) % 3] + size[(across + 2) % 3] * j / lines;
      FunctionValue at = evaluate(f, x);
      for (int k = 0; k < iterations && at.gradient[across] != 0.0; ++k) {
        x[across] -= at.value / at.gradient[across];
        at = evaluate(f, x);
      }
      if (!((x - leaf.box.low + slack).minCoeff() >= 0.0 && (leaf.box.high + slack - x).minCoeff() >= 0.0))
        continue;
      const auto [low, high] = curvatures(at);
      least = std::min(least, low);
      most = std::max(most, high);
    }
  }
  leaf.node.least_bend = least;
  leaf.node.most_bend = most;
}

/// Fills node `at` with the surface in a box; false if there is none, or, early, if there are
/// more leaves than allowed.
bool divide(const PerturbedQuadric& f, const Box& box, const CoverResolution& resolution, Cover& cover,
            std::size_t at) {
  if (cover.patches.size() > most_patches) return false;
  std::optional<CoverLeaf> leaf = cover_leaf(f, box);
  if (!leaf) return false;
  const double size = leaf->box.size().maxCoeff();
  const bool fine = size <= resolution.largest && spread(leaf->node) <= resolution.spread;
  if (fine || !(size > resolution.smallest)) {
    sample(f, *leaf);
    leaf->node.patch = static_cast<std::int32_t>(cover.patches.size());
    cover.nodes[at] = leaf->node;
    cover.patches.push_back(leaf->patch);
    cover.boxes.push_back(leaf->box);
    return true;
  }
  const std::array<Box, 2> half = halves(leaf->box);
  const std::size_t child = cover.nodes.size();
  cover.nodes.resize(child + 2);
  const bool first = divide(f, half[0], resolution, cover, child);
  const bool second = divide(f, half[1], resolution, cover, child + (first ? 1 : 0));
  if (!first && !second) {
    cover.nodes.resize(child);
    return false;
  }
  if (first && second) {
    CoverNode both = joined(cover.nodes[child], cover.nodes[child + 1]);
    both.child = static_cast<std::int32_t>(child);
    cover.nodes[at] = both;
  } else {
    cover.nodes[at] = cover.nodes[child];
    cover.nodes[child] = {};  // stays unused
  }
  return true;
}

}  // namespace

Cover cover(const PerturbedQuadric& f, const Box& box, const CoverResolution& resolution) {
  Cover result;
  result.nodes.resize(1);
  if (!divide(f, box, resolution, result, 0)) result.nodes.clear();
  if (result.patches.size() > most_patches)
    return cover(f, box, {resolution.largest, 2.0 * resolution.smallest, resolution.spread});
  result.node_of_patch.resize(result.patches.size());
  std::vector<std::int32_t> waiting;
  if (!result.nodes.empty()) waiting.push_back(0);
  while (!waiting.empty()) {
    const std::int32_t at = waiting.back();
    waiting.pop_back();
    const CoverNode& node = result.nodes[at];
    if (node.child < 0) {
      result.node_of_patch[node.patch] = at;
    } else {
      waiting.push_back(node.child);
      waiting.push_back(node.child + 1);
    }
  }
  return result;
}

}  // namespace scree
