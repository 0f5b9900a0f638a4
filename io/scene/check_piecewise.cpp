// What piecewise steps do not know yet is refused, not left out in silence.
#include <fmt/format.h>

#include "io/scene/faults.h"
#include "io/scene/reading.h"

namespace scree::io {

void check_piecewise(const Section& top, Reading& reading) {
  const Scene& scene = reading.scene;
  const Model& model = scene.model;
  const Settings& settings = model.settings;
  if (settings.stepping != Stepping::piecewise) {
    if (scene.output.impacts)
      reading.faults.push_back(about(top.child("output"), "impacts", "are of stepping = \"piecewise\" only"));
    if (settings.most_impacts > 0)
      reading.faults.push_back(about(top, "most_impacts", "are of stepping = \"piecewise\" only"));
    return;
  }
  const auto refuse = [&](bool holds, const char* what,
                          const char* suggestion = "say stepping = \"contacts\"") {
    if (!holds) return;
    reading.faults.push_back(
        fault_at(top.given("stepping"), "stepping", fmt::format("does not go with {} yet", what)));
    reading.faults.back().suggestion = suggestion;
  };
  refuse(settings.adaptive_step, "adaptive steps",
         "give time_step a number: impacts are exact in steps of any length");
  refuse(settings.substeps > 1, "substeps", "leave them out: impacts are exact in steps of any length");
  refuse(settings.sleep.is_on(), "sleep", "leave [sleep] out");
  refuse(settings.solver.position_correction == PositionCorrection::biased,
         "position_correction = \"biased\"", "leave it out");
  refuse(std::ranges::any_of(model.parts, &Part::is_driven), "parts that forces move");
  refuse(!model.joints.empty(), "joints");
  refuse(!model.bonds.empty(), "bonds");
  refuse(!reading.scene.initial.bodies.part.empty(), "bodies that a part carries");
  refuse(model.cell.flows(), "cells that flow or hold a stress");
  refuse(model.materials.cohere(), "cohesion");
  refuse(model.materials.are_elastic(), "elastic materials (youngs_modulus, stiffness)");
  refuse(model.materials.has_surfaces(), "friction that depends on directions or places");
}

}  // namespace scree::io
