// Samples of a body's surface side by side, to find those next to which the distance from another body or a
// wall is stationary over the surface.
#pragma once

#include <array>

#include "engine/geometry/implicit/pair_search.h"

namespace scree {

using BatchLanes = std::array<double, 32>;

/// Samples with the values evaluated at them. Loops may read and write up to a multiple of 4.
struct SampleBatch {
  std::size_t size = 0;
  std::array<std::int32_t, BatchLanes{}.size()> sample;
  // Data of the sample, in units of the shape:
  BatchLanes nx, ny, nz, t1x, t1y, t1z, t2x, t2y, t2z, bend_xx, bend_xy, bend_yy, spacing;
  // In units of the other function, which is negative outside:
  BatchLanes x, y, z, f, gx, gy, gz, xx, yy, zz, xy, xz, yz;
  BatchLanes apart;  // m, distance from the other surface
  // Results of find_starts(): is the sample a start; the offset in its tangents at which Newton begins,
  // m; and may a contact appear or vanish next to it while the two move?
  BatchLanes is_start, aside_1, aside_2, is_open;

  bool is_full() const { return size == BatchLanes{}.size(); }
  std::size_t padded() const { return (size + 3) / 4 * 4; }
  void add(const SurfaceSamples& all, std::int32_t which, Three there, double distance) {
    const SurfaceSample& s = all.samples[which];
    sample[size] = which;
    nx[size] = s.normal[0];
    ny[size] = s.normal[1];
    nz[size] = s.normal[2];
    t1x[size] = s.tangent_x[0];
    t1y[size] = s.tangent_x[1];
    t1z[size] = s.tangent_x[2];
    t2x[size] = s.tangent_y[0];
    t2y[size] = s.tangent_y[1];
    t2z[size] = s.tangent_y[2];
    bend_xx[size] = s.bend[0];
    bend_xy[size] = s.bend[1];
    bend_yy[size] = s.bend[2];
    spacing[size] = s.spacing;
    x[size] = there.x;
    y[size] = there.y;
    z[size] = there.z;
    apart[size] = distance;
    ++size;
  }
  /// Call before add(): the other function at the next sample, with second derivatives of -f.
  void set_other(double value, Three gradient, const Symmetric& minus_second) {
    f[size] = value;
    gx[size] = gradient.x;
    gy[size] = gradient.y;
    gz[size] = gradient.z;
    xx[size] = -minus_second.xx;
    yy[size] = -minus_second.yy;
    zz[size] = -minus_second.zz;
    xy[size] = -minus_second.xy;
    xz[size] = -minus_second.xz;
    yz[size] = -minus_second.yz;
  }
  /// Offset of a start from its sample, m, in the axes of its body.
  Three aside(std::size_t k) const {
    const double u = aside_1[k], v = aside_2[k];
    return {u * t1x[k] + v * t2x[k], u * t1y[k] + v * t2y[k], u * t1z[k] + v * t2z[k]};
  }
};

/// Parameters of the comparison.
struct SampleFrames {
  double scale, scale_of_other;  // m, of units of the shape and of the other function
  Rotation turn;                 // from the axes of the body to those of the other function
  double margin;                 // m, largest gap of interest
  double error;                  // m, of `apart`; the function itself then reduces it
  double slack;                  // rad, by which slopes may change while the two move
};

/// A sample is a start if the slope of the distance may vanish no farther away than the next sample. The
/// slope is the part of the other surface's normal in the tangent plane; it vanishes at about (A + B)^-1
/// times the slope, axis by axis of A + B, with a quarter of its norms as tolerance. It is open if the
/// surfaces may not bend away from each other and the slope, with its slack, may vanish.
void find_starts(const SampleFrames& frames, SampleBatch& b);

/// The unit tangent along which the distance widens least; `bend`: its second derivatives, in tangents(n).
inline Three flattest(const Plane2& bend, Three n) {
  const Two steepest = axes_of(bend).along;
  return along(tangents(n), {-steepest.y, steepest.x});
}
// Distance along that tangent, in spacings, at which a contact is searched for next to a critical pair that
// is none.
inline constexpr double beside = 0.3;

}  // namespace scree
