#include "engine/simulation/subsystems/bonds.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/ordering.h"
#include "engine/core/parallel.h"
#include "engine/simulation/ranks/decomposition.h"
#include "engine/simulation/subsystems/population.h"
#include "engine/simulation/subsystems/spring_terms.h"
#include "engine/solver/problem/contact_response.h"

namespace scree {

namespace {

bool is_due(const Model& model, const State& state, std::size_t law, double begin_s) {
  const std::vector<BondStage>& stages = state.overrides.bonds;
  const BondStage stage = stages.empty() ? BondStage::waiting : stages[law];
  if (stage != BondStage::waiting) return stage == BondStage::due;
  const double rounding = 1e-9 * model.settings.time_step_s;
  return model.bonds[law].time_s <= begin_s + rounding;
}

bool glues(const BondLaw& law, MaterialIndex material) {
  return law.glues.empty() || law.glues[material.value] != 0;
}

/// A frame whose first axis is n.
Quat frame_along(const Vec3& n) {
  const auto [t1, t2] = tangents(n);
  Mat3 axes;
  axes << n, t1, t2;
  return Quat(axes);
}

/// Slots of bodies from the numbers in bonds, which are global in runs by ranks, and back.
class BondedSlots {
 public:
  explicit BondedSlots(const Workspace& w) : ranks_(w.decomposition.get()) {}
  std::int32_t slot(std::int32_t number) const {
    return ranks_ == nullptr ? number : ranks_->slot_in_halo(number);
  }
  std::int32_t number(std::int32_t slot) const {
    return ranks_ == nullptr ? slot : ranks_->number_in_halo(slot);
  }

