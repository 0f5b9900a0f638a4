// Events: their times, their changes, and the same continuation from a copy of the state.
#include <fstream>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "engine/run/run.h"
#include "engine/simulation/placement.h"
#include "engine/simulation/subsystems/parts.h"
#include "io/results/run_recorder.h"
#include "io/results/trajectory_reader.h"
#include "io/results/wall_mesh.h"
#include "io/scene/read_scene.h"
#include "tests/results/fixtures.h"

namespace scree::test {

namespace {

constexpr double g = 9.81;

/// A run in memory: what happened, and the state at the end.
struct Trial {
  io::Scene scene;
  RunPlan plan = run_plan(scene);
  State state = scene.initial;
  Run run{scene.model, plan, state};
  std::vector<Happening> happenings;
  bool stopped = false;

  explicit Trial(const std::string& text) : scene(io::read_scene_text(text, "events.toml")) {
    arm_events(scene.model, scene.events, state);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() = default;
  const StepResult& result() const { return run.result(); }
  /// One step; false once an event has ended the run.
  bool step() {
    stopped = run.step(scene.end_time_s) != RunStop::none;
    happenings.insert(happenings.end(), run.happenings().begin(), run.happenings().end());
    return !stopped;
  }
  void to_end(const std::function<void()>& look = [] {}) {
    while (state.time_s < scene.end_time_s - plan.slack_s) {
      const bool goes_on = step();
      look();
      if (!goes_on) return;
    }
  }
};

const std::string one_ball = R"(
[[materials]]
name = "grain"
density = 2500
friction = 0.5
[[bodies]]
radius = 0.1
position = [0, 0, 0.1]
)";

const std::string floor = "[[boundaries]]\ntype = \"plane\"\nname = \"floor\"\n";

const std::string heap = R"(
time_step = 0.002
[[materials]]
name = "grain"
density = 2500
friction = 0.4
rolling_friction = 0.0001  # without it a loose grain may rock for ever
[[bodies]]
generate = "random"
count = 60
seed = 3
semi_axes = [0.012, 0.01, 0.008]
region = { type = "box", low = [0, 0, 0], high = [0.06, 0.06, 0.4] }
[[boundaries]]
name = "bin"
type = "box"
low = [0, 0, 0]
high = [0.2, 0.06, 1]
open = ["+z"]
[[boundaries]]
name = "dam"
type = "plane"
point = [0.06, 0, 0]
normal = [-1, 0, 0]
)";

const std::string open_at_rest = R"(
[[events]]
name = "open"
quantity = "largest_speed_m_s"
falls_below = 0.02
hold = 0.04
remove = "dam"
)";

/// An event on a made-up value, and the steps, of 0.1 s, after which it happened.
std::vector<int> happened_at(Event event, const std::vector<double>& values) {
  io::Scene scene;
  std::size_t now = 0;
  event.condition.value = [&](const Observed&) { return values[now]; };
  scene.events = {event};
  State state;
  arm_events(scene.model, scene.events, state);
  std::vector<int> steps;
  for (now = 1; now < values.size(); ++now) {
    StepResult result;
    state.step = static_cast<std::int64_t>(now);
    result.report.time_s = state.time_s = 0.1 * static_cast<double>(now);
    result.report.time_step_s = 0.1;
    if (!take_events(scene.model, scene.events, result, state).empty())
      steps.push_back(static_cast<int>(now));
  }
  return steps;
}

}  // namespace

TEST(Events, HappenWhereAValueCrossesItsThreshold) {
  const std::vector<double> waves{0, 2, 1, 0, 1, 1, 0, -1, 3};
  Event event;
  event.condition.threshold = 1.0;
  EXPECT_EQ(happened_at(event, waves), (std::vector{1}));
  event.repeats = true;
  EXPECT_EQ(happened_at(event, waves), (std::vector{1, 4, 8}));
  event.condition.rising = false;  // it begins below: it must come from above
  EXPECT_EQ(happened_at(event, waves), (std::vector{2}));
  event.condition.threshold = 0.0;
  EXPECT_EQ(happened_at(event, waves), (std::vector{3, 6}));
  event.condition.needs_crossing = false;
  event.repeats = false;
  EXPECT_EQ(happened_at(event, {0, 0, 0}), (std::vector{1}));
}

