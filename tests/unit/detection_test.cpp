#include <algorithm>
#include <gtest/gtest.h>
#include <numbers>
#include <string_view>

#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/ellipsoid_plane.h"
#include "tests/support/world.h"

namespace scree {
namespace {

using test::World;

// The guarantee of find_contacts(), computed independently over all pairs. Lengths are over the smallest of
// the body.
constexpr double resting_margin = 0.01;       // both bodies together, in addition to their possible motion
constexpr double rounding_up = 1.0 / 1024.0;  // reaches may exceed the guarantee by this
constexpr double free_speed_m_s = 0.01, time_step_s = 1e-3;

/// Largest motion of a surface within the step, m. [body]
struct Reach {
  std::vector<double> own;       // from the body's motion and its possible acceleration by forces
  std::vector<double> pushed;    // or from its fastest neighbour
  std::vector<BoundingBox> box;  // of the body and its own reach
  bool are_neighbours(std::size_t i, std::size_t j) const { return overlap(box[i], box[j]); }
};

double smallest_length(const World& world, std::size_t i) {
  return world.model.shapes.smallest_length(world.state.bodies.shape[i]);
}

/// `slack`: part of its smallest length by which every reach is extended.
Reach reaches(const World& world, double slack) {
  const Bodies& bodies = world.state.bodies;
  Reach reach;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double speed =
        bodies.linear_velocity[i].norm() +
        bodies.angular_velocity[i].norm() * world.model.shapes.bounding_radius(bodies.shape[i]);
    reach.own.push_back(time_step_s * (speed + free_speed_m_s) +
                        (0.5 * resting_margin + slack) * smallest_length(world, i));
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    reach.box.push_back(
        {bodies.position[i], half_extent(world.model.shapes, bodies.shape[i], bodies.orientation[i]) +
                                 Vec3::Constant(reach.own[i])});
  }
  reach.pushed = reach.own;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = 0; j < bodies.size(); ++j) {
      if (i != j && reach.are_neighbours(i, j)) reach.pushed[i] = std::max(reach.pushed[i], reach.own[j]);
    }
  }
  return reach;
}

DetectionInput input_of(const World& world) {
  return {world.model.shapes, world.state.bodies, world.model.boundaries, 0.0, time_step_s, free_speed_m_s};
}

Contacts contacts_of(const World& world) {
  DetectionWorkspace workspace;
  Contacts contacts = world.state.contacts;
  NormalCache cached_normals = world.state.cached_normals;
  std::vector<CachedPair> cached = world.state.cached;
  const DetectionReport report =
      find_contacts(input_of(world), workspace, {contacts, cached_normals, cached});
  EXPECT_EQ(report.failures, 0);
  return contacts;
}

/// A heap of two sizes, 3 : 1.
World mixed_heap(std::uint64_t seed) {
  World world = test::loose_heap(6, 6, {}, time_step_s, seed);
  Bodies& bodies = world.state.bodies;
  const Bodies large = bodies;
  bodies = {};
  for (std::size_t i = 0; i < large.size(); ++i) {
    const double scale = i % 2 == 0 ? 1.0 : 1.0 / 3.0;
    world.add(scale * Vec3(0.10, 0.075, 0.05), large.pose(i));
  }
  return world;
}

class AllPairs : public ::testing::TestWithParam<double> {};  // after how many seconds

