#include "engine/solver/impacts.h"

#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <tuple>

#include "engine/solver/problem/friction_disc.h"
#include "engine/solver/sweeps/local_cone.h"

namespace scree {

namespace {

constexpr int most_rounds = 200;
constexpr int most_sweeps = 2000;
constexpr double accuracy = 1e-13;  // over the fastest approach: change of velocity in the last sweep
constexpr int work_iterations = 60;
constexpr double work_accuracy = 1e-12;

Vec3 velocity_of(const ContactProblem& p, std::size_t c, const std::vector<Twist>& v) {
  return p.frame(c) * relative_velocity(p, c, v);
}

void apply(const ContactProblem& p, std::size_t c, const Vec3& impulse, std::vector<Twist>& v) {
  const Vec3 world = p.frame(c).transpose() * impulse;
  const auto add = [&](std::size_t i, const Vec3& arm, double sign) {
    const Twist change = answer(p.response[i], world, arm.cross(world));
    v[i].linear += sign * change.linear;
    v[i].angular += sign * change.angular;
  };
  add(p.a(c), p.arm_a(c), 1.0);
  add(p.b(c), p.arm_b(c), -1.0);
}

/// One contact that takes part in a round.
struct Impact {
  std::size_t contact;
  Vec3 before, between;             // relative velocity before the round and at maximum compression, m/s
  Vec3 compression = Vec3::Zero();  // impulses, N s
  Vec3 restitution = Vec3::Zero();
  double target = 0.0;    // work to return, J
  Mat3 w = Mat3::Zero();  // 1/kg, of the contact alone, with the rows that hold its bodies
};

/// A row of a joint or a bond that takes part in a round. It keeps its velocity, up to its compliance.
struct Hold {
  std::size_t row;
  double velocity;       // m/s, to keep
  double impulse = 0.0;  // N s
};

double velocity_of(const Row& row, const std::vector<Twist>& v) {
  return row_velocity(row, v[static_cast<std::size_t>(row.edge.a)], v[static_cast<std::size_t>(row.edge.b)]);
}

void apply(const ContactProblem& p, const Row& row, double impulse, std::vector<Twist>& v) {
  const auto add = [&](std::int32_t body, const Vec3& angular, double sign) {
    const auto i = static_cast<std::size_t>(body);
    const Twist change = answer(p.response[i], sign * impulse * row.linear, sign * impulse * angular);
    v[i].linear += change.linear;
    v[i].angular += change.angular;
  };
  add(row.edge.a, row.angular_a, 1.0);
  add(row.edge.b, row.angular_b, -1.0);
}

/// Part of J v of a row by the velocity of one of its bodies.
double share_of(const Row& row, std::int32_t body, const Twist& v) {
  double sum = 0.0;
  if (row.edge.a == body) sum += row.linear.dot(v.linear) + row.angular_a.dot(v.angular);
  if (row.edge.b == body) sum -= row.linear.dot(v.linear) + row.angular_b.dot(v.angular);
  return sum;
}

/// Rows that hold bodies together, solved at once: (J M^-1 J^T + c) d = -(u - target + c p). Loops of bonds
/// make redundant rows, so a little is added to the diagonal.
class Held {
 public:
  std::vector<Hold> rows;

  void choose(const ContactProblem& p, const std::vector<std::size_t>& numbers) {
    const bool is_known = std::ranges::equal(numbers, rows, {}, {}, &Hold::row);
    rows.clear();
    for (const std::size_t r : numbers) rows.push_back({r, 0.0});
    if (!is_known) factorise(p);
  }
  bool empty() const { return rows.empty(); }

  /// The velocities that the solution of the step asks for: those of joints; springs give with their
  /// compliance.
  void aim_at_targets(const ContactProblem& p) {
    for (Hold& h : rows) h = {h.row, p.rows[h.row].compliance > 0.0 ? 0.0 : -p.rows[h.row].bias};
  }
  void aim_at_present(const ContactProblem& p, const std::vector<Twist>& v) {
    for (Hold& h : rows) h = {h.row, velocity_of(p.rows[h.row], v)};
  }

  void settle(const ContactProblem& p, std::vector<Twist>& v) {
    if (rows.empty()) return;
    Eigen::VectorXd wrong(std::ssize(rows));
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Row& row = p.rows[rows[k].row];
      wrong[static_cast<Eigen::Index>(k)] =
          velocity_of(row, v) - rows[k].velocity + row.compliance * rows[k].impulse;
    }
    const Eigen::VectorXd change = factor_.solve(-wrong);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const double d = change[static_cast<Eigen::Index>(k)];
      rows[k].impulse += d;
      apply(p, p.rows[rows[k].row], d, v);
    }
  }

