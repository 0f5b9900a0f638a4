// Boundaries moved by forces: closed forms of a single part, of impacts on it, and the exchange between
// bodies and parts.
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"
#include "engine/simulation/overrides.h"
#include "engine/simulation/subsystems/parts.h"
#include "tests/support/same_bits.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

constexpr double g = 9.81;

std::size_t add_part(World& world, const Part& part, const BoundarySurface& surface) {
  world.model.parts.push_back(part);
  Boundary boundary{"plate", world.material, surface};
  boundary.part = static_cast<std::int32_t>(world.model.parts.size()) - 1;
  boundary.centre = part.centre;
  world.model.boundaries.push_back(boundary);
  return world.model.parts.size() - 1;
}

Part slider(const Vec3& axis, double mass) {
  Part part;
  part.name = "slider";
  part.freedom = Freedom::along;
  part.axis = axis.normalized();
  part.inertia = mass;
  return part;
}

Part hinge(const Vec3& axis, const Vec3& point, double inertia) {
  Part part = slider(axis, inertia);
  part.name = "hinge";
  part.freedom = Freedom::about;
  part.centre = point;
  return part;
}

const PartState& state_of(const World& world, std::size_t part = 0) { return world.state.parts[part]; }

// Constant forces: (h/2, whole, h/2) drifts are exact for them.
TEST(Parts, FreeFallIsExact) {
  World world;
  const Vec3 axis = Vec3(0, 3, -4);
  add_part(world, slider(axis, 2.0), Plane{Vec3(0, 0, 5), -axis.normalized()});
  world.run(0.5);
  const double a = 0.8 * g;
  EXPECT_NEAR(state_of(world).travel, 0.5 * a * 0.25, 1e-12);
  EXPECT_NEAR(state_of(world).rate, a * 0.5, 1e-12);
  EXPECT_NEAR(world.result.parts[0].force_impulse, 2.0 * a * 1e-3, 1e-15);
  EXPECT_NEAR(world.result.parts[0].contact_impulse, 0.0, 1e-14);
}

// A spring: leapfrog, second order in h omega = 0.01: its amplitude is too small by (h omega)^2 / 8.
TEST(Parts, SwingOnSprings) {
  for (const Freedom freedom : {Freedom::along, Freedom::about}) {
    World world;
    Part part = slider(Vec3::UnitX(), 3.0);
    part.freedom = freedom;
    part.spring = 300.0;  // omega = 10 / s
    part.start_rate = 0.2;
    add_part(world, part, Plane{});
    const double time = std::round(20.0 * 2.0 * std::numbers::pi / 10.0 / 1e-3) * 1e-3;
    double farthest = 0.0;
    world.run(time, [&](const StepReport&) { farthest = std::max(farthest, state_of(world).travel); });
    EXPECT_NEAR(farthest, 0.02, 1.3e-5 * 0.02);
    EXPECT_NEAR(state_of(world).travel, 0.02 * std::sin(10.0 * time), 1e-3 * 0.02);
    EXPECT_NEAR(state_of(world).rate, 0.2, 1e-5 * 0.2);
  }
}

// Damping leads to the speed of force over damping; it absorbs the work of the force.
TEST(Parts, DampingEndsInASteadySpeed) {
  World world;
  Part part = slider(Vec3::UnitX(), 0.5);
  part.force = 6.0;
  part.damping = 4.0;
  add_part(world, part, Plane{Vec3::Zero(), Vec3::UnitX()});
  world.run(2.0);
  EXPECT_NEAR(state_of(world).rate, 1.5, 1e-6);  // exp(-16)
  const PartLoad& load = world.result.parts[0];
  EXPECT_NEAR(load.force_work, -load.damping_work, 1e-8);
}

