#include "engine/simulation/diagnostics.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/core/frames.h"
#include "engine/core/parallel.h"

namespace scree {

StageTimes& StageTimes::operator+=(const StageTimes& o) {
  preparation += o.preparation;
  detection += o.detection;
  resolution += o.resolution;
  finish += o.finish;
  return *this;
}

namespace {

/// What contacts add up to.
struct ContactSums {
  double normal_work = 0.0, friction_work = 0.0;       // J, (D1)
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // N s, N m s: from boundaries
  Vec3 linear_of_sleepers = Vec3::Zero(),
       angular_of_sleepers = Vec3::Zero();       // from bodies that nothing moves
  double linear_size = 0.0, angular_size = 0.0;  // N s, N m s: sum of sizes, of all contacts
  std::int64_t active = 0, touching = 0;
  double overlap_sum = 0.0, overlap_max = 0.0;

  ContactSums& operator+=(const ContactSums& o) {
    normal_work += o.normal_work;
    friction_work += o.friction_work;
    linear += o.linear;
    angular += o.angular;
    linear_of_sleepers += o.linear_of_sleepers;
    angular_of_sleepers += o.angular_of_sleepers;
    linear_size += o.linear_size;
    angular_size += o.angular_size;
    active += o.active;
    touching += o.touching;
    overlap_sum += o.overlap_sum;
    overlap_max = std::max(overlap_max, o.overlap_max);
    return *this;
  }
};

class ContactBalance {
 public:
  ContactBalance(const ContactProblem& p, const ContactSolution& s, const Bodies& bodies,
                 const std::vector<DoubledMotion>& motion, std::vector<std::uint8_t>& in_collision)
      : p_(p), s_(s), bodies_(bodies), motion_(motion), in_collision_(in_collision) {}

  std::size_t first_torque(std::size_t c) const { return p_.first_torque(c); }

  /// `next_torque`: of the first contact not before c that resists torques.
  SCREE_INLINE void add(std::size_t c, std::size_t& next_torque, ContactSums& sums) const {
    if (p_.gap[c] < 0.0) {
      const double overlap = -p_.gap[c] / p_.length[c];
      ++sums.touching;
      sums.overlap_sum += overlap;
      sums.overlap_max = std::max(sums.overlap_max, overlap);
    }
    const bool shared = s_.impulse_on_b.empty();
    const bool turns =
        next_torque < p_.torques.size() && p_.torques[next_torque].contact == static_cast<std::int32_t>(c);
    const std::size_t t = next_torque;
    next_torque += turns ? 1 : 0;
    const Vec3& p_a = s_.impulse[c];
    const Vec3 p_b = shared ? Vec3(-p_a) : s_.impulse_on_b[c];
    if (p_a.isZero(0.0) && p_b.isZero(0.0)) return;
    if (p_a[0] > 0.0 || p_b[0] < 0.0) {
      ++sums.active;
      mark(p_.body_a[c]);
      if (p_.body_b[c] != fixed_partner) mark(p_.body_b[c]);
    }

    const ContactGeometry& g = p_.geometry[c];
    const Vector4 impulse = to_vector4(p_.in_world(c, p_a));
    const Vector4 torque = turns ? to_vector4(p_.in_world(c, s_.torque_impulse[t])) : Vector4{};
    add_work(p_.body_a[c], g.arm_a, p_a[0] * g.n, impulse, torque, sums);
    if (p_.body_b[c] != fixed_partner) {
      add_work(p_.body_b[c], g.arm_b, p_b[0] * g.n, shared ? -impulse : to_vector4(p_.in_world(c, p_b)),
               shared || !turns ? -torque : to_vector4(p_.in_world(c, s_.torque_impulse_on_b[t])), sums);
    }

    const Vector4 point = to_vector4(bodies_.position[static_cast<std::size_t>(p_.body_a[c])]) + g.arm_a;
    const double squared = dot(impulse, impulse);
    sums.linear_size += std::sqrt(squared);
    sums.angular_size += std::sqrt(dot(point, point) * squared);
    if (turns) sums.angular_size += std::sqrt(dot(torque, torque));
    const auto given = [&](double sign, Vec3& linear, Vec3& angular) __attribute__((always_inline)) {
      linear += sign * to_vec3(impulse);
      angular += sign * to_vec3(cross(point, impulse) + torque);
    };
    if (p_.body_b[c] == fixed_partner) {
      given(1.0, sums.linear, sums.angular);
    } else if (p_.inverse_mass(static_cast<std::size_t>(p_.body_b[c])) == 0.0) {
      given(1.0, sums.linear_of_sleepers, sums.angular_of_sleepers);
    } else if (p_.inverse_mass(static_cast<std::size_t>(p_.body_a[c])) == 0.0) {
      given(-1.0, sums.linear_of_sleepers, sums.angular_of_sleepers);
    }
  }

