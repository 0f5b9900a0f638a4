// The report of a solver on its solution.
#pragma once

#include <cstdint>

namespace scree {

/// Natural map of the complementarity between the impulse p and the velocity shifted after De Saxce and Feng
/// (1998),
///   u~ = u + (offset + friction |u_t|) n,   r = (p - P_K(p - rho u~)) / rho,   rho = 3 / trace W,    (S5)
/// in m/s; zero exactly if (S3) and (S4) hold. For a compliant contact rho = 3 / trace (W + C) within P_K,
/// so that r is the error of its impulse as a velocity of the bodies. Over active contacts, those with an
/// impulse or a violated constraint, each with its own rows; other rows count for themselves.
struct Residual {
  double rms_m_s = 0.0, max_m_s = 0.0;
  std::int64_t active = 0;
};

enum class SolveStatus { converged, iteration_limit, diverged };
const char* to_string(SolveStatus status);

struct SolveReport {
  SolveStatus status = SolveStatus::converged;
  int sweeps = 0;
  Residual residual;
  double given_rms_m_s = 0.0;  // compliance velocity of contacts, (P5), rms over those with an impulse
};

}  // namespace scree
