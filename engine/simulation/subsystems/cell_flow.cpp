#include "engine/simulation/subsystems/cell_flow.h"

#include <cmath>
#include <numeric>

#include "engine/core/exact_sum.h"

namespace scree {

namespace {

/// Effect of a change of the flow on the bodies.
struct FlowGain {
  double work = 0.0;                                    // J
  Vec3 impulse = Vec3::Zero(), angular = Vec3::Zero();  // N s, N m s

  static constexpr std::size_t sums = 7;  // see ExactSums
  template <class F>
  void each_sum(F&& f) {
    f(work), f(impulse), f(angular);
  }
  void join(const FlowGain&) {}
  void over_ranks(Ranks&) {}
};

}  // namespace

void follow_flow(const Model& model, double h, State& state, StepReport& report) {
  if (!model.cell.flows()) return;
  const Mat3 rate = model.cell.mean_rate(state.time_s, state.time_s + h),
             change = rate - state.flow + Mat3(state.cell.gain.asDiagonal());
  if (change.isZero(0.0)) return;
  const Vec3 centre = 0.5 * (model.cell.low + model.cell.high);
  Bodies& bodies = state.bodies;
  const FlowGain given = sum_ranges<FlowGain>(bodies.blocks(), bodies.ranks, [&](const Block& block) {
    FlowGain of_block;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const Vec3 gain = change * (bodies.position[i] - centre), impulse = bodies.mass[i] * gain;
      Vec3& v = bodies.linear_velocity[i];
      of_block.work += impulse.dot(v + 0.5 * gain);
      of_block.impulse += impulse;
      of_block.angular += bodies.position[i].cross(impulse);
      v += gain;
    }
    return of_block;
  });
  report.energy.boundary_work += given.work;
  report.boundary_impulse += given.impulse;
  report.boundary_angular_impulse += given.angular;
  state.flow = rate;
  state.cell.gain.setZero();
}

void set_image_velocities(const Model& model, const State& state, Workspace& w) {
  if (!w.cell.flows() && !model.cell.holds_stress()) return;
  ContactProblem& p = w.problem;
  const std::vector<Contact>& contacts = state.contacts.list;
  p.image_velocity.resize(contacts.size());
  for_each_index(contacts.size(), grain_medium, [&](std::size_t c) {
    const ContactKey& key = contacts[c].key;
    p.image_velocity[c].setZero();
    if (is_boundary(key.b)) return;
    const Vec3 shift = w.cell.nearest_image(state.bodies.position[key.b] - state.bodies.position[key.a]);
    p.image_velocity[c] = w.cell.image_velocity(shift);
  });
}

namespace {

// Ratio of the bodies' inertia to that of a cell in the correction of overlaps: as light as possible for
// sweeps that update it once each.
constexpr double readiness = 4.0;

/// Sum of f(body) over the bodies of all ranks, without ghosts.
template <class F>
double sum_over_bodies(const Bodies& bodies, F&& f) {
  return sum_numbers(bodies.blocks(), bodies.ranks, [&](const Block& block) {
    double sum = 0.0;
    for (std::size_t i = block.begin; i < block.end; ++i) sum += f(i);
    return sum;
  });
}

double mass_of(const Bodies& bodies) {
  return sum_over_bodies(bodies, [&](std::size_t i) { return bodies.mass[i]; });
}

/// Rates gained in h along axes with held stress, by these stresses alone: h V s over the inertia.
Vec3 pressed(const Model& model, double mass, double h, const PlacedCell& cell) {
  const Vec3 edges = model.cell.high - model.cell.low;
  Vec3 rate = Vec3::Zero();
  for (int k = 0; k < 3; ++k) {
    const auto& held = model.cell.held[k];
    if (!held || mass == 0.0) continue;
    rate[k] = h * cell.volume * held->stress / (held->inertia * mass * edges[k] * edges[k]);
  }
  return rate;
}

/// Sums over contacts with an impulse.
struct ContactSums {
  Mat3 moment = Mat3::Zero(), fabric = Mat3::Zero();  // N m s, and number
  double touches = 0.0;                               // sides of bodies

