// Boundaries that forces move: closed forms of one mount alone, of impacts on it, and what bodies and mounts
// give each other.
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"
#include "engine/simulation/overrides.h"
#include "tests/support/same_bits.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

constexpr double g = 9.81;

std::size_t add_mount(World& world, const Mount& mount, const BoundarySurface& surface) {
  world.model.mounts.push_back(mount);
  Boundary boundary{"plate", world.material, surface};
  boundary.mount = static_cast<std::int32_t>(world.model.mounts.size()) - 1;
  boundary.centre = mount.point;
  world.model.boundaries.push_back(boundary);
  return world.model.mounts.size() - 1;
}

Mount slider(const Vec3& axis, double mass) {
  Mount mount;
  mount.name = "slider";
  mount.axis = axis.normalized();
  mount.inertia = mass;
  return mount;
}

Mount hinge(const Vec3& axis, const Vec3& point, double inertia) {
  Mount mount = slider(axis, inertia);
  mount.name = "hinge";
  mount.kind = MountKind::hinge;
  mount.point = point;
  return mount;
}

const MountState& state_of(const World& world, std::size_t mount = 0) { return world.state.mounts[mount]; }

// Constant forces: (h/2, whole, h/2) drifts are exact for them.
TEST(Mounts, FreeFallIsExact) {
  World world;
  const Vec3 axis = Vec3(0, 3, -4);
  add_mount(world, slider(axis, 2.0), Plane{Vec3(0, 0, 5), -axis.normalized()});
  world.run(0.5);
  const double a = 0.8 * g;
  EXPECT_NEAR(state_of(world).travel, 0.5 * a * 0.25, 1e-12);
  EXPECT_NEAR(state_of(world).rate, a * 0.5, 1e-12);
  EXPECT_NEAR(world.result.mounts[0].impulse, 2.0 * a * 1e-3, 1e-15);
  EXPECT_NEAR(world.result.mounts[0].contact_impulse, 0.0, 1e-14);
}

// A spring: leapfrog, second order in h omega = 0.01: its amplitude is short by (h omega)^2 / 8.
TEST(Mounts, SwingOnSprings) {
  for (const MountKind kind : {MountKind::slider, MountKind::hinge}) {
    World world;
    Mount mount = slider(Vec3::UnitX(), 3.0);
    mount.kind = kind;
    mount.spring = 300.0;  // omega = 10 / s
    mount.start_rate = 0.2;
    add_mount(world, mount, Plane{});
    const double time = std::round(20.0 * 2.0 * std::numbers::pi / 10.0 / 1e-3) * 1e-3;
    double farthest = 0.0;
    world.run(time, [&](const StepReport&) { farthest = std::max(farthest, state_of(world).travel); });
    EXPECT_NEAR(farthest, 0.02, 1.3e-5 * 0.02);
    EXPECT_NEAR(state_of(world).travel, 0.02 * std::sin(10.0 * time), 1e-3 * 0.02);
    EXPECT_NEAR(state_of(world).rate, 0.2, 1e-5 * 0.2);
  }
}

// Damping brings it to force over damping; what it takes is what the force gives.
TEST(Mounts, DampingEndsInASteadySpeed) {
  World world;
  Mount mount = slider(Vec3::UnitX(), 0.5);
  mount.force = 6.0;
  mount.damping = 4.0;
  add_mount(world, mount, Plane{Vec3::Zero(), Vec3::UnitX()});
  world.run(2.0);
  EXPECT_NEAR(state_of(world).rate, 1.5, 1e-6);  // exp(-16)
  const MountLoad& load = world.result.mounts[0];
  EXPECT_NEAR(load.force_work, -load.damping_work, 1e-8);
}

