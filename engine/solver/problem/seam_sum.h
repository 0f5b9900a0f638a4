// Sums over the contacts across the seam of a cell that holds stresses.
#pragma once

#include <cstdint>

#include "engine/core/exact_sum.h"
#include "engine/core/ranks.h"
#include "engine/solver/problem/contact_problem.h"

namespace scree {

/// A sum of vectors, see ExactSums.
struct SeamSum {
  static constexpr std::size_t sums = 3;
  Vec3 value = Vec3::Zero();
  template <class F>
  void each_sum(F&& f) {
    f(value);
  }
  void join(const SeamSum&) {}
  void over_ranks(Ranks&) {}
};

/// Adds up f(k) for all contacts k of p.cell->contacts: by the subdomain of body a, in their order, and
/// exactly over subdomains and ranks. All ranks must call it; a rank's part of a problem counts its own
/// contacts.
template <class F>
Vec3 sum_over_seam(const ContactProblem& p, F&& f) {
  const std::vector<CellTerms::Seam>& seam = p.cell->contacts;
  const auto body_a = [&](std::size_t k) { return p.edge[seam[k].index].a; };
  ExactSums<SeamSum> sum;
  std::size_t home = 0;
  for (std::size_t k = 0; k < seam.size();) {
    while (home + 1 < p.first_body.size() && body_a(k) >= p.first_body[home + 1]) ++home;
    const std::int32_t end = home + 1 < p.first_body.size() ? p.first_body[home + 1] : INT32_MAX;
    // A home has a rank's own contacts, or those of others.
    const bool counts = p.is_own(static_cast<std::size_t>(seam[k].index));
    SeamSum of_home;
    for (; k < seam.size() && body_a(k) < end; ++k)
      if (counts) of_home.value += f(k);
    sum.add(of_home);
  }
  sum_over(p.ranks(), sum);
  return sum.value().value;
}

}  // namespace scree
