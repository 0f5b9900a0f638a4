#include "engine/simulation/diagnostics.h"

#include <algorithm>

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

/// Twice the mean velocity (v- + v+) of a body at an arm, contact frame.
struct MeanMotion {
  Vec3 velocity, spin;
};

MeanMotion doubled_motion(const ContactProblem& p, std::size_t c, std::int32_t body, const Vec3& arm,
                          const ContactSolution& s, const Bodies& bodies) {
  const auto i = static_cast<std::size_t>(body);
  const Vec3 linear = bodies.linear_velocity[i] + s.velocity[i].linear;
  const Vec3 angular = bodies.angular_velocity[i] + s.velocity[i].angular;
  return {p.frame[c] * (linear + angular.cross(arm)), p.frame[c] * angular};
}

struct Work {
  double normal = 0.0, friction = 0.0;
  Work& operator+=(const Work& o) {
    normal += o.normal;
    friction += o.friction;
    return *this;
  }
};

/// (D1) of one side of a contact.
Work work_on(const MeanMotion& doubled, const Vec3& impulse, const Vec3& torque) {
  return {0.5 * impulse[0] * doubled.velocity[0],
          0.5 * (impulse.tail<2>().dot(doubled.velocity.tail<2>()) + torque.dot(doubled.spin))};
}

struct Momentum {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  double linear_size = 0.0, angular_size = 0.0;
  Momentum& operator+=(const Momentum& o) {
    linear += o.linear;
    angular += o.angular;
    linear_size += o.linear_size;
    angular_size += o.angular_size;
    return *this;
  }
};

template <class T, class F>
T sum(std::size_t n, F&& term) {
  return reduce_blocks(
      n, grain_medium, T{},
      [&](const Block& block) {
        T total{};
        for (std::size_t i = block.begin; i < block.end; ++i) total += term(i);
        return total;
      },
      [](T a, const T& b) {
        a += b;
        return a;
      });
}

}  // namespace

void add_contact_work(const ContactProblem& p, const ContactSolution& s, const Bodies& bodies,
                      EnergyLedger& ledger) {
  const Work work = sum<Work>(p.contacts(), [&](std::size_t c) {
    if (s.impulse[c].isZero(0.0) && (s.impulse_on_b.empty() || s.impulse_on_b[c].isZero(0.0))) return Work{};
    Work w =
        work_on(doubled_motion(p, c, p.body_a[c], p.arm_a[c], s, bodies), s.impulse[c], s.torque_impulse[c]);
    if (p.body_b[c] != fixed_partner) {
      const Vec3 impulse = s.impulse_on_b.empty() ? Vec3(-s.impulse[c]) : s.impulse_on_b[c];
      const Vec3 torque = s.impulse_on_b.empty() ? Vec3(-s.torque_impulse[c]) : s.torque_impulse_on_b[c];
      w += work_on(doubled_motion(p, c, p.body_b[c], p.arm_b[c], s, bodies), impulse, torque);
    }
    return w;
  });
  ledger.dissipated_by_impact -= work.normal;
  ledger.dissipated_by_friction -= work.friction;
}

void check_momentum(const ContactProblem& p, const ContactSolution& s, const Bodies& bodies,
                    StepReport& report) {
  const Momentum gained = sum<Momentum>(p.bodies(), [&](std::size_t i) {
    Momentum m;
    if (p.body_row[i] == p.body_row[i + 1]) return m;
    m.linear = bodies.mass[i] * (s.velocity[i].linear - p.free_velocity[i].linear);
    const Quat& q = bodies.orientation[i];
    const Vec3 spin = s.velocity[i].angular - p.free_velocity[i].angular;
    m.angular = bodies.position[i].cross(m.linear) + q * bodies.inertia[i].cwiseProduct(q.conjugate() * spin);
    return m;
  });
  const Momentum given = sum<Momentum>(p.contacts(), [&](std::size_t c) {
    Momentum m;
    const Vec3 impulse = p.frame[c].transpose() * s.impulse[c];
    const Vec3 torque = p.frame[c].transpose() * s.torque_impulse[c];
    const Vec3 point = bodies.position[static_cast<std::size_t>(p.body_a[c])] + p.arm_a[c];
    m.linear_size = impulse.norm();
    m.angular_size = point.norm() * m.linear_size + torque.norm();
    if (p.body_b[c] != fixed_partner) return m;
    m.linear = impulse;
    m.angular = point.cross(impulse) + torque;
    return m;
  });
  report.boundary_impulse += given.linear;
  report.boundary_angular_impulse += given.angular;
  const auto relative = [](double error, double size) { return size > 0.0 ? error / size : 0.0; };
  report.momentum_error_relative = std::max(
      report.momentum_error_relative, relative((gained.linear - given.linear).norm(), given.linear_size));
  report.angular_momentum_error_relative =
      std::max(report.angular_momentum_error_relative,
               relative((gained.angular - given.angular).norm(), given.angular_size));
}

void count_contacts(const Contacts& contacts, const ContactProblem& p, const ContactSolution& s,
                    StepReport& report) {
  report.contacts = static_cast<std::int64_t>(contacts.size());
  const auto is_active = [&](std::size_t c) {
    return s.impulse[c][0] > 0.0 || (!s.impulse_on_b.empty() && s.impulse_on_b[c][0] < 0.0);
  };
  struct Tally {
    std::int64_t active = 0, touching = 0;
    double sum = 0.0, largest = 0.0;
    Tally& operator+=(const Tally& o) {
      active += o.active;
      touching += o.touching;
      sum += o.sum;
      largest = std::max(largest, o.largest);
      return *this;
    }
  };
  const Tally tally = sum<Tally>(contacts.size(), [&](std::size_t c) {
    Tally t;
    if (is_active(c)) t.active = 1;
    if (p.gap[c] < 0.0) {
      t.touching = 1;
      t.sum = t.largest = -p.gap[c] / p.length[c];
    }
    return t;
  });
  report.active_contacts = tally.active;
  report.touching = tally.touching;
  report.penetration_max = tally.largest;
  report.penetration_mean = tally.touching > 0 ? tally.sum / static_cast<double>(tally.touching) : 0.0;
  report.bodies_in_collision = sum<std::int64_t>(p.bodies(), [&](std::size_t i) -> std::int64_t {
    for (auto k = static_cast<std::size_t>(p.body_row[i]); k < static_cast<std::size_t>(p.body_row[i + 1]);
         ++k) {
      if (is_active(static_cast<std::size_t>(p.body_contact[k]))) return 1;
    }
    return 0;
  });
}

}  // namespace scree