 private:
  /// (D1) of one side of a contact; impulses and torque in world axes.
  SCREE_INLINE void add_work(std::int32_t body, Vector4 arm, Vector4 normal_impulse, Vector4 impulse,
                             Vector4 torque, ContactSums& sums) const {
    const DoubledMotion& motion = motion_[static_cast<std::size_t>(body)];
    const Vector4 doubled = motion.linear + cross(motion.angular, arm);
    const double normal = dot(normal_impulse, doubled);
    sums.normal_work += 0.5 * normal;
    sums.friction_work += 0.5 * (dot(impulse, doubled) - normal);
    if (!p_.torques.empty()) sums.friction_work += 0.5 * dot(torque, motion.angular);
  }

  /// Several threads may mark one body.
  SCREE_INLINE void mark(std::int32_t body) const {
    std::atomic_ref<std::uint8_t>(in_collision_[static_cast<std::size_t>(body)])
        .store(1, std::memory_order_relaxed);
  }

  const ContactProblem& p_;
  const ContactSolution& s_;
  const Bodies& bodies_;
  const std::vector<DoubledMotion>& motion_;
  std::vector<std::uint8_t>& in_collision_;
};

struct MomentumGain {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  MomentumGain& operator+=(const MomentumGain& o) {
    linear += o.linear;
    angular += o.angular;
    return *this;
  }
};

/// What a body got from contacts.
SCREE_INLINE void add_gain(const ContactProblem& p, const ContactSolution& s, const Bodies& bodies,
                           std::size_t i, MomentumGain& sums) {
  const Vector4 spin = to_vector4(s.velocity[i].angular) - to_vector4(p.free_velocity[i].angular);
  const Vector4 linear =
      bodies.mass[i] * (to_vector4(s.velocity[i].linear) - to_vector4(p.free_velocity[i].linear));
  const Quat& q = bodies.orientation[i];
  const Vector4 turning = turned_by(q, to_vector4(bodies.inertia[i]) * turned_back_by(q, spin));
  sums.linear += to_vec3(linear);
  sums.angular += to_vec3(cross(to_vector4(bodies.position[i]), linear) + turning);
}

SCREE_FOR_EACH_TARGET
ContactSums sum_contacts(const ContactBalance& balance, const Block& block) {
  ContactSums sums;
  std::size_t next_torque = balance.first_torque(block.begin);
  for (std::size_t c = block.begin; c < block.end; ++c) balance.add(c, next_torque, sums);
  return sums;
}

SCREE_FOR_EACH_TARGET
MomentumGain sum_gains(const ContactProblem& p, const ContactSolution& s, const Bodies& bodies,
                       const Block& block, std::vector<DoubledMotion>& motion) {
  MomentumGain sums;
  for (std::size_t i = block.begin; i < block.end; ++i) {
    motion[i] = {to_vector4(bodies.linear_velocity[i]) + to_vector4(s.velocity[i].linear),
                 to_vector4(bodies.angular_velocity[i]) + to_vector4(s.velocity[i].angular)};
    add_gain(p, s, bodies, i, sums);
  }
  return sums;
}

}  // namespace

void balance_contacts(const ContactProblem& p, const ContactSolution& s, const Bodies& bodies,
                      const RestingSums& resting, std::vector<DoubledMotion>& motion,
                      std::vector<std::uint8_t>& in_collision, StepReport& report) {
  motion.resize(bodies.size());
  in_collision.assign(bodies.size(), 0);
  if (!bodies.asleep.empty()) in_collision = bodies.asleep;  // nobody falls asleep without a contact
  const auto add = [](auto a, const auto& b) { return a += b; };
  const MomentumGain gained = reduce_blocks(
      bodies.size(), grain_medium, MomentumGain{},
      [&](const Block& block) { return sum_gains(p, s, bodies, block, motion); }, add);
  const ContactBalance balance(p, s, bodies, motion, in_collision);
  const ContactSums given = reduce_blocks(
      p.contacts(), grain_medium, ContactSums{},
      [&](const Block& block) { return sum_contacts(balance, block); }, add);
  report.energy.dissipated_by_impact -= given.normal_work;
  report.energy.dissipated_by_friction -= given.friction_work;

  report.boundary_impulse += given.linear + resting.boundary_impulse;
  report.boundary_angular_impulse += given.angular + resting.boundary_angular_impulse;
  const auto relative = [](double error, double size) { return size > 0.0 ? error / size : 0.0; };
  const Vec3 linear = given.linear + given.linear_of_sleepers,
             angular = given.angular + given.angular_of_sleepers;
  report.momentum_error_relative =
      std::max(report.momentum_error_relative, relative((gained.linear - linear).norm(), given.linear_size));
  report.angular_momentum_error_relative =
      std::max(report.angular_momentum_error_relative,
               relative((gained.angular - angular).norm(), given.angular_size));

  report.contacts = static_cast<std::int64_t>(p.contacts()) + resting.contacts;
  report.active_contacts = given.active + resting.active;
  report.bodies_in_collision = std::count(in_collision.begin(), in_collision.end(), 1);
  report.touching = given.touching + resting.touching;
  report.penetration_max = std::max(given.overlap_max, resting.overlap_max);
  report.penetration_mean =
      report.touching > 0 ? (given.overlap_sum + resting.overlap_sum) / static_cast<double>(report.touching)
                          : 0.0;
}

}  // namespace scree
