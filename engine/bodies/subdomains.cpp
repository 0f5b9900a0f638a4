#include "engine/bodies/subdomains.h"

#include <algorithm>
#include <numeric>

#include "engine/core/parallel.h"

namespace scree {

namespace {

// A contact weighs one at each of its bodies. So much makes a subdomain: enough that few contacts are left
// between subdomains, and few enough that a cache holds its bodies (docs/decisions/0039).
constexpr std::int64_t weight_a_subdomain = 6144, weight_undivided = 2048;
// A body that has few contacts yet weighs as one of a loose bed.
constexpr std::int32_t least_weight = 6;
// Bodies that make a subdomain where they come one after the other.
constexpr std::int32_t newcomers_a_subdomain = weight_a_subdomain / least_weight;
// Newcomers over those who were cut: beyond, it is time to sort.
constexpr double most_newcomers = 0.25;

}  // namespace

bool Subdomains::are_outgrown(std::size_t bodies) const {
  return static_cast<double>(bodies) > (1.0 + most_newcomers) * cut_bodies + newcomers_a_subdomain;
}

void Subdomains::index() {
  block.clear();
  for (std::size_t k = 0; k < size(); ++k) append_even_blocks(first[k], first[k + 1], block);
  if (!first.empty()) block.push_back(first.back());
}

Subdomains cut(std::span<const std::int32_t> contacts_of) {
  const auto weight = [](std::int32_t contacts) { return std::int64_t{std::max(contacts, least_weight)}; };
  const std::int64_t whole =
      std::transform_reduce(contacts_of.begin(), contacts_of.end(), std::int64_t{0}, std::plus<>{}, weight);
  const std::int64_t count =
      whole < weight_undivided ? 1 : std::max<std::int64_t>(2, whole / weight_a_subdomain);
  Subdomains s;
  s.first.push_back(0);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < contacts_of.size(); ++i) {
    if (sum * count >= whole * static_cast<std::int64_t>(s.first.size()))
      s.first.push_back(static_cast<std::int32_t>(i));
    sum += weight(contacts_of[i]);
  }
  s.cut_bodies = static_cast<std::int32_t>(contacts_of.size());
  s.first.push_back(s.cut_bodies);
  s.index();
  return s;
}

void cut_newcomers(std::size_t bodies, Subdomains& s) {
  const auto n = static_cast<std::int32_t>(bodies);
  if (s.cover(bodies)) return;
  while (s.first.back() < n) {
    const std::int32_t begin = s.first.back(),
                       last = s.size() > 0 ? s.first[s.size() - 1] : 0;  // where the last subdomain begins
    const bool goes_on = begin > s.cut_bodies && begin - last < newcomers_a_subdomain;
    const std::int32_t end = std::min(n, (goes_on ? last : begin) + newcomers_a_subdomain);
    if (goes_on)
      s.first.back() = end;
    else
      s.first.push_back(end);
  }
  s.index();
}

void cut_rows(const Subdomains& s, std::span<const std::int32_t> row_of, std::size_t rows,
              std::vector<std::int32_t>& block) {
  block.clear();
  if (row_of.empty() || !s.cover(row_of.size() - 1)) {
    append_even_blocks(0, static_cast<std::int32_t>(rows), block);
  } else {
    for (std::size_t k = 0; k < s.size(); ++k)
      append_even_blocks(row_of[s.first[k]], row_of[s.first[k + 1]], block);
  }
  block.push_back(static_cast<std::int32_t>(rows));
}

}  // namespace scree
