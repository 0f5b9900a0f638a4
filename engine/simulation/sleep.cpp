#include "engine/simulation/sleep.h"

#include <algorithm>
#include <cmath>

#include "engine/core/ordering.h"
#include "engine/core/parallel.h"
#include "engine/simulation/assemble.h"

namespace scree {

namespace {

// Of the disturbance that wakes a sleeper, what a body may feel that falls asleep: well below, else the first
// change wakes it again.
constexpr double restful_part = 0.1;
// Of what free fall gives in a step: more, and the step is solved again. Less does not matter more than the
// step's own error in time, so who feels it wakes in the next.
constexpr double strike_part = 1.0;
constexpr int most_doublings = 10;
constexpr std::uint32_t most_steps = 1'000'000'000;

/// The speed that disturbances are compared with: what free fall gives in a (sub)step, m/s.
double fall_speed(const Settings& settings, double h) {
  const double fall = settings.gravity.norm() * h;
  return fall > 0.0 ? fall : settings.sleep.speed_m_s;
}

/// Do both sides sleep, boundaries always?
bool rests(const Bodies& bodies, const ContactKey& key) {
  const auto a = static_cast<std::size_t>(key.a), b = static_cast<std::size_t>(key.b);
  return bodies.is_asleep(a) && (b >= bodies.size() || bodies.is_asleep(b));
}

void add(Twist& sum, const Vec3& arm, double sign, const Vec3& impulse, const Vec3& torque) {
  sum.linear += sign * impulse;
  sum.angular += sign * (arm.cross(impulse) + torque);
}

/// (Z1) of all sleepers.
void feel(const Settings& settings, double h, const Bodies& bodies, const Sleepers& sleepers, Workspace& w) {
  const ContactProblem& p = w.problem;
  w.felt.resize(bodies.size());
  for_each_index(bodies.size(), grain_light, [&](std::size_t i) {
    if (!bodies.is_asleep(i)) return;
    w.felt[i] = sleepers.held[i];
    w.felt[i].linear += bodies.mass[i] * h * settings.gravity;
  });
  for (std::size_t c = 0; c < p.contacts(); ++c) {  // one after the other: contacts share sleepers
    if (p.body_b[c] == fixed_partner) continue;
    const auto a = static_cast<std::size_t>(p.body_a[c]), b = static_cast<std::size_t>(p.body_b[c]);
    if (p.inverse_mass(a) > 0.0 && p.inverse_mass(b) > 0.0) continue;
    Vec3 components = w.solution.impulse[c];
    if (!w.impact.empty()) components += w.impact[c];
    const Vec3 impulse = p.in_world(c, components),
               torque = p.in_world(c, torque_impulse_of(p, c, w.solution.torque_impulse));
    if (p.inverse_mass(a) == 0.0) add(w.felt[a], p.arm_a(c), 1.0, impulse, torque);
    if (p.inverse_mass(b) == 0.0) add(w.felt[b], p.arm_b(c), -1.0, impulse, torque);
  }
}

double surface_speed(const Model& model, const Bodies& bodies, std::size_t i, const Twist& v) {
  return v.linear.norm() + model.shapes.bounding_radius(bodies.shape[i]) * v.angular.norm();
}
/// (Z2), m/s.
double disturbance(const Model& model, const Bodies& bodies, std::size_t i, const Twist& felt) {
  return surface_speed(model, bodies, i,
                       {felt.linear / bodies.mass[i], world_inverse_inertia(bodies, i) * felt.angular});
}

/// Marks everybody who shares a resting contact with a body that is marked; did that mark anyone new?
bool spread(const Sleepers& sleepers, std::size_t bodies, std::vector<std::uint8_t>& marked,
            std::vector<std::uint8_t>& next) {
  next = marked;
  bool grew = false;
  for (const RestingContact& c : sleepers.contacts) {
    const auto a = static_cast<std::size_t>(c.key.a), b = static_cast<std::size_t>(c.key.b);
    if (b >= bodies || marked[a] == marked[b]) continue;
    next[a] = next[b] = 1;
    grew = true;
  }
  marked.swap(next);
  return grew;
}

/// The remembered contacts with those of sleepers that woke, in order.
void recall(const std::vector<RestingContact>& woken, std::size_t bodies, ContactMemory& memory) {
  ContactMemory all;
  const auto put = [&](const ContactKey& key, const Vec3& normal, const Vec3& impulse) {
    all.key.push_back(key);
    all.normal.push_back(normal);
    all.impulse.push_back(impulse);
  };
  auto next = woken.begin();
  const auto put_woken_before = [&](auto&& is_before) {
    for (; next != woken.end() && is_before(next->key); ++next) {
      put(next->key, next->normal, next->impulse);
      if (!next->torque_impulse.isZero(0.0)) memory.torques.push_back({next->key, next->torque_impulse});
    }
  };
  for (std::size_t c = 0; c < memory.key.size(); ++c) {
    put_woken_before([&](const ContactKey& key) { return key < memory.key[c]; });
    if (next != woken.end() && next->key == memory.key[c]) ++next;  // came to rest in the last step only
    put(memory.key[c], memory.normal[c], memory.impulse[c]);
  }
  put_woken_before([](const ContactKey&) { return true; });
  memory.key.swap(all.key);
  memory.normal.swap(all.normal);
  memory.impulse.swap(all.impulse);
  std::ranges::sort(memory.torques, {}, &RememberedTorque::key);
  memory.contact_row.assign(bodies + 1, 0);
  for (const ContactKey& key : memory.key) ++memory.contact_row[static_cast<std::size_t>(key.a)];
  exclusive_scan(memory.contact_row);
}

/// Wakes the sleepers that are marked as waking. Their contacts go back into the memory; returns them.
std::vector<RestingContact> wake(const std::vector<std::uint8_t>& waking, State& state, StepReport& report) {
  Bodies& bodies = state.bodies;
  Sleepers& sleepers = state.sleepers;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (waking[i] == 0) continue;
    bodies.asleep[i] = 0;
    sleepers.still[i] = 0;
    ++report.woken;
  }
  auto& resting = sleepers.contacts;
  const auto first_woken = std::stable_partition(
      resting.begin(), resting.end(), [&](const RestingContact& c) { return rests(bodies, c.key); });
  std::vector<RestingContact> released(first_woken, resting.end());
  recall(released, bodies.size(), state.memory);
  resting.erase(first_woken, resting.end());
  hold_sleepers(bodies, sleepers);
  return released;
}

bool any(const std::vector<std::uint8_t>& marks) {
  return std::find(marks.begin(), marks.end(), 1) != marks.end();
}

/// Counts the steps for which bodies have been still; who has just woken has not been.
void count_still(const Model& model, const Workspace& w, const Bodies& bodies,
                 std::vector<std::uint32_t>& still) {
  for_each_index(bodies.size(), grain_medium, [&](std::size_t i) {
    if (bodies.is_asleep(i) || w.waking[i] != 0) return;
    const Twist v{bodies.linear_velocity[i], bodies.angular_velocity[i]};
    const bool is_still =
        surface_speed(model, bodies, i, v) <= model.settings.sleep.speed_m_s && w.in_collision[i] != 0;
    still[i] = is_still ? std::min(still[i] + 1, most_steps) : 0u;
  });
}

/// Marks who has been still for long, as have all it presses on, and would stay so.
void mark_tired(const Model& model, double h, const Workspace& w, const State& state,
                std::vector<std::uint8_t>& marked) {
  const Bodies& bodies = state.bodies;
  const double steps = std::clamp(std::ceil(model.settings.sleep.duration_s / model.settings.time_step_s),
                                  1.0, double{most_steps});
  const double most_gain = restful_part * model.settings.sleep.tolerance * fall_speed(model.settings, h);
  const auto is_restless = [&](std::size_t i) {
    return !bodies.is_asleep(i) && state.sleepers.still[i] < steps;
  };
  marked.assign(bodies.size(), 0);
  for_each_index(bodies.size(), grain_medium, [&](std::size_t i) {
    if (bodies.is_asleep(i) || is_restless(i)) return;
    // The motion is the sum of the velocities before and after the (sub)step.
    const Twist gain{2.0 * bodies.linear_velocity[i] - to_vec3(w.motion[i].linear),
                     2.0 * bodies.angular_velocity[i] - to_vec3(w.motion[i].angular)};
    marked[i] = surface_speed(model, bodies, i, gain) <= most_gain ? 1 : 0;
  });
  for (std::size_t c = 0; c < w.contacts.size(); ++c) {
    const auto a = static_cast<std::size_t>(w.contacts.key[c].a),
               b = static_cast<std::size_t>(w.contacts.key[c].b);
    if (b >= bodies.size() || w.solution.impulse[c].isZero(0.0)) continue;
    if (marked[a] != 0 && is_restless(b)) marked[a] = 0;
    if (marked[b] != 0 && is_restless(a)) marked[b] = 0;
  }
}

/// The contacts of the step that rest now, ordered by key. Their points stay; bodies have moved on for half a
/// step since assembly.
std::vector<RestingContact> come_to_rest(const Bodies& bodies, const Workspace& w) {
  std::vector<RestingContact> resting;
  const Contacts& found = w.contacts;
  const ContactProblem& p = w.problem;
  for (std::size_t c = 0; c < found.size(); ++c) {
    const ContactKey& key = found.key[c];
    if (!rests(bodies, key)) continue;
    if (found.gap[c] >= 0.0 && w.solution.impulse[c].isZero(0.0)) continue;
    const auto a = static_cast<std::size_t>(key.a), b = static_cast<std::size_t>(key.b);
    const bool fixed = b >= bodies.size();
    const Vec3 arm_a = to_vec3(arm_to(found, c, bodies.position[a], fixed));
    const Vec3 arm_b = fixed ? Vec3(Vec3::Zero()) : to_vec3(arm_to(found, c, bodies.position[b], fixed));
    resting.push_back({key, found.point[c], found.normal[c], found.gap[c], p.length[c], arm_a, arm_b,
                       p.in_world(c, w.solution.impulse[c]),
                       p.in_world(c, torque_impulse_of(p, c, w.solution.torque_impulse))});
  }
  return resting;
}

/// Stops the bodies that are marked as tired.
void put_to_sleep(const Workspace& w, State& state, StepReport& report) {
  Bodies& bodies = state.bodies;
  Sleepers& sleepers = state.sleepers;
  const BodySums before = body_sums(bodies, Vec3::Zero());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (w.tired[i] == 0) continue;
    bodies.asleep[i] = 1;
    bodies.linear_velocity[i].setZero();
    bodies.angular_velocity[i].setZero();
  }
  const BodySums after = body_sums(bodies, Vec3::Zero());
  report.energy.dissipated_by_sleep += before.kinetic - after.kinetic;
  report.sleep_impulse += after.linear - before.linear;
  report.sleep_angular_impulse += after.angular - before.angular;

