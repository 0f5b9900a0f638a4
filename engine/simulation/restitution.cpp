#include "engine/simulation/restitution.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "engine/core/disjoint_sets.h"
#include "engine/core/exact_sum.h"
#include "engine/core/parallel.h"
#include "engine/simulation/ranks/decomposition.h"
#include "engine/simulation/subsystems/cell_flow.h"
#include "engine/simulation/subsystems/contact_springs.h"
#include "engine/solver/problem/contact_response.h"

namespace scree {

namespace {

// An impulse that stops less than this share of the approach does not count: it is a remainder of sweeps.
constexpr double least_carried = 1e-6;

// Limit of energy created in an impact, over the work of all its impulses: rounding of sums.
constexpr double rounding = 1e-12;

// The first solution, which shows the contacts with an impulse, need not be so exact: of 2853 bounces in a
// collapsing heap the same are prevented, within the variation by the order of sweeps, with less than half of
// the sweeps.
constexpr double first_look = 10.0;  // times the tolerance, of wide sweeps

// Limit of linearisations of springs per step, until the error of their forces is within the solver's
// goal.
constexpr int most_linearisations = 12;

/// Iterations start with the impulses of a solution.
void begin_with(const ContactSolution& s, ContactProblem& p) {
  for_each_index(p.contacts(), grain_medium,
                 [&](std::size_t c) { p.start_impulse[c] = s.impulse[c].cast<float>(); });
  for (std::size_t r = 0; r < p.rows.size(); ++r) p.rows[r].start_impulse = s.row_impulse[r];
  if (!p.is_complete()) return;
  p.complete();
}

SolveReport solve_once(const SolverSettings& settings, double h, Workspace& w, ContactSolution& solution) {
  const auto once = [&] {
    return settings.position_correction == PositionCorrection::split
               ? solve(w.problem, settings, w.solver, solution)
               : solve_with_bias(w.problem, settings, h, w.solver, solution);
  };
  SolveReport report = once();
  if (!w.has_springs) return report;
  ContactProblem& p = w.problem;
  const double goal = settings.tolerance * p.velocity_scale;
  for (int times = 0; report.status != SolveStatus::diverged; ++times) {
    const bool is_last = times == most_linearisations;
    set_image_rate(solution.cell_rate, p);
    const double off = follow_springs(is_last ? infinity : goal, solution, w);
    if (p.cell) set_image_rate(p.cell->rate, p);
    report.residual.rms_m_s = std::max(report.residual.rms_m_s, off);
    if (is_last || !(off > goal)) {
      if (off > goal) report.status = SolveStatus::iteration_limit;
      return report;
    }
    const int sweeps = report.sweeps;
    begin_with(solution, p);
    report = once();
    report.sweeps += sweeps;
  }
  return report;
}

SolverSettings looser(SolverSettings settings) {
  if (is_wide(settings)) settings.tolerance *= first_look;
  return settings;
}

/// Can another contact of the step prevent an impact? It can if it acts on one of the same bodies, and
/// its impulse separates the two bodies of the impact.
class Prevention {
 public:
  explicit Prevention(const Workspace& w)
      : p_(w.problem), linked_(p_.rows.size() > p_.contact_rows || p_.cell) {
    if (!linked_) link_bodies(p_, row_, contact_);
  }

  /// For a rank's part: by one of its own bodies, all of whose contacts it has.
  bool may_stop(std::size_t c) const {
    if (linked_) return true;  // joints, bonds or the cell may always do this
    return may_stop(c, p_.a(c)) || may_stop(c, p_.b(c));
  }

 private:
  bool acts(std::size_t c) const {
    return double{p_.approach[c]} + p_.offset(c) < 0.0 || p_.start_impulse[c][0] > 0.0f;
  }

  bool may_stop(std::size_t c, std::size_t body) const {
    if (!p_.is_moved(body) || (p_.share != nullptr && p_.share->own_body[body] == 0)) return false;
    for (auto k = static_cast<std::size_t>(row_[body]); k < static_cast<std::size_t>(row_[body + 1]); ++k) {
      const auto other = static_cast<std::size_t>(contact_[k]);
      if (other != c && acts(other) && opens(other, c, body)) return true;
    }
    return false;
  }

