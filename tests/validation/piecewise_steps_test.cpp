// Steps of piecewise motion: times of impacts, gases, bodies that come to rest and fly again.
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"
#include "engine/modules/integration/brent.h"
#include "engine/modules/integration/runge_kutta.h"
#include "engine/simulation/motion.h"
#include "engine/simulation/placement.h"
#include "tests/support/gas.h"
#include "tests/support/implicit_shapes.h"

namespace scree {
namespace {

using test::World, test::piecewise, test::gas, test::run_gas, test::translational;

/// Runs until a time, at which a step ends; calls look(result) after every step.
template <class Look>
void run(World& world, double until_s, Look&& look) {
  while (world.state.time_s < until_s * (1.0 - 1e-14)) {
    step(world.model, world.state, world.workspace, world.result, until_s);
    look(world.result);
  }
}

// The first ten bounces of a ball that falls 1 m, to 1e-10 s of the closed form in steps of 0.01 s; it rests
// from Zeno's point on, without overlap with the floor.
TEST(PiecewiseSteps, BouncesOfABallAreExactUntilItRests) {
  World world = piecewise({.friction = 0.0, .restitution = 0.8}, 0.01, 1e-4);
  world.add_floor();
  world.add_sphere(0.01, Vec3(0.0, 0.0, 1.01));
  std::vector<double> times;
  double lies_from = infinity, deepest = 0.0, remainder = 0.0;
  run(world, 4.5, [&](const StepResult& r) {
    for (const Impact& i : r.impacts) times.push_back(i.time_s);
    if (r.report.laid_down > 0) lies_from = std::min(lies_from, r.report.time_s);
    deepest = std::max(deepest, r.report.penetration_max);
    remainder = std::max(remainder, std::abs(r.report.energy.remainder));
  });
  const double first = std::sqrt(2.0 / 9.81);
  ASSERT_GE(times.size(), 10u);
  for (int k = 0; k < 10; ++k)
    EXPECT_NEAR(times[k], first * (1.0 + 2.0 * 0.8 * (1.0 - std::pow(0.8, k)) / 0.2), 1e-13);
  EXPECT_NEAR(lies_from, 4.0637127688715781, 1e-4);  // Zeno's point, minus the bounces below the threshold
  EXPECT_EQ(deepest, 0.0);
  EXPECT_LT(remainder, 1e-14);
  EXPECT_EQ(world.result.report.ballistic, 0);
  EXPECT_LT(std::abs(world.state.bodies.linear_velocity[0].z()), 1e-6);
}

// The verdict compares the impulses of walls with the momentum of all bodies, in flight too.
TEST(PiecewiseSteps, MomentumOfFlyingBodiesIsReported) {
  World world = piecewise({.friction = 0.0, .restitution = 0.8}, 0.01, 1e-4);
  world.add_floor();
  world.add_sphere(0.01, Vec3(0, 0, 0.2), {Vec3(1, 0, 0)});
  world.add_sphere(0.02, Vec3(1, 0, 0.02));  // at rest on the floor
  run(world, 0.3, [&](const StepResult& r) {
    const Bodies& b = world.state.bodies;
    const double size = b.mass[0] * b.linear_velocity[0].norm() + b.mass[1] * b.linear_velocity[1].norm();
    EXPECT_NEAR(r.report.momentum_size_kg_m_s, size, 1e-12 * size);
  });
}

// Newton's cradle: one ball in, one out, the others at rest to the last bit; two in, two out.
TEST(PiecewiseSteps, NewtonsCradle) {
  for (const int in : {1, 2}) {
    World world = piecewise({.friction = 0.0, .restitution = 1.0}, 0.01);
    world.model.settings.gravity.setZero();
    for (int k = 0; k < 5; ++k)
      world.add_sphere(0.01, Vec3(0.02 * k - (k < in ? 0.1 : 0.0), 0.0, 0.0),
                       {Vec3(k < in ? 1.0 : 0.0, 0, 0)});
    run(world, 0.2, [](const StepResult& r) { EXPECT_LT(r.report.penetration_max, 1e-14); });
    for (int k = 0; k < 5; ++k)
      EXPECT_NEAR(world.state.bodies.linear_velocity[k].x(), k >= 5 - in ? 1.0 : 0.0, 1e-15) << k;
  }
}

/// A body over a floor without friction, by methods independent of the engine's: classical Runge-Kutta steps
/// of Euler's equations, its support function, Brent's method for the times, the closed form for the impacts.
class TumblingBody {
 public:
  using Y = Eigen::Matrix<double, 9, 1>;  // z, vz, quaternion (x, y, z, w), body spin

