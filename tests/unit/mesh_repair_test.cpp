// Boxes of triangles with every common fault of CAD meshes, at three sizes: each is reported, and repaired if
// possible.
#include "engine/geometry/mesh_repair.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>

#include "engine/core/random.h"
#include "engine/geometry/mesh_surface.h"
#include "io/files/mesh_file.h"
#include "io/files/polygon.h"
#include "io/files/vtk_file.h"

namespace scree {
namespace {

/// Area with a sign about z of the triangles of a polygon, and whether they cover a point (in its plane).
struct Cover {
  double area = 0.0;
  int times = 0;
};
Cover cover(const std::vector<Vec3>& polygon, const Vec3& x) {
  std::vector<Vec3> corners;
  io::append_triangles(polygon, corners);
  EXPECT_EQ(corners.size(), 3 * (polygon.size() - 2));
  Cover found;
  for (std::size_t k = 0; k + 2 < corners.size(); k += 3) {
    const Vec3 &a = corners[k], &b = corners[k + 1], &c = corners[k + 2];
    found.area += 0.5 * (b - a).cross(c - a).z();
    const auto left = [&](const Vec3& p, const Vec3& q) { return (q - p).cross(x - p).z() > 0.0; };
    found.times += left(a, b) == left(b, c) && left(b, c) == left(c, a) ? 1 : 0;
  }
  return found;
}

// The corner with which a file begins a polygon does not change the wall: its area, and what it covers.
TEST(Polygon, TrianglesCoverItFromEveryCorner) {
  const std::vector<Vec3> arrow{{1, 0, 0}, {0.2, 0.2, 0}, {0, 1, 0}, {0, 0, 0}},
      comb{{0, 0, 0}, {5, 0, 0}, {5, 2, 0}, {4, 2, 0}, {4, 1, 0}, {3, 1, 0},
           {3, 2, 0}, {2, 2, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}},
      straight{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 0.5, 0}, {0, 1, 0}};
  struct Case {
    const std::vector<Vec3>& polygon;
    double area;
    Vec3 inside, outside;
  };
  for (const Case& of :
       {Case{arrow, 0.2, {0.1, 0.15, 0}, {0.4, 0.41, 0}}, Case{comb, 8.0, {3.5, 0.6, 0}, {3.5, 1.6, 0}},
        Case{straight, 1.5, {0.9, 0.2, 0}, {1, 0.8, 0}}})
    for (std::size_t first = 0; first < of.polygon.size(); ++first)
      for (const bool turned : {false, true}) {
        std::vector<Vec3> polygon = of.polygon;
        std::ranges::rotate(polygon, polygon.begin() + static_cast<std::ptrdiff_t>(first));
        if (turned) std::ranges::reverse(polygon);
        const Cover in = cover(polygon, of.inside);
        EXPECT_NEAR(in.area, turned ? -of.area : of.area, 1e-12) << first;
        EXPECT_EQ(in.times, 1) << first;
        EXPECT_EQ(cover(polygon, of.outside).times, 0) << first;
      }
}

using Triangle = std::array<Vec3, 3>;

/// A box of 2 x 1 x 1, in squares of a sixth of each side, of a twelfth on the top if `fine`; each triangle
/// has its own corners and faces outwards.
std::vector<Triangle> box(double scale, bool fine_top = false) {
  std::vector<Triangle> list;
  const Vec3 size = scale * Vec3(2, 1, 1);
  for (int axis = 0; axis < 3; ++axis)
    for (const int end : {0, 1}) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3, n = fine_top && axis == 2 && end == 1 ? 12 : 6;
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto at = [&](int a, int b) {
            Vec3 x;
            x[axis] = size[axis] * end;
            x[u] = size[u] * a / n;
            x[v] = size[v] * b / n;
            return x;
          };
          const Vec3 a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
          if (end == 1) {
            list.push_back({a, b, c});
            list.push_back({a, c, d});
          } else {
            list.push_back({a, c, b});
            list.push_back({a, d, c});
          }
        }
    }
  return list;
}

