// How long will a run take? A short and coarse one tells.
#pragma once

#include "io/scene/scene.h"

namespace scree {

struct Trial {
  double run_time_s = 0.0;     // expected of the whole run, on as many threads
  double to_s = 0.0;           // simulated time that the trial came to
  double wall_s = 0.0;         // what it took
  int steps = 0;               // of the run's own that were timed; 0: there was no time for any
  double contacts_mean = 0.0;  // over the run
  std::int64_t contacts_most = 0;
  double bodies_mean = 0.0;
  std::int64_t bodies_most = 0;
};

/// Runs the scene in steps four times as long and with few sweeps, which takes the bodies roughly to where
/// they will be, stops at some moments on the way, and times steps as the run will make them. After
/// `patience_s` of wall time it goes no further: the rest is taken to be as the last moment was.
Trial trial_run(const io::Scene& scene, double patience_s);

}  // namespace scree
