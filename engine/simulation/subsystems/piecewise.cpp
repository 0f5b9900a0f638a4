#include "engine/simulation/subsystems/piecewise.h"

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/modules/flight/clusters.h"
#include "engine/simulation/halving.h"
#include "engine/simulation/motion.h"
#include "engine/simulation/placement.h"
#include "engine/simulation/subsystems/cell_flow.h"
#include "engine/simulation/subsystems/parts.h"
#include "engine/simulation/subsystems/population.h"

namespace scree {

namespace {

constexpr double shortest_part = 1.0 / 16.0;  // of a step that ends when a body comes to rest
constexpr double reach_factor = 2.0;          // of the largest travel of resting bodies in a step
constexpr int most_parts = 32;                // of a step of resting bodies
constexpr double least_push = 1e-2;           // of the gain by free fall in a step: less is no support
constexpr double rounding = 1e-9;             // limit of initial overlaps that do not count

/// The motion data that flights change.
struct Motions {
  std::vector<Vec3> position, linear_velocity, angular_velocity;
  std::vector<Quat> orientation;

  explicit Motions(const Bodies& b)
      : position(b.position),
        linear_velocity(b.linear_velocity),
        angular_velocity(b.angular_velocity),
        orientation(b.orientation) {}
  void restore(Bodies& b) const {
    b.position = position;
    b.linear_velocity = linear_velocity;
    b.angular_velocity = angular_velocity;
    b.orientation = orientation;
  }
};

bool any(const std::vector<std::uint8_t>& marks) {
  return std::ranges::any_of(marks, [](std::uint8_t m) { return m != 0; });
}

/// Upper bound of the travel of resting bodies in h, m.
double reach_of_resting(const Shapes& shapes, const Bodies& bodies, double gravity, double h) {
  double fastest = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies.is_resting(i)) fastest = std::max(fastest, surface_speed(shapes, bodies, i));
  return reach_factor * (fastest + gravity * h) * h;
}

/// Bodies that may come to a resting one within h become resting, and so do those to which they may come.
void catch_near(const Model& model, double gravity, double h, const PlacedCell& cell, Bodies& bodies,
                Workspace& w) {
  FlightWorkspace& f = *w.flight;
  const std::size_t n = bodies.size();
  std::vector<double> way;
  std::vector<PlacedEllipsoid> around;  // [body]
  for (std::size_t i = 0; i < n; ++i)
    around.push_back(place(enclosing_ellipsoid(model.shapes, bodies.shape[i]), bodies.pose(i)));
  for (bool caught = true; caught;) {
    caught = false;
    const double reach = reach_of_resting(model.shapes, bodies, gravity, h);
    f.boxes.resize(n);
    way.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      way[i] = bodies.is_resting(i) ? reach : (surface_speed(model.shapes, bodies, i) + gravity * h) * h;
      f.boxes[i] = {bodies.position[i],
                    Vec3::Constant(model.shapes.bounding_radius(bodies.shape[i]) + way[i])};
    }
    find_candidate_pairs(f.boxes, cell, f.pairs);
    for (std::size_t a = 0; a < n; ++a)
      for (std::int32_t k = f.pairs.row[a]; k < f.pairs.row[a + 1]; ++k) {
        const std::size_t b = f.pairs.b[k];
        if (bodies.is_resting(a) == bodies.is_resting(b)) continue;
        Vec3 d = bodies.position[b] - bodies.position[a];
        if (cell.is_periodic()) d += cell.nearest_image(d);
        if (d.norm() > f.boxes[a].half[0] + f.boxes[b].half[0]) continue;
        const PlacedEllipsoid image{bodies.position[a] + d, around[b].matrix};
        const Gap now = gap(around[a], image);
        if (now.distance > way[a] + way[b]) continue;
        bodies.resting[a] = bodies.resting[b] = 1;
        caught = true;
      }
  }
}