TEST(Mounts, StopsArrestThemWithoutRebound) {
  World world;
  Mount mount = slider(Vec3::UnitZ(), 2.0);
  mount.low = -0.1;
  mount.high = 0.3;
  add_mount(world, mount, Plane{Vec3(0, 0, 1), Vec3::UnitZ()});
  world.run(0.5);
  EXPECT_NEAR(state_of(world).travel, -0.1, 1e-12);
  EXPECT_NEAR(state_of(world).rate, 0.0, 1e-12);
  EXPECT_NEAR(world.result.mounts[0].stop_impulse, 2.0 * g * 1e-3, 1e-12);
  world.model.mounts[0].force = 4.0 * g;  // up by 2 g less g
  world.run(1.0);
  EXPECT_NEAR(state_of(world).travel, 0.3, 1e-12);
  EXPECT_NEAR(world.result.mounts[0].stop_impulse, -2.0 * g * 1e-3, 1e-12);
}

TEST(Mounts, DoNotMoveWhileLocked) {
  World world;
  Mount mount = slider(Vec3::UnitZ(), 2.0);
  mount.starts_held = true;
  add_mount(world, mount, Plane{Vec3(0, 0, -10), Vec3::UnitZ()});
  world.run(0.1);
  EXPECT_EQ(state_of(world).travel, 0.0);
  release_mount(world.model, 0, world.state);
  world.run(0.2);
  EXPECT_NEAR(state_of(world).rate, -0.1 * g, 1e-12);
  lock_mount(world.model, 0, world.state);
  const double at = state_of(world).travel;
  world.run(0.3);
  EXPECT_EQ(state_of(world).travel, at);
}

class MountSolvers : public testing::TestWithParam<std::tuple<SolverKind, double>> {
 protected:
  void set_solver(World& world) const {
    world.model.settings.solver.kind = std::get<0>(GetParam());
    world.model.settings.solver.tolerance = std::get<1>(GetParam());
  }
};

// Two bodies meet along the axis: momentum and Newton's law of restitution give both speeds.
TEST_P(MountSolvers, BallHitsASlidingPlate) {
  PairLaw law;
  law.restitution = 0.5;
  law.friction = 0.3;
  World world(law);
  set_solver(world);
  world.model.settings.gravity.setZero();
  const double r = 0.05, v = 2.0, M = 0.7;
  add_mount(world, slider(Vec3::UnitX(), M), Plane{Vec3(0.2, 0, 0), -Vec3::UnitX()});
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
  EXPECT_NEAR(boundary_work, -0.5 * M * plate * plate, 1e-6);  // what the plate got, it took from the ball
}

// A ball strikes a door that can only turn: the moment of momentum about the axis stays, and friction moves
// the door no other way.
TEST_P(MountSolvers, BallHitsAHingedPlate) {
  PairLaw law;
  law.friction = 0.5;
  World world(law);
  set_solver(world);
  world.model.settings.gravity.setZero();
  const double r = 0.05, I = 0.4;
  const Vec3 axis = Vec3::UnitZ(), hinge_at(0.0, 0.3, 0.0);
  add_mount(world, hinge(axis, hinge_at, I), Plane{Vec3(0.2, 0, 0), -Vec3::UnitX()});
  world.add_sphere(r, Vec3(0, -0.4, 0), {Vec3(2.0, 0.3, 0), Vec3::Zero()});
  const Bodies& b = world.state.bodies;
  const auto moment = [&] {
    const Vec3 arm = b.position[0] - hinge_at;
    const double spin = b.inertia[0][0] * b.angular_velocity[0].z();
    const double door = world.state.mounts.empty() ? 0.0 : I * state_of(world).rate;
    return b.mass[0] * arm.cross(b.linear_velocity[0]).z() + spin + door;
  };
  const double before = moment();
  world.run(0.2, [&](const StepReport& report) { EXPECT_LT(std::abs(report.energy.remainder), 1e-12); });
  EXPECT_GT(state_of(world).rate, 0.5);
  EXPECT_NEAR(moment(), before, 1e-6 * std::abs(before));
}