TEST(Events, RequireUninterruptedHoldTime) {
  Event event;
  event.condition.threshold = 1.0;
  event.condition.hold_s = 0.2;
  event.repeats = true;
  EXPECT_EQ(happened_at(event, {0, 1, 1, 0, 1, 1, 1, 1, 1}), (std::vector{6}));
  event.condition.hold_s = 0.1;
  EXPECT_EQ(happened_at(event, {0, 1, 1, 0, 1, 1, 1, 1, 1}), (std::vector{2, 5}));
}

// The ball is released at the end of the step in which the time is reached. From then on it falls freely,
// with the velocity that the solver left.
TEST(Events, BallFallsWhenFloorIsRemoved) {
  for (const char* step : {"time_step = 0.001\n", "time_step = \"adaptive\"\n"}) {
    Trial run(std::string(step) + "end_time = 0.3\n[solver]\ntolerance = 1e-10\n" + one_ball + floor +
              "[[events]]\nquantity = \"time_s\"\nrises_above = 0.1234\nremove = \"floor\"\n");
    run.to_end();
    ASSERT_EQ(run.happenings.size(), 1u);
    const double at = run.happenings[0].time_s, fallen = run.state.time_s - at;
    EXPECT_GE(at, 0.1234 - 1e-12);
    EXPECT_LT(at, run.scene.model.settings.adaptive_step ? 0.1234 + 1e-12 : 0.1234 + 1e-3);
    EXPECT_NEAR(run.state.bodies.position[0].z(), 0.1 - 0.5 * g * fallen * fallen, 1e-6);
    EXPECT_NEAR(run.state.bodies.linear_velocity[0].z(), -g * fallen, 1e-6);
    EXPECT_EQ(count_lost_bodies(run.scene.model, run.state.bodies, run.state.time_s,
                                boundary_poses(run.scene.model, run.state)),
              0);  // behind the former floor
  }
}

// A motion that waits, is stopped and continues: the boundary's position depends only on the time in motion,
// to the last bits, without jumps.
TEST(Events, StartAndStopBoundaryMotions) {
  const auto at = [](const char* what, double time_s) {
    return "[[events]]\nquantity = \"time_s\"\nrises_above = " + std::to_string(time_s) + "\n" + what +
           " = \"table\"\n";
  };
  Trial run(
      "time_step = 0.001\nend_time = 1.0\n" + one_ball +
      "[[boundaries]]\nname = \"table\"\ntype = \"plane\"\nmotion_waits = true\n"
      "[[boundaries.motion]]\ntype = \"rotation\"\naxis = [0, 0, 1]\nangular_speed = 2\namplitude = 0.1\n" +
      at("start_motion", 0.1) + at("stop_motion", 0.3) + at("start_motion", 0.55) + at("stop_motion", 0.8));
  const Boundary& table = run.scene.model.boundaries[0];
  Quat last = Quat::Identity();
  run.to_end([&] {
    const double t = run.state.time_s;
    const double ran = std::clamp(t - 0.1, 0.0, 0.2) + std::clamp(t - 0.55, 0.0, 0.25);
    const PlacedBoundary placed = place(table, boundary_poses(run.scene.model, run.state)[0], t);
    EXPECT_LT(placed.pose.orientation.angularDistance(run.scene.model.parts[0].motion.at(ran).orientation),
              1e-14);
    EXPECT_LT(placed.pose.orientation.angularDistance(last), 2.7e-3);  // 2 rad/s + 0.2 pi rad/s
    last = placed.pose.orientation;
  });
  EXPECT_EQ(run.happenings.size(), 4u);
  // The table carries the ball while it rotates, and not before.
  EXPECT_GT(run.state.bodies.angular_velocity[0].norm() + run.state.bodies.linear_velocity[0].norm(), 0.0);
}

// While a motion waits or is stopped, the boundary has no velocity.
TEST(Events, StoppedBoundaryHasNoVelocity) {
  Trial run("time_step = 0.001\nend_time = 0.4\n" + one_ball +
            "[[boundaries]]\nname = \"belt\"\ntype = \"plane\"\nmotion_waits = true\n"
            "[[boundaries.motion]]\ntype = \"translation\"\ndirection = [0, 0, 1]\nspeed = 0.1\n"
            "[[events]]\nquantity = \"time_s\"\nrises_above = 0.1\nstart_motion = \"belt\"\n"
            "[[events]]\nquantity = \"time_s\"\nrises_above = 0.2\nstop_motion = \"belt\"\n");
  run.to_end([&] {
    const double t = run.state.time_s, work = run.result().boundaries[0].work;
    if (t < 0.1 + 1e-9 || t > 0.2 + 1e-9) {
      EXPECT_EQ(work, 0.0) << t;
    }
  });
  EXPECT_NEAR(run.state.bodies.position[0].z(), 0.1 + 0.01, 1e-4);
}

