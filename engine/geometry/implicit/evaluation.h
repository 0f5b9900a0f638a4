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

/// From the gradient at the same point.
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

}  // namespace scree
