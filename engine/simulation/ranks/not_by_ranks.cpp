#include "engine/simulation/ranks/not_by_ranks.h"

#include <algorithm>

namespace scree {

std::vector<NotByRanks> not_by_ranks(const Model& model, const State& state) {
  const Settings& settings = model.settings;
  std::vector<NotByRanks> found;
  const auto refuse = [&](bool is_there, const char* key, const char* what) {
    if (is_there) found.push_back({key, what});
  };
  refuse(settings.stepping != Stepping::contacts, "stepping", "piecewise steps");
  refuse(settings.solver.kind != SolverKind::gauss_seidel, "solver.kind", "solvers but gauss_seidel");
  refuse(settings.solver.kind == SolverKind::gauss_seidel && !is_wide(settings.solver), "solver",
         "a tolerance below 5e-5, and sampled friction cones");
  refuse(settings.solver.position_correction != PositionCorrection::split, "solver.position_correction",
         "position corrections but split ones");
  refuse(settings.restitution_law == RestitutionLaw::energetic, "restitution_law", "energetic impacts");
  refuse(settings.sleep.is_on(), "sleep", "bodies that fall asleep");
  refuse(model.materials.are_elastic(), "materials", "elastic contacts");
  refuse(model.materials.cohere(), "materials", "cohesion");
  refuse(!model.joints.empty(), "joints", "joints");
  refuse(!model.actuators.empty(), "models", "models that drive parts");
  refuse(!model.bonds.empty(), "bonds", "bonds");
  refuse(std::ranges::any_of(model.parts, &Part::is_driven), "parts", "parts that forces move");
  refuse(!state.bodies.part.empty(), "parts.bodies", "bodies that parts carry");
  refuse(model.cell.holds_stress(), "cell", "cells that hold a stress");
  refuse(!model.wall_cells.empty(), "output.wall_cells", "loads of walls place by place");
  refuse(static_cast<bool>(model.forces.own), "forces", "a program's own forces");
  return found;
}

}  // namespace scree
