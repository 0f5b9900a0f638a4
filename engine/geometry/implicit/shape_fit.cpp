#include "engine/geometry/implicit/shape_fit.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/LevenbergMarquardt>
#include <unsupported/Eigen/NumericalDiff>

#include "engine/core/random.h"

namespace scree {

namespace {

using Eigen::VectorXd;

// All quantities except input and output are in units of the grain's mean radius, in its principal axes.

constexpr std::size_t fitted_points = 1500, told_points = 10000;
constexpr std::uint64_t fitted_seed = 1, told_seed = 2;
constexpr double widest[] = {0.35, 0.55, 0.8, 1.2};  // radii of new perturbations that are tried
constexpr std::size_t tried_places = 300;
// Regularisation of numbers that the points do not determine: a change of a semi-axis by its own length, or a
// weight of 1, counts as much as a mean distance of this size.
constexpr double pull = 1e-3;
// Places outside of the hull at which the function must be outside too, or it grows pieces that no surface
// point shows: the support function along these directions, times these factors.
constexpr int guarded_directions = 150;
constexpr double guards[] = {1.1, 1.3, 1.7, 2.4};
constexpr double least_slope = 1e-2;  // of F: below it, F is no measure of distance
constexpr int base_numbers = 9, perturbation_numbers = 7;

/// The numbers of a function: base 1 - |B (x - c)|^2 with B symmetric; each perturbation's centre, logarithms
/// of semi-axes, weight.
PerturbedQuadric function_from(const VectorXd& x) {
  Mat3 b;
  b << x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2];
  const Vec3 c = x.segment<3>(6);
  const Mat3 bb = b * b;
  PerturbedQuadric f{quadric(-bb, 2.0 * bb * c, 1.0 - c.dot(bb * c)), {}};
  for (Eigen::Index at = base_numbers; at < x.size(); at += perturbation_numbers) {
    const Vec3 semi_axes = x.segment<3>(at + 3).array().exp();
    f.perturbations.push_back({ellipsoid_quadric(semi_axes, x.segment<3>(at)), x[at + 6]});
  }
  return f;
}

/// Taubin's distance, m; positive inside.
double first_order_distance(const PerturbedQuadric& f, const Vec3& x) {
  return value(f, x) / std::max(gradient(f, x).norm(), least_slope);
}

/// The data to which the function is fitted.
struct Target {
  std::vector<Vec3> points;   // of the surface
  std::vector<Vec3> outside;  // places that must be outside
};

Target target_of(const std::vector<Vec3>& points) {
  Target target{points, {}};
  Random random(3);
  for (int k = 0; k < guarded_directions; ++k) {
    const Vec3 d = random.direction();
    double support = 0.0;
    for (const Vec3& p : points) support = std::max(support, d.dot(p));
    for (const double times : guards) target.outside.push_back(times * support * d);
  }
  return target;
}

/// Distances of the points, depth of outside places within the body, and changes of numbers.
struct Residuals : Eigen::DenseFunctor<double> {
  Residuals(const Target& t, const VectorXd& first)
      : DenseFunctor(static_cast<int>(first.size()), static_cast<int>(t.points.size() + t.outside.size()) +
                                                         static_cast<int>(first.size()) - base_numbers),
        target(t),
        start(first) {}
  int operator()(const VectorXd& x, VectorXd& residual) const {
    const PerturbedQuadric f = function_from(x);
    Eigen::Index row = 0;
    for (const Vec3& p : target.points) residual[row++] = first_order_distance(f, p);
    for (const Vec3& p : target.outside) residual[row++] = std::max(0.0, first_order_distance(f, p));
    const double strength = pull * std::sqrt(static_cast<double>(target.points.size()));
    residual.tail(x.size() - base_numbers) = strength * (x - start).tail(x.size() - base_numbers);
    for (Eigen::Index at = base_numbers + 6; at < x.size(); at += perturbation_numbers)
      residual[row + at - base_numbers] = strength * x[at];
    return 0;
  }
  const Target& target;
  VectorXd start;
};

VectorXd least_squares(const Target& target, VectorXd x) {
  constexpr int evaluations = 200;
  constexpr double least_gain = 1e-6;
  Eigen::NumericalDiff<Residuals> residuals{Residuals(target, x)};
  Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Residuals>> solver(residuals);
  solver.setMaxfev(evaluations);
  solver.setFtol(least_gain);
  solver.setXtol(least_gain);
  solver.minimize(x);
  return x;
}

/// Adds the ball-shaped bump or dent at a point that lowers the sum of squares most, with all else constant.
VectorXd with_another(const std::vector<Vec3>& points, const VectorXd& x) {
  const PerturbedQuadric f = function_from(x);
  VectorXd distance(static_cast<Eigen::Index>(points.size())), slope(distance.size());
  for (Eigen::Index i = 0; i < distance.size(); ++i) {
    const Vec3& p = points[i];
    slope[i] = std::max(gradient(f, p).norm(), least_slope);
    distance[i] = value(f, p) / slope[i];
  }
  double most = -1.0;
  VectorXd best(perturbation_numbers);
  const std::size_t stride = std::max<std::size_t>(1, points.size() / tried_places);
  VectorXd change(distance.size());
  for (std::size_t c = 0; c < points.size(); c += stride) {
    for (const double radius : widest) {
      for (Eigen::Index i = 0; i < change.size(); ++i) {
        const double q = 1.0 - (points[i] - points[c]).squaredNorm() / (radius * radius);
        change[i] = q > 0.0 ? q * q / slope[i] : 0.0;
      }
      const double along = change.dot(distance), size = change.squaredNorm();
      if (along * along / size <= most) continue;
      most = along * along / size;
      best << points[c], Vec3::Constant(std::log(radius)), -along / size;
    }
  }
  VectorXd longer(x.size() + best.size());
  longer << x, best;
  return longer;
}

Mat3 proper(Mat3 axes) {
  if (axes.determinant() < 0.0) axes.col(2) = -axes.col(2);
  return axes;
}

/// The function in the axes of its base, lengths in m; `mesh`: the frame of the units.
ShapeFit in_base_axes(const VectorXd& x, const Pose& mesh, double unit) {
  Mat3 b;
  b << x[0], x[3], x[4], x[3], x[1], x[5], x[4], x[5], x[2];
  // Ascending squares of 1/a: descending semi-axes.
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(Mat3(b * b));
  const Vec3 centre = x.segment<3>(6);
  const Quat turn(proper(solver.eigenvectors()));
  ShapeFit fit;
  fit.semi_axes = unit * solver.eigenvalues().cwiseSqrt().cwiseInverse();
  fit.frame = {mesh.position + mesh.orientation * (unit * centre), (mesh.orientation * turn).normalized()};
  for (Eigen::Index at = base_numbers; at < x.size(); at += perturbation_numbers) {
    const Vec3 semi_axes = x.segment<3>(at + 3).array().exp(), place = x.segment<3>(at);
    fit.perturbations.push_back(
        {unit * semi_axes, {unit * (turn.conjugate() * (place - centre)), turn.conjugate()}, x[at + 6]});
  }
  return fit;
}

/// Root mean square distance of the points to the nearest point of the surface.
double true_distance(const std::vector<Vec3>& points, const VectorXd& x) {
  const PerturbedQuadric f = function_from(x);
  double squares = 0.0;
  for (const Vec3& p : points) {
    const double d = surface_distance(f, p, 1.0);
    squares += d * d;
  }
  return std::sqrt(squares / static_cast<double>(points.size()));
}

/// The nearest function so far. First-order distances are valid near the surface only: for a poor
/// fit, their sum of squares may decrease while the true one increases.
struct Best {
  VectorXd x;
  double distance;
  void take(const std::vector<Vec3>& points, const VectorXd& other) {
    const double there = true_distance(points, other);
    if (!(there < distance)) return;  // also if it is NaN
    x = other;
    distance = there;
  }
};

void tell_errors(const TriangleMesh& mesh, double unit, ShapeFit& fit) {
  const PerturbedQuadric f = function_of(fit);
  double sum = 0.0, squares = 0.0;
  for (const Vec3& p : surface_samples(mesh, told_points, told_seed)) {
    const double d = surface_distance(f, fit.frame.orientation.conjugate() * (p - fit.frame.position), unit);
    sum += d;
    squares += d * d;
    fit.largest_error = std::max(fit.largest_error, d);
  }
  fit.mean_error = sum / told_points;
  fit.root_mean_square = std::sqrt(squares / told_points);
}

}  // namespace

