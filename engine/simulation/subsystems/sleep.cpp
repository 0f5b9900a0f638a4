#include "engine/simulation/subsystems/sleep.h"

#include <algorithm>
#include <cmath>

#include "engine/core/ordering.h"
#include "engine/core/parallel.h"
#include "engine/simulation/motion.h"
#include "engine/simulation/ranks/decomposition.h"

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

/// Do both sides sleep? Boundaries always do, unless they move. `asleep`: [body, then ghost].
bool rests(const Model& model, const std::vector<std::uint8_t>& asleep, const ContactKey& key) {
  if (asleep[key.a] == 0) return false;
  return is_boundary(key.b) ? model.is_still(boundary_of(key.b)) : asleep[key.b] != 0;
}

/// The bodies of the rank, also while ghosts are in the state.
std::size_t own_bodies(const Bodies& bodies) {
  return bodies.ranks == nullptr ? bodies.size() : static_cast<std::size_t>(bodies.subdomains.own_bodies());
}

/// The sum of a contact's impulses on body a, and on body b: the same with the opposite sign.
struct OfContact {
  Vec3 impulse, torque;
  OfContact(const Workspace& w, std::size_t c) {
    Vec3 components = w.solution.impulse[c];
    if (!w.impact.empty()) components += w.impact[c];
    if (!w.attraction.empty()) components[0] -= w.attraction[c];
    impulse = w.problem.in_world(c, components);
    torque = torque_impulse(w.problem, c, w.solution.row_impulse);
  }
  Twist on_a(const ContactProblem& p, std::size_t c) const {
    return load_at(p.arm_a(c), 1.0, impulse, torque);
  }
  Twist on_b(const ContactProblem& p, std::size_t c) const {
    return load_at(p.arm_b(c), -1.0, impulse, torque);
  }
};

/// Adds what contacts of lower ranks give sleeping bodies of this one; these come first in the order of
/// contacts.
void feel_lower_ranks(const State& state, Workspace& w) {
  const ContactProblem& p = w.problem;
  const std::size_t own = own_bodies(state.bodies);
  std::vector<SentLoad> loads;
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    const std::size_t a = p.a(c), b = p.b(c);
    if (a >= own || b < own || b >= state.bodies.size() || p.is_moved(b)) continue;
    const std::int32_t slot = w.decomposition->outer_key(state.contacts, c).b;
    loads.push_back({slot - static_cast<std::int32_t>(own), OfContact(w, c).on_b(p, c)});
  }
  for (const SentLoad& l : to_owners(*state.bodies.ranks, *state.sleepers.ghosts, loads))
    add(l.load, w.felt[l.body]);
}

/// Sums of (Z1) over sleeping bodies; angular about the origin.
struct FeltSums {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();

  static constexpr std::size_t sums = 6;  // see ExactSums
  template <class F>
  void each_sum(F&& f) {
    f(linear), f(angular);
  }
  void join(const FeltSums&) {}
  void over_ranks(Ranks&) {}
};

/// (Z1) for all sleeping bodies.
void feel(const Model& model, double h, const State& state, Workspace& w) {
  const Bodies& bodies = state.bodies;
  const ContactProblem& p = w.problem;
  const std::size_t own = own_bodies(bodies);
  w.felt.resize(own);
  for_each_index(own, grain_light, [&](std::size_t i) {
    if (!bodies.is_asleep(i)) return;
    w.felt[i] = state.sleepers.held[i];
    const double share = share_beside_drag(model, bodies, i, h, state.time_s + 0.5 * h);
    w.felt[i].linear += bodies.mass[i] / share * h * acceleration(w, i);  // what would hold it, see (A7)
    if (!w.own.empty()) w.felt[i].angular += h * w.own[i].torque;
  });
  if (w.decomposition) feel_lower_ranks(state, w);
  for (std::size_t c = 0; c < p.contacts(); ++c) {  // serial: contacts share sleeping bodies
    const std::size_t a = p.a(c), b = p.b(c);
    const bool of_b = b < own && !p.is_moved(b);
    if (a >= own || (p.is_moved(a) && !of_b)) continue;  // those of other ranks are felt already
    const OfContact given(w, c);
    if (!p.is_moved(a)) add(given.on_a(p, c), w.felt[a]);
    if (of_b) add(given.on_b(p, c), w.felt[b]);
  }
}

/// (Z2), m/s.
double disturbance(const Model& model, const Bodies& bodies, std::size_t i, const Twist& felt) {
  return surface_speed(model.shapes, bodies, i,
                       {felt.linear / bodies.mass[i], world_inverse_inertia(bodies, i) * felt.angular});
}

