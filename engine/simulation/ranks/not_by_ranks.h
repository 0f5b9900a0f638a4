// Features that runs by several ranks do not support yet.
#pragma once

#include <string>
#include <vector>

#include "engine/simulation/model.h"

namespace scree {

struct NotByRanks {
  std::string key;  // in a scene
  std::string what;
};
/// All unsupported features of a model; empty: ranks can run it.
std::vector<NotByRanks> not_by_ranks(const Model& model);

}  // namespace scree
