// Scenes of a few bodies whose numbers may be anything that a double can be.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace scree::test {

/// A scene file from bytes: shapes given by functions or as clumps, bodies with these shapes, ellipsoids and
/// spheres, walls, an inlet. Each number is ordinary, has any exponent, or is special: zero, the least and
/// the largest, infinity, NaN. Missing bytes count as 0, which gives an ordinary scene.
std::string extreme_scene(std::span<const std::uint8_t> bytes);

}  // namespace scree::test
