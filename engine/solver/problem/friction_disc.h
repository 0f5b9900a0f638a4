// Admissible tangential impulses of a contact, smooth or sampled, and the one with maximum dissipation.
#pragma once

#include "engine/core/types.h"

namespace scree {

/// The p + dp with least energy 1/2 dp.A dp + g.dp in the admissible set: the disc of `radius`
/// (corners = 0, `exact`), or the convex hull of `corners` >= 3 points on its rim at the angles 2 pi k /
/// corners (`sampled`). The hull is inside the disc; the distance to the rim is at most 1 - cos(pi / corners)
/// of its radius. A is symmetric positive definite, 1/kg; p in N s, g in m/s. Exact to rounding.
Vec2 least_energy(const Mat2& a, const Vec2& p, const Vec2& g, double radius, int corners);

/// The point of the admissible set that is closest to p.
Vec2 project_on_disc(const Vec2& p, double radius, int corners = 0);

}  // namespace scree