  /// Does an impulse of one contact, with any possible friction, open the other by this body alone?
  bool opens(std::size_t pushing, std::size_t c, std::size_t body) const {
    const auto normal = [&](std::size_t k) -> Vec3 {
      return p_.a(k) == body ? p_.normal(k) : Vec3(-p_.normal(k));
    };
    const auto arm = [&](std::size_t k) { return p_.a(k) == body ? p_.arm_a(k) : p_.arm_b(k); };
    const auto opening = [&](const Vec3& push) {
      const Twist change = answer(p_.response[body], push, arm(pushing).cross(push));
      return normal(c).dot(change.linear + change.angular.cross(arm(c)));
    };
    const Mat3 frame = p_.frame(pushing);
    return opening(normal(pushing)) +
               p_.friction(pushing) * std::hypot(opening(frame.row(1)), opening(frame.row(2))) >
           0.0;
  }

  const ContactProblem& p_;
  bool linked_;
  std::vector<std::int32_t> row_, contact_;  // of bodies, see link_bodies()
};

bool carries(const ContactProblem& p, const ContactSolution& s, std::size_t c) {
  return s.impulse[c][0] * normal_response(p.contact[c], p.edge[c], p.response.data()) >
         least_carried * std::abs(double{p.approach[c]});
}

enum class Restitution : bool { off, on };
void set(Restitution how, const std::vector<Bounce>& bounces, ContactProblem& p) {
  for (const Bounce& b : bounces) p.contact[b.contact].offset = how == Restitution::on ? b.with : b.without;
}

/// The work of a contact's impulse on its bodies, J, along the velocities before and after.
struct Work {
  double before, after;
  double mean() const { return 0.5 * (before + after); }
  double size() const { return 0.5 * (std::abs(before) + std::abs(after)); }
};
Work work_of(const Workspace& w, const ContactSolution& s, std::size_t c) {
  const Vec3 impulse = w.problem.in_world(c, s.impulse[c]);
  return {impulse.dot(relative_velocity(w.problem, c, w.before)),
          impulse.dot(relative_velocity(w.problem, c, s.velocity))};
}

/// The work of the contacts of a cluster, J, for impulses p0 + share (p1 - p0).
struct ClusterWork {
  bool bounces = false;
  double with = 0.0, size = 0.0;                         // share = 1
  double constant = 0.0, linear = 0.0, quadratic = 0.0;  // coefficients in the share
  double share = 1.0;

  static constexpr std::size_t sums = 4;  // see ExactSums
  template <class F>
  void each_sum(F&& f) {
    f(with), f(size), f(constant), f(quadratic);
  }
  void join(const ClusterWork& o) { bounces = bounces || o.bounces; }

  /// More than the solution without restitution does, which is exact to the solver's tolerance.
  bool creates() const { return bounces && with > rounding * size && with > constant; }

  /// The largest share for which the work is not positive, or not more than that without restitution.
  void find_share() {
    const double below = std::min(constant, 0.0), root = std::sqrt(linear * linear - 4.0 * quadratic * below);
    if (quadratic <= 0.0 || !std::isfinite(root)) {
      share = 0.0;
      return;
    }
    // Avoids cancellation.
    share = linear > 0.0 ? -2.0 * below / (linear + root) : (root - linear) / (2.0 * quadratic);
    share = std::clamp(share, 0.0, 1.0);
  }
};

/// The body by which a contact belongs to a cluster.
std::size_t moved_body(const ContactProblem& p, std::size_t c) {
  return p.is_moved(p.a(c)) ? p.a(c) : p.b(c);
}

/// [bounce] 1: another contact may prevent it; none: there is no such bounce.
std::optional<std::vector<std::uint8_t>> which_may_be_stopped(const Workspace& w) {
  const ContactProblem& p = w.problem;
  if (!any(p.ranks(), !w.bounces.empty())) return std::nullopt;
  const Prevention prevention(w);
  std::vector<std::uint8_t> may(w.bounces.size());
  for (std::size_t k = 0; k < may.size(); ++k)
    may[k] = prevention.may_stop(static_cast<std::size_t>(w.bounces[k].contact)) ? 1 : 0;
  if (p.share == nullptr) {
    if (std::ranges::count(may, 1) == 0) return std::nullopt;
    return may;
  }
  std::vector<std::int32_t> numbers;  // of contacts, in the whole problem
  for (std::size_t k = 0; k < may.size(); ++k)
    if (may[k] != 0) numbers.push_back(p.share->contact[w.bounces[k].contact]);
  std::vector<std::int32_t> all = of_all(p.ranks(), numbers);
  if (all.empty()) return std::nullopt;
  std::ranges::sort(all);
  for (std::size_t k = 0; k < may.size(); ++k)
    may[k] = std::ranges::binary_search(all, p.share->contact[w.bounces[k].contact]) ? 1 : 0;
  return may;
}

/// The clusters of a rank's bodies of which other ranks may have a part, with a name that is the same on all.
class SharedClusters {
 public:
  /// `shared`: bodies here that other ranks have too.
  void agree(const ContactProblem& p, std::span<const std::int32_t> shared, DisjointSets& clusters) {
    joined_.clear();
    name_of_.clear();
    first_of_.clear();
    std::vector<Edge> own;  // numbers in the whole problem: a body, and the first of its cluster here
    for (const std::int32_t i : shared) {
      const auto first = static_cast<std::int32_t>(clusters.first_of(static_cast<std::size_t>(i)));
      name_of_[first] = 0;
      own.push_back({p.share->body[i], p.share->body[first]});
    }
    for (const auto& [body, first] : of_all(p.ranks(), own)) {
      const std::int32_t a = first_joined(body), b = first_joined(first);
      joined_[std::max(a, b)] = std::min(a, b);
    }
    for (auto& [cluster, name] : name_of_) {
      name = first_joined(p.share->body[cluster]);
      const auto [of, is_new] = first_of_.try_emplace(name, cluster);
      of->second = std::min(of->second, cluster);
    }
  }
  /// The name of a cluster here, or -1: no other rank has a part of it.
  std::int32_t name_of(std::int32_t cluster) const {
    const auto found = name_of_.find(cluster);
    return found == name_of_.end() ? -1 : found->second;
  }
  /// The first cluster here with a name, or -1.
  std::int32_t first_of(std::int32_t name) const {
    const auto found = first_of_.find(name);
    return found == first_of_.end() ? -1 : found->second;
  }
  /// Calls f(cluster, first): clusters here that are connected through other ranks, and the first one with
  /// the same name.
  template <class F>
  void for_each(F&& f) const {
    for (const auto& [cluster, name] : name_of_) f(cluster, first_of_.at(name));
  }

