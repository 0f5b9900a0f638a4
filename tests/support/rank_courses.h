// Runs of a world by one process, and by several emulated ranks: the same bits.
#pragma once

#include <gtest/gtest.h>

#include "engine/simulation/ranks/decomposition.h"
#include "tests/support/emulated_team.h"
#include "tests/support/world.h"

namespace scree::test {

/// Subdomains with the given number of bodies.
inline void cut_into(std::int32_t bodies, State& state) {
  Subdomains& s = state.bodies.subdomains;
  const auto n = static_cast<std::int32_t>(state.bodies.size());
  for (std::int32_t k = 0; k < n; k += bodies) s.first.push_back(k);
  s.first.push_back(n);
  s.cut_bodies = n;
  s.index();
}

struct Told {
  std::uint64_t hash;
  StepReport report;
  std::vector<double> of_parts;  // travel, rate, and velocities of each
};

/// Reports of a world's steps, and the final state.
struct Course {
  std::vector<Told> steps;
  State end;
};

inline void take_step(World& world, Course& course) {
  const StepReport& report = world.step();
  Told told{state_hash(world.state.bodies), report, {}};
  for (const PartState& part : world.state.parts) {
    told.of_parts.insert(told.of_parts.end(), {part.travel, part.rate});
    for (const Vec3& v : {part.pose.position, part.twist.linear, part.twist.angular})
      told.of_parts.insert(told.of_parts.end(), v.begin(), v.end());
  }
  course.steps.push_back(told);
}

/// Called before each step, on each rank.
using Event = std::function<void(World&, int step)>;

inline Course whole(
    World world, int steps, const Event& event = [](World&, int) {}) {
  Course course;
  for (int k = 0; k < steps; ++k) {
    event(world, k);
    take_step(world, course);
  }
  course.end = world.state;
  return course;
}

inline std::pair<std::int32_t, std::int32_t> bodies_of(const Bond& bond) { return {bond.a, bond.b}; }

/// By emulated ranks; the state is also collected after some steps.
inline Course by_ranks(
    const World& begin, int steps, std::size_t ranks, const std::vector<int>& collect_at = {},
    const Event& event = [](World&, int) {}) {
  EmulatedTeam team(ranks);
  std::vector<Course> course(ranks);
  team.run([&](std::size_t r) {
    World world = begin;
    world.workspace.decomposition = std::make_shared<Decomposition>(world.model, team.rank(r), world.state);
    for (int k = 0; k < steps; ++k) {
      event(world, k);
      take_step(world, course[r]);
      if (std::ranges::find(collect_at, k) != collect_at.end())
        world.workspace.decomposition->collect(world.state);
    }
    course[r].end = world.workspace.decomposition->collect(world.state);
  });
  for (std::size_t r = 1; r < ranks; ++r)
    for (int k = 0; k < steps; ++k) {
      EXPECT_EQ(course[r].steps[k].hash, course[0].steps[k].hash);
      EXPECT_EQ(course[r].steps[k].of_parts, course[0].steps[k].of_parts) << "rank " << r << ", step " << k;
      EXPECT_EQ(course[r].steps[k].report.sweeps, course[0].steps[k].report.sweeps);
      EXPECT_EQ(course[r].steps[k].report.bonds_broken, course[0].steps[k].report.bonds_broken);
    }
  for (std::size_t r = 1; r < ranks; ++r)
    EXPECT_TRUE(std::ranges::equal(course[r].end.bonds, course[0].end.bonds, {}, &bodies_of, &bodies_of));
  return course[0];
}

inline void expect_same(const Course& a, const Course& b) {
  ASSERT_EQ(a.steps.size(), b.steps.size());
  for (std::size_t k = 0; k < a.steps.size(); ++k) {
    const StepReport &p = a.steps[k].report, &q = b.steps[k].report;
    ASSERT_EQ(p.candidates, q.candidates) << "step " << k;
    ASSERT_EQ(p.contacts, q.contacts) << "step " << k;
    ASSERT_EQ(p.velocity_scale_m_s, q.velocity_scale_m_s) << "step " << k;
    ASSERT_EQ(p.sweeps, q.sweeps) << "step " << k;
    ASSERT_EQ(p.residual_rms_m_s, q.residual_rms_m_s) << "step " << k;
    ASSERT_EQ(a.steps[k].hash, b.steps[k].hash) << "step " << k;
    ASSERT_EQ(a.steps[k].of_parts, b.steps[k].of_parts) << "step " << k;
    EXPECT_EQ(p.active_contacts, q.active_contacts);
    EXPECT_EQ(p.bodies_in_collision, q.bodies_in_collision);
    EXPECT_EQ(p.bodies, q.bodies);
    EXPECT_EQ(p.touching, q.touching);
    EXPECT_EQ(p.penetration_max, q.penetration_max);
    EXPECT_EQ(p.penetration_mean, q.penetration_mean);
    EXPECT_EQ(p.compression_max, q.compression_max);
    EXPECT_EQ(p.deepest, q.deepest);
    for (const LedgerEntry& entry : ledger_entries)
      EXPECT_EQ(p.energy.*entry.value, q.energy.*entry.value) << entry.name << ", step " << k;
    EXPECT_EQ(p.momentum_error_relative, q.momentum_error_relative);
    EXPECT_EQ(p.boundary_impulse, q.boundary_impulse);
    EXPECT_EQ(p.unreturned_J, q.unreturned_J);
    EXPECT_EQ(p.coarseness.turning, q.coarseness.turning);
    EXPECT_EQ(p.coarseness.turn_rad, q.coarseness.turn_rad);
    EXPECT_EQ(p.coarseness.wall_travel, q.coarseness.wall_travel);
    EXPECT_EQ(p.halvings, q.halvings);
    EXPECT_EQ(p.bonds_formed, q.bonds_formed);
    EXPECT_EQ(p.bonds_broken, q.bonds_broken);
    EXPECT_EQ(p.bond_use, q.bond_use);
    EXPECT_EQ(p.time_s, q.time_s);
    ASSERT_EQ(p.asleep, q.asleep) << "step " << k;
    EXPECT_EQ(p.woken, q.woken) << "step " << k;
    EXPECT_EQ(p.sleep_impulse, q.sleep_impulse) << "step " << k;
    EXPECT_EQ(p.sleep_angular_impulse, q.sleep_angular_impulse) << "step " << k;
  }
  EXPECT_EQ(a.end.bodies.id, b.end.bodies.id);
  EXPECT_EQ(a.end.bodies.subdomains.first, b.end.bodies.subdomains.first);
  ASSERT_EQ(a.end.contacts.size(), b.end.contacts.size());
  for (std::size_t c = 0; c < a.end.contacts.size(); ++c) {
    EXPECT_EQ(a.end.contacts[c].key, b.end.contacts[c].key);
    EXPECT_EQ(a.end.contacts[c].impulse, b.end.contacts[c].impulse);
  }
  EXPECT_EQ(a.end.bodies.asleep, b.end.bodies.asleep);
  EXPECT_EQ(a.end.sleepers.still, b.end.sleepers.still);
  ASSERT_EQ(a.end.sleepers.contacts.size(), b.end.sleepers.contacts.size());
  for (std::size_t c = 0; c < a.end.sleepers.contacts.size(); ++c) {
    const Contact &p = a.end.sleepers.contacts[c], &q = b.end.sleepers.contacts[c];
    EXPECT_EQ(p.key, q.key);
    EXPECT_EQ(p.impulse, q.impulse);
    EXPECT_EQ(p.arm_a, q.arm_a);
    EXPECT_EQ(p.arm_b, q.arm_b);
  }
  EXPECT_EQ(a.end.cached_normals.row, b.end.cached_normals.row);
  ASSERT_EQ(a.end.springs.size(), b.end.springs.size());
  for (std::size_t k = 0; k < a.end.springs.size(); ++k) {
    EXPECT_EQ(a.end.springs[k].key, b.end.springs[k].key);
    EXPECT_EQ(a.end.springs[k].force, b.end.springs[k].force);
    EXPECT_EQ(a.end.springs[k].tangential_stiffness, b.end.springs[k].tangential_stiffness);
    EXPECT_EQ(a.end.springs[k].normal_energy, b.end.springs[k].normal_energy);
    EXPECT_EQ(a.end.springs[k].tangential_energy, b.end.springs[k].tangential_energy);
    EXPECT_EQ(a.end.springs[k].free_overlap, b.end.springs[k].free_overlap);
  }
}

}  // namespace scree::test
