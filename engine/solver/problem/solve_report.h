// What a solver tells about a solution.
#pragma once

#include <cstdint>

namespace scree {

/// Natural map of the complementarity between the impulse p and the velocity shifted after De Saxce and Feng
/// (1998),
///   u~ = u + (offset + friction |u_t|) n,   r = (p - P_K(p - rho u~)) / rho,   rho = 3 / trace W,    (S5)
/// in m/s; zero exactly where (S3) and (S4) hold. Where a contact gives rho = 3 / trace (W + C) within P_K,
/// so that r is what its impulse is off by, as a velocity of the bodies. Over active contacts, those with an
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
  double given_rms_m_s = 0.0;  // by how much contacts gave, (P5), rms over those that carry an impulse
};

}  // namespace scree
