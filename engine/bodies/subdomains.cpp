#include "engine/bodies/subdomains.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "engine/core/parallel.h"

namespace scree {

namespace {

// A contact has weight one at each of its bodies. A subdomain has this weight: so large that few contacts are
// between subdomains, and so small that a cache holds its bodies (docs/decisions/0039).
constexpr std::int64_t weight_a_subdomain = 6144, weight_undivided = 2048;
// Largest shift of a cut, over the mean weight.
constexpr double most_shift = 0.1;
// A body with few contacts so far has the weight of one in a loose bed.
constexpr std::int32_t least_weight = 6;
// Number of inserted bodies that form a subdomain in the order of insertion.
constexpr std::int32_t newcomers_a_subdomain = weight_a_subdomain / least_weight;
// Inserted bodies over bodies at the last cut: above this limit bodies are sorted.
constexpr double most_newcomers = 0.25;

}  // namespace

bool Subdomains::are_outgrown(std::size_t bodies) const {
  return static_cast<double>(bodies) > (1.0 + most_newcomers) * cut_bodies + newcomers_a_subdomain;
}

void Subdomains::index() {
  block.clear();
  for (std::size_t k = 0; k < own_size(); ++k) append_even_blocks(first[k], first[k + 1], block);
  if (!first.empty()) block.push_back(own_bodies());
}

std::int64_t cut_weight(std::int32_t contacts) { return std::max(contacts, least_weight); }

Subdomains cut(std::span<const std::int32_t> contacts_of, std::span<const std::uint64_t> place_of) {
  const std::size_t n = contacts_of.size();
  std::vector<std::int64_t> before(n + 1, 0);  // [body] weight of the bodies before it
  for (std::size_t i = 0; i < n; ++i) before[i + 1] = before[i] + cut_weight(contacts_of[i]);
  const std::int64_t whole = before[n];
  const auto count = static_cast<std::size_t>(
      whole < weight_undivided ? 1 : std::max<std::int64_t>(2, whole / weight_a_subdomain));
  const double mean = static_cast<double>(whole) / static_cast<double>(count);
  const auto first_beyond = [&](double weight) {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(before, static_cast<std::int64_t>(std::ceil(weight))) - before.begin());
  };
  // Size of the cell that the curve leaves before a body.
  const auto leaves = [&](std::size_t i) { return std::bit_width(place_of[i - 1] ^ place_of[i]); };
  Subdomains s;
  s.first.push_back(0);
  for (std::size_t k = 1; k < count; ++k) {
    const double aim = static_cast<double>(k) * mean;
    std::size_t best = first_beyond(aim);
    if (!place_of.empty()) {
      const std::size_t middle = best, end = std::min(first_beyond(aim + most_shift * mean), n - 1);
      const auto off = [&](std::size_t i) { return i > middle ? i - middle : middle - i; };
      for (std::size_t i = std::max<std::size_t>(1, first_beyond(aim - most_shift * mean)); i <= end; ++i)
        if (leaves(i) > leaves(best) || (leaves(i) == leaves(best) && off(i) < off(best))) best = i;
    }
    if (const auto cut = static_cast<std::int32_t>(best); cut > s.first.back()) s.first.push_back(cut);
  }
  s.cut_bodies = static_cast<std::int32_t>(n);
  if (s.first.size() == 1 || s.cut_bodies > s.first.back()) s.first.push_back(s.cut_bodies);
  s.index();
  return s;
}

void cut_newcomers(std::size_t bodies, Subdomains& s) {
  const auto n = static_cast<std::int32_t>(bodies);
  if (s.cover(bodies)) return;
  while (s.first.size() > 1 && s.first[s.first.size() - 2] == s.first.back()) s.first.pop_back();  // empty
  while (s.first.back() < n) {
    const std::int32_t begin = s.first.back(),
                       last = s.size() > 0 ? s.first[s.size() - 1] : 0;  // beginning of the last subdomain
    const bool goes_on = begin > s.cut_bodies && begin - last < newcomers_a_subdomain;
    const std::int32_t end = std::min(n, (goes_on ? last : begin) + newcomers_a_subdomain);
    if (goes_on)
      s.first.back() = end;
    else
      s.first.push_back(end);
  }
  s.index();
}

void cut_own_rows(const Subdomains& s, std::span<const std::int32_t> row_of,
                  std::vector<std::int32_t>& block) {
  block.clear();
  for (std::size_t k = 0; k < s.own_size(); ++k)
    append_even_blocks(row_of[s.first[k]], row_of[s.first[k + 1]], block);
  block.push_back(row_of[s.own_bodies()]);
}

void cut_rows(const Subdomains& s, std::span<const std::int32_t> row_of, std::size_t rows,
              std::vector<std::int32_t>& block) {
  block.clear();
  const bool fit = !row_of.empty() && s.cover(row_of.size() - 1) && std::cmp_equal(row_of.back(), rows);
  if (!fit) {
    append_even_blocks(0, static_cast<std::int32_t>(rows), block);
    block.push_back(static_cast<std::int32_t>(rows));
  } else {
    cut_own_rows(s, row_of, block);
  }
}

}  // namespace scree
