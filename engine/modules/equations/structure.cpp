#include "engine/modules/equations/structure.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/max_cardinality_matching.hpp>
#include <boost/graph/strong_components.hpp>
#include <map>

namespace scree::equations {

namespace {

std::vector<std::vector<int>> rows_of_columns(const Incidence& incidence) {
  std::vector<std::vector<int>> rows(at(incidence.columns));
  for (std::size_t r = 0; r < incidence.rows.size(); ++r)
    for (const int c : incidence.rows[r]) rows[at(c)].push_back(static_cast<int>(r));
  return rows;
}

/// Nodes that alternating paths reach from `from`: by any edge to the other side, back by edges of the
/// matching.
std::pair<std::vector<int>, std::vector<int>> reached(const std::vector<std::vector<int>>& edges,
                                                      const std::vector<int>& own,
                                                      const std::vector<int>& partner) {
  std::vector<int> waiting, here, there;
  std::vector<char> seen(own.size()), seen_there(partner.size());
  for (std::size_t k = 0; k < own.size(); ++k)
    if (own[k] < 0) {
      waiting.push_back(static_cast<int>(k));
      seen[k] = 1;
    }
  while (!waiting.empty()) {
    const int k = waiting.back();
    waiting.pop_back();
    here.push_back(k);
    for (const int other : edges[at(k)]) {
      if (seen_there[at(other)]) continue;
      seen_there[at(other)] = 1;
      there.push_back(other);
      const int next = partner[at(other)];
      if (next >= 0 && !seen[at(next)]) {
        seen[at(next)] = 1;
        waiting.push_back(next);
      }
    }
  }
  std::ranges::sort(here);
  std::ranges::sort(there);
  return {here, there};
}

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

/// Marks all nodes that can be reached from marked ones.
void spread(const std::vector<std::vector<int>>& edges, std::vector<char>& marked) {
  std::vector<int> waiting;
  for (std::size_t k = 0; k < marked.size(); ++k)
    if (marked[k]) waiting.push_back(static_cast<int>(k));
  while (!waiting.empty()) {
    const int k = waiting.back();
    waiting.pop_back();
    for (const int next : edges[at(k)]) {
      if (marked[at(next)]) continue;
      marked[at(next)] = 1;
      waiting.push_back(next);
    }
  }
}

/// 0: needed by coupled blocks, without needing them; 1: coupled, or between; 2: after all of these.
std::vector<int> stages(const std::vector<Block>& blocks, const std::vector<std::vector<int>>& needs) {
  std::vector<std::vector<int>> needed_by(blocks.size());
  std::vector<char> before(blocks.size()), after(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    before[b] = after[b] = blocks[b].rows.size() > 1;
    for (const int other : needs[b]) needed_by[at(other)].push_back(static_cast<int>(b));
  }
  spread(needs, before);
  spread(needed_by, after);
  std::vector<int> stage(blocks.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) stage[b] = !before[b] ? 2 : after[b] ? 1 : 0;
  return stage;
}

std::string count_of(std::size_t n, const char* one) {
  return std::to_string(n) + " " + one + (n == 1 ? "" : "s");
}

}  // namespace

int Matching::size() const {
  return static_cast<int>(std::ranges::count_if(of_row, [](int c) { return c >= 0; }));
}

Matching maximum_matching(const Incidence& incidence) {
  using Both = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  const std::size_t rows = incidence.rows.size(), columns = at(incidence.columns);
  Both graph(rows + columns);
  for (std::size_t r = 0; r < rows; ++r)
    for (const int c : incidence.rows[r]) boost::add_edge(r, rows + at(c), graph);
  std::vector<boost::graph_traits<Both>::vertex_descriptor> mate(rows + columns);
  boost::edmonds_maximum_cardinality_matching(graph, mate.data());
  Matching matching{std::vector<int>(rows, -1), std::vector<int>(columns, -1)};
  for (std::size_t r = 0; r < rows; ++r) {
    if (mate[r] == boost::graph_traits<Both>::null_vertex()) continue;
    matching.of_row[r] = static_cast<int>(mate[r] - rows);
    matching.of_column[mate[r] - rows] = static_cast<int>(r);
  }
  return matching;
}

LeftOver dulmage_mendelsohn(const Incidence& incidence, const Matching& matching) {
  LeftOver left;
  std::tie(left.over_rows, left.over_columns) = reached(incidence.rows, matching.of_row, matching.of_column);
  std::tie(left.under_columns, left.under_rows) =
      reached(rows_of_columns(incidence), matching.of_column, matching.of_row);
  return left;
}

std::vector<Block> block_order(const Incidence& incidence, const Matching& matching) {
  const std::size_t count = incidence.rows.size();
  Graph graph(count);
  for (std::size_t r = 0; r < count; ++r) {
    for (const int c : incidence.rows[r]) {
      const int other = matching.of_column[at(c)];
      if (other != static_cast<int>(r)) boost::add_edge(r, at(other), graph);
    }
  }
  std::vector<int> part(count);
  const int parts = boost::strong_components(
      graph, boost::make_iterator_property_map(part.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<Block> blocks(at(parts));  // Tarjan's numbers: needed components have lower numbers
  std::vector<std::vector<int>> needs(at(parts));
  for (std::size_t r = 0; r < count; ++r) {
    Block& block = blocks[at(part[r])];
    block.rows.push_back(static_cast<int>(r));
    block.columns.push_back(matching.of_row[r]);
    for (const int c : incidence.rows[r]) {
      const int other = part[at(matching.of_column[at(c)])];
      if (other != part[r]) needs[at(part[r])].push_back(other);
    }
  }
  const std::vector<int> stage = stages(blocks, needs);
  std::vector<Block> ordered;
  for (int s = 0; s < 3; ++s)
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (stage[b] == s) ordered.push_back(blocks[b]);
  return ordered;
}

Incidence incidence_of(std::span<const Expr> residuals, std::span<const int> unknowns) {
  std::map<int, int> column;
  for (std::size_t k = 0; k < unknowns.size(); ++k) column[unknowns[k]] = static_cast<int>(k);
  Incidence incidence{static_cast<int>(unknowns.size()), {}};
  for (const Expr& e : residuals) {
    std::vector<int> row;
    for (const int k : symbols_of(e))
      if (const auto found = column.find(k); found != column.end()) row.push_back(found->second);
    std::ranges::sort(row);
    incidence.rows.push_back(std::move(row));
  }
  return incidence;
}

void check_structure(const FlatModel& model) {
  std::map<int, int> column;
  std::vector<int> unknowns;
  for (const int v : model.variables) {
    if (model[v].integral >= 0) continue;
    column[v] = static_cast<int>(unknowns.size());
    unknowns.push_back(v);
  }
  Incidence incidence{static_cast<int>(unknowns.size()), {}};
  for (const Equation& equation : model.equations) {
    std::set<int> row;
    for (int k : symbols_of(equation.residual)) {
      if (!model.is_variable(k)) continue;
      while (model[k].integral >= 0) k = model[k].integral;
      row.insert(column.at(k));
    }
    incidence.rows.emplace_back(row.begin(), row.end());
  }
  const LeftOver left = dulmage_mendelsohn(incidence, maximum_matching(incidence));
  if (left.empty()) return;
  const auto names = [&](const std::vector<int>& columns) {
    std::string all;
    for (const int c : columns) all += (all.empty() ? "" : ", ") + model[unknowns[at(c)]].name;
    return all.empty() ? std::string("no variable") : all;
  };
  const auto lines = [&](const std::vector<int>& rows) {
    std::string all;
    for (const int r : rows) {
      const Equation& e = model.equations[at(r)];
      all += "\n    line " + std::to_string(e.where.line) + ": " + e.text;
    }
    return all;
  };
  std::vector<Fault> faults;
  const auto add = [&](const SourceLocation& where, std::string problem) {
    faults.push_back({where, model.name, std::move(problem), {}, {}, {}, {}});
  };
  if (!left.over_rows.empty())
    add(model.equations[at(left.over_rows.back())].where,
        "too many equations: " + count_of(left.over_rows.size(), "equation") + " for " +
            count_of(left.over_columns.size(), "variable") + " (" + names(left.over_columns) +
            "):" + lines(left.over_rows));
  if (!left.under_columns.empty())
    add(model[unknowns[at(left.under_columns[0])]].where,
        "too few equations: " + count_of(left.under_rows.size(), "equation") + " for " +
            count_of(left.under_columns.size(), "variable") + " (" + names(left.under_columns) + ")" +
            (left.under_rows.empty() ? "" : ":" + lines(left.under_rows)));
  throw InputError(std::move(faults));
}

}  // namespace scree::equations
