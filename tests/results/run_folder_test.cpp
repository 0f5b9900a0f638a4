#include "io/results/run_folder.h"

#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "io/files/file_errors.h"
#include "tests/results/fixtures.h"

namespace scree::test {

namespace fs = std::filesystem;

namespace {
void put(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
}  // namespace

TEST(RunFolder, MakesMissingFolders) {
  const TemporaryFolder folder;
  const io::RunFolder run = io::prepare_run_folder(folder.path() / "a" / "b", false);
  EXPECT_TRUE(fs::is_directory(run.path));
  EXPECT_TRUE(fs::is_empty(run.path));
}

TEST(RunFolder, RefusesToReplaceExistingResults) {
  for (const char* name :
       {"trajectory.h5", "steps.csv", "summary.json", "view.py", "bodies.pvd", "walls.vtp"}) {
    const TemporaryFolder folder;
    put(folder.path() / name, "precious");
    const auto time = fs::last_write_time(folder.path() / name);
    EXPECT_THROW((void)io::prepare_run_folder(folder.path(), false), io::WriteError) << name;
    EXPECT_EQ(read_text(folder.path() / name), "precious");
    EXPECT_EQ(fs::last_write_time(folder.path() / name), time);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  }
}

TEST(RunFolder, TakesAFolderWithForeignFiles) {
  const TemporaryFolder folder;
  put(folder.path() / "notes.txt", "mine");
  fs::create_directory(folder.path() / "vtk");
  put(folder.path() / "vtk" / "bodies_best.vtp", "mine");
  EXPECT_NO_THROW((void)io::prepare_run_folder(folder.path(), false));
  EXPECT_EQ(read_text(folder.path() / "notes.txt"), "mine");
}

TEST(RunFolder, OverwriteRemovesOwnFilesOnly) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path() / "vtk");
  const std::vector<fs::path> own{"trajectory.h5", "summary.json", "vtk/bodies_000000.vtp",
                                  "vtk/contacts_1000000.vtp", "vtk/shape_000000.vtp"};
  const std::vector<fs::path> foreign{"notes.txt", "summary.json.bak", "vtk/bodies_.vtp",
                                      "vtk/bodies_1.vtp.gz", "vtk/picture.png"};
  for (const fs::path& name : own) put(folder.path() / name, "old");
  for (const fs::path& name : foreign) put(folder.path() / name, "mine");
  (void)io::prepare_run_folder(folder.path(), true);
  for (const fs::path& name : own) EXPECT_FALSE(fs::exists(folder.path() / name)) << name;
  for (const fs::path& name : foreign) EXPECT_EQ(read_text(folder.path() / name), "mine") << name;
}

TEST(RunFolder, ReportsWhyItCannotWrite) {
  const TemporaryFolder folder;
  put(folder.path() / "file", "");
  try {
    (void)io::prepare_run_folder(folder.path() / "file", false);
    FAIL();
  } catch (const io::WriteError& error) {
    EXPECT_NE(std::string(error.what()).find("not a folder"), std::string::npos);
  }
  EXPECT_THROW((void)io::prepare_run_folder(folder.path() / "file" / "below", false), io::WriteError);
  EXPECT_THROW((void)io::prepare_run_folder("/proc/scree", false), io::WriteError);
}

TEST(RunFolder, AnUnwritableFolderKeepsItsOldResults) {
  if (geteuid() == 0) GTEST_SKIP() << "permissions do not bind the superuser";
  const TemporaryFolder folder;
  put(folder.path() / "summary.json", "old");
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THROW((void)io::prepare_run_folder(folder.path(), true), io::WriteError);
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_EQ(read_text(folder.path() / "summary.json"), "old");
}

}  // namespace scree::test
