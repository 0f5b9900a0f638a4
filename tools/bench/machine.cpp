#include "tools/bench/machine.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <malloc.h>
#include <set>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <thread>

#include "io/results/provenance.h"

namespace scree {

namespace {

std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Lines "key : value" of /proc/cpuinfo and similar files; calls use(key, value) for each line.
template <class F>
void for_each_entry(const char* path, F&& use) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto key_end = line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1);
    const auto value = line.find_first_not_of(" \t", colon + 1);
    use(line.substr(0, key_end + 1), value == std::string::npos ? "" : line.substr(value));
  }
}

void read_processor(Machine& machine) {
  std::set<std::pair<std::string, std::string>> cores;
  std::string package;
  for_each_entry("/proc/cpuinfo", [&](const std::string& key, const std::string& value) {
    if (key == "model name") machine.cpu = value;
    if (key == "physical id") package = value;
    if (key == "core id") cores.insert({package, value});
  });
  machine.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  machine.cores = cores.empty() ? machine.threads : static_cast<int>(cores.size());
  if (machine.cpu.empty()) machine.cpu = "unknown";
}

void read_caches(Machine& machine) {
  for (int index = 0;; ++index) {
    const std::filesystem::path folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}", index);
    const std::string level = first_line(folder / "level");
    if (level.empty()) return;
    std::string type = first_line(folder / "type");
    std::transform(type.begin(), type.end(), type.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    machine.caches.push_back(fmt::format("L{} {} {}", level, type, first_line(folder / "size")));
  }
}

void read_memory(Machine& machine) {
  for_each_entry("/proc/meminfo", [&](const std::string& key, const std::string& value) {
    if (key == "MemTotal")
      machine.memory_bytes = std::atoll(value.c_str()) * 1024;  // the kernel counts in KiB
  });
}

}  // namespace

Machine this_machine() {
  Machine machine;
  read_processor(machine);
  read_caches(machine);
  read_memory(machine);
  utsname name{};
  if (uname(&name) == 0) machine.system = fmt::format("{} {} {}", name.sysname, name.release, name.machine);
  double load = 0.0;
  if (getloadavg(&load, 1) == 1) machine.load = load;
  return machine;
}

Build this_build() {
  return {io::scree_version(), io::provenance().commit, io::provenance().compiler, SCREE_COMPILER_FLAGS};
}

std::int64_t heap_bytes() {
  const struct mallinfo2 heap = mallinfo2();  // all arenas, and separately mapped memory
  return static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;  // the kernel counts in KiB
}

double cpu_time_s() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace scree
