// Scenes of a few bodies whose numbers may be anything that a double can be.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace scree::test {

/// A scene file as the bytes say: shapes given by functions or as clumps, bodies of them, ellipsoids and
/// spheres, walls, an inlet. Each number is an ordinary one, one of any exponent, or a special one: zero, the
/// least and the largest, infinite, none. Bytes that are missing count as 0, which is an ordinary scene.
std::string extreme_scene(std::span<const std::uint8_t> bytes);

}  // namespace scree::test