// A plate with a load rests on three balls: they carry it, each a third.
TEST_P(MountSolvers, BallsShareALoad) {
  World world;
  set_solver(world);
  world.add_floor();
  Mount mount = slider(-Vec3::UnitZ(), 5.0);
  mount.force = 100.0;
  const double r = 0.05;
  add_mount(world, mount, Plane{Vec3(0, 0, 2.0 * r), -Vec3::UnitZ()});
  for (int k = 0; k < 3; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / 3.0;
    world.add_sphere(r, Vec3(0.2 * std::cos(angle), 0.2 * std::sin(angle), r));
  }
  const StepReport last = world.run(0.2);
  const double whole = (100.0 + 5.0 * g) * 1e-3;
  EXPECT_NEAR(-world.result.mounts[0].contact_impulse, whole, 1e-5 * whole);
  EXPECT_NEAR(world.result.boundaries[1].impulse.z(), whole, 1e-5 * whole);
  EXPECT_NEAR(state_of(world).travel, 0.0, 1e-5);
  EXPECT_LT(last.penetration_max, 2e-3);
}

INSTANTIATE_TEST_SUITE_P(All, MountSolvers,
                         testing::Values(std::tuple{SolverKind::gauss_seidel, 1e-4},  // in batches
                                         std::tuple{SolverKind::gauss_seidel, 1e-9},  // one by one
                                         std::tuple{SolverKind::nsgs, 1e-9},
                                         std::tuple{SolverKind::admm, 1e-9}),
                         [](const auto& of) {
                           const bool wide = std::get<1>(of.param) > 1e-6;
                           return std::string(to_string(std::get<0>(of.param))) + (wide ? "_in_batches" : "");
                         });

// The seed method keeps no momentum between bodies, but it moves a plate the right way.
TEST(Mounts, OnePassSolverMovesThem) {
  World world;
  world.model.settings.solver.kind = SolverKind::one_pass;
  world.model.settings.gravity.setZero();
  add_mount(world, slider(Vec3::UnitX(), 0.7), Plane{Vec3(0.2, 0, 0), -Vec3::UnitX()});
  world.add_sphere(0.05, Vec3::Zero(), {Vec3(2.0, 0, 0), Vec3::Zero()});
  const double m = world.state.bodies.mass[0];
  world.run(0.3);
  EXPECT_NEAR(state_of(world).rate, m * 2.0 / (m + 0.7), 1e-6);
}

// Energetic restitution: the work of compression's part e^2 comes back, so e is the ratio of speeds.
TEST(Mounts, EnergeticImpactsActOnThem) {
  PairLaw law;
  law.restitution = 0.5;
  World world(law);
  world.model.settings.restitution_law = RestitutionLaw::energetic;
  add_mount(world, slider(Vec3::UnitX(), 0.7), Plane{Vec3(0.2, 0, 0), -Vec3::UnitX()});
  world.model.settings.gravity.setZero();
  world.add_sphere(0.05, Vec3::Zero(), {Vec3(2.0, 0, 0), Vec3::Zero()});
  world.run(0.3);
  EXPECT_NEAR(state_of(world).rate - world.state.bodies.linear_velocity[0].x(), 1.0, 1e-9);
}

