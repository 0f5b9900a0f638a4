// Rods: two points that keep their distance. A row of the contact problem each.
#pragma once

#include "engine/simulation/model.h"
#include "engine/solver/problem/contact_problem.h"

namespace scree {

/// Appends the row of every rod whose bodies are there to those of the contacts. With the points' distance l,
/// the direction d from b's to a's and l'' as both bodies move on,
///   u = d.(v_a + w_a x r_a - v_b - w_b x r_b),   u + (l - length) / h + h/2 l'' = 0 (R1)
/// the distance is `length` at the next detection, to second order, as (A2) has it for gaps. `before`:
/// velocities before gravity acts, [body of the problem]. `row_of_rod`: [rod] its row, or -1.
void add_rods(const Model& model, const State& state, double h, const std::vector<Twist>& before,
              ContactProblem& problem, std::vector<std::int32_t>& row_of_rod);

}  // namespace scree
