// Bodies from CSV and HDF5 files.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sstream>

#include "io/files/csv_file.h"
#include "io/results/run_recorder.h"
#include "io/scene/read_scene.h"

namespace scree::io {
namespace {

class BodyTable : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("scree_table_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  Scene read(const std::string& table, const std::string& more = "radius = 0.1\n") const {
    return read_scene_text(
        "[[materials]]\nname = \"m\"\ndensity = 1000\n[[bodies]]\ntable = \"" + table + "\"\n" + more,
        folder_ / "scene.toml");
  }

  std::string message(const std::string& table, const std::string& more = "radius = 0.1\n") const {
    try {
      read(table, more);
    } catch (const InputError& error) {
      std::string text = error.what();
      const std::string path = folder_.string() + '/';
      for (std::size_t i = text.find(path); i != std::string::npos; i = text.find(path))
        text.erase(i, path.size());
      return text;
    }
    return "";
  }

  template <class T>
  void write_dataset(hid_t file, const char* name, hid_t type, std::vector<hsize_t> shape,
                     const std::vector<T>& values) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ASSERT_GE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    H5Dclose(dataset);
    H5Sclose(space);
  }

  std::filesystem::path folder_;
};

TEST(Csv, SeparatorsInQuotesAreText) {
  const auto texts = [](const char* line, char separator) {
    std::vector<std::string> list;
    for (const io::CsvField& field : io::split_csv(line, separator)) list.emplace_back(field.text);
    return list;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts("0,\"floor, left\",2", ','), (Texts{"0", "floor, left", "2"}));
  EXPECT_EQ(texts(" \"a;b\" ; c;\"d\"\r", ';'), (Texts{"a;b", "c", "d"}));
  EXPECT_EQ(texts("\"wet sand\" 1  2", ' '), (Texts{"wet sand", "1", "2"}));
  EXPECT_EQ(texts("\"\",1", ','), (Texts{"", "1"}));
  EXPECT_EQ(io::csv_text(texts("\"a \"\"b\"\"\",1", ',')[0]), "a \"b\"");
  EXPECT_EQ(texts("\"open,1", ','), (Texts{"open", "1"}));  // no end: as without quotation marks
  EXPECT_EQ(texts("5\" pipe,1", ','), (Texts{"5\" pipe", "1"}));
}

TEST_F(BodyTable, CsvColumnsComeInAnyOrder) {
  write("t.csv",
        "# made by hand\n\nvz,vy,vx, z , y , x ,qz,qy,qx,qw,wx,wy,wz,c,b,a\n"
        "3,2,1, 0.3 , 0.2 ,0.1,0,0,1,0,7,8,9,0.03,0.02,0.01\n"
        "3,2,1,+5,5,5e-1,0,0,0,1,7,8,9,0.03,0.02,0.01\r\n");
  const Scene scene = read("t.csv", "");
  const Bodies& bodies = scene.initial.bodies;
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(bodies.position[0], Vec3(0.1, 0.2, 0.3));
  EXPECT_EQ(bodies.position[1], Vec3(0.5, 5.0, 5.0));
  EXPECT_EQ(bodies.linear_velocity[0], Vec3(1.0, 2.0, 3.0));
  EXPECT_EQ(bodies.angular_velocity[1], Vec3(7.0, 8.0, 9.0));
  EXPECT_EQ(bodies.orientation[0].coeffs(), Quat(0, 1, 0, 0).coeffs());
  EXPECT_EQ(scene.model.shapes.size(), 1u);  // equal sizes share a shape
  EXPECT_EQ(enclosing_ellipsoid(scene.model.shapes, bodies.shape[1]).semi_axes, Vec3(0.01, 0.02, 0.03));
}

