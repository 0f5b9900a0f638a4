// Moving boundaries: a plate that lifts, a plate that rotates, a drum. The energy balance contains their work
// on the bodies.
#include <gtest/gtest.h>
#include <numbers>

#include "engine/geometry/ellipsoid_plane.h"
#include "engine/geometry/ellipsoid_tube.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

/// A heap on the floor of its box, at rest.
World settled_heap() {
  PairLaw law;
  law.friction = 0.4;
  World world = test::loose_heap(4, 3, law, 1e-3, 2);
  world.model.settings.solver.tolerance = 1e-4;
  world.model.settings.solver.max_sweeps = 200;
  world.run(1.5);
  return world;
}

std::size_t floor_of(const World& world) {
  for (std::size_t k = 0; k < world.model.boundaries.size(); ++k)
    if (world.model.boundaries[k].name == "box.-z") return k;
  return 0;
}

double mechanical_energy(const World& world) {
  return kinetic_energy(world.state.bodies) +
         potential_energy(world.state.bodies, world.model.settings.gravity);
}

// A floor that starts to rise at 0.1 m/s lifts a heap: the energy balance closes to rounding in every step,
// the floor's work is the energy that the heap gains and dissipates, and the floor carries the weight.
TEST(BoundaryMotion, APlateLiftsAHeap) {
  World world = settled_heap();
  const std::size_t floor = floor_of(world);
  Boundary& plate = world.model.boundaries[floor];
  const double speed = 0.1;
  plate.centre = Vec3(0.3, 0.3, 0.0);
  PrescribedMotion rise = steady_motion({Vec3(0, 0, speed), Vec3::Zero()}, Vec3::Zero());
  rise.stages[0].law.start = world.state.time_s;
  test::give_motion(world.model, floor, rise);
  const double energy = mechanical_energy(world);
  double weight = 0.0, work = 0.0, dissipated = 0.0, correction = 0.0, impulse = 0.0;
  for (const double m : world.state.bodies.mass) weight += 9.81 * m;
  const double start = world.state.time_s;
  double worst = 0.0, torque = 0.0;
  const StepReport last = world.run(start + 1.0, [&](const StepReport& r) {
    worst = std::max(worst, std::abs(r.energy.remainder));
    work += r.energy.boundary_work;
    dissipated += r.energy.dissipated_by_friction + r.energy.dissipated_by_impact;
    correction += r.energy.position_correction;
    const BoundaryLoad& load = world.result.boundaries[floor];
    for (const BoundaryLoad& of : world.result.boundaries) impulse -= of.impulse[2];
    torque = load.angular_impulse.norm();
    EXPECT_NEAR(load.work, -load.impulse[2] * speed, 1e-12 * weight);  // it does not rotate
    EXPECT_LT(r.momentum_error_relative, 1e-12);
    EXPECT_LT(r.angular_momentum_error_relative, 1e-12);
  });
  EXPECT_LT(worst, 1e-12 * energy);
  EXPECT_GT(torque, 0.0);
  EXPECT_NEAR(mechanical_energy(world) - energy, work + correction - dissipated, 1e-10 * energy);
  // All boundaries together give the weight for one second, plus m v, which sets the heap in motion.
  EXPECT_NEAR(impulse, weight * 1.0 + weight / 9.81 * speed, 0.01 * weight);
  // The walls' friction slows the rising heap: the floor's work exceeds the lifting of the weight by the
  // walls' loss.
  EXPECT_GT(work, weight * speed);
  EXPECT_LT(last.penetration_max, 0.01);
  double lowest = infinity;
  for (const Vec3& x : world.state.bodies.position) lowest = std::min(lowest, x[2]);
  EXPECT_GT(lowest, 0.1 + 0.04);  // all are above the floor, which has risen by 0.1 m
}

