// The verdict on a run: every check just below and just above its limits, and its advice.
#include "io/results/verdict.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <malloc.h>

#include "engine/simulation/step.h"
#include "io/results/remedies.h"
#include "io/results/summary.h"
#include "tests/results/fixtures.h"

namespace scree::test {

using io::Grade;
using io::VerdictLimit;

namespace {

/// A run of 10,000 steps and bodies without any finding.
io::Summary good_run() {
  io::Summary s;
  s.solver = "gauss_seidel";
  s.steps = s.bodies = 10'000;
  s.candidates = 100'000'000;
  s.last.step = 10'000;
  s.last.time_s = 20.0;
  return s;
}

const io::Finding& finding(const io::Verdict& verdict, const std::string& code) {
  return *std::ranges::find(verdict.findings, code, &io::Finding::code);
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct CheckCase {
  VerdictLimit limit;
  std::function<void(io::Summary&, double)> set;
  double step;  // the smallest change of the value
};

std::int64_t part(double value) { return std::llround(1e4 * value); }

const CheckCase check_cases[] = {
    {io::lost_limit, [](io::Summary& s, double v) { s.lost_bodies = part(v); }, 1e-4},
    {io::overlap_limit, [](io::Summary& s, double v) { s.penetration_max_of_run = v; }, 1e-6},
    {io::compression_limit, [](io::Summary& s, double v) { s.compression.value = v; }, 1e-6},
    {io::unsolved_limit, [](io::Summary& s, double v) { s.steps_unsolved = part(v); }, 1e-4},
    {io::missed_limit,
     [](io::Summary& s, double v) { s.steps_not_converged = s.steps_far_from_goal = part(v); }, 1e-4},
    {io::given_limit,
     [](io::Summary& s, double v) {
       s.steps_given = 1;
       s.given_mean = v;
     },
     1e-6},
    {io::created_limit, [](io::Summary& s, double v) { s.energy_created_relative = v; }, 1e-9},
    {io::ledger_limit, [](io::Summary& s, double v) { s.energy_unexplained_relative = v; }, 1e-9},
    {io::momentum_limit, [](io::Summary& s, double v) { s.momentum_created_relative = v; }, 1e-9},
    {io::momentum_limit, [](io::Summary& s, double v) { s.angular_momentum_created_relative = v; }, 1e-9},
    {io::wall_travel_limit,
     [](io::Summary& s, double v) {
       s.wall_travel = {v, "wall", {}};
     },
     1e-6},
    {io::wall_detour_limit,
     [](io::Summary& s, double v) {
       s.wall_detour = {v, "wall", {}};
     },
     1e-6},
    {io::turn_limit,
     [](io::Summary& s, double v) {
       s.turn = {v, "7", {}};
     },
     1e-6},
    {io::pinch_limit,
     [](io::Summary& s, double v) {
       s.pinch.by = "boundary 'lid'";
       s.pinch.relative = v;
     },
     1e-6},
    {io::unreturned_limit,
     [](io::Summary& s, double v) {
       s.kinetic_initial_J = s.energy.dissipated_by_impact = 1.0;
       s.unreturned_J = v;
     },
     1e-6},
    {io::search_limit, [](io::Summary& s, double v) { s.narrow_phase_failures = std::llround(1e8 * v); },
     1e-8}};

class Check : public ::testing::TestWithParam<CheckCase> {
 protected:
  void expect(double value, Grade grade, double limit) {
    io::Summary s = good_run();
    GetParam().set(s, value);
    const io::Verdict verdict = judge(s, {});
    const io::Finding& found = finding(verdict, GetParam().limit.code);
    EXPECT_EQ(found.grade, grade) << value;
    EXPECT_EQ(verdict.grade, grade) << value;
    EXPECT_NEAR(found.value, value, 1e-3 * GetParam().step);
    EXPECT_EQ(found.limit, limit);
    EXPECT_FALSE(found.text.empty());
    EXPECT_EQ(found.advice.empty(), grade == Grade::green) << found.advice;
    EXPECT_EQ(verdict.findings.front().grade, grade);  // the worst comes first
  }
};

TEST_P(Check, IsGreenAtItsLimitAndAmberOrRedAboveIt) {
  const auto& [limit, set, step] = GetParam();
  expect(limit.amber, Grade::green, limit.amber);
  expect(limit.amber + step, Grade::amber, limit.amber);
  if (std::isinf(limit.red)) {
    expect(1.0, Grade::amber, limit.amber);
    return;
  }
  expect(limit.red, Grade::amber, limit.amber);
  expect(limit.red + step, Grade::red, limit.red);
}

INSTANTIATE_TEST_SUITE_P(Verdict, Check, ::testing::ValuesIn(check_cases));

}  // namespace

TEST(Verdict, IsGreenWhereNothingHappened) {
  EXPECT_EQ(judge(good_run(), {}).grade, Grade::green);
  io::Summary empty;
  empty.steps = 10;
  EXPECT_EQ(judge(empty, {}).grade, Grade::green);
  EXPECT_EQ(judge(empty, {}).findings.size(), 18u);
}

TEST(Verdict, WithoutAStepThereIsNothingToTrust) {
  io::Summary nothing = good_run();
  nothing.steps = 0;
  EXPECT_EQ(judge(nothing, {}).grade, Grade::amber);
  EXPECT_EQ(judge(nothing, {}).findings.front().text, "no step was made");
}

TEST(Verdict, FailedRunIsRedAndInterruptedRunIsJudgedByItsSteps) {
  io::Summary s = good_run();
  s.status = io::RunStatus::interrupted;
  EXPECT_EQ(judge(s, {}).grade, Grade::green);
  s.status = io::RunStatus::failed;
  EXPECT_EQ(judge(s, {}).grade, Grade::red);
  EXPECT_EQ(judge(s, {}).findings.front().code, "failed");
}

TEST(Verdict, NumbersThatAreNotFiniteAreRed) {
  io::Summary s = good_run();
  s.energy_created_relative = std::nan("");
  EXPECT_EQ(finding(judge(s, {}), "energy_created").grade, Grade::red);
}

TEST(Verdict, ReportsUnconvergedStepsAndGivesAdvice) {
  io::Summary s = good_run();
  s.steps_not_converged = 1400;
  s.steps_far_from_goal = 1000;
  s.goal_missed_by_median = 2.5;
  s.goal_missed_by_p90 = 6.0;
  s.goal_missed_by_max = 8.0;
  s.goal_missed_most = {42, 0.084};
  Settings settings;
  settings.solver.max_sweeps = 50;
  const io::Finding found = finding(judge(s, settings), "missed_goal");
  for (const char* part : {"14 % of the steps (1400 of 10000)", "a factor of more than 2.5", "a factor of 8 ",
                           "t = 0.084 s (step 42)", "10 % of all steps by a factor of more than 2"})
    EXPECT_TRUE(says(found.text, part)) << found.text;
  // Nine in ten missed it by a factor of at most 6: 50 x 6, rounded up.
  EXPECT_EQ(found.advice, "raise solver.max_sweeps from 50 to 500");
  settings.solver.tolerance = 1e-6;
  s.goal_missed_by_p90 = 1e3;
  EXPECT_TRUE(
      says(finding(judge(s, settings), "missed_goal").advice, "accept a larger solver.tolerance than 1e-06"));
  settings.solver.position_correction = PositionCorrection::biased;
  EXPECT_TRUE(says(finding(judge(s, settings), "missed_goal").advice, "solver.unbiased_sweeps from 1"));
  settings.solver.kind = SolverKind::one_pass;
  EXPECT_TRUE(says(finding(judge(s, settings), "missed_goal").advice, "solver.kind = \"gauss_seidel\""));
}

TEST(Verdict, NamesDeepestOverlapAndGivesAdvice) {
  io::Summary s = good_run();
  Settings settings;
  settings.time_step_s = 0.004;
  s.penetration_max_of_run = 0.058;
  s.steps_overlapping = 1000;
  s.deepest = {{155, 0.62}, 12, 80, "", 0.0};
  io::Finding found = finding(judge(s, settings), "overlap");
  EXPECT_TRUE(
      says(found.text, "5.8 % of the smallest semi-axis between bodies 12 and 80 at t = 0.62 s (step 155)"))
      << found.text;
  // It decreases with the square of the step: 4 ms x sqrt(3 / 5.8) = 2.9 ms, rounded down.
  EXPECT_EQ(found.advice, "time_step = 0.002 instead of 0.004");
  s.steps_overlapping = 999;
  EXPECT_EQ(
      finding(judge(s, settings), "overlap").advice,
      "time_step = \"adaptive\", because only 999 of 10000 steps overlap by more than 3 %; or time_step "
      "= 0.002 instead of 0.004");
  s.deepest = {{155, 0.62}, 12, -1, "floor", 0.2};
  s.goal_missed_by_p90 = 200.0;
  found = finding(judge(s, settings), "overlap");
  EXPECT_TRUE(says(found.text, "between body 12 and boundary 'floor'")) << found.text;
  EXPECT_TRUE(says(found.text, "was not solved")) << found.text;
  EXPECT_TRUE(says(found.advice, "solver.max_sweeps")) << found.advice;
  s.deepest.when.step = 1;
  EXPECT_TRUE(says(finding(judge(s, settings), "overlap").advice, "it is present at the start of the scene"));
}

TEST(Verdict, AdaptiveStepsAreAdvisedALargestTimeStep) {
  io::Summary s = good_run();
  Settings settings;
  settings.adaptive_step = s.adaptive_step = true;
  settings.time_step_s = 0.01;
  s.time_step_s = 0.003;
  s.penetration_max_of_run = 0.06;
  s.deepest = {{155, 0.62, 0.005}, 12, 80, "", 0.0};
  s.lost_bodies = 1;
  const io::Verdict verdict = judge(s, settings);
  // 5 ms x sqrt(3 / 6) = 3.5 ms; half of the mean step, rounded down.
  EXPECT_EQ(finding(verdict, "overlap").advice, "largest_time_step = 0.002 instead of 0.01");
  EXPECT_EQ(finding(verdict, "lost_bodies").advice, "largest_time_step = 0.001 instead of 0.01");
}

TEST(Verdict, EnergyFromImpactsRecommendsTheEnergeticLaw) {
  io::Summary s = good_run();
  Settings settings;
  s.energy_created_relative = 0.1;
  EXPECT_EQ(finding(judge(s, settings), "energy_created").advice, "time_step = 0.001 instead of 0.002");
  s.bounces = true;
  EXPECT_TRUE(says(finding(judge(s, settings), "energy_created").advice, "time_step"));
  settings.restitution_law = RestitutionLaw::newton;
  EXPECT_TRUE(says(finding(judge(s, settings), "energy_created").advice, "\"energetic\""));
  settings.restitution_law = RestitutionLaw::energetic;
  EXPECT_EQ(finding(judge(s, settings), "energy_created").advice, "time_step = 0.001 instead of 0.002");
}

TEST(Verdict, AdvisesTheRemedyFoundByTrials) {
  io::Summary s = good_run();
  s.energy_created_relative = 0.1;
  const Settings settings;
  const auto advice = [&](double tolerance, double step) {
    s.remedies = io::Remedies{0.1, tolerance, step};
    return finding(judge(s, settings), "energy_created").advice;
  };
  EXPECT_EQ(advice(0.002, 0.08), "solver.tolerance = 0.0001: with it 0.2 % remains");
  EXPECT_EQ(advice(0.09, 0.001), "time_step = 0.001 instead of 0.002: with it 0.1 % remains");
  EXPECT_TRUE(says(advice(0.09, 0.08), "both together"));
}

TEST(Remedies, CompareThreeTrialRunsOfTheSceneStart) {
  // Without changes it is the run itself: its statistics are used. Too much work is not started.
  const io::Scene scene = example_scene(3);
  State state = scene.initial;
  Workspace workspace;
  StepResult result;
  io::RunStatistics statistics(scene);
  for (int k = 0; k < 10; ++k) statistics.add(step(scene.model, state, workspace, result));
  const auto found = io::try_remedies(scene, {10, state.time_s, scene.model.settings.time_step_s});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->as_it_is, statistics.summary(state).energy_created_relative);
  EXPECT_TRUE(std::isfinite(found->finer_tolerance) && std::isfinite(found->shorter_step));
  EXPECT_FALSE(io::try_remedies(scene, {1'000'000, 2000.0, 0.002}));
}

TEST(Verdict, LimitsAreThoseOfTheDocumentation) {
  const std::string page = read_text(SCREE_SOURCE_DIR "/docs/file_formats.md");
  const auto shown = [](double limit) { return fmt::format("{:g}", limit); };
  for (const VerdictLimit& limit :
       {io::failed_limit, io::lost_limit, io::overlap_limit, io::unsolved_limit, io::missed_limit,
        io::given_limit, io::created_limit, io::ledger_limit, io::momentum_limit, io::search_limit,
        io::pinch_limit, io::wall_travel_limit, io::wall_detour_limit, io::turn_limit, io::unreturned_limit,
        io::frames_limit}) {
    const std::string row = fmt::format("| `{}` | {} | {} |", limit.code, shown(limit.amber),
                                        std::isinf(limit.red) ? "" : shown(limit.red));
    EXPECT_TRUE(says(page, row)) << row;
  }
}

// --- the values ------------------------------------------------------------------------------------------

namespace {

/// The summary of a made-up run of twenty steps.
io::Summary summary_of(const std::function<void(StepReport&)>& change) {
  const io::Scene scene = example_scene(3);
  io::RunStatistics statistics(scene);
  ExampleStep step{scene.initial, {}};
  for (int k = 1; k <= 20; ++k) {
    step = example_step(scene, k);
    step.result.report.energy_injected_J = 0.0;
    change(step.result.report);
    statistics.add(step.result.report);
  }
  return statistics.summary(step.state);
}

}  // namespace

TEST(RunStatistics, CountsStepsThatMissedTheGoalAndByHowMuch) {
  const io::Summary s = summary_of([](StepReport& r) {
    // The tolerance is 1e-3, so 60 times the tolerance leaves 6 % of the scale.
    const double factor[] = {1.5, 3.0, 5.0, 60.0};
    if (r.step > 4) return;
    r.status = SolveStatus::iteration_limit;
    r.residual_over_goal = factor[r.step - 1];
  });
  EXPECT_EQ(s.steps_not_converged, 4);
  EXPECT_EQ(s.steps_far_from_goal, 3);
  EXPECT_EQ(s.steps_unsolved, 1);
  EXPECT_EQ(s.goal_missed_by_median, 3.0);
  EXPECT_EQ(s.goal_missed_by_max, 60.0);
  EXPECT_EQ(s.goal_missed_most.step, 4);
  EXPECT_DOUBLE_EQ(s.goal_missed_most.time_s, 0.004);
}

TEST(RunStatistics, ComplianceCountsAsUnsolved) {
  const io::Summary s = summary_of([](StepReport& r) {
    // 4 % of the given scale; the solver leaves 2 % more in step 2: 20 times the tolerance of 1e-3.
    r.velocity_scale_m_s = 0.5;
    r.given_rms_m_s = r.step <= 3 ? 0.02 : 0.0;
    r.residual_over_goal = r.step == 2 ? 20.0 : 1.0;
  });
  EXPECT_EQ(s.steps_given, 3);
  EXPECT_EQ(s.steps_unsolved, 1);
  EXPECT_DOUBLE_EQ(s.given_max, 0.04);
  EXPECT_EQ(s.given_most.step, 1);
  EXPECT_DOUBLE_EQ(s.given_mean, 3 * 0.04 / static_cast<double>(s.steps));
}

TEST(RunStatistics, MediansOfLongRunsTakeNoMoreMemory) {
  // Each step takes longer than the one before, and every second one misses its tolerance by more.
  const io::Scene scene = example_scene(3);
  io::RunStatistics statistics(scene);
  const ExampleStep example = example_step(scene, 1);
  const int steps = 300'000;
  const auto taken = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };  // bytes; 0 under sanitizers
  const std::size_t before = taken();
  for (int k = 0; k < steps; ++k) {
    StepReport r = example.result.report;
    r.step = k + 1;
    r.time = {};
    r.time.detection = 1e-6 * k;
    r.status = k % 2 == 0 ? SolveStatus::converged : SolveStatus::iteration_limit;
    r.residual_over_goal = 1.0 + k;
    statistics.add(r);
  }
  const io::Summary s = statistics.summary(example.state);
  EXPECT_LT(taken(), before + 2'000'000);  // all statistics would need 3.6 MB
  EXPECT_NEAR(s.median_step_time_s, 1e-6 * (steps - steps / 12), 1e-6 * 20);
  EXPECT_NEAR(s.goal_missed_by_median, 0.5 * steps, 20.0);
  EXPECT_NEAR(s.goal_missed_by_p90, 0.9 * steps, 20.0);
  EXPECT_EQ(s.goal_missed_by_max, steps);
}

