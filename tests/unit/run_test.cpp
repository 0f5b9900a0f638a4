// The run loop: times of steps, order of the observers' calls, and reasons for the end of a run.
#include "engine/run/run.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/support/world.h"

namespace scree::test {
namespace {

/// Records its calls.
struct Notes : RunObserver {
  std::vector<std::string> told;
  std::int64_t last_step = 1000;  // the run stops after this step
  std::string against;            // its message after step 3
  std::int64_t step = 0;
  bool may_go_on() override { return step < last_step; }
  void after_step(const StepResult& result, const State& state) override {
    EXPECT_EQ(result.report.step, state.step);
    step = state.step;
    told.push_back("step " + std::to_string(step));
  }
  void after_events(std::span<const Happening> happenings, const StepResult&, const State&) override {
    told.push_back("events " + std::to_string(happenings.size()));
  }
  std::string objection() override { return step == 3 ? against : ""; }
  void before_next(const State&) override { told.push_back("next"); }
};

Event at_time(double time_s, bool stops) {
  Event event;
  event.name = "bell";
  event.condition.quantity = "time_s";
  event.condition.value = [](const Observed& now) { return now.result.report.time_s; };
  event.condition.threshold = time_s;
  event.condition.time_s = time_s;
  event.actions.stop = stops;
  return event;
}

struct RunLoop : ::testing::Test {
  World world;
  RunPlan plan;
  Notes notes;
  RunLoop() {
    world.add_sphere(0.01, Vec3::Zero());
    world.model.settings.time_step_s = 0.01;
    plan.frame_interval_s = 0.1;
    plan.slack_s = 0.005;
  }
  RunStop until(double end_s) {
    arm_events(world.model, plan.events, world.state);
    scree::Run run(world.model, plan, world.state);
    run.observe(notes);
    const RunStop stop = run.until(end_s);
    failure = run.failure();
    text = run.failure_text();
    return stop;
  }
  StepFailure failure;
  std::string text;
};

TEST_F(RunLoop, RunsToEndTimeAndNotifiesEveryStep) {
  EXPECT_EQ(until(0.02), RunStop::end_time);
  EXPECT_EQ(notes.told,
            (std::vector<std::string>{"step 1", "events 0", "next", "step 2", "events 0", "next"}));
}

TEST_F(RunLoop, EndsWithAnEventThatStopsIt) {
  plan.events = {at_time(0.03, true)};
  EXPECT_EQ(until(1.0), RunStop::event);
  EXPECT_EQ(world.state.step, 3);
  EXPECT_EQ(notes.told.back(), "events 1");  // and no further call
}

TEST_F(RunLoop, StopsWhenAnObserverInterrupts) {
  notes.last_step = 5;
  EXPECT_EQ(until(1.0), RunStop::interrupted);
  EXPECT_EQ(world.state.step, 5);
}

TEST_F(RunLoop, FailsWhenAnObserverObjects) {
  notes.against = "enough";
  EXPECT_EQ(until(1.0), RunStop::failed);
  EXPECT_EQ(failure.kind, StepFailure::Kind::objection);
  EXPECT_EQ(text, "step 3 at t = 0.03 s: enough");
}

TEST_F(RunLoop, FailedStepEndsTheRunWithoutNotification) {
  for (int k = 0; k < 5000; ++k) world.add_sphere(0.01, Vec3::Zero());
  EXPECT_EQ(until(1.0), RunStop::failed);
  EXPECT_EQ(failure.kind, StepFailure::Kind::crowded);
  EXPECT_TRUE(notes.told.empty());
  EXPECT_EQ(text.rfind("step 1 at t = 0 s: ", 0), 0u);
}

// Adaptive steps end at frames, events and the end; events change the following frames.
TEST_F(RunLoop, LandsOnFramesEventsAndTheEnd) {
  world.model.settings.adaptive_step = true;
  world.model.settings.time_step_s = 0.04;
  world.model.settings.least_time_step_s = 1e-6;
  plan.slack_s = 1e-7;
  Event faster = at_time(0.15, false);
  faster.actions.output_interval_s = 0.02;
  plan.events = {faster};
  struct Ends : RunObserver {
    void after_step(const StepResult&, const State& state) override { ends.push_back(state.time_s); }
    std::vector<double> ends;
  } ends;
  arm_events(world.model, plan.events, world.state);
  scree::Run run(world.model, plan, world.state);
  run.observe(ends);
  EXPECT_EQ(run.until(0.2), RunStop::end_time);
  for (const double wanted : {0.1, 0.15, 0.17, 0.19, 0.2})
    EXPECT_TRUE(std::ranges::any_of(ends.ends, [&](double t) { return std::abs(t - wanted) < 1e-12; }))
        << wanted;
  EXPECT_EQ(world.state.time_s, 0.2);
}

}  // namespace
}  // namespace scree::test
