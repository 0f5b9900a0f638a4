// The `gauss_seidel` solver on batches of sixteen contacts (batches.h): block Gauss-Seidel with one impulse
// per contact, shared by both sides, with Nesterov's momentum.
//
// A block update (block_update.h) processes contacts that change no body in common and improves their
// accumulated impulses by (P1) and (P2), as gauss_seidel.cpp does one by one. Torque resistance follows in
// the same update, rows without a contact after all contacts, forwards and backwards. Each sweep begins at
// the extrapolation of the last two,
//   x <- x + beta (x - x_last),  beta = min(cap, (theta - 1) / t),  t = (1 + sqrt(1 + 4 theta^2)) / 2,  theta
//   <- t  (P4)
// for impulses and likewise for velocities, which are linear in them; theta is halved if a sweep changes more
// than the last one. If a few contacts have most of the residual after many sweeps, they are solved together
// with their neighbours (local_newton.h); if many do, all contacts give way a little (compliance.h). Finally
// velocities follow from the impulses in double precision, so momentum is conserved to rounding.
#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/core/exact_sum.h"
#include "engine/core/parallel.h"
#include "engine/core/vector4.h"
#include "engine/solver/problem/rank_share.h"
#include "engine/solver/problem/row_block.h"
#include "engine/solver/problem/seam_sum.h"
#include "engine/solver/solver.h"
#include "engine/solver/sweeps/batches.h"
#include "engine/solver/sweeps/block_update.h"
#include "engine/solver/sweeps/compliance.h"
#include "engine/solver/sweeps/local_newton.h"
#include "engine/solver/sweeps/sweeps.h"

namespace scree {

namespace {

// Batches per chunk: about a microsecond of a sweep.
constexpr std::size_t batches_a_chunk = 8, bodies_a_chunk = 512;
// With fewer per thread it is not worth waking one.
constexpr std::size_t batches_a_thread = 16;
// Subdomains per chunk of the interface: a colour has about three batches of each.
constexpr std::size_t homes_a_chunk = 2;

// (P4): momentum increases to the first cap, after some sweeps to the second; larger ones cause limit cycles.
constexpr float first_cap = 0.7f, second_cap = 0.85f;
constexpr int sweeps_of_first_cap = 40;
constexpr double most_growth = 1.1, back = 0.5;
// If changes have not decreased for this number of sweeps, it oscillates: then momentum is reduced.
constexpr int most_patience = 60;
constexpr float less = 0.7f;

// Idle batches are updated once in this number of sweeps.
constexpr int sweeps_between_idle = 4;

// The rms change of a sweep is about this multiple of the residual after some sweeps: below it, the residual
// is computed.
constexpr double change_over_residual = 1.4;
constexpr int sweeps_between_checks = 3;

// For a fine goal, single-precision changes are measured from a new start after this number of sweeps.
constexpr int sweeps_of_a_start = 20;
constexpr double finest_in_one_start = 2e-4;

// If a body carries a million times its weight, single precision of the impulses is not sufficient for
// its velocity.
constexpr double precision_of_impulses = 6e-8, part_of_goal_in_rounding = 0.3;
constexpr int most_times_settled = 4, sweeps_between_ends = 16;

/// The velocities of bodies [begin, end) after their impulses, which replace these in place.
SCREE_FOR_EACH_TARGET
void answer_impulses(const ContactProblem& p, std::size_t begin, std::size_t end, BodyVelocity* bodies) {
  for (std::size_t i = begin; i < end; ++i) {
    const Vector4 impulse = load(bodies[i].linear), moment = load(bodies[i].angular);
    store(linear_of(p.free_velocity[i]), bodies[i].linear);
    store(angular_of(p.free_velocity[i]), bodies[i].angular);
    push(static_cast<std::int32_t>(i), impulse, moment, {p.response.data(), bodies});
  }
}

/// The rows that belong to no contact.
SCREE_FOR_EACH_TARGET
void apply_rows(const ContactProblem& p, ContactSolution& s) {
  const SweptBodies bodies{p.response.data(), s.velocity.data()};
  const double* const impulse = s.row_impulse.data();
  for (std::size_t r = p.contact_rows; r < p.rows.size(); ++r) apply(p.rows[r], impulse[r], bodies);
}

/// Sweeps over the batches of a problem, by as many threads as there are subdomains for.
class WideSweeps {
 public:
  WideSweeps(const ContactProblem& problem, SolverWorkspace& workspace, ContactSolution& solution)
      : p_(problem),
        w_(workspace),
        b_(workspace.batches),
        s_(solution),
        share_(problem.share),
        team_(std::min(
            {thread_count(), static_cast<int>(b_.subdomain.size()),
             1 + static_cast<int>((b_.contact.size() + b_.row.size() / batch_size) / batches_a_thread)})) {}

