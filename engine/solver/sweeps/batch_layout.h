// Layout of contacts in batches: subdomains of bodies, colours, lanes.
#pragma once

#include "engine/solver/sweeps/batches.h"

namespace scree {

/// Are the contacts those of the last problem, also in the order of colouring? This is true in
/// most steps of a bed at rest.
bool are_laid_out(const ContactProblem& problem, const Batches& batches);

/// Gives each contact a lane, with the rows of its bodies; resizes all arrays of batches.
void lay_out(const ContactProblem& problem, Batches& batches);

/// Lists movable bodies outside of subdomains: parts, or bodies whose partners all have lower numbers.
void list_partners(const ContactProblem& problem, Batches& batches);

}  // namespace scree
