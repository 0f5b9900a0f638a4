// What is simulated and where it stands: the constant part and the part a restart needs.
#pragma once

#include "engine/bodies/bodies.h"
#include "engine/bodies/boundaries.h"
#include "engine/bodies/materials.h"
#include "engine/detection/contacts.h"
#include "engine/geometry/shapes.h"
#include "engine/simulation/settings.h"
#include "engine/simulation/sleepers.h"

namespace scree {

/// Constant during a run.
struct Model {
  Settings settings;
  Shapes shapes;
  Materials materials;
  Boundaries boundaries;
};

/// All that a restart needs: continuing from a copy of it gives the same bits as not having stopped.
struct State {
  std::int64_t step = 0;  // steps done
  double time_s = 0.0;
  Bodies bodies;
  ContactMemory memory;  // normals and impulses of the last step, for a warm start
  Sleepers sleepers;     // empty while nobody has slept
};

}  // namespace scree