  /// The start impulses of iterations, and their velocities.
  void start() {
    reset_changes();
    for_batches([&](BatchRange range) { apply_impulses(b_, range); });
    for (FreeRow& row : b_.row) turn(row, row.impulse);
    find_seam();
    follow_cell();
    keep_changes();
  }

  /// One sweep; returns the sum of squared changes of velocities.
  double sweep(float beta, bool idle_too) {
    for (const std::size_t i : b_.partner) move_bodies(b_, i, i + 1, beta);
    double sum = sum_over_batches(
        [&](BatchRange range) {
          return update_batches(b_, range, {beta, true});
        },
        [&](const Subdomain& subdomain) {
          move_bodies(b_, subdomain.first_body, subdomain.end_body, beta);
          return update_batches(b_, subdomain, {beta, idle_too});
        },
        Ghosts::follow);
    for_chunks(0, b_.row.size(), grain_light, [&](const Block& chunk) {
      for (std::size_t r = chunk.begin; r < chunk.end; ++r) {
        FreeRow& row = b_.row[r];
        const float at = row.impulse;
        row.impulse += beta * (at - row.last);
        row.last = at;
      }
    });
    const std::size_t single = b_.row.size() - p_.block_rows;
    for (std::size_t r = 0; r < single; ++r) sum += solve(b_.row[r]);
    for (std::size_t r = single; r > 0; --r) sum += solve(b_.row[r - 1]);
    if (p_.block) sum += improve_block();
    follow_cell();
    return sum;
  }

  /// (S5) of the present iterate; also, squared, of each contact if requested.
  Residual residual(float* squared_of = nullptr) {
    resize_with_room(w_.normal_velocity, p_.contacts());
    follow_ghosts();  // their own interface has changed them since then
    w_.residual_sums.assign(b_.subdomain.size(), {});
    team_.run(b_.subdomain.size(), [&](std::size_t k) {
      const auto add = [&](BatchRange range) {
        w_.residual_sums[k] += residual_of_batches(b_, range, w_.normal_velocity.data(), squared_of);
      };
      add(b_.subdomain[k]);
      for (const BatchPhase& phase : b_.phases()) add(phase.home(k));
    });
    ExactSums<ResidualSum> exact;
    for (std::size_t k = 0; k < b_.subdomain.size(); ++k)
      if (is_own(k)) exact.add(w_.residual_sums[k]);
    sum_over(p_.ranks(), exact);
    w_.residual_sums.assign(block_count(b_.row.size(), grain_medium), {});  // every rank has all rows
    for_chunks(0, b_.row.size(), grain_medium, [&](const Block& chunk) {
      for (std::size_t k = chunk.begin; k < chunk.end; ++k) {
        if (is_met_at_the_end(p_.contact_rows + k)) continue;
        const FreeRow& row = b_.row[k];
        const float at = std::clamp(row.impulse - row.inverse_w * velocity(row), row.low, row.high);
        const double r = double{row.length} * double{row.impulse - at} / double{row.inverse_w};
        w_.residual_sums[chunk.index].add(r * r);
      }
    });
    for (const ResidualSum& of_rows : w_.residual_sums) exact.add(of_rows);
    return exact.value().residual();
  }