  const std::vector<RestingContact> added = come_to_rest(bodies, w);
  std::vector<RestingContact> all;
  all.reserve(sleepers.contacts.size() + added.size());
  std::ranges::merge(sleepers.contacts, added, std::back_inserter(all), {}, &RestingContact::key,
                     &RestingContact::key);
  sleepers.contacts.swap(all);
  hold_sleepers(bodies, sleepers);
}

}  // namespace

void hold_sleepers(const Bodies& bodies, Sleepers& sleepers) {
  sleepers.held.assign(bodies.size(), {Vec3::Zero(), Vec3::Zero()});
  RestingSums& sums = sleepers.sums = {};
  sums.bodies = std::count(bodies.asleep.begin(), bodies.asleep.end(), 1);
  sums.contacts = static_cast<std::int64_t>(sleepers.contacts.size());
  for (const RestingContact& c : sleepers.contacts) {
    const auto a = static_cast<std::size_t>(c.key.a), b = static_cast<std::size_t>(c.key.b);
    add(sleepers.held[a], c.arm_a, 1.0, c.impulse, c.torque_impulse);
    sums.active += c.is_active() ? 1 : 0;
    if (c.gap < 0.0) {
      ++sums.touching;
      sums.overlap_sum -= c.gap / c.length;
      sums.overlap_max = std::max(sums.overlap_max, -c.gap / c.length);
    }
    if (b < bodies.size()) {
      add(sleepers.held[b], c.arm_b, -1.0, c.impulse, c.torque_impulse);
    } else {
      sums.boundary_impulse += c.impulse;
      sums.boundary_angular_impulse += (bodies.position[a] + c.arm_a).cross(c.impulse) + c.torque_impulse;
    }
  }
}

