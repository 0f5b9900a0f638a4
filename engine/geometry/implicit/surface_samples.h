// Points spread over the surface of a functionally defined body, close where it bends: where searches begin.
#pragma once

#include <array>
#include <vector>

#include "engine/geometry/implicit/surface_cover.h"

namespace scree {

struct SurfaceSample {
  Vec3 point, normal;            // m; unit, outward
  std::array<double, 6> bend{};  // 1/m, -H/|g|, in the order of Quadric
  double spacing = 0.0;          // m, the surface that is nearer to this sample than to others is no farther
};

/// Samples that stand together: in this ball.
struct SampleGroup {
  Vec3 centre;
  double radius, spacing;  // m, of the ball of the samples; the widest of theirs
  std::int32_t first, count;
};

struct SurfaceSamples {
  std::vector<SurfaceSample> samples;
  std::vector<SampleGroup> groups;
};

SurfaceSamples surface_samples(const PerturbedQuadric& f, const Cover& cover, double bounding_radius);

}  // namespace scree
