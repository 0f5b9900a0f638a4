// Contact problems in files: reading returns the written values, and errors are reported.
#include "io/problems/problem_file.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "engine/core/errors.h"
#include "tests/support/world.h"

namespace scree {
namespace {

const std::filesystem::path scratch = std::filesystem::path(::testing::TempDir()) / "scree_problems";

std::filesystem::path file(const std::string& name, const std::string& text = "") {
  std::filesystem::create_directories(scratch);
  if (!text.empty()) std::ofstream(scratch / name) << text;
  return scratch / name;
}

std::string message_of(const std::filesystem::path& path) {
  try {
    (void)io::read_problem(path);
  } catch (const InputError& error) {
    return to_string(error.faults().at(0));
  }
  return "";
}

// A wall that forces move: files record that it slides.
TEST(ProblemFile, SlidersRoundTrip) {
  test::World world;
  Part part;
  part.freedom = Freedom::along;
  part.axis = Vec3(1, 2, 2) / 3.0;
  part.force = -10.0;
  world.model.parts.push_back(part);
  world.add_floor();
  world.model.boundaries[0].part = 0;
  world.add_sphere(0.1, Vec3(0, 0, 0.1));
  world.run(0.01);
  world.workspace.problem.complete();
  const ContactProblem& p = world.workspace.problem;
  ASSERT_EQ(p.contacts(), 1u);
  io::write_problem(file("slider.h5"), {p, "a slider"});
  const io::StoredProblem back = io::read_problem(file("slider.h5"));
  const auto& q = std::get<ContactProblem>(back.problem);
  ASSERT_TRUE(q.response[q.b(0)].slides);
  EXPECT_EQ(q.delassus, p.delassus);
}

// Elastic contacts have their compliance in the file, and their solution.
TEST(ProblemFile, CompliancesRoundTrip) {
  test::World world =
      test::loose_heap(3, 3, {.friction = 0.4, .elasticity = elasticity_of(1e7, 0.25)}, 2e-3, 4);
  world.run(0.5);
  world.workspace.problem.complete();
  const ContactProblem& p = world.workspace.problem;
  io::write_problem(file("elastic.h5"), {p, "an elastic heap"});
  const io::StoredProblem back = io::read_problem(file("elastic.h5"));
  const auto& q = std::get<ContactProblem>(back.problem);
  ASSERT_EQ(q.compliance.size(), p.contacts());
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    EXPECT_EQ(q.compliance[c].compliance, p.compliance[c].compliance);
    EXPECT_EQ(q.compliance[c].rest, p.compliance[c].rest);
  }
  SolverWorkspace workspace;
  ContactSolution of_p, of_q;
  SolverSettings settings;
  settings.tolerance = 1e-8;
  const SolveReport report = solve(p, settings, workspace, of_p);
  EXPECT_EQ(report.status, SolveStatus::converged);
  static_cast<void>(solve(q, settings, workspace, of_q));
  for (std::size_t c = 0; c < p.contacts(); ++c)
    EXPECT_LE((of_q.impulse[c] - of_p.impulse[c]).norm(), 1e-12 * (1.0 + of_p.impulse[c].norm()));
}

TEST(ProblemFile, BodyFormRoundTripsBitForBit) {
  PairLaw law;
  law.rolling_friction_m = 1e-3;
  test::World world = test::loose_heap(3, 3, law, 2e-3, 4);
  world.run(0.5);
  world.workspace.problem.complete();
  const ContactProblem& p = world.workspace.problem;
  ASSERT_GT(p.contacts(), 20u);
  io::write_problem(file("heap.h5"), {p, "a heap"});
  const io::StoredProblem back = io::read_problem(file("heap.h5"));
  EXPECT_EQ(back.origin, "a heap");
  const auto& q = std::get<ContactProblem>(back.problem);
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    EXPECT_EQ(q.frame(c), p.frame(c));
    EXPECT_EQ(q.arm_a(c), p.arm_a(c));
    EXPECT_EQ(q.arm_b(c), p.arm_b(c));
    EXPECT_EQ(q.offset(c), p.offset(c));
    EXPECT_EQ(q.friction(c), p.friction(c));
  }
  for (std::size_t i = 0; i < p.bodies(); ++i) {
    EXPECT_EQ(q.inverse_mass(i), p.inverse_mass(i));
    EXPECT_EQ(q.inverse_inertia(i), p.inverse_inertia(i));
  }
  EXPECT_EQ(q.delassus, p.delassus);
  EXPECT_EQ(q.body_row, p.body_row);
  ASSERT_EQ(q.rows.size(), p.rows.size());
  EXPECT_EQ(q.contact_rows, q.rows.size());
  for (std::size_t r = 0; r < p.rows.size(); ++r) {
    EXPECT_EQ(q.rows[r].contact, p.rows[r].contact);
    EXPECT_EQ(q.rows[r].bound, p.rows[r].bound);
    EXPECT_EQ(q.rows[r].angular_a, p.rows[r].angular_a);
    EXPECT_EQ(q.rows[r].high, p.rows[r].high);
    EXPECT_EQ(q.rows[r].start_impulse, p.rows[r].start_impulse);
  }
  EXPECT_FALSE(q.rows.empty());
  // The same problem has the same solution, to the bit.
  SolverWorkspace workspace;
  ContactSolution a, b;
  EXPECT_EQ(solve(p, {}, workspace, a).sweeps, solve(q, {}, workspace, b).sweeps);
  EXPECT_EQ(a.impulse, b.impulse);
}