bool wake_struck(const Model& model, double h, int attempt, Workspace& w, State& state, StepReport& report) {
  const Bodies& bodies = state.bodies;
  const std::size_t n = bodies.size();
  if (state.sleepers.sums.bodies == 0) return false;
  feel(model.settings, h, bodies, state.sleepers, w);
  const double fall = fall_speed(model.settings, h);
  const double tolerance = std::min(model.settings.sleep.tolerance, strike_part);
  w.waking.resize(n, 0);
  const double largest = reduce_blocks(
      n, grain_medium, 0.0,
      [&](const Block& block) {
        double most = 0.0;
        for (std::size_t i = block.begin; i < block.end; ++i) {
          if (!bodies.is_asleep(i)) continue;
          const double felt = disturbance(model, bodies, i, w.felt[i]);
          if (!(felt <= tolerance * fall)) w.waking[i] = 1;
          most = felt <= most ? most : felt;
        }
        return most;
      },
      [](double a, double b) { return b <= a ? a : b; });
  if (largest <= strike_part * fall) {
    for (std::size_t i = 0; i < n; ++i) {
      if (!bodies.is_asleep(i)) continue;
      report.sleep_impulse -= w.felt[i].linear;
      report.sleep_angular_impulse -= bodies.position[i].cross(w.felt[i].linear) + w.felt[i].angular;
    }
    return false;
  }
  std::vector<std::uint8_t> next;
  for (int layer = 0; layer < 1 << std::min(attempt, most_doublings); ++layer) {
    if (!spread(state.sleepers, n, w.waking, next)) break;
  }
  wake(w.waking, state, report);
  w.waking.assign(n, 0);
  return true;
}

void wake_and_fall_asleep(const Model& model, double h, Workspace& w, State& state, StepReport& report) {
  Bodies& bodies = state.bodies;
  Sleepers& sleepers = state.sleepers;
  const std::size_t n = bodies.size();
  w.released.clear();
  if (!model.settings.sleep.is_on() && sleepers.sums.bodies == 0) return;
  w.waking.resize(n, 0);
  if (any(w.waking)) w.released = wake(w.waking, state, report);
  if (model.settings.sleep.is_on()) {
    bodies.asleep.resize(n, 0);
    sleepers.still.resize(n, 0);
    count_still(model, w, bodies, sleepers.still);
    mark_tired(model, h, w, state, w.tired);
    if (any(w.tired)) put_to_sleep(w, state, report);
  }
  w.waking.assign(n, 0);
}

}  // namespace scree