/// Separates the resting bodies from flying ones, and copies their results back.
class LyingPart {
 public:
  explicit LyingPart(const State& whole) : state(whole) {
    std::vector<BodyId> ballistic;
    for (std::size_t i = 0; i < whole.bodies.size(); ++i) {
      if (whole.bodies.is_resting(i))
        slot_.push_back(static_cast<std::int32_t>(i));
      else
        ballistic.push_back(whole.bodies.id[i]);
    }
    remove(state, ballistic);
  }
  void give_back(State& whole) {
    Bodies &to = whole.bodies, &from = state.bodies;
    for (std::size_t k = 0; k < slot_.size(); ++k) {
      const std::size_t i = slot_[k];
      to.position[i] = from.position[k];
      to.orientation[i] = from.orientation[k];
      to.linear_velocity[i] = from.linear_velocity[k];
      to.angular_velocity[i] = from.angular_velocity[k];
    }
    const auto whole_slot = [&](std::int32_t partner) {
      return is_boundary(partner) ? partner : slot_[partner];
    };
    whole.contacts.list = std::move(state.contacts.list);
    for (Contact& c : whole.contacts.list) {
      c.key.a = whole_slot(c.key.a);
      c.key.b = whole_slot(c.key.b);
    }
    whole.contacts.index(to.size());
    NormalCache cached_normals;
    cached_normals.row.assign(to.size() + 1, 0);
    cached_normals.list = std::move(state.cached_normals.list);
    for (CachedNormal& s : cached_normals.list) s.b = whole_slot(s.b);
    for (std::size_t k = 0; k + 1 < state.cached_normals.row.size(); ++k)
      cached_normals.row[slot_[k] + 1] = state.cached_normals.row[k + 1] - state.cached_normals.row[k];
    for (std::size_t i = 0; i < to.size(); ++i) cached_normals.row[i + 1] += cached_normals.row[i];
    whole.cached_normals = std::move(cached_normals);
    whole.cached = std::move(state.cached);
    for (CachedPair& p : whole.cached) {
      p.a = whole_slot(p.a);
      p.b = whole_slot(p.b);
    }
    whole.memory = state.memory;
  }
  State state;

 private:
  std::vector<std::int32_t> slot_;  // [resting body] its slot in the full state
};

/// Sums over flying bodies.
struct BallisticSums {
  double mass = 0.0, energy = 0.0;  // kg; J, kinetic and potential
  Vec3 momentum = Vec3::Zero();     // kg m/s
  double momentum_size = 0.0;       // kg m/s, sum |m v|
};
BallisticSums sums_of_ballistic(const Bodies& bodies, const Vec3& gravity) {
  BallisticSums sums;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.is_resting(i)) continue;
    sums.mass += bodies.mass[i];
    sums.energy += kinetic_energy(bodies, i) - bodies.mass[i] * gravity.dot(bodies.position[i]);
    const Vec3 momentum = bodies.mass[i] * bodies.linear_velocity[i];
    sums.momentum += momentum;
    sums.momentum_size += momentum.norm();
  }
  return sums;
}

/// Works, impulses and loads of impacts.
void book_impacts(const Model& model, const Bodies& bodies, const BallisticSums& before, const Vec3& gravity,
                  double h, StepResult& result) {
  StepReport& report = result.report;
  EnergyLedger& e = report.energy;
  double taken = 0.0, given = 0.0, size = 0.0, angular_size = 0.0;
  Vec3 from_walls = Vec3::Zero(), angular_from_walls = Vec3::Zero();
  std::vector<std::uint8_t> struck(bodies.size(), 0);
  for (const Impact& impact : result.impacts) {
    const CollisionImpulse& s = impact.collision_impulse;
    e.dissipated_by_friction += s.rubbed;
    e.dissipated_by_impact += s.bounced;
    e.boundary_work += s.wall_work;
    taken += s.rubbed + s.bounced;
    given += s.wall_work;
    size += s.impulse.norm();
    angular_size += impact.point.cross(s.impulse).norm();
    struck[impact.a] = 1;
    if (!is_boundary(impact.b)) {
      struck[impact.b] = 1;
      continue;
    }
    from_walls += s.impulse;
    angular_from_walls += impact.point.cross(s.impulse);
  }
  const BallisticSums after = sums_of_ballistic(bodies, model.settings.gravity);
  const bool steady = !model.forces.act() && gravity == model.settings.gravity;
  if (!steady) e.force_work += after.energy - before.energy + taken - given;
  report.boundary_impulse += from_walls;
  report.boundary_angular_impulse += angular_from_walls;
  report.momentum_size_kg_m_s += after.momentum_size;
  report.impulse_size_N_s += size;
  report.angular_impulse_size_N_m_s += angular_size;
  if (steady && size > 0.0) {
    const Vec3 fallen = h * after.mass * gravity;
    report.momentum_error_relative =
        std::max(report.momentum_error_relative,
                 (after.momentum - before.momentum - fallen - from_walls).norm() / (size + fallen.norm()));
  }
  report.impacts = static_cast<std::int64_t>(result.impacts.size());
  report.bodies_in_collision += std::ranges::count(struck, 1);
}