 private:
  const Decomposition* ranks_;
};

Bond glue(const Model& model, const Bodies& bodies, const PlacedCell& cell, std::int32_t law,
          const Contact& c) {
  const std::size_t a = c.key.a, b = c.key.b;
  const Quat back_a = bodies.orientation[a].conjugate(), back_b = bodies.orientation[b].conjugate(),
             frame = frame_along(c.normal);
  const Vec3 apart = bodies.position[b] - bodies.position[a];
  Bond bond;
  bond.law = law;
  bond.a = c.key.a;
  bond.b = c.key.b;
  bond.point_a = back_a * c.arm_a;
  bond.point_b = back_b * c.arm_b;
  bond.frame_a = (back_a * frame).normalized();
  bond.frame_b = (back_b * frame).normalized();
  bond.radius = model.bonds[law].radius_ratio * double{c.length};
  bond.length = (cell.is_periodic() ? Vec3(apart + cell.nearest_image(apart)) : apart).norm();
  return bond;
}

/// Acceleration of a body's point at an arm, for constant velocities, m/s^2.
Vec3 bends(const Twist& v, const Vec3& arm) { return v.angular.cross(v.angular.cross(arm)); }

/// Acceleration of the centre of a body that a prescribed motion carries, m/s^2. Velocities after a step are
/// those to the middle of the next one; that of such a body is the mean over the step, half a step before.
Vec3 carried_acceleration(const Model& model, const State& state, const Workspace& w, std::int32_t body,
                          double h) {
  const auto i = static_cast<std::size_t>(body);
  const Bodies& bodies = state.bodies;
  if (bodies.part.empty() || !bodies.is_carried(i)) return Vec3::Zero();
  const auto part = static_cast<std::size_t>(bodies.part[i]);
  if (model.parts[part].freedom != Freedom::none || model.parts[part].motion.is_none()) return Vec3::Zero();
  const auto at = [&](const Pose& pose) { return (pose * bodies.rest[i]).position; };
  const PartPlace& place = w.part_places[part];
  return 4.0 / (h * h) * (at(place.begin) - 2.0 * at(place.now) + at(place.end));
}

/// Spring of one row of a bond: N/m or N m/rad, infinity if rigid; a share of critical damping; and the
/// length for residuals of a rigid one.
struct Spring {
  double stiffness, damping, length;
};

/// Deformation along a row: x, x'' and the velocity of the image.
struct Deformation {
  double x, bending, image;
};

/// Factors on the parts of W of both bodies, at which many bonds may pull.
struct Crowd {
  double a, b;
};

/// W of a row with these factors.
double crowded_coupling(const ContactProblem& p, const Row& row, double w, const Crowd& crowd) {
  if (crowd.a == 1.0 && crowd.b == 1.0) return w;
  const auto of_body = [&](std::int32_t body, const Vec3& angular) {
    const Twist v = answer(p.response[static_cast<std::size_t>(body)], row.linear, angular);
    return row.linear.dot(v.linear) + angular.dot(v.angular);
  };
  return crowd.a * of_body(row.edge.a, row.angular_a) + crowd.b * of_body(row.edge.b, row.angular_b);
}

/// Bias, compliance and the length for residuals of a row: (A11). Returns theta.
double set_spring(const Spring& spring, const Deformation& at, const Crowd& crowd, double h,
                  const ContactProblem& p, Row& row) {
  const double k = spring.stiffness;
  if (k == infinity) {
    row.bias = at.x / h + 0.5 * h * at.bending - at.image;
    row.length = spring.length;
    return 1.0;
  }
  const double w = row_coupling(p, row, row);
  const SpringTerms terms = spring_terms(k, 2.0 * spring.damping * std::sqrt(k / w), at.x, at.bending,
                                         crowded_coupling(p, row, w, crowd), h);
  row.compliance = terms.compliance;
  row.bias = terms.bias - at.image;
  row.length = spring.length * w / (w + terms.compliance);
  return terms.theta;
}

/// The six rows of a bond. `by_motion`: m/s^2, world, acceleration of a relative to b by prescribed motion.
void set_rows(const BondLaw& law, const Bond& bond, const Crowd& crowd, const Vec3& by_motion, double h,
              const Workspace& w, BondPlace& at, Row* rows) {
  const ContactProblem& p = w.problem;
  const Twist &a = w.before[bond.a], &b = w.before[bond.b];
  const BondStiffness k = stiffness(law, bond);
  at.bending = at.frame * (bends(a, at.arm_a) - bends(b, at.arm_b) + by_motion);
  const Vec3 image = at.frame * at.image_velocity;
  // (K1): turn' = T (w_a - w_b), and the frame turns with the mean spin and, for large turns, a little more.
  const double angle = law.is_rigid() ? 0.0 : at.turn.norm(), half = 0.5 * angle;
  const Vec3 axis = angle > 0.0 ? Vec3(at.turn / angle) : Vec3(Vec3::Zero());
  const double across = angle > 0.0 ? half / std::sin(half) : 1.0, more = 0.5 * std::tan(0.5 * half);
  const Vec3 axis_in_world = at.frame.transpose() * axis, apart = at.frame.transpose() * at.stretch;
  for (int i = 0; i < 3; ++i) {
    const Vec3 d = at.frame.row(i);
    const Vec3 further = more * apart.cross(d).cross(axis_in_world);
    Row& push = rows[i];
    push = {.edge = {bond.a, bond.b},
            .linear = d,
            .angular_a = at.arm_a.cross(d) + further,
            .angular_b = at.arm_b.cross(d) + further,
            .start_impulse = bond.impulse[i]};
    at.stretch_theta[i] = set_spring({law.is_rigid() ? infinity : k.linear[i], law.damping, 1.0},
                                     {at.stretch[i], at.bending[i], image[i]}, crowd, h, p, push);
    const Vec3 turning = across * d + (1.0 - across) * axis[i] * axis_in_world;
    Row& turn = rows[3 + i];
    turn = {.edge = {bond.a, bond.b},
            .linear = Vec3::Zero(),
            .angular_a = turning,
            .angular_b = turning,
            .start_impulse = bond.moment_impulse[i]};
    at.turn_theta[i] = set_spring({law.is_rigid() ? infinity : k.angular[i], law.damping, 0.5 * bond.length},
                                  {at.turn[i], 0.0, 0.0}, crowd, h, p, turn);
  }
}

/// Velocity change that a row requires, m/s: all of it for a rigid bond; for a spring the share that its
/// stiffness causes.
double to_change(const Row& row, const std::vector<Twist>& before) {
  const double u = row_velocity(row, before[row.edge.a], before[row.edge.b]) + row.bias;
  return u * row.length;
}

/// J, of springs between x and their deformation at the next step, y = x + h u + h^2/2 x'':
/// k/2 (x y + theta/2 (y - x)^2). Together with the kinetic energy at the end of the step, (A11) conserves it
/// for theta = 0. Otherwise it changes by -k/4 theta (y' - x)^2 in the next step, with y' after that.
double spring_energy(const BondLaw& law, const Bond& bond, const BondPlace& at, double h,
                     const Workspace& w) {
  const Twist a = twist(w.solution.velocity[bond.a]), b = twist(w.solution.velocity[bond.b]);
  const auto rate = [&](std::int32_t row) { return row_velocity(w.problem.rows[row], a, b); };
  const Vec3 image = at.frame * at.image_velocity;
  const BondStiffness k = stiffness(law, bond);
  double sum = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double stretch = h * (rate(at.row + i) - image[i]) + 0.5 * h * h * at.bending[i];
    sum += scree::spring_energy(k.linear[i], at.stretch[i], stretch, at.stretch_theta[i]) +
           scree::spring_energy(k.angular[i], at.turn[i], h * rate(at.row + 3 + i), at.turn_theta[i]);
  }
  return sum;
}

/// Bonds that hold, the largest use of a limit, and J of springs.
struct BondSums {
  std::int64_t bonds = 0;
  double use = 0.0, elastic = 0.0;
};

Vec3 three(const std::vector<double>& values, std::int32_t first) {
  return {values[first], values[first + 1], values[first + 2]};
}

}  // namespace

