#include "tools/compare.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/files/file_errors.h"
#include "io/scene/read_scene.h"
#include "tools/command_line.h"
#include "tools/compare/difference.h"
#include "tools/compare/frames.h"
#include "tools/compare/tables.h"
#include "tools/exit_codes.h"
#include "tools/progress.h"
#include "tools/recorded_run.h"

namespace scree {

namespace {

using Json = nlohmann::ordered_json;
using Outcome = TableComparison::Outcome;

constexpr std::size_t most_listed = 12;  // columns, settings, keys in one list

struct CompareOptions {
  std::filesystem::path a, b;
  double tolerance = 0.0;
  bool json = false;
};

/// Inputs and settings of the runs, and whether they are the same.
struct Origin {
  std::string name, a, b;
  bool is_same() const { return a == b; }
};

struct NamedTable {
  std::string file;
  TableComparison found;
};

struct RunComparison {
  std::vector<Origin> origins;
  std::vector<NamedTable> tables;
  std::optional<FrameComparison> frames;  // if both have a trajectory
  std::string no_frames;                  // the reason
  std::vector<DifferentCell> summary;     // keys of summary.json, with their values
  std::string no_summary;

  bool comparable() const {
    const bool any_table = std::ranges::any_of(tables, [](const NamedTable& t) {
      return t.found.outcome == Outcome::same || t.found.outcome == Outcome::different;
    });
    return (frames || any_table) && (!frames || frames->comparable);
  }
  bool differ() const {
    return std::ranges::any_of(tables,
                               [](const NamedTable& t) {
                                 return t.found.outcome != Outcome::same &&
                                        t.found.outcome != Outcome::in_neither;
                               }) ||
           (frames && (frames->first || frames->frames_a != frames->frames_b)) || !summary.empty();
  }
  const TableComparison& steps() const { return tables.front().found; }
};

// Reading.

Json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  Json json = Json::parse(file, nullptr, false);
  if (json.is_discarded())
    throw io::ReadError(fmt::format("{}: cannot be read, or is not JSON", path.string()));
  return json;
}

/// Does it depend on the machine and the time, and not on the run? Threads and versions are compared
/// elsewhere.
bool is_of_the_machine(const std::string& key) {
  return key == "wall_time_s" || key == "recording_time_s" || key == "real_time_factor" ||
         key == "median_step_time_s" || key == "stage_time_s" || key == "threads" || key == "ranks" ||
         key == "scree_version" || key == "resumed_after_steps" || key == "files" ||
         key == "crc32";  // checksums include wall times
}

/// Numbers, words and lists that differ, as "energy.kinetic_energy_J".
void compare_json(const std::string& path, const Json& a, const Json& b, double tolerance,
                  std::vector<DifferentCell>& found) {
  if (a.is_object() && b.is_object()) {
    for (const auto& [key, value] : a.items()) {
      if (is_of_the_machine(key)) continue;
      const std::string name = path.empty() ? key : path + '.' + key;
      if (b.contains(key))
        compare_json(name, value, b[key], tolerance, found);
      else
        found.push_back({name, "", value.dump(), "nothing"});
    }
    for (const auto& [key, value] : b.items())
      if (!a.contains(key) && !is_of_the_machine(key))
        found.push_back({path.empty() ? key : path + '.' + key, "", "nothing", value.dump()});
    return;
  }
  if (a.is_array() && b.is_array() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      compare_json(fmt::format("{}[{}]", path, i), a[i], b[i], tolerance, found);
    return;
  }
  const bool numbers = a.is_number() && b.is_number();
  const bool same = numbers ? agree(a.get<double>(), b.get<double>(), tolerance,
                                    std::max({std::abs(a.get<double>()), std::abs(b.get<double>())}))
                            : a == b;
  if (!same) found.push_back({path, "", a.dump(), b.dump()});
}

/// Without judgement if there is a tolerance: it follows from the tables, and its numbers are of all kinds.
void compare_summaries(const io::RunFolder& a, const io::RunFolder& b, const CompareOptions& options,
                       RunComparison& result) {
  const bool has_a = std::filesystem::exists(a.summary()), has_b = std::filesystem::exists(b.summary());
  if (!has_a || !has_b) {
    result.no_summary = has_a ? "only A has one" : has_b ? "only B has one" : "neither has one";
    return;
  }
  const Json p = read_json(a.summary()), q = read_json(b.summary());
  if (options.tolerance == 0.0) compare_json("", p, q, 0.0, result.summary);
  const auto threads = [](const Json& json) { return json.value("threads", Json()).dump(); };
  result.origins.push_back({"threads", threads(p), threads(q)});
  const auto resumed = [](const Json& json) {
    return json.value("resumed_after_steps", Json::array()).dump();
  };
  result.origins.push_back({"went on after steps", resumed(p), resumed(q)});
}

void compare_trajectories(const io::RunFolder& a, const io::RunFolder& b, const CompareOptions& options,
                          RunComparison& result) {
  const bool has_a = std::filesystem::exists(a.trajectory()), has_b = std::filesystem::exists(b.trajectory());
  if (!has_a || !has_b) {
    result.no_frames = has_a ? "only A has one" : has_b ? "only B has one" : "neither has one";
    return;
  }
  const io::TrajectoryReader p(a.trajectory()), q(b.trajectory());
  const io::RecordedRun &x = p.run(), &y = q.run();
  const auto joined = [](const std::vector<std::string>& list) {
    return fmt::format("{}", fmt::join(list, " "));
  };
  result.origins.push_back({"scene text", x.text, y.text});
  result.origins.push_back({"overrides", joined(x.overrides), joined(y.overrides)});
  const auto settings = io::settings_in_effect(x.text, x.overrides),
             others = io::settings_in_effect(y.text, y.overrides);
  for (const auto& [key, value] : settings) {
    const auto other = std::ranges::find(others, key, &std::pair<std::string, std::string>::first);
    if (other != others.end() && other->second != value)
      result.origins.push_back({"setting " + key, value, other->second});
  }
  result.origins.push_back({"version", x.scree_version, y.scree_version});
  result.origins.push_back({"commit", x.made_with.commit, y.made_with.commit});
  result.origins.push_back({"compiler", x.made_with.compiler, y.made_with.compiler});
  result.origins.push_back({"machine", x.made_with.machine, y.made_with.machine});
  result.frames = compare_frames(p, q, options.tolerance);
  if (!result.frames->first) compare_checkpoints(a, b, options.tolerance, *result.frames);
}

RunComparison compare_runs(const io::RunFolder& a, const io::RunFolder& b, const CompareOptions& options) {
  RunComparison result;
  std::vector<std::filesystem::path> names;
  for (const io::RunFolder& run : {a, b})
    for (const std::filesystem::path& table : run.tables())
      if (std::ranges::find(names, table.filename()) == names.end()) names.push_back(table.filename());
  for (const std::filesystem::path& name : names)
    result.tables.push_back({name.string(), compare_tables(a.path / name, b.path / name, options.tolerance)});
  compare_trajectories(a, b, options, result);
  compare_summaries(a, b, options, result);
  return result;
}

// Output.

std::string line(const std::string& name, const std::string& text) {
  return fmt::format("{:<16} {}\n", name, text);
}

/// Texts of many lines are represented by their first different line.
std::string told(const Origin& origin) {
  if (origin.a.find('\n') == std::string::npos && origin.b.find('\n') == std::string::npos)
    return fmt::format("{}: {} | {}", origin.name, origin.a.empty() ? "none" : origin.a,
                       origin.b.empty() ? "none" : origin.b);
  std::istringstream a(origin.a), b(origin.b);
  std::string x, y;
  for (int number = 1;; ++number) {
    const bool more_a = static_cast<bool>(std::getline(a, x)), more_b = static_cast<bool>(std::getline(b, y));
    if (more_a && more_b && x == y) continue;
    return fmt::format("{}, first in line {}: {} | {}", origin.name, number, more_a ? x : "(its end)",
                       more_b ? y : "(its end)");
  }
}

std::string origins_text(const std::vector<Origin>& origins) {
  std::vector<std::string> same;
  std::string differing;
  for (const Origin& origin : origins) {
    if (origin.is_same())
      same.push_back(origin.name);
    else
      differing += line(differing.empty() ? "different origin" : "", told(origin));
  }
  return (same.empty() ? "" : line("same origin", fmt::format("{}", fmt::join(same, ", ")))) + differing;
}

std::string cells_text(const std::vector<DifferentCell>& cells) {
  const std::string& stage = cells.front().stage;
  std::vector<std::string> first, others;
  for (const DifferentCell& cell : cells) {
    if (cell.stage == stage && first.size() < most_listed)
      first.push_back(fmt::format("{} {} | {}", cell.column, cell.a, cell.b));
    else if (std::ranges::find(others, cell.stage) == others.end() && cell.stage != stage)
      others.push_back(cell.stage);
  }
  std::string text = fmt::format("{}{}", stage.empty() ? "" : stage + ": ", fmt::join(first, ", "));
  if (!others.empty()) text += fmt::format("; also {}", fmt::join(others, ", "));
  return text;
}

std::string table_text(const TableComparison& t) {
  switch (t.outcome) {
    case Outcome::in_neither:
      return "neither has one";
    case Outcome::in_a_only:
      return "only A has one";
    case Outcome::in_b_only:
      return "only B has one";
    case Outcome::same:
      return fmt::format("the same, {}", plural(t.same_rows, "row"));
    case Outcome::different:
      break;
  }
  if (t.cells.empty())
    return fmt::format("{} ends after {}, {} continues with {} (rows: {} | {}); the same up to there",
                       t.rows_a < t.rows_b ? "A" : "B", plural(t.same_rows, "row"),
                       t.rows_a < t.rows_b ? "B" : "A", fmt::join(t.place, ", "), t.rows_a, t.rows_b);
  return fmt::format("{}: {}", fmt::join(t.place, ", "), cells_text(t.cells));
}

std::string number_text(const DifferentNumber& d) {
  const std::string where = fmt::format("step {}, t = {:g} s: {}", d.step, d.time_s, d.who);
  if (!d.words.empty()) return fmt::format("{} {}", where, d.words);
  return fmt::format("{}, {}{}: {} | {}{}{}", where, d.array, d.component.empty() ? "" : ' ' + d.component,
                     exact(d.a), exact(d.b), d.ulps ? fmt::format(", {} apart", plural(*d.ulps, "ulp")) : "",
                     d.bodies > 1 ? fmt::format("; {} bodies differ in this", d.bodies) : "");
}

/// The reason why a difference in steps.csv is not in the frames.
std::string unseen(const RunComparison& run) {
  const TableComparison& steps = run.steps();
  if (steps.outcome != Outcome::different || !steps.step || steps.cells.empty()) return "";
  return *steps.step > run.frames->last_step
             ? fmt::format("; none is of step {} or later", *steps.step)
             : fmt::format("; those from step {} on are the same in single precision", *steps.step);
}

std::string frames_text(const RunComparison& run) {
  if (!run.frames) return run.no_frames;
  const FrameComparison& f = *run.frames;
  std::string text;
  if (f.first && f.in_checkpoint)
    text = fmt::format("{} the same in single precision; the last checkpoint is not, {}",
                       plural(static_cast<std::int64_t>(f.same_frames), "frame"), number_text(*f.first));
  else if (f.first)
    text = fmt::format("frame {}, {}", f.same_frames, number_text(*f.first));
  else
    text = fmt::format("the same, {}{}{}", plural(static_cast<std::int64_t>(f.same_frames), "frame"),
                       f.same_checkpoint
                           ? fmt::format(", and the state after step {} to the last bit", *f.same_checkpoint)
                           : std::string(),
                       unseen(run));
  if (f.frames_a != f.frames_b) text += fmt::format(" (frames: {} | {})", f.frames_a, f.frames_b);
  return text;
}

std::string summary_text(const RunComparison& run, double tolerance) {
  if (!run.no_summary.empty()) return run.no_summary;
  if (tolerance > 0.0) return "not compared with a tolerance, because it summarises the tables";
  if (run.summary.empty()) return "the same, except for wall times";
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < std::min(most_listed, run.summary.size()); ++i)
    keys.push_back(fmt::format("{} {} | {}", run.summary[i].column, run.summary[i].a, run.summary[i].b));
  const std::size_t more = run.summary.size() - keys.size();
  return fmt::format("{}{}", fmt::join(keys, ", "), more > 0 ? fmt::format(", and {} more", more) : "");
}

