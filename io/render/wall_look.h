// The look of walls in pictures. This is the only place of the rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/render/camera.h"
#include "io/results/trajectory_reader.h"

namespace scree::io {

enum class WallLook : std::uint8_t {
  floor,  // matt, fades out in the distance
  glass,  // lets bodies be seen, with edges
  metal,  // opaque, with edges
};

/// Boundaries whose look is chosen by name, instead of by the rule. "box" names "box.-x" too, "all" names
/// all.
struct WallChoice {
  std::vector<std::string> glass, metal;
};

/// Is the boundary of this name meant?
bool is_meant(std::string_view boundary, std::string_view name);

/// [boundary] The rule: a plane that faces up and is seen from above is a floor; other planes are glass. A
/// wall of another kind is glass if in any of these frames it hides more than a tenth of the bodies that
/// would be seen without walls (half of them, if it moves), and metal otherwise. `up` is unit; frames: at
/// most six are looked at. Throws ReadError.
std::vector<WallLook> wall_looks(const TrajectoryReader& reader, const std::vector<std::size_t>& frames,
                                 const Vec3& eye, const Vec3& up, const WallChoice& choice);

}  // namespace scree::io
