#include "engine/simulation/subsystems/contact_springs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/core/exact_sum.h"
#include "engine/core/parallel.h"
#include "engine/core/ranks.h"
#include "engine/simulation/gap_curvature.h"
#include "engine/simulation/ranks/decomposition.h"
#include "engine/solver/problem/contact_response.h"

namespace scree {

namespace {

// q of an impact that takes ten steps: (4/10)^2 for Hertz's, (pi/10)^2 for a linear one.
constexpr double q_of_ten_steps = 0.16, q_of_ten_linear_steps = 0.0987;

// q of a step in which the normal force is half that of the implicit Euler step: three impacts long.
constexpr double q_of_half_implicit = 100.0;

// Overlap that counts as touching, over the expected overlap, and the least over the contact's length.
constexpr double barely = 1e-3, least_barely = 1e-9;

// Upper limit of compliance over W: beyond it, a spring has no effect in a step.
constexpr double softest = 1e7;

// Overlaps whose relative difference is below this are treated as equal.
constexpr double alike = 1e-4;

constexpr int newton_steps = 12;

// Relative accuracy of the point of linearisation: the error of the law is its square.
constexpr double expected_to = 1e-4;

// The share of its impulse in the velocity change that a contact requires.
constexpr double part_of_impulse = 2e-3;

/// (V(b) - V(a))/(b - a) and its derivative by b.
struct Gradient {
  double value, slope;
};
Gradient discrete_gradient(const SpringLaw& law, double a, double b) {
  const double apart = b - a, middle = 0.5 * (a + b);
  if (middle > 0.0 && std::abs(apart) < alike * middle)
    return {law.force(middle), 0.5 * law.stiffness(middle)};  // error: apart^2/24 of the third derivative
  if (!(a > 0.0) && !(b > 0.0)) return {0.0, 0.0};
  if (apart == 0.0) return {0.0, 0.0};
  const double value = (law.energy(b) - law.energy(a)) / apart;
  return {value, (law.force(b) - value) / apart};
}

/// theta, a half at this q.
double implicitness(double q, double half) { return q * q / (half * half + q * q); }

double end_of(const ContactSpring& s, double u) {
  return s.overlap - 0.5 * s.h * u - 0.125 * s.h * s.h * s.bend;
}
double next_of(const ContactSpring& s, double u) {
  return s.overlap - s.to_next * u - 0.5 * s.to_next * s.to_next * s.bend;
}

/// (A14), N s, also if it is negative, and its derivative by u+.
struct Impulse {
  double value, slope;
};
Impulse normal_impulse(const ContactSpring& s, double u) {
  const double end = end_of(s, u), next = next_of(s, u), explicit_part = 1.0 - s.theta;
  const Gradient mean = discrete_gradient(s.law, s.begin, end);
  Impulse p{s.h * (explicit_part * mean.value + s.theta * s.law.force(next)),
            -s.h * (0.5 * s.h * explicit_part * mean.slope + s.to_next * s.theta * s.law.stiffness(next))};
  if (s.damping_ratio > 0.0) {
    const auto given = [&](double overlap) {
      return s.law.damping_impulse(s.damping_ratio, overlap, s.response);
    };
    const auto damping = [&](double overlap) { return s.law.damping(s.damping_ratio, overlap, s.response); };
    p.value += explicit_part * (given(end) - given(s.begin)) + s.theta * (given(next) - given(s.overlap));
    p.slope -= explicit_part * 0.5 * s.h * damping(end) + s.theta * s.to_next * damping(next);
  }
  return p;
}

/// The velocity above which there is no contact; infinite if there is one at any velocity.
double touching_velocity(const ContactSpring& s) {
  if (s.begin > 0.0) return infinity;
  const double at_end = 2.0 / s.h * end_of(s, 0.0), next = 1.0 / s.to_next * next_of(s, 0.0);
  return s.theta > 0.0 ? std::max(at_end, next) : at_end;
}

/// The velocity without this contact, if its last impulse has kept it constant against other forces.
double expected_velocity(const ContactSpring& s, double last_impulse) {
  double u = s.approach;
  for (int step = 0; step < newton_steps; ++step) {
    const Impulse p = normal_impulse(s, u);
    const double value = std::max(0.0, p.value), slope = p.value > 0.0 ? p.slope : 0.0;
    const double off = u - s.approach - s.response * (value - last_impulse),
                 change = off / (1.0 - s.response * slope);
    u -= change;
    if (std::abs(change) <= expected_to * (std::abs(s.approach) + s.response * value)) break;
  }
  return u;
}

/// The overlap for tangential stiffness and damping: in the middle of the step, or at the end of the
/// contact's motion in a step that is too long for the spring.
double acting_overlap(const ContactSpring& s, double u) {
  const double now = std::max(0.0, s.overlap), next = std::max(0.0, next_of(s, u));
  return now + s.tangential_theta * std::max(0.0, next - now);
}

/// (A14), linear about this velocity, and (A15).
void linearise(const ContactSpring& s, double u, ContactCompliance& out) {
  const double most = softest * s.response;
  const Impulse p = normal_impulse(s, u);
  double give = p.slope < 0.0 ? -1.0 / p.slope : most;
  give = std::min(give, most);
  out.compliance[0] = give;
  out.rest[0] = p.value + u / give;
  const double k = s.tangential_stiffness,
               damping = 2.0 * s.damping_ratio * std::sqrt(k / s.tangential_response),
               explicit_part = 1.0 - s.tangential_theta;
  const double by_after = s.h * (s.h * k * (0.25 * explicit_part + s.tangential_theta) +
                                 damping * (0.5 * explicit_part + s.tangential_theta)),
               by_before = s.h * (s.h * k * (0.25 * explicit_part + 0.5 * s.tangential_theta) +
                                  damping * 0.5 * explicit_part);
  const double part = s.held_stiffness > k ? k / s.held_stiffness : 1.0;
  const double squared[] = {1.0, s.tangent_ratio * s.tangent_ratio};  // of t2, which may be shorter than one
  for (int i = 0; i < 2; ++i) {
    const double c = squared[i] * std::min(1.0 / by_after, softest * s.tangential_response);
    out.compliance[1 + i] = c;
    out.rest[1 + i] = s.h * part * s.held[i] - by_before / squared[i] * s.slip[i];
  }
}

/// Linear about a velocity at which it touches, even if barely.
void linearise_where_it_touches(ContactSpring& s, double u, double least_overlap, ContactCompliance& out) {
  const double touches = touching_velocity(s);
  const double at = touches < infinity ? std::min(u, touches - least_overlap / s.to_next) : u;
  s.tangential_stiffness = std::max(s.tangential_ratio * s.law.stiffness(acting_overlap(s, at)),
                                    1.0 / (softest * s.tangential_response * s.h * s.h));
  linearise(s, at, out);
}

/// The deepest overlap that the contact reaches by itself.
double deepest_overlap(const ContactSpring& s) {
  const double speed = std::max(0.0, -s.approach);
  return std::max({0.0, s.overlap, s.begin, speed > 0.0 ? s.law.deepest(speed, s.response) : 0.0});
}

double least_overlap(const ContactSpring& s, double length) {
  return std::max(barely * s.deepest, least_barely * length);
}

SpringLaw law_at(const Model& model, const Bodies& bodies, const Elasticity& elasticity, const Contact& c) {
  if (elasticity.modulus > 0.0) {
    const auto [larger, smaller] = gap_curvature(model, bodies, c).principal();
    return hertz_law(elasticity.modulus, larger, smaller);
  }
  return {elasticity.stiffness, false};
}

/// J, stored before a step, if so much of the whole overlaps is free.
double energy_with(double free, const SpringMemory& memory, const ContactSpring& s) {
  return (1.0 - memory.theta) * s.law.energy(s.begin - free) + memory.theta * s.law.energy(s.overlap - free);
}

/// (A17): the free overlap with which the energy does not change where only the curvature does, and does not
/// grow where another surface continues this one. `s`: with its law and whole overlaps.
double free_overlap(const SpringMemory& memory, const ContactSpring& s) {
  const double energy = memory.normal_energy;
  double free = memory.free_overlap;
  if (!memory.is_passed_on) {
    if (memory.coefficient == s.law.coefficient) return free;
    const SpringLaw before{memory.coefficient, s.law.is_hertz};
    return free + before.overlap(energy) - s.law.overlap(energy);
  }
  if (!(energy > 0.0)) return std::max(free, std::max(s.begin, s.overlap));
  for (int step = 0; step < newton_steps; ++step) {  // from below: the energy is convex
    const double excess = energy_with(free, memory, s) - energy;
    if (!(excess > alike * alike * energy)) break;
    free += excess / ((1.0 - memory.theta) * s.law.force(s.begin - free) +
                      memory.theta * s.law.force(s.overlap - free));
  }
  return free;
}

double energy_along(const ContactSpring& s, const Vec2& force) {
  const double across = s.tangent_ratio * force[1];
  return (force[0] * force[0] + across * across) / (2.0 * s.tangential_stiffness);
}

}  // namespace

SpringMemories::SpringMemories(const std::vector<SpringMemory>& list, const ContactKey& first)
    : list_(list),
      next_(static_cast<std::size_t>(std::ranges::lower_bound(list, first, {}, &SpringMemory::key) -
                                     list.begin())) {}

const SpringMemory* SpringMemories::find(const ContactKey& key) {
  while (next_ < list_.size() && list_[next_].key < key) ++next_;
  return next_ < list_.size() && list_[next_].key == key ? &list_[next_] : nullptr;
}

namespace {

bool is_in(const ContactKey& key, const auto& list) {
  return std::ranges::any_of(list, [&](const auto& of) { return of.key == key; });
}

// Normals of two contacts of which one continues the other differ by less than 45 degrees; their points, by
// less than a ball of four times this length needs for that, or half of it.
constexpr float most_apart = 0.765f, most_radius = 4.0f, most_shift = 0.5f;

/// Distance of a contact from an ended one, m; infinite if it cannot continue it, because it has other bodies
/// or is elsewhere. (A body may pass from one wall to another.)
float apart(const SpringMemory& ended, const Contact& c) {
  constexpr float never = std::numeric_limits<float>::infinity();
  if (c.key.b != ended.key.b && !(is_boundary(c.key.b) && is_boundary(ended.key.b))) return never;
  const float turn = (c.normal.cast<float>() - ended.normal).norm(),
              shift = (c.arm_a.cast<float>() - ended.point).norm();
  return turn < most_apart && shift < c.length * (most_radius * turn + most_shift) ? shift : never;
}

/// Gives the memory of the ended contact that is nearest to a new one without memory to this one. False:
/// there is none.
bool pass_on(std::span<const Contact> contacts, std::span<SpringMemory> memories) {
  SpringMemory* from = nullptr;
  const Contact* to = nullptr;
  float least = std::numeric_limits<float>::infinity();
  for (SpringMemory& m : memories) {
    if (is_in(m.key, contacts)) continue;
    for (const Contact& c : contacts) {
      const float distance = apart(m, c);
      if (distance < least && !is_in(c.key, memories)) {
        least = distance;
        from = &m;
        to = &c;
      }
    }
  }
  if (from == nullptr) return false;
  from->key = to->key;
  from->is_passed_on = true;
  return true;
}

/// Adds an ended contact to one which it met where two surfaces form a shallow angle, and which has an
/// overlap without force: it began beside this one. The memory that remains has no energy.
void join_to_neighbour(SpringMemory& ended, std::span<const Contact> contacts,
                       std::span<SpringMemory> memories) {
  SpringMemory* into = nullptr;
  float least = std::numeric_limits<float>::infinity();
  for (const Contact& c : contacts) {
    const float distance = apart(ended, c);
    const auto memory = std::ranges::find(memories, c.key, &SpringMemory::key);
    if (distance < least && memory != memories.end() && memory->free_overlap > ended.free_overlap) {
      least = distance;
      into = &*memory;
    }
  }
  if (into == nullptr) return;
  into->is_passed_on = true;
  into->free_overlap = ended.free_overlap;
  into->normal_energy += std::exchange(ended.normal_energy, 0.0);
  into->tangential_energy += std::exchange(ended.tangential_energy, 0.0);
  into->force += ended.force;
  into->tangential_stiffness = std::max(into->tangential_stiffness, ended.tangential_stiffness);
  const double stored = into->force.cast<double>().squaredNorm() / (2.0 * double{into->tangential_stiffness});
  if (stored > into->tangential_energy)
    into->force *= static_cast<float>(std::sqrt(into->tangential_energy / stored));
}

}  // namespace

void pass_springs_on(State& state) {
  std::vector<SpringMemory>& springs = state.springs;
  const Contacts& contacts = state.contacts;
  for_each_index(springs.size(), grain_medium, [&](std::size_t k) {
    const std::int32_t body = springs[k].key.a;
    if (k > 0 && springs[k - 1].key.a == body) return;  // once for each body
    std::size_t end = k + 1;
    while (end < springs.size() && springs[end].key.a == body) ++end;
    const std::span of_body = std::span(springs).subspan(k, end - k);
    const auto row = static_cast<std::size_t>(contacts.row[body]);
    const std::span present =
        std::span(contacts.list).subspan(row, static_cast<std::size_t>(contacts.row[body + 1]) - row);
    if (std::ranges::all_of(of_body, [&](const SpringMemory& m) { return is_in(m.key, present); })) return;
    bool are_ordered = true;
    while (pass_on(present, of_body)) are_ordered = false;
    for (SpringMemory& memory : of_body)
      if (!is_in(memory.key, present)) join_to_neighbour(memory, present, of_body);
    if (!are_ordered) std::ranges::sort(of_body, {}, &SpringMemory::key);
  });
}

bool springs_begin(const State& state) {
  return state.step == 0 && !any(state.bodies.ranks, !state.springs.empty());
}

bool begin_spring(const Model& model, const Bodies& bodies, const Contact& contact, const Interval& interval,
                  std::size_t c, const SpringPast& past, Workspace& w) {
  ContactProblem& p = w.problem;
  ContactSpring& s = w.springs[c];
  s = {};
  const SpringMemory* const memory = past.memory;
  const PairLaw& pair = law_of(model, bodies, contact.key);
  if (memory != nullptr) {
    s.normal_before = memory->normal_energy;
    s.tangential_before = memory->tangential_energy;
  }
  if (!pair.elasticity.is_elastic()) return false;
  ContactTerms& terms = p.contact[c];
  terms.gap = std::max(terms.gap, 0.0);  // overlaps of elastic contacts are not corrected
  if (!p.is_moved(p.a(c)) && !p.is_moved(p.b(c))) return false;
  const LocalContact response = respond(terms, p.edge[c], p.response.data());
  s.response = 1.0 / response.inverse_w_nn;
  s.tangential_response = 0.5 * (3.0 / response.rho - s.response);
  s.law = law_at(model, bodies, pair.elasticity, contact);
  s.h = interval.h;
  s.to_next = interval.to_next;
  s.overlap = -contact.gap;
  s.bend = double{contact.gap_acceleration};
  s.approach = double{p.approach[c]};
  s.begin = s.overlap + 0.5 * s.h * s.approach - 0.125 * s.h * s.h * s.bend;
  if (memory != nullptr) {
    s.free_overlap = free_overlap(*memory, s);
    if (memory->is_passed_on)
      s.normal_before = std::min(s.normal_before, energy_with(s.free_overlap, *memory, s));
  } else if (past.run_begins) {
    s.normal_before = s.law.energy(s.begin);
  } else {
    s.free_overlap = std::max(0.0, s.begin);
  }
  s.overlap -= s.free_overlap;
  s.begin -= s.free_overlap;
  s.deepest = deepest_overlap(s);
  const double speed = std::max(0.0, -s.approach), q = s.h * s.h * s.response * s.law.stiffness(s.deepest);
  const bool presses = s.begin > 0.0 && s.normal_before > 0.0,
             is_short = q > (s.law.is_hertz ? q_of_ten_steps : q_of_ten_linear_steps);
  if (is_short && !presses && speed > model.settings.restitution_threshold_m_s) return false;
  s.acts = true;
  s.theta = implicitness(q, q_of_half_implicit);
  s.tangential_theta = implicitness(q, 1.0);
  s.damping_ratio = pair.damping_ratio;
  s.tangential_ratio = pair.elasticity.tangential_ratio;
  s.tangent_ratio = double{terms.tangent_ratio};
  const Mat3 frame = p.frame(c);
  const Vec3 u = frame * relative_velocity(p, c, w.before[p.a(c)], w.before[p.b(c)]);
  s.slip = u.tail<2>();
  if (memory != nullptr) {
    const Vec3 force = memory->force.cast<double>(),
               along = force - frame.row(0).transpose() * frame.row(0).dot(force);
    const double size = along.norm();
    if (size > 0.0) {
      const Vec3 turned = force.norm() / size * along;
      s.held = {frame.row(1).dot(turned), frame.row(2).dot(turned) / (s.tangent_ratio * s.tangent_ratio)};
    }
    s.held_stiffness = double{memory->tangential_stiffness};
    if (memory->is_passed_on)
      s.tangential_before = std::min(s.tangential_before, force.squaredNorm() / (2.0 * s.held_stiffness));
  }
  terms.offset = 0.0;
  linearise_where_it_touches(s, expected_velocity(s, double{p.start_impulse[c][0]}),
                             least_overlap(s, double{contact.length}), p.compliance[c]);
  return true;
}

double speed_to_change(const ContactSpring& s, double last_impulse) {
  const bool touches = s.approach < 0.0 || s.begin > 0.0;
  const double q = s.h * s.h * s.response * s.law.stiffness(s.deepest);
  return (touches ? q / (1.0 + q) * std::abs(s.approach) : 0.0) + part_of_impulse * s.response * last_impulse;
}

namespace {

/// Sum of the squared errors of springs relative to their laws, and the number of those that press.
struct SpringErrors {
  double squares = 0.0;  // m^2/s^2
  std::int64_t pressing = 0;