/// Marks all bodies that share a resting contact with a marked one; true if that marked any new one. Marks
/// are [body, then ghost].
bool spread(const State& state, std::vector<std::uint8_t>& marked, std::vector<std::uint8_t>& next) {
  next = marked;
  bool grew = false;
  for (const Contact& c : state.sleepers.contacts) {
    if (is_boundary(c.key.b)) continue;
    const auto a = static_cast<std::size_t>(c.key.a), b = static_cast<std::size_t>(c.key.b);
    if (marked[a] == marked[b]) continue;
    next[a] = next[b] = 1;
    grew = true;
  }
  marked.swap(next);
  join_marks(state.bodies.ranks, state.sleepers.ghosts, state.bodies.size(), marked);
  return any(state.bodies.ranks, grew);
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

/// Which bodies sleep: [body, then ghost].
std::vector<std::uint8_t> asleep_with_ghosts(const State& state) {
  std::vector<std::uint8_t> asleep = state.bodies.asleep;
  asleep.resize(state.bodies.size(), 0);
  append_of_ghosts(state.bodies.ranks, state.sleepers.ghosts, asleep);
  return asleep;
}

/// Wakes the marked sleeping bodies; contacts that no longer rest go back to the others. Returns the number
/// of woken bodies, of all ranks.
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
  woken = total(bodies.ranks, woken);
  if (woken == 0) return 0;
  const std::vector<std::uint8_t> asleep = asleep_with_ghosts(state);
  move_contacts(sleepers.contacts, state.contacts.list, [&](const Contact& c) {
    return asleep[c.key.a] == 0 || (!is_boundary(c.key.b) && asleep[c.key.b] == 0);
  });
  state.contacts.index(bodies.size());
  hold_sleepers(bodies, sleepers);
  return woken;
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
  std::vector<std::uint8_t> restless(bodies.size(), 0);  // [body, then ghost]
  marked.assign(bodies.size(), 0);
  for_each_index(bodies.size(), grain_medium, [&](std::size_t i) {
    if (bodies.is_asleep(i)) return;
    if (state.sleepers.still[i] < units) {
      restless[i] = 1;
      return;
    }
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
  append_of_ghosts(bodies.ranks, state.sleepers.ghosts, restless);
  std::vector<std::uint8_t> disturbed(restless.size(), 0);
  for (const Contact& c : state.contacts.list) {
    if (is_boundary(c.key.b)) {
      if (!model.is_still(boundary_of(c.key.b))) disturbed[c.key.a] = 1;
      continue;
    }
    if (!c.is_active()) continue;
    if (restless[c.key.b] != 0) disturbed[c.key.a] = 1;
    if (restless[c.key.a] != 0) disturbed[c.key.b] = 1;
  }
  join_marks(bodies.ranks, state.sleepers.ghosts, bodies.size(), disturbed);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (disturbed[i] != 0) marked[i] = 0;
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
  std::vector<Vec3> moved(bodies.size());  // [body, then ghost]
  for_each_index(bodies.size(), grain_light, [&](std::size_t i) {
    moved[i] = h * (0.5 * to_vec3(w.solution.velocity[i].linear) + w.solution.correction_of(i).linear);
  });
  append_of_ghosts(bodies.ranks, sleepers.ghosts, moved);
  const std::vector<std::uint8_t> asleep = asleep_with_ghosts(state);
  for (Contact& c : state.contacts.list) {
    if (!rests(model, asleep, c.key)) continue;
    c.arm_a -= moved[c.key.a];
    if (!is_boundary(c.key.b)) c.arm_b -= moved[c.key.b];
  }
  // Contacts without an impulse stay with this step's contacts, and are not found again.
  move_contacts(state.contacts.list, sleepers.contacts, [&](const Contact& c) {
    return rests(model, asleep, c.key) && (c.gap < 0.0 || c.is_active());
  });
  state.contacts.index(bodies.size());
  hold_sleepers(bodies, sleepers);
}

}  // namespace

void wake_neighbours(const std::vector<std::uint8_t>& marked, State& state) {
  if (state.sleepers.sums.bodies == 0) return;
  std::vector<std::uint8_t> waking = marked, next;
  append_of_ghosts(state.bodies.ranks, state.sleepers.ghosts, waking);
  spread(state, waking, next);
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
  const std::size_t n = own_bodies(bodies);
  if (state.sleepers.sums.bodies == 0) return false;
  feel(model, h, state, w);
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
  if (!any(bodies.ranks, !(largest <= strike_part * fall))) return false;
  if (w.decomposition) w.decomposition->leave_problem(state);
  append_of_ghosts(bodies.ranks, state.sleepers.ghosts, w.waking);
  std::vector<std::uint8_t> next;
  for (int layer = 0; layer < 1 << std::min(attempt, most_doublings); ++layer) {
    if (!spread(state, w.waking, next)) break;
  }
  report.woken += wake(w.waking, state);
  w.waking.assign(n, 0);
  return true;
}

void book_sleepers(const State& state, const Workspace& w, StepReport& report) {
  if (state.sleepers.sums.bodies == 0) return;
  const Bodies& bodies = state.bodies;
  const FeltSums felt = sum_ranges<FeltSums>(bodies.blocks(), bodies.ranks, [&](const Block& block) {
    FeltSums of_block;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      if (!bodies.is_asleep(i)) continue;
      of_block.linear += w.felt[i].linear;
      of_block.angular += bodies.position[i].cross(w.felt[i].linear) + w.felt[i].angular;
    }
    return of_block;
  });
  report.sleep_impulse -= felt.linear;
  report.sleep_angular_impulse -= felt.angular;
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
    if (any(bodies.ranks, std::ranges::count(w.tired, 1) > 0)) put_to_sleep(model, h, w, state, report);
  }
  w.waking.assign(n, 0);
}

}  // namespace scree
