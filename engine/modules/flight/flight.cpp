#include "engine/modules/flight/flight.h"

#include <algorithm>

#include "engine/modules/integration/runge_kutta.h"

namespace scree {

namespace {

// Step times rate of the fastest damping: for ten times more the formula is unstable.
constexpr double most_damping = 0.5;

/// 1/s: how much the acceleration changes with the velocity, along both.
double damping_rate(const Departure& of, const Accelerations& acting, double time_s, double h) {
  const Vec3 &x = of.pose.position, &v = of.twist.linear, now = acting.further(of.body, time_s, x, v);
  const Vec3 along = h * (acting.gravity + now);
  double rate = 0.0;
  for (const Vec3& way : {along, v}) {
    const Vec3 change = 1e-3 * way;
    if (!(change.norm() > 0.0)) continue;
    rate = std::max(rate, (acting.further(of.body, time_s, x, v + change) - now).norm() / change.norm());
  }
  return rate;
}

}  // namespace

Flight::Flight(const Departure& of, const Accelerations& acting, double epoch_s, double begin, double until)
    : begin_(begin), until_(until), degree_(2), rotation_(of.inertia, of.pose.orientation, of.twist.angular) {
  const Vec3 &x = of.pose.position, &v = of.twist.linear;
  path_.fill(Vec3::Zero());
  speed_.fill(Vec3::Zero());
  until_ = std::min(until_, begin_ + rotation_.valid_s());
  path_[0] = x;
  path_[1] = speed_[0] = v;
  if (!acting.further) {
    path_[2] = 0.5 * acting.gravity;
    speed_[1] = acting.gravity;
    return;
  }
  degree_ = 4;
  const double rate = damping_rate(of, acting, epoch_s + begin_, until_ - begin_);
  if (rate * (until_ - begin_) > most_damping) until_ = begin_ + most_damping / rate;
  using Y = Eigen::Matrix<double, 6, 1>;
  Y y;
  y << x, v;
  const double h = until_ - begin_;
  const auto f = [&](double t, const Y& at) {
    const Vec3 place = at.head<3>(), velocity = at.tail<3>();
    Y slope;
    slope << velocity, acting.gravity + acting.further(of.body, t, place, velocity);
    return slope;
  };
  const auto step = take_step(continuous6, f, epoch_s + begin_, y, h);
  for (std::size_t d = 1; d <= 4; ++d) {
    Y sum = Y::Zero();
    for (std::size_t s = 0; s < 6; ++s) sum += continuous6.dense[s][d - 1] * step.slope[s];
    sum *= h > 0.0 ? std::pow(h, 1.0 - static_cast<double>(d)) : (d == 1 ? 1.0 : 0.0);
    path_[d] = sum.head<3>();
    speed_[d] = sum.tail<3>();
  }
}

Flight Flight::at_rest(const Pose& pose) {
  Flight flight;
  flight.path_.fill(Vec3::Zero());
  flight.speed_.fill(Vec3::Zero());
  flight.path_[0] = pose.position;
  flight.rotation_ = FreeRotation(Vec3::Ones(), pose.orientation, Vec3::Zero());
  return flight;
}

double Flight::most_further_acceleration(double until) const {
  if (is_parabola()) return 0.0;
  const double x = std::min(until, until_) - begin_;
  return 6.0 * path_[3].norm() * x + 12.0 * path_[4].norm() * x * x;
}

double Flight::most_speed(double from, double until) const {
  const double now = velocity(from).norm(), x = std::max(0.0, std::min(until, until_) - from);
  return now + x * (steady_acceleration().norm() + most_further_acceleration(until));
}

}  // namespace scree