 private:
  using Numbers = std::unordered_map<std::int32_t, std::int32_t>;
  std::int32_t first_joined(std::int32_t body) {
    for (auto next = joined_.find(body); next != joined_.end() && next->second != body;
         next = joined_.find(body))
      body = next->second;
    return body;
  }
  Numbers joined_;              // body to another of its cluster, with a lower number
  Numbers name_of_, first_of_;  // cluster here to name, and back
};

class EnergyBound {
 public:
  EnergyBound(Workspace& w) : w_(w), p_(w.problem), clusters_(p_.bodies()), work_(p_.bodies()) {}

  /// Does any cluster create energy?
  bool is_broken() {
    join(w_.solution);
    add_up([&](std::size_t c, ClusterWork& of) {
      const Work work = work_of(w_, w_.solution, c);
      of.with += work.mean();
      of.size += work.size();
    });
    return any(p_.ranks(), std::ranges::any_of(work_, &ClusterWork::creates));
  }

  /// (A13), with the solution without restitution.
  void restore(const ContactSolution& without) {
    join(without);
    add_up([&](std::size_t c, ClusterWork& of) {
      const Work work = work_of(w_, w_.solution, c), least = work_of(w_, without, c);
      const Vec3 more = p_.in_world(c, w_.solution.impulse[c] - without.impulse[c]),
                 gained = relative_velocity(p_, c, w_.solution.velocity) -
                          relative_velocity(p_, c, without.velocity);
      of.with += work.mean();
      of.size += work.size();
      of.constant += least.mean();
      of.quadratic += 0.5 * more.dot(gained);
    });
    for (ClusterWork& of : work_) {
      of.linear = of.with - of.constant - of.quadratic;
      if (of.creates()) of.find_share();
    }
    take(without);
  }

 private:
  bool acts(const ContactSolution& s, std::size_t c) const { return !s.impulse[c].isZero(0.0); }

  void join(const ContactSolution& s) {
    const auto join_moved = [&](std::size_t a, std::size_t b) {
      if (p_.is_moved(a) && p_.is_moved(b))
        clusters_.join(static_cast<std::int32_t>(a), static_cast<std::int32_t>(b));
    };
    for (std::size_t c = 0; c < p_.contacts(); ++c)
      if (p_.is_own(c) && acts(s, c)) join_moved(p_.a(c), p_.b(c));
    for (std::size_t r = p_.contact_rows; r < p_.rows.size(); ++r)
      join_moved(static_cast<std::size_t>(p_.rows[r].edge.a), static_cast<std::size_t>(p_.rows[r].edge.b));
    if (p_.cell) {  // all contacts across its seam share its shape
      const std::size_t first = first_body();
      for (std::size_t i = 0; i < p_.bodies(); ++i) join_moved(first, i);
    }
    if (!w_.decomposition) return;
    shared_.agree(p_, w_.decomposition->shared_bodies(), clusters_);
    // Clusters connected through other ranks are connected here too.
    shared_.for_each([&](std::int32_t cluster, std::int32_t first) { clusters_.join(cluster, first); });
  }

