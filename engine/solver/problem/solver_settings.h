// Settings of the solver: kind, accuracy, stopping criteria.
#pragma once

#include <string_view>

namespace scree {

enum class SolverKind { gauss_seidel, nsgs, admm, one_pass };
inline constexpr SolverKind solver_kinds[] = {SolverKind::gauss_seidel, SolverKind::nsgs, SolverKind::admm,
                                              SolverKind::one_pass};
const char* to_string(SolverKind kind);
/// The kind for a name that to_string returns; other names are not allowed.
SolverKind solver_kind(std::string_view name);

/// Admissible tangential impulses: the smooth cone, or the convex hull of sampled tangents (not for
/// `admm`).
enum class FrictionCone { exact, sampled };

/// Correction of overlaps: by pseudo-velocities in addition to the solution (split impulses), or, intended
/// for many substeps, by a biased solution that moves the bodies and an unbiased one that gives their
/// velocity.
enum class PositionCorrection { split, biased };

struct SolverSettings {
  SolverKind kind = SolverKind::gauss_seidel;
  int max_sweeps = 1000;    // a sweep updates each contact once
  double tolerance = 1e-3;  // stop if the residual (rms) is below this share of the velocity scale (A4)
  bool give_way = true;     // may contacts give way a little if sweeps would not converge, (P5)?
  bool warm_start = true;   // start from the last step's impulses
  FrictionCone friction_cone = FrictionCone::exact;
  int friction_samples = 16;  // tangents of a sampled cone
  PositionCorrection position_correction = PositionCorrection::split;
  int biased_sweeps = 1, unbiased_sweeps = 1;  // of `biased`, instead of max_sweeps
  // Position correction: overlaps deeper than the slop shrink by this fraction per step, without changing
  // velocities.
  double correction_fraction = 0.2;
  double correction_slop = 1e-3;      // over the smaller body's smallest length
  double correction_speed_m_s = 1.0;  // fastest correction
  int correction_sweeps = 4;
};

/// Does gauss_seidel sweep over batches in single precision? Their velocity changes are not meaningful below
/// this tolerance.
inline constexpr double finest_of_wide_sweeps = 5e-5;
inline bool is_wide(const SolverSettings& s) {
  return s.kind == SolverKind::gauss_seidel && s.friction_cone == FrictionCone::exact &&
         s.tolerance >= finest_of_wide_sweeps;
}

}  // namespace scree
