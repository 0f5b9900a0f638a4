// Creates many grains at once: on a lattice, or one after the other at random places.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "engine/bodies/cell.h"
#include "engine/geometry/implicit/implicit_contacts.h"
#include "engine/geometry/shapes.h"
#include "engine/modules/generation/neighbour_grid.h"
#include "engine/modules/generation/region.h"
#include "engine/modules/generation/size_distribution.h"

namespace scree {

/// Common data of the grains of a group.
struct GrainRecipe {
  Vec3 semi_axes = Vec3::Ones();  // m, before scaling; for a function or clump those of an ellipsoid that
                                  // contains the grain
  SizeDistribution scale;
  std::optional<Quat> orientation;          // random if not given
  double spread = 0.0;                      // rad, see draw_orientation()
  const ImplicitShape* function = nullptr;  // of the grain, if there are functions
  const Clump* clump = nullptr;             // of the grain, if it is a clump
  double size = 1.0;                        // m, one unit of length of function or clump, before scaling
};

struct Grain {
  double scale = 1.0;
  Pose pose;
};

/// A body that grains must not overlap. Without a function and without parts it is the ellipsoid.
struct Obstacle {
  PlacedEllipsoid hull;  // contains it
  std::optional<PlacedImplicit> function = std::nullopt;
  std::vector<PlacedEllipsoid> parts = {};  // members of a clump
};

Obstacle obstacle_of(const Shapes& shapes, ShapeIndex shape, const Pose& pose);
Obstacle moved(Obstacle obstacle, const Vec3& shift);

/// The region for the volume of grains whose centres are in `region`. If a box is as wide as a periodic cell,
/// grains may stick out of it there.
Region room_of(const Region& region, const PlacedCell& cell);

/// Grains in a region without overlaps with each other or with obstacles: by the exact distance of
/// ellipsoids, and, if the containing ellipsoids overlap, by the distance of the surfaces themselves.
class Packer {
 public:
  /// In a periodic cell grains may stick out as far as room_of() the region, and overlap no image.
  Packer(const Region& region, std::span<const Obstacle> obstacles, const PlacedCell& cell = {});
  /// Is it within the region and free of overlaps? `needs`: the space that must be free; null: the grain's.
  bool fits(const Obstacle& grain, const Obstacle* needs = nullptr) const;
  void add(const Obstacle& grain);

 private:
  bool is_free(const Obstacle& grain, double bounding_radius) const;

  Region region_;
  PlacedCell cell_;
  std::vector<Obstacle> placed_;
  NeighbourGrid grid_;
};

/// Is a sample of the surface of one body within the other? Overlaps too deep for the contact search contain
/// many samples.
bool hold_samples_of_each_other(const PlacedImplicit& a, const PlacedImplicit& b);

PlacedEllipsoid place(const GrainRecipe& recipe, const Grain& grain);

/// An orientation, rotated further by a rotation vector with three normally distributed components of this
/// standard deviation, rad; uniform over all rotations if none is given.
Quat draw_orientation(const std::optional<Quat>& orientation, double spread, Random& random);

/// Distance between neighbouring places of a lattice at which no grains can overlap, m.
double safe_spacing(const GrainRecipe& recipe, double jitter);

/// Places of a lattice, in layers along the third axis: cubic, one above the other; squares, each in the
/// hollows of the layer below, as wide as necessary (body-centred) or touching (face-centred); or
/// triangles in the hollows of triangles (hexagonal close-packed). Solid fractions of touching spheres:
/// 0.524, 0.680, 0.740, 0.740.
enum class LatticeKind { cubic, body_centred, face_centred, hexagonal };

struct LatticeSettings {
  std::size_t count = 0;
  double spacing = 1.0;  // m, between nearest neighbours
  double jitter = 0.0;   // m, largest random shift along each axis
  LatticeKind kind = LatticeKind::cubic;
  double cubes = infinity;  // the grains end where the sum of scale^3 is nearest to this
};

/// Grains on the places of a lattice, row by row and layer by layer along the region's third axis. Places at
/// which the grain would stick out of the region stay empty. The lattice is centred across this axis and
/// begins where a grain of the largest size fits. Returns fewer than `count` if the region is full. Grains
/// may overlap if the spacing is below `safe_spacing`. Grain i draws from the random stream of its place: the
/// same seed gives the same bits.
std::vector<Grain> lattice(const GrainRecipe& recipe, const Region& region, const LatticeSettings& settings,
                           std::uint64_t seed);

struct RandomPackingSettings {
  std::size_t count = 0;
  int attempts = 2000;  // places tried for a grain until the region counts as full
  // m, least gap between grains, or between a grain and an obstacle; for shapes that are not convex it may be
  // less.
  double clearance = 0.0;
  /// Is the grain blocked by something other than grains and obstacles, such as a wall? Empty: no. It is
  /// called only for grains that are free of these.
  std::function<bool(const Grain&)> is_blocked = {};
};

/// Random sequential addition (Widom 1966): each grain goes to the first of a series of uniformly random
/// places that a Packer finds free. Sizes are drawn first and the largest grain is placed first, so that more
/// fit; the result is in the order of the draw. Returns the placed grains, fewer than `count` if no place was
/// found for one of them, at about 0.2 to 0.3 of the region's volume.
std::vector<Grain> random_packing(const GrainRecipe& recipe, const Region& region,
                                  const RandomPackingSettings& settings, std::span<const Obstacle> obstacles,
                                  std::uint64_t seed, const PlacedCell& cell = {});

}  // namespace scree
