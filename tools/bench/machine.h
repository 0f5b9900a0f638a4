// The machine and the build of a benchmark.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace scree {

struct Machine {
  std::string cpu;                  // model name, "unknown" if the system does not report it
  int cores = 0, threads = 0;       // physical cores, hardware threads of the whole machine
  std::vector<std::string> caches;  // of the first core: "L1 data 32K", ...
  std::int64_t memory_bytes = 0;
  std::string system;  // kernel and its release
  double load = 0.0;   // number of running processes, mean over the last minute
};
Machine this_machine();

struct Build {
  std::string version, commit, compiler, flags;  // commit: from `git describe --always --dirty`
};
Build this_build();

/// Memory that the allocator has given to the program, bytes; 0 if unknown.
std::int64_t heap_bytes();
/// Largest resident memory of the process so far, bytes.
std::int64_t peak_resident_bytes();
/// Processor time of all threads of the process so far, s.
double cpu_time_s();

}  // namespace scree
