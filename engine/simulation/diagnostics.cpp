#include "engine/simulation/diagnostics.h"

#include <algorithm>
#include <atomic>
#include <cmath>

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
  double linear_size = 0.0, angular_size = 0.0;        // N s, N m s: sum of sizes, of all contacts
  std::int64_t active = 0, touching = 0;
  double overlap_sum = 0.0, overlap_max = 0.0;

  ContactSums& operator+=(const ContactSums& o) {
    normal_work += o.normal_work;
    friction_work += o.friction_work;
    linear += o.linear;
    angular += o.angular;
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
                 std::vector<std::uint8_t>& in_collision)
      : p_(p), s_(s), bodies_(bodies), in_collision_(in_collision) {}

  void add(std::size_t c, ContactSums& sums) const {
    if (p_.gap[c] < 0.0) {
      const double overlap = -p_.gap[c] / p_.length[c];
      ++sums.touching;
      sums.overlap_sum += overlap;
      sums.overlap_max = std::max(sums.overlap_max, overlap);
    }
    const bool shared = s_.impulse_on_b.empty();
    const Vec3& p_a = s_.impulse[c];
    const Vec3 p_b = shared ? Vec3(-p_a) : s_.impulse_on_b[c];
    if (p_a.isZero(0.0) && p_b.isZero(0.0)) return;
    if (p_a[0] > 0.0 || p_b[0] < 0.0) {
      ++sums.active;
      mark(p_.body_a[c]);
      if (p_.body_b[c] != fixed_partner) mark(p_.body_b[c]);
    }

    const Mat3& frame = p_.frame[c];
    const Vec3 impulse = frame.transpose() * p_a;
    Vec3 torque = Vec3::Zero();
    if (p_.has_torques) torque = frame.transpose() * s_.torque_impulse[c];
    add_work(c, p_.body_a[c], p_.arm_a[c], p_a[0], impulse, torque, sums);
    if (p_.body_b[c] != fixed_partner) {
      add_work(c, p_.body_b[c], p_.arm_b[c], p_b[0], shared ? Vec3(-impulse) : Vec3(frame.transpose() * p_b),
               shared ? Vec3(-torque) : Vec3(frame.transpose() * s_.torque_impulse_on_b[c]), sums);
    }

    const Vec3 point = bodies_.position[static_cast<std::size_t>(p_.body_a[c])] + p_.arm_a[c];
    const double squared = impulse.squaredNorm();
    sums.linear_size += std::sqrt(squared);
    sums.angular_size += std::sqrt(point.squaredNorm() * squared) + (p_.has_torques ? torque.norm() : 0.0);
    if (p_.body_b[c] != fixed_partner) return;
    sums.linear += impulse;
    sums.angular += point.cross(impulse) + torque;
  }

 private:
  /// (D1) of one side of a contact; impulse and torque in world axes.
  void add_work(std::size_t c, std::int32_t body, const Vec3& arm, double normal_impulse, const Vec3& impulse,
                const Vec3& torque, ContactSums& sums) const {
    const auto i = static_cast<std::size_t>(body);
    const Vec3 spin = bodies_.angular_velocity[i] + s_.velocity[i].angular;
    const Vec3 doubled = bodies_.linear_velocity[i] + s_.velocity[i].linear + spin.cross(arm);
    const double normal = normal_impulse * p_.frame[c].row(0).dot(doubled);
    sums.normal_work += 0.5 * normal;
    sums.friction_work += 0.5 * (impulse.dot(doubled) - normal + torque.dot(spin));
  }

  /// Several threads may mark one body.
  void mark(std::int32_t body) const {
    std::atomic_ref<std::uint8_t>(in_collision_[static_cast<std::size_t>(body)])
        .store(1, std::memory_order_relaxed);
  }

  const ContactProblem& p_;
  const ContactSolution& s_;
  const Bodies& bodies_;
  std::vector<std::uint8_t>& in_collision_;
};

template <class T, class F>
T sum(std::size_t n, F&& add) {
  return reduce_blocks(
      n, grain_medium, T{},
      [&](const Block& block) {
        T total{};
        for (std::size_t i = block.begin; i < block.end; ++i) add(i, total);
        return total;
      },
      [](T a, const T& b) {
        a += b;
        return a;
      });
}

struct MomentumGain {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  std::int64_t in_collision = 0;
  MomentumGain& operator+=(const MomentumGain& o) {
    linear += o.linear;
    angular += o.angular;
    in_collision += o.in_collision;
    return *this;
  }
};

}  // namespace

void balance_contacts(const ContactProblem& p, const ContactSolution& s, const Bodies& bodies,
                      std::vector<std::uint8_t>& in_collision, StepReport& report) {
  in_collision.assign(bodies.size(), 0);
  const ContactBalance balance(p, s, bodies, in_collision);
  const ContactSums given =
      sum<ContactSums>(p.contacts(), [&](std::size_t c, ContactSums& total) { balance.add(c, total); });
  const MomentumGain gained = sum<MomentumGain>(bodies.size(), [&](std::size_t i, MomentumGain& total) {
    total.in_collision += in_collision[i];
    const Vec3 spin = s.velocity[i].angular - p.free_velocity[i].angular;
    const Vec3 linear = bodies.mass[i] * (s.velocity[i].linear - p.free_velocity[i].linear);
    if (spin.isZero(0.0) && linear.isZero(0.0)) return;
    const Quat& q = bodies.orientation[i];
    total.linear += linear;
    total.angular +=
        bodies.position[i].cross(linear) + q * bodies.inertia[i].cwiseProduct(q.conjugate() * spin);
  });
  report.energy.dissipated_by_impact -= given.normal_work;
  report.energy.dissipated_by_friction -= given.friction_work;

  report.boundary_impulse += given.linear;
  report.boundary_angular_impulse += given.angular;
  const auto relative = [](double error, double size) { return size > 0.0 ? error / size : 0.0; };
  report.momentum_error_relative = std::max(
      report.momentum_error_relative, relative((gained.linear - given.linear).norm(), given.linear_size));
  report.angular_momentum_error_relative =
      std::max(report.angular_momentum_error_relative,
               relative((gained.angular - given.angular).norm(), given.angular_size));

  report.contacts = static_cast<std::int64_t>(p.contacts());
  report.active_contacts = given.active;
  report.bodies_in_collision = gained.in_collision;
  report.touching = given.touching;
  report.penetration_max = given.overlap_max;
  report.penetration_mean =
      given.touching > 0 ? given.overlap_sum / static_cast<double>(given.touching) : 0.0;
}

}  // namespace scree