// A sphere on a turntable with friction: in the steady state without slip it moves round with the table. The
// table's torque gives it its angular momentum, and the table's work gives it its energy.
TEST(BoundaryMotion, ATurntableTakesASphereAlong) {
  PairLaw law;
  law.friction = 1.0;
  law.rolling_friction_m = law.torsional_friction_m = 0.05;  // it may not roll: it rides
  World world(law, 1e-4);
  world.add_floor();
  world.model.settings.solver.tolerance = 1e-12;
  const double spin = 2.0, r = 0.1, distance = 0.5;
  test::give_motion(world.model, 0, steady_motion({Vec3::Zero(), Vec3(0, 0, spin)}, Vec3::Zero()));
  world.add_sphere(r, Vec3(distance, 0, r));
  double angular = 0.0, work = 0.0;
  world.run(1.0, [&](const StepReport& report) {
    angular -= world.result.boundaries[0].angular_impulse[2];
    work += world.result.boundaries[0].work;
    EXPECT_NEAR(world.result.boundaries[0].work, report.energy.boundary_work, 1e-15);
    EXPECT_LT(std::abs(report.energy.remainder), 1e-12);
  });
  const Bodies& b = world.state.bodies;
  EXPECT_NEAR(angular, angular_momentum(b)[2], 1e-9);
  // It slips for mu g t = v at first, then rides: its velocity is that of the table below its centre.
  const Vec3 below = Vec3(0, 0, spin).cross(b.position[0]);
  EXPECT_LT((b.linear_velocity[0] - below).norm(), 0.01 * below.norm());
  EXPECT_NEAR(b.angular_velocity[0][2], spin, 0.01 * spin);
  EXPECT_GT(work, kinetic_energy(b));  // the rest was dissipated by friction while it slipped
}

// A sphere that may not roll rides on a turntable from the start: it stays at its distance for four turns in
// coarse steps, and friction rubs nothing (A18). With the velocity where each step touches, it would spiral
// outwards at distance * spin^2 * step / 2: by a fifth.
//
// The table's own point of reference does not matter, nor does a shift before or after the rotation. On a
// carriage that drives steadily the sphere stays at the table's axis too.
TEST(BoundaryMotion, ASphereStaysAtItsPlaceOnATurntable) {
  const Vec3 spin(0, 0, 8.0), drive(0.4, 0.3, 0);
  const double r = 0.01, distance = 0.05;
  MotionStage shifted{MotionStage::Kind::translation, Vec3::UnitX(), Vec3::Zero(), {}};
  shifted.law.times = {0.0};
  shifted.law.values = {0.3};
  const MotionStage carriage = steady_motion({drive, Vec3::Zero()}, Vec3::Zero()).stages[0],
                    turn = steady_motion({Vec3::Zero(), spin}, Vec3::Zero()).stages[0];
  struct Table {
    std::vector<MotionStage> stages;
    Vec3 centre, axis, drive;
  };
  for (const Table& table : {Table{{turn}, Vec3::Zero(), Vec3::Zero(), Vec3::Zero()},
                             Table{{turn}, Vec3(0.3, 0.2, 0), Vec3::Zero(), Vec3::Zero()},
                             Table{{turn, shifted}, Vec3::Zero(), Vec3::Zero(), Vec3::Zero()},
                             Table{{shifted, turn}, Vec3::Zero(), Vec3(0.3, 0, 0), Vec3::Zero()},
                             Table{{carriage, turn}, Vec3(1, 0, 0), Vec3::Zero(), drive}}) {
    PairLaw law;
    law.friction = 0.6;
    law.rolling_friction_m = law.torsional_friction_m = 0.05;
    World world(law, 2e-3);
    world.add_floor();
    world.model.boundaries[0].centre = table.centre;
    world.model.settings.solver.tolerance = 1e-12;
    test::give_motion(world.model, 0, {table.stages});
    const Vec3 arm(distance, 0, 0);
    world.add_sphere(r, table.axis + arm + Vec3(0, 0, r), {table.drive + spin.cross(arm), spin});
    const double energy = kinetic_energy(world.state.bodies);
    double rubbed = 0.0;
    world.run(3.0,
              [&](const StepReport& report) { rubbed += std::abs(report.energy.dissipated_by_friction); });
    const Vec3 place = world.state.bodies.position[0] - table.axis - world.state.time_s * table.drive;
    EXPECT_NEAR(std::hypot(place[0], place[1]), distance, 2e-3 * distance);  // of third order in the step
    EXPECT_LT(rubbed, 1e-3 * energy);
  }
}