  /// Velocities from impulses, in double precision.
  void finish() {
    for_each_body([&](std::size_t i) { s_.velocity[i] = BodyVelocity{}; });
    for_batches([&](BatchRange range) { take_impulses(p_, b_, range, s_, s_.velocity.data()); });
    take_row_impulses(p_, b_, s_);
    for_chunks(0, p_.bodies(), bodies_a_chunk,
               [&](const Block& k) { answer_impulses(p_, k.begin, k.end, s_.velocity.data()); });
    apply_rows(p_, s_);
    if (share_ != nullptr) share_->ghosts->exchange(std::span(s_.velocity));
    if (p_.cell) s_.cell_rate = cell_rate(p_, s_);
  }

  /// The correction that gives contacts these speeds, by this number of sweeps.
  void correct(const std::vector<double>& target, int sweeps) {
    b_.target.resize(b_.contact.size());
    b_.push.resize(b_.contact.size());
    for_chunks(0, b_.contact.size(), batches_a_chunk, [&](const Block& chunk) {
      for (std::size_t k = chunk.begin; k < chunk.end; ++k) {
        b_.push[k] = BatchLanes{};
        for (std::size_t l = 0; l < batch_size; ++l) {
          const std::int32_t c = b_.lane[batch_size * k + l];
          b_.target[k].at[l] = c < 0 ? 0.0f : static_cast<float>(target[c]);
        }
      }
    });
    reset_changes();
    find_seam();
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for_batches([&](BatchRange range) { push_apart(b_, range); }, Ghosts::follow);
      for (std::size_t r = 0; r + p_.block_rows < b_.row.size(); ++r) hold(b_.row[r]);
      if (p_.block) hold_block();
      give_cell();
    }
    for_each_body([&](std::size_t i) {
      const float *y = b_.change[i].at, *l = b_.factor[i].at, *z = y + 4;
      const Vec3 answer(l[0] * z[0], l[1] * z[0] + l[2] * z[1], l[3] * z[0] + l[4] * z[1] + l[5] * z[2]);
      s_.correction[i] = p_.response[i].slides ? body_velocity({answer, Vec3::Zero()})
                                               : body_velocity({Vec3(y[0], y[1], y[2]), answer});
    });
    if (share_ != nullptr) share_->ghosts->exchange(std::span(s_.correction));
  }

  /// Solves contacts by local Newton steps in double precision, and starts there again, without
  /// momentum; false if there are none.
  bool help(LocalNewton& late, int sweeps, double goal) {
    if (p_.cell || is_pinched()) return false;
    std::vector<float> squared(p_.contacts());
    residual(squared.data());
    finish();
    if (!late.solve(p_, sweeps, goal, squared, w_.compliance, s_)) return false;
    go_on_from_solution();
    return true;
  }

  /// Starts again from the solution.
  void go_on_from_solution() {
    set_start(p_, s_, b_);
    read_velocities();
    reset_changes();
    keep_changes();
  }

  /// Does the block meet this row, to the rounding of single precision now and of double precision at the
  /// end?
  bool is_met_at_the_end(std::size_t r) const {
    return p_.block && !p_.cell && r >= p_.first_block_row() && p_.rows[r].is_joint();
  }

  /// May rounding of impulses in single precision cause velocity errors of a part of the goal?
  bool are_coarse(double goal) const {
    return precision_of_impulses * most(p_.ranks(), largest_push(b_)) > part_of_goal_in_rounding * goal;
  }
  /// Checks in double precision the result of finish(), and applies local Newton steps where this shows a
  /// need.
  Residual settle(LocalNewton& late, int sweeps, double goal) {
    std::vector<float> squared(p_.contacts());
    w_.normal_velocity.resize(p_.contacts());
    for (int k = 0;; ++k) {
      const Residual r = scree::residual(p_, s_.velocity, s_.impulse, s_.row_impulse,
                                         {w_.normal_velocity.data(), squared.data()}, w_.compliance);
      if (r.rms_m_s <= goal || k == most_times_settled || is_pinched() ||
          !late.solve(p_, sweeps, goal, squared, w_.compliance, s_))
        return r;
    }
  }

