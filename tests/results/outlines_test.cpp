// Outlines and bonds: from a run to its file and to ParaView's files.
#include "io/results/outlines.h"

#include <Eigen/LU>
#include <fstream>
#include <gtest/gtest.h>

#include "engine/simulation/step.h"
#include "io/results/recorded_fields.h"
#include "io/results/run_recorder.h"
#include "io/results/trajectory_reader.h"
#include "tests/results/fixtures.h"

namespace scree::test {

namespace {

/// Records steps of a model in a folder, with a frame each.
State record_steps(const Model& model, const State& initial, int steps, const std::filesystem::path& folder) {
  io::Scene scene;
  scene.name = "outlined";
  scene.model = model;
  scene.initial = initial;
  scene.output.interval_s = model.settings.time_step_s;
  scene.output.fields = {"bonds", "fragment"};
  scene.end_time_s = 1.0;
  scene.checkpoints.keep = 0;
  io::RunRecorder recorder(scene, {folder, true});
  State state = initial;
  Workspace workspace;
  StepResult result;
  for (int k = 0; k < steps; ++k) {
    step(scene.model, state, workspace, result);
    recorder.after_step(result, state);
  }
  recorder.finish(io::RunStatus::finished, state);
  return state;
}

Model small_model() {
  Model model;
  model.materials.add("grain", 1000.0);
  model.materials.set_law(MaterialIndex(0), MaterialIndex(0), {});
  model.settings.time_step_s = 1e-3;
  model.settings.gravity.setZero();
  return model;
}

void add_ball(const Vec3& place, Model& model, State& state) {
  const ShapeIndex ball = model.shapes.add(Ellipsoid{Vec3::Constant(0.1)});
  add_body(state.bodies, model.shapes, model.materials,
           {ball, MaterialIndex(0), {place, Quat::Identity()}, {}});
}

}  // namespace

TEST(Outlines, IncludeEdgesOfInletsOutletsAndDomain) {
  Model model;
  model.inlets.emplace_back();
  model.inlets[0].region = BoxRegion{Vec3::Zero(), Vec3(1, 2, 3)};
  model.outlets.push_back({"out", CylinderRegion{Vec3::Zero(), Vec3(0, 0, 2), 0.5}});
  model.outlets.push_back({"plane", HalfSpace{}});
  model.domain.outside = Outside::remove;
  model.domain.low = Vec3::Constant(-1.0);
  EXPECT_EQ(io::outlines(model).edges.size(), 12u + 48u * 2u + 4u);  // the domain is open at the top
  model.domain.high = Vec3::Constant(4.0);
  const std::vector<io::OutlineEdge> edges = io::outlines(model).edges;
  ASSERT_EQ(edges.size(), 12u + 48u * 2u + 4u + 12u);
  double length = 0.0;
  for (std::size_t k = 0; k < 12; ++k) {
    EXPECT_EQ(edges[k].kind, io::OutlineKind::inlet);
    length += (edges[k].end - edges[k].start).norm();
  }
  EXPECT_DOUBLE_EQ(length, 4.0 * (1.0 + 2.0 + 3.0));
  for (std::size_t k = 12; k < 112; ++k) {
    EXPECT_EQ(edges[k].kind, io::OutlineKind::outlet);
    for (const Vec3& x : {edges[k].start, edges[k].end}) EXPECT_NEAR(x.head<2>().norm(), 0.5, 1e-12);
  }
  EXPECT_EQ(edges.back().kind, io::OutlineKind::domain);
}

TEST(Outlines, CellOutlinesFollowTheLattice) {
  Model model = small_model();
  model.cell.periodic = {true, true, false};
  model.cell.high = Vec3(1, 2, 3);
  CellFlow flow;
  flow.rate(0, 1) = 5.0;
  model.cell.flow = {flow};
  State state;
  add_ball(Vec3(0.5, 0.5, 0.5), model, state);
  const TemporaryFolder folder;
  record_steps(model, state, 10, folder.path());
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  EXPECT_EQ(reader.run().outlines.cell_centre, Vec3(0.5, 1.0, 1.5));
  EXPECT_EQ(reader.run().outlines.periodic, (std::array<bool, 3>{true, true, false}));
  for (const std::size_t k : {0u, 10u}) {
    const Mat3 lattice = reader.lattice(k);
    EXPECT_TRUE(lattice.isApprox(model.cell.at(1e-3 * static_cast<double>(k)).lattice, 1e-12)) << k;
    Vec3 sum = Vec3::Zero();
    for (const io::OutlineEdge& edge : io::cell_outline(*reader.run().outlines.cell_centre, lattice)) {
      sum += 0.5 * (edge.start + edge.end);
      const Vec3 corner = lattice.inverse() * (edge.start - *reader.run().outlines.cell_centre);
      EXPECT_TRUE(corner.cwiseAbs().isApprox(Vec3::Constant(0.5), 1e-9));
    }
    EXPECT_TRUE((sum / 12.0).isApprox(*reader.run().outlines.cell_centre, 1e-12));
  }
  EXPECT_NE(reader.lattice(10)(0, 1), 0.0);
}

// Bonds are among the contacts of a frame, and fields identify the bonded bodies.
TEST(Bonds, AreRecordedInFramesWithTheirForces) {
  Model model = small_model();
  State state;
  for (int i = 0; i < 3; ++i) add_ball(Vec3(0.2 * i, 0, 0), model, state);
  add_ball(Vec3(0, 1, 0), model, state);
  state.bodies.linear_velocity[0].x() = -0.3;  // pulls
  BondLaw glue;
  glue.name = "glue";
  glue.youngs_modulus = 1e8;
  model.bonds.push_back(glue);
  const TemporaryFolder folder;
  const State end = record_steps(model, state, 1, folder.path());
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  const io::FrameContacts contacts = reader.contacts(1);
  ASSERT_EQ(contacts.gap.size(), 2u);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(contacts.bond[c], 0);
    EXPECT_EQ(contacts.boundary[c], -1);
    EXPECT_EQ(contacts.body_b[c] - contacts.body_a[c], 1);
    EXPECT_NEAR(contacts.point[c].x(), 0.1f + 0.2f * static_cast<float>(c), 0.01f);
    EXPECT_GT(contacts.impulse[c].x(), 0.0f);  // on a, towards b
    const Bond& bond = end.bonds[c];
    EXPECT_NEAR(contacts.impulse[c].norm(), bond.impulse.norm(), 1e-6 * bond.impulse.norm());
  }
  EXPECT_EQ(field_values(reader, 1, "bonds"), (std::vector<float>{1, 2, 1, 0}));
  EXPECT_EQ(field_values(reader, 1, "fragment"), (std::vector<float>{0, 0, 0, 3}));
  std::ifstream table(folder.path() / "bonds.csv");
  std::vector<std::string> lines;
  for (std::string line; std::getline(table, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_TRUE(lines[1].starts_with("1,0.001,glue,formed,0,1,"));
}

}  // namespace scree::test
