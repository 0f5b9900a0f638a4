#include "io/scene/particle_files.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>

namespace scree::io {

namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  Words words;
  for (const CsvField& field : split_csv(line, ' '))
    if (!field.text.empty()) words.emplace_back(field.text);
  return words;
}

/// Every line with its number, empty ones too: comments of these formats do not begin with #.
std::vector<CsvLine> all_lines(const std::string& text) {
  std::vector<CsvLine> lines;
  std::size_t begin = 0;
  for (int number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    std::ranges::replace(line, '\t', ' ');
    std::ranges::replace(line, '\r', ' ');
    lines.push_back({std::move(line), number});
    begin = end + 1;
  }
  return lines;
}

/// A whole number that stands alone in a line; -1: another text.
std::int64_t lone_number(const std::string& line) {
  const Words words = words_of(line);
  std::int64_t value = -1;
  if (words.size() != 1) return -1;
  const auto [end, error] = std::from_chars(words[0].data(), words[0].data() + words[0].size(), value);
  return error == std::errc() && end == words[0].data() + words[0].size() && value >= 0 ? value : -1;
}

std::string joined(const Words& words) { return fmt::format("{}", fmt::join(words, " ")); }

class ParticleReader {
 public:
  ParticleReader(std::vector<CsvLine> lines, const std::string& shown, TableFaults& faults)
      : lines_(std::move(lines)), shown_(shown), faults_(faults) {}

  std::optional<ParticleRows> xyz() {
    std::size_t at = 0, first = 0;
    while (at < lines_.size()) {  // frame by frame
      const std::int64_t count = lone_number(lines_[at].text);
      if (count < 0 && words_of(lines_[at].text).empty()) {
        ++at;
        continue;
      }
      if (count < 0) return fault(lines_[at], "must be the number of particles of a frame");
      if (at + 2 + static_cast<std::size_t>(count) > lines_.size())
        return fault(lines_[at], fmt::format("says {} particles, and the file has fewer", count));
      first = at;
      at += 2 + static_cast<std::size_t>(count);
    }
    const auto count = static_cast<std::size_t>(lone_number(lines_[first].text));
    const std::optional<Words> columns = xyz_columns(
        lines_[first + 1], first + 2 < lines_.size() ? words_of(lines_[first + 2].text).size() : 0);
    if (!columns) return std::nullopt;
    return rows(*columns, first + 2, count, lines_[first + 1].number);
  }