/// The step before which everything is the same, or none.
std::optional<std::int64_t> first_step_with_a_difference(const RunComparison& run) {
  std::optional<std::int64_t> first;
  const auto take = [&](std::int64_t step) { first = std::min(step, first.value_or(step)); };
  for (const NamedTable& t : run.tables)
    if (t.found.outcome == Outcome::different && t.found.step) take(*t.found.step);
  if (run.frames && run.frames->first) take(run.frames->first->step);
  return first;
}

std::string conclusion(const RunComparison& run, double tolerance) {
  const std::string within = tolerance > 0.0 ? fmt::format(" within {:g}", tolerance) : "";
  if (!run.comparable())
    return run.frames ? "the runs cannot be compared: they start with different bodies"
                      : "the runs cannot be compared: they have nothing in common";
  if (!run.differ()) return fmt::format("the runs are the same{}", within);
  const auto step = first_step_with_a_difference(run);
  if (!step) return fmt::format("the runs differ{}, but in no step", within);
  const TableComparison& steps = run.steps();
  const bool here = steps.outcome == Outcome::different && steps.step == step;
  return fmt::format("the runs differ{} since step {}{}", within, *step,
                     here && steps.cells.empty() ? ", which only one of them has"
                     : here                      ? ": " + steps.cells.front().stage
                                                 : "");
}

