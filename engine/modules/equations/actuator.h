// A declarative model that drives joints of a scene.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/core/actuator_model.h"
#include "engine/modules/equations/simulation.h"

namespace scree::equations {

/// Uses implicit Euler, interpreted, so that bits do not depend on whether there is a compiler. `outputs`:
/// names of variables of the model.
std::unique_ptr<const ActuatorModel> make_actuator(FlatModel model, const std::vector<std::string>& outputs);

}  // namespace scree::equations
