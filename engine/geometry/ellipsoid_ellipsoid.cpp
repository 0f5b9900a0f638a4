#include "engine/geometry/ellipsoid_ellipsoid.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <array>
#include <cmath>

#include "engine/core/frames.h"
#include "engine/geometry/slab_ascent.h"

namespace scree {

namespace {

constexpr int newton_iterations = 30;
constexpr int halvings = 30;
constexpr int perram_wertheim_iterations = 12;
constexpr double perram_wertheim_tolerance = 1e-3;  // in t; the direction is refined by Newton

struct Maximum {
  Three n;
  Slab at;
  GapStatus status;
};

/// Climbs phi from n, by Newton steps that are shortened if they do not ascend.
Maximum climb(const EllipsoidPair& p, Three n) {
  Slab at = slab(p, n);
  for (int k = 0; k < newton_iterations; ++k) {
    AscentStep step = ascent_step(p, n, at);
    if (step.length < no_step_rad) return {n, at, GapStatus::converged};
    const double tiny = slab_rounding(p, n, at);
    int halved = 0;
    for (; halved < halvings; ++halved) {
      const Three trial = turned(n, step.along);
      const Slab next = slab(p, trial);
      if (next.phi >= at.phi - tiny) {
        n = trial;
        at = next;
        break;
      }
      step.along = 0.5 * step.along;
    }
    if (step.length < last_step_rad || halved == halvings) return {n, at, GapStatus::converged};
  }
  return {n, at, GapStatus::iteration_limit};
}

Mat3 adjugate(const Mat3& m) {
  Mat3 adj;
  adj.col(0) = m.row(1).cross(m.row(2)).transpose();
  adj.col(1) = m.row(2).cross(m.row(0)).transpose();
  adj.col(2) = m.row(0).cross(m.row(1)).transpose();
  return adj;
}

}  // namespace

double separation(const PlacedEllipsoid& a, const PlacedEllipsoid& b, const Vec3& n) {
  return slab_width(pair_of(a, b), to_three(n));
}

PerramWertheim perram_wertheim(const PlacedEllipsoid& a, const PlacedEllipsoid& b) {
  const Vec3 r = b.centre - a.centre;
  const Mat3 difference = b.matrix - a.matrix;
  // f(t) = t (1-t) r.C^-1 r is concave; its slope (1-2t) r.v - t (1-t) v.(S_B - S_A) v with v = C^-1 r
  // changes sign once.
  double low = 0.0, high = 1.0, t = 0.5, value = 0.0;
  Vec3 v = r;
  for (int k = 0; k < perram_wertheim_iterations && high - low > perram_wertheim_tolerance; ++k) {
    const Mat3 c = a.matrix + t * difference;
    const Mat3 adj = adjugate(c);
    v = adj * r / c.row(0).dot(adj.col(0));
    const double rv = r.dot(v), dv = v.dot(difference * v);
    value = std::max(value, t * (1.0 - t) * rv);
    const double slope = (1.0 - 2.0 * t) * rv - t * (1.0 - t) * dv;
    (slope > 0.0 ? low : high) = t;
    // Root of the slope with r.v and v.D v frozen: dv t^2 - (dv + 2 rv) t + rv = 0, the root in (0, 1).
    const double p = dv + 2.0 * rv;
    const double frozen = 2.0 * rv / (p + std::sqrt(std::max(p * p - 4.0 * dv * rv, 0.0)));
    if (std::abs(frozen - t) < perram_wertheim_tolerance) break;
    t = frozen > low && frozen < high ? frozen : 0.5 * (low + high);
  }
  const double length = v.norm();
  return {length > 0.0 ? Vec3(v / length) : Vec3(Vec3::UnitZ()), value};
}

Gap gap(const PlacedEllipsoid& a, const PlacedEllipsoid& b, const Vec3* start_normal) {
  const EllipsoidPair pair = pair_of(a, b);
  const Vec3 start = start_normal != nullptr ? Vec3(-*start_normal) : perram_wertheim(a, b).direction;
  Maximum best = climb(pair, to_three(start));
  if (may_be_deep(best.at.phi, pair)) {
    const Eigen::SelfAdjointEigenSolver<Mat3> axes_a(a.matrix), axes_b(b.matrix);
    const double least = std::sqrt(std::min(axes_a.eigenvalues()[0], axes_b.eigenvalues()[0]));
    if (best.at.phi < -deep_overlap * least) {
      const auto also = [&](const Vec3& n) {
        const Maximum other = climb(pair, to_three(n));
        if (other.at.phi > best.at.phi) best = other;
      };
      also(perram_wertheim(a, b).direction);
      for (int i = 0; i < 3; ++i) {
        for (const auto* axes : {&axes_a, &axes_b}) {
          const Vec3 axis = axes->eigenvectors().col(i);
          also(axis);
          also(-axis);
        }
      }
    }
  }
  Gap result;
  result.normal = -to_vec3(best.n);
  result.distance = best.at.phi;
  result.point = 0.5 * ((a.centre + to_vec3(best.at.x_a)) + (b.centre - to_vec3(best.at.x_b)));
  result.status = best.status;
  return result;
}

double gap_acceleration(const PlacedEllipsoid& a, const PlacedEllipsoid& b, const Vec3& normal,
                        const Twist& of_a, const Twist& of_b) {
  const EllipsoidPair pair = pair_of(a, b);
  const Three n = to_three(-normal);
  return bending(pair, n, slab(pair, n),
                 {to_three(of_a.angular), to_three(of_b.angular), to_three(of_b.linear - of_a.linear)});
}

const char* to_string(Relation relation) {
  switch (relation) {
    case Relation::separate:
      return "separate";
    case Relation::touching:
      return "touching";
    case Relation::overlapping:
      return "overlapping";
    case Relation::inside:
      return "inside";
  }
  return "";
}

namespace {

/// Is {B} inside {A}? By the S-lemma exactly if some lambda > 0 makes lambda B - A positive semidefinite (4
/// x 4 matrices, negative inside). The smallest eigenvalue is concave in lambda: golden-section search for
/// its maximum.
bool holds(const Eigen::Matrix4d& a, const Eigen::Matrix4d& b) {
  const auto least = [&](double log_lambda) {
    const double lambda = std::exp(log_lambda);
    return Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>((lambda * b - a) / (1.0 + lambda),
                                                          Eigen::EigenvaluesOnly)
        .eigenvalues()[0];
  };
  constexpr double golden = 0.6180339887498949;
  double low = -30.0, high = 30.0;
  for (int k = 0; k < 100; ++k) {
    const double u = high - golden * (high - low), v = low + golden * (high - low);
    const double fu = least(u), fv = least(v);
    if (fu >= -1e-14 || fv >= -1e-14) return true;
    (fu < fv ? low : high) = fu < fv ? u : v;
  }
  return false;
}

/// lambda^4 + c3 lambda^3 + c2 lambda^2 + c1 lambda + 1 with a double root and two negative roots. The pair
/// touches if the double root is positive; if it is negative (symmetric positions), the other two roots
/// decide. The double root is that of the last linear remainder of Euclid's algorithm on the polynomial and
/// its derivative.
Relation relation_at_double_root(double c3, double c2, double c1) {
  const double q2 = c2 / 2.0 - 3.0 * c3 * c3 / 16.0;  // remainder of f by f', a quadratic
  const double q1 = 3.0 * c1 / 4.0 - c3 * c2 / 8.0;
  const double q0 = 1.0 - c3 * c1 / 16.0;
  // Remainder of q2^2 f' by it, a linear polynomial.
  const double m = 3.0 * c3 * q2 - 4.0 * q1;
  const double l1 = q2 * (2.0 * c2 * q2 - 4.0 * q0) - m * q1;
  const double l0 = q2 * q2 * c1 - m * q0;
  if (std::abs(l1) <= 1e-9 * (std::abs(q2 * (2.0 * c2 * q2 - 4.0 * q0)) + std::abs(m * q1)))
    return Relation::touching;
  const double root = -l0 / l1;
  if (root > 0.0) return Relation::touching;
  const double p = c3 + 2.0 * root;  // f / (lambda - root)^2 = lambda^2 + p lambda + 1 / root^2
  return p < 0.0 && p * p > 4.0 / (root * root) ? Relation::separate : Relation::overlapping;
}

}  // namespace

namespace {

/// Is there a slab across the line of the centres, wide relative to both, between them? If they are far
/// apart, the coefficients of the polynomial differ by many orders of magnitude, and two spheres, for which
/// two roots are equal, would be classified as overlapping.
bool are_far_apart(const PlacedEllipsoid& a, const PlacedEllipsoid& b) {
  constexpr double far = 1.01;
  const Vec3 r = b.centre - a.centre;
  return r.norm() > 0.0 &&
         r.squaredNorm() > far * (std::sqrt(r.dot(a.matrix * r)) + std::sqrt(r.dot(b.matrix * r)));
}

}  // namespace

Relation classify(const PlacedEllipsoid& a, const PlacedEllipsoid& b) {
  if (are_far_apart(a, b)) return Relation::separate;
  // In the affine frame in which A is the unit sphere, B is (x - c).Q (x - c) <= 1 and
  //   det(lambda A + B) = (lambda + 1) det(lambda I + Q) - lambda c.Q adj(lambda I + Q) c            (G2)
  // up to sign. In the eigenbasis of Q = diag(q): det = prod(lambda + q_i), adj_i = prod over j != i of
  // (lambda + q_j).
  const Eigen::LLT<Mat3> llt(a.matrix);
  const Mat3 l_inverse = llt.matrixL().solve(Mat3::Identity());
  const Eigen::SelfAdjointEigenSolver<Mat3> b_axes(l_inverse * b.matrix * l_inverse.transpose());
  const Vec3 q = b_axes.eigenvalues().cwiseInverse();
  const Vec3 c = b_axes.eigenvectors().transpose() * (l_inverse * (b.centre - a.centre));
  const Vec3 w = q.cwiseProduct(c.cwiseAbs2());
  const double s1 = q.sum(), s2 = q[0] * q[1] + q[1] * q[2] + q[2] * q[0], s3 = q.prod();
  const double w1 = w.sum();
  const double w2 = w[0] * (q[1] + q[2]) + w[1] * (q[2] + q[0]) + w[2] * (q[0] + q[1]);
  const double w3 = w[0] * q[1] * q[2] + w[1] * q[2] * q[0] + w[2] * q[0] * q[1];
  // Monic quartic, lambda scaled by the fourth root of its last coefficient so that all terms have one size.
  const double scale = std::pow(s3, 0.25);
  const double c3 = (1.0 + s1 - w1) / scale;
  const double c2 = (s1 + s2 - w2) / (scale * scale);
  const double c1 = (s2 + s3 - w3) / (scale * scale * scale);
  const double i = 12.0 - 3.0 * c3 * c1 + c2 * c2;
  const double j = 72.0 * c2 + 9.0 * c3 * c2 * c1 - 27.0 * (c1 * c1 + c3 * c3) - 2.0 * c2 * c2 * c2;
  const double discriminant = 4.0 * i * i * i - j * j;  // times 1/27
  // Two roots are always negative. If a coefficient is negative, Descartes' rule makes the other two
  // positive or complex, and the discriminant decides.
  const bool other_two_not_negative = c3 < 0.0 || c2 < 0.0 || c1 < 0.0;
  const double size = 4.0 * std::abs(i * i * i) + j * j;
  if (other_two_not_negative && std::abs(discriminant) <= 1e-14 * size) {
    const Relation relation = relation_at_double_root(c3, c2, c1);
    if (relation != Relation::overlapping) return relation;
  } else if (other_two_not_negative && discriminant > 0.0) {
    return Relation::separate;
  }

  Eigen::Matrix4d sphere = Eigen::Vector4d(1.0, 1.0, 1.0, -1.0).asDiagonal();
  Eigen::Matrix4d other = Eigen::Matrix4d::Zero();
  other.topLeftCorner<3, 3>() = q.asDiagonal();
  other.topRightCorner<3, 1>() = -q.cwiseProduct(c);
  other.bottomLeftCorner<1, 3>() = -q.cwiseProduct(c).transpose();
  other(3, 3) = w1 - 1.0;
  // Only a body that contains the other's centre can contain the other.
  const bool inside = (c.squaredNorm() < 1.0 && holds(sphere, other)) || (w1 < 1.0 && holds(other, sphere));
  return inside ? Relation::inside : Relation::overlapping;
}

Gap first_touch(const PlacedEllipsoid& a, const PlacedEllipsoid& b, const Gap& now, const Vec3& velocity,
                double duration_s, double nearness_m) {
  constexpr int most_steps = 100;  // for grazing ones; head-on it takes two or three
  PlacedEllipsoid moved = a;
  Gap g = now;
  double t = 0.0;
  for (int i = 0; i < most_steps && g.distance > nearness_m; ++i) {
    const double closing = -g.normal.dot(velocity);
    if (closing <= 0.0) return {};
    t += g.distance / closing;
    if (t > duration_s) return {};
    moved.centre = a.centre + t * velocity;
    g = gap(moved, b, &g.normal);
  }
  g.distance -= t * g.normal.dot(velocity);
  return g;
}

}  // namespace scree
