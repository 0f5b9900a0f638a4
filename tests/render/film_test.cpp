#include "io/render/film.h"

#include <gtest/gtest.h>

#include "io/files/file_errors.h"
#include "io/render/labels.h"
#include "tests/results/fixtures.h"

namespace scree::test {

TEST(Picture, BecomesAPngOfItsSize) {
  const TemporaryFolder folder;
  io::Picture picture(30, 20);
  for (std::uint32_t& pixel : picture.pixel) pixel = 0xff102030u;
  io::write_png(folder.path() / "p.png", picture);
  const std::string file = read_text(folder.path() / "p.png");
  EXPECT_EQ(file.substr(1, 3), "PNG");
  EXPECT_EQ(file.substr(16, 8), std::string("\0\0\0\x1e\0\0\0\x14", 8));  // IHDR: width, height
  EXPECT_THROW(io::write_png(folder.path() / "no/such/folder.png", picture), io::WriteError);
}

TEST(Film, ReportsThatFfmpegCannotStart) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  try {
    io::Film film("film.mp4", 32, 32, 25.0);
    ADD_FAILURE() << "it started";
  } catch (const io::WriteError& error) {
    EXPECT_NE(std::string(error.what()).find("ffmpeg"), std::string::npos);
  }
  setenv("PATH", path.c_str(), 1);
}

}  // namespace scree::test
