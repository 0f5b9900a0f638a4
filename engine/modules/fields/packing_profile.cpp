#include "engine/modules/fields/packing_profile.h"

#include <algorithm>
#include <cmath>

namespace scree {

double part_below(double above, double h) {
  const double s = std::clamp(above / h, -1.0, 1.0);
  return 0.25 * (2.0 + 3.0 * s - s * s * s);
}

std::vector<double> solid_volume(const Shapes& shapes, const Bodies& bodies, const Layers& layers) {
  std::vector<double> solid(layers.count, 0.0);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.position[i].allFinite()) continue;
    const Vec3 up = bodies.orientation[i].conjugate() * layers.axis;
    const Extent along = extent(shapes, bodies.shape[i], up);
    const double centre = layers.axis.dot(bodies.position[i]) - layers.bottom;
    const double all = volume(shapes, bodies.shape[i]);
    const double last = static_cast<double>(layers.count);
    const auto first = static_cast<std::size_t>(
        std::clamp(std::floor((centre - along.behind) / layers.thickness), 0.0, last));
    const auto end =
        static_cast<std::size_t>(std::clamp(std::ceil((centre + along.ahead) / layers.thickness), 0.0, last));
    for (std::size_t k = first; k < end; ++k) {
      const double low = static_cast<double>(k) * layers.thickness, high = low + layers.thickness;
      solid[k] +=
          all * (part_below(along.part(high - centre), 1.0) - part_below(along.part(low - centre), 1.0));
    }
  }
  return solid;
}

}  // namespace scree