TEST(Parts, StopsArrestThemWithoutRebound) {
  World world;
  Part part = slider(Vec3::UnitZ(), 2.0);
  part.low = -0.1;
  part.high = 0.3;
  add_part(world, part, Plane{Vec3(0, 0, 1), Vec3::UnitZ()});
  world.run(0.5);
  EXPECT_NEAR(state_of(world).travel, -0.1, 1e-12);
  EXPECT_NEAR(state_of(world).rate, 0.0, 1e-12);
  EXPECT_NEAR(world.result.parts[0].stop_impulse, 2.0 * g * 1e-3, 1e-12);
  world.model.parts[0].force = 4.0 * g;  // acceleration upwards 2 g minus g
  world.run(1.0);
  EXPECT_NEAR(state_of(world).travel, 0.3, 1e-12);
  EXPECT_NEAR(world.result.parts[0].stop_impulse, -2.0 * g * 1e-3, 1e-12);
}

TEST(Parts, DoNotMoveWhileLocked) {
  World world;
  Part part = slider(Vec3::UnitZ(), 2.0);
  part.starts_locked = true;
  add_part(world, part, Plane{Vec3(0, 0, -10), Vec3::UnitZ()});
  world.run(0.1);
  EXPECT_EQ(state_of(world).travel, 0.0);
  release_part(world.model, 0, world.state);
  world.run(0.2);
  EXPECT_NEAR(state_of(world).rate, -0.1 * g, 1e-12);
  lock_part(world.model, 0, world.state);
  const double at = state_of(world).travel;
  world.run(0.3);
  EXPECT_EQ(state_of(world).travel, at);
}

class PartSolvers : public testing::TestWithParam<std::tuple<SolverKind, double>> {
 protected:
  void set_solver(World& world) const {
    world.model.settings.solver.kind = std::get<0>(GetParam());
    world.model.settings.solver.tolerance = std::get<1>(GetParam());
  }
};

// Two bodies meet along the axis: momentum and Newton's law of restitution give both speeds.
TEST_P(PartSolvers, BallHitsASlidingPlate) {
  PairLaw law;
  law.restitution = 0.5;
  law.friction = 0.3;
  World world(law);
  set_solver(world);
  world.model.settings.gravity.setZero();
  const double r = 0.05, v = 2.0, M = 0.7;
  add_part(world, slider(Vec3::UnitX(), M), Plane{Vec3(0.2, 0, 0), -Vec3::UnitX()});
  world.add_sphere(r, Vec3::Zero(), {Vec3(v, 0, 0), Vec3::Zero()});
  const double m = world.state.bodies.mass[0];
  double boundary_work = 0.0;
  world.run(0.3, [&](const StepReport& report) {
    boundary_work += report.energy.boundary_work;
    EXPECT_LT(std::abs(report.energy.remainder), 1e-12);
    EXPECT_LT(report.momentum_error_relative, 1e-12);
  });
  const double together = m * v / (m + M);
  const double ball = together - 0.5 * M / (m + M) * v, plate = together + 0.5 * m / (m + M) * v;
  EXPECT_NEAR(world.state.bodies.linear_velocity[0].x(), ball, 1e-6);
  EXPECT_NEAR(state_of(world).rate, plate, 1e-6);
  EXPECT_NEAR(boundary_work, -0.5 * M * plate * plate, 1e-6);  // the plate's energy comes from the ball
}

// A ball strikes a door that can only rotate: the angular momentum about the axis is conserved, and friction
// moves the door in no other direction.
TEST_P(PartSolvers, BallHitsAHingedPlate) {
  PairLaw law;
  law.friction = 0.5;
  World world(law);
  set_solver(world);
  world.model.settings.gravity.setZero();
  const double r = 0.05, I = 0.4;
  const Vec3 axis = Vec3::UnitZ(), hinge_at(0.0, 0.3, 0.0);
  add_part(world, hinge(axis, hinge_at, I), Plane{Vec3(0.2, 0, 0), -Vec3::UnitX()});
  world.add_sphere(r, Vec3(0, -0.4, 0), {Vec3(2.0, 0.3, 0), Vec3::Zero()});
  const Bodies& b = world.state.bodies;
  const auto moment = [&] {
    const Vec3 arm = b.position[0] - hinge_at;
    const double spin = b.inertia[0][0] * b.angular_velocity[0].z();
    const double door = world.state.parts.empty() ? 0.0 : I * state_of(world).rate;
    return b.mass[0] * arm.cross(b.linear_velocity[0]).z() + spin + door;
  };
  const double before = moment();
  world.run(0.2, [&](const StepReport& report) { EXPECT_LT(std::abs(report.energy.remainder), 1e-12); });
  EXPECT_GT(state_of(world).rate, 0.5);
  EXPECT_NEAR(moment(), before, 1e-6 * std::abs(before));
}

