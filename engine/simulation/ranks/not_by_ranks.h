// What runs by several ranks cannot do yet.
#pragma once

#include <string>
#include <vector>

#include "engine/simulation/model.h"

namespace scree {

struct NotByRanks {
  std::string key;  // of a scene
  std::string what;
};
/// Of all that a model has; empty: it can be run by ranks.
std::vector<NotByRanks> not_by_ranks(const Model& model, const State& state);

}  // namespace scree
