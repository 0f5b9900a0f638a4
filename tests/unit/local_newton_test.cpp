// Light bodies between heavy ones: contacts on which sweeps do not converge, and properties of their
// solution.
#include "engine/solver/sweeps/local_newton.h"

#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "engine/solver/problem/residual.h"
#include "engine/solver/solver.h"
#include "tests/support/world.h"

namespace scree {
namespace {

SolveReport solve_with(const ContactProblem& p, SolverKind kind, int max_sweeps, ContactSolution& s) {
  SolverSettings settings;
  settings.kind = kind;
  settings.max_sweeps = max_sweeps;
  SolverWorkspace workspace;
  return solve(p, settings, workspace, s);
}

BodyResponse ball(double mass, double radius) {
  BodyResponse r;
  r.inverse_mass = 1.0 / mass;
  r.set_inverse_inertia(Mat3::Identity() / (0.4 * mass * radius * radius));
  return r;
}

ContactTerms touching(const Vec3& n, const Vec3& arm_a, const Vec3& arm_b) {
  ContactTerms c{};
  c.n = n;
  c.t1 = Vec3::UnitX();
  c.arm_a = arm_a;
  c.arm_b = arm_b;
  c.tangent_ratio = 1.0f;
  c.length = 0.01f;
  c.friction = 0.5;
  return c;
}

/// A ball on a small one, with `ratio` times its mass; both have fallen for a moment.
ContactProblem ball_on_ball(double ratio) {
  const Vec3 up = Vec3::UnitZ();
  ContactProblem p;
  p.resize(3, 2, false);
  p.response[0] = ball(ratio, 1.0);
  p.response[1] = ball(1.0, 0.01);
  p.response[2] = {};
  p.free_velocity = {{-0.01 * up, Vec3::Zero()}, {-0.01 * up, Vec3::Zero()}, {Vec3::Zero(), Vec3::Zero()}};
  p.edge = {{0, 1}, {1, 2}};
  p.contact = {touching(up, -up, 0.01 * up), touching(up, -0.01 * up, Vec3::Zero())};
  p.approach.assign(2, 0.0f);
  p.start_impulse.assign(2, Vec3f::Zero());
  p.velocity_scale = p.gravity_speed = 0.01;
  p.complete();
  return p;
}

// Closed form: the floor carries the momentum of both, the small ball that of the large one.
TEST(LocalNewton, SolvesHeavyBallOnAMillionfoldLighterBall) {
  for (const double ratio : {1e4, 1e6, 1e8}) {
    const ContactProblem p = ball_on_ball(ratio);
    ContactSolution s;
    const SolveReport report = solve_with(p, SolverKind::gauss_seidel, 1000, s);
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_LT(report.sweeps, 80) << ratio;
    // The tolerance is a thousandth of the common speed.
    EXPECT_NEAR(s.impulse[0][0], 0.01 * ratio, 1e-5 * ratio);
    EXPECT_NEAR(s.impulse[1][0], 0.01 * (ratio + 1.0), 1e-5 * ratio);
    for (const std::size_t body : {0u, 1u}) EXPECT_LT(std::abs(to_vec3(s.velocity[body].linear).z()), 1e-5);
    // Single precision would leave the small ball a speed of ratio * 0.01 m/s * 6e-8.
    EXPECT_LE(residual(p, s.velocity, s.impulse, s.row_impulse).rms_m_s, 1.0001 * report.residual.rms_m_s);
  }
}

// The same with a light plate between, which moves up and down without rotation.
TEST(LocalNewton, SolvesLightSlidingPlateUnderHeavyBall) {
  const Vec3 up = Vec3::UnitZ();
  ContactProblem p;
  p.resize(4, 3, false);
  const double heavy = 1e6;
  p.response[0] = ball(heavy, 1.0);
  p.response[1] = {};
  p.response[1].slides = true;
  p.response[1].set_inverse_inertia(0.5 * up * up.transpose());
  p.response[2] = ball(1.0, 0.01);
  p.response[3] = {};
  for (Twist& v : p.free_velocity) v = {-0.01 * up, Vec3::Zero()};
  p.free_velocity[3] = {Vec3::Zero(), Vec3::Zero()};
  p.edge = {{0, 1}, {2, 1}, {2, 3}};
  p.contact = {touching(up, -up, Vec3::Zero()), touching(-up, 0.01 * up, Vec3::Zero()),
               touching(up, -0.01 * up, Vec3::Zero())};
  p.approach.assign(3, 0.0f);
  p.start_impulse.assign(3, Vec3f::Zero());
  p.velocity_scale = p.gravity_speed = 0.01;
  p.complete();
  ContactSolution s;
  const SolveReport report = solve_with(p, SolverKind::gauss_seidel, 1000, s);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LT(report.sweeps, 120);
  EXPECT_NEAR(s.impulse[0][0], 0.01 * heavy, 1e-5 * heavy);
  EXPECT_NEAR(s.impulse[1][0], 0.01 * (heavy + 2.0), 1e-5 * heavy);
  EXPECT_NEAR(s.impulse[2][0], 0.01 * (heavy + 3.0), 1e-5 * heavy);
}

/// A settling heap in which some bodies have a hundred thousand times the mass of the others.
ContactProblem uneven_heap(int per_side) {
  PairLaw law;
  law.friction = 0.5;
  test::World world = test::loose_heap(per_side, per_side, law, 2e-3, 9);
  world.model.settings.solver = SolverSettings{};
  world.run(0.5);
  ContactProblem p = world.workspace.problem;
  for (std::size_t i = 0; i < p.bodies(); i += 11) {
    BodyResponse& r = p.response[i];
    if (!r.is_moved()) continue;
    r.inverse_mass *= 1e-5;
    r.set_inverse_inertia(1e-5 * r.inverse_inertia());
  }
  for (Vec3f& start : p.start_impulse) start.setZero();
  p.complete();
  return p;
}

TEST(LocalNewton, SolvesHeapWithHeavyBodies) {
  const ContactProblem p = uneven_heap(6);
  ASSERT_GT(p.contacts(), 400u);
  ContactSolution s;
  EXPECT_EQ(solve_with(p, SolverKind::nsgs, 1000, s).status, SolveStatus::iteration_limit);
  const SolveReport report = solve_with(p, SolverKind::gauss_seidel, 1000, s);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_GT(report.sweeps, 64);  // otherwise there were no late contacts
  // The reported residual is that of the returned solution; impulses are in their cones and give the
  // velocities.
  const Residual exact = residual(p, s.velocity, s.impulse, s.row_impulse);
  EXPECT_NEAR(report.residual.rms_m_s, exact.rms_m_s, 0.01 * exact.rms_m_s + 3e-6 * p.velocity_scale);
  EXPECT_LE(exact.rms_m_s, 1.01e-3 * p.velocity_scale);
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    EXPECT_GE(s.impulse[c][0], 0.0);
    EXPECT_LE(s.impulse[c].tail<2>().norm(), p.friction(c) * s.impulse[c][0] * (1 + 1e-15));
  }
  const std::vector<BodyVelocity> velocity = s.velocity;
  velocities_from_impulses(p, s);
  for (std::size_t i = 0; i < p.bodies(); ++i)
    EXPECT_LT((to_vec3(velocity[i].linear) - to_vec3(s.velocity[i].linear)).norm(), 1e-12);
}

TEST(LocalNewton, SameBitsOnAnyNumberOfThreads) {
  const ContactProblem p = uneven_heap(8);
  ASSERT_GT(p.contacts(), 1000u);
  set_thread_count(1);
  ContactSolution one;
  const SolveReport report = solve_with(p, SolverKind::gauss_seidel, 1000, one);
  EXPECT_GT(report.sweeps, 64);
  for (const int threads : {2, 3, 4, 8}) {
    set_thread_count(threads);
    ContactSolution many;
    EXPECT_EQ(solve_with(p, SolverKind::gauss_seidel, 1000, many).sweeps, report.sweeps);
    EXPECT_EQ(many.impulse, one.impulse) << threads << " threads";
  }
  set_thread_count(0);
}

// If no contact has converged, all are left to sweeps; the next check comes after twice the sweeps.
TEST(LocalNewton, SkipsWhenAllContactsAreUnconverged) {
  const ContactProblem p = uneven_heap(6);
  ContactSolution s;
  (void)solve_with(p, SolverKind::gauss_seidel, 3, s);
  const std::vector<Vec3> impulse = s.impulse;
  LocalNewton late;
  ASSERT_TRUE(late.are_due(64));
  EXPECT_FALSE(late.solve(p, 64, 1e-3, std::vector<float>(p.contacts(), 1.0f), {}, s));
  EXPECT_EQ(s.impulse, impulse);
  EXPECT_TRUE(late.are_due(128));
  std::vector<float> one_of_all(p.contacts(), 0.0f);
  one_of_all[5] = 1.0f;
  EXPECT_TRUE(late.solve(p, 128, 1e-3, one_of_all, {}, s));
  EXPECT_NE(s.impulse, impulse);
  EXPECT_TRUE(late.are_due(144));
}

}  // namespace
}  // namespace scree
