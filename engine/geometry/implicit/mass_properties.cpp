#include "engine/geometry/implicit/mass_properties.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

namespace scree {

namespace {

/// Volume, first and second moments: 1, x, y, z, xx, yy, zz, xy, xz, yz over the body.
using Moments = std::array<double, 10>;

constexpr std::size_t order = 5;
constexpr std::array<double, order> gauss_at{-0.9061798459386640, -0.5384693101056831, 0.0,
                                             0.5384693101056831, 0.9061798459386640};
constexpr std::array<double, order> gauss_weight{0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                                 0.4786286704993665, 0.2369268850561891};
constexpr int most_halvings = 14;
// Limit of halved squares, after which the rest is not divided: bodies with many kinks take some thousand.
// Without it, disagreement of the halves by rounding would take all of 4^14.
constexpr int most_squares = 50'000;

struct Quadrature {
  const PerturbedQuadric& f;
  double farthest;
  std::vector<double> t;  // scratch: crossings of a ray
  double error = 0.0;     // sum of the disagreements of halves, in volumes
  int squares = 0;        // number of halved ones

  void add_ray(const Vec3& d, double weight, Moments& sum) {
    crossings(f, Vec3::Zero(), d, 0.0, farthest, t);
    double r3 = 0.0, r4 = 0.0, r5 = 0.0, sign = 1.0;
    for (const double r : t) {
      const double cube = sign * r * r * r;
      r3 += cube / 3.0;
      r4 += cube * r / 4.0;
      r5 += cube * r * r / 5.0;
      sign = -sign;
    }
    sum[0] += weight * r3;
    for (std::size_t i = 0; i < 3; ++i) {
      const double along = d[static_cast<Eigen::Index>(i)];
      sum[1 + i] += weight * r4 * along;
      sum[4 + i] += weight * r5 * along * along;
    }
    sum[7] += weight * r5 * d[0] * d[1];
    sum[8] += weight * r5 * d[0] * d[2];
    sum[9] += weight * r5 * d[1] * d[2];
  }

  /// A square [u, u + side] x [v, v + side] of the cube's face on which coordinate `axis` is `facing`.
  struct Cell {
    int axis;
    double facing, u, v, side;
  };

  Moments over(const Cell& c) {
    Moments sum{};
    for (std::size_t i = 0; i < order; ++i) {
      for (std::size_t j = 0; j < order; ++j) {
        const double u = c.u + 0.5 * c.side * (1.0 + gauss_at[i]),
                     v = c.v + 0.5 * c.side * (1.0 + gauss_at[j]);
        Vec3 d;
        d[c.axis] = c.facing;
        d[(c.axis + 1) % 3] = u;
        d[(c.axis + 2) % 3] = v;
        const double length = d.norm();
        add_ray(d / length,
                0.25 * c.side * c.side * gauss_weight[i] * gauss_weight[j] / (length * length * length), sum);
      }
    }
    return sum;
  }

  /// `size`: of the moments, as a reference.
  void integrate(const Cell& c, const Moments& whole, double allowed, const Moments& size, int depth,
                 Moments& total) {
    std::array<Cell, 4> part;
    std::array<Moments, 4> of_part;
    Moments sum{};
    for (std::size_t k = 0; k < 4; ++k) {
      const double half = 0.5 * c.side;
      part[k] = {c.axis, c.facing, c.u + (k % 2 == 0 ? 0.0 : half), c.v + (k < 2 ? 0.0 : half), half};
      of_part[k] = over(part[k]);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += of_part[k][i];
    }
    double off = 0.0;
    for (std::size_t i = 0; i < sum.size(); ++i) off = std::max(off, std::abs(sum[i] - whole[i]) / size[i]);
    if (off <= allowed || depth == 0 || ++squares > most_squares) {
      for (std::size_t i = 0; i < sum.size(); ++i) total[i] += sum[i];
      error += off;
      return;
    }
    // Kinks are along lines: twice as many squares share the tolerance.
    for (std::size_t k = 0; k < 4; ++k) integrate(part[k], of_part[k], 0.5 * allowed, size, depth - 1, total);
  }
};

}  // namespace

MassProperties mass_properties(const PerturbedQuadric& f, double farthest, double tolerance) {
  Quadrature q{f, farthest, {}};
  std::array<Quadrature::Cell, 6> face;
  std::array<Moments, 6> of_face;
  Moments total{}, first{};
  for (std::size_t k = 0; k < 6; ++k) {
    face[k] = {static_cast<int>(k % 3), k < 3 ? 1.0 : -1.0, -1.0, -1.0, 2.0};
    of_face[k] = q.over(face[k]);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] += of_face[k][i];
  }
  // First moments are compared with volume times size, because they may vanish; mixed second ones with the
  // others.
  const double second = (first[4] + first[5] + first[6]) / 3.0, length = std::sqrt(second / first[0]);
  Moments size;
  size.fill(second);
  size[0] = first[0];
  for (std::size_t i = 1; i < 4; ++i) size[i] = first[0] * length;
  for (std::size_t i = 4; i < 7; ++i) size[i] = std::min(second, first[i]);
  for (std::size_t k = 0; k < 6; ++k)
    q.integrate(face[k], of_face[k], 0.3 * tolerance, size, most_halvings, total);
  MassProperties r;
  r.volume = total[0];
  r.centre = Vec3(total[1], total[2], total[3]) / total[0];
  r.second << total[4], total[7], total[8], total[7], total[5], total[9], total[8], total[9], total[6];
  r.second = r.second / total[0] - r.centre * r.centre.transpose();
  r.error = q.error;
  return r;
}

Mat3 principal_axes(const Mat3& second, double noise) {
  const double scale = second.trace();
  const double mixed = std::max({std::abs(second(0, 1)), std::abs(second(0, 2)), std::abs(second(1, 2))});
  if (mixed <= noise * scale) return Mat3::Identity();  // they are principal already
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(second);
  Mat3 r = Mat3::Zero();
  Mat3 left = solver.eigenvectors();
  for (int k = 0; k < 3; ++k) {
    Eigen::Index row = 0, column = 0;
    left.cwiseAbs().maxCoeff(&row, &column);
    r.col(row) = (left(row, column) < 0.0 ? -1.0 : 1.0) * solver.eigenvectors().col(column);
    left.row(row).setZero();
    left.col(column).setZero();
  }
  if (r.determinant() < 0.0) r.col(2) = -r.col(2);
  return r;
}

}  // namespace scree
