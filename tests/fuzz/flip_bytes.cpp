// Changes random bytes of a sound HDF5 file and reads it as Scree does, with HDF5's library in a separate
// process: flip_bytes FILE COUNT [SEED] [FOLDER]. Prints how often the file could be read, which errors were
// reported, and how often the library crashed or did not end.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <random>

#include "engine/core/errors.h"
#include "io/files/file_errors.h"
#include "io/problems/problem_file.h"
#include "io/results/trajectory_reader.h"
#include "io/scene/body_table.h"
#include "tests/results/fixtures.h"

namespace {

using namespace scree;

/// Reads the file as its own kind.
std::string problem_of(const std::filesystem::path& file) try {
  const io::TrajectoryReader reader(file);
  for (std::size_t k = 0; k < reader.frames(); ++k) {
    (void)reader.frame(k);
    (void)reader.boundaries(k);
    (void)reader.contacts(k);
  }
  return "";
} catch (const io::ReadError& error) {
  const std::string problem = error.what();
  if (problem.find("not a Scree trajectory") == std::string::npos) return problem;
  io::TableFaults faults;
  (void)io::read_body_table(file, "table.h5", faults);
  for (const Fault& fault : faults.faults) {
    if (fault.problem.find("the file is damaged") != std::string::npos) return fault.problem;
  }
  if (faults.faults.empty()) return "";
  try {
    (void)io::read_problem(file);
    return "";
  } catch (const InputError& fault) {
    return fault.what();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  std::ifstream stream(argv[1], std::ios::binary);
  const std::vector<char> sound{std::istreambuf_iterator<char>(stream), {}};
  std::mt19937_64 random(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "flipped.h5";
  long read = 0, refused = 0, broken = 0, endless = 0;
  double longest = 0.0;
  for (long k = 0, n = std::atol(argv[2]); k < n; ++k) {
    std::vector<char> bytes = sound;
    // Half of the changes are in the first bytes, which hold the file's structure.
    const std::size_t reach = random() % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 4096);
    for (auto changes = 1 + random() % 16; changes > 0; --changes)
      bytes[random() % reach] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    // No program writes to the file: an error in it is permanent.
    std::filesystem::last_write_time(file,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    const auto start = std::chrono::steady_clock::now();
    const std::string problem = problem_of(file);
    longest =
        std::max(longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    const bool broke = problem.find("crashes") != std::string::npos,
               went_on = problem.find("does not finish") != std::string::npos;
    ++(problem.empty() ? read : broke ? broken : went_on ? endless : refused);
    if ((broke || went_on) && argc > 4)
      std::filesystem::copy_file(
          file, std::filesystem::path(argv[4]) / fmt::format("{}_{}", went_on ? "endless" : "broken", k));
  }
  fmt::print(
      "{} read, {} refused, {} where the library broke off, {} where it came to no end; longest {:.2f} s\n",
      read, refused, broken, endless, longest);
}