// A ball rolls on a turntable without slip: its centre runs in a circle with 2/7 of the table's spin, and is
// back where it began after a whole one (Earnshaw 1844). Its radius is v over that rate.
TEST(BoundaryMotion, ABallRollsInCirclesOnATurntable) {
  PairLaw law;
  law.friction = 1.0;
  World world(law, 2e-3);
  world.add_floor();
  world.model.settings.solver.tolerance = 1e-12;
  const double r = 0.01, spin = 7.0, rate = 2.0 * spin / 7.0, speed = 0.1;
  test::give_motion(world.model, 0, steady_motion({Vec3::Zero(), Vec3(0, 0, spin)}, Vec3::Zero()));
  const Vec3 start(0.05, 0, r), table = Vec3(0, 0, spin).cross(start), v(0, speed, 0);
  // Without slip: v - r w x z = table.
  const Vec3 w = Vec3::UnitZ().cross(v - Vec3(table[0], table[1], 0.0)) / r;
  world.add_sphere(r, start, {v, w});
  double widest = 0.0;
  world.run(2.0 * std::numbers::pi / rate, [&](const StepReport&) {
    widest = std::max(widest, (world.state.bodies.position[0] - start).norm());
  });
  EXPECT_NEAR(widest, 2.0 * speed / rate, 1e-3 * speed / rate);
  EXPECT_LT((world.state.bodies.position[0] - start).norm(), 0.01 * speed / rate);
}

// A plate that tips faster than bodies on it can fall: they leave the plate as free bodies, and none sinks
// in.
TEST(BoundaryMotion, TippingPlateIsNotPenetrated) {
  PairLaw law;
  law.friction = 0.5;
  World world(law, 1e-3);
  world.add_floor();
  // The side of +x moves down.
  test::give_motion(world.model, 0, steady_motion({Vec3::Zero(), Vec3(0, 1.0, 0)}, Vec3::Zero()));
  Random random(4);
  for (int i = 0; i < 8; ++i)
    world.add(Vec3(0.10, 0.075, 0.05), {Vec3(-1.2 + 0.3 * i, 0, 0.11), random.rotation()});
  double deepest = 0.0, worst = 0.0, injected = 0.0;  // in addition to the plate's work
  world.run(0.8, [&](const StepReport& r) {
    deepest = std::max(deepest, r.penetration_max);
    worst = std::max(worst, std::abs(r.energy.remainder));
    injected -= r.energy.dissipated_by_friction + r.energy.dissipated_by_impact;
  });
  EXPECT_LT(deepest, 0.01);  // of the smallest semi-axis
  EXPECT_LT(worst, 1e-10);
  EXPECT_LT(injected, 1e-6);
}

TEST(BoundaryMotion, PosesAreExactAfterLongTimes) {
  const test::MovingBoundary b{{"plate", {}, Plane{Vec3(1, 0, 0), Vec3::UnitX()}},
                               steady_motion({Vec3(0, 0, 0.5), Vec3(0, 0, 2.0)}, Vec3::Zero())};
  const double whole_turns = 1e6 * 3.14159265358979323846;
  const PlacedBoundary placed = b.at(whole_turns);
  const Plane& plane = std::get<Plane>(placed.surface);
  EXPECT_LT((plane.normal - Vec3::UnitX()).norm(), 1e-8);  // rounding of 6e6 radians
  EXPECT_LT((plane.point - Vec3(1, 0, 0.5 * whole_turns)).norm(), 1e-8);
}