std::string text_of(const RunComparison& run, const CompareOptions& options) {
  std::string text =
      line("A", options.a.string()) + line("B", options.b.string()) + origins_text(run.origins);
  for (const NamedTable& t : run.tables) {
    if (t.found.outcome == Outcome::in_neither && t.file != run.tables.front().file) continue;
    text += line(t.file, table_text(t.found));
    if (!t.found.in_one_table.empty())
      text += line("", fmt::format("columns in one run only: {}", fmt::join(t.found.in_one_table, ", ")));
  }
  text += line("trajectory.h5", frames_text(run));
  text += line("summary.json", summary_text(run, options.tolerance));
  return text + conclusion(run, options.tolerance) + '\n';
}

Json number_or_text(double x) { return std::isfinite(x) ? Json(x) : Json(fmt::format("{}", x)); }

Json json_of(const DifferentNumber& d) {
  Json json{
      {"step", d.step}, {"time_s", d.time_s}, {"array", d.array}, {"component", d.component}, {"who", d.who}};
  if (!d.words.empty()) {
    json["words"] = d.words;
    return json;
  }
  json["a"] = number_or_text(d.a);
  json["b"] = number_or_text(d.b);
  json["a_hex"] = fmt::format("{:a}", d.a);
  json["b_hex"] = fmt::format("{:a}", d.b);
  json["ulps"] = d.ulps ? Json(*d.ulps) : Json();
  json["bodies"] = d.bodies;
  return json;
}

