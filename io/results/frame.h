// A frame: one moment of a run for output. It is a copy in single precision, so that it can be written while
// the run continues.
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

/// All arrays are [contact]: touching and nearly touching ones, then bonds, at the middle of each.
struct FrameContacts {
  std::vector<Vec3f> point;            // m
  std::vector<Vec3f> normal;           // unit, from b to a
  std::vector<Vec3f> impulse;          // N s, world axes, on body a, over the last substep
                                       // (adaptive: from the forces, over a step of the largest length)
  std::vector<float> gap;              // m, negative for overlaps
  std::vector<std::int32_t> body_a;    // index in the frame
  std::vector<std::int32_t> body_b;    // index in the frame, -1 if b is a boundary
  std::vector<std::int32_t> boundary;  // index, -1 if b is a body
  std::vector<std::int32_t> bond;      // kind of bonds, -1 if it is no bond; the gap of a bond is its
                                       // elongation along the normal
};

/// Energy and momentum balances at one moment; flows and impulses are sums since the start of the run.
struct FrameBalances {
  EnergyLedger energy;
  Vec3 linear_momentum = Vec3::Zero(), angular_momentum = Vec3::Zero();  // kg m/s, kg m^2/s about the origin
  Vec3 boundary_impulse = Vec3::Zero(), boundary_angular_impulse = Vec3::Zero();      // N s, N m s
  Vec3 sleep_impulse = Vec3::Zero(), sleep_angular_impulse = Vec3::Zero();            // N s, N m s
  Vec3 exchanged_momentum = Vec3::Zero(), exchanged_angular_momentum = Vec3::Zero();  // kg m/s, kg m^2/s
};

/// Constant properties of bodies. All arrays are [body], ordered by id.
struct BodyConstants {
  std::vector<BodyId> id;
  std::vector<ShapeDescription> shape;
  std::vector<double> mass;   // kg
  std::vector<Vec3> inertia;  // kg m^2, principal moments
  std::vector<MaterialIndex> material;
};

/// All arrays are [body] unless stated otherwise, ordered by id: the bodies that exist at this moment.
struct Frame {
  std::int64_t step = 0;
  double time_s = 0.0;
  std::shared_ptr<const BodyConstants> constants;  // the same object until a body is inserted or removed
  std::vector<Vec3f> position;                     // m, in a periodic cell the image in the cell
  std::vector<Vec3f> image_shift;         // m, of that image relative to the body's own position; empty
                                          // without a periodic cell
  std::vector<double> lattice;            // m, [vector, 3] of a periodic cell; empty without one
  std::vector<double> velocity_gradient;  // 1/s, [3, 3] dv_i/dx_j of its flow; likewise
  std::vector<std::array<float, 4>> orientation;  // unit quaternion, w x y z
  std::vector<Vec3f> velocity;                    // m/s
  std::vector<Vec3f> angular_velocity;            // rad/s, world axes
  std::vector<std::int32_t> contacts_of_body;     // number of contacts with an impulse
  std::vector<std::vector<float>> fields;         // [field][body], the scene's extra fields in its order
  std::vector<Pose>
      boundary_motion;  // [boundary] since rest, of everything that is fixed to it; empty if none moves
  std::vector<std::int32_t>
      boundary_removed;         // [boundary] 1 if it has been removed; empty if none can be removed
  WallValues walls;             // [quantity][cell]; empty without wall cells, or not recorded now
  bool is_walls_alone = false;  // there is another frame of this moment, without walls
  FrameBalances balances;
  bool has_contacts = false;  // were they requested?
  FrameContacts contacts;     // empty unless requested
};

/// Copies the state, with the contacts of the step that led to it. `field_names` must be known to
/// body_field(). `constants` are those of the frame before; null for the first. Coordinates are relative
/// to `origin`, before they are rounded to single precision.
Frame make_frame(const Model& model, const State& state, const std::vector<std::string>& field_names,
                 bool with_contacts, std::shared_ptr<const BodyConstants> constants = nullptr,
                 const Vec3& origin = Vec3::Zero());

/// Walls in coordinates relative to an origin, as in a frame.
Boundaries counted_from(const Vec3& origin, const Boundaries& boundaries);

/// Largest error of coordinates in single precision, m.
inline double single_rounding(double coordinate) { return std::abs(coordinate) * 0x1p-24; }

/// Rounding of body positions in single precision: the largest error, and that error over the smallest length
/// of the body. Both are for the body at the 90th percentile of the latter, so that a few bodies that fly
/// away do not count.
struct FrameRounding {
  double length = 0.0;  // m
  double relative = 0.0;
};
FrameRounding frame_rounding(const Shapes& shapes, const Bodies& bodies, const Vec3& origin);
/// Limit of `relative` for exact positions of bodies in frames: above it bodies in images shake by a
/// hundredth of a grain.
inline constexpr double most_frame_rounding = 0.01;
/// An origin near the bodies, in round numbers, m.
Vec3 origin_near(const Bodies& bodies);

/// The number nearest to x with this number of significant bits, 2 to 24; 24 is x itself. The error is at
/// most 2^-bits of x. It compresses better, because the low bits are zero.
float rounded(float x, int bits);

/// Rounds poses, velocities, extra fields and contacts in this way.
void round_frame(Frame& frame, int bits);

}  // namespace scree::io
