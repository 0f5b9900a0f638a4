// Vector kernels of wide sweeps on batches: block updates of impulses, residuals, corrections.
#pragma once

#include "engine/solver/problem/residual.h"
#include "engine/solver/sweeps/batches.h"

namespace scree {

/// Parameters of updates: the momentum (P4), and whether batches without impulse are updated too.
struct UpdatePlan {
  float beta;
  bool idle_too;
};

/// Improves the impulses of batches [range), one batch after the other, by (P4), (P1) and (P2). Returns the
/// sum of squared changes of velocities, (m/s)^2.
double update_batches(Batches& batches, BatchRange range, const UpdatePlan& plan);

/// Applies the present impulses to bodies that have not received them.
void apply_impulses(Batches& batches, BatchRange range);

/// (P4) for bodies [begin, end); stores their last values.
void move_bodies(Batches& batches, std::size_t begin, std::size_t end, float beta);

/// (S5) for batches. The contacts' u_n, with the offset, go to `normal_velocity`, their squared residuals to
/// `squared_of` if it is not null.
ResidualSum residual_of_batches(const Batches& batches, BatchRange range, double* normal_velocity,
                                float* squared_of);

/// The largest speed that a normal impulse gives a contact by itself, m/s.
double largest_push(const Batches& batches);

/// Normal impulses that separate contacts at the target speeds.
void push_apart(Batches& batches, BatchRange range);

}  // namespace scree