/// The deepest overlap of flying bodies, with each other or with a boundary: none, unless the engine has an
/// error.
void look_for_overlaps(const Model& model, const Bodies& bodies, double end_s, const FlightWorkspace& f,
                       StepReport& report) {
  struct Deepest {
    double overlap = 0.0;  // over the smaller smallest length
    std::int32_t a = -1, b = -1;
    void note(double other, std::size_t body, std::int32_t partner) {
      if (other > overlap) *this = {other, static_cast<std::int32_t>(body), partner};
    }
  };
  if (f.row.size() != bodies.size() + 1) return;
  const auto length = [&](std::size_t i) { return model.shapes.smallest_length(bodies.shape[i]); };
  const Deepest deepest = reduce_blocks(
      bodies.size(), grain_heavy, Deepest{},
      [&](const Block& block) {
        Deepest most;
        std::vector<Gap> scratch;
        for (std::size_t a = block.begin; a < block.end; ++a) {
          if (bodies.is_resting(a)) continue;
          for (std::int32_t k = f.row[a]; k < f.row[a + 1]; ++k) {
            const FlightWorkspace::Neighbour& other = f.neighbours[k];
            const std::size_t b = other.body;
            if (bodies.is_resting(b) || b < a) continue;
            const Pose of_b{bodies.position[b] + other.shift, bodies.orientation[b]};
            most.note(overlap(f.ballistic_bodies[a], bodies.pose(a), f.ballistic_bodies[b], of_b) /
                          std::min(length(a), length(b)),
                      a, other.body);
          }
          for (std::int32_t k = f.wall_row[a]; k < f.wall_row[a + 1]; ++k) {
            const std::size_t wall = f.walls[k];
            const FlownAt& at = f.flown_at[wall];
            most.note(
                overlap(f.ballistic_bodies[a], bodies.pose(a), at, end_s - at.epoch_s, scratch) / length(a),
                a, boundary_partner(wall));
          }
        }
        return most;
      },
      [](const Deepest& p, const Deepest& q) { return q.overlap > p.overlap ? q : p; });
  if (deepest.overlap <= report.penetration_max) return;
  report.penetration_max = deepest.overlap;
  report.deepest.a = bodies.id[deepest.a];
  report.deepest.b = is_boundary(deepest.b) ? -1 : bodies.id[deepest.b];
  report.deepest.boundary = is_boundary(deepest.b) ? static_cast<std::int32_t>(boundary_of(deepest.b)) : -1;
}

