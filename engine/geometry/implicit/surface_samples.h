// Points spread over the surface of a functionally defined body, denser where it bends: starts of searches.
#pragma once

#include <array>
#include <vector>

#include "engine/geometry/implicit/surface_cover.h"

namespace scree {

struct SurfaceSample {
  Vec3 point, normal;            // m; unit, outward
  Vec3 tangent_x, tangent_y;     // unit
  std::array<double, 3> bend{};  // 1/m, -H/|g| in the two tangents: xx, xy, yy
  double spacing = 0.0;          // m, largest distance of surface points nearest to this sample
};

/// Samples that are close together.
struct SampleGroup {
  std::int32_t first, count;
};

/// Balls as separate arrays, for loops over them, m.
struct Balls {
  std::vector<double> x, y, z, radius;
  void add(const Vec3& centre, double r) {
    x.push_back(centre[0]);
    y.push_back(centre[1]);
    z.push_back(centre[2]);
    radius.push_back(r);
  }
};

struct SurfaceSamples {
  std::vector<SurfaceSample> samples;
  std::vector<SampleGroup> groups;
  Balls balls;      // [sample] contains the surface that the sample represents
  Balls of_groups;  // [group] contains the surface that its samples represent
};

SurfaceSamples surface_samples(const PerturbedQuadric& f, const Cover& cover, double bounding_radius);

}  // namespace scree
