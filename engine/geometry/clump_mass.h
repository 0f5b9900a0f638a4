// Volume, centre of mass and inertia of a union of ellipsoids.
#pragma once

#include <span>

#include "engine/geometry/clump.h"
#include "engine/geometry/implicit/mass_properties.h"

namespace scree {

/// By the divergence theorem: integrals over that part of each surface which is outside of all others. Each
/// member is mapped to the unit sphere and cut in circles, on which the arcs that other members cover are
/// found exactly. Latitudes are divided where the pattern of the arcs changes; in between, where integrals
/// are smooth, Gauss-Kronrod intervals are halved where they err most, until the relative errors that they
/// estimate sum up to `tolerance`. That the normal sums up to zero over the surface shows that no piece is
/// missed. None of the members may hold another one. Test: Clump.*.
MassProperties mass_properties(std::span<const ClumpMember> members, double tolerance);

/// Does the surface of `a` enter the inside of `b`? Not where they touch, to 1e-12 of the size.
bool overlap(const ClumpMember& a, const ClumpMember& b);

}  // namespace scree
