// What helps where contacts created energy: tried, not guessed.
#pragma once

#include <optional>

#include "io/scene/scene.h"

namespace scree::io {

struct Moment;

/// energy_created_relative of a run's beginning, up to the moment of the largest gain, as it was and with one
/// thing changed.
struct Remedies {
  double as_it_is = 0.0, finer_tolerance = 0.0, shorter_step = 0.0;
};
// What is changed: a tenth of solver.tolerance; half of the step.
inline constexpr double finer = 0.1, shorter = 0.5;

/// Runs the beginning of a scene three times, from its initial state; nothing where that is more than some
/// seconds of work, by steps times bodies.
std::optional<Remedies> try_remedies(const Scene& scene, const Moment& until);

}  // namespace scree::io
