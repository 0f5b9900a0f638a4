#include "engine/geometry/implicit/shape_checks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace scree {

namespace {

constexpr double largest_extent = 64.0;  // of the natural length; above it, a function counts as unbounded
// For a function scaled to size 1: limits of quadric coefficients, and of a perturbation's part in F'. Above
// them, F' and its derivatives keep less than four of their sixteen digits.
constexpr double sharpest = 1e12;
// Limit of boxes in the search for the surface. Bodies that can be simulated need about ten thousand.
constexpr int most_boxes = 2'000'000;

/// The largest coefficient; infinite if one is not finite.
double size_of(const Quadric& q) {
  double most = 0.0;
  for (const double v : {q.xx, q.yy, q.zz, q.xy, q.xz, q.yz, q.x, q.y, q.z, q.constant})
    most = std::isfinite(v) ? std::max(most, std::abs(v)) : infinity;
  return most;
}

/// For a function scaled to size 1: is it suitable for computation, and not only at points?
bool is_tame(const PerturbedQuadric& f) {
  return size_of(f.base) <= sharpest && std::ranges::all_of(f.perturbations, [](const Perturbation& p) {
           const double q = size_of(p.quadric);
           return q <= sharpest && std::abs(p.weight) * q * q <= sharpest;
         });
}

/// A length of the order of the body's size: the range along the axes in which F' is positive.
double natural_length(const PerturbedQuadric& f) {
  double most = 0.0;
  const double bend = std::max({std::abs(f.base.xx), std::abs(f.base.yy), std::abs(f.base.zz), 1e-300});
  const double far = 1e3 * std::sqrt(std::abs(f.base.constant) / bend);
  for (int i = 0; i < 3; ++i) {
    for (const double sign : {-1.0, 1.0}) {
      const double t = ray_hit(f, Vec3::Zero(), sign * Vec3::Unit(i), 0.0, far);
      if (t < infinity) most = std::max(most, t);
    }
  }
  return most > 0.0 ? most : far * 1e-3;
}

/// Upper bound of the surface's box within a cube: boxes halved down to a part of the cube. None if there are
/// no such boxes, or too many.
std::optional<Box> surface_box(const PerturbedQuadric& f, const Box& cube, double smallest) {
  std::vector<Box> waiting{cube};
  std::optional<Box> all;
  for (int boxes = 0; !waiting.empty(); ++boxes) {
    if (boxes == most_boxes) return std::nullopt;
    const Box box = waiting.back();
    waiting.pop_back();
    if (all && (box.low.array() >= all->low.array()).all() && (box.high.array() <= all->high.array()).all())
      continue;
    const std::optional<Box> smaller = contract(f, box, bounds(f, box));
    if (!smaller) continue;
    if (smaller->size().maxCoeff() > smallest) {
      for (const Box& half : halves(*smaller)) waiting.push_back(half);
    } else if (all) {
      all->low = all->low.cwiseMin(smaller->low);
      all->high = all->high.cwiseMax(smaller->high);
    } else {
      all = smaller;
    }
  }
  return all;
}

enum class Cell : std::uint8_t { outside, surface, inside };

struct Grid {
  std::array<int, 3> n{};
  std::vector<Cell> cell;
  std::size_t slot(int i, int j, int k) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(n[1]) + static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(n[0]) +
           static_cast<std::size_t>(i);
  }
};

/// Classifies cells [first, last) of the grid, all at once if the bounds allow it.
void classify(const PerturbedQuadric& f, const Box& whole, double side, Grid& grid, std::array<int, 3> first,
              std::array<int, 3> last) {
  Box box;
  int longest = 0;
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (last[k] <= first[k]) return;
    box.low[i] = whole.low[i] + side * first[k];
    box.high[i] = whole.low[i] + side * last[k];
    if (last[k] - first[k] > last[longest] - first[longest]) longest = i;
  }
  const auto axis = static_cast<std::size_t>(longest);
  const Range range = value_range(f, box);
  const bool single = last[axis] - first[axis] == 1;
  if (range.low < 0.0 && range.high >= 0.0 && !single) {
    std::array<int, 3> middle = last, next = first;
    middle[axis] = next[axis] = (first[axis] + last[axis]) / 2;
    classify(f, whole, side, grid, first, middle);
    classify(f, whole, side, grid, next, last);
    return;
  }
  const Cell what = range.low >= 0.0 ? Cell::inside : (range.high < 0.0 ? Cell::outside : Cell::surface);
  for (int k = first[2]; k < last[2]; ++k) {
    for (int j = first[1]; j < last[1]; ++j) {
      for (int i = first[0]; i < last[0]; ++i) grid.cell[grid.slot(i, j, k)] = what;
    }
  }
}

