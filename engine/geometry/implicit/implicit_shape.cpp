#include "engine/geometry/implicit/implicit_shape.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "engine/core/eigenbasis.h"
#include "engine/core/frames.h"
#include "engine/geometry/ellipsoid.h"
#include "engine/geometry/implicit/evaluation.h"
#include "engine/geometry/implicit/mass_properties.h"
#include "engine/geometry/implicit/shape_checks.h"

namespace scree {

namespace {

constexpr double bounds_tolerance = 1e-4;    // of the size, of box and sphere
constexpr double support_tolerance = 1e-3;   // of the size, of the table
constexpr double principal_noise = 1e-9;     // of the mean squares: smaller products count as zero
constexpr double largest_mass_error = 1e-2;  // relative; about a hundred thousand times the aim

/// Semi-axes, if the function is an ellipsoid's along the axes and about the origin.
std::optional<Vec3> ellipsoid_axes(const PerturbedQuadric& f) {
  const Quadric& q = f.base;
  if (!f.perturbations.empty() || q.xy != 0.0 || q.xz != 0.0 || q.yz != 0.0) return std::nullopt;
  if (q.x != 0.0 || q.y != 0.0 || q.z != 0.0) return std::nullopt;
  const Vec3 squares = -2.0 * q.constant * Vec3(q.xx, q.yy, q.zz).cwiseInverse();
  if (!(squares.minCoeff() > 0.0) || !squares.allFinite()) return std::nullopt;
  return squares.cwiseSqrt();
}

/// The surface point to which the gradient leads from nearby.
Vec3 onto_surface(const PerturbedQuadric& f, Vec3 x) {
  constexpr int iterations = 20;
  for (int k = 0; k < iterations; ++k) {
    const FunctionValue at = evaluate(f, x);
    const Vec3 step = -at.value / at.gradient.squaredNorm() * at.gradient;
    x += step;
    if (!(step.squaredNorm() > 1e-30 * x.squaredNorm())) break;
  }
  return x;
}

/// The surface point nearest to the origin or farthest from it: downhill or uphill from the best leaf of the
/// cover.
Vec3 extreme_distance(const ImplicitShape& s, bool nearest) {
  constexpr int steps = 200;
  Vec3 x = Vec3::Zero();
  double best = infinity;
  for (const CoverNode& n : s.cover.nodes) {
    const double distance = (nearest ? 1.0 : -1.0) * n.centre.squaredNorm();
    if (n.patch < 0 || distance >= best) continue;
    best = distance;
    x = n.centre;
  }
  for (int k = 0; k < steps; ++k) {
    const Vec3 n = outward(s, x);
    const Vec3 next = onto_surface(s.function, x + (nearest ? -0.3 : 0.1) * (x - x.dot(n) * n));
    if (nearest == (next.squaredNorm() > x.squaredNorm())) break;
    x = next;
  }
  return x;
}

/// The local maximum of d.x over the surface next to x: Newton on n = d in the tangent plane, with the
/// absolute values of the curvatures, so that it goes uphill from anywhere; steps that do not are shortened.
Vec3 farthest_along(const PerturbedQuadric& f, const Vec3& start, const Vec3& d, double size) {
  constexpr int iterations = 50, halvings = 20;
  constexpr double longest = 0.2;  // of the size
  Vec3 x = onto_surface(f, start);
  for (int k = 0; k < iterations; ++k) {
    const FunctionValue at = evaluate(f, x);
    const double length = at.gradient.norm();
    const Vec3 n = -at.gradient / length;
    const auto [t0, t1] = tangents(n);
    Mat3 h;
    h << at.xx, at.xy, at.xz, at.xy, at.yy, at.yz, at.xz, at.yz, at.zz;
    Mat2 bend;
    bend << t0.dot(h * t0), t0.dot(h * t1), t0.dot(h * t1), t1.dot(h * t1);
    const Mat2 axes = eigenbasis(bend);
    const Vec2 slope = axes.transpose() * Vec2(t0.dot(d), t1.dot(d));
    Vec2 step;
    for (int i = 0; i < 2; ++i) {
      const double curvature = std::abs(axes.col(i).dot(bend * axes.col(i))) / length;
      step[i] = slope[i] / (std::max(curvature, 0.5 / size) * std::max(n.dot(d), 0.3));
    }
    const double far = step.norm();
    if (far < 1e-9 * size) break;
    if (far > longest * size) step *= longest * size / far;
    step = axes * step;
    Vec3 aside = step[0] * t0 + step[1] * t1;
    int halved = 0;
    for (; halved < halvings; ++halved) {
      const Vec3 next = onto_surface(f, x + aside);
      if (d.dot(next) > d.dot(x) && (next - x).norm() < 2.0 * aside.norm()) {
        x = next;
        break;
      }
      aside *= 0.5;
    }
    if (halved == halvings) break;
  }
  return x;
}

/// The table of support_bound(): corners of `cells` x `cells` squares on each face of the cube of directions;
/// face 2 k on the positive side of axis k, 2 k + 1 on the other.
Vec3 corner(int cells, int face, int i, int j) {
  const int axis = face / 2;
  Vec3 d;
  d[axis] = face % 2 == 0 ? 1.0 : -1.0;
  d[(axis + 1) % 3] = -1.0 + 2.0 * i / cells;
  d[(axis + 2) % 3] = -1.0 + 2.0 * j / cells;
  return d;
}

std::size_t table_slot(int cells, int face, int i, int j) {
  const std::size_t row = static_cast<std::size_t>(cells) + 1;
  return (static_cast<std::size_t>(face) * row + static_cast<std::size_t>(i)) * row +
         static_cast<std::size_t>(j);
}

/// For directions of any length: linear while the same point supports them.
std::vector<double> support_table(const ImplicitShape& s, int cells) {
  std::vector<double> table(table_slot(cells, 6, 0, 0));
  for (int face = 0; face < 6; ++face) {
    for (int i = 0; i <= cells; ++i) {
      for (int j = 0; j <= cells; ++j) {
        const Vec3 d = corner(cells, face, i, j);
        table[table_slot(cells, face, i, j)] = support_above(
            s.function, s.cover.boxes, d, d.dot(support(s, d)), support_tolerance * s.bounding_radius);
      }
    }
  }
  return table;
}

/// Cover and bounds of a function in the body frame. False if it has no surface there.
bool finish(ImplicitShape& s, const ImplicitShapeSettings& settings, const Box& rough) {
  const double size = 0.5 * rough.size().maxCoeff(), tolerance = bounds_tolerance * size;
  s.perturbations = side_by_side(s.function.perturbations);
  s.cover = cover(s.function, rough, {settings.largest_patch * size, settings.smallest_patch * size});
  if (s.cover.patches.empty()) return false;
  for (int i = 0; i < 3; ++i) {
    for (const double sign : {1.0, -1.0}) {
      const Vec3 d = sign * Vec3::Unit(i);
      const double farthest = support_above(s.function, s.cover.boxes, d, d.dot(support(s, d)), tolerance);
      (sign > 0.0 ? s.box.high : s.box.low)[i] = sign * farthest;
    }
  }
  s.bounding_radius = distance_above(s.function, s.cover.boxes, extreme_distance(s, false).norm(), tolerance);
  s.smallest_length = s.semi_axes ? s.semi_axes->minCoeff() : extreme_distance(s, true).norm();
  s.distances = distance_table(s.function, s.cover, s.box, settings.distance_cells);
  s.samples = surface_samples(s.function, s.cover, s.bounding_radius);
  s.support_cells = settings.support_cells;
  s.support_table = support_table(s, s.support_cells);
  return true;
}

}  // namespace

std::optional<ImplicitShape> make_implicit_shape(const PerturbedQuadric& given,
                                                 const ImplicitShapeSettings& settings,
                                                 ShapeFindings& findings) {
  PerturbedQuadric f = given;
  std::erase_if(f.perturbations, [](const Perturbation& p) { return p.weight == 0.0; });
  ImplicitShape s;
  s.semi_axes = ellipsoid_axes(f);  // then no other fault is possible
  if (s.semi_axes &&
      !(is_size_of_a_shape(s.semi_axes->maxCoeff(), findings) && is_thick_enough(*s.semi_axes, findings)))
    return std::nullopt;
  const std::optional<Box> box =
      s.semi_axes ? Box{-*s.semi_axes, *s.semi_axes} : check_shape(f, settings.feature_size, findings);
  if (!box || !findings.errors.empty()) return std::nullopt;
  Box rough = *box;
  if (s.semi_axes) {
    s.function = f;
    s.volume = volume(Ellipsoid{*s.semi_axes});
    s.inertia_per_mass = inertia_per_mass(Ellipsoid{*s.semi_axes});
  } else {
    const MassProperties mass = mass_properties(f, 2.0 * box->size().norm(), settings.tolerance);
    if (!(mass.volume > 0.0 && mass.error <= largest_mass_error && mass.second.allFinite())) {
      findings.errors.emplace_back("the volume cannot be computed: the surface is too rough");
      return std::nullopt;
    }
    const Mat3 axes = principal_axes(mass.second, principal_noise);
    s.body_in_file = {mass.centre, Quat(axes).normalized()};
    s.function = in_frame(f, s.body_in_file);
    s.volume = mass.volume;
    s.inertia_per_mass = (axes.transpose() * mass.inertia_per_mass() * axes).diagonal();
    s.mass_error = mass.error;
    // The bounding box of the rotated box.
    const Mat3 back = axes.transpose();
    const Vec3 middle = back * (box->middle() - mass.centre), half = back.cwiseAbs() * (0.5 * box->size());
    rough = {middle - half, middle + half};
    if (!(value(s.function, Vec3::Zero()) > 0.0))
      findings.errors.emplace_back("the centre of mass is outside of the body");
  }
  if (!findings.errors.empty()) return std::nullopt;
  if (!finish(s, settings, rough)) {
    findings.errors.emplace_back("the body is empty");
    return std::nullopt;
  }
  check_cover(s.cover, s.bounding_radius, findings);
  return findings.errors.empty() ? std::optional<ImplicitShape>(std::move(s)) : std::nullopt;
}

Vec3 support(const ImplicitShape& s, const Vec3& direction) {
  if (s.semi_axes) {
    const Vec3 stretched = s.semi_axes->cwiseProduct(direction);
    return s.semi_axes->cwiseProduct(stretched) / stretched.norm();
  }
  // The ball of a node bounds the support of its surface: best first.
  const Vec3 d = direction.normalized();
  const std::vector<CoverNode>& nodes = s.cover.nodes;
  const auto bound = [&](std::int32_t i) {
    const CoverNode& n = nodes[i];
    return d.dot(n.centre) + n.radius;
  };
  std::priority_queue<std::pair<double, std::int32_t>> waiting;
  waiting.emplace(bound(0), 0);
  Vec3 best = Vec3::Zero();
  double most = -infinity;
  while (!waiting.empty() && waiting.top().first > most) {
    const std::int32_t at = waiting.top().second;
    waiting.pop();
    const CoverNode& node = nodes[at];
    if (node.child >= 0) {
      for (const std::int32_t child : {node.child, node.child + 1}) waiting.emplace(bound(child), child);
      continue;
    }
    if (node.normal.dot(d) < node.cosine) continue;  // its normals point elsewhere
    const Vec3 x = farthest_along(s.function, node.centre, d, nodes[0].radius);
    if (d.dot(x) > most) {
      most = d.dot(x);
      best = x;
    }
  }
  return best;
}

double support_bound(const ImplicitShape& s, const Vec3& direction) {
  if (!direction.allFinite()) return std::numeric_limits<double>::quiet_NaN();  // a body that spins too fast
  Eigen::Index axis = 0;
  const double along = direction.cwiseAbs().maxCoeff(&axis);
  const int a = static_cast<int>(axis), face = 2 * a + (direction[a] < 0.0 ? 1 : 0);
  const int n = s.support_cells;
  const double u = (direction[(a + 1) % 3] / along + 1.0) * 0.5 * n,
               v = (direction[(a + 2) % 3] / along + 1.0) * 0.5 * n;
  const int i = std::min(static_cast<int>(u), n - 1), j = std::min(static_cast<int>(v), n - 1);
  const double x = u - i, y = v - j;
  // A bilinear mean has positive weights that sum up to this direction.
  const auto at = [&](int p, int q) { return s.support_table[table_slot(n, face, i + p, j + q)]; };
  return along *
         ((1.0 - x) * ((1.0 - y) * at(0, 0) + y * at(0, 1)) + x * ((1.0 - y) * at(1, 0) + y * at(1, 1)));
}

double ray_hit(const ImplicitShape& s, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest) {
  if (s.semi_axes) return ray_hit(Ellipsoid{*s.semi_axes}, origin, direction, nearest, farthest);
  // Within the bounding sphere only.
  const double dd = direction.squaredNorm(), middle = -origin.dot(direction) / dd;
  const double beyond = s.bounding_radius * s.bounding_radius - (origin + middle * direction).squaredNorm();
  if (!(beyond > 0.0)) return infinity;
  const double half = std::sqrt(beyond / dd) * (1.0 + 1e-9), low = std::max(nearest, middle - half),
               high = std::min(farthest, middle + half);
  return low < high ? ray_hit(s.function, origin, direction, low, high) : infinity;
}

Vec3 outward(const ImplicitShape& s, const Vec3& point) { return -gradient(s.function, point).normalized(); }

}  // namespace scree
