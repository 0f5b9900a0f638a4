// Bodies that come and go: from the recorder through the file to all readers.
#include <gtest/gtest.h>
#include <hdf5.h>

#include "io/files/file_errors.h"
#include "io/results/recorded_fields.h"
#include "io/results/run_recorder.h"
#include "io/results/text_export.h"
#include "io/results/trajectory_reader.h"
#include "io/results/vtk_export.h"
#include "tests/results/fixtures.h"

namespace scree::test {

TEST(ComingAndGoing, FrameHoldsOnlyPresentBodies) {
  const TemporaryFolder folder;
  record_coming_and_going(folder.path());
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  ASSERT_EQ(reader.frames(), 5u);
  EXPECT_EQ(reader.run().bodies.id, (std::vector<BodyId>{3, 7, 12, 20, 41}));
  for (std::size_t k = 0; k < 5; ++k) {
    std::vector<BodyId> expected = present(10 * static_cast<std::int64_t>(k));
    std::sort(expected.begin(), expected.end());
    const Bodies bodies = reader.bodies(k);
    ASSERT_EQ(bodies.id, expected) << k;
    const std::vector<float> radius = field_values(reader, k, "radius"),
                             touching = field_values(reader, k, "contacts");
    ASSERT_EQ(radius.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const BodyId id = expected[i];
      EXPECT_EQ(bodies.position[i],
                place_of(id, 10 * static_cast<std::int64_t>(k)).cast<float>().cast<double>());
      EXPECT_EQ(bodies.material[i].value, id % 2);
      EXPECT_EQ(reader.run().model.shapes.bounding_radius(bodies.shape[i]), length_of(id));
      EXPECT_NEAR(radius[i], length_of(id) * std::cbrt(0.5), 1e-8);
      if (k > 0) {
        EXPECT_EQ(touching[i], id == present(10 * static_cast<std::int64_t>(k))[0] ? 1.0f : 2.0f);
      }
    }
  }
  const io::Frame part = reader.frame(4, {1, 2});
  EXPECT_EQ(part.constants->id, (std::vector<BodyId>{12, 20}));
  EXPECT_EQ(part.position[1], place_of(20, 40).cast<float>());
}

TEST(ComingAndGoing, ContactsReferToTheCorrectBodies) {
  const TemporaryFolder folder;
  record_coming_and_going(folder.path());
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  EXPECT_TRUE(reader.contacts(2).gap.empty());
  for (const std::size_t k : {1u, 3u, 4u}) {
    const std::vector<BodyId> slots = present(10 * static_cast<std::int64_t>(k));
    const Bodies bodies = reader.bodies(k);
    const io::FrameContacts contacts = reader.contacts(k);
    ASSERT_EQ(contacts.gap.size(), slots.size());
    for (std::size_t c = 0; c < slots.size(); ++c) {
      EXPECT_EQ(bodies.id[contacts.body_a[c]], slots[c]);
      const bool is_wall = c + 1 == slots.size();
      EXPECT_EQ(contacts.boundary[c], is_wall ? 0 : -1);
      if (is_wall) {
        EXPECT_EQ(contacts.body_b[c], -1);
      } else {
        EXPECT_EQ(bodies.id[contacts.body_b[c]], slots[c + 1]);
      }
    }
  }
}

TEST(ComingAndGoing, BodyIsTrackedByItsId) {
  const TemporaryFolder folder;
  record_coming_and_going(folder.path());
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  const io::BodyTrack back = reader.track(3), away = reader.track(7);
  EXPECT_EQ(back.frame, (std::vector<std::size_t>{0, 3, 4}));
  EXPECT_EQ(away.frame, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(back.position[2], place_of(3, 40).cast<float>());
  EXPECT_EQ(away.position[1], place_of(7, 10).cast<float>());
  EXPECT_TRUE(reader.track(99).frame.empty());
}

TEST(ComingAndGoing, TablesAndSeriesListOnlyPresentBodies) {
  const TemporaryFolder folder;
  record_coming_and_going(folder.path());
  const io::TrajectoryReader reader(folder.path() / "trajectory.h5");
  write_text(folder.path() / "all.csv", io::TextFormat::csv, reader, io::all_frames(reader));
  const std::string csv = read_text(folder.path() / "all.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 3 + 3 + 0 + 4 + 4);
  EXPECT_NE(csv.find("\n0.03,41,steel,"), std::string::npos) << csv;
  write_text(folder.path() / "all.xyz", io::TextFormat::extended_xyz, reader, io::all_frames(reader));
  EXPECT_TRUE(read_text(folder.path() / "all.xyz").starts_with("3\n"));
  // The series written by the run, and the series made from the trajectory.
  const std::string written = read_text(folder.path() / "vtk/bodies_000003.vtp");
  EXPECT_NE(written.find("NumberOfPoints=\"4\""), std::string::npos) << written;
  io::RunFolder again{folder.path() / "again"};
  std::filesystem::create_directories(again.path);
  write_vtk_series(again, reader, io::all_frames(reader));
  EXPECT_EQ(read_text(again.path / "vtk/bodies_000003.vtp"), written);
  EXPECT_EQ(read_text(again.path / "vtk/contacts_000003.vtp"),
            read_text(folder.path() / "vtk/contacts_000003.vtp"));
}

TEST(TrajectoryReader, RefusesAnotherFormat) {
  const TemporaryFolder folder;
  record_coming_and_going(folder.path());
  const std::filesystem::path path = folder.path() / "trajectory.h5";
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT),
              attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
  const std::int64_t old = 1;
  H5Awrite(attribute, H5T_NATIVE_INT64, &old);
  H5Aclose(attribute);
  H5Fclose(file);
  try {
    const io::TrajectoryReader reader(path);
    FAIL();
  } catch (const io::ReadError& error) {
    EXPECT_NE(std::string(error.what()).find("it has format 1"), std::string::npos) << error.what();
  }
}

}  // namespace scree::test