TEST(RunStatistics, RemembersTheDeepestOverlapOfTheRun) {
  const io::Summary s = summary_of([](StepReport& r) {
    r.penetration_max = r.step == 7 ? 0.5 : 0.1;
    r.deepest = r.step == 7 ? Touch{2, -1, 5} : Touch{0, 1, -1};
  });
  EXPECT_EQ(s.penetration_max_of_run, 0.5);
  EXPECT_EQ(s.steps_overlapping, s.steps);
  EXPECT_EQ(s.deepest.when.step, 7);
  EXPECT_EQ(s.deepest.body, 2);
  EXPECT_EQ(s.deepest.other_body, -1);
  EXPECT_EQ(s.deepest.boundary, "tube");
}

TEST(RunStatistics, EnergyCreatedIsTheLargestGainByContacts) {
  // Contacts take 5, give 3, take 1 and give 4 J: at the end they have given 6 J since the maximum.
  // Boundaries, forces and the correction of positions do not count here.
  const io::Summary s = summary_of([](StepReport& r) {
    const double taken[] = {0.0, 5.0, -3.0, 1.0, -4.0};
    r.energy = {};
    r.energy.kinetic = 40.0;
    r.energy.dissipated_by_friction = r.step == 1 ? 5.0 : 0.0;
    r.energy.dissipated_by_impact = r.step > 1 && r.step < 5 ? taken[r.step] : 0.0;
    r.energy.boundary_work = r.energy.position_correction = r.energy.force_work = 3.0;
    r.impulse_size_N_s = 0.0;
  });
  EXPECT_EQ(s.energy_created_most.step, 4);
  EXPECT_NEAR(s.energy_created_relative, 6.0 / 40.0, 1e-12);
}

