// Which solver, how far it goes, and when it stops.
#pragma once

#include <string_view>

namespace scree {

enum class SolverKind { gauss_seidel, nsgs, admm, one_pass };
inline constexpr SolverKind solver_kinds[] = {SolverKind::gauss_seidel, SolverKind::nsgs, SolverKind::admm,
                                              SolverKind::one_pass};
const char* to_string(SolverKind kind);
/// The kind of a name that to_string gives; the name must be one.
SolverKind solver_kind(std::string_view name);

/// Admissible tangential impulses: the smooth cone, or the convex hull of sampled tangents (not in
/// `admm`).
enum class FrictionCone { exact, sampled };

/// How overlaps go: by pseudo-velocities beside the solution (split impulses), or, made for many substeps, by
/// a biased solution that moves the bodies and an unbiased one that gives them their velocity.
enum class PositionCorrection { split, biased };

struct SolverSettings {
  SolverKind kind = SolverKind::gauss_seidel;
  int max_sweeps = 1000;    // a sweep updates every contact once
  double tolerance = 1e-3;  // stop when the residual (rms) falls below this part of the velocity scale (A4)
  bool give_way = true;     // may contacts give a little where sweeps would not end, (P5)?
  bool warm_start = true;   // begin with the last step's impulses
  FrictionCone friction_cone = FrictionCone::exact;
  int friction_samples = 16;  // tangents of a sampled cone
  PositionCorrection position_correction = PositionCorrection::split;
  int biased_sweeps = 1, unbiased_sweeps = 1;  // of `biased`, in place of max_sweeps
  // Position correction: overlaps deeper than the slop shrink by this fraction a step, without changing
  // velocities.
  double correction_fraction = 0.2;
  double correction_slop = 1e-3;      // of the smaller body's smallest length
  double correction_speed_m_s = 1.0;  // fastest correction
  int correction_sweeps = 4;
};

/// Does gauss_seidel sweep over batches in single precision? Their changes of velocity say nothing below this
/// tolerance.
inline constexpr double finest_of_wide_sweeps = 5e-5;
inline bool is_wide(const SolverSettings& s) {
  return s.kind == SolverKind::gauss_seidel && s.friction_cone == FrictionCone::exact &&
         s.tolerance >= finest_of_wide_sweeps;
}

}  // namespace scree
