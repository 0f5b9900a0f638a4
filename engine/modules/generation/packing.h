// Makes many grains at once: on a lattice, or one after the other at random places.
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

/// What the grains of a group have in common.
struct GrainRecipe {
  Vec3 semi_axes = Vec3::Ones();  // m, before scaling; of the ellipsoid that holds the grain where it is
                                  // given by a function
  SizeDistribution scale;
  std::optional<Quat> orientation;          // random if not given
  double spread = 0.0;                      // rad, see draw_orientation()
  const ImplicitShape* function = nullptr;  // of the grain, where there are functions
  const Clump* clump = nullptr;             // of the grain, where it is one
  double size = 1.0;  // m, what one unit of length of function or clump is, before scaling
};

struct Grain {
  double scale = 1.0;
  Pose pose;
};

/// What grains must not overlap. Without a function and without parts it is the ellipsoid.
struct Obstacle {
  PlacedEllipsoid hull;  // holds it
  std::optional<PlacedImplicit> function = std::nullopt;
  std::vector<PlacedEllipsoid> parts = {};  // of a clump
};

Obstacle obstacle_of(const Shapes& shapes, ShapeIndex shape, const Pose& pose);
Obstacle moved(Obstacle obstacle, const Vec3& shift);

/// A box that is as wide as a periodic cell ends nowhere there: grains stick out of it. Where their volume
/// may be whose centre is in the region.
Region room_of(const Region& region, const PlacedCell& cell);

/// Grains in a region, none of which overlaps another or an obstacle: by the exact distance of ellipsoids,
/// and where the ellipsoids that hold them overlap by that of the surfaces themselves.
class Packer {
 public:
  /// In a periodic cell grains may stick out as far as room_of() the region, and overlap no image.
  Packer(const Region& region, std::span<const Obstacle> obstacles, const PlacedCell& cell = {});
  /// Would it lie in the region and be free? `needs`: the room that has to be free; the grain's own if null.
  bool fits(const Obstacle& grain, const Obstacle* needs = nullptr) const;
  void add(const Obstacle& grain);

 private:
  bool is_free(const Obstacle& grain, double bounding_radius) const;

  Region region_;
  PlacedCell cell_;
  std::vector<Obstacle> placed_;
  NeighbourGrid grid_;
};

/// Is a sample of the surface of one of two bodies within the other? Overlaps deeper than contacts are looked
/// for hold many.
bool hold_samples_of_each_other(const PlacedImplicit& a, const PlacedImplicit& b);

PlacedEllipsoid place(const GrainRecipe& recipe, const Grain& grain);

/// An orientation, turned further by a rotation vector whose three components are normal with this standard
/// deviation, rad; uniform over all rotations if none is given.
Quat draw_orientation(const std::optional<Quat>& orientation, double spread, Random& random);

/// Distance between neighbouring places of a lattice at which no two grains can overlap, m.
double safe_spacing(const GrainRecipe& recipe, double jitter);

/// Which places a lattice has, in layers along the third axis: cubic, one above the other; squares each in
/// the hollows of the one below, as wide as they need to be (body-centred) or touching (face-centred); or
/// triangles in the hollows of triangles (hexagonal close-packed). Solid fractions of spheres that touch:
/// 0.524, 0.680, 0.740, 0.740.
enum class LatticeKind { cubic, body_centred, face_centred, hexagonal };

struct LatticeSettings {
  std::size_t count = 0;
  double spacing = 1.0;  // m, of nearest neighbours
  double jitter = 0.0;   // m, largest random shift along each axis
  LatticeKind kind = LatticeKind::cubic;
};

/// Grains on the places of a lattice, row by row and layer by layer along the region's third axis;
/// places where the grain would stick out of the region stay empty. The lattice is centred across and begins
/// where a grain of the largest size fits. Returns fewer than `count` if the region is full. Grains may
/// overlap if the spacing is below `safe_spacing`. Grain i draws its numbers from the stream of its place:
/// same seed, same bits.
std::vector<Grain> lattice(const GrainRecipe& recipe, const Region& region, const LatticeSettings& settings,
                           std::uint64_t seed);

struct RandomPackingSettings {
  std::size_t count = 0;
  int attempts = 2000;  // places tried for a grain before the region counts as full
  // m, least gap between two grains, or a grain and an obstacle; of shapes that are not convex it may be
  // less.
  double clearance = 0.0;
  /// Whether something else than grains and obstacles is in the way, a wall say; nothing if empty. Asked of a
  /// grain that is free of those.
  std::function<bool(const Grain&)> is_blocked = {};
};

/// Random sequential addition (Widom 1966): each grain goes to the first of a series of uniformly random
/// places that a Packer finds free. Sizes are drawn first and the largest placed first, which fits more; the
/// result is in the order of the draw. Returns the grains that were placed, fewer than `count` if one of them
/// found no place: about 0.2 to 0.3 of the region's volume.
std::vector<Grain> random_packing(const GrainRecipe& recipe, const Region& region,
                                  const RandomPackingSettings& settings, std::span<const Obstacle> obstacles,
                                  std::uint64_t seed, const PlacedCell& cell = {});

}  // namespace scree
