#include "tools/model/structure_view.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/modules/equations/index_reduction.h"

namespace scree {

namespace {

using equations::FlatModel;
using equations::Solution;
using equations::StepSystem;
using equations::TornBlock;

constexpr std::size_t largest_shown = 60;  // unknowns: larger matrices are not readable as text

std::string joined(const FlatModel& model, const std::vector<int>& symbols) {
  std::string text;
  for (const int k : symbols) text += (text.empty() ? "" : ", ") + model[k].name;
  return text.empty() ? "none" : text;
}

std::string count_of(std::size_t n, const char* one) {
  return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
}

/// One line per row: `mark` gives the character of a place.
template <class Mark>
std::string matrix_text(const std::vector<std::string>& rows, std::size_t columns, const Mark& mark) {
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text += "  ";
    for (std::size_t c = 0; c < columns; ++c) {
      text += mark(r, c);
      text += ' ';
    }
    text += ' ' + rows[r] + '\n';
  }
  return text;
}

std::string block_text(const FlatModel& model, const TornBlock& block) {
  const auto equation = [&](int e) { return model.equations[e].text; };
  std::string text = fmt::format("  {} -> {}{}\n", count_of(block.size(), "unknown"), block.tears.size(),
                                 block.linear ? ", linear" : "");
  for (const int t : block.tears) text += fmt::format("    iterate {}\n", model[t].name);
  for (const TornBlock::Assignment& a : block.assignments)
    text += fmt::format("    {}{} from {}\n", model[a.unknown].name,
                        a.solution.kind == Solution::Kind::angle ? " (angle)" : "", equation(a.equation));
  for (const int e : block.residuals) text += fmt::format("    residual {}\n", equation(e));
  return text;
}

}  // namespace

StructureView structure_view(const FlatModel& model, const StepSystem& system) {
  StructureView view;
  std::map<int, int> place;
  for (const int u : system.inlined.unknowns) {
    place[u] = static_cast<int>(view.unknowns.size());
    view.unknowns.push_back(model[u].name);
  }
  for (std::size_t e = 0; e < model.equations.size(); ++e) {
    view.equations.push_back(model.equations[e].text);
    view.stands.emplace_back(view.unknowns.size());
    for (const int c : system.incidence.rows[e]) view.stands.back()[c] = 1;
  }
  for (const TornBlock& block : system.torn) {
    if (block.size() > 1 || !block.tears.empty())
      view.blocks.push_back({static_cast<int>(view.rows.size()), static_cast<int>(block.size()),
                             static_cast<int>(block.tears.size())});
    for (const TornBlock::Assignment& a : block.assignments) {
      view.rows.push_back(a.equation);
      view.columns.push_back(place.at(a.unknown));
    }
    for (const int e : block.residuals) view.rows.push_back(e);
    for (const int t : block.tears) view.columns.push_back(place.at(t));
  }
  return view;
}

std::string structure_text(const FlatModel& model, const StepSystem& system) {
  const StructureView view = structure_view(model, system);
  std::string text =
      fmt::format("{}: {}, {} per step; {} eliminated, because they equal others or are constant\n",
                  model.name, count_of(view.equations.size(), "equation"),
                  count_of(view.unknowns.size(), "unknown"), count_of(model.aliases.size(), "variable"));
  text += fmt::format("states: {}\n", joined(model, system.inlined.states));
  if (!system.dummies.empty()) {
    text +=
        fmt::format("dummy derivatives: {}\n", joined(model, {system.dummies.begin(), system.dummies.end()}));
    for (std::size_t e = 0; e < model.equations.size(); ++e) {
      const int times = times_differentiated(model, e);
      if (model.equations[e].integral < 0 && times > 0)
        text += fmt::format("differentiated {}: {}\n",
                            times == 1   ? "once"
                            : times == 2 ? "twice"
                                         : count_of(times, "time"),
                            model.equations[e].text);
    }
  }
  if (view.unknowns.size() <= largest_shown) {
    text += "\nas written:\n";
    text += matrix_text(view.equations, view.unknowns.size(),
                        [&](std::size_t r, std::size_t c) { return view.stands[r][c] ? 'x' : '.'; });
    text += "\nin blocks (#: inside a block, o: through an iterated unknown, x: already known):\n";
    std::vector<std::string> rows;
    for (const int r : view.rows) rows.push_back(view.equations[r]);
    text += matrix_text(rows, view.unknowns.size(), [&](std::size_t r, std::size_t c) {
      if (!view.stands[view.rows[r]][view.columns[c]]) return '.';
      for (const StructureView::Span& b : view.blocks) {
        const auto inside = [&](std::size_t k) {
          return static_cast<int>(k) >= b.first && static_cast<int>(k) < b.first + b.size;
        };
        if (inside(r) && inside(c)) return static_cast<int>(c) >= b.first + b.size - b.tears ? 'o' : '#';
      }
      return r == c ? '#' : 'x';
    });
    std::vector<int> order;
    for (const int c : view.columns) order.push_back(system.inlined.unknowns[c]);
    text += fmt::format("  unknowns: {}\n", joined(model, order));
  }
  text += "\niterated blocks:\n";
  std::size_t explicit_ones = 0;
  for (const TornBlock& block : system.torn) {
    if (block.tears.empty())
      explicit_ones += block.size();
    else
      text += block_text(model, block);
  }
  return text + fmt::format("  {} by assignments between them\n", count_of(explicit_ones, "unknown"));
}

}  // namespace scree