  std::optional<ParticleRows> dump() {
    std::size_t count = 0, first = 0, heading = 0;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string& line = lines_[i].text;
      if (line.starts_with("ITEM: NUMBER OF ATOMS") && i + 1 < lines_.size())
        count = static_cast<std::size_t>(std::max<std::int64_t>(0, lone_number(lines_[i + 1].text)));
      if (!line.starts_with("ITEM: ATOMS")) continue;
      heading = i;
      first = i + 1;
      i += count;
    }
    if (first == 0) return fault(lines_.front(), "has no ITEM: ATOMS");
    if (first + count > lines_.size())
      return fault(lines_[heading],
                   fmt::format("its last frame should have {} particles and has fewer", count));
    Words columns = words_of(lines_[heading].text);
    columns.erase(columns.begin(), columns.begin() + 2);
    if (std::ranges::find(columns, "xs") != columns.end())
      return fault(lines_[heading], "has scaled coordinates (xs): dump x y z");
    // Superquadrics of LIGGGHTS have semi-axes where ellipsoids of LAMMPS have diameters.
    const bool are_semi_axes = std::ranges::find(columns, "blockiness1") != columns.end();
    for (std::string& column : columns)
      for (const auto& [name, axis] : {std::pair{"shapex", "a"}, {"shapey", "b"}, {"shapez", "c"}})
        if (are_semi_axes && column == name) column = axis;
    return rows(columns, first, count, lines_[heading].number);
  }

  std::optional<ParticleRows> data() {
    const std::map<std::string, Section> sections = find_sections();
    const auto atoms = sections.find("Atoms");
    if (atoms == sections.end()) return fault(lines_.front(), "has no section Atoms");
    const Section& list = atoms->second;
    if (list.first == list.last) return fault(lines_.front(), "has no particles");
    const std::size_t width = words_of(lines_[list.first].text).size();
    const bool are_ellipsoids = list.style == "ellipsoid";
    if (!list.style.empty() && !are_ellipsoids && list.style != "sphere" && list.style != "granular")
      return fault(lines_[list.heading],
                   fmt::format("has atoms of the style {}; sphere (granular) and ellipsoid "
                               "are read",
                               list.style));
    if (width != 7 && width != 10)
      return fault(lines_[list.first],
                   fmt::format("has {} values; a line of the style sphere has 7: id type "
                               "diameter density x y z, and perhaps three counts of images",
                               width));
    const std::map<std::string, Words> velocities = by_id(sections, "Velocities"),
                                       shapes = by_id(sections, "Ellipsoids");
    const bool move = !velocities.empty();
    Words columns{"id", "type", are_ellipsoids ? "ellipsoidflag" : "diameter", "density", "x", "y", "z"};
    if (are_ellipsoids)
      columns.insert(columns.end(), {"shapex", "shapey", "shapez", "quatw", "quati", "quatj", "quatk"});
    if (move) columns.insert(columns.end(), {"vx", "vy", "vz"});
    ParticleRows found{{{joined(columns), lines_[list.first].number}}};
    for (std::size_t i = list.first; i < list.last; ++i) {
      Words words = words_of(lines_[i].text);
      if (words.empty()) continue;
      if (words.size() != width) return fault(lines_[i], "has another number of values than the first line");
      words.resize(7);
      if (are_ellipsoids && !append(words, shapes, 7, lines_[i], "Ellipsoids")) return std::nullopt;
      if (move && !append(words, velocities, 3, lines_[i], "Velocities")) return std::nullopt;
      found.lines.push_back({joined(words), lines_[i].number});
    }
    return found;
  }

 private:
  struct Section {
    std::string style;
    std::size_t heading = 0, first = 0, last = 0;  // lines
  };

  std::nullopt_t fault(const CsvLine& line, const std::string& problem) {
    Fault fault;
    fault.where = {shown_, line.number, 1};
    fault.problem = problem;
    faults_.faults.push_back(std::move(fault));
    return std::nullopt;
  }

  ParticleRows rows(const Words& columns, std::size_t first, std::size_t count, int header) const {
    ParticleRows found{{{joined(columns), header}}};
    found.lines.insert(found.lines.end(), lines_.begin() + static_cast<std::ptrdiff_t>(first),
                       lines_.begin() + static_cast<std::ptrdiff_t>(first + count));
    return found;
  }

  /// `width`: values of the first row.
  std::optional<Words> xyz_columns(const CsvLine& comment, std::size_t width) {
    const std::size_t at = comment.text.find("Properties=");
    if (at == std::string::npos) {
      Words plain{"material", "x", "y", "z", "radius"};
      if (width != 4 && width != 5)
        return fault(comment, fmt::format("names no Properties=, and rows have {} values in place of 4 or 5: "
                                          "species x y z, and perhaps the radius",
                                          width));
      plain.resize(width);
      return plain;
    }
    static const std::map<std::string, Words> known{{"pos", {"x", "y", "z"}},
                                                    {"species", {"material"}},
                                                    {"velo", {"vx", "vy", "vz"}},
                                                    {"orientation", {"qx", "qy", "qz", "qw"}},
                                                    {"aspherical_shape", {"a", "b", "c"}},
                                                    {"angular_velocity", {"wx", "wy", "wz"}},
                                                    {"radius", {"radius"}}};
    std::string list = comment.text.substr(at + 11);
    list.resize(std::min(list.find(' '), list.size()));
    std::ranges::replace(list, ':', ' ');
    const Words parts = words_of(list);
    Words columns;
    for (std::size_t k = 0; k + 2 < parts.size(); k += 3) {
      const std::int64_t number = lone_number(parts[k + 2]);
      if (number < 1 || number > 100) return fault(comment, "has Properties= that are not name:type:number");
      const auto found = known.find(parts[k]);
      for (std::size_t i = 0; i < static_cast<std::size_t>(number); ++i) {
        const bool is_known =
            found != known.end() && found->second.size() == static_cast<std::size_t>(number);
        columns.push_back(is_known ? found->second[i] : fmt::format("{}[{}]", parts[k], i + 1));
      }
    }
    return columns;
  }

  /// Headings of a data file stand alone in their line, with a style behind a # perhaps.
  std::map<std::string, Section> find_sections() const {
    std::map<std::string, Section> sections;
    Section* open = nullptr;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Words words = words_of(lines_[i].text);
      if (words.empty()) continue;
      const bool heads = std::isupper(static_cast<unsigned char>(words[0][0])) != 0 && i > 0;
      if (heads) {
        open = &sections[words[0]];
        open->style = words.size() > 2 && words[1] == "#" ? words[2] : "";
        open->heading = i;
        open->first = open->last = i + 1;
        while (open->first < lines_.size() && words_of(lines_[open->first].text).empty()) ++open->first;
        open->last = open->first;
      } else if (open != nullptr) {
        open->last = i + 1;
      }
    }
    return sections;
  }

  std::map<std::string, Words> by_id(const std::map<std::string, Section>& sections, const char* name) const {
    std::map<std::string, Words> found;
    const auto section = sections.find(name);
    if (section == sections.end()) return found;
    for (std::size_t i = section->second.first; i < section->second.last; ++i) {
      Words words = words_of(lines_[i].text);
      if (words.empty()) continue;
      const std::string id = words[0];
      words.erase(words.begin());
      found[id] = std::move(words);
    }
    return found;
  }

  /// The values that another section has for the particle of this row.
  bool append(Words& words, const std::map<std::string, Words>& values, std::size_t width,
              const CsvLine& line, const char* section) {
    const auto found = values.find(words[0]);
    if (found == values.end() || found->second.size() < width) {
      fault(line, fmt::format("particle {} has no line of {} values in the section {}", words[0], width + 1,
                              section));
      return false;
    }
    words.insert(words.end(), found->second.begin(),
                 found->second.begin() + static_cast<std::ptrdiff_t>(width));
    return true;
  }

  std::vector<CsvLine> lines_;
  const std::string& shown_;
  TableFaults& faults_;
};

}  // namespace

std::optional<ParticleRows> read_particle_text(const std::string& text, const std::string& shown,
                                               TableFaults& faults) {
  std::vector<CsvLine> lines = all_lines(text);
  const bool is_xyz = !lines.empty() && lone_number(lines.front().text) >= 0,
             is_dump = text.starts_with("ITEM:"),
             is_data = text.find("\nAtoms") != std::string::npos && text.find(" atoms") != std::string::npos;
  ParticleReader reader(std::move(lines), shown, faults);
  if (is_dump) return reader.dump();
  if (is_data) return reader.data();
  if (is_xyz) return reader.xyz();
  Fault fault;
  fault.where.file = shown;
  fault.problem =
      "is in no format that is read: CSV or HDF5 (by its ending), XYZ, LAMMPS or LIGGGHTS dump, LAMMPS data "
      "file";
  faults.faults.push_back(std::move(fault));
  return std::nullopt;
}

}  // namespace scree::io
