// Cohesion: contacts that attract, by adhesion of their surfaces or by a bridge of liquid.
#pragma once

#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Fills workspace.attraction for a (sub)step of h and adds it to the free velocities of the problem, whose
/// contacts must exist. A contact with the attraction F(g) enters (S3) and (S4) as if its impulse were
/// p + h F n: so it carries tension up to F, and its friction is that of the sum (A10). All ranks must call
/// these functions.
void attract(const Model& model, const State& state, double h, Workspace& workspace);
/// Adds it to the free velocities again, after they have been set anew.
void pull(Workspace& workspace);

/// Mean speed that attraction gives two bodies in the step, m/s: a contribution to the reference of residuals
/// (A4).
double attraction_speed(const Workspace& workspace);

}  // namespace scree
