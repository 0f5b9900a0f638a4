#include "engine/geometry/implicit/sample_batch.h"

namespace scree {

namespace {

// Distance in spacings within which the slope must be able to vanish for a search to start at a sample; and
// the tolerance of the sum of the two bends, over their norms.
constexpr double start_reach = 1.0, unsure_bend = 0.25;
constexpr double facing = 0.3;  // least cosine between the normals of a start

}  // namespace

SCREE_FOR_EACH_TARGET
void find_starts(const SampleFrames& frames, SampleBatch& b) {
  const double unit = frames.scale_of_other, error = frames.error, margin = frames.margin,
               slack = frames.slack, scale = frames.scale, own = 1.0 / frames.scale;
  const Rotation turn = frames.turn;
  const std::size_t n = b.padded();
  for (std::size_t k = 0; k < n; ++k) {
    const Three g{b.gx[k], b.gy[k], b.gz[k]};
    const double square = dot(g, g), inverse = square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
    const Three normal{b.nx[k], b.ny[k], b.nz[k]}, t1{b.t1x[k], b.t1y[k], b.t1z[k]},
        t2{b.t2x[k], b.t2y[k], b.t2z[k]}, m = back(turn, -inverse * g);
    const Two slope{dot(t1, m), dot(t2, m)};
    const double spacing = scale * b.spacing[k], low = b.apart[k] - error, high = b.apart[k] + error;
    const double first_order = -unit * inverse * b.f[k];
    double apart = first_order > low ? first_order : low;
    apart = apart < high ? apart : high;
    b.apart[k] = apart;
    const double other = -inverse / unit;
    const Symmetric h{b.xx[k], b.yy[k], b.zz[k], b.xy[k], b.xz[k], b.yz[k]};
    const Three o1 = turn * t1, o2 = turn * t2, h1 = h * o1, h2 = h * o2;
    const Plane2 bend{own * b.bend_xx[k], own * b.bend_xy[k], own * b.bend_yy[k]},
        bend_other{other * dot(o1, h1), other * dot(o1, h2), other * dot(o2, h2)};
    const Axes2 sum = axes_of({bend.xx + bend_other.xx, bend.xy + bend_other.xy, bend.yy + bend_other.yy});
    const double unsure = unsure_bend * (norm(bend) + norm(bend_other));
    const double near = start_reach * spacing;
    const double slope_1 = sum.along.x * slope.x + sum.along.y * slope.y,
                 slope_2 = sum.along.x * slope.y - sum.along.y * slope.x;
    const bool is_near =
        (square > 0.0) & (-dot(normal, m) >= facing) & (apart - norm(slope) * spacing <= margin);
    const double past_1 = std::abs(slope_1) - near * (std::abs(sum.larger) + unsure),
                 past_2 = std::abs(slope_2) - near * (std::abs(sum.smaller) + unsure);
    const bool is_start = is_near & (past_1 <= 0.0) & (past_2 <= 0.0),
               is_open = is_near & (past_1 <= slack) & (past_2 <= slack) & (sum.smaller <= unsure);
    b.is_start[k] = is_start ? 1.0 : 0.0;
    const auto downhill = [&](double steep, double bends) {
      const double to = -steep / (bends > unsure ? bends : 1.0), bounded = to < spacing ? to : spacing;
      return bends > unsure ? (bounded > -spacing ? bounded : -spacing) : 0.0;
    };
    const double u_1 = downhill(slope_1, sum.larger), u_2 = downhill(slope_2, sum.smaller);
    b.aside_1[k] = sum.along.x * u_1 - sum.along.y * u_2;
    b.aside_2[k] = sum.along.y * u_1 + sum.along.x * u_2;
    b.is_open[k] = is_open ? 1.0 : 0.0;
  }
}

}  // namespace scree