  static constexpr std::size_t sums = 19;
  template <class F>
  void each_sum(F&& f) {
    f(moment), f(fabric), f(touches);
  }
  void join(const ContactSums&) {}
  void over_ranks(Ranks&) {}
};

/// [body + 1] see Contacts::row.
std::vector<std::int32_t> rows_of(const std::vector<Contact>& list, std::size_t bodies) {
  std::vector<std::int32_t> row(bodies + 1, 0);
  for (const Contact& c : list) ++row[c.key.a + 1];
  std::partial_sum(row.begin(), row.end(), row.begin());
  return row;
}

/// `blocks`: see cut_rows().
ContactSums sums_of(const std::vector<Contact>& list, std::span<const std::int32_t> blocks, Ranks* ranks) {
  return sum_ranges<ContactSums>(blocks, ranks, [&](const Block& block) {
    ContactSums s;
    for (std::size_t c = block.begin; c < block.end; ++c) {
      const Contact& contact = list[c];
      if (!contact.is_active()) continue;
      const bool wall = is_boundary(contact.key.b);
      // From the wall, which is nearer to the centre than the body's own surface where they overlap.
      const Vec3 branch =
          wall ? Vec3(contact.gap * contact.normal - contact.arm_a) : Vec3(contact.arm_b - contact.arm_a);
      s.moment += contact.impulse.cast<double>() * branch.transpose();
      s.fabric += contact.normal * contact.normal.transpose();
      s.touches += wall ? 1.0 : 2.0;
    }
    return s;
  });
}

/// Sums over bodies, relative to the flow.
struct Moments {
  Mat3 kinetic = Mat3::Zero();
  Vec3 momentum = Vec3::Zero();
  double mass = 0.0, volume = 0.0;

  static constexpr std::size_t sums = 14;
  template <class F>
  void each_sum(F&& f) {
    f(kinetic), f(momentum), f(mass), f(volume);
  }
  void join(const Moments&) {}
  void over_ranks(Ranks&) {}
};

Moments moments_of(const Bodies& bodies, const Materials& materials, const PlacedCell& cell) {
  return sum_ranges<Moments>(bodies.blocks(), bodies.ranks, [&](const Block& block) {
    Moments m;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const Vec3 v = bodies.linear_velocity[i] - cell.flow(bodies.position[i]);
      m.kinetic += bodies.mass[i] * v * v.transpose();
      m.momentum += bodies.mass[i] * v;
      m.mass += bodies.mass[i];
      m.volume += bodies.mass[i] / materials.density(bodies.material[i]);
    }
    return m;
  });
}

}  // namespace

void free_cell(const Model& model, const State& state, double h, Workspace& w) {
  if (!model.cell.holds_stress()) return;
  ContactProblem& p = w.problem;
  const Bodies& bodies = state.bodies;
  const Vec3 edges = model.cell.high - model.cell.low;
  const double mass = mass_of(bodies);
  CellTerms terms;
  terms.start = state.cell.rate;
  for (int k = 0; k < 3; ++k) {
    const auto& held = model.cell.held[k];
    if (!held || mass == 0.0) continue;
    terms.give[k] = readiness / (mass * edges[k] * edges[k]);
    terms.response[k] = 1.0 / (held->inertia * mass * edges[k] * edges[k]);
    terms.largest[k] = held->largest_rate;
  }
  terms.rate =
      (terms.start - pressed(model, mass, h, w.cell)).cwiseMax(-terms.largest).cwiseMin(terms.largest);
  const std::vector<Contact>& contacts = state.contacts.list;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactKey& key = contacts[c].key;
    if (is_boundary(key.b)) continue;
    const Vec3 shift = w.cell.nearest_image(bodies.position[key.b] - bodies.position[key.a]);
    if (!shift.isZero(0.0)) terms.contacts.push_back({static_cast<std::int32_t>(c), shift});
  }
  for (const BondPlace& bond : w.bonds) {
    if (bond.row < 0 || bond.shift.isZero(0.0)) continue;
    for (int i = 0; i < 3; ++i)
      terms.rows.push_back({bond.row + i, bond.shift.cwiseProduct(bond.frame.row(i).transpose())});
  }
  terms.images = terms.rate;
  const Vec3 gained = terms.rate - terms.start;
  p.cell = std::move(terms);
  change_cell_rate(gained, p);
}

double speed_across_cell(const Model& model, const Bodies& bodies, double h, const Workspace& w) {
  if (!model.cell.holds_stress()) return 0.0;
  return pressed(model, mass_of(bodies), h, w.cell).cwiseProduct(model.cell.high - model.cell.low).norm();
}

double cell_speed(const Model& model, const Bodies& bodies, double h, const Workspace& w) {
  if (!model.cell.holds_stress()) return 0.0;
  const double mass = mass_of(bodies);
  if (mass == 0.0) return 0.0;
  // Each body takes up its share of the volume by mass, as a cube; the stress acts on a face of it.
  const double sides = sum_over_bodies(bodies, [&](std::size_t i) {  // times mass
    return bodies.mass[i] * std::cbrt(w.cell.volume * bodies.mass[i] / mass);
  });
  Vec3 stress = Vec3::Zero();
  for (int k = 0; k < 3; ++k)
    if (const auto& held = model.cell.held[k]) stress[k] = held->stress;
  return h * stress.norm() * w.cell.volume / sides;
}

void set_image_rate(const Vec3& rate, ContactProblem& p) {
  if (!p.cell) return;
  change_cell_rate(rate - p.cell->images, p);
  p.cell->images = rate;
}

