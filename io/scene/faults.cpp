#include "io/scene/faults.h"

#include <algorithm>
#include <tuple>

#include "io/scene/document.h"

namespace scree::io {

namespace {

/// Number of letters that must be changed, removed, added or swapped with their neighbour to get from `a` to
/// `b` (Damerau 1964, restricted).
std::size_t edit_distance(const std::string& a, const std::string& b) {
  const std::size_t rows = a.size() + 1, columns = b.size() + 1;
  std::vector<std::size_t> cost(rows * columns);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return cost[i * columns + j]; };
  for (std::size_t i = 0; i < rows; ++i) at(i, 0) = i;
  for (std::size_t j = 0; j < columns; ++j) at(0, j) = j;
  for (std::size_t i = 1; i < rows; ++i) {
    for (std::size_t j = 1; j < columns; ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return cost.back();
}

}  // namespace

std::string shortened(std::string text) {
  constexpr std::size_t longest = 200;
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u)
    --end;  // inside a UTF-8 character
  return text.substr(0, end) + "...";
}

std::string nearest_word(const std::string& word, std::span<const std::string> candidates) {
  constexpr std::size_t longest = 100;  // letters; a longer text is not a misspelt word
  std::string best;
  if (word.size() > longest) return best;
  // A third of the letters may differ, and never all of them.
  std::size_t least = std::min(std::max<std::size_t>(1, word.size() / 3) + 1, word.size());
  for (const std::string& candidate : candidates) {
    if (candidate.size() > word.size() + least) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  if (!best.empty() || word.empty()) return best;
  const auto has_unit = [&](const std::string& candidate) { return candidate.starts_with(word + '_'); };
  const auto found = std::ranges::find_if(candidates, has_unit);  // "power" of "power_W"
  return found != candidates.end() ? *found : best;
}

std::string did_you_mean(const std::string& word, std::span<const std::string> candidates) {
  const std::string nearest = nearest_word(word, candidates);
  return nearest.empty() ? "" : "did you mean '" + nearest + "'?";
}

Fault fault_at(const Node& node, std::string key_path, std::string problem) {
  Fault fault;
  fault.where = node.where;
  fault.key_path = std::move(key_path);
  fault.problem = std::move(problem);
  if (node.kind != NodeKind::table) fault.value = shortened(written(node));
  if (!node.expression.empty()) fault.suggestion = "computed from \"" + node.expression + '"';
  return fault;
}

void sort_by_place(std::vector<Fault>& faults) {
  std::stable_sort(faults.begin(), faults.end(), [](const Fault& a, const Fault& b) {
    return std::tie(a.where.file, a.where.line, a.where.column) <
           std::tie(b.where.file, b.where.line, b.where.column);
  });
}

}  // namespace scree::io
