#include "engine/bodies/prescribed_motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scree {

namespace {

/// The piece of a table that contains a time: the index of its end.
std::size_t piece_at(const std::vector<double>& times, double t) {
  return static_cast<std::size_t>(std::ranges::upper_bound(times, t) - times.begin());
}

double between(const std::vector<double>& times, const std::vector<double>& values, double t) {
  if (t <= times.front()) return values.front();
  if (t >= times.back()) return values.back();
  const std::size_t after = piece_at(times, t);
  const double part = (t - times[after - 1]) / (times[after] - times[after - 1]);
  return values[after - 1] + part * (values[after] - values[after - 1]);
}

double slope(const std::vector<double>& times, const std::vector<double>& values, double t) {
  if (t < times.front() || t >= times.back()) return 0.0;
  const std::size_t after = piece_at(times, t);
  return (values[after] - values[after - 1]) / (times[after] - times[after - 1]);
}

/// The motion of a stage by a distance or angle (m or rad), applied to the stages after it.
void carry(const MotionStage& stage, double much, Pose& pose) {
  if (stage.kind == MotionStage::Kind::translation) {
    pose.position += pose.orientation * (much * stage.axis);
    return;
  }
  const Quat turn(Eigen::AngleAxisd(much, stage.axis));
  pose.position += pose.orientation * (stage.point - turn * stage.point);
  pose.orientation = (pose.orientation * turn).normalized();
}

constexpr double difference_s = 1e-5;

}  // namespace

double TimeLaw::at(double time_s) const {
  const double t = std::clamp(time_s, start, stop);
  double sum = rate * (t - start);
  if (amplitude != 0.0)
    sum += amplitude * (std::sin(2.0 * std::numbers::pi * frequency * (t - start) + phase) - std::sin(phase));
  if (!times.empty()) sum += between(times, values, t);
  if (function) sum += function(t);
  return sum;
}

double TimeLaw::rate_at(double time_s) const {
  if (time_s < start || time_s >= stop) return 0.0;
  double sum = rate;
  if (amplitude != 0.0) {
    const double omega = 2.0 * std::numbers::pi * frequency;
    sum += amplitude * omega * std::cos(omega * (time_s - start) + phase);
  }
  if (!times.empty()) sum += slope(times, values, time_s);
  if (function) {
    const double d = (time_s + difference_s) - time_s;  // as represented by the times
    const auto f = [&](int k) { return function(time_s + k * d); };
    if (time_s - 2.0 * d < start)  // then only the right-hand side is used
      sum += (-25.0 * f(0) + 48.0 * f(1) - 36.0 * f(2) + 16.0 * f(3) - 3.0 * f(4)) / (12.0 * d);
    else if (time_s + 2.0 * d > stop)
      sum -= (-25.0 * f(0) + 48.0 * f(-1) - 36.0 * f(-2) + 16.0 * f(-3) - 3.0 * f(-4)) / (12.0 * d);
    else
      sum += (8.0 * (f(1) - f(-1)) - (f(2) - f(-2))) / (12.0 * d);
  }
  return sum;
}

void MotionClock::start(double time_s) {
  if (runs) return;
  delay_s = time_s - reading_s;
  runs = true;
}

void MotionClock::stop(double time_s) {
  reading_s = at(time_s);
  runs = false;
}

Pose PrescribedMotion::at(double time_s) const {
  Pose pose;
  for (const MotionStage& s : stages) carry(s, s.law.at(time_s), pose);
  return pose;
}

Twist PrescribedMotion::twist_at(double time_s, const Vec3& centre) const {
  // The axis of each stage is moved by the stages before it.
  Pose pose;
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // linear: of the point at the origin of the world
  for (const MotionStage& s : stages) {
    const Vec3 motion = s.law.rate_at(time_s) * (pose.orientation * s.axis);
    if (s.kind == MotionStage::Kind::translation) {
      linear += motion;
    } else {
      angular += motion;
      linear -= motion.cross(pose.position + pose.orientation * s.point);
    }
    carry(s, s.law.at(time_s), pose);
  }
  return {linear + angular.cross(pose.position + pose.orientation * centre), angular};
}

PrescribedMotion steady_motion(const Twist& twist, const Vec3& centre) {
  PrescribedMotion motion;
  const double speed = twist.linear.norm(), spin = twist.angular.norm();
  if (speed > 0.0) {
    TimeLaw law;
    law.rate = speed;
    motion.stages.push_back({MotionStage::Kind::translation, twist.linear / speed, Vec3::Zero(), law});
  }
  if (spin > 0.0) {
    TimeLaw law;
    law.rate = spin;
    motion.stages.push_back({MotionStage::Kind::rotation, twist.angular / spin, centre, law});
  }
  return motion;
}

Twist twist_between(const Pose& from, const Pose& to, const Vec3& centre, double duration_s) {
  const auto moved = [&](const Pose& pose) { return Vec3(pose.position + pose.orientation * centre); };
  const Eigen::AngleAxisd turn(to.orientation * from.orientation.conjugate());
  const double angle = turn.angle() > std::numbers::pi ? turn.angle() - 2.0 * std::numbers::pi : turn.angle();
  return {(moved(to) - moved(from)) / duration_s, (angle / duration_s) * turn.axis()};
}

}  // namespace scree
