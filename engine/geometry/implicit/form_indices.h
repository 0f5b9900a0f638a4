// Numbers that say how a grain is formed, as sedimentology and soil mechanics use them.
#pragma once

#include "engine/geometry/implicit/surface_mesh.h"

namespace scree {

/// All indices are 1 for a ball and have no unit.
struct FormIndices {
  Vec3 widths = Vec3::Zero();  // m: the least one, the least across that, the one across both; longest first
  double area = 0.0;           // m^2
  double hull_volume = 0.0;    // m^3, of the convex hull
  double inscribed_radius = 0.0;  // m, of the largest ball within the body, wherever it lies
  double elongation = 1.0;        // intermediate over longest width (Zingg 1935)
  double flatness = 1.0;          // shortest over intermediate width (Zingg 1935)
  double sphericity = 1.0;        // surface of the ball of equal volume over the body's (Wadell 1932)
  double roundness = 1.0;  // mean over corners of their radius over that of the inscribed ball; see below
  double convexity = 1.0;  // volume over that of the convex hull
};

/// From a mesh of that fineness with exact curvatures at its points; errors below 0.002 at fineness 24 (test:
/// FormIndices.*). Roundness is that of Wadell (1932, J. Geol. 40, 443) with surfaces for outlines: corners
/// are all places whose sharper principal curvature is above that of the largest inscribed ball, their radius
/// is the reciprocal of that curvature, and the mean goes by area. 1 where there are none.
FormIndices form_indices(const ImplicitShape& shape, int fineness = 24);

}  // namespace scree