bool bonds_are_due(const Model& model, const State& state, double begin_s) {
  for (std::size_t law = 0; law < model.bonds.size(); ++law)
    if (is_due(model, state, law, begin_s)) return true;
  return false;
}

double reach_of_bonds(const Model& model, const State& state, double begin_s) {
  double longest = 0.0, reach = 0.0;
  for (const ShapeIndex shape : state.bodies.shape)
    longest = std::max(longest, model.shapes.smallest_length(shape));
  for (std::size_t law = 0; law < model.bonds.size(); ++law)
    if (is_due(model, state, law, begin_s)) reach = std::max(reach, model.bonds[law].reach * longest);
  return most(state.bodies.ranks, reach);
}

void form_bonds(const Model& model, double begin_s, Workspace& w, State& state, StepResult& result) {
  const Bodies& bodies = state.bodies;
  const BondedSlots bonded(w);
  const std::vector<Contact>& contacts = state.contacts.list;
  std::vector<std::pair<std::int32_t, std::int32_t>> glued;
  const auto note = [&](std::int32_t a, std::int32_t b) { glued.emplace_back(std::minmax(a, b)); };
  for (const Bond& bond : state.bonds) note(bond.a, bond.b);
  std::ranges::sort(glued);
  w.formed = {state.bonds.size(), result.bonds.size(), state.overrides.bonds};
  state.overrides.bonds.resize(model.bonds.size(), BondStage::waiting);
  for (std::size_t law = 0; law < model.bonds.size(); ++law) {
    if (!is_due(model, state, law, begin_s)) continue;
    const BondLaw& of = model.bonds[law];
    std::vector<Bond> formed;
    std::vector<BondEvent> events;
    for (std::size_t c = 0; c < contacts.size();) {
      std::size_t nearest = c, end = c;
      for (; end < contacts.size() && contacts[end].key.a == contacts[c].key.a &&
             contacts[end].key.b == contacts[c].key.b;
           ++end)
        if (contacts[end].gap < contacts[nearest].gap) nearest = end;
      c = end;
      const Contact& contact = contacts[nearest];
      const ContactKey& key = contact.key;
      if (is_boundary(key.b) || contact.gap > of.reach * double{contact.length}) continue;
      if (!glues(of, bodies.material[key.a]) || !glues(of, bodies.material[key.b])) continue;
      const std::int32_t a = bonded.number(key.a), b = bonded.number(key.b);
      if (std::ranges::binary_search(glued, std::pair(a, b))) continue;
      Bond& bond = formed.emplace_back(glue(model, bodies, w.cell, static_cast<std::int32_t>(law), contact));
      bond.a = a;
      bond.b = b;
      events.push_back({bond.law,
                        bodies.id[key.a],
                        bodies.id[key.b],
                        true,
                        bodies.position[key.a] + contact.arm_a,
                        {},
                        {}});
    }
    formed = of_all(bodies.ranks, formed);
    events = of_all(bodies.ranks, events);
    for (const Bond& bond : formed) note(bond.a, bond.b);
    std::ranges::sort(glued);
    state.bonds.insert(state.bonds.end(), formed.begin(), formed.end());
    result.bonds.insert(result.bonds.end(), events.begin(), events.end());
    result.report.bonds_formed += std::ssize(formed);
    state.overrides.bonds[law] = BondStage::formed;
  }
}