  /// Measures changes from the velocities of the present impulses.
  void begin_anew() {
    finish();
    read_velocities();
    find_seam();  // images move at the free rate again
    follow_cell();
    for (std::size_t i = 0; i < b_.change.size(); ++i) {
      for (int k = 0; k < 8; ++k) {
        if (k == 3) continue;
        b_.last[i].at[k] -= b_.change[i].at[k];
        b_.change[i].at[k] = 0.0f;
      }
    }
  }

  /// May the problem have no solution? Determined once, if needed.
  bool has_perhaps_none() {
    if (!perhaps_none_) perhaps_none_ = may_have_no_solution(p_);
    return *perhaps_none_;
  }

 private:
  /// If contacts give way, local Newton steps find arbitrarily large impulses for parts that have no
  /// solution.
  bool is_pinched() { return w_.gave_way && has_perhaps_none(); }
  void read_velocities() {
    set_velocities(p_, s_.velocity, b_);
    if (!w_.compliance.empty()) add_rests(w_.compliance, b_);
  }
  void reset_changes() {
    for_chunks(0, b_.change.size(), bodies_a_chunk, [&](const Block& k) {
      for (std::size_t i = k.begin; i < k.end; ++i) b_.change[i] = {{0.0f, 0.0f, 0.0f, b_.factor[i].at[6]}};
    });
  }
  void keep_changes() {
    for_chunks(0, b_.change.size(), bodies_a_chunk, [&](const Block& k) {
      std::copy(&b_.change[k.begin], &b_.change[k.begin] + (k.end - k.begin), &b_.last[k.begin]);
    });
  }

  template <class F>
  void for_each_body(F&& f) {
    for_chunks(0, p_.bodies(), bodies_a_chunk, [&](const Block& k) {
      for (std::size_t i = k.begin; i < k.end; ++i) f(i);
    });
  }

  /// Lists the lanes of the contacts across the seam of a cell that holds stresses, with the cell at its free
  /// rate.
  void find_seam() {
    seam_.clear();
    if (!p_.cell) return;
    cell_rate_ = p_.cell->rate;
    std::vector<std::int32_t> lane_of(p_.contacts(), -1);
    for (std::size_t k = 0; k < b_.lane.size(); ++k)
      if (b_.lane[k] >= 0) lane_of[b_.lane[k]] = static_cast<std::int32_t>(k);
    for (const CellTerms::Seam& at : p_.cell->contacts) seam_.push_back({lane_of[at.index], at.shift});
  }

  /// (S7): the rate for the impulses, and its effect on the velocities of images.
  void follow_cell() {
    if (!p_.cell) return;
    const auto frame_of = [](const ContactBatch& c, std::size_t l) {
      Mat3 axes;
      for (int i = 0; i < 3; ++i) axes.col(i) << c.n[i].at[l], c.t1[i].at[l], c.t2[i].at[l];
      return axes;
    };
    const auto of_lane = [&](std::int32_t lane) -> std::pair<ContactBatch&, std::size_t> {
      const auto k = static_cast<std::size_t>(lane);
      return {b_.contact[k / batch_size], k % batch_size};
    };
    Vec3 sum = sum_over_seam(p_, [&](std::size_t k) -> Vec3 {
      const auto [c, l] = of_lane(seam_[k].index);
      const Vec3 p(double{c.impulse[0].at[l]}, double{c.impulse[1].at[l]}, double{c.impulse[2].at[l]});
      return seam_[k].shift.cwiseProduct(frame_of(c, l).transpose() * p);
    });
    for (const CellTerms::Seam& at : p_.cell->rows)
      sum += double{b_.row[static_cast<std::size_t>(at.index) - p_.contact_rows].impulse} * at.shift;
    const Vec3 rate = p_.cell->rate_with(b_.mass_unit * sum), change = rate - cell_rate_;
    cell_rate_ = rate;
    for (const CellTerms::Seam& at : seam_) {
      const auto [c, l] = of_lane(at.index);
      const Vec3 u = frame_of(c, l) * at.shift.cwiseProduct(change);
      for (int i = 0; i < 3; ++i) c.velocity[i].at[l] -= static_cast<float>(u[i]);
    }
    for (const CellTerms::Seam& at : p_.cell->rows)
      b_.row[static_cast<std::size_t>(at.index) - p_.contact_rows].velocity -=
          static_cast<float>(at.shift.dot(change));
  }

