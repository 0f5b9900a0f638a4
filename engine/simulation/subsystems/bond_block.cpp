#include "engine/simulation/subsystems/bond_block.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "engine/core/disjoint_sets.h"
#include "engine/simulation/subsystems/bonds.h"

namespace scree {

namespace {

constexpr std::size_t most_in_block = 500;      // bonds: one thread solves the block
constexpr std::size_t most_in_groups = 100000;  // more are not looked through

/// Movable bodies that bonds, and perhaps joints, hold together.
struct HeldGroup {
  std::vector<std::int32_t> bonds;
  std::vector<Edge> links;  // bonds and joints; all immovable bodies are `ground`
  std::size_t bodies = 0, joints = 0;
  bool is_held = false;                    // by an immovable body
  double least = infinity, largest = 0.0;  // 1/kg, inverse masses
  double unequal() const { return largest / least; }
  bool has_loops() const { return links.size() + 1 > bodies + (is_held ? 1 : 0); }
};

constexpr std::int32_t ground = -1;

/// In the order of their first bonds.
std::vector<HeldGroup> groups_of(const State& state, const Workspace& w) {
  const ContactProblem& p = w.problem;
  const auto end_of = [&](std::int32_t body) {
    return p.is_moved(static_cast<std::size_t>(body)) ? body : ground;
  };
  const auto edge_of = [&](const Edge& edge) -> Edge {
    const std::int32_t a = end_of(edge.a), b = end_of(edge.b);
    return a == ground ? Edge{b, a} : Edge{a, b};
  };
  const auto for_bonds = [&](auto&& f) {
    for (std::size_t k = 0; k < w.bonds.size(); ++k)
      if (w.bonds[k].row >= 0) f(static_cast<std::int32_t>(k), edge_of({state.bonds[k].a, state.bonds[k].b}));
  };
  const auto for_joints = [&](auto&& f) {
    for (const JointPlace& joint : w.joints) {
      if (!joint.acts() || joint.held == 0) continue;  // motors and springs alone hold nothing
      const Edge edge = edge_of(p.rows[joint.first].edge);
      if (edge.a != ground) f(edge);
    }
  };
  DisjointSets held(p.bodies());
  const auto join = [&](const Edge& edge) {
    if (edge.b != ground) held.join(edge.a, edge.b);
  };
  for_bonds([&](std::int32_t, const Edge& edge) { join(edge); });
  for_joints(join);
  std::vector<HeldGroup> groups;
  std::vector<std::int32_t> number(p.bodies(), -1);  // [first of a set] of its group
  std::vector<std::uint8_t> is_counted(p.bodies(), 0);
  const auto add = [&](HeldGroup& group, const Edge& edge) {
    group.links.push_back(edge);
    for (const std::int32_t body : {edge.a, edge.b}) {
      if (body == ground) {
        group.is_held = true;
      } else if (is_counted[body] == 0) {
        is_counted[body] = 1;
        ++group.bodies;
        const double inverse_mass = p.response[body].inverse_mass;
        group.least = std::min(group.least, inverse_mass);
        group.largest = std::max(group.largest, inverse_mass);
      }
    }
  };
  for_bonds([&](std::int32_t bond, const Edge& edge) {
    std::int32_t& group = number[held.first_of(edge.a)];
    if (group < 0) {
      group = static_cast<std::int32_t>(groups.size());
      groups.emplace_back();
    }
    groups[group].bonds.push_back(bond);
    add(groups[group], edge);
  });
  for_joints([&](const Edge& edge) {
    const std::int32_t group = number[held.first_of(edge.a)];
    if (group < 0) return;
    ++groups[group].joints;
    add(groups[group], edge);
  });
  return groups;
}

/// Links between the two ends of the group that are the farthest from each other, or nearly.
double length_of(const HeldGroup& group) {
  std::unordered_map<std::int32_t, std::vector<std::int32_t>> neighbours;
  for (const Edge& link : group.links) {
    neighbours[link.a].push_back(link.b);
    neighbours[link.b].push_back(link.a);
  }
  std::int32_t last = group.links.front().a;
  std::int32_t depth = 0;
  for (int turn = 0; turn < 2; ++turn) {  // from anywhere to an end, and from there to the other one
    std::unordered_map<std::int32_t, std::int32_t> at{{last, 0}};
    std::vector<std::int32_t> queue{last};
    for (std::size_t k = 0; k < queue.size(); ++k)
      for (const std::int32_t next : neighbours[queue[k]])
        if (at.try_emplace(next, at[queue[k]] + 1).second) queue.push_back(next);
    last = queue.back();
    depth = at[last];
  }
  return depth;
}

/// About the multiplications of a factorisation, which goes from one end to the other: the rows between two
/// layers are a dense matrix.
double cost_of(const HeldGroup& group, double length) {
  const auto rows = static_cast<double>(rows_of_bond * group.links.size());
  const double in_layer = rows / length;
  return rows * in_layer * in_layer;
}

/// G of (J2): far above the rounding of A, and so small that a clamped bar of 80 balls sags by 6e-6 m in
/// steps of 1 ms.
double give_of(double length) {
  constexpr double largest = 1e-6, least = 1e-9, short_length = 30.0;
  return std::clamp(largest * std::pow(short_length / length, 4), least, largest);
}

/// The rows of a group with loops give way at least by this part of W.
void give_way(const HeldGroup& group, double part, Workspace& w) {
  for (const std::int32_t k : group.bonds)
    for (int i = 0; i < rows_of_bond; ++i) {
      Row& row = w.problem.rows[w.bonds[k].row + i];
      const double of_bodies = 1.0 / row.inverse_of_bodies();
      row.compliance = std::max(row.compliance, part * of_bodies);
      row.inverse_w = 1.0 / (of_bodies + row.compliance);
    }
}

/// Are all bonds stiff, and none across the seam of a cell, which would answer?
bool are_stiff(const HeldGroup& group, const Workspace& w) {
  constexpr double stiff = 100.0;  // W over compliance
  return std::ranges::all_of(group.bonds, [&](std::int32_t k) {
    const BondPlace& bond = w.bonds[k];
    if (!bond.shift.isZero(0.0)) return false;
    for (std::int32_t r = bond.row; r < bond.row + rows_of_bond; ++r) {
      const Row& row = w.problem.rows[r];
      if (row.inverse_w * row.compliance * (1.0 + stiff) > 1.0) return false;
    }
    return true;
  });
}

/// Puts the rows of chosen bonds behind the others before `end`; returns the first of them.
std::size_t put_last(const std::vector<std::uint8_t>& is_chosen, std::size_t end, Workspace& w) {
  ContactProblem& p = w.problem;
  const std::size_t begin = p.contact_rows;
  std::vector<std::uint8_t> is_last(end - begin, 0);
  for (std::size_t k = 0; k < w.bonds.size(); ++k)
    if (is_chosen[k] != 0)
      std::fill_n(is_last.begin() + (w.bonds[k].row - static_cast<std::int32_t>(begin)), rows_of_bond, 1);
  std::vector<std::int32_t> place(end - begin);
  auto next = static_cast<std::int32_t>(begin);
  for (std::size_t k = 0; k < place.size(); ++k)
    if (is_last[k] == 0) place[k] = next++;
  const auto first = static_cast<std::size_t>(next);
  for (std::size_t k = 0; k < place.size(); ++k)
    if (is_last[k] != 0) place[k] = next++;
  const auto move = [&](std::int32_t& row) {
    if (row >= 0) row = place[static_cast<std::size_t>(row) - begin];
  };
  const std::vector<Row> before(p.rows.begin() + static_cast<std::ptrdiff_t>(begin),
                                p.rows.begin() + static_cast<std::ptrdiff_t>(end));
  for (std::size_t k = 0; k < place.size(); ++k) p.rows[place[k]] = before[k];
  for (BondPlace& bond : w.bonds) move(bond.row);
  for (PartMotion& part : w.parts) {
    move(part.low_stop);
    move(part.high_stop);
  }
  if (p.cell)
    for (CellTerms::Seam& seam : p.cell->rows) move(seam.index);
  return first;
}

}  // namespace

std::optional<std::size_t> block_bonds(const State& state, std::size_t end, Workspace& w) {
  // About how much worse than that of a row of two equal bodies the condition of rigid bonds is: sweeps need
  // its root, pivots are the inverse.
  constexpr double good_condition = 100.0, bad_condition = 1e6;
  constexpr double most_multiplications = 5e6;  // some 25 ms
  if (w.bonds.empty() || w.bonds.size() > most_in_groups) return std::nullopt;
  const std::vector<HeldGroup> groups = groups_of(state, w);
  struct Candidate {
    double condition, length;
    const HeldGroup* group;
  };
  std::vector<Candidate> worst;
  for (const HeldGroup& group : groups) {
    if (group.bonds.size() > most_in_block || (group.has_loops() && group.joints > 0)) continue;
    // A tree's factors are as sparse as it is, and its sweeps may have to pass through all of it.
    const double length = group.has_loops() ? length_of(group)
                                            : static_cast<double>(group.bodies) - (group.is_held ? 0.0 : 1.0),
                 condition = length * length * group.unequal();
    if (condition < good_condition || condition > bad_condition) continue;
    if (group.has_loops() && cost_of(group, length) > most_multiplications) continue;
    if (are_stiff(group, w)) worst.push_back({condition, length, &group});
  }
  std::ranges::stable_sort(worst, std::greater(), &Candidate::condition);
  std::vector<std::uint8_t> is_chosen(w.bonds.size(), 0);
  std::size_t count = 0;
  for (const Candidate& of : worst) {
    if (count + of.group->bonds.size() > most_in_block) continue;
    count += of.group->bonds.size();
    for (const std::int32_t bond : of.group->bonds) is_chosen[bond] = 1;
    if (of.group->has_loops()) give_way(*of.group, give_of(of.length), w);
  }
  return count == 0 ? std::nullopt : std::optional(put_last(is_chosen, end, w));
}

void tell_contradictions(const Model& model, const State& state, const Workspace& w, SolveReport& report) {
  constexpr double most = 0.03;  // of the velocity scale; a ring of 60 that hangs at one ball has 0.003
  constexpr double most_stretch = 1e-5;  // of a bond's length
  const ContactProblem& p = w.problem;
  if (w.bonds.empty() || !p.block) return;
  double given = 0.0;  // m/s
  for (std::size_t k = 0; k < w.bonds.size(); ++k) {
    const Bond& bond = state.bonds[k];
    if (w.bonds[k].row < 0 || !model.bonds[bond.law].is_rigid()) continue;
    for (std::int32_t r = w.bonds[k].row; r < w.bonds[k].row + rows_of_bond; ++r) {
      const double here = std::abs(p.rows[r].compliance * p.rows[r].length * w.solution.row_impulse[r]);
      if (p.time_step_s * here > most_stretch * bond.length) given = std::max(given, here);
    }
  }
  if (!(given > most * p.velocity_scale)) return;
  report.residual.rms_m_s = std::max(report.residual.rms_m_s, given);
  report.residual.max_m_s = std::max(report.residual.max_m_s, given);
}

}  // namespace scree
