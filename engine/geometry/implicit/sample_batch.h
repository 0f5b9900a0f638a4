// Samples of a body's surface side by side: beside which of them is a place where the distance from something
// else, a body or a wall, has no slope over the surface?
#pragma once

#include <array>

#include "engine/geometry/implicit/pair_search.h"

namespace scree {

using BatchLanes = std::array<double, 32>;

/// Samples with what is asked at them. Loops may read and write up to a multiple of 4.
struct SampleBatch {
  std::size_t size = 0;
  std::array<std::int32_t, BatchLanes{}.size()> sample;
  // Of the sample, in units of the shape:
  BatchLanes nx, ny, nz, t1x, t1y, t1z, t2x, t2y, t2z, bend_xx, bend_xy, bend_yy, spacing;
  // In what the other function takes; it is negative outside:
  BatchLanes x, y, z, f, gx, gy, gz, xx, yy, zz, xy, xz, yz;
  BatchLanes apart;  // m, from the other surface
  // What find_starts() tells: is the sample a start, how far aside of it in its tangents would Newton begin,
  // m, and may a contact appear or vanish next to it while the two move?
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
  /// Before add(): the other function of the sample that comes next, with second derivatives of -f.
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
  /// Of a start, from its sample, m, in the axes of its body.
  Three aside(std::size_t k) const {
    const double u = aside_1[k], v = aside_2[k];
    return {u * t1x[k] + v * t2x[k], u * t1y[k] + v * t2y[k], u * t1z[k] + v * t2z[k]};
  }
};

/// What the samples are compared with.
struct SampleFrames {
  double scale, scale_of_other;  // m, of units of the shape and of the other function
  Rotation turn;                 // from the axes of the body to those of the other function
  double margin;                 // m, how near the surfaces have to come
  double error;                  // m, of `apart`, which the function itself then makes better
  double slack;                  // rad, by which slopes may change while the two move
};

/// A sample is a start where the slope of the distance may vanish no farther away than the next sample: the
/// slope is the part of the other surface's normal in the tangent plane, and vanishes about (A + B)^-1 times
/// as far away, axis by axis of A + B, a quarter of whose norms is left open. It is open where the surfaces
/// may not bend away from each other and the slope, with its slack, may vanish.
void find_starts(const SampleFrames& frames, SampleBatch& b);

/// Eigenvalues of a symmetric matrix, the larger one first, and the direction of that.
struct Axes2 {
  double larger, smaller;
  Two along;
};
SCREE_INLINE Axes2 axes_of(const Plane2& m) {
  const double middle = 0.5 * (m.xx + m.yy), half_x = 0.5 * (m.xx - m.yy),
               half = std::sqrt(half_x * half_x + m.xy * m.xy);
  const double x = half_x > 0.0 ? half + half_x : m.xy, y = half_x > 0.0 ? m.xy : half - half_x;
  const double length = std::sqrt(x * x + y * y), inverse = 1.0 / (length > 0.0 ? length : 1.0);
  return {middle + half, middle - half, {length > 0.0 ? inverse * x : 1.0, inverse * y}};
}

/// The tangent along which the distance widens least, unit; `bend`: how it widens, in tangents(n).
inline Three flattest(const Plane2& bend, Three n) {
  const Two steepest = axes_of(bend).along;
  return along(tangents(n), {-steepest.y, steepest.x});
}
// Where next to what is no contact one is looked for, along that tangent, in spacings.
inline constexpr double beside = 0.3;

}  // namespace scree