// A plate with a load rests on three balls: each carries a third.
TEST_P(PartSolvers, BallsShareALoad) {
  World world;
  set_solver(world);
  world.add_floor();
  Part part = slider(-Vec3::UnitZ(), 5.0);
  part.force = 100.0;
  const double r = 0.05;
  add_part(world, part, Plane{Vec3(0, 0, 2.0 * r), -Vec3::UnitZ()});
  for (int k = 0; k < 3; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / 3.0;
    world.add_sphere(r, Vec3(0.2 * std::cos(angle), 0.2 * std::sin(angle), r));
  }
  const StepReport last = world.run(0.2);
  const double whole = (100.0 + 5.0 * g) * 1e-3;
  EXPECT_NEAR(-world.result.parts[0].contact_impulse, whole, 1e-5 * whole);
  EXPECT_NEAR(world.result.boundaries[1].impulse.z(), whole, 1e-5 * whole);
  EXPECT_NEAR(state_of(world).travel, 0.0, 1e-5);
  EXPECT_LT(last.penetration_max, 2e-3);
}

INSTANTIATE_TEST_SUITE_P(All, PartSolvers,
                         testing::Values(std::tuple{SolverKind::gauss_seidel, 1e-4},  // in batches
                                         std::tuple{SolverKind::gauss_seidel, 1e-9},  // one after the other
                                         std::tuple{SolverKind::nsgs, 1e-9},
                                         std::tuple{SolverKind::admm, 1e-9}),
                         [](const auto& of) {
                           const bool wide = std::get<1>(of.param) > 1e-6;
                           return std::string(to_string(std::get<0>(of.param))) + (wide ? "_in_batches" : "");
                         });

// The seed method does not conserve momentum between bodies, but it moves a plate in the right direction.
TEST(Parts, OnePassSolverMovesThem) {
  World world;
  world.model.settings.solver.kind = SolverKind::one_pass;
  world.model.settings.gravity.setZero();
  add_part(world, slider(Vec3::UnitX(), 0.7), Plane{Vec3(0.2, 0, 0), -Vec3::UnitX()});
  world.add_sphere(0.05, Vec3::Zero(), {Vec3(2.0, 0, 0), Vec3::Zero()});
  const double m = world.state.bodies.mass[0];
  world.run(0.3);
  EXPECT_NEAR(state_of(world).rate, m * 2.0 / (m + 0.7), 1e-6);
}

// Energetic restitution: the part e^2 of the work of compression is returned, so e is the ratio of speeds.
TEST(Parts, EnergeticImpactsActOnThem) {
  PairLaw law;
  law.restitution = 0.5;
  World world(law);
  world.model.settings.restitution_law = RestitutionLaw::energetic;
  add_part(world, slider(Vec3::UnitX(), 0.7), Plane{Vec3(0.2, 0, 0), -Vec3::UnitX()});
  world.model.settings.gravity.setZero();
  world.add_sphere(0.05, Vec3::Zero(), {Vec3(2.0, 0, 0), Vec3::Zero()});
  world.run(0.3);
  EXPECT_NEAR(state_of(world).rate - world.state.bodies.linear_velocity[0].x(), 1.0, 1e-9);
}