  /// W of a contact whose bodies these rows hold, in its frame.
  Mat3 coupling(const ContactProblem& p, std::size_t c) const {
    constexpr double least = 1e-9;  // of W alone: where the rows hold both bodies together
    const Mat3& alone = p.delassus[c];
    if (rows.empty()) return alone;
    const Mat3 frame = p.frame(c);
    Eigen::MatrixX3d of_rows = Eigen::MatrixX3d::Zero(std::ssize(rows), 3);
    for (int k = 0; k < 3; ++k) {
      const Vec3 d = frame.row(k);
      const Twist a = answer(p.response[p.a(c)], d, p.arm_a(c).cross(d)),
                  b = answer(p.response[p.b(c)], -d, -p.arm_b(c).cross(d));
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const Row& row = p.rows[rows[r].row];
        of_rows(static_cast<Eigen::Index>(r), k) = share_of(row, static_cast<std::int32_t>(p.a(c)), a) +
                                                   share_of(row, static_cast<std::int32_t>(p.b(c)), b);
      }
    }
    if (of_rows.isZero(0.0)) return alone;
    const Eigen::MatrixX3d held = factor_.solve(of_rows);
    const Mat3 w = alone - of_rows.transpose() * held;
    return 0.5 * (w + w.transpose()) + least * alone;
  }

 private:
  void factorise(const ContactProblem& p) {
    constexpr double redundant = 1e-11;  // of the diagonal
    std::vector<std::pair<std::int32_t, Eigen::Index>> of_body;
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (const std::int32_t body : {p.rows[rows[k].row].edge.a, p.rows[rows[k].row].edge.b})
        if (p.is_moved(static_cast<std::size_t>(body)))
          of_body.emplace_back(body, static_cast<Eigen::Index>(k));
    std::ranges::sort(of_body);
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Row& row = p.rows[rows[k].row];
      double diagonal = 0.0;
      for (const auto& [body, angular, sign] :
           {std::tuple{row.edge.a, row.angular_a, 1.0}, std::tuple{row.edge.b, row.angular_b, -1.0}}) {
        const Twist v = answer(p.response[static_cast<std::size_t>(body)], sign * row.linear, sign * angular);
        for (const auto& [same, other] :
             std::ranges::equal_range(of_body, body, {}, &std::pair<std::int32_t, Eigen::Index>::first)) {
          const double share = share_of(p.rows[rows[static_cast<std::size_t>(other)].row], body, v);
          entries.emplace_back(other, static_cast<Eigen::Index>(k), share);
          if (other == static_cast<Eigen::Index>(k)) diagonal += share;
        }
      }
      entries.emplace_back(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(k),
                           row.compliance + redundant * diagonal);
    }
    Eigen::SparseMatrix<double> matrix(std::ssize(rows), std::ssize(rows));
    matrix.setFromTriplets(entries.begin(), entries.end());
    factor_.compute(matrix);
  }

  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor_;
};

/// The rows through which the bodies of impacts move others at once: joints and bonds that have no limit.
class Holders {
 public:
  explicit Holders(const ContactProblem& p) : p_(p) {
    for (std::size_t r = p.contact_rows; r < p.rows.size(); ++r)
      if (p.rows[r].is_joint()) rows_.push_back(r);
    if (rows_.empty()) return;
    first_.assign(p.bodies() + 1, 0);
    each_end([&](std::size_t body, std::size_t) { ++first_[body + 1]; });
    for (std::size_t i = 0; i < p.bodies(); ++i) first_[i + 1] += first_[i];
    row_of_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    each_end([&](std::size_t body, std::size_t r) { row_of_[next[body]++] = r; });
  }

