#include "io/results/provenance.h"

#include <fmt/format.h>
#include <fstream>
#include <scree_commit.h>
#include <thread>

namespace scree::io {

namespace {

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

/// As reported by Linux.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
      return line.substr(line.find(": ") + 2);
    }
  }
  return "unknown";
}

}  // namespace

std::string scree_version() { return scree_version_text; }

const Provenance& provenance() {
  static const Provenance known{
      scree_commit, compiler(),
      fmt::format("{}, {} cores", processor(), std::thread::hardware_concurrency())};
  return known;
}

}  // namespace scree::io
