// Volume, centre of mass and inertia of a union of ellipsoids.
#pragma once

#include <span>

#include "engine/geometry/clump.h"
#include "engine/geometry/implicit/mass_properties.h"

namespace scree {

/// Uses the divergence theorem: integrals over the part of each surface outside of all other members. Each
/// member is mapped to the unit sphere and cut in circles, on which the arcs inside other members are
/// found exactly. Latitudes are divided where the pattern of the arcs changes. In between, integrals are
/// smooth: the Gauss-Kronrod interval with the largest error is halved until the sum of the estimated
/// relative errors is at most `tolerance`. As a check that no piece is missing, the normal must sum up to
/// zero over the surface. No member may contain another one. Test: Clump.*.
MassProperties mass_properties(std::span<const ClumpMember> members, double tolerance);

/// Does the surface of `a` enter the inside of `b`? Not if they only touch, to 1e-12 of the size.
bool overlap(const ClumpMember& a, const ClumpMember& b);

}  // namespace scree
