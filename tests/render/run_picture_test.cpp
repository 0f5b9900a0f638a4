#include "io/render/run_picture.h"

#include <gtest/gtest.h>
#include <set>

#include "engine/core/parallel.h"
#include "io/results/run_recorder.h"
#include "tests/results/fixtures.h"

namespace scree::test {

namespace {

/// The trajectory of a made-up run of 50 ms.
class RecordedExample {
 public:
  explicit RecordedExample(int bodies) : scene_(example_scene(bodies)) {
    scene_.output.vtk = false;
    io::RunRecorder recorder(scene_, {folder_.path(), false});
    ExampleStep step{scene_.initial, {}};
    for (int k = 1; k <= 50; ++k) {
      step = example_step(scene_, k);
      recorder.after_step(step.result, step.state);
    }
    recorder.finish(io::RunStatus::finished, step.state);
  }
  io::TrajectoryReader reader() const { return io::TrajectoryReader(folder_.path() / "trajectory.h5"); }

 private:
  TemporaryFolder folder_;
  io::Scene scene_;
};

io::PictureOptions plain() {
  io::PictureOptions options;
  options.width = 320;
  options.height = 200;
  options.samples = 2;
  options.labels = false;
  return options;
}

constexpr std::uint32_t white = 0xffffffffu;

}  // namespace

TEST(RunPicture, ShowsBodiesWhereTheirSurfacesAre) {
  const RecordedExample run(40);
  const io::TrajectoryReader reader = run.reader();
  io::PictureOptions options = plain();
  options.width = 640;
  options.height = 640;
  options.walls = false;
  io::RunPicture artist(reader, options);
  io::Picture picture = artist.draw(5);
  const io::Lens lens(artist.camera(), 1.0);
  const Bodies bodies = reader.bodies(5);
  const auto pixel = [&](const Vec3& point) {
    const auto at = lens.project(point);
    const auto column = static_cast<int>(0.5 * (at->x() + 1.0) * options.width);
    const auto row = static_cast<int>(0.5 * (1.0 - at->y()) * options.height);
    const bool inside = column >= 0 && column < options.width && row >= 0 && row < options.height;
    return inside ? picture.at(row, column) : 0u;
  };
  int inside = 0, beyond = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      // Points well inside the surface, and beyond the tips of the axes.
      const Vec3 tip = bodies.orientation[i] *
                       (enclosing_ellipsoid(reader.run().model.shapes, bodies.shape[i]).semi_axes[axis] *
                        Vec3::Unit(axis));
      inside += pixel(bodies.position[i] + 0.6 * tip) != white ? 1 : 0;
      beyond += pixel(bodies.position[i] + 3.5 * tip) == white ? 1 : 0;
    }
  }
  EXPECT_EQ(inside, 120);
  EXPECT_GT(beyond, 85);  // the others may show another body, or are outside the picture
}

TEST(RunPicture, IsTheSameOnAnyNumberOfThreads) {
  const RecordedExample run(60);
  const io::TrajectoryReader reader = run.reader();
  const int threads = thread_count();
  set_thread_count(1);
  const io::Picture one = io::RunPicture(reader, plain()).draw(3);
  set_thread_count(4);
  const io::Picture four = io::RunPicture(reader, plain()).draw(3);
  set_thread_count(threads);
  EXPECT_EQ(one.pixel, four.pixel);
  // Walls, floor and bodies: more than a few colours.
  EXPECT_GT(std::set<std::uint32_t>(one.pixel.begin(), one.pixel.end()).size(), 500u);
}

TEST(RunPicture, ColoursBodiesByTheChosenField) {
  const RecordedExample run(1);
  const io::TrajectoryReader reader = run.reader();
  io::PictureOptions options = plain();
  options.walls = false;
  options.map = "viridis";
  options.field = "radius";
  const double radius = std::cbrt(0.03 * 0.02 * 0.01);
  std::array<io::Colour, 2> seen;
  for (const int k : {0, 1}) {
    options.range = k == 0 ? std::array{0.0, radius} : std::array{radius, 1.0};
    io::RunPicture artist(reader, options);
    io::Picture picture = artist.draw(0);
    const auto at = io::Lens(artist.camera(), 1.6).project(reader.bodies(0).position[0]);
    const std::uint32_t middle =
        picture.at(static_cast<int>(100.0 * (1.0 - at->y())), static_cast<int>(160.0 * (1.0 + at->x())));
    ASSERT_NE(middle, white);
    for (const int channel : {0, 1, 2}) {
      seen[k][channel] = static_cast<float>(middle >> (16 - 8 * channel) & 255u);
    }
  }
  // The last colour of viridis is yellow, the first one violet: red over green distinguishes them in any
  // light.
  EXPECT_LT(std::abs(seen[0][0] / seen[0][1] - 1.0f), 0.25f);
  EXPECT_GT(seen[1][2], seen[1][1] + 20.0f);
}