  /// The same for the correction: the rate for its impulses. Contacts across the seam need correspondingly
  /// larger speeds.
  void give_cell() {
    if (!p_.cell) return;
    const auto normal = [&](const CellTerms::Seam& at) -> Vec3 {
      const ContactBatch& c = b_.contact[static_cast<std::size_t>(at.index) / batch_size];
      const std::size_t l = static_cast<std::size_t>(at.index) % batch_size;
      return {double{c.n[0].at[l]}, double{c.n[1].at[l]}, double{c.n[2].at[l]}};
    };
    const auto lane_of = [](std::vector<BatchLanes>& values, const CellTerms::Seam& at) -> float& {
      return values[static_cast<std::size_t>(at.index) / batch_size]
          .at[static_cast<std::size_t>(at.index) % batch_size];
    };
    const Vec3 sum = sum_over_seam(p_, [&](std::size_t k) -> Vec3 {
      return double{lane_of(b_.push, seam_[k])} * seam_[k].shift.cwiseProduct(normal(seam_[k]));
    });
    const Vec3 rate = -b_.mass_unit * p_.cell->give.cwiseProduct(sum), change = rate - s_.cell_correction;
    s_.cell_correction = rate;
    for (const CellTerms::Seam& at : seam_)
      lane_of(b_.target, at) += static_cast<float>(normal(at).dot(at.shift.cwiseProduct(change)));
  }

  /// Calls f(Block) for chunks of [begin, end), shared among the team.
  template <class F>
  void for_chunks(std::size_t begin, std::size_t end, std::size_t size, F&& f) {
    team_.run(block_count(end - begin, size), [&](std::size_t chunk) {
      const std::size_t first = begin + chunk * size;
      f(Block{chunk, first, std::min(end, first + size)});
    });
  }

  /// Must the rows of other ranks' bodies be current at the interface?
  enum class Ghosts : bool { stay, follow };

  /// Calls f(BatchRange) for all batches: subdomains side by side, then the interface, colour by colour.
  template <class F>
  void for_batches(F&& f, Ghosts ghosts = Ghosts::stay) {
    const auto none = [&](BatchRange range) {
      f(range);
      return 0.0;
    };
    sum_over_batches(none, none, ghosts);
  }
  /// Sums the results of f, for subdomains those of of_subdomain: by subdomain, in a fixed order, and
  /// exactly over these.
  template <class F, class OfSubdomain>
  double sum_over_batches(F&& f, OfSubdomain&& of_subdomain, Ghosts ghosts) {
    const std::size_t subdomains = b_.subdomain.size();
    std::vector<double>& part = w_.update_change;
    part.resize(subdomains);
    team_.run(subdomains, [&](std::size_t k) { part[k] = is_own(k) ? of_subdomain(b_.subdomain[k]) : 0.0; });
    if (ghosts == Ghosts::follow) follow_ghosts();
    for (const BatchPhase& phase : b_.phases()) {
      const std::size_t homes = phase.serial ? subdomains : homes_a_chunk;
      team_.run(block_count(subdomains, homes), [&](std::size_t chunk) {
        const std::size_t end = std::min(subdomains, (chunk + 1) * homes);
        for (std::size_t place = chunk * homes; place < end; ++place) {
          const std::size_t k = phase.serial ? home_at(place) : place;
          if (const BatchRange range = phase.home(k); range.begin < range.end) part[k] += f(range);
        }
      });
    }
    ExactSum sum;
    for (std::size_t k = 0; k < subdomains; ++k)
      if (is_own(k)) sum.add(part[k]);
    if (share_ != nullptr) share_->ranks->sum({&sum, 1});
    return sum.value();
  }
  /// Sets changes of other ranks' bodies to those of their owners.
  void follow_ghosts() {
    if (share_ != nullptr) share_->ghosts->exchange(std::span(b_.change.data(), p_.bodies()));
  }
  /// Subdomains in the order of the whole problem.
  std::size_t home_at(std::size_t place) const {
    return share_ == nullptr || share_->by_place.empty() ? place
                                                         : static_cast<std::size_t>(share_->by_place[place]);
  }
  bool is_own(std::size_t subdomain) const { return share_ == nullptr || share_->owns(subdomain); }

