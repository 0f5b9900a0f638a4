#include "io/results/verify.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/core/state_hash.h"
#include "io/files/file_errors.h"
#include "io/files/hdf5_file.h"
#include "io/files/input_file.h"
#include "io/files/journaled_file.h"
#include "io/files/text_file.h"
#include "io/files/vtk_file.h"
#include "io/results/checkpoint.h"
#include "io/results/trajectory.h"
#include "io/results/trajectory_reader.h"

namespace scree::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_problems = 5;  // of a file

void add(FileFindings& findings, const std::string& problem) {
  if (findings.problems.size() < most_problems)
    findings.problems.push_back(problem);
  else if (findings.problems.size() == most_problems)
    findings.problems.push_back("and more");
}

bool is_there(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

std::string text_of(const fs::path& file) {
  std::string problem;
  return read_bytes(file, problem).value_or("");
}

/// Is somebody writing to the folder?
bool is_live(const RunFolder& folder) try {
  const FolderLock lock(folder.path);
  return false;
} catch (const WriteError&) {
  return true;
}

/// What the files say of each other.
struct Facts {
  bool live = false;
  std::optional<std::int64_t> frames, steps;
  std::map<std::int64_t, std::string> hash;  // of a step, by steps.csv
  std::string last_hash;
};

template <class Vectors>
bool all_finite(const Vectors& list) {
  return std::ranges::all_of(list, [](const auto& v) { return v.allFinite(); });
}

void look_at_frame(const TrajectoryReader& reader, std::size_t k, FileFindings& f) {
  const Frame frame = reader.frame(k);
  if (!all_finite(frame.position) || !all_finite(frame.velocity) || !all_finite(frame.angular_velocity))
    add(f, fmt::format("frame {} at t = {:g} s holds numbers that are not finite", k, reader.time_s()[k]));
  if (k > 0 && !(reader.time_s()[k] > reader.time_s()[k - 1]))
    add(f, fmt::format("frame {} is not later than the one before", k));
  if (reader.has_contacts(k)) reader.contacts(k);
  if (reader.walls_move()) reader.boundaries(k);
}

FileFindings look_at_trajectory(const RunFolder& folder, Facts& facts) {
  FileFindings f{folder.trajectory().filename().string(), "", {}};
  const fs::path journal = hdf5::journal_name(folder.trajectory());
  std::error_code error;
  if (!facts.live && is_there(journal)) {
    const bool has_pages = fs::file_size(journal, error) > 0;
    try {
      hdf5::print_no_errors();
      const hdf5::Handle healed = hdf5::open_journaled_file(folder.trajectory());
    } catch (const hdf5::Error& e) {
      add(f, fmt::format("its journal cannot be brought in: {}", e.what()));
    }
    if (has_pages) f.found = "its journal was brought in, ";
  }
  try {
    const TrajectoryReader reader(folder.trajectory());
    for (std::size_t k = 0; k < reader.frames(); ++k) look_at_frame(reader, k, f);
    facts.frames = static_cast<std::int64_t>(reader.frames());
    f.found += fmt::format("{} frames of {} bodies", reader.frames(), reader.run().bodies.size());
    const hdf5::File file(folder.trajectory());
    for (const std::string& name : ledger_names()) {
      const std::vector<std::uint64_t> dims = file.dimensions(name);
      file.read_wide<double>(name, 0, dims.at(0), dims.size() > 1 ? dims[1] : 1);
    }
  } catch (const ReadError& e) {
    add(f, e.what());
  } catch (const hdf5::Error& e) {
    add(f, e.what());
  }
  return f;
}

std::size_t fields_in(std::string_view line) {
  std::size_t fields = 1;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == ',' && !quoted) ++fields;
  }
  return fields;
}

/// Rows of as many fields as the first, one after the other as they were written; calls see(number of the
/// row, its text).
template <class F>
FileFindings look_at_rows(const fs::path& file, bool live, F&& see) {
  FileFindings f{file.filename().string(), "", {}};
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  std::getline(stream, line);
  const std::size_t fields = fields_in(line);
  std::int64_t rows = 0;
  for (; std::getline(stream, line); ++rows) {
    const bool cut_off = stream.eof();  // without a line end
    if (cut_off && live) break;
    if (cut_off || fields_in(line) != fields)
      add(f, fmt::format("line {} is cut off or damaged", rows + 2));
    else
      see(rows, line, f);
  }
  f.found = fmt::format("{} rows", rows);
  return f;
}

FileFindings look_at_steps(const RunFolder& folder, Facts& facts) {
  std::int64_t last = 0;
  FileFindings f = look_at_rows(
      folder.steps(), facts.live, [&](std::int64_t row, const std::string& line, FileFindings& found) {
        const std::int64_t step = std::atoll(line.c_str());
        if (step != row + 1)
          add(found, fmt::format("line {} is of step {} and not of {}", row + 2, step, row + 1));
        last = step;
        facts.last_hash = line.substr(line.rfind(',') + 1);
        if (facts.hash.contains(step)) facts.hash[step] = facts.last_hash;
      });
  facts.steps = last;
  return f;
}

