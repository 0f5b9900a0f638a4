#include "tools/watch_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "io/results/run_folder.h"
#include "tools/progress.h"

namespace scree {

namespace {

constexpr std::chrono::seconds page_patience{10};  // longer than its own wait for its pages
constexpr std::chrono::milliseconds pause{20};

/// Up to the end of the line, or of the file.
std::string read_line(int file) {
  std::string line;
  for (char c = '\0'; c != '\n' && read(file, &c, 1) == 1;) line += c;
  return line;
}

}  // namespace

WatchProcess::WatchProcess(std::filesystem::path folder, bool open) : folder_(std::move(folder)) {
  const std::string path = folder_.string();
  // "--": the folder's name may begin with a dash.
  const char* const arguments[] = {
      "scree", "watch", open ? "--open" : "--", open ? "--" : path.c_str(), open ? path.c_str() : nullptr,
      nullptr};
  int ends[2] = {};
  if (pipe2(ends, O_CLOEXEC) != 0 || (process_ = fork()) < 0) {
    spdlog::warn("the page cannot be served: {}", std::strerror(errno));
    return;
  }
  if (process_ == 0) {  // there are other threads: only async-signal-safe calls between fork and exec
    setpgid(0, 0);      // Ctrl-C is for the run; this ends with it
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(ends[1], STDOUT_FILENO);
    execv("/proc/self/exe", const_cast<char**>(arguments));
    _exit(127);
  }
  close(ends[1]);
  show(read_line(ends[0]));  // it prints a message itself if it cannot start
  close(ends[0]);
}

WatchProcess::~WatchProcess() {
  if (process_ <= 0) return;
  if (!std::filesystem::exists(io::RunFolder{folder_}.summary())) kill(process_, SIGTERM);
  const auto latest = std::chrono::steady_clock::now() + page_patience;
  while (waitpid(process_, nullptr, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > latest) kill(process_, SIGKILL);
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace scree