// An event reverses gravity: the potential energy is still that of the scene's gravity, and the energy
// balance closes over the whole run.
TEST(Events, AfterAChangeOfGravityTheLedgerCloses) {
  Trial run("time_step = 0.001\nend_time = 0.5\n" + one_ball + floor +
            "[[events]]\nquantity = \"time_s\"\nrises_above = 0.2\ngravity = [1, 0, 4]\n");
  double work = 0.0, dissipated = 0.0, correction = 0.0, worst = 0.0;
  const BodySums before = body_sums(run.state.bodies, run.scene.model.settings.gravity);
  run.to_end([&] {
    const EnergyLedger& e = run.result().report.energy;
    work += e.force_work;
    dissipated += e.dissipated_by_friction + e.dissipated_by_impact;
    correction += e.position_correction;
    worst = std::max(worst, std::abs(e.remainder));
  });
  const BodySums after = body_sums(run.state.bodies, run.scene.model.settings.gravity);
  const double change = after.kinetic + after.potential - before.kinetic - before.potential;
  EXPECT_LT(worst, 1e-12 * std::abs(work));
  EXPECT_NEAR(change, work + correction - dissipated, 1e-12 * work);
  EXPECT_NEAR(run.state.bodies.linear_velocity[0].z(), 4 * 0.3, 1e-3);
  EXPECT_GT(work, 0.0);
}

// A heap behind a dam, which opens when all bodies are at rest; the run ends when all are at rest again.
TEST(Events, ARunEndsAtRestAfterItsGateHasOpened) {
  Trial run("until = \"at rest\"\nend_time = 20\nrest_speed = 0.01\n" + heap + open_at_rest);
  run.to_end();
  ASSERT_EQ(run.happenings.size(), 2u);
  EXPECT_EQ(run.scene.events[run.happenings[0].event].name, "open");
  EXPECT_EQ(run.scene.events[run.happenings[1].event].name, "at rest");
  EXPECT_TRUE(run.stopped);
  EXPECT_LT(run.state.time_s, 10.0);
  EXPECT_GE(run.happenings[1].time_s, run.happenings[0].time_s + run.scene.rest_duration_s - 1e-9);
  double farthest = 0.0;
  for (const Vec3& x : run.state.bodies.position) farthest = std::max(farthest, x.x());
  EXPECT_GT(farthest, 0.08);  // beyond the former dam
}

// The same with sleep: bodies that slept against the dam wake.
TEST(Events, SleepersWakeWhenAWallIsRemoved) {
  Trial run("end_time = 3\n" + heap + "[sleep]\nspeed = 0.01\nduration = 0.05\n" +
            "[[events]]\nquantity = \"asleep\"\nrises_above = 60\nremove = \"dam\"\n");
  run.to_end();
  ASSERT_EQ(run.happenings.size(), 1u);
  double farthest = 0.0;
  for (const Vec3& x : run.state.bodies.position) farthest = std::max(farthest, x.x());
  EXPECT_GT(farthest, 0.08);
}

// A time that has passed before the other event happens: then it happens with that one. Else at its time.
TEST(Events, TimesWaitForAnotherEvent) {
  for (const double time_s : {0.1, 0.3}) {
    Trial run(
        "time_step = 0.001\nend_time = 0.4\n" + one_ball + floor +
        "[[events]]\nname = \"first\"\nquantity = \"time_s\"\nrises_above = 0.2\nrecord = true\n" +
        fmt::format(
            "[[events]]\nafter = \"first\"\nquantity = \"time_s\"\nrises_above = {}\nremove = \"floor\"\n",
            time_s));
    run.to_end();
    ASSERT_EQ(run.happenings.size(), 2u);
    EXPECT_NEAR(run.happenings[1].time_s, std::max(0.2, time_s), 1e-9);
  }
}