TEST(RunStatistics, NoiseOfABedAtRestIsNotCountedAsCreatedEnergy) {
  // An hour of steps of 1 ms that give and take 1e-9 J in turn: compared with weights times sizes this is the
  // same as after one second.
  io::Scene scene = example_scene(3);
  for (Vec3& v : scene.initial.bodies.linear_velocity) v.setZero();
  for (Vec3& w : scene.initial.bodies.angular_velocity) w.setZero();
  io::RunStatistics statistics(scene);
  StepReport report;
  report.time_step_s = 1e-3;
  report.energy.potential = potential_energy(scene.initial.bodies, scene.model.settings.gravity);
  double weight_energy = 0.0, length = 0.0, mass = 0.0;
  const Bodies& bodies = scene.initial.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    mass += bodies.mass[i];
    length += scene.model.shapes.smallest_length(bodies.shape[i]) / static_cast<double>(bodies.size());
  }
  weight_energy = mass * scene.model.settings.gravity.norm() * length;
  for (int k = 0; k < 3'600'000; ++k) {
    report.energy.dissipated_by_impact = k % 2 == 0 ? 1e-9 : -1e-9;
    statistics.add(report);
  }
  EXPECT_NEAR(statistics.summary(scene.initial).energy_created_relative, 1e-9 / weight_energy, 1e-15);
  EXPECT_LT(statistics.ledger_breach(), 1e-6);
}

