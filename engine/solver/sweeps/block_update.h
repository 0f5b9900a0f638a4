// What wide sweeps do to batches, in vectors: updates that improve impulses, residuals, corrections.
#pragma once

#include "engine/solver/problem/residual.h"
#include "engine/solver/sweeps/batches.h"

namespace scree {

/// How batches are updated: with how much momentum (P4), and those too that carry nothing?
struct UpdatePlan {
  float beta;
  bool idle_too;
};

/// Improves the impulses of batches [range), one batch after the other, by (P4), (P1) and (P2). Returns the
/// sum of squared changes of velocities, (m/s)^2.
double update_batches(Batches& batches, BatchRange range, const UpdatePlan& plan);

/// Applies the impulses as they are, to bodies that have not felt them.
void apply_impulses(Batches& batches, BatchRange range);

/// (P4) of bodies [begin, end); keeps where they were.
void move_bodies(Batches& batches, std::size_t begin, std::size_t end, float beta);

/// (S5) of batches. The contacts' u_n, with the offset, go to `normal_velocity`, their squared residuals to
/// `squared_of` if it is given.
ResidualSum residual_of_batches(const Batches& batches, BatchRange range, double* normal_velocity,
                                float* squared_of);

/// The largest speed that a normal impulse gives a contact by itself, m/s.
double largest_push(const Batches& batches);

/// Normal impulses that push contacts apart at the speeds that are asked for.
void push_apart(Batches& batches, BatchRange range);

}  // namespace scree