/// Loads of impacts on boundaries, and on the parts that carry them.
void load_boundaries(const Model& model, const std::vector<BoundaryPose>& boundary_pose, StepResult& result) {
  for (const Impact& impact : result.impacts) {
    if (!is_boundary(impact.b)) continue;
    const std::size_t k = boundary_of(impact.b);
    const Boundary& boundary = model.boundaries[k];
    const CollisionImpulse& s = impact.collision_impulse;
    const Pose moved = motion_of(boundary_pose_of(boundary_pose, k), impact.time_s);
    const double pressing = s.impulse.dot(s.normal);
    SurfaceLoad surface;
    surface.pressing = pressing;
    surface.shearing = (s.impulse - pressing * s.normal).norm();
    surface.friction_work = s.rubbed;
    surface.sliding = s.friction > 0.0 ? s.rubbed / s.friction : 0.0;
    if (s.approach > model.settings.restitution_threshold_m_s) {
      surface.impacts = 1.0;
      surface.impact_energy = 0.5 * pressing * s.approach * s.approach / (s.approach + s.departure);
    }
    const auto load_about = [&](const Vec3& centre) -> BoundaryLoad {
      const Vec3 arm = impact.point - (moved.position + moved.orientation * centre);
      return {-s.impulse, -arm.cross(s.impulse), s.wall_work, surface};
    };
    result.boundaries[k] += load_about(boundary.centre);
    if (!model.wall_cells.empty()) {
      const Quat back = moved.orientation.conjugate();
      result.touches.push_back({static_cast<std::int32_t>(k),
                                -1,
                                back * (impact.point - moved.position),
                                back * s.normal,
                                0.0,
                                {-s.impulse, surface}});
    }
    if (const Part* const part = model.carrier(k)) result.parts[boundary.part] += load_about(part->centre);
  }
  locate(model, result.touches);
}

/// Advances resting bodies through the step; in twice as many parts while there are overlaps.
void carry_resting(const StepPlan& plan, State& state, StepResult& result,
                   const ContactSteps& contact_steps) {
  const StepReport before = result.report;
  const std::vector<BoundaryLoad> loads = result.boundaries;
  const std::vector<PartLoad> loads_of_parts = result.parts;
  const std::size_t touches = result.touches.size();
  const Mat3 moment = result.contact_moment;
  for (int parts = 1;; parts *= 2) {
    LyingPart resting(state);
    StepPlan part = plan;
    part.h = part.next_h = plan.h / parts;
    double overlap = 0.0;
    Touch deepest;
    for (int k = 0; k < parts; ++k) {
      contact_steps(part, resting.state);
      resting.state.time_s += part.h;
      resting.state.memory.last_s = part.h;
      if (result.report.penetration_max <= overlap) continue;
      overlap = result.report.penetration_max;
      deepest = result.report.deepest;
    }
    if (overlap == 0.0 || parts == most_parts) {
      result.report.penetration_max = overlap;
      result.report.deepest = deepest;
      scale_impulses(parts, resting.state);  // forces times h
      resting.state.memory.last_s = plan.h;
      resting.give_back(state);
      return;
    }
    result.report = before;
    result.boundaries = loads;
    result.parts = loads_of_parts;
    result.touches.resize(touches);
    result.contact_moment = moment;
  }
}

/// Resting bodies that nothing pushes and that overlap none become ballistic. `flew`: so do those that were
/// ballistic before a step made by contacts only because of its many impacts, pushed or not.
void raise(const std::vector<std::uint8_t>& resting, const std::vector<std::uint8_t>& flew, double fall_m_s,
           State& state) {
  Bodies& bodies = state.bodies;
  std::vector<std::uint8_t> held = resting;
  for (const Contact& c : state.contacts.list) {
    const std::size_t a = c.key.a;
    const double push = c.impulse.cast<double>().norm() / bodies.mass[a];  // m/s
    const double least = least_push * fall_m_s + rounding * bodies.linear_velocity[a].norm();
    const auto hold = [&](std::size_t i) {
      if (c.gap <= 0.0 || (push > least && flew[i] == 0)) held[i] = 1;
    };
    hold(a);
    if (!is_boundary(c.key.b)) hold(c.key.b);
  }
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (held[i] == 0) bodies.resting[i] = 0;
}

/// Sets which bodies are resting and which are ballistic from now on, and counts changes.
void lay_and_raise(const std::vector<std::int32_t>& came_to_rest, const std::vector<std::uint8_t>& lay,
                   double fall_m_s, State& state, StepReport& report) {
  std::vector<std::uint8_t>& resting = state.bodies.resting;
  const std::size_t n = resting.size();
  std::vector<std::uint8_t> came(n, 0);
  for (const std::int32_t i : came_to_rest) resting[i] = came[i] = 1;
  std::vector<std::uint8_t> flew(n, 0);
  for (std::size_t i = 0; i < n; ++i) flew[i] = report.overran && lay[i] == 0;
  raise(came, flew, fall_m_s, state);
  for (std::size_t i = 0; i < n; ++i) {
    if (resting[i] != 0 && lay[i] == 0) ++report.laid_down;
    if (resting[i] == 0 && lay[i] != 0) ++report.risen;
    if (resting[i] == 0) ++report.ballistic;
  }
}

}  // namespace

