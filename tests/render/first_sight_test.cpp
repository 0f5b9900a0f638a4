// What a picture has to show at first sight: the subject, not what flew off; bodies inside walls; labels
// beside it.
#include <gtest/gtest.h>

#include "io/render/run_picture.h"
#include "io/results/run_recorder.h"
#include "tests/results/fixtures.h"

namespace scree::test {

namespace {

/// A recorded run whose bodies stay where they are.
class StillRun {
 public:
  explicit StillRun(io::Scene scene) {
    scene.output.vtk = false;
    for (Vec3& v : scene.initial.bodies.linear_velocity) v.setZero();
    io::RunRecorder recorder(scene, {folder_.path(), false});
    ExampleStep step{scene.initial, {}};
    for (int k = 1; k <= 10; ++k) {
      step = example_step(scene, k);
      recorder.after_step(step.result, step.state);
    }
    recorder.finish(io::RunStatus::finished, step.state);
  }
  io::TrajectoryReader reader() const { return io::TrajectoryReader(folder_.path() / "trajectory.h5"); }

 private:
  TemporaryFolder folder_;
};

/// Bodies in an open box, without the tube of the example.
io::Scene in_a_box(int bodies) {
  io::Scene scene = example_scene(bodies);
  scene.model.boundaries.pop_back();
  return scene;
}

void add_at(io::Scene& scene, const Vec3& position, std::size_t material = 0, double size = 1.0) {
  Model& model = scene.model;
  const ShapeIndex shape = model.shapes.add(Ellipsoid{size * Vec3(0.03, 0.02, 0.01)});
  add_body(
      scene.initial.bodies, model.shapes, model.materials,
      {shape, MaterialIndex(static_cast<std::int64_t>(material)), Pose{position, Quat::Identity()}, Twist{}});
}

io::PictureOptions sized(int width, int height, bool labels) {
  io::PictureOptions options;
  options.width = width;
  options.height = height;
  options.samples = 2;
  options.labels = labels;
  return options;
}

double aspect_of(const io::Viewport& view) { return static_cast<double>(view.width) / view.height; }

/// Pixels that are much more blue than red, as the first of the category colours is.
std::ptrdiff_t blue_pixels(const io::Picture& picture) {
  return std::ranges::count_if(picture.pixel, [](std::uint32_t p) {
    return static_cast<int>(p & 255u) - static_cast<int>(p >> 16 & 255u) > 50;
  });
}

constexpr std::uint32_t white = 0xffffffffu;

}  // namespace

TEST(FirstSight, AFlyerDoesNotMoveTheCamera) {
  io::Scene scene = in_a_box(100);
  const StillRun calm(scene);
  add_at(scene, {3.0, -2.0, 40.0});
  const StillRun with_flyer(scene);
  io::PictureOptions options = sized(480, 360, true);
  const io::TrajectoryReader calm_reader = calm.reader(), flyer_reader = with_flyer.reader();
  const io::RunPicture one(calm_reader, options), other(flyer_reader, options);
  EXPECT_EQ(one.camera().eye, other.camera().eye);
  EXPECT_EQ(one.camera().target, other.camera().target);
  options.fit = 1.0;  // asks for all
  const io::RunPicture all(flyer_reader, options);
  EXPECT_GT((all.camera().eye - all.camera().target).norm(),
            5.0 * (one.camera().eye - one.camera().target).norm());
  const auto at = io::Lens(all.camera(), aspect_of(all.viewport())).project({3.0, -2.0, 40.0});
  ASSERT_TRUE(at);
  EXPECT_LT(at->cwiseAbs().maxCoeff(), 1.0);
}

TEST(FirstSight, TheSubjectFillsThePictureAndIsAllInIt) {
  const StillRun run(in_a_box(100));
  const io::TrajectoryReader reader = run.reader();
  for (const auto& [width, height] : {std::pair(480, 360), std::pair(1920, 1080), std::pair(360, 640)}) {
    for (const std::string_view view : io::view_names()) {
      io::PictureOptions options = sized(width, height, true);
      options.view = view;
      const io::RunPicture artist(reader, options);
      const io::Lens lens(artist.camera(), aspect_of(artist.viewport()));
      const io::ViewBox& box = artist.scene().subject;
      EXPECT_LT((box.low - Vec3(-1.0, -1.0, 0.0)).norm(),
                1e-4);  // the walls are close to the bodies: they belong to it
      double reach = 0.0;
      for (int k = 0; k < 8; ++k) {
        const auto at = lens.project({k & 1 ? box.high.x() : box.low.x(), k & 2 ? box.high.y() : box.low.y(),
                                      k & 4 ? box.high.z() : box.low.z()});
        ASSERT_TRUE(at);
        EXPECT_LT(at->cwiseAbs().maxCoeff(), 1.0) << view;
        reach = std::max(reach, at->cwiseAbs().maxCoeff());
      }
      EXPECT_GT(reach, 0.8) << view << ' ' << width;
      EXPECT_LT(reach, 0.9) << view << ' ' << width;
    }
  }
}

// A bed that has fallen from high above: a picture of its end shows the bed, a film the fall too.
TEST(FirstSight, APictureIsFittedToItsContent) {
  io::Scene scene = in_a_box(100);
  scene.output.vtk = false;
  const TemporaryFolder folder;
  {
    io::RunRecorder recorder(scene, {folder.path(), false});
    ExampleStep step{scene.initial, {}};
    for (int k = 1; k <= 50; ++k) {
      step = example_step(scene, k);
      for (Vec3& x : step.state.bodies.position) x.z() += 0.2 * (50 - k);
      recorder.after_step(step.result, step.state);
    }
    recorder.finish(io::RunStatus::finished, step.state);
  }
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  const io::RunScene all = io::run_scene(reader), last = io::run_scene(reader, 0.995, {reader.frames() - 1});
  EXPECT_GT(all.subject.high.z(), 8.0);
  EXPECT_LT(last.subject.high.z(), 2.3);
}

TEST(FirstSight, LabelsStandBesideTheScene) {
  const io::ColourBar bar{"granular temperature, m2/s2", "scree", 0.0, 1234.5};
  io::ColourBar names = bar;
  names.categories = {"stone", "steel", "a material with a name that is far too long for any picture"};
  const io::CameraMarks marks{1e-3, {Vec2(0.9, -0.1), Vec2(0.3, 0.4), Vec2(0.0, 0.95)}, {0.1, -0.8, 0.3}};
  for (const auto& [width, height] :
       {std::pair(480, 360), std::pair(1920, 1080), std::pair(160, 90), std::pair(360, 640)}) {
    for (const io::ColourBar& legend : {bar, names}) {
      const io::Labels labels{"an example, 12345 bodies", "t = 0.050 s", legend, marks};
      const io::Layout layout = io::layout_of(width, height, labels);
      io::Picture picture(width, height);
      std::ranges::fill(picture.pixel, white);
      io::draw_labels(picture, labels, layout);
      const io::Viewport& view = layout.scene;
      int inside = 0, above = 0, beside = 0, at_the_edge = 0;
      for (int row = 0; row < height; ++row) {
        for (int column = 0; column < width; ++column) {
          if (picture.at(row, column) == white) continue;
          ++(row < view.top ? above : column >= view.left + view.width ? beside : inside);
          if (column + 1 == width || row + 1 == height || row == 0 || column == 0) ++at_the_edge;
        }
      }
      EXPECT_EQ(inside, 0) << width;
      EXPECT_EQ(at_the_edge, 0) << width;  // nothing is cut off
      EXPECT_GT(above, width > 400 ? 300 : 60) << width;
      EXPECT_GT(beside, width > 400 ? 900 : 100) << width;
      EXPECT_GT(view.width, width / 2);
      EXPECT_GT(view.height, 2 * height / 3);
      if (height >= 360) {
        EXPECT_GE(layout.size, 12.0);  // pixels, that can be read
      }
    }
  }
}

// Where labels are drawn the picture has nothing of the scene; without labels the scene has all of it.
TEST(FirstSight, TheSceneStaysInItsViewport) {
  const StillRun run(in_a_box(60));
  const io::TrajectoryReader reader = run.reader();
  io::PictureOptions options = sized(480, 360, true);
  options.eye = Vec3(0.0, -1.2, 1.0);  // inside: walls and bodies everywhere
  options.target = Vec3(0.0, 0.0, 1.0);
  io::RunPicture near(reader, options);
  const io::Picture inside = near.draw(0);
  options.eye = Vec3(0.0, -1000.0, 1.0);  // a point far away
  io::RunPicture far(reader, options);
  io::Picture outside = far.draw(0), compared = inside;
  const io::Viewport view = near.viewport();
  EXPECT_EQ(view.width, far.viewport().width);
  int different = 0, scene = 0;
  for (int row = 0; row < 360; ++row) {
    for (int column = 0; column < 480; ++column) {
      const bool is_scene = row >= view.top && column < view.left + view.width;
      const bool is_marks = !is_scene && row > 180;  // the scale bar tells another length
      if (compared.at(row, column) != outside.at(row, column) && !is_marks) ++(is_scene ? scene : different);
    }
  }
  EXPECT_EQ(different, 0);
  EXPECT_GT(scene, 10000);
  options.labels = false;
  EXPECT_EQ(io::RunPicture(reader, options).viewport().width, 480);
}

TEST(FirstSight, GlassWallsShowBodiesAndMetalOnesHideThem) {
  io::Scene scene = in_a_box(200);
  const MaterialIndex steel(1);
  scene.model.boundaries = {{"drum", steel, Tube{{0.0, 0.0, -0.5}, {0.0, 0.0, 2.5}, 1.6, 0.05}},
                            {"post", steel, Tube{{3.0, 0.0, 0.0}, {3.0, 0.0, 2.0}, 0.1, 0.05}}};
  const StillRun run(scene);
  const io::TrajectoryReader reader = run.reader();
  io::PictureOptions options = sized(320, 240, false);
  options.view = "front";
  options.field = "material";  // blue
  options.walls = false;
  const std::ptrdiff_t bare = blue_pixels(io::RunPicture(reader, options).draw(0));
  ASSERT_GT(bare, 200);
  options.walls = true;
  io::RunPicture by_rule(reader, options);
  EXPECT_EQ(by_rule.looks(), (std::vector{io::WallLook::glass, io::WallLook::metal}));
  EXPECT_GT(static_cast<double>(blue_pixels(by_rule.draw(0))),
            0.6 * static_cast<double>(bare));  // glass pales them
  options.looks.metal = {"drum"};
  io::RunPicture hidden(reader, options);
  EXPECT_EQ(hidden.looks()[0], io::WallLook::metal);
  EXPECT_EQ(blue_pixels(hidden.draw(0)), 0);
  options.looks = {{"all"}, {}};
  EXPECT_EQ(io::RunPicture(reader, options).looks()[1], io::WallLook::glass);
}

TEST(FirstSight, NamesMeanBoundariesAndTheirParts) {
  EXPECT_TRUE(io::is_meant("box.-x", "box"));
  EXPECT_TRUE(io::is_meant("box.-x", "box.-x"));
  EXPECT_TRUE(io::is_meant("drum", "all"));
  EXPECT_FALSE(io::is_meant("boxer", "box"));
  EXPECT_FALSE(io::is_meant("box", "box.-x"));
}

TEST(FirstSight, ColoursDistinguishMaterialsShapesAndSizes) {
  const auto field = [](io::Scene scene) {
    return io::field_of_choice(StillRun(std::move(scene)).reader().run());
  };
  io::Scene same = in_a_box(10), materials = in_a_box(10), shapes = in_a_box(10), sizes = in_a_box(10);
  add_at(materials, Vec3::UnitZ(), 1);
  add_body(shapes.initial.bodies, shapes.model.shapes, shapes.model.materials,
           {shapes.model.shapes.add(Ellipsoid{{0.02, 0.02, 0.02}}), MaterialIndex(0),
            Pose{Vec3::UnitZ(), Quat::Identity()}, Twist{}});
  add_at(sizes, Vec3::UnitZ(), 0, 2.0);
  EXPECT_EQ(field(same), "speed");
  EXPECT_EQ(field(materials), "material");
  EXPECT_EQ(field(shapes), "shape");
  EXPECT_EQ(field(sizes), "radius");
}

// A line is as thin in a small picture as in a large one, and bodies hide it.
TEST(FirstSight, LinesAreThinAndHidden) {
  io::RayScene scene;
  Shapes shapes;
  Materials materials;
  Bodies ball;
  add_body(ball, shapes, materials,
           {shapes.add(Ellipsoid{Vec3::Constant(0.2)}), materials.add("stone", 2500.0), Pose{}, Twist{}});
  scene.set_bodies(shapes, ball);
  const io::Camera camera{{0.0, -10.0, 0.0}, Vec3::Zero(), Vec3::UnitZ(), 0.2};
  const io::ThinLine line{{-2.0, 1.0, 0.0}, {2.0, 1.0, 0.0}, io::Colour::Zero()};
  for (const auto& [size, widest] : {std::pair(100, 2), std::pair(720, 2), std::pair(1440, 3)}) {
    io::Picture picture(size, size);
    std::ranges::fill(picture.pixel, white);
    io::draw_lines(picture, {0, 0, size, size}, camera, scene, {line});
    const auto inked = [&](int column) {
      int n = 0;
      for (int row = 0; row < size; ++row) n += picture.at(row, column) != white ? 1 : 0;
      return n;
    };
    EXPECT_GE(inked(size / 10), 1);
    EXPECT_LE(inked(size / 10), widest);
    EXPECT_EQ(inked(size / 2), 0) << "behind the ball";
  }
}

TEST(FirstSight, AClosedBoxHasTwelveEdges) {
  const Boundaries box = box_walls("box", MaterialIndex(0), {0.0, 0.0, 0.0}, {1.0, 2.0, 3.0}, {});
  const io::WallMesh mesh = io::wall_mesh(box, {{-1.0, -1.0, -1.0}, {4.0, 4.0, 4.0}});
  ASSERT_EQ(mesh.polygon.size(), 6u);
  EXPECT_EQ(io::wall_edges(mesh, std::vector<bool>(6, false), {5.0, -7.0, 4.0}).size(), 12u);
  // A tube from the side: its silhouettes, but no line at each of the facets that stand for its roundness.
  const io::WallMesh tube =
      io::wall_mesh({{"tube", MaterialIndex(0), Tube{{0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.5, 0.1}}}, {});
  const std::size_t lines =
      io::wall_edges(tube, std::vector<bool>(tube.polygon.size(), false), {20.0, 0.1, 0.5}).size();
  EXPECT_GE(lines, 4u);
  EXPECT_LT(lines, tube.polygon.size() / 3);
}

// Edges of thin bars that stand close are drawn faintly, so that the wall is not black.
TEST(FirstSight, CrowdedEdgesAreFaint) {
  io::WallMesh bars;
  for (int k = 0; k < 100; ++k) {
    const double y = 0.01 * k;
    const auto first = static_cast<std::int32_t>(bars.point.size());
    bars.point.insert(bars.point.end(),
                      {{0.0, y, 0.0}, {1.0, y, 0.0}, {1.0, y + 0.005, 0.0}, {0.0, y + 0.005, 0.0}});
    bars.normal.insert(bars.normal.end(), 4, Vec3::UnitZ());
    bars.polygon.push_back({first, first + 1, first + 2, first + 3});
    bars.boundary.push_back(0);
  }
  const std::vector<io::WallEdge> edges =
      io::wall_edges(bars, std::vector<bool>(100, false), {0.0, 0.0, 9.0});
  EXPECT_EQ(edges.size(), 400u);
  EXPECT_LT(io::edge_shares(bars, edges, 0.005)[0], 0.1f);   // a bar is one pixel wide
  EXPECT_EQ(io::edge_shares(bars, edges, 0.0001)[0], 1.0f);  // 50 pixels
}

TEST(RoundLength, IsRoundAndHasAUnit) {
  EXPECT_EQ(io::round_length(0.37).text, "200 mm");
  EXPECT_EQ(io::round_length(0.37).metres, 0.2);
  EXPECT_EQ(io::round_length(0.5).text, "0.5 m");
  EXPECT_EQ(io::round_length(7.0).text, "5 m");
  EXPECT_EQ(io::round_length(3.1e-8).text, "20 nm");
  EXPECT_EQ(io::round_length(1234.0).text, "1 km");
}

}  // namespace scree::test