  static constexpr std::size_t sums = 1;
  template <class F>
  void each_sum(F&& f) {
    f(squares);
  }
  void join(const SpringErrors& o) { pressing += o.pressing; }
  void over_ranks(Ranks& ranks) { pressing = total(&ranks, pressing); }
};

}  // namespace

double follow_springs(double goal, const ContactSolution& solution, Workspace& w) {
  ContactProblem& p = w.problem;
  const auto velocity = [&](std::size_t c) {
    return p.normal(c).dot(relative_velocity(p, c, solution.velocity));
  };
  const SpringErrors sum = sum_ranges<SpringErrors>(p.blocks_at_home(), p.ranks(), [&](const Block& block) {
    SpringErrors of;
    for (std::size_t c = block.begin; c < block.end; ++c) {
      const ContactSpring& s = w.springs[c];
      if (!s.acts) continue;
      const Impulse law = normal_impulse(s, velocity(c));
      const double is = solution.impulse[c][0], should = std::max(0.0, law.value);
      if (!(is > 0.0) && !(should > 0.0)) continue;
      // the velocity change of the bodies until both agree
      double give = p.compliance[c].compliance[0];
      if (law.slope * give < -1.0) give = -1.0 / law.slope;
      const double off = s.response * give / (s.response + give) * (is - should);
      of.squares += off * off;
      ++of.pressing;
    }
    return of;
  });
  const double rms = sum.pressing > 0 ? std::sqrt(sum.squares / static_cast<double>(sum.pressing)) : 0.0;
  if (!(rms > goal)) return rms;
  for_each_index(w.springs.size(), grain_medium, [&](std::size_t c) {
    ContactSpring& s = w.springs[c];
    if (!s.acts) return;
    linearise_where_it_touches(s, velocity(c), least_overlap(s, double{p.contact[c].length}),
                               p.compliance[c]);
  });
  return rms;
}

namespace {

/// Energies of springs, J: of those of the last step which are contacts of this one too, and after it.
struct SpringEnergies {
  double met = 0.0, after = 0.0;