// The memory of events and their changes are in the state.
TEST(Events, CopiedStateContinuesWithSameBits) {
  const std::string text =
      "end_time = 1.5\n" + heap + open_at_rest +
      "[[events]]\nafter = \"open\"\nquantity = \"mass_in_region_kg\"\nrises_above = "
      "0.02\ngravity = [0, 2, -9]\nregion = { type = \"box\", low = [0.06, 0, 0], high = "
      "[0.2, 0.06, 1] }\n";
  std::vector<State> copies;
  const auto ends_in = [&](const State* from, std::vector<std::int64_t>& steps) {
    Trial run(text);
    if (from != nullptr) run.state = *from;
    run.to_end([&] {
      if (from == nullptr && run.state.step % 150 == 0) copies.push_back(run.state);
    });
    for (const Happening& h : run.happenings) steps.push_back(h.step);
    return state_hash(run.state.bodies);
  };
  set_thread_count(1);
  std::vector<std::int64_t> happened;
  const std::uint64_t end = ends_in(nullptr, happened);
  EXPECT_EQ(happened.size(), 2u);
  set_thread_count(3);
  for (const State& copy : copies) {
    std::vector<std::int64_t> later = happened, again;
    std::erase_if(later, [&](std::int64_t step) { return step <= copy.step; });
    EXPECT_EQ(ends_in(&copy, again), end) << copy.step;
    EXPECT_EQ(again, later) << copy.step;
  }
  set_thread_count(0);
}

// A force on a wall: on a box as a whole and on one of its walls.
TEST(Events, CanTriggerOnBoundaryForces) {
  const std::string box =
      "[[boundaries]]\nname = \"box\"\ntype = \"box\"\nlow = [-0.2, -0.2, 0]\nhigh = [0.2, 0.2, 1]\n";
  const double weight = 2500.0 * 4.0 / 3.0 * 3.14159265358979 * 1e-3 * g;
  for (const char* name : {"box", "box.-z"}) {
    Trial run("time_step = 0.001\nend_time = 0.1\n[solver]\ntolerance = 1e-10\n" + one_ball + box +
              "[[events]]\nquantity = \"force_N\"\nboundary = \"" + name +
              "\"\nrises_above = " + std::to_string(0.999 * weight) + "\nstop = true\n");
    run.to_end();
    ASSERT_TRUE(run.stopped) << name;
    EXPECT_NEAR(run.happenings[0].value, weight, 1e-3 * weight);
  }
}

// In piecewise steps of 10 ms, to 1e-13 of a step of the closed forms: a height that a ball passes twice, two
// balls that come within a distance and leave it, a velocity that changes its sign.
TEST(Events, ExpressionsAreLocatedInPiecewiseSteps) {
  Trial trial(R"scene(
stepping = "piecewise"
time_step = 0.01
end_time = 1
[[materials]]
name = "grain"
density = 2500
[[bodies]]
radius = 0.01
position = [0, 0, 0]
velocity = [0.3, 0, 4]
[[bodies]]
radius = 0.01
position = [1, 0.1, 0]
velocity = [-2.7, 0, 4]
[[events]]
name = "height"
expression = "z - 0.5"
body = 0
crosses = 0
repeats = true
record = true
[[events]]
name = "near"
expression = "sqrt((x - ox)^2 + (y - oy)^2 + (z - oz)^2)"
body = 0
other_body = 1
crosses = 0.5
repeats = true
record = true
[[events]]
name = "turn"
expression = "t"
crosses = 0.9
record = true
[[events]]
name = "back"
expression = "z + oz"
body = 1
other_body = 0
falls_below = 0.4
set_velocity = ["-vx", "vy", "vz"]
)scene");
  while (trial.state.time_s < 1.0 - 1e-12) {
    trial.step();
  }
  // z = 4 t - g t^2 / 2 for both; distances 1 - 3 t along and 0.1 across.
  const auto passes = [](double z, double sign) { return (4.0 + sign * std::sqrt(16.0 - 2.0 * g * z)) / g; };
  const double across = std::sqrt(0.25 - 0.01);
  std::vector<std::pair<std::string, double>> expected{
      {"height", passes(0.5, -1.0)}, {"near", (1.0 - across) / 3.0}, {"near", (1.0 + across) / 3.0},
      {"height", passes(0.5, 1.0)},  {"back", passes(0.2, 1.0)},     {"turn", 0.9}};
  std::ranges::sort(expected, {}, &std::pair<std::string, double>::second);
  ASSERT_EQ(trial.happenings.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const Happening& h = trial.happenings[k];
    EXPECT_EQ(trial.scene.events[h.event].name, expected[k].first) << k;
    EXPECT_NEAR(h.time_s, expected[k].second, 3e-15) << k;
  }
  EXPECT_EQ(trial.state.bodies.linear_velocity[1].x(), 2.7);
}