StepPlan fly_and_lie(const Model& model, const StepPlan& plan, State& state, Workspace& w, StepResult& result,
                     const ContactSteps& contact_steps) {
  Bodies& bodies = state.bodies;
  const std::size_t n = bodies.size();
  StepReport& report = result.report;
  bodies.resting.resize(n, 0);
  if (state.step == 0)  // contacts separate initial overlaps
    for (const Misplaced& m : misplaced_bodies(model, bodies, rounding)) {
      bodies.resting[m.body] = 1;
      if (!m.by_boundary) bodies.resting[m.other] = 1;
    }
  const std::vector<std::uint8_t> lay = bodies.resting;
  const Vec3 gravity = gravity_at(model, state, state.time_s + 0.5 * plan.h);
  const PlacedCell cell = cell_at(model, state, state.time_s);
  boundary_poses(model, state, w.boundary_pose);
  BallisticScene sky{model.shapes, model.materials, model.boundaries, w.boundary_pose, cell, {gravity}, {}};
  sky.bounce = {model.settings.restitution_law == RestitutionLaw::energetic,
                model.settings.restitution_law == RestitutionLaw::dissipative,
                model.settings.restitution_threshold_m_s};
  if (model.settings.most_impacts > 0)
    sky.most_impacts = static_cast<std::size_t>(model.settings.most_impacts);
  const bool changes = model.forces.gravity && !state.overrides.gravity;
  if (model.forces.act() || changes)
    sky.acting.further = [&](std::size_t body, double time_s, const Vec3& place, const Vec3& velocity) {
      const Vec3 now = changes ? gravity_at(model, state, time_s) : gravity;
      const Vec3 change = now - gravity;
      if (!model.forces.act()) return change;
      return Vec3(change + acceleration_by_forces(model, bodies, body, {place, velocity, time_s}, now));
    };

  if (!w.flight) w.flight = std::make_shared<FlightWorkspace>();
  const Motions start(bodies);
  const double begin = state.time_s;
  FlightReport flown;
  BallisticSums before;
  for (;;) {  // a caught body is resting, so this ends
    if (any(bodies.resting) && !report.overran) catch_near(model, gravity.norm(), plan.h, cell, bodies, w);
    const double reach = reach_of_resting(model.shapes, bodies, gravity.norm(), plan.h);
    before = sums_of_ballistic(bodies, model.settings.gravity);
    fly(sky, {bodies.resting, std::vector<double>(n, reach)}, {begin, plan.end_s}, bodies, *w.flight, flown);
    const bool too_soon = !flown.resting.empty() && flown.end_s - begin < shortest_part * plan.h;
    if (flown.caught.empty() && !too_soon && !flown.overran) break;
    start.restore(bodies);
    if (flown.overran) {
      bodies.resting.assign(n, 1);
      report.overran = true;
    }
    for (const std::int32_t i : flown.caught) bodies.resting[i] = 1;
    if (too_soon)
      for (const std::int32_t i : flown.resting) bodies.resting[i] = 1;
  }
  StepPlan done = plan;
  done.h = flown.end_s - begin;
  done.end_s = flown.end_s;
  done.next_h = std::min(plan.next_h, done.h);
  if (any(bodies.resting)) {
    carry_resting(done, state, result, contact_steps);
  } else {
    state.contacts.list.clear();
    state.contacts.index(n);
    state.cached_normals = {};
    state.cached.clear();
  }
  result.impacts = std::move(flown.impacts);
  book_impacts(model, bodies, before, gravity, done.h, result);
  load_boundaries(model, w.boundary_pose, result);
  add_moment_of_impacts(model, result);
  report.candidates += flown.candidates;
  report.time_step_s = done.h;
  look_for_overlaps(model, bodies, done.end_s, *w.flight, report);
  lay_and_raise(flown.resting, lay, gravity.norm() * done.h, state, report);
  return done;
}

}  // namespace scree