  TumblingBody(const Shapes& shapes, ShapeIndex shape, double z, const Quat& q, const Vec3& w)
      : shapes_(shapes), shape_(shape), inertia_(inertia_per_mass(shapes, shape)) {  // for a unit mass
    y_ << z, 0.0, q.coeffs(), q.conjugate() * w;
  }
  double next_impact(double restitution) {
    constexpr double h = 1e-4;
    for (;;) {
      const Y next = advanced(y_, h);
      if (height(next) < 0.0) break;
      y_ = next;
      time_ += h;
    }
    const double rest = brent_root([&](double t) { return height(advanced(y_, t)); }, 0.0, h, 1e-15);
    y_ = advanced(y_, rest);
    time_ += rest;
    const Quat q = orientation(y_);
    const Vec3 n = Vec3::UnitZ(), arm = lowest(y_), w = q * Vec3(y_.tail<3>());
    const double approach = n.dot(Vec3(0, 0, y_[1]) + w.cross(arm));
    const Vec3 turn = arm.cross(n), answer = q * (q.conjugate() * turn).cwiseQuotient(inertia_);
    const double impulse = -(1.0 + restitution) * approach / (1.0 + turn.dot(answer));
    y_[1] += impulse;
    y_.tail<3>() = q.conjugate() * (w + impulse * answer);
    return time_;
  }

