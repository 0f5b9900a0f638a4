// Which contacts stand side by side in batches: subdomains of bodies, colours, lanes.
#pragma once

#include "engine/solver/sweeps/batches.h"

namespace scree {

/// Are the contacts those of the last problem, in the order in which they are coloured too? So they are in
/// most steps of a bed at rest.
bool are_laid_out(const ContactProblem& problem, const Batches& batches);

/// Gives every contact a lane, with the rows of its bodies; makes room for all that batches hold.
void lay_out(const ContactProblem& problem, Batches& batches);

/// What moves beyond the bodies of subdomains: parts, or bodies whose partners all have lower numbers.
void list_partners(const ContactProblem& problem, Batches& batches);

}  // namespace scree