/// The sums and lengths that a summary knows of the tables.
FileFindings look_at_summary(const RunFolder& folder, const Facts& facts) {
  FileFindings f{folder.summary().filename().string(), "", {}};
  const auto json = nlohmann::json::parse(text_of(folder.summary()), nullptr, false);
  if (!json.is_object() || json.value("format", "") != "scree summary") {
    add(f, "is no summary");
    return f;
  }
  const auto agree = [&](const char* key, std::optional<std::int64_t> here, const char* file) {
    if (here && json.contains(key) && json[key].is_number() && json[key] != *here)
      add(f, fmt::format("{} are {} here and {} in {}", key, json[key].dump(), *here, file));
  };
  agree("steps", facts.steps, "steps.csv");
  agree("frames", facts.frames, "trajectory.h5");
  if (!facts.last_hash.empty() && json.value("state_hash", "") != facts.last_hash)
    add(f, "the final state's hash is not that of the last row of steps.csv");
  const nlohmann::json files = json.value("files", nlohmann::json::object());
  for (const auto& [name, sum] : files.items()) {
    const std::string now = crc32_text(crc32_of_file(folder.path / name));
    if (!is_there(folder.path / name))
      add(f, fmt::format("{} is missing", name));
    else if (!sum.is_object() || sum.value("crc32", "") != now)
      add(f, fmt::format("{} is not as it was written: its checksum is {}", name, now));
  }
  f.found = fmt::format("{}, {} steps", json.value("status", "?"), json.value("steps", 0));
  return f;
}

FileFindings look_at_checkpoint(const fs::path& file, const Facts& facts) {
  FileFindings f{"checkpoints/" + file.filename().string(), "", {}};
  try {
    Archive io = Archive::to_read(file, checkpoint_kind);
    CheckpointHead head;
    State state;
    visit(io, head);
    io.group("state", [&] { visit(io, state); });
    f.found =
        fmt::format("after step {}, t = {:g} s, {} bodies", state.step, state.time_s, state.bodies.size());
    const auto row = facts.hash.find(state.step);
    if (state.step > 0 && row != facts.hash.end() && row->second != hash_text(state_hash(state.bodies)))
      add(f, "its state is not that of its row in steps.csv");
  } catch (const ReadError& e) {
    add(f, e.what());
  }
  return f;
}

/// A file for ParaView ends with the checksum of all that comes before.
bool has_its_checksum(const std::string& text) {
  const std::size_t at = text.rfind(vtk_checksum_begin);
  return at != std::string::npos && text.substr(at) == vtk_checksum(std::string_view(text).substr(0, at));
}

FileFindings look_at_series(const RunFolder& folder, const fs::path& series) {
  FileFindings f{series.filename().string(), "", {}};
  const std::string text = text_of(series);
  if (!has_its_checksum(text)) add(f, "its checksum is wrong or missing");
  std::int64_t files = 0;
  for (std::size_t at = text.find(" file=\""); at != std::string::npos;
       at = text.find(" file=\"", at), ++files) {
    at += std::string_view(" file=\"").size();
    const std::string name = text.substr(at, text.find('"', at) - at);
    if (name.find("..") != std::string::npos || fs::path(name).is_absolute())
      add(f, name + " is not in the folder");
    else if (!is_there(folder.path / name))
      add(f, name + " is missing");
    else if (!has_its_checksum(text_of(folder.path / name)))
      add(f, name + ": its checksum is wrong or missing");
  }
  f.found = fmt::format("{} files", files);
  return f;
}

}  // namespace

std::vector<FileFindings> verify_run(const RunFolder& folder) {
  if (!is_there(folder.steps()) && !is_there(folder.trajectory()))
    throw ReadError(fmt::format("there is no run in {}", folder.path.string()));
  Facts facts;
  facts.live = is_live(folder);
  const std::vector<fs::path> all = checkpoints(folder);
  for (const fs::path& file : all) facts.hash[step_of(file)];
  std::vector<FileFindings> found;
  if (is_there(folder.trajectory())) found.push_back(look_at_trajectory(folder, facts));
  if (is_there(folder.steps())) found.push_back(look_at_steps(folder, facts));
  for (const fs::path& table : folder.tables())
    if (table != folder.steps() && is_there(table))
      found.push_back(look_at_rows(table, facts.live, [](auto&&...) {}));
  for (const fs::path& series : {folder.bodies_series(), folder.contacts_series(), folder.walls_series()})
    if (is_there(series)) found.push_back(look_at_series(folder, series));
  for (const fs::path& file : all) found.push_back(look_at_checkpoint(file, facts));
  if (is_there(folder.summary())) found.push_back(look_at_summary(folder, facts));
  return found;
}

}  // namespace scree::io