// Sleep: a body on a floor that starts to move wakes.
TEST(BoundaryMotion, SleepersWakeWhereABoundaryMoves) {
  World world;
  world.add_floor();
  world.add_sphere(0.1, Vec3(0, 0, 0.1));
  world.model.settings.sleep = {.speed_m_s = 1e-3, .duration_s = 0.02, .tolerance = 0.05};
  ASSERT_EQ(world.run(0.2).asleep, 1);
  world.model.boundaries[0].surface_velocity = Vec3(0.5, 0, 0);  // a belt
  EXPECT_EQ(world.step().asleep, 0);
  world.run(1.0);
  // It rolls on the belt: the velocity at the contact is the belt's.
  const Vec3 at_contact =
      world.state.bodies.linear_velocity[0] + world.state.bodies.angular_velocity[0].cross(Vec3(0, 0, -0.1));
  EXPECT_LT((at_contact - Vec3(0.5, 0, 0)).norm(), 1e-6);
}

// A belt slides along itself: a velocity into its surface neither lets bodies sink in nor lifts them.
TEST(BoundaryMotion, ABeltDoesNotMoveAlongTheNormal) {
  for (const double across : {-0.2, 0.2}) {
    World world;
    world.add_floor();
    world.add_sphere(0.02, Vec3(0, 0, 0.02));
    world.model.boundaries[0].surface_velocity = Vec3(0.3, 0, across);
    const StepReport last = world.run(1.0);
    EXPECT_LT(last.penetration_max, 1e-4);
    EXPECT_NEAR(world.state.bodies.position[0][2], 0.02, 1e-6);
    const Vec3 at_contact = world.state.bodies.linear_velocity[0] +
                            world.state.bodies.angular_velocity[0].cross(Vec3(0, 0, -0.02));
    EXPECT_LT((at_contact - Vec3(0.3, 0, 0)).norm(), 1e-6);
  }
}

TEST(BoundaryMotion, TheVelocityOfABeltIsProjectedAtEveryContact) {
  PlacedBoundary belt;
  belt.surface_velocity = Vec3(0.4, 0.1, 0);
  EXPECT_EQ(belt.sliding(Vec3::UnitZ()), belt.surface_velocity);  // to the bit
  const Vec3 fold = Vec3(1, 0, 1).normalized();
  EXPECT_LT((belt.sliding(fold) - Vec3(0.2, 0.1, -0.2)).norm(), 1e-15);
}

// A screw that rotates on a carriage which moves to and fro: each stage carries the following ones.
TEST(PrescribedMotion, EachStageCarriesTheFollowingStages) {
  PrescribedMotion m = steady_motion({Vec3::Zero(), Vec3(0, 0, 3.0)}, Vec3(1, 0, 0));
  MotionStage carriage;
  carriage.axis = Vec3::UnitY();
  carriage.law.amplitude = 0.2;
  carriage.law.frequency = 2.0;
  carriage.law.phase = 0.5;
  carriage.law.start = 0.1;
  m.stages.insert(m.stages.begin(), carriage);
  for (const double t : {0.0, 0.05, 0.37, 12.3}) {
    const double shift =
        t < 0.1 ? 0.0 : 0.2 * (std::sin(4.0 * std::numbers::pi * (t - 0.1) + 0.5) - std::sin(0.5));
    const Pose pose = m.at(t);
    // A point half a metre from the screw's axis.
    const Vec3 x = pose.position + pose.orientation * Vec3(1.5, 0, 0),
               expected(1.0 + 0.5 * std::cos(3.0 * t), shift + 0.5 * std::sin(3.0 * t), 0.0);
    EXPECT_LT((x - expected).norm(), 1e-14) << t;
  }
  // In the reverse order the screw rotates the rails.
  std::swap(m.stages[0], m.stages[1]);
  const Pose pose = m.at(0.37);
  const Vec3 rail = pose.orientation * Vec3::UnitY();
  EXPECT_LT((rail - Vec3(-std::sin(1.11), std::cos(1.11), 0)).norm(), 1e-14);
}