  /// J of the changes.
  float gained(const FreeRow& row) const {
    const float *a = b_.change[row.a].at, *b = b_.change[row.b].at;
    float u = 0.0f;
    for (int k = 0; k < 3; ++k)
      u += row.linear[k] * (a[k] - b[k]) + row.turn_a[k] * a[4 + k] + row.turn_b[k] * b[4 + k];
    return u;
  }
  float velocity(const FreeRow& row) const {
    return row.velocity + row.compliance * row.impulse + gained(row);
  }
  void turn(const FreeRow& row, float impulse) {
    float *a = b_.change[row.a].at, *b = b_.change[row.b].at;
    for (int k = 0; k < 3; ++k) {
      a[k] += impulse * a[3] * row.linear[k];
      b[k] -= impulse * b[3] * row.linear[k];
      a[4 + k] += impulse * row.turn_a[k];
      b[4 + k] += impulse * row.turn_b[k];
    }
  }
  double solve(FreeRow& row) {
    const float next = std::clamp(row.impulse - velocity(row) * row.inverse_w, row.low, row.high);
    const float change = next - row.impulse;
    row.impulse = next;
    turn(row, change);
    const double gain = double{row.length} * double{change} / double{row.inverse_w};
    return gain * gain;
  }
  /// Keeps joints closed while contacts are corrected.
  void hold(FreeRow& row) {
    const Row& of = p_.rows[p_.contact_rows + static_cast<std::size_t>(&row - b_.row.data())];
    if (of.is_joint()) turn(row, -gained(row) * static_cast<float>(of.inverse_of_bodies() / b_.mass_unit));
  }

  FreeRow& free_row(std::size_t r) { return b_.row[r - p_.contact_rows]; }
  double improve_block() {
    return p_.block->improve(
        p_.rows, [&](std::size_t r) { return double{velocity(free_row(r))}; },
        [&](std::size_t r) { return b_.mass_unit * double{free_row(r).impulse}; },
        [&](std::size_t r, double p) {
          const auto change = static_cast<float>(p / b_.mass_unit);
          free_row(r).impulse += change;
          turn(free_row(r), change);
        });
  }
  void hold_block() {
    p_.block->hold(
        s_.row_impulse, p_.rows, [&](std::size_t r) { return double{gained(free_row(r))}; },
        [&](std::size_t r, double p) { turn(free_row(r), static_cast<float>(p / b_.mass_unit)); });
  }

  const ContactProblem& p_;
  SolverWorkspace& w_;
  Batches& b_;
  ContactSolution& s_;
  const RankShare* const share_;  // or null: the problem is complete
  Team team_;
  std::optional<bool> perhaps_none_;
  std::vector<CellTerms::Seam> seam_;  // index: batch_size * batch + lane
  Vec3 cell_rate_ = Vec3::Zero();      // 1/s, of the images
};

/// (P4): extrapolation of the next sweep from the last ones.
class Momentum {
 public:
  float next(int sweeps) {
    const double t = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta_ * theta_));
    const double beta = (theta_ - 1.0) / t;
    theta_ = t;
    return std::min(part_ * (sweeps < sweeps_of_first_cap ? first_cap : second_cap),
                    static_cast<float>(beta));
  }
  void learn(double change) {
    if (last_ > 0.0 && change > most_growth * last_) theta_ = std::max(1.0, back * theta_);
    last_ = change;
    if (change < least_) {
      least_ = change;
      patience_ = most_patience;
    } else if (--patience_ == 0) {
      part_ *= less;
      patience_ = most_patience;
    }
  }

 private:
  double theta_ = 1.0, last_ = 0.0, least_ = infinity;
  int patience_ = most_patience;
  float part_ = 1.0f;  // of the caps
};