TEST_P(AllPairs, ContactsAreThoseWithinTheMarginAndNoOthers) {
  // Compared with all pairs of bodies, and of bodies and walls. A pair whose distance is below its possible
  // motion is a contact, with the gap and normal of the pair alone. There are no other contacts. They are
  // ordered by key, without duplicates.
  for (const std::uint64_t seed : {3u, 4u}) {
    World world = seed == 3u ? test::loose_heap(6, 6, {}, time_step_s, seed) : mixed_heap(seed);
    world.model.settings.solver = SolverSettings{};
    world.run(GetParam());
    const Bodies& bodies = world.state.bodies;
    const Contacts contacts = contacts_of(world);
    EXPECT_TRUE(std::ranges::is_sorted(contacts.list, {}, &Contact::key));
    EXPECT_EQ(std::ranges::adjacent_find(contacts.list, {}, &Contact::key), contacts.list.end());
    const Reach least = reaches(world, 0.0), most = reaches(world, rounding_up);
    const auto n = static_cast<std::int32_t>(bodies.size());
    std::size_t touching = 0, close = 0, found = 0;
    const auto compare = [&](std::int32_t i, std::int32_t j, const Gap& g, double surely, double at_most) {
      const Contact* at = contacts.find({i, j, g.feature});
      if (at == nullptr) {
        EXPECT_GT(g.distance, surely) << i << " " << j << ", a contact is missing";
        return;
      }
      ++found;
      ++(g.distance < 0.0 ? touching : close);
      EXPECT_LE(g.distance, at_most) << i << " " << j << ", a contact too many";
      EXPECT_NEAR(at->gap, g.distance, 1e-12);
      EXPECT_LT((at->normal - g.normal).norm(), 1e-8);
    };
    for (std::int32_t i = 0; i < n; ++i) {
      const auto si = static_cast<std::size_t>(i);
      const PlacedEllipsoid a =
          place(enclosing_ellipsoid(world.model.shapes, bodies.shape[si]), bodies.pose(si));
      for (std::int32_t j = i + 1; j < n; ++j) {
        const auto sj = static_cast<std::size_t>(j);
        const PlacedEllipsoid b =
            place(enclosing_ellipsoid(world.model.shapes, bodies.shape[sj]), bodies.pose(sj));
        // If two bodies are not neighbours and others may push one towards the other, contacts are missing:
        // see PushedBodyFindsTheBodyBehindIt. Once that test passes, this holds without the condition.
        const double surely = least.are_neighbours(si, sj) ? least.pushed[si] + least.pushed[sj] : -infinity;
        compare(i, j, gap(a, b), surely, most.pushed[si] + most.pushed[sj]);
      }
      // A wall contributes no half of the resting margin.
      const double wall_half = 0.5 * resting_margin * smallest_length(world, si);
      for (std::size_t w = 0; w < world.model.boundaries.size(); ++w) {
        const Gap g = gap(a, std::get<Plane>(world.model.boundaries[w].surface));
        compare(i, boundary_partner(w), g, least.pushed[si] + wall_half, most.pushed[si] + wall_half);
      }
    }
    EXPECT_EQ(found, contacts.size());  // each contact is one of these pairs
    EXPECT_GT(touching, 10u);
    EXPECT_GT(close, 10u);
  }
}

// In the fall, in the impacts, at rest.
INSTANTIATE_TEST_SUITE_P(Detection, AllPairs, ::testing::Values(0.3, 0.5, 1.5));

// Fails today: a body that is hit moves as far as the body that hits it (docs/decisions/0003). But its box,
// by which pairs are found, covers only its own motion. So a body close behind it enters the list one step
// late, and overlaps until then.
TEST(Detection, PushedBodyFindsTheBodyBehindIt) {
  PairLaw law;
  law.friction = 0.0;
  World world(law, time_step_s);
  world.model.settings.gravity.setZero();
  world.model.settings.solver.correction_sweeps = 0;
  const double r = 0.05, gap_m = 1e-3;
  world.add_sphere(r, Vec3(0, 0, 0), {Vec3(5.0, 0, 0), Vec3::Zero()});
  world.add_sphere(r, Vec3(2 * r + 2.5e-3, 0, 0));  // is touched in the middle of the first step
  world.add_sphere(r, Vec3(4 * r + 2.5e-3 + gap_m, 0, 0));
  double deepest = 0.0;
  world.run(0.01, [&](const StepReport& report) { deepest = std::max(deepest, report.penetration_max); });
  EXPECT_LT(deepest, 1e-6);  // over the radius; it is 0.03
}

/// The result of a detection, with the memory that it used.
struct Memory {
  Contacts contacts;
  NormalCache cached_normals;
  std::vector<CachedPair> cached;

  DetectionReport find(const World& world, DetectionWorkspace& workspace) {
    return find_contacts(input_of(world), workspace, {contacts, cached_normals, cached});
  }
  bool operator==(const Memory& o) const {
    const auto bytes = [](const auto& list) {
      return std::string_view(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(list[0]));
    };
    return bytes(contacts.list) == bytes(o.contacts.list) &&
           bytes(cached_normals.list) == bytes(o.cached_normals.list);
  }
};

