// Can a run be trusted? What its own numbers say, and what to change.
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
/// In a few words, for people.
const char* meaning(Grade grade);

/// One check. Above `amber` a run is usable but has to be looked at, above `red` it is not to be trusted.
struct VerdictLimit {
  const char* code;
  double amber, red;
};

/// A step whose residual is within twice the goal counts as having come to it: the goal is an order of
/// magnitude.
inline constexpr double far_from_goal = 2.0;
/// A residual above this part of the velocity scale (A4) leaves contacts unsolved: from there on beds come to
/// rest with other contacts (docs/solvers.md, Beds: 10 sweeps a step leave 3 % of the scale in half of the
/// steps that collide, and 2.7 % more contacts).
inline constexpr double unsolved_residual = 0.05;

// All limits, in the order of findings of one grade. Every value is a share: 0.05 is 5 %.
/// 1 if numbers were no longer finite, the ledger was breached or results could not be written.
inline constexpr VerdictLimit failed_limit{"failed", 0.0, 0.0};
/// Lost bodies, of all: none should be; one of a thousand does not change a heap.
inline constexpr VerdictLimit lost_limit{"lost_bodies", 0.0, 1e-3};
/// Deepest overlap of the run over the smaller body's smallest length. At rest it is the slop, 0.1 %; impacts
/// of metres per second at sensible steps come to 2 %. At 10 % bodies are not rigid any more.
inline constexpr VerdictLimit overlap_limit{"overlap", 0.03, 0.10};
/// Largest compression of elastic contacts, likewise: Hertz's law is for small ones.
inline constexpr VerdictLimit compression_limit{"compression", 0.1, 0.4};
/// Steps with residuals above unsolved_residual. A hard impact or two do not matter to a heap; a tenth of the
/// steps does.
inline constexpr VerdictLimit unsolved_limit{"unsolved_steps", 0.01, 0.10};
/// Steps far from the solver's goal: what was asked for was not delivered. Never red by itself: how much is
/// missing says the check above, whatever was asked for.
inline constexpr VerdictLimit missed_limit{"missed_goal", 0.05, std::numeric_limits<double>::infinity()};
/// By how much contacts gave (P5), of the velocity scale, mean over the steps. Sheared and compressed
/// packings come to 0.004, with stresses within the scatter of those that took 4,000 sweeps a step; what a
/// single step gave counts as unsolved.
inline constexpr VerdictLimit given_limit{"given", 0.02, 0.2};
/// The largest gain on the way that contacts made, over the energy in play: the most kinetic energy, weights
/// times the bodies' sizes, or forces times these. Heaps leave 1e-6; a thousandth is less than anybody knows
/// of a coefficient of restitution, a hundredth is seen.
inline constexpr VerdictLimit created_limit{"energy_created", 1e-3, 1e-2};
/// Energy that no term of the ledger accounts for, over all that was turned over: rounding leaves 1e-12.
inline constexpr VerdictLimit ledger_limit{"energy_ledger", 1e-6, 1e-3};
/// Momentum from nowhere over all impulses: rounding leaves 1e-14 where both sides share an impulse, and
/// substeps, whose contact points are of first order, 1e-5 of the angular part.
inline constexpr VerdictLimit momentum_limit{"momentum", 1e-4, 1e-2};
/// Contact searches that did not end, of the pairs looked at: a contact may be missing where there is one.
inline constexpr VerdictLimit search_limit{"contact_search", 0.0, 1e-4};

/// Something that moves as it is told pressed harder than it takes to move all bodies as fast, stop what they
/// had and carry them, so many times; and so many times harder than the median of its steps, unless steps
/// were left unsolved. What it pressed could not give way: forces of rigid bodies are then what the solver's
/// tolerance makes of them. The value is the smaller ratio of the two.
inline constexpr double pinch_of_momentum = 3.0, pinch_of_median = 10.0;
inline constexpr VerdictLimit pinch_limit{"pinch", 1.0, 10.0};
/// How far walls go in a step, and how far off an even motion; of the smallest length. And how far bodies
/// that are not round turn, rad.
inline constexpr VerdictLimit wall_travel_limit{"wall_travel", fair_travel, most_travel};
inline constexpr VerdictLimit wall_detour_limit{"wall_detour", fair_detour, most_detour};
inline constexpr VerdictLimit turn_limit{"turn", fair_turn, most_turn};
/// What restitution would have given back, over all that contacts took; only where that is 0.2 % of the
/// energy turned over. Never red: it is energy that is missing, not too much.
inline constexpr VerdictLimit unreturned_limit{"unreturned", 0.1, std::numeric_limits<double>::infinity()};
inline constexpr double unreturned_counts = 0.002;
/// How far single precision puts bodies off in frames, over their smallest length (frame.h). Never red: the
/// run itself is in double precision.
inline constexpr VerdictLimit frames_limit{"frame_precision", most_frame_rounding,
                                           std::numeric_limits<double>::infinity()};

struct Finding {
  std::string code;
  Grade grade = Grade::green;
  double value = 0.0, limit = 0.0;  // limit: the one exceeded; in green the one that was kept
  std::string text, advice;         // advice is empty in green
};

struct Verdict {
  Grade grade = Grade::green;     // the worst of all
  std::vector<Finding> findings;  // one a check, the worst first
};

/// What a value means; what is not finite is red.
Grade grade_of(double value, const VerdictLimit& limit);

/// Needs every other member of the summary; the settings are those of the run.
Verdict judge(const Summary& summary, const Settings& settings);

}  // namespace scree::io
