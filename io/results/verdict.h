// The verdict: whether a run can be trusted by its own numbers, and what to change.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "engine/simulation/coarseness.h"
#include "engine/simulation/settings.h"
#include "io/results/frame.h"

namespace scree::io {

struct Summary;

enum class Grade { green, amber, red };
const char* to_string(Grade grade);
/// As a short text for users.
const char* meaning(Grade grade);

/// One check. Above `amber` a run is usable but should be examined, above `red` it should not be trusted.
struct VerdictLimit {
  const char* code;
  double amber, red;
};

/// A residual within twice the goal counts as converged: the goal is an order of
/// magnitude.
inline constexpr double far_from_goal = 2.0;
/// A residual above this share of the velocity scale (A4) leaves contacts unsolved: from there on beds come
/// to rest with other contacts (docs/solvers.md, Beds: 10 sweeps per step leave 3 % of the scale in half of
/// the steps that collide, and 2.7 % more contacts).
inline constexpr double unsolved_residual = 0.05;

// All limits, in the order of findings of one grade. Each value is a share: 0.05 is 5 %.
/// 1 if numbers were no longer finite, the ledger was breached or results could not be written; 0.5 if no
/// step was made.
inline constexpr VerdictLimit failed_limit{"failed", 0.0, 0.5};
/// Lost bodies over all bodies: there should be none; one of a thousand does not change a heap.
inline constexpr VerdictLimit lost_limit{"lost_bodies", 0.0, 1e-3};
/// Deepest overlap of the run over the smaller body's smallest length. At rest it is the slop, 0.1 %; impacts
/// of metres per second at suitable steps reach 2 %. At 10 % bodies are no longer rigid.
inline constexpr VerdictLimit overlap_limit{"overlap", 0.03, 0.10};
/// Largest compression of elastic contacts, likewise: Hertz's law holds for small compression.
inline constexpr VerdictLimit compression_limit{"compression", 0.1, 0.4};
/// Steps with residuals above unsolved_residual. A few hard impacts do not matter to a heap; a tenth of the
/// steps does.
inline constexpr VerdictLimit unsolved_limit{"unsolved_steps", 0.01, 0.10};
/// Steps far from the solver's goal. Never red by itself: the check above shows how much is missing,
/// for any goal.
inline constexpr VerdictLimit missed_limit{"missed_goal", 0.05, std::numeric_limits<double>::infinity()};
/// Compliance velocity of contacts (P5), over the velocity scale, mean over the steps. Sheared and compressed
/// packings reach 0.004, with stresses within the scatter of those from 4,000 sweeps per step; compliance in
/// single steps counts as unsolved.
inline constexpr VerdictLimit given_limit{"given", 0.02, 0.2};
/// The largest intermediate energy gain by contacts, over the energy in play: the largest kinetic energy,
/// weights times the bodies' sizes, or forces times these. Heaps have 1e-6; a thousandth is less than the
/// uncertainty of a coefficient of restitution, a hundredth is visible.
inline constexpr VerdictLimit created_limit{"energy_created", 1e-3, 1e-2};
/// Energy without a term in the ledger, over the energy turned over: rounding gives 1e-12.
inline constexpr VerdictLimit ledger_limit{"energy_ledger", 1e-6, 1e-3};
/// Spurious momentum over all impulses: rounding gives 1e-14 if both sides have the same impulse.
inline constexpr VerdictLimit momentum_limit{"momentum", 1e-4, 1e-2};
/// Contact searches without convergence, over the examined pairs: a contact may be missing there.
inline constexpr VerdictLimit search_limit{"contact_search", 0.0, 1e-4};

/// Pinching: an object with prescribed motion pressed this many times harder than necessary to accelerate
/// all bodies to its speed, stop their motion and carry them; and this many times harder than the median of
/// its steps (except if steps were unsolved). Then the pinched bodies cannot move away, and forces of rigid
/// bodies depend on the solver's tolerance. The value is the smaller ratio of the two.
inline constexpr double pinch_of_momentum = 3.0, pinch_of_median = 10.0;
inline constexpr VerdictLimit pinch_limit{"pinch", 1.0, 10.0};
/// Travel of walls in a step, and their deviation from uniform motion; over the smallest length. And rotation
/// of non-round bodies, rad.
inline constexpr VerdictLimit wall_travel_limit{"wall_travel", fair_travel, most_travel};
inline constexpr VerdictLimit wall_detour_limit{"wall_detour", fair_detour, most_detour};
inline constexpr VerdictLimit turn_limit{"turn", fair_turn, most_turn};
/// Deviation of joints and their stops: rad, or lengths over the radius of gyration of the larger side.
/// Machines have 1e-6, a whipping chain 0.016 at steps of 1 ms; more means that constraints contradict.
inline constexpr VerdictLimit joint_limit{"joint", 0.05, 0.3};
/// Energy that restitution would have given back, over all energy that contacts took; only if it is 0.2 % of
/// the energy turned over. Never red: energy is missing, not created.
inline constexpr VerdictLimit unreturned_limit{"unreturned", 0.1, std::numeric_limits<double>::infinity()};
inline constexpr double unreturned_counts = 0.002;
/// Errors of positions in frames by single precision, over the bodies' smallest length (frame.h). Never red:
/// the run itself is in double precision.
inline constexpr VerdictLimit frames_limit{"frame_precision", most_frame_rounding,
                                           std::numeric_limits<double>::infinity()};

struct Finding {
  std::string code;
  Grade grade = Grade::green;
  double value = 0.0, limit = 0.0;  // limit: the one exceeded; if green the one that was kept
  std::string text, advice;         // advice is empty if green
};

struct Verdict {
  Grade grade = Grade::green;     // the worst of all
  std::vector<Finding> findings;  // one per check, the worst first
};

/// The grade of a value; values that are not finite are red.
Grade grade_of(double value, const VerdictLimit& limit);

/// Needs all other members of the summary; the settings are those of the run.
Verdict judge(const Summary& summary, const Settings& settings);

}  // namespace scree::io