TEST_F(BodyTable, AbsentColumnsComeFromTheScene) {
  write("t.csv", "x,y,z\n1,2,3\n");
  const Scene scene =
      read("t.csv", "semi_axes = [1, 2, 3]\nvelocity = [4, 5, 6]\nangular_velocity = [7, 8, 9]\n");
  const Bodies& bodies = scene.initial.bodies;
  EXPECT_EQ(bodies.orientation[0].coeffs(), Quat::Identity().coeffs());
  EXPECT_EQ(bodies.linear_velocity[0], Vec3(4.0, 5.0, 6.0));
  EXPECT_EQ(bodies.angular_velocity[0], Vec3(7.0, 8.0, 9.0));
  EXPECT_EQ(enclosing_ellipsoid(scene.model.shapes, bodies.shape[0]).semi_axes, Vec3(1.0, 2.0, 3.0));
}

TEST_F(BodyTable, UnknownColumnsGiveAWarning) {
  write("t.csv", "x,y,z,colour\n1,2,3,red\n");
  const Scene scene = read("t.csv");
  ASSERT_EQ(scene.warnings.size(), 1u);
  EXPECT_EQ(scene.warnings[0].key_path, "colour");
}

TEST_F(BodyTable, ReportsErrorsInTheHeader) {
  write("empty.csv", "");
  EXPECT_EQ(message("empty.csv"), "empty.csv: is empty; the first line must have the names of the columns");
  write("none.csv", "x,y,z\n# nothing\n");
  EXPECT_EQ(message("none.csv"), "none.csv: has no bodies");
  write("twice.csv", "x,y,z,x,vx\n1,2,3,4,5\n");
  EXPECT_EQ(message("twice.csv"),
            "twice.csv:1:1: vy, vz: these columns are missing; the first line has x, y, z, x, vx\n"
            "twice.csv:1:7: x: is the name of two columns");
  write("numbers.csv", "1,2,3\n4,5,6\n");
  EXPECT_EQ(message("numbers.csv"),
            "numbers.csv:1:1: must have the names of the columns, but has numbers (value 1,2,3); write a "
            "line such as "
            "x,y,z,radius above it");
}

// Tables from spreadsheets: a byte-order mark, capitals, quotes, and semicolons because numbers contain
// commas.
TEST_F(BodyTable, TakesTablesOfSpreadsheets) {
  write("t.csv", "\xef\xbb\xbf\"X\";\"Y\";Z;Radius\r\n0,5;1;2;0,25\r\n");
  Scene scene = read("t.csv", "");
  ASSERT_EQ(scene.initial.bodies.size(), 1u);
  EXPECT_TRUE(scene.warnings.empty());
  EXPECT_EQ(scene.initial.bodies.position[0], Vec3(0.5, 1.0, 2.0));
  EXPECT_EQ(enclosing_ellipsoid(scene.model.shapes, scene.initial.bodies.shape[0]).semi_axes,
            Vec3::Constant(0.25));
  write("tabs.csv", "x\ty\tz\n1\t2\t3\n");
  EXPECT_EQ(read("tabs.csv").initial.bodies.position[0], Vec3(1.0, 2.0, 3.0));
  write("both.csv", "x,y,z,radius,a,b,c\n1,2,3,4,5,6,7\n");
  EXPECT_EQ(message("both.csv", ""),
            "both.csv: has both semi-axes (a, b, c) and a radius; remove one of them");
}

// By name or by number; a mixture must not become one material.
TEST_F(BodyTable, ReadsMaterials) {
  const std::string second = "radius = 0.1\n[[materials]]\nname = \"steel\"\ndensity = 7800\n";
  write("t.csv", "x,y,z,material\n0,0,0,m\n1,0,0,steel\n2,0,0,1\n");
  const Scene scene = read("t.csv", second);
  const auto& material = scene.initial.bodies.material;
  ASSERT_EQ(material.size(), 3u);
  EXPECT_EQ((std::vector<int>{material[0].value, material[1].value, material[2].value}),
            (std::vector<int>{0, 1, 1}));
  EXPECT_DOUBLE_EQ(scene.initial.bodies.mass[1] / scene.initial.bodies.mass[0], 7.8);
  write("unknown.csv", "x,y,z,material\n0,0,0,m\n1,0,0,stel\n");
  EXPECT_EQ(
      message("unknown.csv", second),
      "unknown.csv:3:1: material: is neither the name of a material nor its number (value \"stel\", allowed "
      "\"m\", \"steel\", or 0 to 1); did you mean 'steel'?");
  EXPECT_NE(message("t.csv", "material = \"m\"\n" + second).find("remove material"), std::string::npos);
  write("moments.csv", "time_s,x,y,z\n0,0,0,0\n0.1,0,0,1\n");
  EXPECT_NE(
      message("moments.csv").find("moments.csv:3:1: time_s: has more than one time; a table must have one"),
      std::string::npos);
  // A first row that is too short has no time for comparison.
  write("short.csv", "x,y,z,time_s\n0,0\n0,0,0,0\n0,0,1,0.1\n");
  EXPECT_NE(message("short.csv").find("short.csv:2:1: has 2 values"), std::string::npos);
  EXPECT_NE(message("short.csv").find("short.csv:4:7: time_s: has more than one time; a table must have one"),
            std::string::npos);
}

