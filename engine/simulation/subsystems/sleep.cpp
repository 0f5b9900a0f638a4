#include "engine/simulation/subsystems/sleep.h"

#include <algorithm>
#include <cmath>

#include "engine/core/ordering.h"
#include "engine/core/parallel.h"
#include "engine/simulation/motion.h"

namespace scree {

namespace {

// Limit of the disturbance of a body that falls asleep, over the one that wakes it: clearly below it, else
// the first change wakes it again.
constexpr double restful_part = 0.1;
// Over the speed gain by free fall in a step: above it, the step is solved again. A smaller disturbance is
// within the step's own time error, so the body wakes in the next step.
constexpr double strike_part = 1.0;
constexpr int most_doublings = 10;
constexpr std::uint32_t most_units = 1'000'000'000;

/// The reference speed of disturbances: gain by free fall in a (sub)step, m/s.
double fall_speed(const Settings& settings, double h, const Workspace& w) {
  const double fall = w.gravity.norm() * h;
  return fall > 0.0 ? fall : settings.sleep.speed_m_s;
}

/// Do both sides sleep? Boundaries always do, unless they move.
bool rests(const Model& model, const Bodies& bodies, const ContactKey& key) {
  if (!bodies.is_asleep(static_cast<std::size_t>(key.a))) return false;
  return is_boundary(key.b) ? model.is_still(boundary_of(key.b))
                            : bodies.is_asleep(static_cast<std::size_t>(key.b));
}

void add(Twist& sum, const Vec3& arm, double sign, const Vec3& impulse, const Vec3& torque) {
  sum.linear += sign * impulse;
  sum.angular += sign * (arm.cross(impulse) + torque);
}

/// (Z1) for all sleeping bodies.
void feel(double h, const Bodies& bodies, const Sleepers& sleepers, Workspace& w) {
  const ContactProblem& p = w.problem;
  w.felt.resize(bodies.size());
  for_each_index(bodies.size(), grain_light, [&](std::size_t i) {
    if (!bodies.is_asleep(i)) return;
    w.felt[i] = sleepers.held[i];
    w.felt[i].linear += bodies.mass[i] * h * acceleration(w, i);
    if (!w.own.empty()) w.felt[i].angular += h * w.own[i].torque;
  });
  for (std::size_t c = 0; c < p.contacts(); ++c) {  // serial: contacts share sleeping bodies
    const std::size_t a = p.a(c), b = p.b(c);
    if (p.is_moved(a) && (p.is_moved(b) || b >= bodies.size())) continue;
    Vec3 components = w.solution.impulse[c];
    if (!w.impact.empty()) components += w.impact[c];
    if (!w.attraction.empty()) components[0] -= w.attraction[c];
    const Vec3 impulse = p.in_world(c, components), torque = torque_impulse(p, c, w.solution.row_impulse);
    if (!p.is_moved(a)) add(w.felt[a], p.arm_a(c), 1.0, impulse, torque);
    if (!p.is_moved(b) && b < bodies.size()) add(w.felt[b], p.arm_b(c), -1.0, impulse, torque);
  }
}

/// (Z2), m/s.
double disturbance(const Model& model, const Bodies& bodies, std::size_t i, const Twist& felt) {
  return surface_speed(model.shapes, bodies, i,
                       {felt.linear / bodies.mass[i], world_inverse_inertia(bodies, i) * felt.angular});
}

/// Marks all bodies that share a resting contact with a marked one; true if that marked any new one.
bool spread(const Sleepers& sleepers, std::vector<std::uint8_t>& marked, std::vector<std::uint8_t>& next) {
  next = marked;
  bool grew = false;
  for (const Contact& c : sleepers.contacts) {
    if (is_boundary(c.key.b)) continue;
    const auto a = static_cast<std::size_t>(c.key.a), b = static_cast<std::size_t>(c.key.b);
    if (marked[a] == marked[b]) continue;
    next[a] = next[b] = 1;
    grew = true;
  }
  marked.swap(next);
  return grew;
}

/// Moves selected contacts from one list to another; both are ordered by key.
template <class Goes>
void move_contacts(std::vector<Contact>& from, std::vector<Contact>& to, Goes&& goes) {
  const auto first =
      std::stable_partition(from.begin(), from.end(), [&](const Contact& c) { return !goes(c); });
  const auto middle = static_cast<std::ptrdiff_t>(to.size());
  to.insert(to.end(), first, from.end());
  from.erase(first, from.end());
  std::inplace_merge(to.begin(), to.begin() + middle, to.end(),
                     [](const Contact& a, const Contact& b) { return a.key < b.key; });
}

/// Wakes the marked sleeping bodies; contacts that no longer rest go back to the others. Returns the number
/// of woken bodies.
std::int64_t wake(const std::vector<std::uint8_t>& waking, State& state) {
  Bodies& bodies = state.bodies;
  Sleepers& sleepers = state.sleepers;
  std::int64_t woken = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (waking[i] == 0 || !bodies.is_asleep(i)) continue;
    bodies.asleep[i] = 0;
    sleepers.still[i] = 0;
    ++woken;
  }
  if (woken == 0) return 0;
  move_contacts(sleepers.contacts, state.contacts.list, [&](const Contact& c) {
    return !bodies.is_asleep(static_cast<std::size_t>(c.key.a)) ||
           (!is_boundary(c.key.b) && !bodies.is_asleep(static_cast<std::size_t>(c.key.b)));
  });
  state.contacts.index(bodies.size());
  hold_sleepers(bodies, sleepers);
  return woken;
}

bool any(const std::vector<std::uint8_t>& marks) {
  return std::find(marks.begin(), marks.end(), 1) != marks.end();
}

/// The unit of the time that bodies have been still, s: the step, or the least adaptive step.
double stillness_unit(const Settings& settings) {
  return settings.adaptive_step ? settings.least_time_step_s : settings.time_step_s;
}

/// Counts the time for which bodies have been still; it is zero for bodies that have just woken.
void count_still(const Model& model, double time_step_s, const Workspace& w, const Bodies& bodies,
                 std::vector<std::uint32_t>& still) {
  const auto units = static_cast<std::uint32_t>(
      std::clamp(std::round(time_step_s / stillness_unit(model.settings)), 1.0, double{most_units}));
  for_each_index(bodies.size(), grain_medium, [&](std::size_t i) {
    if (bodies.is_asleep(i) || w.waking[i] != 0) return;
    const bool is_still =
        surface_speed(model.shapes, bodies, i) <= model.settings.sleep.speed_m_s && w.in_collision[i] != 0;
    still[i] = is_still ? std::min(still[i] + units, most_units) : 0u;
  });
}

/// Marks bodies that have been still for long, if all bodies on which they press have too, and if they would
/// stay so.
void mark_tired(const Model& model, double h, const Workspace& w, const State& state,
                std::vector<std::uint8_t>& marked) {
  const Bodies& bodies = state.bodies;
  const double units = std::clamp(std::ceil(model.settings.sleep.duration_s / stillness_unit(model.settings)),
                                  1.0, double{most_units});
  const double most_gain = restful_part * model.settings.sleep.tolerance * fall_speed(model.settings, h, w);
  const auto is_restless = [&](std::size_t i) {
    return !bodies.is_asleep(i) && state.sleepers.still[i] < units;
  };
  marked.assign(bodies.size(), 0);
  for_each_index(bodies.size(), grain_medium, [&](std::size_t i) {
    if (bodies.is_asleep(i) || is_restless(i)) return;
    const BodyVelocity& after = w.solution.velocity[i];
    const Twist gain{to_vec3(after.linear) - w.before[i].linear,
                     to_vec3(after.angular) - w.before[i].angular};
    marked[i] = surface_speed(model.shapes, bodies, i, gain) <= most_gain ? 1 : 0;
  });
  for (std::size_t r = w.problem.contact_rows; r < w.problem.rows.size();
       ++r) {  // bodies held by joints stay awake
    for (const std::int32_t body : {w.problem.rows[r].edge.a, w.problem.rows[r].edge.b})
      if (static_cast<std::size_t>(body) < bodies.size()) marked[body] = 0;
  }
  for (const Contact& c : state.contacts.list) {
    const auto a = static_cast<std::size_t>(c.key.a);
    if (is_boundary(c.key.b)) {
      if (!model.is_still(boundary_of(c.key.b))) marked[a] = 0;
      continue;
    }
    const auto b = static_cast<std::size_t>(c.key.b);
    if (!c.is_active()) continue;
    if (marked[a] != 0 && is_restless(b)) marked[a] = 0;
    if (marked[b] != 0 && is_restless(a)) marked[b] = 0;
  }
}

/// Stops the bodies that are marked as tired.
void put_to_sleep(const Model& model, double h, const Workspace& w, State& state, StepReport& report) {
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

  // Places of contacts stay; bodies have moved since these were found.
  const auto moved = [&](std::int32_t i) -> Vec3 {
    const auto k = static_cast<std::size_t>(i);
    return h * (0.5 * to_vec3(w.solution.velocity[k].linear) + w.solution.correction_of(k).linear);
  };
  for (Contact& c : state.contacts.list) {
    if (!rests(model, bodies, c.key)) continue;
    c.arm_a -= moved(c.key.a);
    if (!is_boundary(c.key.b)) c.arm_b -= moved(c.key.b);
  }
  // Contacts without an impulse stay with this step's contacts, and are not found again.
  move_contacts(state.contacts.list, sleepers.contacts, [&](const Contact& c) {
    return rests(model, bodies, c.key) && (c.gap < 0.0 || c.is_active());
  });
  state.contacts.index(bodies.size());
  hold_sleepers(bodies, sleepers);
}

/// The load of a resting contact on a wall's surface.
CellLoad load_of_resting(const Contact& c) {
  const Vec3 impulse = c.impulse.cast<double>();
  CellLoad load;
  load.impulse = -impulse;
  load.surface.pressing = std::max(0.0, impulse.dot(c.normal));
  load.surface.shearing = (impulse - impulse.dot(c.normal) * c.normal).norm();
  return load;
}

}  // namespace