/// Steps from the cells of one kind outwards until no cell that `passes` is left; returns the distance of
/// each, in cells, with faces, edges and corners alike; -1: not reached. With `only_first`, from its first
/// cell only.
template <class Starts, class Passes>
std::vector<int> spread_from(const Grid& g, Starts&& starts, Passes&& passes, bool only_first) {
  std::vector<int> distance(g.cell.size(), -1);
  std::vector<std::array<int, 3>> queue;
  for (int k = 0; k < g.n[2]; ++k) {
    for (int j = 0; j < g.n[1]; ++j) {
      for (int i = 0; i < g.n[0]; ++i) {
        const std::size_t s = g.slot(i, j, k);
        if (!starts(g.cell[s]) || (only_first && !queue.empty())) continue;
        distance[s] = 0;
        queue.push_back({i, j, k});
      }
    }
  }
  for (std::size_t at = 0; at < queue.size(); ++at) {
    const auto [i, j, k] = queue[at];
    const int next = distance[g.slot(i, j, k)] + 1;
    for (int dk = -1; dk <= 1; ++dk) {
      for (int dj = -1; dj <= 1; ++dj) {
        for (int di = -1; di <= 1; ++di) {
          const std::array<int, 3> to{i + di, j + dj, k + dk};
          if (to[0] < 0 || to[1] < 0 || to[2] < 0 || to[0] >= g.n[0] || to[1] >= g.n[1] || to[2] >= g.n[2])
            continue;
          const std::size_t s = g.slot(to[0], to[1], to[2]);
          if (distance[s] >= 0 || !passes(g.cell[s])) continue;
          distance[s] = next;
          queue.push_back(to);
        }
      }
    }
  }
  return distance;
}

template <class Counts>
bool all_reached(const Grid& g, const std::vector<int>& distance, Counts&& counts) {
  for (std::size_t s = 0; s < g.cell.size(); ++s) {
    if (counts(g.cell[s]) && distance[s] < 0) return false;
  }
  return true;
}

void check_grid(const Grid& g, double side, ShapeFindings& findings) {
  const auto inside = [](Cell c) { return c == Cell::inside; };
  const auto body = [](Cell c) { return c != Cell::outside; };
  const auto outside = [](Cell c) { return c == Cell::outside; };
  char at_size[64];
  std::snprintf(at_size, sizeof at_size, "%.3g m", side);
  if (std::ranges::none_of(g.cell, inside)) {
    findings.errors.push_back(std::string("the body is nowhere thicker than ") + at_size);
    return;
  }
  if (!all_reached(g, spread_from(g, body, body, true), body)) {
    findings.errors.push_back(std::string("the body is in more than one piece, with a resolution of ") +
                              at_size);
    return;
  }
  if (!all_reached(g, spread_from(g, inside, inside, true), inside))
    findings.errors.push_back(std::string("the body has a neck thinner than about ") + at_size);
  if (!all_reached(g, spread_from(g, outside, outside, true), outside))
    findings.errors.push_back(std::string("the body is hollow, with a resolution of ") + at_size);
  // The surface of a thick body is within two cells of its inside; that of a fin or a needle is not.
  constexpr int near = 2;
  const std::vector<int> from_inside = spread_from(g, inside, body, false);
  for (std::size_t s = 0; s < g.cell.size(); ++s) {
    if (g.cell[s] == Cell::surface && (from_inside[s] < 0 || from_inside[s] > near)) {
      findings.errors.push_back(std::string("the body has a sliver thinner than about ") + at_size);
      return;
    }
  }
}

}  // namespace