  /// Contribution of a block of contacts, or of a rank, to the work of a cluster.
  struct Part {
    std::int32_t cluster;  // the body that represents it; in messages to other ranks its name
    ClusterWork work;
  };

  /// The work of all clusters: from blocks of contacts one by one, whose sums are added without rounding.
  template <class Add>
  void add_up(Add&& add) {
    std::ranges::fill(work_, ClusterWork{});
    std::vector<Part> parts;
    std::vector<std::int32_t> met;  // clusters in a block
    const std::span<const std::int32_t> blocks = p_.blocks_at_home();
    for (std::size_t k = 0; k + 1 < blocks.size(); ++k) {
      met.clear();
      for (auto c = static_cast<std::size_t>(blocks[k]); c < static_cast<std::size_t>(blocks[k + 1]); ++c) {
        if (!p_.is_moved(moved_body(p_, c)) || p_.is_compliant(c)) continue;
        const std::size_t cluster = clusters_.first_of(moved_body(p_, c));
        if (work_[cluster].size == 0.0) met.push_back(static_cast<std::int32_t>(cluster));
        add(c, work_[cluster]);
      }
      std::ranges::sort(met);
      met.erase(std::ranges::unique(met).begin(), met.end());
      for (const std::int32_t cluster : met) {
        parts.push_back({cluster, work_[cluster]});
        work_[cluster] = {};
      }
    }
    for (const Bounce& b : w_.bounces) {
      const auto c = static_cast<std::size_t>(b.contact);
      if (p_.is_own(c) && acts(w_.solution, c))
        parts.push_back(
            {static_cast<std::int32_t>(clusters_.first_of(moved_body(p_, c))), {.bounces = true}});
    }
    tell_ranks(parts);
    std::ranges::stable_sort(parts, {}, &Part::cluster);
    for (std::size_t k = 0, end = 0; k < parts.size(); k = end) {
      ExactSums<ClusterWork> sum;
      for (; end < parts.size() && parts[end].cluster == parts[k].cluster; ++end) sum.add(parts[end].work);
      work_[parts[k].cluster] = end == k + 1 ? parts[k].work : sum.value();
    }
  }

  /// Combines the contributions of all ranks to clusters of several ranks.
  void tell_ranks(std::vector<Part>& parts) {
    if (p_.share == nullptr) return;
    std::vector<Part> own;
    std::erase_if(parts, [&](const Part& part) {
      const std::int32_t name = shared_.name_of(part.cluster);
      if (name >= 0) own.push_back({name, part.work});
      return name >= 0;
    });
    for (const Part& part : of_all(p_.ranks(), own))
      if (const std::int32_t cluster = shared_.first_of(part.cluster); cluster >= 0)
        parts.push_back({cluster, part.work});
  }

  void take(const ContactSolution& without) {
    ContactSolution& s = w_.solution;
    const auto mixed = [](double share, const auto& from, const auto& to) {
      return (from + share * (to - from)).eval();
    };
    for (std::size_t c = 0; c < p_.contacts(); ++c) {
      const double share = work_[clusters_.first_of(moved_body(p_, c))].share;
      if (share < 1.0) s.impulse[c] = mixed(share, without.impulse[c], s.impulse[c]);
    }
    for (std::size_t r = 0; r < p_.rows.size(); ++r) {
      const auto a = static_cast<std::size_t>(p_.rows[r].edge.a),
                 b = static_cast<std::size_t>(p_.rows[r].edge.b);
      const double share = work_[clusters_.first_of(p_.is_moved(a) ? a : b)].share;
      if (share < 1.0) s.row_impulse[r] = std::lerp(without.row_impulse[r], s.row_impulse[r], share);
    }
    for (std::size_t i = 0; i < p_.bodies(); ++i) {
      const double share = work_[clusters_.first_of(i)].share;
      if (share == 1.0) continue;
      const Twist from = twist(without.velocity[i]), to = twist(s.velocity[i]);
      s.velocity[i] =
          body_velocity({mixed(share, from.linear, to.linear), mixed(share, from.angular, to.angular)});
    }
    if (p_.cell)
      s.cell_rate = mixed(work_[clusters_.first_of(first_body())].share, without.cell_rate, s.cell_rate);
  }

  /// Body 0 of the whole problem, of which all ranks have a copy if there is a cell.
  std::size_t first_body() const {
    if (p_.share == nullptr) return 0;
    return static_cast<std::size_t>(p_.share->body.find(0));
  }