  /// Those that connect moved bodies with the ones of these impacts, ascending.
  std::vector<std::size_t> of(const std::vector<Impact>& impacts) const {
    if (rows_.empty()) return {};
    std::vector<std::uint8_t> is_reached(p_.bodies(), 0);
    std::vector<std::size_t> found, open;
    const auto reach = [&](std::size_t body) {
      if (is_reached[body] != 0 || !p_.is_moved(body)) return;
      is_reached[body] = 1;
      open.push_back(body);
    };
    for (const Impact& i : impacts) {
      reach(p_.a(i.contact));
      reach(p_.b(i.contact));
    }
    while (!open.empty()) {
      const std::size_t body = open.back();
      open.pop_back();
      for (std::size_t k = first_[body]; k < first_[body + 1]; ++k) {
        const Edge& edge = p_.rows[row_of_[k]].edge;
        found.push_back(row_of_[k]);
        reach(static_cast<std::size_t>(edge.a));
        reach(static_cast<std::size_t>(edge.b));
      }
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

 private:
  template <class F>
  void each_end(F&& f) const {
    for (const std::size_t r : rows_) {
      f(static_cast<std::size_t>(p_.rows[r].edge.a), r);
      f(static_cast<std::size_t>(p_.rows[r].edge.b), r);
    }
  }

  const ContactProblem& p_;
  std::vector<std::size_t> rows_, first_, row_of_;
};

std::vector<Impact> approaching(const ContactProblem& p, const ImpactSettings& settings,
                                const std::vector<Twist>& v) {
  std::vector<Impact> found;
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    if (!settings.prevented.empty() && settings.prevented[c] != 0) continue;
    const Vec3 u = velocity_of(p, c, v);
    if (u[0] < -settings.threshold_m_s && p.contact[c].gap + settings.time_step_s * u[0] < 0.0)
      found.push_back({.contact = c, .before = u, .between = u});
  }
  return found;
}

double fastest(const std::vector<Impact>& impacts) {
  double speed = 0.0;
  for (const Impact& i : impacts) speed = std::max(speed, -i.before[0]);
  return speed;
}

/// Work of an impulse on the bodies while the relative velocity changes from `from` to `to` along a straight
/// path. Friction only dissipates; its apparent gain is the normal impulse's, transferred by the coupling
/// of the two directions.
double recoverable_work(const Vec3& impulse, const Vec3& from, const Vec3& to) {
  const Vec3 mean = 0.5 * (from + to);
  return impulse[0] * mean[0] + std::max(0.0, impulse.tail<2>().dot(mean.tail<2>()));
}

/// (E1): Gauss-Seidel with the exact local cone; returns the absorbed work.
double compress(const ContactProblem& p, std::vector<Impact>& impacts, Held& held, std::vector<Twist>& v) {
  const double goal = accuracy * fastest(impacts);
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0.0;
    for (Impact& i : impacts) {
      const Mat3& w = i.w;
      const Vec3 q = velocity_of(p, i.contact, v) - w * i.compression;
      const Vec3 d = solve_local_cone(w, q, p.friction(i.contact)) - i.compression;
      i.compression += d;
      apply(p, i.contact, d, v);
      held.settle(p, v);
      change = std::max(change, (w * d).norm());
    }
    if (change <= goal) break;
  }
  double work = 0.0;
  for (Impact& i : impacts) {
    i.between = velocity_of(p, i.contact, v);
    const double taken = std::max(0.0, -recoverable_work(i.compression, i.before, i.between));
    const double e = p.restitution[i.contact];
    i.target = e * e * taken;
    work += taken;
  }
  return work;
}

/// Friction of maximum dissipation at the present normal impulses of the impacts, from the velocities at
/// maximum compression; v is left at the end of the return.
void rub(const ContactProblem& p, std::vector<Impact>& impacts, Held& held, std::vector<Twist>& v) {
  const double goal = accuracy * fastest(impacts);
  for (const Impact& i : impacts) apply(p, i.contact, i.restitution, v);
  for (const Hold& h : held.rows) apply(p, p.rows[h.row], h.impulse, v);
  held.settle(p, v);
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0.0;
    for (Impact& i : impacts) {
      const Mat2 w = i.w.bottomRightCorner<2, 2>();
      const Vec2 now = i.restitution.tail<2>();
      const Vec2 next = least_energy(w, now, velocity_of(p, i.contact, v).tail<2>(),
                                     p.friction(i.contact) * i.restitution[0], 0);
      i.restitution.tail<2>() = next;
      apply(p, i.contact, Vec3(0.0, next[0] - now[0], next[1] - now[1]), v);
      held.settle(p, v);
      change = std::max(change, (w * (next - now)).norm());
    }
    if (change <= goal) break;
  }
}