TEST(RunStatistics, UnexplainedEnergyIsComparedWithGrossWork) {
  // A flow that gives 1 J and takes it back has a turnover of 2 J.
  const io::Summary s = summary_of([](StepReport& r) {
    r.energy = {};
    r.energy.boundary_work = r.step == 3 ? 1.0 : r.step == 4 ? -1.0 : 0.0;
    r.energy.remainder = r.step == 5 ? 1e-6 : 0.0;
    r.impulse_size_N_s = 0.0;
  });
  EXPECT_LE(s.energy_unexplained_relative, 1e-6 / 2.0);
}

TEST(RunStatistics, ReportsPartThatPinchesBodies) {
  // A lid presses with 2 N, and once with 5000 N, while the bodies' weights and speeds are nearly zero: this
  // finding comes first, with its advice, and the other advice is omitted.
  io::Scene scene = example_scene(3);
  scene.model.boundaries.resize(2);
  scene.model.boundaries[0].name = "lid";
  scene.model.boundaries[1].part = Bodies::no_part;
  Part lid;
  lid.name = "lid";
  lid.motion = steady_motion({Vec3(0, 0, -0.1), Vec3::Zero()}, Vec3::Zero());
  scene.model.parts = {lid};
  scene.model.boundaries[0].part = 0;
  io::RunStatistics statistics(scene);
  State state = scene.initial;
  const auto contact = [](std::int32_t a, std::int32_t b, float impulse) {
    Contact c;
    c.key = {a, b};
    c.impulse.z() = impulse;
    return c;
  };
  StepResult result;
  result.boundaries.resize(2);
  result.parts.resize(1);
  result.report.time_step_s = 1e-3;
  result.report.momentum_size_kg_m_s = 1e-3;
  double mass = 0.0;
  for (const double m : scene.initial.bodies.mass) mass += m;
  for (int k = 1; k <= 100; ++k) {
    result.report.step = k;
    const double force = k == 50 ? 5e5 * mass : 2.0;
    result.parts[0].impulse = Vec3(0, 0, 1e-3 * force);
    result.parts[0].work = 0.1 * 1e-3 * force;
    statistics.add(result.report);
    // The lid presses bodies 0 and 1; body 1, which is pressed harder, presses body 2 and the wall.
    state.contacts.list = {contact(0, boundary_partner(0), 3.0f), contact(0, 1, 50.0f), contact(1, 2, 60.0f),
                           contact(1, boundary_partner(0), 40.0f), contact(1, boundary_partner(1), 30.0f)};
    statistics.add_loads(result, state);
  }
  io::Summary s = statistics.summary(scene.initial);
  EXPECT_EQ(s.pinch.body, scene.initial.bodies.id[1]);
  EXPECT_EQ(s.pinch.place, scene.initial.bodies.position[1]);
  EXPECT_EQ(s.pinch.against, "body " + std::to_string(scene.initial.bodies.id[2]));
  EXPECT_EQ(s.pinch.by, "part 'lid'");
  EXPECT_EQ(s.pinch.when.step, 50);
  EXPECT_NEAR(s.pinch.median_force_N, 2.0, 1e-9);
  EXPECT_NEAR(s.pinch.power_W, 0.1 * s.pinch.force_N, 1e-9 * s.pinch.force_N);
  s.penetration_max_of_run = 0.5;
  const io::Verdict verdict = judge(s, {});
  EXPECT_EQ(verdict.findings.front().code, "pinch");
  EXPECT_TRUE(says(verdict.findings.front().advice, "move it by a force"));
  EXPECT_EQ(finding(verdict, "overlap").advice, "first fix 'pinch'");
}