PerturbedQuadric function_of(const ShapeFit& fit) {
  PerturbedQuadric f = perturbed(fit.semi_axes);
  for (const FittedPerturbation& p : fit.perturbations)
    f.perturbations.push_back(
        {ellipsoid_quadric(p.semi_axes, p.pose.position, p.pose.orientation), p.weight});
  return f;
}

double surface_distance(const PerturbedQuadric& f, const Vec3& point, double scale) {
  constexpr int rounds = 12, projections = 8;
  constexpr double longest_step = 0.2;  // of the scale
  const auto onto_surface = [&](Vec3 x) {
    for (int k = 0; k < projections; ++k) {
      const Vec3 g = gradient(f, x);
      const Vec3 step = value(f, x) / std::max(g.squaredNorm(), 1e-12 / (scale * scale)) * g;
      x -= std::min(1.0, longest_step * scale / std::max(step.norm(), 1e-300)) * step;
    }
    return x;
  };
  Vec3 x = onto_surface(point);
  double nearest = (x - point).norm();
  for (int k = 0; k < rounds; ++k) {
    // Towards the projection of the point onto the tangent plane.
    const Vec3 n = gradient(f, x).stableNormalized(), away = point - x;
    const Vec3 next = onto_surface(x + away - n.dot(away) * n);
    const double distance = (next - point).norm();
    if (!(distance < nearest)) break;
    nearest = distance;
    x = next;
  }
  return nearest;
}

ShapeFit fit_shape(const TriangleMesh& mesh, int perturbations) {
  const MeshMass mass = mesh_mass(mesh);
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(mass.second);
  const Pose pose{mass.centre, Quat(proper(principal.eigenvectors())).normalized()};
  // For an ellipsoid the mean of x x^T is a^2 / 5.
  const Vec3 semi_axes = (5.0 * principal.eigenvalues()).cwiseSqrt();
  const double unit = std::cbrt(semi_axes.prod());
  std::vector<Vec3> points = surface_samples(mesh, fitted_points, fitted_seed);
  for (Vec3& p : points) p = pose.orientation.conjugate() * (p - pose.position) / unit;
  VectorXd x = VectorXd::Zero(base_numbers);
  x.head<3>() = unit * semi_axes.cwiseInverse();
  const Target target = target_of(points);
  Best best{x, true_distance(points, x)};
  x = least_squares(target, x);
  best.take(points, x);
  for (int k = 0; k < perturbations; ++k) {
    x = least_squares(target, with_another(points, x));
    best.take(points, x);
  }
  ShapeFit fit = in_base_axes(best.x, pose, unit);
  tell_errors(mesh, unit, fit);
  return fit;
}

}  // namespace scree
