// From rays to a picture: light, shade and clear walls.
#pragma once

#include <optional>

#include "io/render/camera.h"
#include "io/render/picture.h"
#include "io/render/ray_scene.h"
#include "io/render/wall_look.h"

namespace scree::io {

/// How a picture is lit. Lengths in m.
struct Lighting {
  Vec3 up = Vec3::UnitZ();     // away from gravity
  double shade_reach = 1.0;    // what is nearer than this takes light of the sky away
  Vec3 middle = Vec3::Zero();  // of the scene
  double floor_radius =
      infinity;     // a solid floor fades out between 60 % and 100 % of this distance from the middle
  int samples = 4;  // rays a pixel, each with one to the sun and one to the sky
  Colour background{1.0f, 1.0f, 1.0f};  // screen values
};

/// Screen values.
struct Paint {
  std::vector<Colour> body;         // [body]; not of clear ones
  std::vector<Colour> chain;        // [chain]
  std::vector<Colour> wall;         // [polygon], or none: solid walls look as `look` says then
  std::vector<WallLook> look = {};  // [polygon] of solid walls, or none: all are floors
};

/// Draws the scene into a part of the picture, the whole one if `viewport` is not given; the rest gets the
/// background. Rows are drawn in parallel; the same scene gives the same pixels on any number of threads.
Picture render(const RayScene& scene, const Paint& paint, const Camera& camera, const Lighting& lighting,
               Picture picture, const std::optional<Viewport>& viewport = {});

}  // namespace scree::io
