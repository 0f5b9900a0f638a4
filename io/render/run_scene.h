// The visible parts of a recorded run, for pictures and pages.
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
      points;  // m; the subject of the picture: bodies, walls that end, and nearby walls that do not
  double mean_radius = 1.0;  // m, of the spheres of the bodies' volumes
  ViewBox subject;           // m, the box of the points
  ViewBox region;            // m, the part of space in which planes are drawn
  ViewBox floor_region;      // m, the part of space in which floors are drawn: wider
  WallMesh walls;
};

/// Finds the subject of pictures of these frames, all if the list is empty. At most two dozen frames are
/// read; a run of a few bodies is taken as a whole. `fit` is the part of the bodies, by volume, which the
/// subject holds; half of the others may lie beyond it on each side along each axis. Bodies which have flown
/// off do not count unless `fit` is 1. The run must have a frame. Throws ReadError.
RunScene run_scene(const TrajectoryReader& reader, double fit = 0.995,
                   const std::vector<std::size_t>& frames = {});

/// Is this plane a floor, that is within 45 degrees of the horizontal, with its free side up?
bool is_floor(const BoundarySurface& surface, const Vec3& up);

/// Boundaries as they are drawn: planes end at `region`, floors at `floor_region`.
WallMesh picture_walls(const Boundaries& boundaries, const RunScene& scene);

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
