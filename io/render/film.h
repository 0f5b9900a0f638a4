// Films by way of the program ffmpeg.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <sys/types.h>

#include "io/render/picture.h"

namespace scree::io {

/// Endings of files that a film can go into: ".mp4", ".webm", ".gif".
std::span<const std::string_view> film_endings();

/// Pictures of one size become a film: MP4 (H.264), which any player shows, WebM (VP9) or GIF, by the path's
/// ending. ffmpeg must be in PATH; it reports to stderr. An existing file is replaced. Members throw
/// WriteError.
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
