#include "io/render/film.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "io/files/ending.h"
#include "io/files/file_errors.h"

namespace scree::io {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& reason) {
  throw WriteError(fmt::format("cannot write {}: {}", path.string(), reason));
}

/// Starts ffmpeg with `input` as its standard input; returns its process.
pid_t start(const std::filesystem::path& path, std::vector<std::string> command, int input, int other_end) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_addclose(&actions, input);
  posix_spawn_file_actions_addclose(&actions, other_end);
  pid_t process = -1;
  // In a process group of its own Ctrl-C does not reach it: it ends the film when its input ends.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error = posix_spawnp(&process, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(path, fmt::format("{}: {}", command[0], std::strerror(error)));
  return process;
}

/// How ffmpeg codes a film with this ending. yuv420p and even sizes: what every player can show.
std::vector<std::string> coding_of(std::string_view ending, double frames_per_second) {
  const std::string even = "pad=ceil(iw/2)*2:ceil(ih/2)*2";
  if (ending == ".webm")
    return {"-vf", even, "-c:v", "libvpx-vp9", "-crf", "24", "-b:v", "0", "-pix_fmt", "yuv420p"};
  if (ending == ".gif") {  // 256 colours, those of this film; players show no more than 50 pictures a second
    const std::string colours = "split[a][b];[a]palettegen[p];[b][p]paletteuse";
    return {"-vf", frames_per_second > 50.0 ? "fps=50," + colours : colours, "-loop", "0"};
  }
  return {"-vf", even, "-c:v", "libx264", "-crf", "17", "-pix_fmt", "yuv420p", "-movflags", "+faststart"};
}

}  // namespace

std::span<const std::string_view> film_endings() {
  static constexpr std::array<std::string_view, 3> list{".mp4", ".webm", ".gif"};
  return list;
}

Film::Film(std::filesystem::path path, int width, int height, double frames_per_second)
    : path_(std::move(path)) {
  int ends[2];
  if (pipe(ends) != 0) fail(path_, std::strerror(errno));
  // bgr0: the bytes of 0xffRRGGBB.
  std::vector<std::string> command{"ffmpeg",
                                   "-y",
                                   "-loglevel",
                                   "error",
                                   "-f",
                                   "rawvideo",
                                   "-pixel_format",
                                   "bgr0",
                                   "-video_size",
                                   fmt::format("{}x{}", width, height),
                                   "-framerate",
                                   fmt::format("{:.6g}", frames_per_second),
                                   "-i",
                                   "-"};
  const std::vector<std::string> coding = coding_of(ending_of(path_), frames_per_second);
  command.insert(command.end(), coding.begin(), coding.end());
  command.push_back("file:" + path_.string());  // no other protocol, nor an option
  process_ = start(path_, command, ends[0], ends[1]);
  close(ends[0]);
  pipe_ = ends[1];
}

Film::~Film() { close_and_wait(); }

void Film::add(const Picture& picture) {
  const char* data = reinterpret_cast<const char*>(picture.pixel.data());
  for (std::size_t left = 4 * picture.pixel.size(); left > 0;) {
    const ssize_t written = write(pipe_, data, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int reason = errno;
      close_and_wait();
      fail(path_, fmt::format("ffmpeg has ended ({}); its own words stand above", std::strerror(reason)));
    }
    data += written;
    left -= static_cast<std::size_t>(written);
  }
}

void Film::finish() {
  const int status = close_and_wait();
  if (status != 0) fail(path_, fmt::format("ffmpeg ended with status {}; its own words stand above", status));
}

int Film::close_and_wait() {
  if (process_ < 0) return 0;
  close(pipe_);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace scree::io
