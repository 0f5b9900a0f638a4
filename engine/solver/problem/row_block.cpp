#include "engine/solver/problem/row_block.h"

#include <algorithm>

namespace scree {

namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr double least_pivot = 1e-10;  // of rows scaled to 1: below it, a row follows from others
constexpr double shift = 1e-14;        // keeps pivots of such rows from being 0

Eigen::Index index(std::size_t k) { return static_cast<Eigen::Index>(k); }

/// J, with one row per row of the problem, and M^-1 J^T, for the movable bodies: six columns, or rows, per
/// body.
struct Response {
  Sparse jacobian, answer;
};

Response respond(const ContactProblem& p, std::span<const std::size_t> rows) {
  // In the order of the whole problem, which is that of sums.
  const auto number = [&](std::int32_t body) { return p.share == nullptr ? body : p.share->body[body]; };
  std::vector<std::int32_t> bodies;
  for (const std::size_t r : rows)
    for (const std::int32_t body : {p.rows[r].edge.a, p.rows[r].edge.b})
      if (p.is_moved(static_cast<std::size_t>(body))) bodies.push_back(number(body));
  std::ranges::sort(bodies);
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  std::vector<Eigen::Triplet<double>> of_j, of_answer;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row& row = p.rows[rows[k]];
    const auto add = [&](std::int32_t body, const Vec3& linear, const Vec3& angular) {
      if (!p.is_moved(static_cast<std::size_t>(body))) return;
      const auto at = static_cast<int>(6 * (std::ranges::lower_bound(bodies, number(body)) - bodies.begin()));
      const BodyResponse& response = p.response[body];
      const Twist change = answer(response, linear, angular);
      for (int i = 0; i < 3; ++i) {
        of_j.emplace_back(static_cast<int>(k), at + i, linear[i]);
        of_j.emplace_back(static_cast<int>(k), at + 3 + i, angular[i]);
        of_answer.emplace_back(at + i, static_cast<int>(k), change.linear[i]);
        of_answer.emplace_back(at + 3 + i, static_cast<int>(k), change.angular[i]);
      }
    };
    add(row.edge.a, row.linear, row.angular_a);
    add(row.edge.b, -row.linear, -row.angular_b);
  }
  Response r{Sparse(index(rows.size()), index(6 * bodies.size())),
             Sparse(index(6 * bodies.size()), index(rows.size()))};
  r.jacobian.setFromTriplets(of_j.begin(), of_j.end());
  r.answer.setFromTriplets(of_answer.begin(), of_answer.end());
  return r;
}

}  // namespace

RowBlock::RowBlock(ContactProblem& p, std::size_t first) {
  std::vector<std::size_t> all, bounded;
  for (std::size_t r = first; r < p.rows.size(); ++r) {
    if (p.rows[r].is_joint())
      all.push_back(r);
    else if (p.rows[r].low != 0.0 || p.rows[r].high != 0.0)
      bounded.push_back(r);
  }
  const std::size_t held = all.size();
  all.insert(all.end(), bounded.begin(), bounded.end());
  const auto [jacobian, answers] = respond(p, all);
  const Sparse w = jacobian * answers;
  factorise(p, std::span(all).first(held), w);
  add_bounded(p, all, held, w);
}

/// Bilateral rows: A of (J1), without those that follow from others.
void RowBlock::factorise(ContactProblem& p, std::span<const std::size_t> both_ways, const Sparse& w) {
  const Eigen::Index held = index(both_ways.size());
  Sparse a = w.topLeftCorner(held, held);
  for (std::size_t k = 0; k < both_ways.size(); ++k)
    a.coeffRef(index(k), index(k)) += p.rows[both_ways[k]].compliance;
  scale_ = a.diagonal();
  for (double& s : scale_) s = s > 0.0 ? 1.0 / std::sqrt(s) : 1.0;
  a = scale_.asDiagonal() * a * scale_.asDiagonal();
  a.makeCompressed();
  factor_.setShift(shift);
  held_.assign(both_ways.begin(), both_ways.end());
  if (held_.empty()) return;
  factor_.compute(a);
  leave_out_redundant(p, both_ways, a);
}

void RowBlock::leave_out_redundant(ContactProblem& p, std::span<const std::size_t> both_ways, Sparse& a) {
  const Eigen::VectorXd pivots = factor_.vectorD();
  const auto& order = factor_.permutationP().indices();  // [row] its position in the factorisation
  std::vector<std::size_t> kept;
  std::vector<Eigen::Triplet<double>> choose;
  for (std::size_t k = 0; k < both_ways.size(); ++k) {
    if (std::abs(pivots[order[index(k)]]) > least_pivot) {
      choose.emplace_back(static_cast<int>(kept.size()), static_cast<int>(k), 1.0);
      kept.push_back(both_ways[k]);
      continue;
    }
    Row& row = p.rows[both_ways[k]];
    redundant_.push_back(both_ways[k]);
    row.low = row.high = row.start_impulse = 0.0;
  }
  if (redundant_.empty()) return;
  Sparse s(index(kept.size()), index(both_ways.size()));
  s.setFromTriplets(choose.begin(), choose.end());
  scale_ = (s * scale_).eval();
  a = Sparse(s * a * s.transpose());
  held_ = std::move(kept);
  if (!held_.empty()) factor_.compute(a);
}

/// Rows with bounds, with the response of the whole machine to each.
void RowBlock::add_bounded(ContactProblem& p, std::span<const std::size_t> all, std::size_t held,
                           const Sparse& w) {
  std::vector<Eigen::Index> place(held, -1);  // [bilateral row] its index among those kept
  for (std::size_t k = 0, next = 0; k < held; ++k)
    if (next < held_.size() && all[k] == held_[next]) place[k] = index(next++);
  for (std::size_t j = held; j < all.size(); ++j) {
    Eigen::VectorXd coupling = Eigen::VectorXd::Zero(index(held_.size()));
    double alone = 0.0;
    for (Sparse::InnerIterator at(w, index(j)); at; ++at) {
      if (at.row() == at.col()) alone = at.value();
      if (at.row() < index(held) && place[at.row()] >= 0) coupling[place[at.row()]] = at.value();
    }
    Bounded b{all[j], alone + p.rows[all[j]].compliance};
    if (!held_.empty() && coupling.squaredNorm() > 0.0) {
      const Eigen::VectorXd with = solve(coupling);
      b.w -= coupling.dot(with);
      for (std::size_t k = 0; k < held_.size(); ++k)
        if (with[index(k)] != 0.0) b.others.emplace_back(held_[k], -with[index(k)]);
    }
    Row& row = p.rows[all[j]];
    b.moves = b.w > least_pivot * alone;
    // The others fix its velocity: friction and brakes then push as far as they can. A small W takes them
    // there in one update, except at speeds far below those which they could stop.
    constexpr double soft = 1e-3;
    const bool is_finite = row.low > -infinity && row.high < infinity;
    if (!b.moves) b.w = (row.low == row.high ? 1.0 : soft) * alone + row.compliance;
    if (b.moves || is_finite)
      bounded_.push_back(std::move(b));
    else
      row.low = row.high = row.start_impulse = 0.0;  // a stop cannot move it
  }
}

}  // namespace scree