 private:
  static Quat orientation(const Y& y) { return Quat(y[5], y[2], y[3], y[4]).normalized(); }
  Vec3 lowest(const Y& y) const {
    const Quat q = orientation(y);
    return q * support(shapes_, shape_, q.conjugate() * -Vec3::UnitZ());
  }
  double height(const Y& y) const { return y[0] + lowest(y).z(); }
  Y advanced(const Y& y, double h) const {
    const auto f = [&](double, const Y& at) {
      const Vec3 w = at.tail<3>();
      const Quat q(at[5], at[2], at[3], at[4]), turn = q * Quat(0.0, w[0], w[1], w[2]);
      Y slope;
      slope << at[1], -9.81, 0.5 * turn.coeffs(), inertia_.cwiseProduct(w).cross(w).cwiseQuotient(inertia_);
      return slope;
    };
    return take_step(classical, f, 0.0, y, h).end();
  }
  const Shapes& shapes_;
  ShapeIndex shape_;
  Vec3 inertia_;
  Y y_;
  double time_ = 0.0;
};

std::int32_t add_clump(Model& model, const std::vector<ClumpMember>& parts) {
  ShapeFindings findings;
  return model.shapes.add_clump({"clump", parts, std::make_shared<Clump>(*make_clump(parts, findings))});
}
/// Three crossing rods.
std::int32_t add_jack(Model& model) {
  return add_clump(model,
                   {{{Vec3(1.0, 0.3, 0.3)}, {}}, {{Vec3(0.3, 1.0, 0.3)}, {}}, {{Vec3(0.3, 0.3, 1.0)}, {}}});
}
std::int32_t add_bean(Model& model) {
  ShapeFindings findings;
  const auto made = make_implicit_shape(test::bean(), {.support_cells = 4}, findings);
  return model.shapes.add_function({"bean", test::bean(), std::make_shared<ImplicitShape>(*made)});
}

// The first three impacts of tumbling ellipsoids, of a clump, and of a function, against this reference: to
// 1e-10 s; for the function, which touches at a distance of 1e-8 of its size, to this distance over its
// speed.
TEST(PiecewiseSteps, ImpactsOfATumblingBody) {
  enum class Body { triaxial, prolate, oblate, jack, bean };
  for (const Body body : {Body::triaxial, Body::prolate, Body::oblate, Body::jack, Body::bean}) {
    const Quat q = Quat(0.9, 0.3, 0.25, 0.19).normalized();
    const Vec3 w(1.0, 2.0, -3.0);
    World world = piecewise({.friction = 0.0, .restitution = 0.9}, 0.01);
    world.add_floor();
    Shapes& shapes = world.model.shapes;
    const auto shape = [&] {
      switch (body) {
        case Body::triaxial:
          return shapes.add(Ellipsoid{Vec3(0.05, 0.03, 0.02)});
        case Body::prolate:
          return shapes.add(Ellipsoid{Vec3(0.05, 0.02, 0.02)});
        case Body::oblate:
          return shapes.add(Ellipsoid{Vec3(0.04, 0.04, 0.02)});
        case Body::jack:
          return shapes.add(SizedClump{add_jack(world.model), 0.05});
        case Body::bean:
          break;
      }
      return shapes.add(SizedFunction{add_bean(world.model), 0.05});
    }();
    add_body(world.state.bodies, shapes, world.model.materials,
             {shape, world.material, {Vec3(0.0, 0.0, 0.5), q}, {Vec3::Zero(), w}});
    TumblingBody reference(shapes, shape, 0.5, q, w);
    std::vector<double> times;
    run(world, 2.0, [&](const StepResult& r) {
      for (const Impact& i : r.impacts) times.push_back(i.time_s);
      EXPECT_LT(std::abs(r.report.energy.remainder), 1e-13);
    });
    ASSERT_GE(times.size(), 3u);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(times[k], reference.next_impact(0.9), body == Body::bean ? 3e-9 : 1e-10)
          << static_cast<int>(body) << ' ' << k;
  }
}

// Interlocking jacks, and beans with balls, in a closed box: the narrow phase of contact steps finds no
// overlap after any step, and energy is conserved.
TEST(PiecewiseSteps, ClumpsAndFunctionsDoNotOverlap) {
  for (const bool clumps : {true, false}) {
    World world = piecewise({.friction = 0.0, .restitution = 1.0}, 0.01);
    Model& model = world.model;
    model.settings.gravity.setZero();
    model.boundaries = box_walls("box", world.material, Vec3::Zero(), Vec3::Constant(0.3), {});
    const ShapeIndex shape = clumps ? model.shapes.add(SizedClump{add_jack(model), 0.045})
                                    : model.shapes.add(SizedFunction{add_bean(model), 0.04});
    const ShapeIndex ball = model.shapes.add(Ellipsoid{Vec3(0.03, 0.025, 0.02)});
    Random random(4);
    for (int k = 0; k < 27; ++k) {
      const int row = k / 3 % 3, layer = k / 9;
      add_body(world.state.bodies, model.shapes, model.materials,
               {k % 5 == 4 ? ball : shape,
                world.material,
                {0.1 * Vec3(k % 3 + 0.5, row + 0.5, layer + 0.5), random.rotation()},
                {2.0 * random.direction(), 20.0 * random.direction()}});
    }
    ASSERT_TRUE(misplaced_bodies(model, world.state.bodies, 0.0).empty());
    const double energy = kinetic_energy(world.state.bodies);
    std::size_t impacts = 0;
    run(world, clumps ? 1.0 : 0.4, [&](const StepResult& r) {
      impacts += r.impacts.size();
      for (std::size_t k = 1; k < r.impacts.size(); ++k)  // no contact twice
        EXPECT_FALSE(r.impacts[k].time_s == r.impacts[k - 1].time_s && r.impacts[k].a == r.impacts[k - 1].b &&
                     r.impacts[k].b == r.impacts[k - 1].a);
      EXPECT_EQ(r.report.penetration_max, 0.0);
      EXPECT_TRUE(misplaced_bodies(model, world.state.bodies, clumps ? 0.0 : 1e-9).empty());
      EXPECT_EQ(r.report.ballistic, 27);
    });
    EXPECT_GT(impacts, clumps ? 600u : 200u);
    EXPECT_NEAR(kinetic_energy(world.state.bodies) / energy, 1.0, 1e-12);
  }
}

// Pressure of hard dumbbells, two spheres of diameter 1 that are 0.6 apart, as clumps, against Tildesley and
// Streett's fit to simulations (1980, Mol. Phys. 41, 85).
TEST(PiecewiseSteps, PressureOfDumbbells) {
  constexpr double elongation = 0.6, fraction = 0.2, radius = 0.01;
  constexpr double u = 0.37836, v = 1.07860, w = 1.30376, x = 1.80010, y = 2.39803, z = 0.35700;
  const double l = elongation, l3 = l * l * l, f = fraction;
  const double expected = (1.0 + (1.0 + u * l + v * l3) * f + (1.0 + w * l + x * l3) * f * f -
                           (1.0 + y * l + z * l3) * f * f * f) /
                          std::pow(1.0 - f, 3);
  World world = gas(512, 0.01, Vec3::Constant(radius), 1.0, 0.01);
  Model& model = world.model;
  const Quat same = Quat::Identity();
  const std::int32_t clump = add_clump(model, {{{Vec3::Ones()}, {Vec3(-elongation, 0, 0), same}},
                                               {{Vec3::Ones()}, {Vec3(elongation, 0, 0), same}}});
  const ShapeIndex shape = model.shapes.add(SizedClump{clump, radius});
  const double shrunk =
      std::cbrt(512.0 * volume(model.shapes, shape) / fraction) / model.cell.high.x();  // the lattice's
  State turned;
  Random random(8);
  const Bodies& spheres = world.state.bodies;
  for (std::size_t i = 0; i < spheres.size(); ++i)
    add_body(turned.bodies, model.shapes, model.materials,
             {shape,
              world.material,
              {shrunk * spheres.position[i], random.rotation()},
              {spheres.linear_velocity[i], spheres.angular_velocity[i]}});
  world.state = turned;
  model.cell.high *= shrunk;
  ASSERT_TRUE(misplaced_bodies(model, world.state.bodies, 0.0).empty());
  const test::GasRun g = run_gas(world, 40000);
  test::expect_kept(g);
  EXPECT_NEAR(g.compressibility / expected, 1.0, 0.01);
}

// Pressure of elastic spheres against the equation of Carnahan and Starling (1969), 200,000 impacts at each
// density; energy and momentum are conserved, no bodies overlap.
TEST(PiecewiseSteps, PressureOfSpheres) {
  for (const double fraction : {0.1, 0.3, 0.45}) {
    World world = gas(1000, fraction, Vec3::Constant(0.01), 1.0, 0.005);
    const test::GasRun g = run_gas(world, 60000);
    test::expect_kept(g);
    EXPECT_NEAR(g.compressibility / test::carnahan_starling(fraction), 1.0, 0.01) << fraction;
  }
}

// With all velocities reversed, a gas returns to its start, within the precision of the arithmetic: errors
// grow tenfold per impact and body, so 16 digits last for about ten.
TEST(PiecewiseSteps, StressOfTwoHardRods) {
  World world = piecewise({.friction = 0.0, .restitution = 1.0}, 0.01);
  world.model.settings.gravity.setZero();
  const double edge = 0.5, r = 0.05, v = 1.0;
  world.model.cell.periodic = {true, true, true};
  world.model.cell.high = Vec3(edge, 0.4, 0.4);
  world.add_sphere(r, Vec3(0.125, 0.2, 0.2), {Vec3(v, 0, 0), Vec3::Zero()});
  world.add_sphere(r, Vec3(0.375, 0.2, 0.2), {Vec3(-v, 0, 0), Vec3::Zero()});
  const double free = edge - 4.0 * r, end = 20.0 * free / (2.0 * v);  // twenty impacts
  Mat3 sum = Mat3::Zero();
  run(world, end, [&](const StepResult& result) {
    sum += result.report.time_step_s * (result.cell.contact_stress + result.cell.kinetic_stress);
  });
  const double stress = 2.0 * world.state.bodies.mass[0] * v * v / (edge * 0.16) * edge / free;
  EXPECT_NEAR(sum(0, 0) / end, stress, 1e-11 * stress);
  EXPECT_LT((sum - sum(0, 0) * Vec3::UnitX() * Vec3::UnitX().transpose()).norm(), 1e-11 * sum(0, 0));
}

// An overlap is separated in parts of a step; impulses of contacts are those of the whole step.
TEST(PiecewiseSteps, RestingBodiesPressWithTheirWeight) {
  World world = piecewise({.friction = 0.3}, 0.01, 1e-3);
  world.add_floor();
  world.add_sphere(0.05, Vec3(0, 0, 0.0499));
  for (int k = 0; k < 3; ++k) {
    world.step();
    ASSERT_EQ(world.state.contacts.size(), 1u);
    const double weight = 9.81 * world.state.bodies.mass[0];
    EXPECT_NEAR(world.state.contacts.list[0].impulse.z() / world.result.report.time_step_s, weight,
                1e-4 * weight)
        << k;
  }
}

TEST(PiecewiseSteps, TimeReversalRecoversTheInitialState) {
  for (const Vec3& axes : {Vec3(0.01, 0.01, 0.01), Vec3(0.0125, 0.01, 0.008)}) {
    World world = gas(64, 0.1, axes, 1.0, 0.005);
    const Bodies start = world.state.bodies;
    const double span = 0.04;
    std::int64_t impacts = 0;
    run(world, span, [&](const StepResult& r) { impacts += r.report.impacts; });
    Bodies& b = world.state.bodies;
    for (std::size_t i = 0; i < b.size(); ++i) {
      b.linear_velocity[i] *= -1.0;
      b.angular_velocity[i] *= -1.0;
    }
    run(world, 2.0 * span, [](const StepResult&) {});
    EXPECT_GT(impacts, 100);
    double worst = 0.0;
    for (std::size_t i = 0; i < b.size(); ++i)
      worst = std::max(worst, (b.position[i] - start.position[i]).norm());
    EXPECT_LT(worst, 1e-6 * axes.mean()) << impacts;
  }
}

// The same bits on any number of threads, and from a copy of the state.
TEST(PiecewiseSteps, SameBitsOnAnyThreads) {
  std::vector<std::uint64_t> hashes;
  const int before = thread_count();
  for (const int threads : {1, 2, 3, 4}) {
    set_thread_count(threads);
    World world = gas(512, 0.02, Vec3(0.0125, 0.01, 0.008), 0.9, 0.02);
    run(world, 0.1, [](const StepResult&) {});
    State copy = world.state;
    Workspace fresh;
    StepResult result;
    step(world.model, copy, fresh, result);
    world.step();
    EXPECT_EQ(state_hash(copy.bodies), state_hash(world.state.bodies));
    hashes.push_back(state_hash(world.state.bodies));
  }
  set_thread_count(before);
  for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes.front());
}

// Ellipsoids fall into a box, bounce and come to rest: balances of momentum and energy close throughout, no
// bodies overlap, all rest in the end; a kick makes one fly again.
TEST(PiecewiseSteps, SwitchesBetweenBallisticAndRestingBodies) {
  World world = test::loose_heap(3, 3, {.friction = 0.5, .restitution = 0.4}, 2e-3);
  world.model.settings.stepping = Stepping::piecewise;
  world.model.settings.solver.tolerance = 1e-4;
  double remainder = 0.0, momentum = 0.0, deepest = 0.0, injected = 0.0;
  std::int64_t impacts = 0, laid = 0;
  const double energy = potential_energy(world.state.bodies, world.model.settings.gravity);
  run(world, 3.0, [&](const StepResult& r) {
    remainder = std::max(remainder, std::abs(r.report.energy.remainder));
    momentum = std::max(momentum, r.report.momentum_error_relative);
    deepest = std::max(deepest, r.report.penetration_max);
    injected += r.report.energy_injected_J;
    impacts += r.report.impacts;
    laid += r.report.laid_down;
  });
  EXPECT_GT(impacts, 20);
  EXPECT_GE(laid, 27);
  EXPECT_LT(remainder, 1e-11 * energy);
  EXPECT_LT(momentum, 1e-10);
  EXPECT_LT(deepest, 1e-4);
  EXPECT_LT(injected, 1e-2 * energy);
  EXPECT_EQ(world.result.report.ballistic, 0);
  std::size_t top = 0;
  Bodies& b = world.state.bodies;
  for (std::size_t i = 0; i < b.size(); ++i)
    if (b.position[i].z() > b.position[top].z()) top = i;
  b.linear_velocity[top].z() = 3.0;
  std::int64_t most = 0;
  run(world, 3.2, [&](const StepResult& r) { most = std::max(most, r.report.ballistic); });
  EXPECT_GE(most, 1);
}

// Kepler's ellipse of eccentricity 1/2 closes after its period, with an error that decreases with the fourth
// order of the step; a magnetic field does no work and closes its circle.
TEST(PiecewiseSteps, SmoothFieldsAreIntegratedToFourthOrder) {
  const auto error = [](double steps) {
    const double period = 2.0 * std::numbers::pi;
    World world = piecewise({}, period / steps);
    world.model.settings.gravity.setZero();
    world.model.forces.fields.push_back(
        {[](const Vec3& x, const Vec3&, double) { return Vec3(-x / std::pow(x.norm(), 3)); }});
    world.add_sphere(1e-3, Vec3(0.5, 0.0, 0.0), {Vec3(0.0, std::sqrt(3.0), 0.0)});
    run(world, period, [](const StepResult&) {});
    return (world.state.bodies.position[0] - Vec3(0.5, 0.0, 0.0)).norm();
  };
  const double coarse = error(200), fine = error(800);
  EXPECT_LT(coarse, 1e-4);
  EXPECT_GT(std::log2(coarse / fine) / 2.0, 3.5);

  for (const Stepping stepping : {Stepping::piecewise, Stepping::contacts}) {
    World world = piecewise({}, 2.0 * std::numbers::pi / 400.0);
    world.model.settings.stepping = stepping;
    world.model.settings.gravity.setZero();
    world.model.forces.fields.push_back(
        {[](const Vec3&, const Vec3& v, double) { return Vec3(v.y(), -v.x(), 0.0); }, true});
    world.add_sphere(1e-3, Vec3::Zero(), {Vec3(1.0, 0.0, 0.5)});
    run(world, 2.0 * std::numbers::pi, [](const StepResult&) {});
    const bool exact = stepping == Stepping::contacts;  // the implicit midpoint rule
    EXPECT_NEAR(world.state.bodies.linear_velocity[0].norm(), std::sqrt(1.25), exact ? 1e-13 : 1e-9);
    EXPECT_LT((world.state.bodies.position[0] - Vec3(0.0, 0.0, std::numbers::pi)).norm(),
              exact ? 1e-3 : 1e-8);
  }
}

// A ball between a wall and one that approaches at u: at its n-th impact there, at a distance L_n, L_n (v_n-1
// + u) is constant, and v_n = v_n-1 + 2 u: to rounding, until it is twenty times as fast.
TEST(PiecewiseSteps, BallBetweenApproachingWallsConservesAction) {
  constexpr double u = 0.05, radius = 1e-3, start = 1.0;
  World world = piecewise({.friction = 0.0, .restitution = 1.0}, 0.05);
  world.model.settings.gravity.setZero();
  world.model.boundaries.push_back({"wall", world.material, Plane{Vec3::Zero(), Vec3::UnitX()}});
  world.model.boundaries.push_back({"piston", world.material, Plane{Vec3(start, 0, 0), -Vec3::UnitX()}});
  test::give_motion(world.model, 1, steady_motion({Vec3(-u, 0, 0), Vec3::Zero()}, Vec3::Zero()));
  world.add_sphere(radius, Vec3(0.5, 0.0, 0.0), {Vec3(0.1, 0.0, 0.0)});
  double action = 0.0, speed = 0.1;
  int impacts = 0;
  run(world, 19.0, [&](const StepResult& r) {
    EXPECT_EQ(r.report.penetration_max, 0.0);
    for (const Impact& i : r.impacts) {
      if (boundary_of(i.b) != 1) continue;
      const double now = (start - u * i.time_s - 2.0 * radius) * (i.before_a.linear.x() + u);
      if (impacts++ == 0) action = now;
      EXPECT_NEAR(now / action, 1.0, 1e-11);
      speed += 2.0 * u;
      EXPECT_NEAR(i.after_a.linear.x(), -speed, 1e-12);
    }
  });
  EXPECT_GT(impacts, 15);
}

// Steps of bounded work: those with more impacts than allowed are done by contacts and report this; the
// energy loss is in the balance, and no bodies overlap. A bound that is not reached changes no bit.
TEST(PiecewiseSteps, ExcessImpactsAreResolvedByContacts) {
  const auto run_with = [](int most, std::int64_t& overran, std::int64_t& largest) {
    World world = gas(64, 0.1, Vec3(0.012, 0.01, 0.008), 0.9, 0.01);
    world.model.settings.most_impacts = most;
    run(world, 0.5, [&](const StepResult& r) {
      overran += r.report.overran ? 1 : 0;
      largest = std::max(largest, r.report.impacts);
      EXPECT_EQ(r.report.penetration_max, 0.0);
      EXPECT_LT(std::abs(r.report.energy.remainder), 1e-12);
      EXPECT_TRUE(!r.report.overran || r.report.impacts == 0);
    });
    return state_hash(world.state.bodies);
  };
  std::int64_t overran = 0, largest = 0;
  const auto free = run_with(0, overran, largest);
  EXPECT_EQ(overran, 0);
  ASSERT_GT(largest, 5);
  std::int64_t same_largest = 0;
  EXPECT_EQ(run_with(static_cast<int>(largest), overran, same_largest), free);
  EXPECT_EQ(overran, 0);
  std::int64_t bounded = 0;
  run_with(3, overran, bounded);
  EXPECT_GT(overran, 5);
  EXPECT_LE(bounded, 3);
}

// A plate is at rest for a moment and then rises fast, by an oscillation and by a function. It hits a ball
// above it and does not overlap it, for any step; the ball gets twice the plate's velocity at this time.
TEST(PiecewiseSteps, PlateStartingFromRestCollidesWithoutOverlap) {
  for (const bool function : {false, true})
    for (const double step_s : {0.05, 0.003}) {
      constexpr double amplitude = 0.01, omega = 10.0 * std::numbers::pi, above = 1e-4;
      World world = piecewise({.friction = 0.0, .restitution = 1.0}, step_s);
      world.model.settings.gravity.setZero();
      world.model.boundaries.push_back({"plate", world.material, Plane{Vec3::Zero(), Vec3::UnitZ()}});
      MotionStage shake;
      shake.axis = Vec3::UnitZ();
      if (function) {
        shake.law.function = [](double t) { return amplitude * (1.0 - std::cos(omega * t)); };
      } else {
        shake.law.amplitude = amplitude;
        shake.law.frequency = 5.0;
        shake.law.phase = -0.5 * std::numbers::pi;
      }
      test::give_motion(world.model, 0, {{shake}});
      world.add_sphere(0.01, Vec3(0.0, 0.0, 0.01 + above));
      const double instant = std::acos(1.0 - above / amplitude) / omega;
      std::vector<Impact> impacts;
      run(world, 0.1, [&](const StepResult& r) {
        impacts.insert(impacts.end(), r.impacts.begin(), r.impacts.end());
        EXPECT_EQ(r.report.penetration_max, 0.0);
      });
      ASSERT_EQ(impacts.size(), 4u);  // the plate reaches it three times
      EXPECT_NEAR(impacts[0].time_s, instant, 1e-12);
      EXPECT_NEAR(impacts[0].after_a.linear.z(), 2.0 * amplitude * omega * std::sin(omega * instant), 1e-9);
    }
}

// Adiabatic invariants of smooth fields, in steps of both kinds. A spring becomes four times as stiff over 60
// swings: E / omega is constant. A magnetic bottle: the field is 1 + z^2 along its axis, and the moment
// v_perp^2 / (2 B) is constant until the body turns back, at B = E / moment.
TEST(PiecewiseSteps, AdiabaticInvariantsAreKept) {
  for (const Stepping stepping : {Stepping::piecewise, Stepping::contacts}) {
    const bool exact = stepping == Stepping::piecewise;
    World spring = piecewise({}, 0.01);
    spring.model.settings.stepping = stepping;
    spring.model.settings.gravity.setZero();
    constexpr double duration = 250.0;
    // A smooth step from 1 to 2 rad/s, flat at both ends.
    const auto omega = [](double t) {
      const double p = std::clamp(t / duration, 0.0, 1.0);
      return 1.0 + p * p * p * (10.0 + p * (-15.0 + 6.0 * p));
    };
    spring.model.forces.fields.push_back({[&](const Vec3& x, const Vec3&, double t) {
      const double w = omega(t);
      return Vec3(-w * w * x);
    }});
    spring.add_sphere(1e-3, Vec3(1.0, 0.0, 0.0));
    run(spring, duration, [](const StepResult&) {});
    const Vec3 x = spring.state.bodies.position[0], v = spring.state.bodies.linear_velocity[0];
    // By contacts: velocities are half a step off, omega h / 2 of the energy.
    EXPECT_NEAR(0.5 * (v.squaredNorm() + 4.0 * x.squaredNorm()) / 2.0 / 0.5, 1.0, exact ? 1e-4 : 2e-2);

    World bottle = piecewise({}, 0.001);
    bottle.model.settings.stepping = stepping;
    bottle.model.settings.gravity.setZero();
    constexpr double strength = 40.0;  // rad/s of the rotation where B = 1
    const auto field = [](const Vec3& p) {
      return Vec3(-p.x() * p.z(), -p.y() * p.z(), 1.0 + p.z() * p.z());  // div B = 0
    };
    bottle.model.forces.fields.push_back(
        {[&](const Vec3& p, const Vec3& w, double) { return Vec3(strength * w.cross(field(p))); }, true});
    bottle.add_sphere(1e-3, Vec3(1.0 / strength, 0.0, 0.0), {Vec3(0.0, -1.0, 0.7)});
    const Bodies& b = bottle.state.bodies;
    const auto moment = [&] {
      const Vec3 unit = field(b.position[0]).normalized();
      const Vec3 across = b.linear_velocity[0] - unit.dot(b.linear_velocity[0]) * unit;
      return 0.5 * across.squaredNorm() / field(b.position[0]).norm();
    };
    const double before = moment(), energy = 0.5 * b.linear_velocity[0].squaredNorm();
    double farthest = 0.0, worst = 0.0;
    int turns = 0;
    bool out = true;
    run(bottle, 30.0, [&](const StepResult&) {
      worst = std::max(worst, std::abs(moment() / before - 1.0));
      farthest = std::max(farthest, std::abs(b.position[0].z()));
      const double away = b.position[0].z() * b.linear_velocity[0].z();
      if (out && away < -0.1) ++turns, out = false;
      if (away > 0.1) out = true;
    });
    EXPECT_NEAR(0.5 * b.linear_velocity[0].squaredNorm() / energy, 1.0, exact ? 1e-5 : 1e-12);
    EXPECT_LT(worst, 0.1);  // it oscillates by the gyration radius over the length in which B changes
    EXPECT_NEAR(farthest, std::sqrt(energy / before - 1.0), 0.03);
    EXPECT_GE(turns, 5);
  }
}

// A spring and a wall in its middle: half periods between impacts, with a fourth-order error.
TEST(PiecewiseSteps, ImpactsUnderASpring) {
  const auto error = [](double h) {
    World world = piecewise({.friction = 0.0, .restitution = 1.0}, h);
    world.model.settings.gravity.setZero();
    world.model.boundaries.push_back({"wall", world.material, Plane{Vec3(-1e-3, 0, 0), Vec3::UnitX()}});
    world.model.forces.fields.push_back({[](const Vec3& x, const Vec3&, double) { return Vec3(-x); }});
    world.add_sphere(1e-3, Vec3(1.0, 0.0, 0.0));
    std::vector<double> times;
    run(world, 8.0, [&](const StepResult& r) {
      for (const Impact& i : r.impacts) times.push_back(i.time_s);
    });
    EXPECT_EQ(times.size(), 3u);
    double worst = 0.0;
    for (std::size_t k = 0; k < times.size(); ++k)
      worst = std::max(worst, std::abs(times[k] - (0.5 + static_cast<double>(k)) * std::numbers::pi));
    return worst;
  };
  const double coarse = error(0.1), fine = error(0.025);
  EXPECT_LT(coarse, 1e-5);
  EXPECT_GT(std::log2(coarse / fine) / 2.0, 3.5);
}

/// The temperature of an inelastic gas over its initial value, at some times.
std::vector<double> cooling(Stepping stepping, double time_step_s, const std::vector<double>& times) {
  World world = gas(512, 0.1, Vec3::Constant(0.01), 0.9, time_step_s);
  world.model.settings.stepping = stepping;
  if (stepping == Stepping::contacts) world.model.settings.solver.tolerance = 1e-4;
  const double start = translational(world.state.bodies);
  std::vector<double> found;
  for (const double t : times) {
    run(world, t, [](const StepResult&) {});
    found.push_back(translational(world.state.bodies) / start);
  }
  return found;
}

// Haff's law: 1/sqrt(T) grows linearly, with 1/t_c = (1 - e^2)/6 times the initial rate of impacts per body
// (Enskog); the same by contacts in short steps, within the fluctuations of 512 bodies.
TEST(PiecewiseSteps, HaffCoolingAgreesWithContacts) {
  const std::vector<double> times{0.05, 0.1, 0.2, 0.3};
  const std::vector<double> by_events = cooling(Stepping::piecewise, 0.01, times),
                            by_contacts = cooling(Stepping::contacts, 2e-4, times);
  const double f = 0.1, d = 0.02, chi = (1.0 - 0.5 * f) / std::pow(1.0 - f, 3),
               density = f / (std::numbers::pi / 6.0 * d * d * d);
  const double rate = 4.0 * density * d * d * chi * std::sqrt(std::numbers::pi);  // T/m = 1
  const double cooling_time = 6.0 / ((1.0 - 0.81) * rate);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double haff = std::pow(1.0 + times[k] / cooling_time, -2.0);
    EXPECT_NEAR(by_events[k] / haff, 1.0, 0.06) << times[k];
    EXPECT_NEAR(by_contacts[k] / by_events[k], 1.0, 0.06) << times[k];
  }
}

}  // namespace
}  // namespace scree