// A lid with a prescribed rotation and free vertical motion. Balls between it and the floor roll without
// slip: they move round its axis at half its rate, and carry its weight.
TEST(Parts, CombineWithPrescribedRotation) {
  PairLaw law;
  law.friction = 1.0;
  World world(law);
  world.add_floor();
  add_part(world, slider(Vec3::UnitZ(), 2.0), Plane{Vec3(0, 0, 0.1), -Vec3::UnitZ()});
  const double spin = 0.5;
  const Vec3 centre(0.3, 0, 0);
  world.model.parts[0].motion = steady_motion({Vec3::Zero(), Vec3(0, 0, spin)}, centre);
  world.model.boundaries[1].centre = centre;
  for (int k = 0; k < 3; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / 3.0;
    world.add_sphere(0.05, centre + Vec3(0.2 * std::cos(angle), 0.2 * std::sin(angle), 0.05));
  }
  world.run(0.5, [&](const StepReport& report) {
    EXPECT_LT(std::abs(report.energy.remainder), 1e-10);
    EXPECT_LT(report.angular_momentum_error_relative, 1e-12);
  });
  EXPECT_NEAR(world.result.boundaries[1].impulse.z(), 2.0 * g * 1e-3, 1e-6);
  EXPECT_NEAR(state_of(world).rate, 0.0, 1e-4);
  const Vec3 arm = world.state.bodies.position[0] - centre;
  EXPECT_NEAR(std::atan2(arm.y(), arm.x()), 0.5 * spin * 0.5, 1e-3);
  EXPECT_NEAR(arm.head<2>().norm(), 0.2, 1e-4);
}

/// A heap between two walls under pressure and a loaded lid: all features together.
World pressed_heap() {
  PairLaw law;
  law.friction = 0.4;
  law.restitution = 0.1;
  World world = test::loose_heap(5, 4, law, 1e-3, 3);
  world.model.settings.solver.tolerance = 1e-3;
  world.model.settings.solver.max_sweeps = 300;
  Part lid = slider(-Vec3::UnitZ(), 30.0);
  lid.force = 200.0;
  lid.damping = 50.0;
  add_part(world, lid, Plane{Vec3(0, 0, 1.0), -Vec3::UnitZ()});
  Boundaries& walls = world.model.boundaries;
  Part side = slider(Vec3::UnitX(), 20.0);
  side.pressure = 2000.0;
  side.damping = 200.0;
  side.area_between = AreaBetween{};
  const auto number = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(walls, name, &Boundary::name) - walls.begin());
  };
  side.area_between->pairs = {{{number("box.-y"), number("box.+y")}, {number("box.-z"), number("plate")}}};
  world.model.parts.push_back(side);
  walls[number("box.-x")].part = 1;
  return world;
}

// Balances of every step: grains and parts exchange the reported momentum and energy.
TEST(Parts, LedgerAndMomentumCloseUnderLoad) {
  World world = pressed_heap();
  double worst_power = 0.0, worst_momentum = 0.0, turned_over = 0.0;
  std::vector<double> energy(2, 0.0);
  double mass = 0.0;
  for (const double m : world.state.bodies.mass) mass += m;
  Vec3 momentum = Vec3::Zero();
  StepReport last = world.run(1.5, [&](const StepReport& r) {
    EXPECT_LT(std::abs(r.energy.remainder), 1e-10);
    EXPECT_LT(r.momentum_error_relative, 1e-12);
    Vec3 from_walls = Vec3::Zero();
    for (const BoundaryLoad& load : world.result.boundaries) from_walls -= load.impulse;
    momentum += from_walls + mass * 1e-3 * world.model.settings.gravity;
    worst_momentum = std::max(worst_momentum, (momentum - linear_momentum(world.state.bodies)).norm());
    for (std::size_t m = 0; m < 2; ++m) {
      const PartLoad& load = world.result.parts[m];
      double on_grains = 0.0, along = 0.0;
      for (std::size_t k = 0; k < world.model.boundaries.size(); ++k) {
        if (world.model.boundaries[k].part != static_cast<std::int32_t>(m)) continue;
        on_grains += world.result.boundaries[k].work;
        along += world.model.parts[m].axis.dot(world.result.boundaries[k].impulse);
      }
      const double gained = load.kinetic_energy - energy[m];
      energy[m] = load.kinetic_energy;
      worst_power = std::max(worst_power, std::abs(gained - load.force_work - load.damping_work + on_grains));
      turned_over += std::abs(load.force_work);
      EXPECT_NEAR(along, load.contact_impulse, 1e-12);
    }
  });
  EXPECT_LT(worst_power, 1e-12 * turned_over);
  EXPECT_LT(worst_momentum, 1e-9);  // kg m/s, of 1500 steps' rounding
  EXPECT_GT(turned_over, 50.0);
  EXPECT_LT(last.penetration_max, 0.02);
}

