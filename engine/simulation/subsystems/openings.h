// Openings: where grains enter a simulation and where they leave it.
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
  Twist twist;                      // of each new grain
  double mass_rate = 0.0;           // kg/s
  double number_rate = 0.0;         // 1/s; one of the two is 0
  double start_s = 0.0, stop_s = infinity;
  double most_mass = infinity;   // kg, in total
  double most_count = infinity;  // grains in total
  int attempts = 100;            // places tried for a grain per step
  std::uint64_t seed = 0;
};

/// The side of a plane to which its normal points.
struct HalfSpace {
  Vec3 point = Vec3::Zero(), normal = -Vec3::UnitZ();  // m, unit
};

/// Removes bodies whose centre is in it.
struct Outlet {
  std::string name;
  std::variant<BoxRegion, CylinderRegion, MeshRegion, HalfSpace> where;
};

/// Action for bodies whose centre leaves the domain: none; they are removed; the outward part of their
/// velocity is reversed; the run ends.
enum class Outside : std::uint8_t { keep, remove, reflect, stop };

struct Domain {
  Vec3 low = Vec3::Constant(-infinity), high = Vec3::Constant(infinity);  // m
  Outside outside = Outside::keep;
};

/// Bodies that have passed an inlet or an outlet so far.
struct Throughput {
  std::int64_t bodies = 0;
  double mass = 0.0;        // kg
  std::int64_t waited = 0;  // steps in which an inlet found no room
};

}  // namespace scree
