// Flights between impacts: free rotation, next touches, impacts in clusters.
#include <cmath>
#include <gtest/gtest.h>

#include "engine/core/parallel.h"
#include "engine/core/state_hash.h"
#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/modules/flight/clusters.h"
#include "engine/simulation/placement.h"
#include "tests/support/gas.h"

namespace scree {
namespace {

// The free top of inertia (1, 2, 3) from (1, 1, 1): its period is 6.42270308422569 s, and its rates after 10
// s are known to 16 digits. The solution is restarted as often as its series requires.
TEST(FreeRotation, AsymmetricTopMatchesReferenceToRounding) {
  const Vec3 inertia(1.0, 2.0, 3.0);
  Quat q = Quat::Identity();
  Vec3 w(1.0, 1.0, 1.0);
  const Vec3 momentum = inertia.cwiseProduct(w);
  const double energy = 0.5 * momentum.dot(w);
  double t = 0.0;
  int pieces = 0;
  while (t < 10.0) {
    const FreeRotation r(inertia, q, w);
    const double step = std::min(10.0 - t, r.valid_s());
    for (int k = 0; k <= 10; ++k) {
      const Quat at = r.orientation(0.1 * k * step);
      EXPECT_LE(r.angular_velocity(at).norm(), r.most_spin() * (1.0 + 1e-14));
    }
    q = r.orientation(step);
    w = r.angular_velocity(q);
    t += step;
    ++pieces;
  }
  const Vec3 body = q.conjugate() * w;
  EXPECT_NEAR(body[0], -0.60347042309251813, 1e-13);
  EXPECT_NEAR(body[1], -1.2789931385478724, 1e-13);
  EXPECT_NEAR(body[2], 0.88772678821573304, 1e-13);
  EXPECT_NEAR((q * inertia.cwiseProduct(body) - momentum).norm(), 0.0, 1e-13);
  EXPECT_NEAR(0.5 * body.dot(inertia.cwiseProduct(body)), energy, 1e-14 * 10.0 * energy);
  EXPECT_LT(pieces, 100);
}

// The closed form for a solid of revolution against the series for a nearly symmetric top.
TEST(FreeRotation, SolidOfRevolutionIsTheLimitOfNearbyTops) {
  const Quat q = Quat(0.3, 0.5, -0.2, 0.7).normalized();
  const Vec3 w(0.4, -1.1, 0.7);
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 round(2.0, 2.0, 2.0), other;
    round[axis] = 0.7;
    other = round;
    other[(axis + 1) % 3] += 1e-9;
    const FreeRotation closed(round, q, w), series(other, q, w);
    EXPECT_EQ(closed.valid_s(), infinity);
    ASSERT_GT(series.valid_s(), 0.5);
    for (const double t : {0.1, 0.5}) {
      EXPECT_LT(closed.orientation(t).angularDistance(series.orientation(t)), 1e-8);
    }
  }
}

BallisticScene sky(const Model& m) {
  return {m.shapes, m.materials, m.boundaries, {}, m.cell.at(0.0), {}, {}};
}

void expect_no_overlap(const Model& model, const Bodies& b) {
  const PlacedCell cell = model.cell.at(0.0);
  for (std::size_t i = 0; i < b.size(); ++i)
    for (std::size_t j = i + 1; j < b.size(); ++j) {
      Vec3 d = b.position[j] - b.position[i];
      if (cell.is_periodic()) d += cell.nearest_image(d);
      if (d.norm() > model.shapes.bounding_radius(b.shape[i]) + model.shapes.bounding_radius(b.shape[j]))
        continue;
      const Pose of_b{b.position[i] + d, b.orientation[j]};
      const auto relation = exact_relation(model.shapes, b.shape[i], b.pose(i), b.shape[j], of_b);
      ASSERT_TRUE(relation);
      EXPECT_TRUE(*relation == Relation::separate || *relation == Relation::touching) << i << ' ' << j;
    }
}

// Elastic gases of spheres and of ellipsoids: energy and momentum to rounding, no body overlaps or escapes,
// and a new workspace and other threads give the same bits.
TEST(Clusters, ElasticGasConservesEnergyAndMomentum) {
  for (const bool periodic : {true, false})
    for (const Vec3& axes : {Vec3(1.0, 1.0, 1.0), Vec3(1.25, 1.0, 0.8), Vec3(2.0, 1.0, 1.0)}) {
      test::World gas = test::gas(216, 0.1, 0.01 * axes, 1.0, 0.01, periodic);
      Bodies& bodies = gas.state.bodies;
      const BodySums before = body_sums(bodies, Vec3::Zero());
      FlightWorkspace w;
      FlightReport report;
      std::int64_t impacts = 0;
      for (int k = 0; k < 20; ++k) {
        Bodies copy = bodies;
        fly(sky(gas.model), {}, {0.01 * k, 0.01 * (k + 1)}, bodies, w, report);
        impacts += static_cast<std::int64_t>(report.impacts.size());
        ASSERT_TRUE(report.resting.empty()) << report.end_s << " " << report.impacts.size();
        EXPECT_EQ(report.end_s, 0.01 * (k + 1));
        expect_no_overlap(gas.model, bodies);
        if (k != 3) continue;
        const int threads = thread_count();
        set_thread_count(3);
        FlightWorkspace fresh;
        fly(sky(gas.model), {}, {0.01 * k, 0.01 * (k + 1)}, copy, fresh, report);
        set_thread_count(threads);
        EXPECT_EQ(state_hash(copy), state_hash(bodies));
      }
      const BodySums after = body_sums(bodies, Vec3::Zero());
      EXPECT_GT(impacts, 1000);
      EXPECT_NEAR(after.kinetic, before.kinetic, 1e-12 * before.kinetic);
      if (periodic) {
        EXPECT_LT((after.linear - before.linear).norm(), 1e-12 * std::sqrt(before.kinetic));
      }
      if (!periodic) {
        EXPECT_TRUE(misplaced_bodies(gas.model, bodies, 0.0).empty());
      }
    }
}

}  // namespace
}  // namespace scree