  static constexpr std::size_t sums = 2;  // see ExactSums
  template <class F>
  void each_sum(F&& f) {
    f(met), f(after);
  }
  void join(const SpringEnergies&) {}
  void over_ranks(Ranks&) {}
};

/// J, of all memories.
double remembered_energy(const State& state, std::vector<std::int32_t>& rows) {
  rows.clear();
  for (const std::int32_t body : state.bodies.blocks()) {
    const auto from =
        std::ranges::lower_bound(state.springs, body, {}, [](const SpringMemory& m) { return m.key.a; });
    rows.push_back(static_cast<std::int32_t>(from - state.springs.begin()));
  }
  return sum_numbers(rows, state.bodies.ranks, [&](const Block& block) {
    double sum = 0.0;
    for (std::size_t k = block.begin; k < block.end; ++k)
      sum += state.springs[k].normal_energy + state.springs[k].tangential_energy;
    return sum;
  });
}

/// Fills a spring's energies after a step of h, and its memory for the next one; false: there is none.
bool end_spring(double h, std::size_t c, const Contact& contact, Workspace& w, SpringMemory& memory) {
  const ContactProblem& p = w.problem;
  ContactSpring& s = w.springs[c];
  memory.normal = contact.normal.cast<float>();
  memory.point = contact.arm_a.cast<float>();
  if (!s.acts) {  // a rigid impact: an overlap without force before has none after
    memory.tangential_stiffness = 1.0f;
    memory.coefficient = s.law.coefficient;
    memory.free_overlap = s.free_overlap;
    return s.law.coefficient > 0.0 && w.solution.impulse[c][0] > 0.0;
  }
  const Vec3 &impulse = w.solution.impulse[c], u = p.frame(c) * relative_velocity(p, c, w.solution.velocity);
  s.normal_after = (1.0 - s.theta) * s.law.energy(end_of(s, u[0])) + s.theta * s.law.energy(next_of(s, u[0]));
  const double part =
      s.held_stiffness > s.tangential_stiffness ? s.tangential_stiffness / s.held_stiffness : 1.0;
  const Vec2 stretch(0.5 * h * (s.slip[0] + u[1]),
                     0.5 * h * (s.slip[1] + u[2]) / (s.tangent_ratio * s.tangent_ratio));
  Vec2 force = part * s.held - s.tangential_stiffness * stretch;
  const double bound = p.friction(c) * std::max(0.0, impulse[0]) / h, size = force.norm();
  if (size > bound) force *= bound / size;
  s.tangential_after = energy_along(s, force);
  memory.force = p.in_world(c, {0.0, force[0], force[1]}).cast<float>();
  memory.tangential_stiffness = static_cast<float>(s.tangential_stiffness);
  memory.normal_energy = s.normal_after;
  memory.tangential_energy = s.tangential_after;
  memory.coefficient = s.law.coefficient;
  memory.theta = s.theta;
  memory.free_overlap = std::min(s.free_overlap, std::max(0.0, end_of(s, u[0]) + s.free_overlap));
  return s.normal_after > 0.0 || s.tangential_after > 0.0 || memory.free_overlap > 0.0;
}

}  // namespace

void end_springs(double h, Workspace& w, State& state, StepReport& report) {
  if (!w.has_springs) return;
  const ContactProblem& p = w.problem;
  const std::span<const std::int32_t> blocks = p.blocks_at_home();
  std::vector<SpringMemory>& memory = w.spring_memory;  // [own contact]
  constexpr std::int32_t none = -1;
  memory.assign(blocks.empty() ? 0 : static_cast<std::size_t>(blocks.back()), SpringMemory{});
  const SpringEnergies sum = sum_ranges<SpringEnergies>(blocks, p.ranks(), [&](const Block& block) {
    SpringEnergies of;
    for (std::size_t c = block.begin; c < block.end; ++c) {
      const ContactSpring& s = w.springs[c];
      of.met += s.normal_before + s.tangential_before;
      memory[c].key = w.decomposition ? w.decomposition->outer_key(state.contacts, c) : state.contacts[c].key;
      if (end_spring(h, c, state.contacts[c], w, memory[c]))
        of.after += memory[c].normal_energy + memory[c].tangential_energy;
      else
        memory[c].key.a = none;
    }
    return of;
  });
  double remembered = remembered_energy(state, w.spring_rows);
  if (springs_begin(state)) state.memory.elastic = remembered = sum.met;
  std::erase_if(memory, [](const SpringMemory& m) { return m.key.a == none; });
  state.springs.swap(memory);
  report.energy.spring_work += remembered - sum.after;
  report.energy.elastic += sum.after;
  report.energy.dissipated_by_impact += remembered - sum.met;
}

double fastest_swing(const Model& model, const Bodies& bodies, const Workspace* w) {
  const std::span<const ContactSpring> springs =
      w == nullptr ? std::span<const ContactSpring>{} : std::span(w->springs);
  const auto larger = [](double a, double b) { return std::max(a, b); };
  const auto of_contacts = reduce_blocks(
      springs.size(), grain_medium, 0.0,
      [&](const Block& block) {
        double fastest = 0.0;
        for (std::size_t c = block.begin; c < block.end; ++c) {
          const ContactSpring& s = springs[c];
          fastest = std::max(fastest, s.response * s.law.stiffness(s.deepest));
        }
        return fastest;
      },
      larger);
  const auto speed = [&](std::size_t i) {
    return bodies.linear_velocity[i].norm() +
           model.shapes.bounding_radius(bodies.shape[i]) * bodies.angular_velocity[i].norm();
  };
  double wall = 0.0;
  if (w != nullptr)
    for (const PlacedBoundary& b : w->detection.boundaries) wall = std::max(wall, b.twist.linear.norm());
  const double fastest_here = reduce_blocks(
      bodies.size(), grain_medium, wall,
      [&](const Block& block) {
        double most = 0.0;
        for (std::size_t i = block.begin; i < block.end; ++i) most = std::max(most, speed(i));
        return most;
      },
      larger);
  const double fastest = most(bodies.ranks, fastest_here);
  std::vector<Elasticity> stiffest(model.materials.size());  // of each material's pairs
  for (std::size_t a = 0; a < stiffest.size(); ++a) {
    for (std::size_t b = 0; b < stiffest.size(); ++b) {
      const Elasticity& of =
          model.materials
              .law(MaterialIndex(static_cast<std::int64_t>(a)), MaterialIndex(static_cast<std::int64_t>(b)))
              .elasticity;
      stiffest[a].modulus = std::max(stiffest[a].modulus, of.modulus);
      stiffest[a].stiffness = std::max(stiffest[a].stiffness, of.stiffness);
    }
  }
  const double of_impacts = reduce_blocks(
      bodies.size(), grain_medium, 0.0,
      [&](const Block& block) {
        double most = 0.0;
        for (std::size_t i = block.begin; i < block.end; ++i) {
          const Elasticity& of = stiffest[bodies.material[i].value];
          const double length = model.shapes.smallest_length(bodies.shape[i]),
                       bounding = model.shapes.bounding_radius(bodies.shape[i]),
                       flattest = length / (bounding * bounding), response = 2.0 / bodies.mass[i],
                       meets = speed(i) + fastest;
          if (!(meets > 0.0)) continue;
          const auto look = [&](const SpringLaw& law) {
            if (law.coefficient > 0.0)
              most = std::max(most, response * law.stiffness(law.deepest(meets, response)));
          };
          look(hertz_law(of.modulus, flattest, flattest));
          look({of.stiffness, false});
        }
        return most;
      },
      larger);
  return std::sqrt(most(bodies.ranks, std::max(of_contacts, of_impacts)));
}

}  // namespace scree
