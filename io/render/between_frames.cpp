#include "io/render/between_frames.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace scree::io {

namespace {

constexpr std::size_t most_kept = 64;  // frames
// Of the change of velocity that would take a body from one frame to the next: rounding of frames in single
// precision, and what forces beside gravity do.
constexpr double smooth = 0.02;
constexpr double sudden = 0.5;  // an acceleration that gravity does not explain is none beyond this

}  // namespace

Vec3 between(const Vec3& x0, const Vec3& v0, const Vec3& x1, const Vec3& v1, const Vec3& g, double h,
             double part) {
  const double t = part * h;
  // Parabolas from both ends meet where a + t b = 0, if anywhere.
  const Vec3 a = x0 - x1 + h * v1 - 0.5 * h * h * g, b = v0 - v1 + h * g;
  const double speed = std::max(v0.norm(), v1.norm());
  const bool even = (x1 - x0 - 0.5 * h * (v0 + v1)).norm() <= smooth * h * speed && b.norm() < sudden * speed;
  if (b.norm() > smooth * speed && !even) {
    const double meet = -a.dot(b) / b.squaredNorm();
    if (meet >= 0.0 && meet <= h && (a + meet * b).norm() <= smooth * h * speed) {
      if (t <= meet) return x0 + t * v0 + 0.5 * t * t * g;
      const double back = t - h;
      return x1 + back * v1 + 0.5 * back * back * g;
    }
  }
  const double p = part, q = 1.0 - part;
  return q * q * (1.0 + 2.0 * p) * x0 + p * p * (3.0 - 2.0 * p) * x1 + h * p * q * (q * v0 - p * v1);
}

std::size_t BetweenFrames::frame_before(double time_s) const {
  const std::vector<double>& times = reader_.time_s();
  const auto after = std::upper_bound(times.begin(), times.end(), time_s);
  return after == times.begin() ? 0 : static_cast<std::size_t>(after - times.begin()) - 1;
}

const Bodies& BetweenFrames::frame(std::size_t k) {
  const auto found = kept_.find(k);
  if (found != kept_.end()) return found->second;
  if (kept_.size() >= most_kept) kept_.erase(kept_.begin());  // films go on
  return kept_.emplace(k, reader_.bodies(k)).first->second;
}

Bodies BetweenFrames::bodies(double time_s) {
  const std::size_t k = frame_before(time_s);
  Bodies moved = frame(k);
  if (k + 1 >= reader_.frames() || time_s <= reader_.time_s()[k]) return moved;
  const Bodies& next = frame(k + 1);
  const double h = reader_.time_s()[k + 1] - reader_.time_s()[k], part = (time_s - reader_.time_s()[k]) / h;
  std::unordered_map<BodyId, std::size_t> slots;
  for (std::size_t j = 0; j < next.size(); ++j) slots.emplace(next.id[j], j);
  const Vec3& g = reader_.run().model.settings.gravity;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const auto found = slots.find(moved.id[i]);
    if (found == slots.end()) continue;
    const std::size_t j = found->second;
    moved.position[i] = between(moved.position[i], moved.linear_velocity[i], next.position[j],
                                next.linear_velocity[j], g, h, part);
    moved.orientation[i] = moved.orientation[i].slerp(part, next.orientation[j]);
  }
  return moved;
}

}  // namespace scree::io
