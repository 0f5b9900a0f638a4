#include "engine/bodies/boundaries.h"

#include <algorithm>

namespace scree {

Boundaries box_walls(const std::string& name, MaterialIndex material, const Vec3& low, const Vec3& high,
                     const std::vector<std::string>& open) {
  Boundaries walls;
  const char* const axes[] = {"x", "y", "z"};
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool upper : {false, true}) {
      const std::string face = std::string(upper ? "+" : "-") + axes[axis];
      if (std::find(open.begin(), open.end(), face) != open.end()) continue;
      const Vec3 inward = (upper ? -1.0 : 1.0) * Vec3::Unit(axis);
      walls.push_back({name + "." + face, material, Plane{upper ? high : low, inward}});
    }
  }
  return walls;
}

}  // namespace scree