TEST(Detection, UpdatedContactsEqualRebuiltContacts) {
  // Blocks of bodies with unchanged contacts and seeds are renewed in place. A seed for an unused partner, at
  // the end of every body's list, prevents this. While the heap comes to rest, blocks of both kinds are next
  // to each other, and move forward and back in the lists.
  World world = test::loose_heap(8, 6, {}, time_step_s, 5);
  world.model.settings.solver = SolverSettings{};
  world.run(0.9);
  DetectionWorkspace kept, kept_anew;
  Memory memory;
  int mixed = 0, all = 0;
  for (int k = 0; k < 300; ++k) {
    Memory anew = memory;
    const std::vector<std::int32_t> row = memory.cached_normals.row;
    for (std::size_t i = row.size(); i-- > 1;) {
      anew.cached_normals.list.insert(anew.cached_normals.list.begin() + row[i],
                                      {boundary_partner(1000), 0, Vec3::UnitX()});
      anew.cached_normals.row[i] += static_cast<std::int32_t>(i);
    }
    memory.find(world, kept);
    anew.find(world, kept_anew);
    ASSERT_TRUE(memory == anew) << k;
    ASSERT_EQ(memory.contacts.row, anew.contacts.row) << k;
    ASSERT_EQ(memory.cached_normals.row, anew.cached_normals.row) << k;
    ASSERT_TRUE(std::ranges::is_sorted(memory.contacts.list, std::ranges::less{}, &Contact::key)) << k;
    const auto blocks_renewed = [](const DetectionWorkspace& w) {
      return std::ranges::count_if(
          w.found, [](int steps) { return steps > 0; }, &DetectionWorkspace::Found::renewed);
    };
    const auto renewed = blocks_renewed(kept);
    ASSERT_EQ(blocks_renewed(kept_anew), 0) << k;
    (renewed == std::ssize(kept.found) ? all : mixed) += renewed > 0 ? 1 : 0;
    for (Contact& contact : memory.contacts.list)
      contact.impulse = Vec3f(1.0f, 2.0f, 3.0f);  // these values are kept
    world.step();
  }
  EXPECT_GT(mixed, 20);
  EXPECT_GT(all, 20);
  // In the long run no unused room for lists is kept.
  for (int k = 0; k < 110; ++k) memory.find(world, kept);
  for (const DetectionWorkspace::Found& block : kept.found) EXPECT_EQ(block.contacts.capacity(), 0u);
}

TEST(Detection, CachedSeparationsChangeNoContact) {
  // A falling heap, and one nearly at rest: a workspace with known separate pairs and an empty workspace give
  // the same bits; both find separate pairs.
  for (const double from_s : {0.1, 1.5}) {
    World world = test::loose_heap(6, 6, {}, time_step_s, 5);
    world.model.settings.solver = SolverSettings{};
    world.run(from_s);
    DetectionWorkspace kept;
    Memory memory;
    std::int64_t known = 0, candidates = 0;
    for (int i = 0; i < 100; ++i) {
      DetectionWorkspace fresh;
      Memory anew = memory;
      EXPECT_EQ(anew.find(world, fresh).known_apart, 0);
      const DetectionReport report = memory.find(world, kept);
      EXPECT_TRUE(memory == anew) << "step " << i;
      known += report.known_apart;
      candidates += report.candidates;
      world.step();
    }
    EXPECT_GT(known, candidates / 10);
  }
}