  Workspace& w_;
  const ContactProblem& p_;
  DisjointSets clusters_;
  SharedClusters shared_;
  std::vector<ClusterWork> work_;  // [body that represents a cluster]
};

}  // namespace

SolveReport solve_with_restitution(const Model& model, double h, Workspace& w) {
  ContactProblem& p = w.problem;
  SolveReport first;
  const SolverSettings& settings = model.settings.solver;
  if (const auto doubtful = which_may_be_stopped(w)) {
    set(Restitution::off, w.bounces, p);
    first = solve_once(looser(settings), h, w, w.without_restitution);
    std::vector<Bounce> bounces;
    for (std::size_t k = 0; k < w.bounces.size(); ++k)
      if ((*doubtful)[k] == 0 ||
          carries(p, w.without_restitution, static_cast<std::size_t>(w.bounces[k].contact)))
        bounces.push_back(w.bounces[k]);
    w.bounces.swap(bounces);
    set(Restitution::on, w.bounces, p);
  }
  SolveReport report = solve_once(settings, h, w, w.solution);
  const bool bounded = model.settings.restitution_law == RestitutionLaw::dissipative &&
                       settings.kind != SolverKind::one_pass && report.status != SolveStatus::diverged &&
                       any(p.ranks(), !w.bounces.empty());
  if (bounded) {
    EnergyBound bound(w);
    if (bound.is_broken()) {
      set(Restitution::off, w.bounces, p);
      const SolveReport without = solve_once(settings, h, w, w.without_restitution);
      set(Restitution::on, w.bounces, p);
      bound.restore(w.without_restitution);
      w.solver.normal_velocity.clear();  // it belonged to another solution
      first.sweeps += without.sweeps;
      report.residual.rms_m_s = std::max(report.residual.rms_m_s, without.residual.rms_m_s);
      report.residual.max_m_s = std::max(report.residual.max_m_s, without.residual.max_m_s);
    }
  }
  report.sweeps += first.sweeps;
  return report;
}

std::vector<std::uint8_t> prevented_impacts(const Model& model, double h, Workspace& w) {
  const ContactProblem& p = w.problem;
  std::optional<Prevention> prevention;  // only in steps with an impact
  bool is_solved = false;
  std::vector<std::uint8_t> prevented;
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    const double approach = p.approach[c];
    if (!(approach < -model.settings.restitution_threshold_m_s) || p.contact[c].gap + h * approach >= 0.0)
      continue;
    if (p.is_compliant(c)) {  // a spring's impact takes time
      if (prevented.empty()) prevented.assign(p.contacts(), 0);
      prevented[c] = 1;
      continue;
    }
    if (!prevention) prevention.emplace(w);
    if (!prevention->may_stop(c)) continue;
    if (!is_solved) {
      if (prevented.empty()) prevented.assign(p.contacts(), 0);
      static_cast<void>(solve_once(looser(model.settings.solver), h, w, w.without_restitution));
      is_solved = true;
    }
    prevented[c] = carries(p, w.without_restitution, c) ? 0 : 1;
  }
  return prevented;
}

double unreturned_energy(const Model& model, const State& state, const Interval& interval,
                         const Workspace& w) {
  const ContactProblem& p = w.problem;
  if (!any(p.ranks(), !w.bounces.empty())) return 0.0;
  const double sum_of_all = sum_numbers(p.blocks_at_home(), p.ranks(), [&](const Block& block) {
    double sum = 0.0;
    for (std::size_t c = block.begin; c < block.end; ++c) {
      if (!(w.solution.impulse[c][0] > 0.0) || p.start_impulse[c][0] > 0.0f) continue;
      const double e = law_of(model, state.bodies, state.contacts.list[c].key).restitution;
      const bool bounces =
          std::ranges::binary_search(w.bounces, static_cast<std::int32_t>(c), {}, &Bounce::contact);
      if (e <= 0.0 || bounces) continue;
      const double response = normal_response(p.contact[c], p.edge[c], p.response.data()),
                   after = p.normal(c).dot(relative_velocity(p, c, w.solution.velocity)),
                   closing = after - response * w.solution.impulse[c][0];
      if (closing < -model.settings.restitution_threshold_m_s &&
          p.contact[c].gap + interval.to_next * closing < 0.0)
        sum -= e * e * 0.5 * w.solution.impulse[c][0] * (double{p.approach[c]} + after);
    }
    return sum;
  });
  return std::max(0.0, sum_of_all);
}

}  // namespace scree