TEST(PrescribedMotion, TablesAndFunctions) {
  TimeLaw law;
  law.times = {0.0, 1.0, 3.0};
  law.values = {0.0, 2.0, 1.0};
  law.start = -2.0;
  EXPECT_EQ(law.at(-1.0), 0.0);
  EXPECT_EQ(law.at(0.25), 0.5);
  EXPECT_EQ(law.at(2.0), 1.5);
  EXPECT_EQ(law.at(9.0), 1.0);
  law.function = [](double t) { return t * t; };
  EXPECT_NEAR(law.rate_at(-1.0), -2.0, 1e-10);  // from the function alone
  EXPECT_NEAR(law.rate_at(0.5), 2.0 + 1.0, 1e-10);
  EXPECT_NEAR(law.rate_at(2.5), -0.5 + 5.0, 1e-10);
  law.stop = 2.0;  // all boundaries stop
  EXPECT_EQ(law.rate_at(2.5), 0.0);
  EXPECT_EQ(law.at(1.0), 3.0);
  EXPECT_EQ(law.at(5.0), 5.5);
}

TEST(PrescribedMotion, MeanTwistMapsStartPoseToEndPose) {
  Random random(9);
  for (int k = 0; k < 100; ++k) {
    test::MovingBoundary b{{"wall", {}, Plane{random.direction(), random.direction()}},
                           steady_motion({random.direction(), 5.0 * random.direction()}, random.direction())};
    b.boundary.centre = random.direction();
    MotionStage rock{MotionStage::Kind::rotation, random.direction(), random.direction(), {}};
    rock.law.amplitude = 0.4;
    rock.law.frequency = 3.0;
    b.motion.stages.push_back(rock);
    const double t = random.uniform(0.0, 10.0), h = 2e-3;
    const PlacedBoundary from = b.at(t), middle = b.at(t + 0.5 * h, h), to = b.at(t + h);
    const Quat turn(Eigen::AngleAxisd(h * middle.twist.angular.norm(), middle.twist.angular.normalized()));
    EXPECT_LT((from.pose.position + h * middle.twist.linear - to.pose.position).norm(), 1e-13);
    EXPECT_LT((turn * from.pose.orientation).angularDistance(to.pose.orientation), 1e-7);
    // For a step of zero length, the limit: to the second power of the step.
    const Twist now = b.at(t + 0.5 * h).twist;
    EXPECT_LT((now.linear - middle.twist.linear).norm(), 3e-3);
    const Twist nearly = b.at(t + 0.5 * h, 0.01 * h).twist;
    EXPECT_LT((now.linear - nearly.linear).norm(), 3e-7);
    EXPECT_LT((now.angular - nearly.angular).norm(), 3e-7);
  }
}

// A plate shakes a heap, by a function of time: its work is the sum of force times velocity, step by step,
// and the energy balance closes.
TEST(BoundaryMotion, AShakenPlatesWorkIsForceTimesVelocity) {
  World world = settled_heap();
  const std::size_t floor = floor_of(world);
  const double start = world.state.time_s, amplitude = 2e-3, rate = 40.0;
  MotionStage shake;
  shake.axis = Vec3::UnitZ();
  shake.law.function = [=](double t) { return amplitude * (1.0 - std::cos(rate * (t - start))); };
  shake.law.start = start;
  test::give_motion(world.model, floor, {{shake}});
  double integral = 0.0, work = 0.0, worst = 0.0, most = 0.0;
  world.run(start + 0.5, [&](const StepReport& r) {
    const double h = 1e-3, t = r.time_s - 0.5 * h;
    const BoundaryLoad& load = world.result.boundaries[floor];
    // The velocity in the middle of the step, by the derivative: the engine uses the step's mean.
    integral -= load.impulse[2] * amplitude * rate * std::sin(rate * (t - start));
    work += load.work;
    most = std::max(most, std::abs(work));
    worst = std::max(worst, std::abs(r.energy.remainder));
  });
  EXPECT_LT(worst, 1e-10);
  EXPECT_GT(most, 1e-3);
  EXPECT_NEAR(work, integral, 1e-4 * most);  // (rate h)^2 / 24
}

