#include "io/files/input_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files/machine_room.h"

namespace scree::io {

namespace {

/// Closes itself.
struct Opened {
  int file = -1;
  std::uint64_t bytes = 0;
  ~Opened() {
    if (file >= 0) ::close(file);
  }
};

/// Opens without waiting for a writer of a pipe.
std::string open_regular(const std::filesystem::path& path, Opened& opened) {
  opened.file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (opened.file < 0) return std::strerror(errno);
  struct stat found;
  if (fstat(opened.file, &found) != 0) return std::strerror(errno);
  if (S_ISDIR(found.st_mode)) return "it is a folder";
  if (!S_ISREG(found.st_mode)) return "it is not a file, but a device, a pipe or a socket";
  opened.bytes = static_cast<std::uint64_t>(found.st_size);
  return "";
}

}  // namespace

std::string file_problem(const std::filesystem::path& path) {
  Opened opened;
  return open_regular(path, opened);
}

std::uint64_t most_data_bytes() {
  constexpr double share = 1.0 / 32.0;  // of the machine's memory
  constexpr double most = 1e12;         // if the system does not report it
  return static_cast<std::uint64_t>(std::min(share * memory_bytes(), most));
}

std::optional<std::string> read_bytes(const std::filesystem::path& path, std::string& problem,
                                      std::uint64_t most) {
  Opened opened;
  problem = open_regular(path, opened);
  if (!problem.empty()) return {};
  if (opened.bytes > most) {
    problem = "it has " + bytes_text(static_cast<double>(opened.bytes)) + ", but at most " +
              bytes_text(static_cast<double>(most)) + " are possible for this kind of file";
    return {};
  }
  // Some files, such as those of /proc, have more bytes than reported.
  std::string bytes(opened.bytes + 1, '\0');
  std::size_t at = 0;
  for (;;) {
    const ssize_t n = ::read(opened.file, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      problem = std::strerror(errno);
      return {};
    }
    if (n == 0) break;
    at += static_cast<std::size_t>(n);
    if (at < bytes.size()) continue;
    if (at > most) {
      problem = "it has more bytes than are possible for this kind of file";
      return {};
    }
    bytes.resize(2 * bytes.size());
  }
  bytes.resize(at);
  return bytes;
}

}  // namespace scree::io