void hold_sleepers(const Bodies& bodies, Sleepers& sleepers) {
  sleepers.held.assign(bodies.size(), {Vec3::Zero(), Vec3::Zero()});
  RestingSums& sums = sleepers.sums = {};
  sums.bodies = std::count(bodies.asleep.begin(), bodies.asleep.end(), 1);
  sums.contacts = static_cast<std::int64_t>(sleepers.contacts.size());
  for (const Contact& c : sleepers.contacts) {
    const auto a = static_cast<std::size_t>(c.key.a);
    const Vec3 impulse = c.impulse.cast<double>(), torque = c.torque_impulse.cast<double>();
    add(sleepers.held[a], c.arm_a, 1.0, impulse, torque);
    sums.active += c.is_active() ? 1 : 0;
    if (c.gap < 0.0) {
      ++sums.touching;
      const double overlap = -c.gap / double{c.length};
      sums.overlap_sum += overlap;
      if (overlap > sums.overlap_max) {
        sums.overlap_max = overlap;
        sums.deepest = static_cast<std::size_t>(&c - sleepers.contacts.data());
      }
    }
    if (!is_boundary(c.key.b)) {
      add(sleepers.held[c.key.b], c.arm_b, -1.0, impulse, torque);
      continue;
    }
    sums.boundary_impulse += impulse;
    sums.boundary_angular_impulse += (bodies.position[a] + c.arm_a).cross(impulse) + torque;
    const std::size_t boundary = boundary_of(c.key.b);
    if (sums.loads.size() <= boundary) sums.loads.resize(boundary + 1);
    const CellLoad load = load_of_resting(c);
    sums.loads[boundary] += {-impulse, -c.arm_b.cross(impulse) - torque, 0.0, load.surface};
    sums.touches.push_back({static_cast<std::int32_t>(boundary), -1, bodies.position[a] + c.arm_a, c.normal,
                            double{c.length}, load});
  }
}

