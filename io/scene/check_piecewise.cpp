// Reports an error for everything that piecewise steps do not support; nothing is ignored silently.
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
      reading.faults.push_back(
          about(top.child("output"), "impacts", "can be used only with stepping = \"piecewise\""));
    if (settings.most_impacts > 0)
      reading.faults.push_back(about(top, "most_impacts", "can be used only with stepping = \"piecewise\""));
    return;
  }
  const auto refuse = [&](bool holds, const char* what,
                          const char* suggestion = "write stepping = \"contacts\"") {
    if (!holds) return;
    reading.faults.push_back(
        fault_at(top.given("stepping"), "stepping", fmt::format("cannot be combined with {}", what)));
    reading.faults.back().suggestion = suggestion;
  };
  refuse(settings.adaptive_step, "adaptive steps",
         "write a number for time_step: impacts are exact in steps of any length");
  refuse(settings.substeps > 1, "substeps", "remove it: impacts are exact in steps of any length");
  refuse(settings.sleep.is_on(), "sleep", "remove [sleep]");
  refuse(settings.solver.position_correction == PositionCorrection::biased,
         "position_correction = \"biased\"", "remove it");
  refuse(std::ranges::any_of(model.parts, &Part::is_driven), "parts which forces move");
  refuse(!model.joints.empty(), "joints");
  refuse(!model.bonds.empty(), "bonds");
  refuse(!model.actuators.empty(), "models");
  refuse(!reading.scene.initial.bodies.part.empty(), "bodies which a part carries");
  refuse(model.cell.flows(), "a cell with a flow or a prescribed stress");
  refuse(model.materials.cohere(), "cohesion");
  refuse(model.materials.are_elastic(), "elastic materials (youngs_modulus, stiffness)");
  refuse(model.materials.has_surfaces(), "friction that depends on direction or place");
}

}  // namespace scree::io
