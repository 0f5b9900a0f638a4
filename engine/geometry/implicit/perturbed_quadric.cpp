#include "engine/geometry/implicit/perturbed_quadric.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "engine/core/frames.h"
#include "engine/geometry/implicit/evaluation.h"

namespace scree {

namespace {

Mat3 matrix(const Quadric& q) {
  Mat3 h;
  h << q.xx, q.xy, q.xz, q.xy, q.yy, q.yz, q.xz, q.yz, q.zz;
  return h;
}

Quadric from_parts(const Mat3& h, const Vec3& b, double c) {
  return {h(0, 0), h(1, 1), h(2, 2), h(0, 1), h(0, 2), h(1, 2), b[0], b[1], b[2], c};
}

}  // namespace

Quadric quadric(const Mat3& a, const Vec3& b, double c) { return from_parts(2.0 * a, b, c); }

Quadric ellipsoid_quadric(const Vec3& semi_axes, const Vec3& centre, const Quat& orientation) {
  const Mat3 a = -symmetric_in_world(orientation, semi_axes.cwiseAbs2().cwiseInverse());
  return from_parts(2.0 * a, -2.0 * a * centre, 1.0 + centre.dot(a * centre));
}

Quadric negative(Quadric q) {
  for (double* v : {&q.xx, &q.yy, &q.zz, &q.xy, &q.xz, &q.yz, &q.x, &q.y, &q.z, &q.constant}) *v = -*v;
  return q;
}

PerturbedQuadric perturbed(const Vec3& semi_axes, std::vector<Perturbation> perturbations) {
  return {ellipsoid_quadric(semi_axes), std::move(perturbations)};
}

double value(const Quadric& q, const Vec3& x) { return value(q, to_three(x), gradient(q, to_three(x))); }
Vec3 gradient(const Quadric& q, const Vec3& x) { return to_vec3(gradient(q, to_three(x))); }
std::vector<FourPerturbations> side_by_side(const std::vector<Perturbation>& perturbations) {
  std::vector<FourPerturbations> all((perturbations.size() + 3) / 4);
  for (std::size_t k = 0; k < perturbations.size(); ++k) {
    FourPerturbations& four = all[k / 4];
    const Quadric& q = perturbations[k].quadric;
    const std::size_t lane = k % 4;
    four.xx[lane] = q.xx;
    four.yy[lane] = q.yy;
    four.zz[lane] = q.zz;
    four.xy[lane] = q.xy;
    four.xz[lane] = q.xz;
    four.yz[lane] = q.yz;
    four.x[lane] = q.x;
    four.y[lane] = q.y;
    four.z[lane] = q.z;
    four.constant[lane] = q.constant;
    four.twice_weight[lane] = 2.0 * perturbations[k].weight;
  }
  return all;
}

double value(const PerturbedQuadric& f, const Vec3& x) { return value(f, to_three(x)); }
Vec3 gradient(const PerturbedQuadric& f, const Vec3& x) { return to_vec3(jet(f, to_three(x)).g); }

FunctionValue evaluate(const PerturbedQuadric& f, const Vec3& x) {
  const Jet j = jet(f, to_three(x));
  return {j.f, to_vec3(j.g), j.h.xx, j.h.yy, j.h.zz, j.h.xy, j.h.xz, j.h.yz};
}

Quadric in_frame(const Quadric& q, const Pose& pose, double scale) {
  const Mat3 h = matrix(q), r = pose.orientation.toRotationMatrix();
  const Vec3 b(q.x, q.y, q.z);
  Mat3 turned = scale * scale * (r.transpose() * h * r);
  turned = (0.5 * (turned + turned.transpose())).eval();
  return from_parts(turned, scale * (r.transpose() * (h * pose.position + b)), value(q, pose.position));
}

PerturbedQuadric in_frame(const PerturbedQuadric& f, const Pose& pose, double scale) {
  PerturbedQuadric result{in_frame(f.base, pose, scale), f.perturbations};
  for (Perturbation& p : result.perturbations) p.quadric = in_frame(p.quadric, pose, scale);
  return result;
}

PerturbedQuadric scaled(const PerturbedQuadric& f, double factor) { return in_frame(f, {}, 1.0 / factor); }

namespace {

/// c0 + c1 t + c2 t^2 of a quadric along a ray.
struct Along {
  double c0, c1, c2;
};

Along along(const Quadric& q, Three origin, Three direction) {
  const Three g = gradient(q, origin);
  return {value(q, origin, g), dot(g, direction), 0.5 * dot(direction, hessian(q) * direction)};
}

/// Real roots of a quadratic, without cancellation; returns their number.
int roots_of(const Along& p, double* root) {
  const double discriminant = p.c1 * p.c1 - 4.0 * p.c2 * p.c0;
  if (!(discriminant > 0.0)) return 0;
  const double s = -0.5 * (p.c1 + std::copysign(std::sqrt(discriminant), p.c1));
  int count = 0;
  if (p.c2 != 0.0 && std::isfinite(s / p.c2)) root[count++] = s / p.c2;
  if (s != 0.0) root[count++] = p.c0 / s;
  return count;
}

double horner(const double* c, int degree, double t) {
  double sum = c[degree];
  for (int k = degree - 1; k >= 0; --k) sum = sum * t + c[k];
  return sum;
}

/// The root between two ends at which the polynomial has different signs: Newton, bounded by bisection.
double bracketed_root(const double* c, int degree, double low, double high) {
  constexpr int iterations = 100;
  const bool rising = horner(c, degree, low) < 0.0;
  double t = 0.5 * (low + high);
  for (int k = 0; k < iterations; ++k) {
    double f = c[degree], slope = 0.0;
    for (int i = degree - 1; i >= 0; --i) {
      slope = slope * t + f;
      f = f * t + c[i];
    }
    if (f == 0.0) return t;
    ((f < 0.0) == rising ? low : high) = t;
    double next = t - f / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - t) <= 4e-16 * std::abs(t) || next == low || next == high) return next;
    t = next;
  }
  return t;
}