/// As read from a file: corners that are equal to the last bit are one.
TriangleMesh mesh_of(const std::vector<Triangle>& list) {
  TriangleMesh mesh;
  std::map<std::array<double, 3>, std::int32_t> known;
  for (const Triangle& t : list) {
    std::array<std::int32_t, 3> of{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [at, is_new] = known.try_emplace({t[k][0], t[k][1], t[k][2]}, std::ssize(mesh.points));
      if (is_new) mesh.points.push_back(t[k]);
      of[k] = at->second;
    }
    mesh.triangles.push_back(of);
  }
  return mesh;
}

void turn(Triangle& t) { std::swap(t[1], t[2]); }

class MeshRepair : public testing::TestWithParam<double> {
 protected:
  double scale() const { return GetParam(); }
  double tolerance() const { return 2e-6 * scale(); }
  MeshDiagnosis look(const std::vector<Triangle>& list) const { return diagnose(mesh_of(list), tolerance()); }
  /// After repair it is the box again: closed, outwards, with its volume.
  void expect_mended(const std::vector<Triangle>& list) const {
    const TriangleMesh mesh = io::mended(mesh_of(list), tolerance(), 0.6 * scale());
    const MeshDiagnosis d = diagnose(mesh, tolerance());
    EXPECT_TRUE(d.is_in_order());
    EXPECT_EQ(d.near_points, 0u);
    EXPECT_EQ(d.pieces, 1u);
    EXPECT_TRUE(d.t_junctions.empty());
    EXPECT_NEAR(mesh_mass(mesh).volume, 2.0 * std::pow(scale(), 3), 1e-5 * std::pow(scale(), 3));
    EXPECT_TRUE(mesh_faults(mesh).empty());
    MeshFindings findings;
    (void)mesh_surface(mesh, findings);
    EXPECT_TRUE(findings.is_closed());
    EXPECT_EQ(findings.dropped, 0u);
  }
};

/// Every corner is shifted by a ten-millionth, in its own direction.
void blur(std::vector<Triangle>& list, double scale) {
  Random random(5);
  for (Triangle& t : list)
    for (Vec3& x : t)
      x += 1e-7 * scale * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
}

}  // namespace

TEST_P(MeshRepair, ABoxIsInOrder) {
  const MeshDiagnosis d = look(box(scale()));
  EXPECT_TRUE(d.is_in_order());
  EXPECT_EQ(d.triangles, 432u);
  EXPECT_EQ(d.points, 218u);
  EXPECT_EQ(d.pieces, 1u);
  EXPECT_EQ(d.near_points + d.needles + d.t_junctions.size() + d.holes.size(), 0u);
  expect_mended(box(scale()));
}

TEST_P(MeshRepair, HolesAreReportedAndFilled) {
  std::vector<Triangle> list = box(scale());
  list.erase(list.begin(), list.begin() + 2);  // a square
  const MeshDiagnosis d = look(list);
  EXPECT_FALSE(d.is_closed());
  EXPECT_EQ(d.open_edges, 4u);
  ASSERT_EQ(d.holes.size(), 1u);
  EXPECT_EQ(d.holes[0].points.size(), 4u);
  EXPECT_NEAR(d.holes[0].size, std::sqrt(2.0) / 6.0 * scale(), 1e-9 * scale());
  if (io::vtk_problem().empty()) expect_mended(list);
  // A hole above the requested size stays.
  EXPECT_EQ(diagnose(io::mended(mesh_of(list), tolerance(), 0.1 * scale()), tolerance()).open_edges, 4u);
}

TEST_P(MeshRepair, InwardAndTurnedTrianglesAreReportedAndTurned) {
  std::vector<Triangle> list = box(scale());
  for (Triangle& t : list) turn(t);
  EXPECT_EQ(look(list).inside_out, 1u);
  EXPECT_EQ(look(list).turned_edges, 0u);
  expect_mended(list);
  list = box(scale());
  for (std::size_t k = 0; k < list.size(); k += 7) turn(list[k]);
  EXPECT_GT(look(list).turned_edges, 100u);
  expect_mended(list);
}

