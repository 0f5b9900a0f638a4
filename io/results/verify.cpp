#include "io/results/verify.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
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
#include "io/results/recorded_fields.h"
#include "io/results/row_file.h"
#include "io/results/summary.h"
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
  const std::optional<std::string> bytes = read_bytes(file, problem);
  if (!bytes) throw ReadError(fmt::format("cannot read {}: {}", file.string(), problem));
  return *bytes;
}

/// Is a run writing to the folder?
bool is_live(const RunFolder& folder) try {
  const FolderLock lock(folder.path);
  return false;
} catch (const WriteError&) {
  return true;
}

/// Facts for the comparison of files.
struct Facts {
  bool live = false;
  std::optional<std::int64_t> frames, steps;
  std::map<std::int64_t, std::string> hash;  // of a step, from steps.csv
  std::string last_hash;
  std::map<std::string, std::vector<TableChecksum>> sums;  // from tables.crc32
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
      add(f, fmt::format("its journal cannot be merged: {}", e.what()));
    }
    if (has_pages) f.found = "its journal was merged, ";
  }
  try {
    const TrajectoryReader reader(folder.trajectory());
    for (std::size_t k = 0; k < reader.frames(); ++k) look_at_frame(reader, k, f);
    facts.frames = static_cast<std::int64_t>(reader.frames());
    f.found += fmt::format("{} frames of {} bodies", reader.frames(), rows_of_bodies(reader.run()).size());
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

/// Are the table's bytes those that were written, by the checksums from its growth? A killed run
/// may have written a checksum without its rows.
void look_at_checksums(const fs::path& file, const Facts& facts, FileFindings& f) {
  const auto found = facts.sums.find(file.filename().string());
  if (found == facts.sums.end()) {
    if (!facts.sums.empty()) add(f, "tables.crc32 has no checksum of it");
    return;
  }
  const std::string text = text_of(file);
  const auto size = static_cast<std::int64_t>(text.size());
  std::uint32_t crc = 0;
  std::int64_t from = 0;
  for (const TableChecksum& sum : found->second) {
    if (sum.bytes > size) break;
    const std::string_view part(text.data() + from, static_cast<std::size_t>(sum.bytes - from));
    crc = crc32_of(part, crc);
    if (crc != sum.crc32) {
      const auto first = std::count(text.begin(), text.begin() + from, '\n') + 1;
      const auto last = std::count(part.begin(), part.end(), '\n') + first - 1;
      add(f, fmt::format("lines {} to {} have changed since they were written, according to tables.crc32",
                         first, last));
      return;
    }
    from = sum.bytes;
  }
  const auto missing =
      std::ranges::count_if(found->second, [&](const auto& sum) { return sum.bytes > size; });
  if (missing > 1) add(f, "its end is missing, according to tables.crc32");
  if (!facts.live && from < size && missing == 0)
    add(f, fmt::format("tables.crc32 has no checksum of its last {} bytes", size - from));
}

/// Rows with as many fields as the first, one after the other in written order; calls see(number of the
/// row, its text).
template <class F>
FileFindings look_at_rows(const fs::path& file, const Facts& facts, F&& see) {
  const bool live = facts.live;
  FileFindings f{file.filename().string(), "", {}};
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw ReadError(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  look_at_checksums(file, facts, f);
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
      folder.steps(), facts, [&](std::int64_t row, const std::string& line, FileFindings& found) {
        const std::int64_t step = std::atoll(line.c_str());
        if (step != row + 1)
          add(found, fmt::format("line {} is of step {}, but should be of step {}", row + 2, step, row + 1));
        last = step;
        facts.last_hash = line.substr(line.rfind(',') + 1);
        if (facts.hash.contains(step)) facts.hash[step] = facts.last_hash;
      });
  facts.steps = last;
  return f;
}

/// The checksums and lengths of the tables in a summary.
FileFindings look_at_summary(const RunFolder& folder, const Facts& facts) {
  FileFindings f{folder.summary().filename().string(), "", {}};
  const std::string text = text_of(folder.summary());
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("format", "") != "scree summary") {
    add(f, "is not a summary");
    return f;
  }
  if (!has_summary_checksum(text, !facts.sums.empty()))
    add(f, "has changed since it was written: its checksum is wrong");
  const auto agree = [&](const char* key, std::optional<std::int64_t> here, const char* file) {
    if (here && json.contains(key) && json[key].is_number() && json[key] != *here)
      add(f, fmt::format("{} are {} here, but {} in {}", key, json[key].dump(), *here, file));
  };
  agree("steps", facts.steps, "steps.csv");
  agree("frames", facts.frames, "trajectory.h5");
  if (!facts.last_hash.empty() && json.value("state_hash", "") != facts.last_hash)
    add(f, "the hash of the final state differs from the last row of steps.csv");
  const nlohmann::json files = json.value("files", nlohmann::json::object());
  for (const auto& [name, sum] : files.items()) {
    if (fs::path(name).filename() != name) {
      add(f, fmt::format("{} is not in the folder", name));
    } else if (!is_there(folder.path / name)) {
      add(f, fmt::format("{} is missing", name));
    } else if (const std::string now = crc32_text(crc32_of_file(folder.path / name));
               !sum.is_object() || sum.value("crc32", "") != now) {
      add(f, fmt::format("{} has changed since it was written: its checksum is {}", name, now));
    }
  }
  if (json.value("frames", 0) > 0 && !is_there(folder.trajectory()) && !is_there(folder.bodies_series()))
    add(f, "the frames that it counts are missing");
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
      add(f, "its state differs from its row in steps.csv");
  } catch (const ReadError& e) {
    add(f, e.what());
  }
  return f;
}

