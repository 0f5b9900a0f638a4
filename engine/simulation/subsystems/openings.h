// Where grains come into a simulation and where they leave it.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "engine/bodies/bodies.h"
#include "engine/modules/generation/region.h"

namespace scree {

/// A kind of grain that an inlet makes.
struct InletGrain {
  ShapeIndex shape;
  MaterialIndex material;
  double until =
      1.0;  // share, by number, of the grains of this kind and of all kinds before it; the last has 1
};

/// Makes grains at a rate, as long as there is room. Grains that find no room are made later.
struct Inlet {
  std::string name;
  Region region;                    // holds every new grain with its whole volume
  std::vector<InletGrain> grains;   // kinds that new grains are drawn from
  std::optional<Quat> orientation;  // random if not given
  double spread = 0.0;              // rad, of orientations, see draw_orientation()
  Twist twist;                      // of every new grain
  double mass_rate = 0.0;           // kg/s
  double number_rate = 0.0;         // 1/s; one of the two is 0
  double start_s = 0.0, stop_s = infinity;
  double most_mass = infinity;   // kg, in all
  double most_count = infinity;  // grains in all
  int attempts = 100;            // places that a step tries for a grain
  std::uint64_t seed = 0;
};

/// What lies on the side of a plane that its normal points to.
struct HalfSpace {
  Vec3 point = Vec3::Zero(), normal = -Vec3::UnitZ();  // m, unit
};

/// Takes out bodies whose centre is in there.
struct Outlet {
  std::string name;
  std::variant<BoxRegion, CylinderRegion, MeshRegion, HalfSpace> where;
};

/// What becomes of bodies whose centre leaves the domain: nothing; they are taken out; the part of their
/// velocity that leads away is turned round; the run ends.
enum class Outside : std::uint8_t { keep, remove, reflect, stop };

struct Domain {
  Vec3 low = Vec3::Constant(-infinity), high = Vec3::Constant(infinity);  // m
  Outside outside = Outside::keep;
};

/// What has come through an inlet or gone through an outlet so far.
struct Throughput {
  std::int64_t bodies = 0;
  double mass = 0.0;        // kg
  std::int64_t waited = 0;  // steps in which an inlet found no room
};

}  // namespace scree