// The purpose of servo walls: the target stress at rest, within 1 % (here 0.1 %).
TEST(Parts, ServoWallAttainsItsTargetStress) {
  World world = pressed_heap();
  world.run(2.0);
  const PartLoad &lid = world.result.parts[0], &side = world.result.parts[1];
  EXPECT_NEAR(-lid.contact_impulse, (200.0 + 30.0 * g) * 1e-3, 1e-3 * (200.0 + 30.0 * g) * 1e-3);
  const double height = 1.0 - lid.travel, area = 5 * 0.22 * height;
  EXPECT_NEAR(side.contact_impulse, -2000.0 * area * 1e-3, 1e-3 * 2000.0 * area * 1e-3);
  EXPECT_GT(side.travel, 0.02);
}

TEST(Parts, SameBitsOnAnyThreadsAndFromACopy) {
  test::expect_same_bits(pressed_heap, 0.25, 0.4, [](const World& world) {
    std::vector<std::uint64_t> all{state_hash(world.state.bodies)};
    for (const PartState& m : world.state.parts)
      for (const double x : {m.travel, m.rate}) all.push_back(std::bit_cast<std::uint64_t>(x));
    return all;
  });
}

// Mean velocity of contacts through substeps, halves and adaptive steps: the same facts.
TEST(Parts, BalancesCloseWithSubstepsAndAdaptiveSteps) {
  for (const bool adaptive : {false, true}) {
    World world = pressed_heap();
    world.model.settings.substeps = adaptive ? 1 : 3;
    world.model.settings.adaptive_step = adaptive;
    while (world.state.time_s < 0.6) {
      const StepReport& r = world.step();
      EXPECT_LT(std::abs(r.energy.remainder), 1e-10);
      EXPECT_LT(r.momentum_error_relative, 1e-12);
      EXPECT_LT(r.penetration_max, 0.05);
    }
    const PartLoad& lid = world.result.parts[0];
    EXPECT_GT(lid.travel, 0.1);
  }
}

// A body on a part does not sleep, because the part can move.
TEST(Parts, BodiesTouchingThemStayAwake) {
  World world = pressed_heap();
  world.model.settings.sleep.speed_m_s = 1e-2;
  world.model.settings.sleep.duration_s = 0.05;
  world.run(2.0);
  for (const Contact& c : world.state.contacts.list) {
    if (!is_boundary(c.key.b) || !world.model.boundaries[boundary_of(c.key.b)].is_carried()) continue;
    if (!c.is_active()) continue;
    EXPECT_FALSE(world.state.bodies.is_asleep(static_cast<std::size_t>(c.key.a)));
  }
  EXPECT_NEAR(-world.result.parts[0].contact_impulse, (200.0 + 30.0 * g) * 1e-3, 5e-3);
}

/// A tray of a floor and a wall, and a ball fixed to it. The tray swings about an axis and carries loose
/// balls along.
World swung_tray() {
  PairLaw law;
  law.friction = 0.5;
  World world(law);
  const Vec3 centre(0.3, 0.1, -0.4);
  Part tray;
  tray.name = "tray";
  tray.centre = centre;
  MotionStage swing{MotionStage::Kind::rotation, Vec3::UnitY(), centre, {}};
  swing.law.amplitude = 0.15;
  swing.law.frequency = 2.0;
  tray.motion.stages = {swing};
  world.model.parts = {tray};
  world.model.boundaries = {{.name = "floor", .material = world.material, .surface = Plane{}, .part = 0},
                            {.name = "wall",
                             .material = world.material,
                             .surface = Plane{Vec3(0.5, 0, 0), -Vec3::UnitX()},
                             .centre = Vec3(0.5, 0.2, 0.1),
                             .part = 0}};
  world.add_sphere(0.05, Vec3(0.2, 0.0, 0.05));
  carry_body(0, 0, world.state);
  for (int k = 0; k < 5; ++k) world.add_sphere(0.05, Vec3(0.31, 0.02 * k, 0.05 + 0.101 * k));
  return world;
}

