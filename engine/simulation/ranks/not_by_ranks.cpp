#include "engine/simulation/ranks/not_by_ranks.h"

namespace scree {

std::vector<NotByRanks> not_by_ranks(const Model& model) {
  const Settings& settings = model.settings;
  std::vector<NotByRanks> found;
  const auto refuse = [&](bool is_there, const char* key, const char* what) {
    if (is_there) found.push_back({key, what});
  };
  refuse(settings.stepping != Stepping::contacts, "stepping", "piecewise steps");
  refuse(settings.solver.kind != SolverKind::gauss_seidel, "solver.kind", "solvers except gauss_seidel");
  refuse(settings.solver.kind == SolverKind::gauss_seidel && !is_wide(settings.solver), "solver",
         "a tolerance below 5e-5, and sampled friction cones");
  refuse(settings.solver.position_correction != PositionCorrection::split, "solver.position_correction",
         "position corrections except split");
  refuse(settings.restitution_law == RestitutionLaw::energetic, "restitution_law", "energetic impacts");
  refuse(static_cast<bool>(model.forces.own), "forces", "forces of a program");
  return found;
}

}  // namespace scree