/// Places where a polynomial changes its sign in (low, high), ascending: between the roots of its derivative
/// it is monotonic.
int sign_changes(const double* c, int degree, double low, double high, double* root) {
  while (degree > 0 && c[degree] == 0.0) --degree;
  if (degree == 0) return 0;
  double turn[6];
  int turns = 0;
  turn[turns++] = low;
  if (degree > 1) {
    double derivative[5];
    for (int k = 0; k < degree; ++k) derivative[k] = (k + 1) * c[k + 1];
    turns += sign_changes(derivative, degree - 1, low, high, turn + 1);
  }
  turn[turns] = high;
  int count = 0;
  double before = horner(c, degree, low);
  for (int k = 0; k < turns; ++k) {
    const double after = horner(c, degree, turn[k + 1]);
    if ((before < 0.0) != (after < 0.0)) root[count++] = bracketed_root(c, degree, turn[k], turn[k + 1]);
    before = after;
  }
  return count;
}

/// F' along one line, as quadratics.
struct LineFunction {
  Along base;
  Along perturbation[max_perturbations];
  double weight[max_perturbations], breaks[2 * max_perturbations + 2];
  int perturbations = 0, ends = 0;  // ends: of the pieces
};

void cut(const PerturbedQuadric& f, Three origin, Three direction, double nearest, double farthest,
         LineFunction& line) {
  line.base = along(f.base, origin, direction);
  assert(f.perturbations.size() <= max_perturbations);
  line.breaks[line.ends++] = nearest;
  line.breaks[line.ends++] = farthest;
  for (const Perturbation& p : f.perturbations) {
    const Along q = along(p.quadric, origin, direction);
    line.perturbation[line.perturbations] = q;
    line.weight[line.perturbations++] = p.weight;
    double root[2];
    const int count = roots_of(q, root);
    for (int k = 0; k < count; ++k) {
      if (root[k] > nearest && root[k] < farthest) line.breaks[line.ends++] = root[k];
    }
  }
  std::sort(line.breaks, line.breaks + line.ends);
}

RayPiece piece(const LineFunction& line, double from, double to) {
  RayPiece r{from, to, {line.base.c0, line.base.c1, line.base.c2, 0.0, 0.0}};
  const double middle = 0.5 * (from + to);
  for (int i = 0; i < line.perturbations; ++i) {
    const Along& q = line.perturbation[i];
    if (!((q.c2 * middle + q.c1) * middle + q.c0 > 0.0)) continue;
    const double w = line.weight[i];
    r.coefficient[0] += w * q.c0 * q.c0;
    r.coefficient[1] += w * 2.0 * q.c0 * q.c1;
    r.coefficient[2] += w * (q.c1 * q.c1 + 2.0 * q.c0 * q.c2);
    r.coefficient[3] += w * 2.0 * q.c1 * q.c2;
    r.coefficient[4] += w * q.c2 * q.c2;
  }
  return r;
}

/// Calls found(t) at the sign changes within a ray, in order, until it returns true.
template <class Found>
void visit_crossings(const PerturbedQuadric& f, const Vec3& origin, const Vec3& direction, double nearest,
                     double farthest, Found&& found) {
  LineFunction line;
  // From the point of the ray nearest to the origin, so that distant starts cost no digits.
  const double shift = -origin.dot(direction) / direction.squaredNorm();
  const Vec3 near = origin + shift * direction;
  cut(f, to_three(near), to_three(direction), nearest - shift, farthest - shift, line);
  bool started = false, inside = false;
  for (int k = 0; k + 1 < line.ends; ++k) {
    const double from = line.breaks[k], to = line.breaks[k + 1];
    if (!(to > from)) continue;
    const RayPiece p = piece(line, from, to);
    const bool starts_inside = horner(p.coefficient, 4, from) >= 0.0;
    // A zero exactly on the break, which rounding assigns to neither piece.
    if (started && starts_inside != inside && found(from + shift)) return;
    double root[5];
    const int count = sign_changes(p.coefficient, 4, from, to, root);
    for (int i = 0; i < count; ++i) {
      if (found(root[i] + shift)) return;
    }
    started = true;
    inside = horner(p.coefficient, 4, to) >= 0.0;
  }
}

}  // namespace

void along_ray(const PerturbedQuadric& f, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest, std::vector<RayPiece>& pieces) {
  LineFunction line;
  cut(f, to_three(origin), to_three(direction), nearest, farthest, line);
  pieces.clear();
  for (int k = 0; k + 1 < line.ends; ++k) pieces.push_back(piece(line, line.breaks[k], line.breaks[k + 1]));
}

void crossings(const PerturbedQuadric& f, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest, std::vector<double>& t) {
  t.clear();
  visit_crossings(f, origin, direction, nearest, farthest, [&](double at) {
    t.push_back(at);
    return false;
  });
}

double ray_hit(const PerturbedQuadric& f, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest) {
  double first = infinity;
  visit_crossings(f, origin, direction, nearest, farthest, [&](double at) {
    first = at;
    return true;
  });
  return first;
}

}  // namespace scree
