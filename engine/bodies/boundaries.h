// Fixed obstacles: walls and tubes.
#pragma once

#include <string>
#include <variant>

#include "engine/bodies/materials.h"
#include "engine/core/types.h"
#include "engine/geometry/plane.h"
#include "engine/geometry/tube.h"

namespace scree {

struct Boundary {
  std::string name;
  MaterialIndex material;
  std::variant<Plane, Tube> surface;
};

using Boundaries = std::vector<Boundary>;

/// The planes of an axis-aligned box seen from inside, one for every face that is not left open; a wall goes
/// on beyond an open face. `open` holds any of "-x", "+x", "-y", "+y", "-z", "+z". Names are "<name>.-x" and
/// so on.
Boundaries box_walls(const std::string& name, MaterialIndex material, const Vec3& low, const Vec3& high,
                     const std::vector<std::string>& open);

}  // namespace scree
