// Films by way of the program ffmpeg.
#pragma once

#include <filesystem>
#include <sys/types.h>

#include "io/render/picture.h"

namespace scree::io {

/// Pictures of one size become an MP4 (H.264) that any player shows. ffmpeg must be in PATH; it reports to
/// stderr. An existing file is replaced. Members throw WriteError.
class Film {
 public:
  Film(std::filesystem::path path, int width, int height, double frames_per_second);
  ~Film();
  Film(const Film&) = delete;
  Film& operator=(const Film&) = delete;

  void add(const Picture& picture);
  void finish();

 private:
  int close_and_wait();

  std::filesystem::path path_;
  int pipe_ = -1;
  pid_t process_ = -1;
};

}  // namespace scree::io
