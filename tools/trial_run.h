// A trial run: a short and coarse run that estimates the time of the full one.
#pragma once

#include "io/scene/scene.h"

namespace scree {

struct Trial {
  double run_time_s = 0.0;     // expected for the whole run, with the same number of threads
  double to_s = 0.0;           // simulated time that the trial reached
  double wall_s = 0.0;         // time of the trial
  int steps = 0;               // number of timed steps of the run's own length; 0: there was no time for any
  double contacts_mean = 0.0;  // over the run
  std::int64_t contacts_most = 0;
  double bodies_mean = 0.0;
  std::int64_t bodies_most = 0;
};

/// Runs the scene with steps four times as long and few sweeps, which moves the bodies roughly to their later
/// places. It stops at some moments and times steps as in the run. After
/// `patience_s` of wall time it ends: the rest is assumed to be as the last moment.
Trial trial_run(const io::Scene& scene, double patience_s);

}  // namespace scree
