// What there is to see of a recorded run, for pictures and pages alike.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "io/results/trajectory_reader.h"
#include "io/results/wall_mesh.h"

namespace scree::io {

struct RunScene {
  Vec3 up = Vec3::UnitZ();  // against gravity, unit
  std::vector<Vec3>
      points;  // m; what has to be in a picture: corners of boxes that hold the bodies to be fitted, tubes
  double mean_radius = 1.0;  // m, of the spheres of the bodies' volumes
  ViewBox region;            // what is drawn of planes, with room sideways
  WallMesh walls;
};

/// Looks at some two dozen frames of the run; there must be one. `fit`: the part of the bodies that has to be
/// in a picture; of the others, half may lie beyond it on each side along each axis. Throws ReadError.
RunScene run_scene(const TrajectoryReader& reader, double fit = 0.99);

/// Where something can be drawn: elsewhere, as bodies of a run that has failed are, rays in single precision
/// lead nowhere.
constexpr double farthest_m = 1e9;
inline bool can_be_drawn(const Vec3& x) { return x.allFinite() && x.cwiseAbs().maxCoeff() <= farthest_m; }

/// The box about points; there must be one.
inline Eigen::AlignedBox3d box_of(const std::vector<Vec3>& points) {
  Eigen::AlignedBox3d box;
  for (const Vec3& p : points) box.extend(p);
  return box;
}

/// [polygon] is it part of a floor, a plane within 45 degrees of the horizontal, that the eye looks at from
/// above?
std::vector<bool> floors(const WallMesh& walls, const Boundaries& boundaries, const Vec3& up,
                         const Vec3& eye);

/// The least value of a field in the run, and the one below which 99.8 % of all lie. Throws ReadError.
std::array<double, 2> value_range(const TrajectoryReader& reader, const std::string& field);

/// Frames that stand for the whole run: at most `most`, the first and the last among them.
std::vector<std::size_t> sampled_frames(std::size_t frames, std::size_t most);

}  // namespace scree::io