namespace {

/// Does a joint hold its bodies so that they cannot but touch?
bool keeps_together(const MachineJoint& joint) {
  switch (joint.kind) {
    case JointKind::fixed:
    case JointKind::revolute:
    case JointKind::prismatic:
    case JointKind::cylindrical:
    case JointKind::spherical:
    case JointKind::universal:
      return joint.a.kind == JointPartner::Kind::body && joint.b.kind == JointPartner::Kind::body;
    case JointKind::planar:
    case JointKind::distance:
    case JointKind::point_on_plane:
    case JointKind::point_on_line:
    case JointKind::point_on_curve:
    case JointKind::cylinder:
      break;
  }
  return false;
}

}  // namespace

void list_bonded(const Model& model, const State& state, const Workspace& w, CollisionFilter& pairs) {
  pairs.clear();
  const BondedSlots bonded(w);
  std::vector<std::pair<std::int32_t, std::int32_t>> held;
  for (const Bond& bond : state.bonds) {
    const std::int32_t a = bonded.slot(bond.a), b = bonded.slot(bond.b);
    if (bond.broken == 0 && a >= 0 && b >= 0) held.emplace_back(std::minmax(a, b));
  }
  if (std::ranges::any_of(model.joints, keeps_together)) {
    const SlotsById slots(state.bodies);
    for (const MachineJoint& joint : model.joints) {
      if (!keeps_together(joint)) continue;
      const std::int32_t a = slots.find(joint.a.index), b = slots.find(joint.b.index);
      if (a >= 0 && b >= 0) held.emplace_back(std::minmax(a, b));
    }
  }
  if (held.empty()) return;
  pairs.row.assign(state.bodies.size() + 1, 0);
  for (const auto& [a, b] : held) ++pairs.row[a];
  pairs.partner.resize(exclusive_scan(pairs.row));
  std::vector<std::int32_t> next(pairs.row);
  for (const auto& [a, b] : held) pairs.partner[next[a]++] = b;
  for (std::size_t i = 0; i < state.bodies.size(); ++i)
    std::sort(pairs.partner.begin() + pairs.row[i], pairs.partner.begin() + pairs.row[i + 1]);
}