void scale_held(double factor, Sleepers& sleepers) {
  for_each_index(sleepers.contacts.size(), grain_medium, [&](std::size_t c) {
    sleepers.contacts[c].impulse *= static_cast<float>(factor);
    sleepers.contacts[c].torque_impulse *= static_cast<float>(factor);
  });
  for_each_index(sleepers.held.size(), grain_light, [&](std::size_t i) {
    sleepers.held[i].linear *= factor;
    sleepers.held[i].angular *= factor;
  });
  sleepers.sums.boundary_impulse *= factor;
  sleepers.sums.boundary_angular_impulse *= factor;
  for (BoundaryLoad& load : sleepers.sums.loads) {
    load.impulse *= factor;
    load.angular_impulse *= factor;
    load.surface.pressing *= factor;
    load.surface.shearing *= factor;
  }
  // The same as in hold_sleepers(), to the last bit.
  auto touch = sleepers.sums.touches.begin();
  for (const Contact& c : sleepers.contacts)
    if (is_boundary(c.key.b)) (touch++)->load = load_of_resting(c);
}

void wake_neighbours(const std::vector<std::uint8_t>& marked, State& state) {
  if (state.sleepers.sums.bodies == 0) return;
  std::vector<std::uint8_t> waking = marked, next;
  spread(state.sleepers, waking, next);
  wake(waking, state);
}

