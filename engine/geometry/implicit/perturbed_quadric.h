// A body given by a function: a base quadric, and squared quadrics that add bumps to it or cut dents into it.
//
//   F'(x) = F(x) + sum_i f_i R_i(x),   R_i = Q_i^2 where Q_i >= 0, else 0;   F' >= 0 is inside.       (F1)
//
// F' is C^1; its second derivatives jump where some Q_i is 0. Along a line it is a quartic between the zeros
// of the Q_i. Base and Q_i are quadrics of any kind. A base that is not bounded (cylinder, cone, paraboloid,
// of the Q_i. Base and Q_i are quadrics of any kind. A base that is not bounded (cylinder, cone, paraboloid,
// hyperboloid, the whole space) is closed by perturbations too: f < 0 with a Q that is positive outside a
// slab, a ball or any other quadric removes everything there and rounds the edge. So one form is enough:
// intersections by a minimum would need a second kind of function, with creases.
#pragma once

#include <array>
#include <vector>

#include "engine/core/types.h"

namespace scree {

/// Q(x) = x.H x / 2 + b.x + c. Plain numbers: H is symmetric.
struct Quadric {
  double xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, xz = 0.0, yz = 0.0;  // of H
  double x = 0.0, y = 0.0, z = 0.0;                                   // b
  double constant = 0.0;                                              // c
};

/// 1 - |R^T (x - centre) / a|^2 with the orientation R: positive inside the ellipsoid. A semi-axis may be
/// infinite (an elliptic cylinder, a slab).
Quadric ellipsoid_quadric(const Vec3& semi_axes, const Vec3& centre = Vec3::Zero(),
                          const Quat& orientation = Quat::Identity());
Quadric negative(Quadric q);
/// From x.A x + b.x + c, A symmetric.
Quadric quadric(const Mat3& a, const Vec3& b, double c);

double value(const Quadric& q, const Vec3& x);
Vec3 gradient(const Quadric& q, const Vec3& x);

struct Perturbation {
  Quadric quadric;
  double weight = 0.0;  // f: a bump where positive, a dent where negative
};

inline constexpr std::size_t max_perturbations = 32;

struct PerturbedQuadric {
  Quadric base;
  std::vector<Perturbation> perturbations;
};

PerturbedQuadric perturbed(const Vec3& semi_axes, std::vector<Perturbation> perturbations = {});

/// Value (no unit), gradient (1/m) and second derivatives (1/m^2, in the order of Quadric) at a point.
struct FunctionValue {
  double value;
  Vec3 gradient;
  double xx, yy, zz, xy, xz, yz;
};

/// Four perturbations side by side; unused ones have weight zero.
struct FourPerturbations {
  using Four = std::array<double, 4>;
  Four xx{}, yy{}, zz{}, xy{}, xz{}, yz{}, x{}, y{}, z{}, constant{};  // as in Quadric
  Four twice_weight{};
};
std::vector<FourPerturbations> side_by_side(const std::vector<Perturbation>& perturbations);

double value(const PerturbedQuadric& f, const Vec3& x);
Vec3 gradient(const PerturbedQuadric& f, const Vec3& x);
/// Where some Q is 0, it returns the second derivatives of the side on which Q is negative.
FunctionValue evaluate(const PerturbedQuadric& f, const Vec3& x);

/// The same body in another frame and size: x = scale R y + p for a point y of the new frame, so that
/// result(y) = f(x). `pose` (R, p) is the pose of the new frame in the old one.
PerturbedQuadric in_frame(const PerturbedQuadric& f, const Pose& pose, double scale = 1.0);
Quadric in_frame(const Quadric& q, const Pose& pose, double scale = 1.0);
/// The body grown by a factor.
PerturbedQuadric scaled(const PerturbedQuadric& f, double factor);

/// F' along origin + t direction: quartics between the zeros of the Q_i. Ascending coefficients.
struct RayPiece {
  double from, to;
  double coefficient[5];
};
/// Writes the pieces within [nearest, farthest], in order.
void along_ray(const PerturbedQuadric& f, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest, std::vector<RayPiece>& pieces);

/// All t in (nearest, farthest), both finite, where F' changes its sign along a ray, ascending; accuracy
/// 1e-14 of the larger end of the range. Exact roots of the quartics, isolated by the roots of their
/// derivatives: only rounding can hide crossings (two that are closer than about 1e-7 of the range).
void crossings(const PerturbedQuadric& f, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest, std::vector<double>& t);
/// The least of them; infinite if there is none.
double ray_hit(const PerturbedQuadric& f, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest);

}  // namespace scree