BondPlace place_bond(const Bodies& bodies, const PlacedCell& cell, const Bond& bond) {
  const std::size_t a = bond.a, b = bond.b;
  BondPlace at;
  at.shift = at.image_velocity = Vec3::Zero();
  if (cell.is_periodic()) {
    at.shift = cell.nearest_image(bodies.position[b] - bodies.position[a]);
    at.image_velocity = cell.image_velocity(at.shift);
  }
  const Vec3 centre_b = bodies.position[b] + at.shift,
             end_a = bodies.position[a] + bodies.orientation[a] * bond.point_a,
             end_b = centre_b + bodies.orientation[b] * bond.point_b, middle = 0.5 * (end_a + end_b);
  at.arm_a = middle - bodies.position[a];
  at.arm_b = middle - centre_b;
  const Quat frame_b = bodies.orientation[b] * bond.frame_b,
             turn = frame_b.conjugate() * (bodies.orientation[a] * bond.frame_a);
  const Eigen::AngleAxisd turned(turn);
  double angle = turned.angle();
  // Beyond half a turn the shortest rotation is the other way round. The quaternions tell: they change
  // steadily, so the real part of their product has become negative.
  constexpr double large = 2.0;
  if (turn.w() < 0.0 && angle > large) angle -= 2.0 * std::numbers::pi;
  at.turn = angle * turned.axis();
  const Quat middle_frame = frame_b * Quat(Eigen::AngleAxisd(0.5 * angle, turned.axis()));
  at.frame = middle_frame.toRotationMatrix().transpose();
  // The rates of these are the rows' velocities: with both at the middle, to first order in the rotation.
  at.stretch = at.frame * (end_a - end_b);
  return at;
}

double add_bonds(const Model& model, const State& state, double h, Workspace& w) {
  ContactProblem& p = w.problem;
  w.bonds.resize(state.bonds.size());
  if (w.bonds.empty()) return 0.0;
  const std::size_t first = p.rows.size();
  auto next = static_cast<std::int32_t>(first);
  for (std::size_t k = 0; k < w.bonds.size(); ++k) {
    const Bond& bond = state.bonds[k];
    const bool acts = bond.broken == 0 && (p.is_moved(bond.a) || p.is_moved(bond.b));
    w.bonds[k].row = acts ? next : -1;
    if (acts) next += rows_of_bond;
  }
  p.rows.resize(next);
  std::vector<std::int32_t>& bonds_of = w.bonds_of_body;
  bonds_of.assign(p.bodies(), 0);
  for (std::size_t k = 0; k < w.bonds.size(); ++k) {
    if (w.bonds[k].row < 0) continue;
    ++bonds_of[state.bonds[k].a];
    ++bonds_of[state.bonds[k].b];
  }
  for_each_index(w.bonds.size(), grain_medium, [&](std::size_t k) {
    const std::int32_t row = w.bonds[k].row;
    if (row < 0) return;
    const Bond& bond = state.bonds[k];
    w.bonds[k] = place_bond(state.bodies, w.cell, bond);
    w.bonds[k].row = row;
    constexpr double few = 10.0;
    const auto factor = [&](std::int32_t body) { return std::max(1.0, bonds_of[body] / few); };
    const Crowd crowd{factor(bond.a), factor(bond.b)};
    const Vec3 by_motion =
        carried_acceleration(model, state, w, bond.a, h) - carried_acceleration(model, state, w, bond.b, h);
    set_rows(model.bonds[bond.law], bond, crowd, by_motion, h, w, w.bonds[k], &p.rows[row]);
  });
  const std::size_t rows = p.rows.size() - first;
  const auto squares_of = [&](const Block& block) {
    double squares = 0.0;
    for (std::size_t r = block.begin; r < block.end; ++r) {
      const double change = to_change(p.rows[first + r], w.before);
      squares += change * change;
    }
    return squares;
  };
  return std::sqrt(reduce_blocks(rows, grain_light, 0.0, squares_of, std::plus{}) /
                   static_cast<double>(std::max<std::size_t>(1, rows)));
}