TEST_P(MeshRepair, DegenerateTrianglesAreReportedAndDropped) {
  std::vector<Triangle> list = box(scale());
  for (int k = 0; k < 5; ++k) list.push_back(list[static_cast<std::size_t>(k)]);
  EXPECT_EQ(look(list).twice, 5u);
  expect_mended(list);
  list = box(scale());
  list.push_back({list[0][0], list[0][1], list[0][1]});
  list.push_back({list[0][0], list[0][1], 0.5 * (list[0][0] + list[0][1])});
  EXPECT_EQ(look(list).without_area, 2u);
  expect_mended(list);
}

TEST_P(MeshRepair, CornersThatDifferInTheLastDigitsAreReportedAndJoined) {
  std::vector<Triangle> list = box(scale());
  blur(list, scale());
  const MeshDiagnosis d = look(list);
  EXPECT_EQ(d.near_points, 3u * 432u - 218u);
  EXPECT_EQ(d.open_edges, 3u * 432u);
  EXPECT_TRUE(d.crossings.empty());  // by less than the tolerance
  expect_mended(list);
}

TEST_P(MeshRepair, TJunctionsAreReportedAndShared) {
  const std::vector<Triangle> list = box(scale(), true);
  const MeshDiagnosis d = look(list);
  EXPECT_EQ(d.t_junctions.size(), 24u);  // a point on each of the six edges of four sides
  EXPECT_EQ(d.open_edges, 24u + 48u);
  expect_mended(list);
}

TEST_P(MeshRepair, ThreeAtOnceAreMended) {
  std::vector<Triangle> list = box(scale(), true);
  blur(list, scale());
  for (std::size_t k = 0; k < list.size(); k += 5) turn(list[k]);
  list.erase(list.begin(), list.begin() + 3);
  if (io::vtk_problem().empty()) expect_mended(list);
}

TEST_P(MeshRepair, CrossingCrowdedAndThinTrianglesAreReported) {
  std::vector<Triangle> list = box(scale());
  for (const Triangle& t : box(0.5 * scale())) {
    list.push_back(t);
    for (Vec3& x : list.back()) x += scale() * Vec3(1.63, 0.21, 0.23);
  }
  const MeshDiagnosis crossing = look(list);
  EXPECT_GT(crossing.crossings.size(), 10u);
  EXPECT_EQ(crossing.pieces, 2u);
  EXPECT_FALSE(crossing.is_in_order());
  list = box(scale());
  list.push_back({list[0][0], list[0][1], scale() * Vec3(1.0, 0.5, 0.5)});
  const MeshDiagnosis crowded = look(list);
  EXPECT_EQ(crowded.crowded_edges, 1u);
  EXPECT_EQ(crowded.fault.back(), TriangleFault::crowded);
  list = box(scale());
  const Triangle first = list[0];
  const Vec3 near = first[0] + 0.002 * (first[1] - first[0]);
  list[0] = {near, first[1], first[2]};
  list.push_back({first[0], near, first[2]});
  EXPECT_GE(look(list).needles, 1u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, MeshRepair, testing::Values(0.01, 1.0, 3000.0));

TEST(MeshDecimation, ADecimatedBallKeepsItsVolume) {
  if (!io::vtk_problem().empty()) GTEST_SKIP() << io::vtk_problem();
  TriangleMesh ball;
  const int n = 40;
  const auto at = [&](int i, int j) {
    return i == 0 ? 0 : i == n ? 1 : 2 + (i - 1) * 2 * n + (j + 2 * n) % (2 * n);
  };
  ball.points = {Vec3::UnitZ(), -Vec3::UnitZ()};
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < 2 * n; ++j) {
      const double theta = M_PI * i / n, phi = M_PI * j / n;
      ball.points.emplace_back(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                               std::cos(theta));
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 2 * n; ++j) {
      if (i + 1 < n) ball.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      if (i > 0) ball.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  ASSERT_TRUE(diagnose(ball, 1e-9).is_in_order());
  const TriangleMesh coarse = io::decimate(ball, 800);
  EXPECT_LE(coarse.triangles.size(), 800u);
  EXPECT_GE(coarse.triangles.size(), 700u);
  EXPECT_TRUE(diagnose(coarse, 1e-9).is_closed());
  EXPECT_NEAR(mesh_mass(coarse).volume, mesh_mass(ball).volume, 0.03);  // 0.7 %
}

}  // namespace scree