TEST(RunStatistics, CountsStepsInWhichMotorsGiveAllTheyMay) {
  io::Scene scene = example_scene(3);
  MachineJoint free, limited;
  free.name = "free";
  free.motor.kind = JointMotor::Kind::speed;
  limited.name = "drive";
  limited.motor = {.kind = JointMotor::Kind::speed, .most = 2.0};
  scene.model.joints = {free, limited};
  io::RunStatistics statistics(scene);
  StepResult result;
  result.parts.resize(scene.model.parts.size());
  result.joints.resize(2);
  result.report.time_step_s = 1e-3;
  for (int k = 1; k <= 10; ++k) {
    result.report.step = k;
    result.joints[0].motor_impulse = 5e-3;
    result.joints[1].motor_impulse = k < 4 ? 1.9e-3 : -2e-3;
    statistics.add(result.report);
    statistics.add_loads(result, scene.initial);
  }
  const io::Summary s = statistics.summary(scene.initial);
  ASSERT_EQ(s.motors.size(), 1u);
  EXPECT_EQ(s.motors[0].joint, "drive");
  EXPECT_EQ(s.motors[0].steps_at_limit, 7);
  EXPECT_EQ(s.motors[0].first.step, 4);
  EXPECT_EQ(s.motors[0].last.step, 10);
}