double kinetic_gain(const ContactProblem& p, const std::vector<Impact>& impacts, const Held& held,
                    const std::vector<Twist>& from, const std::vector<Twist>& to, double length) {
  // Work of the impulses over the straight path: sum of r.(u_from + u_at) / 2 with u_at = u_from + length
  // (u_to - u_from) and r shortened alike.
  double gain = 0.0;
  for (const Impact& i : impacts) {
    const Vec3 u = velocity_of(p, i.contact, from), change = velocity_of(p, i.contact, to) - u;
    gain += length * i.restitution.dot(u + 0.5 * length * change);
  }
  for (const Hold& h : held.rows) {
    const double u = velocity_of(p.rows[h.row], from), change = velocity_of(p.rows[h.row], to) - u;
    gain += length * h.impulse * (u + 0.5 * length * change);
  }
  return gain;
}

/// (E2); returns the work given back.
double give_back(const ContactProblem& p, std::vector<Impact>& impacts, Held& held, std::vector<Twist>& v) {
  const std::vector<Twist> compressed = v;
  double target = 0.0;
  for (const Impact& i : impacts) target += i.target;
  if (target <= 0.0) return 0.0;
  for (Impact& i : impacts)  // Poisson's estimate: exact without friction
    if (i.target > 0.0) i.restitution[0] = p.restitution[i.contact] * i.compression[0];
  for (int k = 0; k < work_iterations; ++k) {
    v = compressed;
    rub(p, impacts, held, v);
    bool done = true;
    for (Impact& i : impacts) {
      const double work = recoverable_work(i.restitution, i.between, velocity_of(p, i.contact, v));
      if (i.target <= 0.0 || work <= 0.0 || std::abs(work - i.target) <= work_accuracy * target) continue;
      i.restitution *= std::sqrt(i.target / work);
      done = false;
    }
    if (done) break;
  }
  v = compressed;
  rub(p, impacts, held, v);
  // The returned energy must not exceed the target: a quadratic in the length of the path.
  const double whole = kinetic_gain(p, impacts, held, compressed, v, 1.0);
  if (whole > target) {
    const double linear = 4.0 * kinetic_gain(p, impacts, held, compressed, v, 0.5) - whole,
                 square = whole - linear;
    double length = square > 0.0
                        ? (-linear + std::sqrt(linear * linear + 4.0 * square * target)) / (2.0 * square)
                        : target / whole;
    length = std::clamp(length, 0.0, 1.0);
    for (Impact& i : impacts) i.restitution *= length;
    for (Hold& h : held.rows) h.impulse *= length;
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i].linear = compressed[i].linear + length * (v[i].linear - compressed[i].linear);
      v[i].angular = compressed[i].angular + length * (v[i].angular - compressed[i].angular);
    }
  }
  double work = 0.0;
  for (const Impact& i : impacts)
    work += recoverable_work(i.restitution, i.between, velocity_of(p, i.contact, v));
  return work;
}

}  // namespace

ImpactReport resolve_impacts(const ContactProblem& p, const ImpactSettings& settings,
                             std::vector<Twist>& velocity, std::vector<Vec3>& impulse,
                             std::vector<double>& row_impulse) {
  ImpactReport report;
  impulse.assign(p.contacts(), Vec3::Zero());
  row_impulse.assign(p.rows.size(), 0.0);
  const Holders holders(p);
  Held held;
  std::vector<std::uint8_t> is_settled(p.rows.size(), 0);
  const auto take_rows = [&] {
    for (const Hold& h : held.rows) row_impulse[h.row] += h.impulse;
  };
  while (report.rounds < most_rounds) {
    std::vector<Impact> impacts = approaching(p, settings, velocity);
    if (impacts.empty()) break;
    held.choose(p, holders.of(impacts));
    if (std::ranges::any_of(held.rows, [&](const Hold& h) { return is_settled[h.row] == 0; })) {
      // First what they do without the impacts: bodies that have just been bonded may move apart.
      held.aim_at_targets(p);
      held.settle(p, velocity);
      take_rows();
      for (const Hold& h : held.rows) is_settled[h.row] = 1;
      continue;
    }
    ++report.rounds;
    for (Impact& i : impacts) i.w = held.coupling(p, i.contact);
    held.aim_at_present(p, velocity);
    report.compression_work_J += compress(p, impacts, held, velocity);
    take_rows();
    held.aim_at_present(p, velocity);
    report.returned_work_J += give_back(p, impacts, held, velocity);
    take_rows();
    for (const Impact& i : impacts) impulse[i.contact] += i.compression + i.restitution;
  }
  return report;
}

}  // namespace scree