// In free flight from the kick on.
TEST(Events, AKickWakesASleepingBody) {
  Trial trial(R"scene(
gravity = [0, 0, -9.81]
time_step = 0.001
end_time = 0.4
[sleep]
speed = 0.01
duration = 0.05
[[materials]]
name = "grain"
density = 2500
[[boundaries]]
type = "plane"
point = [0, 0, 0]
normal = [0, 0, 1]
material = "grain"
[[bodies]]
radius = 0.1
position = [0, 0, 0.1]
[[events]]
name = "kick"
expression = "t + 0 * z"
body = 0
crosses = 0.3
set_velocity = ["0.5", "0", "2"]
)scene");
  while (trial.state.time_s < 0.3 - 1e-12) {
    EXPECT_TRUE(trial.state.time_s < 0.2 || trial.state.bodies.is_asleep(0));
    trial.step();
  }
  ASSERT_EQ(trial.happenings.size(), 1u);
  const double kicked_at = trial.state.time_s;
  while (trial.state.time_s < 0.4 - 1e-12) trial.step();
  const double t = trial.state.time_s - kicked_at;
  const Vec3 moved = trial.state.bodies.position[0] - Vec3(0, 0, 0.1);
  EXPECT_NEAR(moved[0], 0.5 * t, 1e-9);
  EXPECT_NEAR(moved[2], 2.0 * t - 0.5 * 9.81 * t * t, 1e-6);  // overlaps are corrected before
}

// Results of a run: events.csv, the summary, frames without the wall, and the requested number of frames.
TEST(Events, AreRecorded) {
  const TemporaryFolder folder;
  Trial run(
      "time_step = 0.01\nend_time = 0.4\n[output]\ninterval = 0.1\n" + one_ball + floor +
      "[[events]]\nname = \"let go, faster\"\nquantity = \"time_s\"\nrises_above = 0.2\nremove = \"floor\"\n"
      "output_interval = 0.05\n[[events]]\nname = \"never\"\nquantity = \"contacts\"\nrises_above = 5\nstop "
      "= true\n");
  {
    io::RunRecorder recorder(run.scene, {folder.path(), false});
    run.run.observe(recorder);
    run.to_end();
    const io::Summary summary = recorder.finish(io::RunStatus::finished, run.state);
    EXPECT_EQ(summary.events[0].count, 1);
    EXPECT_EQ(summary.events[1].count, 0);
    EXPECT_EQ(summary.ended_by, "");
    EXPECT_NE(io::to_json(summary).find("\"let go, faster\""), std::string::npos);
  }
  EXPECT_EQ(read_text(folder.path() / "events.csv"),
            "step,time_s,event,quantity,value,actions,instant_s,count,x_m,y_m,z_m,vx_m_s,vy_m_s,vz_m_s\n"
            "20,0.2,\"let go, faster\",time_s,0.2,remove floor; output interval 0.05 s,0.2,1,,,,,,\n");
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  ASSERT_EQ(reader.frames(), 7u);  // 0, 0.1, 0.2, then every 0.05 s
  EXPECT_TRUE(reader.walls_move());
  for (std::size_t k = 0; k < reader.frames(); ++k) {
    // The frame at the time of the event shows the state of the step before it.
    const bool removed = reader.time_s()[k] > 0.21;
    const Boundaries boundaries = reader.boundaries(k);
    EXPECT_EQ(boundaries[0].removed, removed) << k;
    EXPECT_EQ(io::wall_mesh(boundaries, {Vec3::Constant(-1), Vec3::Constant(1)}).polygon.empty(), removed);
  }
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "walls.pvd"));
  EXPECT_NE(read_text(folder.path() / "vtk" / "walls_000000.vtp"),
            read_text(folder.path() / "vtk" / "walls_000004.vtp"));
}

}  // namespace scree::test