void set_cell_rate(CellRate which, Workspace& w) {
  ContactProblem& p = w.problem;
  if (!p.cell) return;
  const CellTerms& terms = *p.cell;
  const Vec3 after = w.solution.cell_rate,
             wanted = which == CellRate::after ? after : Vec3(0.5 * (terms.start + after));
  set_image_rate(wanted, p);
  for (std::size_t k = 0; k < w.bonds.size(); ++k)
    w.bonds[k].image_velocity =
        w.cell.image_velocity(w.bonds[k].shift) + w.bonds[k].shift.cwiseProduct(wanted - terms.start);
}

void take_cell(const Model& model, double begin_s, double h, const Workspace& w, State& state) {
  if (!w.problem.cell) return;
  const double middle = begin_s + 0.5 * h;
  state.cell.deformation = exponential(w.solution.cell_correction.asDiagonal(), h) * w.cell.deformation;
  // Bodies move with the rate that the stress gives the cell, as far as contacts have not changed it; they
  // have already received the contacts' part.
  const CellTerms& terms = *w.problem.cell;
  for (int k = 0; k < 3; ++k) {
    const double pressed_by = terms.rate[k] - terms.start[k],
                 gained = w.solution.cell_rate[k] - terms.start[k];
    state.cell.gain[k] += std::clamp(gained, std::min(pressed_by, 0.0), std::max(pressed_by, 0.0));
  }
  state.cell.rate = w.solution.cell_rate;
  state.cell.time_s = middle;
  state.cell.deformation = cell_at(model, state, begin_s + h).deformation;
  state.cell.time_s = begin_s + h;
}

namespace {

/// Sums over the present contacts, resting ones included.
ContactSums sums_of_all(const State& state) {
  static thread_local std::vector<std::int32_t> blocks;  // kept from call to call
  Ranks* const ranks = state.bodies.ranks;
  cut_rows(state.bodies.subdomains, state.contacts.row, state.contacts.size(), blocks);
  ContactSums all = sums_of(state.contacts.list, blocks, ranks);
  if (state.sleepers.sums.contacts == 0) return all;
  const std::vector<Contact>& resting = state.sleepers.contacts;
  cut_rows(state.bodies.subdomains, rows_of(resting, state.bodies.size()), resting.size(), blocks);
  const ContactSums asleep = sums_of(resting, blocks, ranks);
  all.moment += asleep.moment;
  all.fabric += asleep.fabric;
  all.touches += asleep.touches;
  return all;
}

}  // namespace

void add_contact_moment(const Model& model, const State& state, const Workspace& w, StepResult& result) {
  if (!model.cell.is_periodic()) return;
  result.contact_moment += sums_of_all(state).moment;
  for (std::size_t k = 0; k < w.bonds.size(); ++k) {
    const BondPlace& place = w.bonds[k];
    if (place.row < 0) continue;
    result.contact_moment +=
        place.frame.transpose() * state.bonds[k].impulse * (place.arm_b - place.arm_a).transpose();
  }
}

void add_moment_of_impacts(const Model& model, StepResult& result) {
  if (!model.cell.is_periodic()) return;
  for (const Impact& impact : result.impacts) {
    const CollisionImpulse& s = impact.collision_impulse;
    const Vec3 branch = is_boundary(impact.b) ? Vec3(-s.arm_a) : Vec3(s.arm_b - s.arm_a);
    result.contact_moment += s.impulse * branch.transpose();
  }
}

void report_cell(const Model& model, const State& state, double h, StepResult& result) {
  if (!model.cell.is_periodic()) return;
  const PlacedCell cell = cell_at(model, state, state.time_s);
  CellReport& report = result.cell;
  report = {};
  report.lattice = cell.lattice;
  report.strain = cell.deformation - Mat3::Identity();
  report.volume = cell.volume;
  if (model.cell.holds_stress()) {
    double largest = 0.0;
    for (const ShapeIndex shape : state.bodies.shape)
      largest = std::max(largest, 2.0 * model.shapes.bounding_radius(shape));
    report.is_too_narrow = cell.least_width() < 2.0 * most(state.bodies.ranks, largest);
    report.held_rate = state.cell.rate;
  }
  const double over = 1.0 / cell.volume;

  report.contact_stress = over / h * result.contact_moment;
  const ContactSums contacts = sums_of_all(state);
  report.fabric = contacts.fabric;
  if (const double number = report.fabric.trace(); number > 0.0) report.fabric /= number;

  const Bodies& bodies = state.bodies;
  const Moments all = moments_of(bodies, model.materials, cell);
  report.solid_fraction = over * all.volume;
  if (all.mass == 0.0) return;
  const Mat3 of_fluctuations = all.kinetic - all.momentum * all.momentum.transpose() / all.mass;
  report.kinetic_stress = over * of_fluctuations;
  report.temperature = of_fluctuations.trace() / (3.0 * all.mass);
  report.contact_number =
      contacts.touches / static_cast<double>(total(bodies.ranks, std::ssize(bodies.position)));
}

}  // namespace scree