// A lid that turns as it is told and sinks as it may. Balls between it and the floor roll without slip: they
// go round its axis at half its rate, and carry its weight.
TEST(Mounts, CombineWithPrescribedRotation) {
  PairLaw law;
  law.friction = 1.0;
  World world(law);
  world.add_floor();
  add_mount(world, slider(Vec3::UnitZ(), 2.0), Plane{Vec3(0, 0, 0.1), -Vec3::UnitZ()});
  const double spin = 0.5;
  const Vec3 centre(0.3, 0, 0);
  world.model.boundaries[1].motion = steady_motion({Vec3::Zero(), Vec3(0, 0, spin)}, centre);
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

/// A heap between two walls that a pressure pushes together, under a loaded lid: everything at once.
World pressed_heap() {
  PairLaw law;
  law.friction = 0.4;
  law.restitution = 0.1;
  World world = test::loose_heap(5, 4, law, 1e-3, 3);
  world.model.settings.solver.tolerance = 1e-3;
  world.model.settings.solver.max_sweeps = 300;
  Mount lid = slider(-Vec3::UnitZ(), 30.0);
  lid.force = 200.0;
  lid.damping = 50.0;
  add_mount(world, lid, Plane{Vec3(0, 0, 1.0), -Vec3::UnitZ()});
  Boundaries& walls = world.model.boundaries;
  Mount side = slider(Vec3::UnitX(), 20.0);
  side.pressure = 2000.0;
  side.damping = 200.0;
  side.area_between = AreaBetween{};
  const auto number = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(walls, name, &Boundary::name) - walls.begin());
  };
  side.area_between->pairs = {{{number("box.-y"), number("box.+y")}, {number("box.-z"), number("plate")}}};
  world.model.mounts.push_back(side);
  walls[number("box.-x")].mount = 1;
  return world;
}

// Every step's books: grains and mounts exchange what they say they do.
TEST(Mounts, LedgerAndMomentumCloseUnderLoad) {
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
      const MountLoad& load = world.result.mounts[m];
      double on_grains = 0.0, along = 0.0;
      for (std::size_t k = 0; k < world.model.boundaries.size(); ++k) {
        if (world.model.boundaries[k].mount != static_cast<std::int32_t>(m)) continue;
        on_grains += world.result.boundaries[k].work;
        along += world.model.mounts[m].axis.dot(world.result.boundaries[k].impulse);
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

// What servo walls are for: the stress that was asked for, at rest, within 1 % (here 0.1 %).
TEST(Mounts, ServoWallAttainsItsTargetStress) {
  World world = pressed_heap();
  world.run(2.0);
  const MountLoad &lid = world.result.mounts[0], &side = world.result.mounts[1];
  EXPECT_NEAR(-lid.contact_impulse, (200.0 + 30.0 * g) * 1e-3, 1e-3 * (200.0 + 30.0 * g) * 1e-3);
  const double height = 1.0 - lid.travel, area = 5 * 0.22 * height;
  EXPECT_NEAR(side.contact_impulse, -2000.0 * area * 1e-3, 1e-3 * 2000.0 * area * 1e-3);
  EXPECT_GT(side.travel, 0.02);
}

TEST(Mounts, SameBitsOnAnyThreadsAndFromACopy) {
  test::expect_same_bits(pressed_heap, 0.25, 0.4, [](const World& world) {
    std::vector<std::uint64_t> all{state_hash(world.state.bodies)};
    for (const MountState& m : world.state.mounts)
      for (const double x : {m.travel, m.rate}) all.push_back(std::bit_cast<std::uint64_t>(x));
    return all;
  });
}

// Mean velocity of contacts carried through substeps, halves, adaptive steps: the same facts.
TEST(Mounts, BalancesCloseWithSubstepsAndAdaptiveSteps) {
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
    const MountLoad& lid = world.result.mounts[0];
    EXPECT_GT(lid.travel, 0.1);
  }
}

// Who lies on a mount does not sleep, since it moves.
TEST(Mounts, BodiesTouchingThemStayAwake) {
  World world = pressed_heap();
  world.model.settings.sleep.speed_m_s = 1e-2;
  world.model.settings.sleep.duration_s = 0.05;
  world.run(2.0);
  for (const Contact& c : world.state.contacts.list) {
    if (!is_boundary(c.key.b) || !world.model.boundaries[boundary_of(c.key.b)].is_mounted()) continue;
    if (!c.is_active()) continue;
    EXPECT_FALSE(world.state.bodies.is_asleep(static_cast<std::size_t>(c.key.a)));
  }
  EXPECT_NEAR(-world.result.mounts[0].contact_impulse, (200.0 + 30.0 * g) * 1e-3, 5e-3);
}

}  // namespace
}  // namespace scree