Json cells_json(const std::vector<DifferentCell>& cells) {
  Json list = Json::array();
  for (const DifferentCell& cell : cells) {
    Json one{{"name", cell.column}, {"a", cell.a}, {"b", cell.b}};
    if (!cell.stage.empty()) one["stage"] = cell.stage;
    list.push_back(std::move(one));
  }
  return list;
}

const char* to_string(Outcome outcome) {
  constexpr const char* names[] = {"same", "different", "in_neither", "in_a_only", "in_b_only"};
  return names[static_cast<std::size_t>(outcome)];
}

Json json_of(const RunComparison& run, const CompareOptions& options) {
  const auto step = first_step_with_a_difference(run);
  Json json{{"format", "scree comparison"},
            {"format_version", 1},
            {"a", options.a.string()},
            {"b", options.b.string()},
            {"tolerance", options.tolerance},
            {"comparable", run.comparable()},
            {"same", run.comparable() && !run.differ()},
            {"first_step", step ? Json(*step) : Json()},
            {"verdict", conclusion(run, options.tolerance)}};
  for (const Origin& origin : run.origins)
    json["made_with"][origin.name] = origin.is_same() ? Json("same") : Json::array({origin.a, origin.b});
  for (const NamedTable& t : run.tables) {
    Json& table = json["tables"][t.file] = {{"outcome", to_string(t.found.outcome)},
                                            {"rows", {t.found.rows_a, t.found.rows_b}},
                                            {"same_rows", t.found.same_rows}};
    if (t.found.outcome != Outcome::different) continue;
    table["step"] = t.found.step ? Json(*t.found.step) : Json();
    table["first"] = cells_json(t.found.cells);
  }
  if (run.frames) {
    const FrameComparison& f = *run.frames;
    json["frames"] = {{"count", {f.frames_a, f.frames_b}},
                      {"same", f.same_frames},
                      {"same_checkpoint", f.same_checkpoint ? Json(*f.same_checkpoint) : Json()},
                      {"first", f.first ? json_of(*f.first) : Json()}};
  }
  json["summary"] = cells_json(run.summary);
  return json;
}

int compare(const CompareOptions& options) {
  const RunComparison run = compare_runs(find_run(options.a), find_run(options.b), options);
  show(options.json ? json_of(run, options).dump(2, ' ', false, Json::error_handler_t::replace) + '\n'
                    : text_of(run, options));
  if (!run.comparable()) return exit_not_comparable;
  return run.differ() ? exit_different : exit_ok;
}

}  // namespace

void add_compare(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare", "Find the first step in which two runs differ, with its stage, body and value");
  command->add_option("a", options->a, "Folder of a run")->required()->type_name("FOLDER");
  command->add_option("b", options->b, "Folder of the other run")->required()->type_name("FOLDER");
  command
      ->add_option("--tolerance", options->tolerance,
                   "Relative tolerance: ignore differences smaller than this fraction of the largest value "
                   "of the same quantity; 0: exact")
      ->check(number_in({.low = 0.0, .high = 1.0}))
      ->type_name("REL")
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options, &action] { action = [options] { return compare(*options); }; });
}

}  // namespace scree