/// A box's walls as one mesh of 12 triangles.
PlacedMesh mesh_of_box(const Vec3& low, const Vec3& high) {
  TriangleMesh m;
  for (int k = 0; k < 8; ++k)
    m.points.emplace_back(k & 1 ? high.x() : low.x(), k & 2 ? high.y() : low.y(), k & 4 ? high.z() : low.z());
  m.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  MeshFindings findings;
  return {std::make_shared<MeshSurface>(mesh_surface(m, findings)), {}};
}

// The same heap in a box of planes and in one of triangles: equal to rounding until the motion becomes
// chaotic, and equal at rest.
TEST(BoundaryMotion, ABoxOfTrianglesIsABoxOfPlanes) {
  PairLaw law;
  law.friction = 0.4;
  World planes = test::loose_heap(3, 3, law, 1e-3, 2);
  Vec3 low = Vec3::Constant(infinity), high = -low;
  for (const Boundary& b : planes.model.boundaries) {
    const Plane& p = std::get<Plane>(b.surface);
    for (int k = 0; k < 3; ++k) {
      if (p.normal[k] > 0.5) low[k] = p.point[k];
      if (p.normal[k] < -0.5) high[k] = p.point[k];
    }
  }
  high[2] = 10.0;
  World mesh = test::loose_heap(3, 3, law, 1e-3, 2);
  const MaterialIndex material = mesh.model.boundaries[0].material;
  mesh.model.boundaries = {{"box", material, mesh_of_box(low, high)}};
  for (World* w : {&planes, &mesh}) {
    w->model.settings.solver.tolerance = 1e-6;
    w->model.settings.solver.max_sweeps = 500;
  }
  planes.run(0.05);
  mesh.run(0.05);
  for (std::size_t i = 0; i < planes.state.bodies.size(); ++i)
    EXPECT_LT((planes.state.bodies.position[i] - mesh.state.bodies.position[i]).norm(), 1e-9) << i;
  const double before = mechanical_energy(mesh);
  planes.run(2.0);
  mesh.run(2.0);
  EXPECT_NEAR(mechanical_energy(mesh), mechanical_energy(planes), 0.03 * std::abs(before));
  for (const Vec3& x : mesh.state.bodies.position) {
    EXPECT_TRUE((x.array() > low.array()).all());
    EXPECT_TRUE((x.array() < high.array()).all());
  }
}

// Fast and thin grains in a closed box of triangles that rotates about its own axis: none gets out, and the
// energy that they gain is the box's work.
TEST(BoundaryMotion, GrainsStayInsideRotatingBoxOfTriangles) {
  PairLaw law;
  law.friction = 0.5;
  law.restitution = 0.3;
  World world(law, 1e-3);
  const Vec3 half(0.3, 0.3, 0.3);
  world.model.boundaries.push_back({"drum", MaterialIndex(0), mesh_of_box(-half, half)});
  test::give_motion(world.model, 0, steady_motion({Vec3::Zero(), Vec3(0, 8.0, 0)}, Vec3::Zero()));
  Random random(11);
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      for (int k = 0; k < 4; ++k) {
        const auto body =
            world.add(Vec3(0.03, 0.02, 0.004),
                      {Vec3(0.1 * (i - 2), 0.1 * (j - 2), 0.12 * (k - 1.5)), random.rotation()});
        world.state.bodies.linear_velocity[body] = 20.0 * random.direction();  // 5 semi-axes per step
      }
    }
  }
  double worst = 0.0;
  world.run(0.4, [&](const StepReport& r) { worst = std::max(worst, std::abs(r.energy.remainder)); });
  const Pose now = world.model.parts[0].motion.at(world.state.time_s);
  for (const Vec3& x : world.state.bodies.position)
    EXPECT_LT((now.orientation.conjugate() * x).cwiseAbs().maxCoeff(), 0.3);
  EXPECT_LT(worst, 1e-9);
}

