// One moment of a run as it is written: a copy in single precision, so that writing can go on while the run
// does.
#pragma once

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/simulation/diagnostics.h"
#include "engine/simulation/model.h"
#include "io/results/wall_cells.h"

namespace scree::io {

/// All arrays are [contact]: those that touch or nearly do, then bonds, at the middle of each.
struct FrameContacts {
  std::vector<Vec3f> point;            // m
  std::vector<Vec3f> normal;           // unit, from b to a
  std::vector<Vec3f> impulse;          // N s, world axes, on body a, over the last substep
                                       // (adaptive: at its forces, over one of the longest step)
  std::vector<float> gap;              // m, negative where surfaces overlap
  std::vector<std::int32_t> body_a;    // place in the frame
  std::vector<std::int32_t> body_b;    // place in the frame, -1 if b is a boundary
  std::vector<std::int32_t> boundary;  // index, -1 if b is a body
  std::vector<std::int32_t> bond;      // kind of bonds, -1 where it is none; a bond's gap is how far it is
                                       // drawn out along the normal
};

/// Energy and momentum balances at one moment; flows and impulses are sums since the start of the run.
struct FrameBalances {
  EnergyLedger energy;
  Vec3 linear_momentum = Vec3::Zero(), angular_momentum = Vec3::Zero();  // kg m/s, kg m^2/s about the origin
  Vec3 boundary_impulse = Vec3::Zero(), boundary_angular_impulse = Vec3::Zero();      // N s, N m s
  Vec3 sleep_impulse = Vec3::Zero(), sleep_angular_impulse = Vec3::Zero();            // N s, N m s
  Vec3 exchanged_momentum = Vec3::Zero(), exchanged_angular_momentum = Vec3::Zero();  // kg m/s, kg m^2/s
};

/// What stays the same of bodies. All arrays are [body], in the order of ids.
struct BodyConstants {
  std::vector<BodyId> id;
  std::vector<ShapeDescription> shape;
  std::vector<double> mass;   // kg
  std::vector<Vec3> inertia;  // kg m^2, principal moments
  std::vector<MaterialIndex> material;
};

/// All arrays are [body] unless said otherwise, in the order of ids: of those that are there at this moment.
struct Frame {
  std::int64_t step = 0;
  double time_s = 0.0;
  std::shared_ptr<const BodyConstants> constants;  // the same object as long as nobody comes or goes
  std::vector<Vec3f> position;                     // m, in a periodic cell of the image in it
  std::vector<Vec3f> image_shift;                  // m, of that image against where the body has gone; empty
                                                   // without a periodic cell
  std::vector<double> lattice;                     // m, [vector, 3] of a periodic cell; empty without one
  std::vector<double> velocity_gradient;           // 1/s, [3, 3] dv_i/dx_j of its flow; likewise
  std::vector<std::array<float, 4>> orientation;   // unit quaternion, w x y z
  std::vector<Vec3f> velocity;                     // m/s
  std::vector<Vec3f> angular_velocity;             // rad/s, world axes
  std::vector<std::int32_t> contacts_of_body;      // contacts that carry an impulse
  std::vector<std::vector<float>> fields;          // [field][body], the scene's extra fields in its order
  std::vector<Pose>
      boundary_motion;  // [boundary] since rest, of everything that is fixed to it; empty if none moves
  std::vector<std::int32_t>
      boundary_removed;         // [boundary] 1 if it is not there any more; empty if none can go
  WallValues walls;             // [quantity][cell]; empty where walls have no cells, or not now
  bool is_walls_alone = false;  // there is a frame of this moment, without walls
  FrameBalances balances;
  bool has_contacts = false;  // were they asked for?
  FrameContacts contacts;     // empty unless asked for
};

/// Copies the state, with the contacts of the step that led to it. `field_names` must be known to
/// body_field(). `constants` are those of the frame before; null before the first. Coordinates are counted
/// from `origin`, before they are rounded to single precision.
Frame make_frame(const Model& model, const State& state, const std::vector<std::string>& field_names,
                 bool with_contacts, std::shared_ptr<const BodyConstants> constants = nullptr,
                 const Vec3& origin = Vec3::Zero());

/// Walls in coordinates that are counted from an origin, as in a frame.
Boundaries counted_from(const Vec3& origin, const Boundaries& boundaries);

/// How far off coordinates in single precision are, at most, m.
inline double single_rounding(double coordinate) { return std::abs(coordinate) * 0x1p-24; }

/// What single precision does to the positions of bodies: how far they are off at most, and that over the
/// smallest length of the body; both for the body that a tenth are worse than, by the latter. The few that
/// fly away are left out of it.
struct FrameRounding {
  double length = 0.0;  // m
  double relative = 0.0;
};
FrameRounding frame_rounding(const Shapes& shapes, const Bodies& bodies, const Vec3& origin);
/// From which `relative` on bodies in frames are not where they are: pictures tremble by a hundredth of a
/// grain.
inline constexpr double most_frame_rounding = 0.01;
/// An origin near bodies, in round numbers, m.
Vec3 origin_near(const Bodies& bodies);

/// The number nearest to x that has so many significant bits, 2 to 24; 24 is x itself. What is left out is at
/// most 2^-bits of x. Compresses better: the low bits are zero.
float rounded(float x, int bits);

/// Rounds poses, velocities, extra fields and contacts in this way.
void round_frame(Frame& frame, int bits);

}  // namespace scree::io
