// The arithmetic of (F1) on plain numbers, for the kernels of this folder.
#pragma once

#include "engine/geometry/implicit/perturbed_quadric.h"
#include "engine/geometry/slab_ascent.h"

namespace scree {

/// F', its gradient and its second derivatives at a point.
struct Jet {
  double f;
  Three g;
  Symmetric h;
};

SCREE_INLINE Symmetric hessian(const Quadric& q) { return {q.xx, q.yy, q.zz, q.xy, q.xz, q.yz}; }

SCREE_INLINE Three gradient(const Quadric& q, Three x) {
  return {q.xx * x.x + q.xy * x.y + q.xz * x.z + q.x, q.xy * x.x + q.yy * x.y + q.yz * x.z + q.y,
          q.xz * x.x + q.yz * x.y + q.zz * x.z + q.z};
}

/// The value, from the gradient at the same point.
SCREE_INLINE double value(const Quadric& q, Three x, Three g) {
  return 0.5 * (x.x * (g.x + q.x) + x.y * (g.y + q.y) + x.z * (g.z + q.z)) + q.constant;
}

SCREE_INLINE double value(const PerturbedQuadric& f, Three x) {
  double sum = value(f.base, x, gradient(f.base, x));
  for (const Perturbation& p : f.perturbations) {
    const double q = value(p.quadric, x, gradient(p.quadric, x));
    if (q > 0.0) sum += p.weight * q * q;
  }
  return sum;
}

SCREE_INLINE Jet jet(const PerturbedQuadric& f, Three x) {
  Jet r;
  r.g = gradient(f.base, x);
  r.f = value(f.base, x, r.g);
  r.h = hessian(f.base);
  for (const Perturbation& p : f.perturbations) {
    const Three g = gradient(p.quadric, x);
    const double q = value(p.quadric, x, g);
    if (!(q > 0.0)) continue;
    const double w = 2.0 * p.weight, wq = w * q;
    r.f += 0.5 * wq * q;
    r.g = r.g + wq * g;
    r.h.xx += w * g.x * g.x + wq * p.quadric.xx;
    r.h.yy += w * g.y * g.y + wq * p.quadric.yy;
    r.h.zz += w * g.z * g.z + wq * p.quadric.zz;
    r.h.xy += w * g.x * g.y + wq * p.quadric.xy;
    r.h.xz += w * g.x * g.z + wq * p.quadric.xz;
    r.h.yz += w * g.y * g.z + wq * p.quadric.yz;
  }
  return r;
}

/// The same from perturbations stored side by side.
SCREE_INLINE Jet jet(const Quadric& base, const std::vector<FourPerturbations>& perturbations, Three x) {
  const auto all = [](double v) { return Vector4{v, v, v, v}; };
  const Vector4 none = all(0.0), half = all(0.5), at_x = all(x.x), at_y = all(x.y), at_z = all(x.z);
  Vector4 f = none, gx = none, gy = none, gz = none;
  Vector4 h_xx = none, h_yy = none, h_zz = none, h_xy = none, h_xz = none, h_yz = none;
  for (const FourPerturbations& p : perturbations) {
    const auto four = [](const FourPerturbations::Four& v) {
      Vector4 r;
      std::memcpy(&r, v.data(), sizeof r);
      return r;
    };
    const Vector4 xx = four(p.xx), yy = four(p.yy), zz = four(p.zz), xy = four(p.xy), xz = four(p.xz),
                  yz = four(p.yz), bx = four(p.x), by = four(p.y), bz = four(p.z);
    const Vector4 dx = xx * at_x + xy * at_y + xz * at_z + bx, dy = xy * at_x + yy * at_y + yz * at_z + by,
                  dz = xz * at_x + yz * at_y + zz * at_z + bz;
    const Vector4 q = half * (at_x * (dx + bx) + at_y * (dy + by) + at_z * (dz + bz)) + four(p.constant);
    const Vector4 w = q > none ? four(p.twice_weight) : none, wq = w * q;
    f += half * wq * q;
    gx += wq * dx;
    gy += wq * dy;
    gz += wq * dz;
    const Vector4 wx = w * dx, wy = w * dy;
    h_xx += wx * dx + wq * xx;
    h_yy += wy * dy + wq * yy;
    h_zz += w * dz * dz + wq * zz;
    h_xy += wx * dy + wq * xy;
    h_xz += wx * dz + wq * xz;
    h_yz += wy * dz + wq * yz;
  }
  const auto sum = [](const Vector4& v) { return (v[0] + v[1]) + (v[2] + v[3]); };
  const Three g = gradient(base, x);
  return {value(base, x, g) + sum(f),
          g + Three{sum(gx), sum(gy), sum(gz)},
          {base.xx + sum(h_xx), base.yy + sum(h_yy), base.zz + sum(h_zz), base.xy + sum(h_xy),
           base.xz + sum(h_xz), base.yz + sum(h_yz)}};
}

}  // namespace scree
