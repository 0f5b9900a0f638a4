#include "tools/compare/tables.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "io/files/file_errors.h"
#include "tools/compare/difference.h"

namespace scree {

namespace {

/// Fields of a row; names with commas are in quotes.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

/// A table that is read row by row; an incomplete last line is no row.
class Table {
 public:
  explicit Table(const std::filesystem::path& path) : file_(path) {
    if (!file_) throw io::ReadError(fmt::format("cannot read {}: {}", path.string(), std::strerror(errno)));
    if (next()) columns = row;
    rows = 0;
  }
  bool next() {
    std::string line;
    if (!std::getline(file_, line) || file_.eof()) return false;
    row = fields_of(line);
    if (!columns.empty() && row.size() != columns.size()) return false;
    ++rows;
    return true;
  }
  std::int64_t count_the_rest() {
    while (next()) {
    }
    return rows;
  }

  std::vector<std::string> columns, row;
  std::int64_t rows = 0;

 private:
  std::ifstream file_;
};

bool is_wall_time(const std::string& column) { return column != "time_s" && column.ends_with("_time_s"); }

/// The stages of a step, in this order.
constexpr std::array stages{"time", "coming and going", "detection", "solver", "balances", "sleep", "state"};

/// The stage that computes a column; docs/observables.md describes the columns.
std::string stage_of(const std::string& column) {
  constexpr std::pair<const char*, const char*> beginnings[] = {{"time", "time"},
                                                                {"bodies_in", "solver"},
                                                                {"bodies", "coming and going"},
                                                                {"mass_", "coming and going"},
                                                                {"asleep", "sleep"},
                                                                {"woken", "sleep"},
                                                                {"sleep_", "sleep"},
                                                                {"dissipated_by_sleep", "sleep"},
                                                                {"candidates", "detection"},
                                                                {"contacts", "detection"},
                                                                {"touching", "detection"},
                                                                {"narrow_", "detection"},
                                                                {"not_converged", "solver"},
                                                                {"penetration", "detection"},
                                                                {"active", "solver"},
                                                                {"solver", "solver"},
                                                                {"sweeps", "solver"},
                                                                {"halvings", "solver"},
                                                                {"residual", "solver"},
                                                                {"velocity_scale", "solver"},
                                                                {"state_hash", "state"}};
  for (const auto& [beginning, stage] : beginnings) {
    if (column.starts_with(beginning)) return stage;
  }
  return "balances";
}

/// The unit from the column's name; empty without one.
std::string unit_of(const std::string& column) {
  for (const char* unit :
       {"_kg_m2_s", "_kg_m_s", "_N_m_s", "_N_s", "_N_m", "_m_s", "_kg", "_N", "_J", "_W", "_s"})
    if (column.ends_with(unit)) return unit;
  return "";
}

std::optional<double> number(const std::string& text) {
  double x = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error == std::errc() && end == text.data() + text.size()) return x;
  return {};
}

/// Two cells of one column in both tables.
struct Pair {
  std::size_t a, b;
  std::string name, unit;
};

bool are_same(const Pair& pair, const std::string& a, const std::string& b, double tolerance,
              std::map<std::string, double>& largest) {
  if (tolerance > 0.0 && pair.name == "state_hash") return true;
  if (tolerance == 0.0) return a == b;
  const std::optional<double> x = number(a), y = number(b);
  if (!x || !y) return a == b;
  const double mine = std::max(std::abs(*x), std::abs(*y));
  double& scale = largest[pair.unit];
  if (std::isfinite(mine)) scale = std::max(scale, mine);
  const bool is_part =
      pair.name.find("relative") != std::string::npos || pair.name.starts_with("penetration");
  return agree(*x, *y, tolerance, is_part ? 1.0 : pair.unit.empty() ? mine : scale);
}

std::vector<Pair> common_columns(const Table& a, const Table& b, std::vector<std::string>& in_one) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    const std::string& name = a.columns[i];
    const auto found = std::ranges::find(b.columns, name);
    if (found == b.columns.end()) {
      in_one.push_back(name);
    } else if (!is_wall_time(name)) {
      pairs.push_back({i, static_cast<std::size_t>(found - b.columns.begin()), name, unit_of(name)});
    }
  }
  for (const std::string& name : b.columns)
    if (std::ranges::find(a.columns, name) == a.columns.end()) in_one.push_back(name);
  return pairs;
}

/// Adds the place of a table's row in the run.
void tell_place(const Table& table, TableComparison& result) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string &name = table.columns[i], &text = table.row[i];
    if (name == "step") {
      result.step = static_cast<std::int64_t>(number(text).value_or(0.0));
      result.place.push_back("step " + text);
    }
    if (name == "time_s") result.place.push_back("t = " + text + " s");
    if (name == "boundary" || name == "part" || name == "joint" || name == "opening" || name == "event")
      result.place.push_back(name + " '" + text + "'");
  }
}

}  // namespace

TableComparison compare_tables(const std::filesystem::path& path_a, const std::filesystem::path& path_b,
                               double tolerance) {
  using Outcome = TableComparison::Outcome;
  TableComparison result;
  const bool has_a = std::filesystem::exists(path_a), has_b = std::filesystem::exists(path_b);
  if (!has_a || !has_b) {
    result.outcome = has_a ? Outcome::in_a_only : has_b ? Outcome::in_b_only : Outcome::in_neither;
    return result;
  }
  Table a(path_a), b(path_b);
  const bool is_steps = path_a.filename() == "steps.csv";
  const std::vector<Pair> pairs = common_columns(a, b, result.in_one_table);
  std::map<std::string, double> largest;  // [unit]
  for (;;) {
    const bool more_a = a.next(), more_b = b.next();
    if (!more_a && !more_b) break;
    if (more_a != more_b) {
      result.outcome = Outcome::different;
      tell_place(more_a ? a : b, result);
      break;
    }
    for (const Pair& pair : pairs) {
      if (!are_same(pair, a.row[pair.a], b.row[pair.b], tolerance, largest))
        result.cells.push_back(
            {pair.name, is_steps ? stage_of(pair.name) : "", a.row[pair.a], b.row[pair.b]});
    }
    if (!result.cells.empty()) {
      result.outcome = Outcome::different;
      std::ranges::stable_sort(result.cells, {}, [](const DifferentCell& cell) {
        return std::ranges::find(stages, cell.stage) - stages.begin();
      });
      tell_place(a, result);
      break;
    }
    ++result.same_rows;
  }
  result.rows_a = a.count_the_rest();
  result.rows_b = b.count_the_rest();
  return result;
}

}  // namespace scree