// Frames are relative to the scene's origin. Clumps and functions have no columns: their spheres would be
// others.
TEST_F(BodyTable, TrajectoriesHaveAnOriginAndEllipsoidsAlone) {
  const auto scene = [&](const std::string& bodies) {
    return read_scene_text("origin = [1000, 2000, 0]\n[[materials]]\nname = \"m\"\ndensity = 1000\n" + bodies,
                           folder_ / "scene.toml");
  };
  const auto record = [&](const Scene& of) {
    RunRecorder recorder(of, {folder_ / "run", true});
    recorder.finish(RunStatus::finished, of.initial);
  };
  record(scene("[[bodies]]\nradius = 0.05\nposition = [1000, 2000.5, 0.06]\n"));
  const Scene again = scene("[[bodies]]\ntable = \"run/trajectory.h5\"\n");
  EXPECT_LT((again.initial.bodies.position[0] - Vec3(1000, 2000.5, 0.06)).norm(),
            1e-7);  // frames: single precision
  record(
      scene("[[shapes]]\nname = \"pair\"\nmembers = [{radius = 0.5, position = [-0.4, 0, 0]}, {radius = 0.5, "
            "position = "
            "[0.4, 0, 0]}]\n[[bodies]]\nshape = \"pair\"\nsize = 0.1\nposition = [1000, 2000, 0.06]\n"));
  EXPECT_NE(message("run/trajectory.h5", "").find("--restart-from"), std::string::npos);
}

// The bodies of a run's last frame without change: here its first frame, because no step is made.
TEST_F(BodyTable, TakesTheLastFrameOfARun) {
  write("t.csv", "x,y,z,a,b,c,vx,vy,vz,material\n0,0,0,0.1,0.2,0.3,1,2,3,steel\n1,0,0,0.1,0.1,0.1,0,0,0,m\n");
  const std::string second = "[[materials]]\nname = \"steel\"\ndensity = 7800\n";
  const Scene scene = read("t.csv", second);
  RunRecorder recorder(scene, {folder_ / "run", true});
  recorder.finish(RunStatus::finished, scene.initial);
  const Scene again = read("run/trajectory.h5", second);
  const Bodies &bodies = again.initial.bodies, &before = scene.initial.bodies;
  ASSERT_EQ(bodies.size(), 2u);
  for (const std::size_t i : {0u, 1u}) {
    EXPECT_EQ(bodies.position[i], before.position[i]);
    EXPECT_EQ(bodies.linear_velocity[i], before.linear_velocity[i]);
    EXPECT_EQ(bodies.material[i], before.material[i]);
    EXPECT_EQ(bodies.mass[i], before.mass[i]);
  }
  EXPECT_NE(message("run/trajectory.h5", "").find("\"steel\""), std::string::npos);
}