TEST(RunPicture, ForceLinesJoinContactsWithForce) {
  const RecordedExample run(5);
  const io::TrajectoryReader reader = run.reader();
  const std::vector<io::ForceLine> lines = io::force_lines(reader, 5);
  const Bodies bodies = reader.bodies(5);
  // The contacts are 0-floor, 1-2, 2-3 and 3-4. Those of even bodies carry impulses (0.1, 0.2, 0.3 + a) N s,
  // for 1 ms.
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_NEAR(lines[0].force, 1e3 * std::sqrt(0.01 + 0.04 + 0.09), 1e-2);
  EXPECT_NEAR(lines[1].force, 1e3 * std::sqrt(0.01 + 0.04 + 2.3 * 2.3), 1e-2);
  EXPECT_EQ(lines[1].start, bodies.position[2].cast<float>());
  EXPECT_EQ(lines[1].end, bodies.position[3].cast<float>());
  io::PictureOptions options = plain();
  const io::Picture opaque = io::RunPicture(reader, options).draw(5);
  options.chains = true;
  io::RunPicture artist(reader, options);
  // Colours follow the logarithm of the force, over at most four decades.
  EXPECT_GT(artist.range()[0], 0.0);
  EXPECT_GE(artist.range()[0], 0.999e-4 * artist.range()[1]);
  EXPECT_NE(artist.draw(5).pixel, opaque.pixel);
}

// Two materials: two of the distinct colours, and a bar that names them.
TEST(RunPicture, MaterialsHaveColoursOfTheirOwn) {
  const RecordedExample run(40);
  const io::TrajectoryReader reader = run.reader();
  const auto fields = io::recorded_fields(reader.run());
  const io::RecordedField* material = io::find_field(fields, "material");
  ASSERT_EQ(material->categories.size(), reader.run().model.materials.size());
  EXPECT_EQ(material->title(), "material");
  EXPECT_EQ(io::find_field(fields, "contact_force")->title(), "contact force, N");
  EXPECT_NE(io::category_colour(0), io::category_colour(1));
  io::PictureOptions options = plain();
  options.field = "material";
  const io::Picture coloured = io::RunPicture(reader, options).draw(5);
  options.map = "magma";
  EXPECT_EQ(io::RunPicture(reader, options).draw(5).pixel, coloured.pixel);  // the colour map has no effect
}

// A distant body makes the others smaller, unless the picture may leave it out.
TEST(RunPicture, FitLeavesOutDistantBodies) {
  const RecordedExample run(100);
  const io::TrajectoryReader reader = run.reader();
  io::PictureOptions options = plain();
  options.fit = 1.0;
  const io::Camera all = io::RunPicture(reader, options).camera();
  options.fit = 0.5;
  const io::Camera half = io::RunPicture(reader, options).camera();
  EXPECT_LE((half.eye - half.target).norm(), (all.eye - all.target).norm());
}

// Bodies are inside the part of the picture that shows the scene.
TEST(RunPicture, KeepsClearOfTheLabels) {
  const RecordedExample run(40);
  const io::TrajectoryReader reader = run.reader();
  io::PictureOptions options = plain();
  options.labels = true;
  const io::RunPicture artist(reader, options);
  const io::Viewport& view = artist.viewport();
  EXPECT_LT(view.width, options.width);
  const io::Lens lens(artist.camera(), static_cast<double>(view.width) / view.height);
  for (const Vec3& position : reader.bodies(5).position) {
    const auto at = lens.project(position);
    EXPECT_LT(at->cwiseAbs().maxCoeff(), 1.0);
  }
}

TEST(SampledFrames, HoldTheFirstAndTheLast) {
  EXPECT_EQ(io::sampled_frames(3, 24), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(io::sampled_frames(101, 5), (std::vector<std::size_t>{0, 25, 50, 75, 100}));
  EXPECT_EQ(io::sampled_frames(1, 24), std::vector<std::size_t>{0});
}

// A frame without bodies is white. The others show the bodies that exist, with the colour scale of the whole
// run.
TEST(RunPicture, ShowsOnlyBodiesPresentInEachFrame) {
  const TemporaryFolder folder;
  record_coming_and_going(folder.path());
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  io::PictureOptions options = plain();
  options.walls = false;
  io::RunPicture artist(reader, options);
  std::vector<std::ptrdiff_t> coloured;
  for (std::size_t k = 0; k < reader.frames(); ++k) {
    const io::Picture picture = artist.draw(k);
    coloured.push_back(std::count_if(picture.pixel.begin(), picture.pixel.end(),
                                     [](std::uint32_t p) { return p != white; }));
  }
  EXPECT_EQ(coloured[2], 0);
  for (const std::size_t k : {0u, 1u, 3u, 4u}) EXPECT_GT(coloured[k], 0) << k;
  EXPECT_EQ(io::force_lines(reader, 4).size(), 4u);
}

// Across the seam each of the two has a line to the other's image, of the same length as other lines.
TEST(RunPicture, ForceLinesConnectToNearestImages) {
  const TemporaryFolder folder;
  record_row_in_a_cell(folder.path());
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  const std::vector<io::ForceLine> lines = io::force_lines(reader, reader.frames() - 1);
  ASSERT_EQ(lines.size(), 4u);  // of three contacts
  int beyond = 0;
  for (const io::ForceLine& line : lines) {
    EXPECT_NEAR((line.end - line.start).norm(), 0.01, 1e-5);
    EXPECT_NEAR(line.force, 0.9, 1e-3);
    beyond += line.end.y() < 0.0f || line.end.y() > 0.03f ? 1 : 0;
  }
  EXPECT_EQ(beyond, 2);
}

}  // namespace scree::test