namespace {

bool is_all_still(const Model& model) {
  for (std::size_t k = 0; k < model.boundaries.size(); ++k)
    if (!model.is_still(k)) return false;
  return true;
}

}  // namespace

bool wake_pushed(const Model& model, State& state, StepReport& report) {
  if (state.sleepers.sums.bodies == 0 || is_all_still(model)) return false;
  std::vector<std::uint8_t> waking(state.bodies.size(), 0);
  for (const Contact& c : state.contacts.list) {
    const auto a = static_cast<std::size_t>(c.key.a);
    if (is_boundary(c.key.b) && state.bodies.is_asleep(a)) waking[a] = 1;
  }
  const std::int64_t woken = wake(waking, state);
  report.woken += woken;
  return woken > 0;
}

bool wake_struck(const Model& model, double h, int attempt, Workspace& w, State& state, StepReport& report) {
  const Bodies& bodies = state.bodies;
  const std::size_t n = bodies.size();
  if (state.sleepers.sums.bodies == 0) return false;
  feel(h, bodies, state.sleepers, w);
  const double fall = fall_speed(model.settings, h, w);
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
    if (!spread(state.sleepers, w.waking, next)) break;
  }
  report.woken += wake(w.waking, state);
  w.waking.assign(n, 0);
  return true;
}

void wake_and_fall_asleep(const Model& model, double h, Workspace& w, State& state, StepReport& report) {
  Bodies& bodies = state.bodies;
  Sleepers& sleepers = state.sleepers;
  const std::size_t n = bodies.size();
  if (!model.settings.sleep.is_on() && sleepers.sums.bodies == 0) return;
  w.waking.resize(n, 0);
  report.woken += wake(w.waking, state);
  if (model.settings.sleep.is_on()) {
    bodies.asleep.resize(n, 0);
    sleepers.still.resize(n, 0);
    count_still(model, report.time_step_s, w, bodies, sleepers.still);
    mark_tired(model, h, w, state, w.tired);
    if (any(w.tired)) put_to_sleep(model, h, w, state, report);
  }
  w.waking.assign(n, 0);
}

}  // namespace scree