/// Number of contacts and rows of the whole problem.
std::int64_t edges_of(const ContactProblem& p) {
  if (p.share == nullptr) return static_cast<std::int64_t>(p.contacts() + p.rows.size());
  std::int64_t own = 0;
  for (std::size_t c = 0; c < p.contacts(); ++c) own += p.is_own(c) ? 1 : 0;
  for (std::size_t r = 0; r < p.contact_rows; ++r) own += p.is_own(p.rows[r].contact) ? 1 : 0;
  return total(p.ranks(), own) + static_cast<std::int64_t>(p.rows.size() - p.contact_rows);
}

}  // namespace

SolveReport solve_wide(const ContactProblem& p, const SolverSettings& settings, SolverWorkspace& w,
                       ContactSolution& s) {
  make_batches(p, settings.warm_start, s.velocity, w.batches);
  w.compliance = p.compliance;
  w.given_way.clear();
  w.gave_way = false;
  if (!w.compliance.empty()) set_compliance(w.compliance, w.batches);

  const double goal = settings.tolerance * p.velocity_scale;
  const auto edges = static_cast<double>(std::max<std::int64_t>(1, edges_of(p)));
  WideSweeps sweeps(p, w, s);
  sweeps.start();
  Momentum momentum;
  SolveReport report;
  report.status = SolveStatus::iteration_limit;
  LocalNewton late;
  Stall stall;
  const auto end = [&] {
    sweeps.finish();
    const bool is_local_newton = report.residual.rms_m_s > goal && late.have_been_due(report.sweeps);
    if (p.block) meet_block(p, s);
    if (report.residual.rms_m_s < infinity && !p.cell &&
        (p.block || is_local_newton || w.gave_way || sweeps.are_coarse(goal)))
      report.residual = sweeps.settle(late, report.sweeps, goal);
    const bool is_met = report.residual.rms_m_s <= goal;
    if (is_met) report.status = SolveStatus::converged;
    report.given_rms_m_s = w.gave_way ? given_rms(p, w.given_way, s) : 0.0;
    return is_met;
  };
  int next_check = 0;
  bool is_near = false;  // may the goal be met? Then a plain sweep removes the overshoot of momentum
  while (report.sweeps < settings.max_sweeps && report.status == SolveStatus::iteration_limit) {
    const bool is_first = report.sweeps == 0, is_last = report.sweeps + 1 == settings.max_sweeps;
    const bool plain = is_first || is_near || is_last;
    const float beta = momentum.next(report.sweeps);
    const double change =
        sweeps.sweep(plain ? 0.0f : beta, plain || report.sweeps % sweeps_between_idle == 0);
    momentum.learn(change);
    stall.learn(change);
    ++report.sweeps;
    if (!(change < infinity)) {
      report.residual.rms_m_s = infinity;
      break;
    }
    if (settings.tolerance < finest_in_one_start && report.sweeps % sweeps_of_a_start == 0)
      sweeps.begin_anew();
    const bool is_helped = late.are_due(report.sweeps) && !is_last && sweeps.help(late, report.sweeps, goal);
    if (is_helped) {
      momentum = Momentum();
      stall.wait();
    }
    if (settings.give_way && !is_last && !(late.is_stuck() && sweeps.has_perhaps_none())) {
      const double share = stall.look(edges * change_over_residual * goal * change_over_residual * goal);
      if (share > 0.0) {
        make_compliant(p, share, w);
        momentum = Momentum();
      }
    }
    const bool may_be = is_helped || std::sqrt(change / edges) <= change_over_residual * goal;
    if (is_last || is_near || (is_first && may_be)) {
      report.residual = sweeps.residual();
      next_check = report.sweeps + sweeps_between_checks;
      if (report.residual.rms_m_s <= goal && !end()) {
        sweeps.go_on_from_solution();
        momentum = Momentum();
        next_check = report.sweeps + sweeps_between_ends;
      }
    }
    is_near = may_be && report.sweeps + 1 >= next_check;
  }
  if (report.sweeps == 0) report.residual = sweeps.residual();
  if (report.status != SolveStatus::converged) end();
  return report;
}

void correct_wide(const ContactProblem& p, int sweeps, SolverWorkspace& w, ContactSolution& s) {
  WideSweeps(p, w, s).correct(w.normal_velocity, sweeps);
}

}  // namespace scree
