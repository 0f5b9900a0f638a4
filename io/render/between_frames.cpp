#include "io/render/between_frames.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/modules/flight/free_rotation.h"

namespace scree::io {

namespace {

constexpr std::size_t most_kept = 64;  // frames
// Tolerance of the change of velocity that takes a body from one frame to the next: rounding of frames in
// single precision, and forces other than gravity.
constexpr double smooth = 0.02;
constexpr double sudden = 0.5;  // an acceleration that gravity does not explain is none beyond this

/// Where a body is on its way between two frames, at a frame or an impact.
struct Knot {
  double time_s;
  Vec3 place;
  Twist arriving, leaving;
  Quat orientation;  // as it turns freely from the first one on
};

Twist twist_of(const Bodies& bodies, std::size_t i) {
  return {bodies.linear_velocity[i], bodies.angular_velocity[i]};
}

}  // namespace

Quat turned(const Vec3& inertia, const Quat& orientation, const Vec3& angular_velocity, double time_s) {
  Quat q = orientation;
  Vec3 w = angular_velocity;
  for (double left = time_s; left > 0.0;) {
    const FreeRotation rotation(inertia, q, w);
    const double h = std::min(left, rotation.valid_s());
    q = rotation.orientation(h);
    w = rotation.angular_velocity(q);
    left -= h;
  }
  return q;
}

Vec3 between(const MovingPoint& start, const MovingPoint& end, const Vec3& g, double h, double part) {
  const auto& [x0, v0] = start;
  const auto& [x1, v1] = end;
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
  const double begin = reader_.time_s()[k], end = reader_.time_s()[k + 1];
  std::unordered_map<BodyId, std::size_t> slots;
  for (std::size_t j = 0; j < next.size(); ++j) slots.emplace(next.id[j], j);
  const Vec3& g = reader_.run().model.settings.gravity;
  std::vector<Knot> way;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const auto found = slots.find(moved.id[i]);
    if (found == slots.end()) continue;
    const std::size_t j = found->second;
    const Twist now = twist_of(moved, i), then = twist_of(next, j);
    way.assign(1, {begin, moved.position[i], now, now, moved.orientation[i]});
    const auto go_on = [&](double t, const Vec3& place, const Twist& arriving, const Twist& leaving) {
      const Knot& last = way.back();
      const double h = t - last.time_s;
      const Vec3 expected = last.place + 0.5 * h * (last.leaving.linear + arriving.linear);
      way.push_back({t, nearest_image(k, place, expected), arriving, leaving,
                     turned(moved.inertia[i], last.orientation, last.leaving.angular, h)});
    };
    for (const RecordedImpact& impact : impacts().between(moved.id[i], begin, end))
      go_on(impact.time_s, impact.place, impact.before, impact.after);
    go_on(end, next.position[j], then, then);

    std::size_t to = 1;
    while (to + 1 < way.size() && way[to].time_s < time_s) ++to;
    const Knot &a = way[to - 1], &b = way[to];
    const double h = b.time_s - a.time_s;
    moved.position[i] = h > 0.0 ? between({a.place, a.leaving.linear}, {b.place, b.arriving.linear}, g, h,
                                          (time_s - a.time_s) / h)
                                : b.place;
    const Quat missing = next.orientation[j] * way.back().orientation.conjugate();
    moved.orientation[i] = Quat::Identity().slerp((time_s - begin) / (end - begin), missing) *
                           turned(moved.inertia[i], a.orientation, a.leaving.angular, time_s - a.time_s);
  }
  return moved;
}

const RecordedImpacts& BetweenFrames::impacts() {
  if (!impacts_) impacts_.emplace(file_);
  return *impacts_;
}

Vec3 BetweenFrames::nearest_image(std::size_t frame, const Vec3& place, const Vec3& expected) const {
  if (!reader_.is_periodic()) return place;
  const Mat3 lattice = reader_.lattice(frame);
  Vec3 cells = lattice.partialPivLu().solve(expected - place);
  for (int k = 0; k < 3; ++k) cells[k] = reader_.run().outlines.periodic[k] ? std::round(cells[k]) : 0.0;
  return place + lattice * cells;
}

std::vector<Vec3> BetweenFrames::corners(BodyId body, const Vec3& from, double after_s, double until_s) {
  std::vector<Vec3> places;
  for (const RecordedImpact& impact : impacts().between(body, after_s, until_s))
    places.push_back(
        nearest_image(frame_before(impact.time_s), impact.place, places.empty() ? from : places.back()));
  return places;
}

}  // namespace scree::io
