#include "engine/solver/reference/block_lu.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>

namespace scree {

namespace {

/// The order in which bodies are eliminated.
std::vector<std::size_t> order(std::size_t bodies,
                               std::span<const std::pair<std::int32_t, std::int32_t>> pairs) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < static_cast<int>(bodies); ++i) entries.emplace_back(i, i, 1.0);
  for (const auto& [i, j] : pairs) {
    entries.emplace_back(i, j, 1.0);
    entries.emplace_back(j, i, 1.0);
  }
  const auto size = static_cast<Eigen::Index>(bodies);
  Eigen::SparseMatrix<double> graph(size, size);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> body_at;
  Eigen::AMDOrdering<int>()(graph.selfadjointView<Eigen::Lower>(), body_at);
  std::vector<std::size_t> place(bodies);
  for (std::size_t k = 0; k < bodies; ++k) place[body_at.indices()[static_cast<Eigen::Index>(k)]] = k;
  return place;
}

}  // namespace

BlockLu::BlockLu(std::size_t bodies, std::span<const std::pair<std::int32_t, std::int32_t>> pairs)
    : place_(order(bodies, pairs)), first_{0}, diagonal_(bodies, Mat6::Zero()), pivot_(bodies) {
  std::vector<std::vector<std::size_t>> rows(bodies),
      below(bodies);  // below: bodies eliminated before, next
  for (const auto& [i, j] : pairs) {
    const auto [first, last] = std::minmax(place_[i], place_[j]);
    if (first < last) rows[first].push_back(last);
  }
  for (std::size_t k = 0; k < bodies; ++k) {
    std::vector<std::size_t>& of = rows[k];
    for (const std::size_t child : below[k])
      std::copy_if(rows[child].begin(), rows[child].end(), std::back_inserter(of),
                   [&](std::size_t row) { return row > k; });
    std::sort(of.begin(), of.end());
    of.erase(std::unique(of.begin(), of.end()), of.end());
    if (!of.empty()) below[of.front()].push_back(k);
    row_.insert(row_.end(), of.begin(), of.end());
    first_.push_back(row_.size());
  }
  entry_.resize(row_.size());
}

BlockLu::Entry& BlockLu::entry(std::size_t row, std::size_t column) {
  const auto begin = row_.begin();
  const auto at = std::lower_bound(begin + static_cast<std::ptrdiff_t>(first_[column]),
                                   begin + static_cast<std::ptrdiff_t>(first_[column + 1]), row);
  return entry_[at - begin];
}

void BlockLu::add(std::size_t i, std::size_t j, const Mat6& block) {
  const std::size_t row = place_[i], column = place_[j];
  if (row == column)
    diagonal_[row] += block;
  else if (row > column)
    entry(row, column).lower += block;
  else
    entry(column, row).upper += block;
}

bool BlockLu::factor() {
  for (std::size_t k = 0; k < diagonal_.size(); ++k) {
    pivot_[k].compute(diagonal_[k]);
    const auto pivots = pivot_[k].matrixLU().diagonal().array().abs();
    if (!(pivots > 0.0).all() || !(pivots < infinity).all()) return false;
    for (std::size_t x = first_[k]; x < first_[k + 1]; ++x)
      entry_[x].upper = pivot_[k].solve(entry_[x].upper).eval();
    for (std::size_t x = first_[k]; x < first_[k + 1]; ++x) {
      const std::size_t column = row_[x];
      diagonal_[column].noalias() -= entry_[x].lower * entry_[x].upper;
      std::size_t to = first_[column];
      for (std::size_t y = x + 1; y < first_[k + 1]; ++y) {
        while (row_[to] != row_[y]) ++to;
        entry_[to].lower.noalias() -= entry_[y].lower * entry_[x].upper;
        entry_[to].upper.noalias() -= entry_[x].lower * entry_[y].upper;
      }
    }
  }
  return true;
}

Eigen::VectorXd BlockLu::solve(const Eigen::VectorXd& right) const {
  const auto at = [](std::size_t k) { return static_cast<Eigen::Index>(6 * k); };
  const std::size_t bodies = place_.size();
  Eigen::VectorXd x(right.size()), result(right.size());
  for (std::size_t i = 0; i < bodies; ++i) x.segment<6>(at(place_[i])) = right.segment<6>(at(i));
  for (std::size_t k = 0; k < bodies; ++k) {
    const Vec6 part = pivot_[k].solve(x.segment<6>(at(k)));
    x.segment<6>(at(k)) = part;
    for (std::size_t e = first_[k]; e < first_[k + 1]; ++e)
      x.segment<6>(at(row_[e])).noalias() -= entry_[e].lower * part;
  }
  for (std::size_t k = bodies; k-- > 0;)
    for (std::size_t e = first_[k]; e < first_[k + 1]; ++e)
      x.segment<6>(at(k)).noalias() -= entry_[e].upper * x.segment<6>(at(row_[e]));
  for (std::size_t i = 0; i < bodies; ++i) result.segment<6>(at(i)) = x.segment<6>(at(place_[i]));
  return result;
}

}  // namespace scree
