// What a person chooses about the physics and the numerics of a run; constant while it goes on.
#pragma once

#include "engine/core/types.h"
#include "engine/solver/solver_settings.h"

namespace scree {

struct Settings {
  Vec3 gravity{0.0, 0.0, -9.81};  // m/s^2
  double time_step_s = 2e-3;
  int substeps = 1;  // contacts are found once a step and refreshed to first order in its substeps
  double restitution_threshold_m_s = 0.05;  // impacts slower than this do not bounce
  SolverSettings solver;
};

}  // namespace scree