// The load of a part is the sum over the boundaries and bodies on it, about the part's centre: here of three
// contacts and more, from the contacts themselves.
TEST(Parts, LoadIsTheSumOverAllThatThePartCarries) {
  World world = swung_tray();
  double most = 0.0;
  world.run(0.6, [&](const StepReport& report) {
    const Part& tray = world.model.parts[0];
    const double middle = report.time_s - 0.5 * report.time_step_s;
    const Pose moved = tray.motion.at(middle);
    const Vec3 centre = moved.orientation * tray.centre + moved.position;
    Vec3 impulse = Vec3::Zero(), moment = Vec3::Zero();
    const auto add = [&](const Vec3& point, const Vec3& on_tray) {
      impulse += on_tray;
      moment += (point - centre).cross(on_tray);
    };
    const ContactProblem& p = world.workspace.problem;
    for (std::size_t c = 0; c < p.contacts(); ++c) {
      const ContactKey& key = world.state.contacts.list[c].key;
      const auto a = static_cast<std::size_t>(key.a);
      const Vec3 on_a = p.in_world(c, world.workspace.solution.impulse[c]);
      // Bodies have moved for half a step since the contact.
      const Vec3 position =
          a == 0 ? Vec3(moved.orientation * world.state.bodies.rest[0].position + moved.position)
                 : Vec3(world.state.bodies.position[a] -
                        0.5 * report.time_step_s * world.state.bodies.linear_velocity[a] -
                        report.time_step_s * world.workspace.solution.correction_of(a).linear);
      const Vec3 point = position + p.contact[c].arm_a;
      if (a == 0)
        add(point, on_a);
      else if (is_boundary(key.b))
        add(point, -on_a);
      else if (key.b == 0)
        add(point, -on_a);
    }
    const PartLoad& load = world.result.parts[0];
    EXPECT_LT((load.impulse - impulse).norm(), 1e-12);
    EXPECT_LT((load.angular_impulse - moment).norm(), 1e-9);  // N m s: with overlap a contact has two points
    EXPECT_NEAR(report.energy.remainder, 0.0, 1e-12);
    most = std::max(most, load.angular_impulse.norm());
  });
  EXPECT_GT(most, 1e-3);
}

// A part and all that it carries move as one piece: the ball keeps its position above the floor, at all
// times.
TEST(Parts, CarryBoundariesAndBodiesAsOnePiece) {
  World world = swung_tray();
  world.run(0.6, [&](const StepReport& report) {
    const PlacedBoundary floor =
        place(world.model.boundaries[0],
              pose_of(world.model.boundaries[0], world.model.parts, world.state.parts), report.time_s);
    const Plane& plane = std::get<Plane>(floor.surface);
    EXPECT_NEAR(plane.normal.dot(world.state.bodies.position[0] - plane.point), 0.05, 1e-14);
  });
}

// Clocks stop carried bodies as they stop boundaries: they keep their positions, without velocity.
TEST(Parts, StoppedMotionHoldsBodiesAndBoundaries) {
  World world = swung_tray();
  world.run(0.1);
  const double turned = 0.15 * std::sin(2.0 * std::numbers::pi * 2.0 * 0.1);
  stop_motion(world.model, 0, world.state);
  world.run(0.3, [&](const StepReport&) {
    EXPECT_NEAR(world.state.bodies.orientation[0].angularDistance(Quat::Identity()), turned, 1e-12);
    EXPECT_EQ(world.state.bodies.angular_velocity[0], Vec3::Zero());
    EXPECT_EQ(world.result.parts[0].work, 0.0);
  });
  start_motion(world.model, 0, world.state);
  world.run(0.35);
  EXPECT_NEAR(world.state.bodies.orientation[0].angularDistance(Quat::Identity()),
              0.15 * std::sin(2.0 * std::numbers::pi * 2.0 * 0.15), 1e-9);
}

TEST(Parts, SwungTrayHasTheSameBitsOnAnyThreadsAndFromACopy) { test::expect_same_bits(swung_tray, 0.1, 0.2); }

}  // namespace
}  // namespace scree