TEST(ProblemFile, ReducedFormRoundTripsBitForBit) {
  const std::filesystem::path folder =
      std::filesystem::path(SCREE_SOURCE_DIR) / "tests/data/friction_contact";
  const io::StoredProblem text = io::read_problem(folder / "Capsules-i101-404.dat");
  io::write_problem(file("capsules.h5"), text);
  const auto& p = std::get<DelassusProblem>(text.problem);
  const io::StoredProblem back = io::read_problem(file("capsules.h5"));
  const auto& q = std::get<DelassusProblem>(back.problem);
  EXPECT_EQ(q.block, p.block);
  EXPECT_EQ(q.column, p.column);
  EXPECT_EQ(q.diagonal, p.diagonal);
  EXPECT_EQ(q.q, p.q);
  EXPECT_EQ(q.friction, p.friction);
  EXPECT_EQ(q.velocity_scale, p.velocity_scale);
}

const std::string one_contact = "3\n1\n0\n3\n3\n2 0 0\n0 3 0\n0 0 4\n-1 0.5 0\n";

TEST(ProblemFile, ReadsTextFormatOfTheCollection) {
  const auto p = std::get<DelassusProblem>(io::read_problem(file("one.dat", one_contact + "0.25\n")).problem);
  ASSERT_EQ(p.contacts(), 1u);
  EXPECT_EQ(p.own_block(0), Vec3(2, 3, 4).asDiagonal().toDenseMatrix());
  EXPECT_EQ(p.q[0], Vec3(-1, 0.5, 0));
  EXPECT_EQ(p.friction[0], 0.25);
}

TEST(ProblemFile, FaultsNameTheirPlace) {
  EXPECT_NE(message_of(file("short.dat", one_contact)).find("coefficient of friction: is missing"),
            std::string::npos);
  const std::string word = message_of(file("word.dat", "3\n1\n0\n3\n3\n2 0 zero\n"));
  EXPECT_NE(word.find("word.dat:6:5"), std::string::npos) << word;
  EXPECT_NE(word.find("must be a finite number (value zero"), std::string::npos) << word;
  EXPECT_NE(message_of(file("flat.dat", "2\n1\n0\n")).find("dimension"), std::string::npos);
  EXPECT_NE(message_of(file("negative.dat", one_contact + "-0.1\n")).find("must not be negative"),
            std::string::npos);
  EXPECT_NE(message_of(scratch / "none.dat").find("does not exist"), std::string::npos);
  EXPECT_NE(message_of(file("notes.txt", "Dear reader,\n")).find("notes.txt:1:1"), std::string::npos);
}

TEST(ProblemFile, DamagedHdf5FileIsRejected) {
  std::filesystem::create_directories(scratch);
  std::ofstream(scratch / "broken.h5", std::ios::binary) << "\x89HDF\r\n\x1a\n and nothing more";
  EXPECT_NE(message_of(scratch / "broken.h5").find("damaged"), std::string::npos);
}

}  // namespace
}  // namespace scree