bool break_bonds(const Model& model, double h, State& state, Workspace& w) {
  using List = std::vector<BrokenBond>;
  const auto list = [&](const Block& block) {
    List broken;
    for (std::size_t k = block.begin; k < block.end; ++k) {
      Bond& bond = state.bonds[k];
      const BondPlace& at = w.bonds[k];
      const BondLaw& law = model.bonds[bond.law];
      if (at.row < 0 || law.is_unbreakable()) continue;
      const std::vector<double>& impulse = w.solution.row_impulse;
      const BondLoad load = load_of(law, bond, three(impulse, at.row), three(impulse, at.row + 3), h);
      const BondUse use = use_of(law, load);
      if (!(use.share >= 1.0)) continue;
      bond.broken = 1;
      broken.push_back(
          {static_cast<std::int32_t>(k), use, load, elastic_energy(law, bond, at.stretch, at.turn)});
    }
    return broken;
  };
  const List broken =
      reduce_blocks(state.bonds.size(), grain_medium, List{}, list, [](List all, const List& some) {
        all.insert(all.end(), some.begin(), some.end());
        return all;
      });
  w.broken.insert(w.broken.end(), broken.begin(), broken.end());
  return !broken.empty();
}

void undo_bonds(Workspace& w, State& state, StepResult& result) {
  for (const BrokenBond& broken : w.broken) state.bonds[broken.bond].broken = 0;
  w.broken.clear();
  if (!w.formed) return;
  result.report.bonds_formed -= std::ssize(state.bonds) - static_cast<std::ptrdiff_t>(w.formed->bonds);
  state.bonds.resize(w.formed->bonds);
  result.bonds.resize(w.formed->events);
  state.overrides.bonds = std::move(w.formed->stages);
  w.formed.reset();
}

void take_bonds(const Model& model, double h, State& state, Workspace& w, StepResult& result) {
  StepReport& report = result.report;
  const Bodies& bodies = state.bodies;
  report.bonds_broken += static_cast<std::int64_t>(w.broken.size());
  for (const BrokenBond& broken : w.broken) {
    const Bond& bond = state.bonds[broken.bond];
    const std::size_t a = bond.a;
    result.bonds.push_back({bond.law, bodies.id[a], bodies.id[bond.b], false,
                            bodies.position[a] + bodies.orientation[a] * bond.point_a, broken.use,
                            broken.load, broken.energy});
  }
  w.broken.clear();
  const auto take = [&](const Block& block) {
    BondSums sums;
    for (std::size_t k = block.begin; k < block.end; ++k) {
      Bond& bond = state.bonds[k];
      const BondPlace& at = w.bonds[k];
      if (bond.broken != 0) continue;
      ++sums.bonds;
      bond.impulse.setZero();
      bond.moment_impulse.setZero();
      if (at.row < 0) continue;
      bond.impulse = three(w.solution.row_impulse, at.row);
      bond.moment_impulse = three(w.solution.row_impulse, at.row + 3);
      const BondLaw& law = model.bonds[bond.law];
      const BondLoad load = load_of(law, bond, bond.impulse, bond.moment_impulse, h);
      sums.use = std::max(sums.use, use_of(law, load).share);
      if (!law.is_rigid()) sums.elastic += spring_energy(law, bond, at, h, w);
    }
    return sums;
  };
  const BondSums sums = reduce_blocks(
      state.bonds.size(), grain_medium, BondSums{}, take, [](const BondSums& a, const BondSums& b) {
        return BondSums{a.bonds + b.bonds, std::max(a.use, b.use), a.elastic + b.elastic};
      });
  report.bonds = sums.bonds;
  report.bond_use = std::max(report.bond_use, sums.use);
  report.energy.elastic += sums.elastic;
}

void clear_broken(State& state) {
  std::erase_if(state.bonds, [](const Bond& bond) { return bond.broken != 0; });
}

}  // namespace scree
