// Remedies for contacts that created energy, found by trials.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "io/scene/scene.h"

namespace scree::io {

struct Moment;

/// energy_created_relative at the beginning of a run, up to the time of the largest gain: unchanged, and with
/// one setting changed.
struct Remedies {
  double as_it_is = 0.0, finer_tolerance = 0.0, shorter_step = 0.0;
};
// The changes: a tenth of solver.tolerance; half of the step.
inline constexpr double finer = 0.1, shorter = 0.5;

/// Runs the beginning of a scene three times, from its initial state. None if that would take more than a few
/// seconds, estimated from steps times bodies.
/// `note` gets a line for users before the runs begin.
std::optional<Remedies> try_remedies(const Scene& scene, const Moment& until,
                                     const std::function<void(const std::string&)>& note = {});

}  // namespace scree::io