bool is_size_of_a_shape(double length, ShapeFindings& findings) {
  if (length >= shape_lengths.low && length <= shape_lengths.high) return true;
  char text[128];
  std::snprintf(text, sizeof text,
                "the size is %.3g in the units of the shape, allowed %g to %g: choose another unit", length,
                shape_lengths.low, shape_lengths.high);
  findings.errors.emplace_back(text);
  return false;
}

bool is_thick_enough(const Vec3& semi_axes, ShapeFindings& findings) {
  const double proportion = semi_axes.minCoeff() / semi_axes.maxCoeff();
  if (proportion >= least_proportion) return true;
  char text[160];
  std::snprintf(text, sizeof text,
                "the smallest semi-axis is %.3g of the largest; function shapes, and ellipsoids in scenes "
                "with them, need %g or more",
                proportion, least_proportion);
  findings.errors.emplace_back(text);
  return false;
}

std::optional<Box> check_shape(const PerturbedQuadric& f, double feature_size, ShapeFindings& findings) {
  bool finite = size_of(f.base) < infinity;
  for (const Perturbation& p : f.perturbations)
    finite = finite && size_of(p.quadric) < infinity && std::isfinite(p.weight);
  if (!finite) {
    findings.errors.emplace_back("a coefficient is not finite: a length is too large or too small");
    return std::nullopt;
  }
  if (f.perturbations.size() > max_perturbations) {
    findings.errors.push_back("more than " + std::to_string(max_perturbations) + " perturbations");
    return std::nullopt;
  }
  if (!(value(f, Vec3::Zero()) > 0.0)) {
    findings.errors.emplace_back("the origin is not inside of the body");
    return std::nullopt;
  }
  const double length = natural_length(f);
  if (!is_size_of_a_shape(length, findings)) return std::nullopt;
  const PerturbedQuadric unit = scaled(f, 1.0 / length);  // so that limits and tolerances are meaningful
  if (!is_tame(unit)) {
    findings.errors.emplace_back(
        "a perturbation is too sharp or too strong, or the body too thin: its coefficients differ from the "
        "others by more than twelve orders of magnitude");
    return std::nullopt;
  }
  const std::optional<double> half = bounding_cube(unit, largest_extent);
  if (!half) {
    findings.errors.emplace_back(
        "the body is not bounded: close it, for example by a perturbation of negative weight that is "
        "positive far away");
    return std::nullopt;
  }
  const Box cube{Vec3::Constant(-*half), Vec3::Constant(*half)};
  const std::optional<Box> box = surface_box(unit, cube, 0.02);
  if (!box) {
    findings.errors.emplace_back("the body is empty, or its surface is too rough");
    return std::nullopt;
  }
  // Two cells of outside on all sides.
  Grid grid;
  const double side = feature_size * box->size().maxCoeff();
  Box whole{box->low - Vec3::Constant(2.0 * side), box->high + Vec3::Constant(2.0 * side)};
  for (int i = 0; i < 3; ++i) grid.n[i] = static_cast<int>(std::ceil(whole.size()[i] / side));
  grid.cell.assign(grid.slot(0, 0, grid.n[2]), Cell::outside);
  classify(unit, whole, side, grid, {0, 0, 0}, grid.n);
  check_grid(grid, side * length, findings);
  return Box{length * box->low, length * box->high};
}

void check_cover(const Cover& cover, double size, ShapeFindings& findings) {
  double sharp = 0.0;
  bool crease = false;
  for (const CoverNode& n : cover.nodes) {
    if (n.patch < 0) continue;
    const Patch& p = cover.patches[n.patch];
    if (!(p.bend_error < infinity)) crease = true;
    if (n.cosine < 0.9) sharp = std::max(sharp, n.radius);
  }
  char text[160];
  if (crease) {
    std::snprintf(
        text, sizeof text,
        "the gradient may vanish on the surface: a crease, a tip or a pit sharper than %.2g of the size",
        cover.patches.empty() ? 0.0 : sharp / size);
    findings.warnings.emplace_back(text);
  } else if (sharp > 0.0) {
    std::snprintf(text, sizeof text,
                  "the surface normal changes by more than half a radian within %.2g of the size",
                  2.0 * sharp / size);
    findings.warnings.emplace_back(text);
  }
}

}  // namespace scree