// (G4) against second differences of the gap.
TEST(EllipsoidPlane, GapAccelerationOfMovingPlane) {
  Random random(3);
  const auto turned = [](const Vec3& w, double t) {
    const double angle = w.norm() * t;
    return Quat(Eigen::AngleAxisd(angle, w.normalized()));
  };
  for (int k = 0; k < 200; ++k) {
    const Ellipsoid shape{Vec3(0.3, 0.2, 0.1)};
    const Pose pose{random.direction(), random.rotation()};
    const Plane plane{0.5 * random.direction(), random.direction()};
    const Twist v{random.direction(), 3.0 * random.direction()};
    const WallMotion wall{random.direction(), {random.direction(), 2.0 * random.direction()}};
    const auto gap_at = [&](double t) {
      const Quat q = turned(wall.twist.angular, t);
      const Vec3 centre = wall.centre + t * wall.twist.linear;
      return gap(place(shape, {pose.position + t * v.linear, turned(v.angular, t) * pose.orientation}),
                 Plane{centre + q * (plane.point - wall.centre), q * plane.normal})
          .distance;
    };
    const double dt = 1e-3, second = (gap_at(dt) - 2.0 * gap_at(0.0) + gap_at(-dt)) / (dt * dt);
    // Differences have an error of fourth derivatives times dt^2: 1e-6 times accelerations of ten.
    EXPECT_NEAR(gap_acceleration(place(shape, pose), plane, v, wall), second, 1e-3);
  }
}

// A tube that rotates about an axis across its own, against the same motion seen from the tube.
TEST(EllipsoidTube, GapAccelerationInATurningTube) {
  const Ellipsoid shape{Vec3(0.12, 0.1, 0.08)};
  const Tube tube{Vec3(-1, 0, 0), Vec3(1, 0, 0), 0.5, 0.1};
  const WallMotion wall{Vec3::Zero(), {Vec3(0, 0, 0.3), Vec3(0, 0, 0.7)}};
  Random random(6);
  for (int k = 0; k < 20; ++k) {
    const Pose pose{Vec3(0.1, 0.0, -0.4), random.rotation()};
    const Twist v{0.5 * random.direction(), random.direction()};
    Gap found[max_tube_contacts];
    ASSERT_EQ(gaps(shape, pose, tube, 0.05, found), 1);
    const auto gap_at = [&](double t) {  // independently: the tube is moved, not the ellipsoid
      const Quat q(Eigen::AngleAxisd(0.7 * t, Vec3::UnitZ()));
      const Vec3 shift = t * wall.twist.linear;
      const Tube moved{shift + q * tube.start, shift + q * tube.end, tube.inner_radius, tube.thickness};
      const Quat turn(Eigen::AngleAxisd(v.angular.norm() * t, v.angular.normalized()));
      Gap g[max_tube_contacts];
      EXPECT_EQ(gaps(shape, {pose.position + t * v.linear, turn * pose.orientation}, moved, 0.1, g), 1);
      return g[0].distance;
    };
    const double dt = 1e-3, second = (gap_at(dt) - 2.0 * gap_at(0.0) + gap_at(-dt)) / (dt * dt);
    EXPECT_NEAR(gap_acceleration(shape, pose, tube, found[0], {v, 1e-3, wall}), second, 2e-2);
  }
}

}  // namespace
}  // namespace scree
