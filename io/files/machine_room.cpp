#include "io/files/machine_room.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace scree::io {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

}  // namespace

double memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
  const double machine =
      pages > 0 && page > 0 ? static_cast<double>(pages) * static_cast<double>(page) : unknown;
  std::ifstream group("/sys/fs/cgroup/memory.max");  // "max": no limit
  double limit = unknown;
  if (!(group >> limit && limit > 0.0)) limit = unknown;
  rlimit addresses{};  // ulimit -v
  const bool limited = getrlimit(RLIMIT_AS, &addresses) == 0 && addresses.rlim_cur != RLIM_INFINITY;
  return std::min({machine, limit, limited ? static_cast<double>(addresses.rlim_cur) : unknown});
}

double free_disk_bytes(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(folder, error);
  while (!std::filesystem::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  const std::filesystem::space_info space = std::filesystem::space(there, error);
  return error || space.capacity == 0 ? unknown : static_cast<double>(space.available);  // /proc has none
}

int free_descriptors(int most) {
  std::vector<int> opened;
  for (int k = 0; k < most; ++k) {
    const int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) break;
    opened.push_back(descriptor);
  }
  for (const int descriptor : opened) close(descriptor);
  return static_cast<int>(opened.size());
}

std::string bytes_text(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.0f} kB", std::max(1.0, std::ceil(bytes / 1e3)));
  if (bytes < 1e9) return fmt::format("{:.0f} MB", bytes / 1e6);
  return bytes < 1e12 ? fmt::format("{:.1f} GB", bytes / 1e9) : fmt::format("{:.1f} TB", bytes / 1e12);
}

}  // namespace scree::io