/// Does a file for ParaView end with the checksum of all text before it?
bool has_its_checksum(const std::string& text) {
  const std::size_t at = text.rfind(vtk_checksum_begin);
  return at != std::string::npos && text.substr(at) == vtk_checksum(std::string_view(text).substr(0, at));
}

/// A file that is in no series.
FileFindings look_at_vtk_file(const fs::path& file) {
  FileFindings f{file.filename().string(), "one file", {}};
  if (!has_its_checksum(text_of(file))) add(f, "its checksum is wrong or missing");
  return f;
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

/// Runs a check, and distinguishes damaged files from unreadable ones.
template <class F>
FileFindings looked_at(const fs::path& file, F&& look) try {
  return look();
} catch (const nlohmann::json::exception& error) {
  return {
      file.filename().string(), "", {fmt::format("has content that runs do not write: {}", error.what())}};
} catch (const ReadError& error) {
  return {file.filename().string(), "", {error.what()}, true};
}

}  // namespace

std::vector<FileFindings> verify_run(const RunFolder& folder) {
  if (!is_there(folder.steps()) && !is_there(folder.trajectory()))
    throw ReadError(fmt::format("there is no run in {}", folder.path.string()));
  Facts facts;
  facts.live = is_live(folder);
  const std::vector<fs::path> all = checkpoints(folder);
  for (const fs::path& file : all) facts.hash[step_of(file)];
  facts.sums = table_checksums(folder.table_checksums());  // before the tables, which may grow
  std::vector<FileFindings> found;
  const auto look = [&](const fs::path& file, auto&& at) {
    if (is_there(file)) found.push_back(looked_at(file, [&] { return at(file); }));
  };
  look(folder.trajectory(), [&](const fs::path&) { return look_at_trajectory(folder, facts); });
  look(folder.steps(), [&](const fs::path&) { return look_at_steps(folder, facts); });
  for (const fs::path& table : folder.tables())
    if (table != folder.steps())
      look(table, [&](const fs::path& file) { return look_at_rows(file, facts, [](auto&&...) {}); });
  for (const auto& [table, sums] : facts.sums)
    if (!is_there(folder.path / table))
      found.push_back({table, "", {"is missing, but tables.crc32 lists it"}});
  for (const fs::path& series : {folder.bodies_series(), folder.contacts_series(), folder.walls_series(),
                                 folder.outlines_series(), folder.wall_cells_series()})
    look(series, [&](const fs::path& file) { return look_at_series(folder, file); });
  for (const fs::path& single : {folder.walls(), folder.outlines()}) look(single, look_at_vtk_file);
  for (const fs::path& checkpoint : all)
    look(checkpoint, [&](const fs::path& file) { return look_at_checkpoint(file, facts); });
  look(folder.summary(), [&](const fs::path&) { return look_at_summary(folder, facts); });
  const bool begun = facts.frames.value_or(0) > 0 || facts.steps.value_or(0) > 0 || !all.empty() ||
                     is_there(folder.summary());
  if (!begun && !facts.live && std::ranges::all_of(found, [](const auto& f) { return f.problems.empty(); }))
    throw ReadError(fmt::format("there is no run in {}: its files have only headers", folder.path.string()));
  return found;
}

}  // namespace scree::io