TEST_F(BodyTable, ReadsHdf5OfAnyNumberType) {
  const hid_t file = H5Fcreate((folder_ / "t.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write_dataset<int>(file, "position", H5T_NATIVE_INT, {2, 3}, {1, 2, 3, 4, 5, 6});
  write_dataset<float>(file, "orientation", H5T_NATIVE_FLOAT, {2, 4}, {1, 0, 0, 0, 0, 0, 0, 1});
  write_dataset<double>(file, "semi_axes", H5T_NATIVE_DOUBLE, {2, 3}, {0.1, 0.2, 0.3, 0.4, 0.5, 0.6});
  write_dataset<double>(file, "velocity", H5T_NATIVE_DOUBLE, {2, 3}, {1, 0, 0, 0, 1, 0});
  write_dataset<double>(file, "angular_velocity", H5T_NATIVE_DOUBLE, {2, 3}, {0, 0, 1, 0, 0, 2});
  H5Fclose(file);
  const Scene scene = read("t.h5", "");
  const Bodies& bodies = scene.initial.bodies;
  ASSERT_EQ(bodies.size(), 2u);
  EXPECT_EQ(bodies.position[1], Vec3(4.0, 5.0, 6.0));
  EXPECT_EQ(bodies.orientation[1].coeffs(), Quat(0, 0, 0, 1).coeffs());
  EXPECT_EQ(enclosing_ellipsoid(scene.model.shapes, bodies.shape[1]).semi_axes, Vec3(0.4, 0.5, 0.6));
  EXPECT_EQ(bodies.linear_velocity[1], Vec3::UnitY());
  EXPECT_EQ(bodies.angular_velocity[1], Vec3(0.0, 0.0, 2.0));
}

TEST_F(BodyTable, ReportsErrorsInHdf5) {
  write("text.h5", "this is not HDF5");
  EXPECT_EQ(message("text.h5"), "text.h5: is not an HDF5 file, or is damaged");

  hid_t file = H5Fcreate((folder_ / "shapes.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write_dataset<double>(file, "orientation", H5T_NATIVE_DOUBLE, {2, 3}, {1, 2, 3, 4, 5, 6});
  H5Fclose(file);
  EXPECT_EQ(message("shapes.h5"),
            "shapes.h5: position: is missing; every table needs this dataset\nshapes.h5: orientation: must "
            "have the shape [n, 4]");

  file = H5Fcreate((folder_ / "values.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write_dataset<double>(file, "position", H5T_NATIVE_DOUBLE, {2, 3}, {0, 0, 0, 4, 5, INFINITY});
  write_dataset<double>(file, "orientation", H5T_NATIVE_DOUBLE, {2, 4}, {1, 0, 0, 0, 2, 0, 0, 0});
  write_dataset<double>(file, "semi_axes", H5T_NATIVE_DOUBLE, {2, 3}, {1, 1, 0, 1, 1, 1});
  H5Fclose(file);
  EXPECT_EQ(
      message("values.h5", ""),
      "values.h5: semi_axes[0, 2]: is out of range (value 0 m, allowed > 0)\n"
      "values.h5: position[1, 2]: must be a finite number (value inf m)\n"
      "values.h5: orientation[1]: is not a unit quaternion: its norm is 2 (allowed norm 1 within 0.001)");

  file = H5Fcreate((folder_ / "rows.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write_dataset<double>(file, "position", H5T_NATIVE_DOUBLE, {2, 3}, {0, 0, 0, 4, 5, 6});
  write_dataset<double>(file, "velocity", H5T_NATIVE_DOUBLE, {1, 3}, {0, 0, 0});
  H5Fclose(file);
  EXPECT_EQ(message("rows.h5"), "rows.h5: velocity: has 1 rows, but position has 2");
}

void expect_near(const Vec3& a, const Vec3& b) { EXPECT_LT((a - b).norm(), 1e-12) << a.transpose(); }

// Mirror, rotation and shift act on all that a body is: a point of its surface goes where a point in space
// goes.
TEST_F(BodyTable, IsMirroredRotatedMovedAndScaled) {
  const Quat q = Quat(0.8, 0.1, -0.4, 0.3).normalized();
  std::ostringstream text;
  text.precision(17);
  text << "x,y,z,qw,qx,qy,qz,a,b,c,vx,vy,vz,wx,wy,wz\n100,200,300," << q.w() << ',' << q.x() << ',' << q.y()
       << ',' << q.z() << ",30,20,10,1000,2000,3000,4,5,6\n";
  write("t.csv", text.str());
  const Bodies before = read("t.csv", "table_scale = 0.001\n").initial.bodies;
  const Scene scene = read("t.csv",
                           "table_scale = 0.001\nmirror = \"y\"\nrotate = {axis = [0, 0, 1], angle = 90}\n"
                           "move = [1, 2, 3]\n");
  const Bodies& after = scene.initial.bodies;
  expect_near(before.position[0], Vec3(0.1, 0.2, 0.3));
  expect_near(before.linear_velocity[0], Vec3(1, 2, 3));
  // (x, y, z) -> (x, -y, z) -> (y, x, z) -> (y, x, z) + (1, 2, 3)
  const auto placed = [](const Vec3& x) { return Vec3(x.y(), x.x(), x.z()); };
  expect_near(after.position[0], placed(before.position[0]) + Vec3(1, 2, 3));
  expect_near(after.linear_velocity[0], placed(before.linear_velocity[0]));
  // Two points fixed to the body, and their velocities, go along: w x r is mirrored with r.
  const Vec3 axes = enclosing_ellipsoid(scene.model.shapes, after.shape[0]).semi_axes;
  expect_near(axes, Vec3(0.03, 0.02, 0.01));
  const Mat3 shape_before = before.orientation[0].toRotationMatrix() * axes.cwiseAbs2().asDiagonal() *
                            before.orientation[0].toRotationMatrix().transpose();
  const Mat3 shape_after = after.orientation[0].toRotationMatrix() * axes.cwiseAbs2().asDiagonal() *
                           after.orientation[0].toRotationMatrix().transpose();
  Mat3 p = Mat3::Zero();
  p(0, 1) = p(1, 0) = p(2, 2) = 1.0;
  EXPECT_LT((p * shape_before * p.transpose() - shape_after).norm(), 1e-15);
  for (const Vec3& r : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)})
    expect_near(placed(before.angular_velocity[0].cross(r)), after.angular_velocity[0].cross(placed(r)));
}

TEST_F(BodyTable, ColumnsHaveNamesOfOtherPrograms) {
  write("t.csv", "X,Y,Z,diameter,q0,q1,q2,q3,omegax,omegay,omegaz\n1,2,3,0.2,0,1,0,0,4,5,6\n");
  const Scene scene = read("t.csv", "");
  const Bodies& b = scene.initial.bodies;
  expect_near(enclosing_ellipsoid(scene.model.shapes, b.shape[0]).semi_axes, Vec3::Constant(0.1));
  expect_near(b.angular_velocity[0], Vec3(4, 5, 6));
  EXPECT_NEAR(b.orientation[0].x(), 1.0, 1e-15);
  write("t.csv", "x,y,z,r,diameter\n1,2,3,0.1,0.2\n");
  EXPECT_EQ(message("t.csv", ""), "t.csv:1:9: diameter: has the same meaning as the column r");
}

TEST_F(BodyTable, ReadsXyz) {
  write("t.xyz", "1\nold\nm 9 9 9 9\n2\nlast frame\nm 1 2 3 0.1\nm 4 5 6 0.2\n");
  const Scene scene = read("t.xyz", "");
  ASSERT_EQ(scene.initial.bodies.size(), 2u);
  expect_near(scene.initial.bodies.position[1], Vec3(4, 5, 6));
  expect_near(enclosing_ellipsoid(scene.model.shapes, scene.initial.bodies.shape[1]).semi_axes,
              Vec3::Constant(0.2));
  write("t.extxyz",
        "1\nProperties=species:S:1:id:I:1:pos:R:3:orientation:R:4:aspherical_shape:R:3:velo:R:3 Time=0\n"
        "steel 7 1 2 3 1 0 0 0 0.3 0.2 0.1 4 5 6\n");
  const Scene other = read("t.extxyz", "material = \"m\"\n");  // in place of the species
  expect_near(other.initial.bodies.linear_velocity[0], Vec3(4, 5, 6));
  EXPECT_NEAR(other.initial.bodies.orientation[0].x(), 1.0, 1e-15);  // OVITO's order is x y z w
  write("t.xyz", "3\nshort\nm 1 2 3 0.1\n");
  EXPECT_EQ(message("t.xyz", ""), "t.xyz:1:1: says 3 particles, and the file has fewer");
}

TEST_F(BodyTable, ReadsDumps) {
  const std::string head =
      "ITEM: TIMESTEP\n5\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS ff ff ff\n0 1\n0 1\n0 1\n";
  write("dump.5", head + "ITEM: ATOMS id type x y z vx vy vz fx radius\n1 1 1 2 3 4 5 6 0 0.1\n");
  const Scene scene = read("dump.5", "");
  expect_near(scene.initial.bodies.position[0], Vec3(1, 2, 3));
  expect_near(scene.initial.bodies.linear_velocity[0], Vec3(4, 5, 6));
  // LAMMPS has diameters of ellipsoids, superquadrics of LIGGGHTS have semi-axes.
  const std::string ellipsoid = "ITEM: ATOMS id type x y z shapex shapey shapez";
  write("dump.5", head + ellipsoid + "\n1 1 1 2 3 0.6 0.4 0.2\n");
  const Scene lammps = read("dump.5", "");
  expect_near(enclosing_ellipsoid(lammps.model.shapes, lammps.initial.bodies.shape[0]).semi_axes,
              Vec3(0.3, 0.2, 0.1));
  write("dump.5", head + ellipsoid + " blockiness1 blockiness2\n1 1 1 2 3 0.6 0.4 0.2 2 2\n");
  const Scene superquadric = read("dump.5", "");
  expect_near(enclosing_ellipsoid(superquadric.model.shapes, superquadric.initial.bodies.shape[0]).semi_axes,
              Vec3(0.6, 0.4, 0.2));
  write("dump.5", head + "ITEM: ATOMS id type xs ys zs radius\n1 1 0 0 0 0.1\n");
  EXPECT_EQ(message("dump.5", ""), "dump.5:9:1: has scaled coordinates (xs): dump x y z");
  write("dump.5", head + "ITEM: ATOMS id type x y z radius\n1 2 0 0 0 0.1\n");
  EXPECT_EQ(message("dump.5", ""),
            "dump.5:10:1: material: is neither the name of a material nor its number (value \"1\", allowed "
            "\"m\", or "
            "0 to 0)");
}

TEST_F(BodyTable, ReadsDataFiles) {
  write("d.data",
        "a title\n\n2 atoms\n1 atom types\n\n-1 1 xlo xhi\n\nAtoms # sphere\n\n1 1 0.2 2500 1 2 3\n"
        "2 1 0.4 2500 4 5 6\n\nVelocities\n\n2 7 8 9 0 0 0\n1 1 1 1 0 0 0\n");
  const Scene scene = read("d.data", "");
  ASSERT_EQ(scene.initial.bodies.size(), 2u);
  expect_near(enclosing_ellipsoid(scene.model.shapes, scene.initial.bodies.shape[1]).semi_axes,
              Vec3::Constant(0.2));
  expect_near(scene.initial.bodies.linear_velocity[1], Vec3(7, 8, 9));
  write(
      "d.data",
      "a title\n\n1 atoms\n\nAtoms # ellipsoid\n\n5 1 1 2500 1 2 3\n\nEllipsoids\n\n5 0.6 0.4 0.2 0 1 0 0\n");
  const Scene ellipsoid = read("d.data", "");
  expect_near(enclosing_ellipsoid(ellipsoid.model.shapes, ellipsoid.initial.bodies.shape[0]).semi_axes,
              Vec3(0.3, 0.2, 0.1));
  write("d.data", "a title\n\n1 atoms\n\nAtoms # molecular\n\n5 1 1 1 2 3\n");
  EXPECT_EQ(message("d.data", ""),
            "d.data:5:1: has atoms of the style molecular; sphere (granular) and ellipsoid are read");
}

TEST_F(BodyTable, OtherTextsAreRefused) {
  write("t.txt", "nothing of the kind\n");
  EXPECT_NE(message("t.txt", "").find("is in no format that is read"), std::string::npos);
}

}  // namespace
}  // namespace scree::io