TEST(Detection, MovedBodiesInvalidateCachedSeparations) {
  // Changed by hand, by a rotation in place, and by another state in the same workspace: separate bodies now
  // touch.
  World world;
  const Quat slanted(Eigen::AngleAxisd(0.25 * std::numbers::pi, Vec3::UnitZ()));  // so that boxes overlap
  const Vec3 axes(0.10, 0.05, 0.05), across = slanted * Vec3::UnitY();
  world.add(axes, {Vec3::Zero(), slanted});
  world.add(axes, {0.103 * across, slanted});
  const Pose apart = world.state.bodies.pose(1);
  DetectionWorkspace workspace;
  Memory memory;
  memory.find(world, workspace);
  EXPECT_EQ(memory.contacts.size(), 0u);
  EXPECT_EQ(memory.find(world, workspace).known_apart, 1);
  world.state.bodies.position[1] = 0.0999 * across;
  EXPECT_EQ(memory.find(world, workspace).known_apart, 0);
  EXPECT_EQ(memory.contacts.size(), 1u);
  world.state.bodies.position[1] = apart.position;
  memory.find(world, workspace);
  EXPECT_EQ(memory.find(world, workspace).known_apart, 1);
  world.state.bodies.orientation[1] = Quat::Identity();
  memory.find(world, workspace);
  EXPECT_EQ(memory.contacts.size(), 1u);

  world.state.bodies.orientation[1] = apart.orientation;
  memory.find(world, workspace);
  Memory other = memory;  // continues from the first one's state, then from another
  World moved = world;
  moved.state.bodies.position[1] = 0.0999 * across;
  memory.find(world, workspace);
  EXPECT_EQ(other.find(moved, workspace).known_apart, 0);
  EXPECT_EQ(other.contacts.size(), 1u);
}

TEST(Detection, ContactsAreFoundByTheirKeys) {
  World world = test::loose_heap(4, 4, {}, 1e-3);
  world.run(0.4);
  const Contacts& contacts = world.state.contacts;
  ASSERT_GT(contacts.size(), 20u);
  for (const Contact& c : contacts.list) EXPECT_EQ(contacts.find(c.key), &c);
  EXPECT_EQ(contacts.find({0, 1 << 20, 0}), nullptr);
  EXPECT_EQ(contacts.find({1 << 20, 1 << 21, 0}), nullptr);
}

TEST(Step, NewWorkspaceGivesSameBits) {
  World kept = test::loose_heap(4, 4, {}, 1e-3), fresh = test::loose_heap(4, 4, {}, 1e-3);
  kept.run(0.3);
  for (int i = 0; i < 300; ++i) {
    fresh.workspace = Workspace{};
    fresh.step();
  }
  EXPECT_EQ(state_hash(kept.state.bodies), state_hash(fresh.state.bodies));
}

TEST(Step, RestartsFromACopyOfTheState) {
  World world = test::loose_heap(4, 4, {}, 1e-3);
  world.run(0.3);
  State copy = world.state;
  world.run(0.4);
  Workspace workspace;
  StepResult result;
  for (int i = 0; i < 100; ++i) step(world.model, copy, workspace, result);
  EXPECT_EQ(state_hash(world.state.bodies), state_hash(copy.bodies));
}

/// Equations without a solution from the first step on.
struct NoSolution : ActuatorModel {
  std::vector<double> start(double, std::span<const double>) const override { return {0.0}; }
  void look(std::span<const double>, std::span<double>) const override {}
  void step(double, std::span<const double>, std::vector<double>&) const override {
    throw ActuatorFailure("no solution");
  }
};

// A step that fails is reported in the result; no exception is thrown.
TEST(StepFailure, IsReportedInTheResult) {
  World crowded;
  for (int k = 0; k < 5000; ++k) crowded.add_sphere(0.01, Vec3::Zero());
  crowded.step();
  EXPECT_EQ(crowded.result.failure.kind, StepFailure::Kind::crowded);
  EXPECT_FALSE(crowded.result.failure.step_is_done());
  World driven;
  driven.add_sphere(0.01, Vec3::Zero());
  driven.model.actuators.push_back({"circuit", std::make_shared<NoSolution>(), {}, {}});
  driven.step();
  EXPECT_EQ(driven.result.failure.kind, StepFailure::Kind::actuator);
  EXPECT_NE(driven.result.failure.text.find("no solution"), std::string::npos);
  World fast;
  fast.add_sphere(0.01, Vec3::Zero());
  EXPECT_FALSE(fast.step().bodies == 0 || fast.result.failure);
  fast.state.bodies.linear_velocity[0].x() = 1e160;  // its square overflows
  fast.step();
  EXPECT_EQ(fast.result.failure.kind, StepFailure::Kind::not_finite);
  EXPECT_TRUE(fast.result.failure.step_is_done());
  EXPECT_NE(fast.result.failure.text.find("body 0"), std::string::npos);
}

}  // namespace
}  // namespace scree
