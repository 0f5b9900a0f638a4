// Cohesion: contacts that attract, by adhesion of their surfaces or by a bridge of liquid.
#pragma once

#include "engine/simulation/model.h"
#include "engine/simulation/workspace.h"

namespace scree {

/// Fills workspace.attraction for a (sub)step of h and pulls at the free velocities of the problem, whose
/// contacts have to be there. A contact that attracts with F(g) enters (S3) and (S4) as if its impulse were
/// p + h F n: so it bears tension up to F, and its friction is that of the sum (A10).
void attract(const Model& model, const State& state, double h, Workspace& workspace);
/// Pulls at the free velocities once more, where something has set them anew.
void pull(Workspace& workspace);

/// Mean speed that attraction gives two bodies in the step, m/s: part of what residuals are compared with
/// (A4).
double attraction_speed(const Workspace& workspace);

}  // namespace scree