TEST(RunStatistics, DistinguishesCompressionByAStepFromThatByALoad) {
  // A step is to blame if it makes most of the compression, the material if several steps do.
  for (const bool at_once : {true, false}) {
    io::Summary s = summary_of([&](StepReport& r) {
      r.compression_max = r.step < 5 ? 0.0 : r.step == 5 ? (at_once ? 0.2 : 0.35) : 0.6;
      r.compressed = {4, -1, 0};
    });
    EXPECT_EQ(s.compression.value, 0.6);
    EXPECT_EQ(s.compression.where.body, 4);
    EXPECT_EQ(s.compression.where.when.step, 6);
    EXPECT_EQ(s.compression.at_once, at_once);
    const io::Verdict verdict = judge(s, {});
    EXPECT_TRUE(says(finding(verdict, "compression").text, "body 4"));
    EXPECT_EQ(says(finding(verdict, "compression").advice, "time_step"), at_once);
    EXPECT_EQ(says(finding(verdict, "compression").advice, "youngs_modulus"), !at_once);
  }
}

TEST(RunStatistics, RemembersTheCoarsestSteps) {
  const io::Summary s = summary_of([](StepReport& r) {
    if (r.step == 4) r.coarseness = {0.7, 0, 0.3, 1, 0.0, -1};
    if (r.step == 6) r.coarseness = {0.6, 1, 0.1, 0, 2.0, 2};
  });
  EXPECT_EQ(s.wall_travel.value, 0.7);
  EXPECT_EQ(s.wall_travel.when.step, 4);
  EXPECT_EQ(s.wall_detour.value, 0.3);
  EXPECT_EQ(s.turn.whose, "2");
  EXPECT_EQ(s.turn.when.step, 6);
}

TEST(RunStatistics, MomentumErrorsAreWeightedByImpulse) {
  // A grazing contact with a rounding error of a thousandth of its impulse gives no finding.
  const io::Summary s = summary_of([](StepReport& r) {
    r.momentum_error_relative = r.step == 5 ? 1e-3 : 1e-15;
    r.impulse_size_N_s = r.step == 5 ? 1e-9 : 1.0;
  });
  EXPECT_EQ(s.momentum_error_relative, 1e-3);
  EXPECT_LT(s.momentum_created_relative, 1e-12);
}

}  // namespace scree::test
