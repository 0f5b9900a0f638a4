// Scratch memory of a step. It is kept between steps only to avoid allocation.
#pragma once

#include <memory>
#include <optional>

#include "engine/bodies/elasticity.h"
#include "engine/detection/detection.h"
#include "engine/simulation/model.h"
#include "engine/solver/problem/contact_problem.h"
#include "engine/solver/solver.h"

namespace scree {

/// The pose of a part in a (sub)step.
struct PartPlace {
  Pose now, begin, end;        // motion of points at rest; begin, end: by prescribed motion
  Vec3 centre = Vec3::Zero();  // m, now: reference point of moments
};

/// The effect of forces on a part in a (sub)step.
struct PartMotion {
  double force = 0.0;            // N or N m, without damping
  double response = 0.0;         // 1/kg or 1/(kg m^2), of its rate to impulses; 0: forces do not move it
  Twist gain;                    // in the step, of its origin, without contacts
  double prescribed_rate = 0.0;  // along the axis, of its prescribed motion
  Vec3 origin = Vec3::Zero();    // m, start of the arms of its contacts
  std::int32_t body = -1;        // of the problem
  std::int32_t low_stop = -1, high_stop = -1;  // rows of the problem
};

/// A joint in a (sub)step: its rows in the problem, -1 if there are none.
struct JointPlace {
  std::int32_t first = -1, held = 0;  // rows of constraints
  std::int32_t spring = -1, motor = -1, friction = -1, low_stop = -1, high_stop = -1;
  std::int32_t redundant = 0;                        // number of these rows that follow from others
  double error = 0.0;                                // m or rad, largest deviation of constraints
  double misfit = 0.0;                               // see JointLoad
  bool flipped = false;                              // do its rows have the joint's bodies in reverse order?
  Vec3 arm_b = Vec3::Zero();                         // m, world, from b's centre to its point
  double coordinate = 0.0;                           // m or rad
  double rate = 0.0;                                 // before the step, m/s or rad/s
  bool is_known = false;                             // do its sides exist, and so its coordinate?
  Row along;                                         // the row of its coordinate, if it has one
  double stretch = 0.0, bending = 0.0, theta = 0.0;  // of its spring, see (A11)
  double given = 0.0, aim = 0.0;  // of its motor's actuator: output now; at the step's end at constant
  double slope = 0.0;             // rate; its derivative by that rate
  bool acts() const { return first >= 0; }
};

/// A bond in a (sub)step.
struct BondPlace {
  Mat3 frame;                      // rows n, t1, t2, world: midway between the frames of both bodies
  Vec3 arm_a, arm_b;               // m, world, to its middle
  Vec3 shift, image_velocity;      // m, m/s: of the image of b that it holds
  Vec3 stretch, turn;              // m, rad, in the bond's frame: of a relative to b
  Vec3 bending;                    // m/s^2, of the stretch at constant velocities
  Vec3 stretch_theta, turn_theta;  // implicitness of its springs, see (A11)
  std::int32_t row = -1;           // the first of six; -1: none, as neither body moves
};

/// A bond that broke in a (sub)step.
struct BrokenBond {
  std::int32_t bond;
  BondUse use;
  BondLoad load;
  double energy;  // J
};

/// The state before bonds formed: numbers of bonds and of their events, and the stages of kinds.
struct FormedBonds {
  std::size_t bonds, events;
  std::vector<BondStage> stages;
};

/// An elastic contact in a (sub)step, see contact_springs.h.
struct ContactSpring {
  bool acts = false;  // else it is rigid in this step
  SpringLaw law;
  double h = 0.0, to_next = 0.0;      // s
  double overlap = 0.0, begin = 0.0;  // m, in the middle and at the start of the step, minus free_overlap:
  double free_overlap = 0.0;  // m: of surfaces that did not collide, and by changes of curvature (A17)
  double deepest = 0.0;       // m, overlap that it reaches by itself
  double bend = 0.0;          // m/s^2, of the gap
  double approach = 0.0;      // m/s, before the step, along n
  Vec2 slip = Vec2::Zero();   // m/s, tangential, before the step
  double theta = 0.0, tangential_theta = 0.0;        // implicitness
  double damping_ratio = 0.0;                        // of critical
  double response = 0.0, tangential_response = 0.0;  // 1/kg, W_nn and the mean of W_tt
  double tangential_ratio = 0.0;                     // of stiffnesses
  double tangential_stiffness = 0.0;                 // N/m
  double tangent_ratio = 1.0;                        // see ContactTerms
  Vec2 held = Vec2::Zero();     // N, in its frame: tangential force at the beginning of the step
  double held_stiffness = 0.0;  // N/m, at that time
  double normal_before = 0.0, tangential_before = 0.0;  // J
  double normal_after = 0.0, tangential_after = 0.0;

  /// J, energy that it has stored in the step, in total and tangentially.
  double stored() const { return normal_after - normal_before + stored_along(); }
  double stored_along() const { return tangential_after - tangential_before; }
};

/// A contact with restitution, and its offset with and without it (A2), (A3), m/s.
struct Bounce {
  std::int32_t contact;
  double with, without;
};

struct FlightWorkspace;  // engine/modules/flight/clusters.h
class Decomposition;     // engine/simulation/ranks/decomposition.h

struct Workspace {
  std::shared_ptr<Decomposition> decomposition;  // if the state is a rank's part; else null
  DetectionWorkspace detection;
  ContactProblem problem;  // the last step's
  ContactSolution solution;
  std::vector<Bounce> bounces;  // in the order of contacts
  ContactSolution without_restitution;
  SolverWorkspace solver;
  std::vector<Twist> before;    // [body of the problem] velocities before gravity and contacts act
  Vec3 gravity = Vec3::Zero();  // m/s^2, in the (sub)step
  std::vector<Vec3>
      body_acceleration;    // [body], m/s^2, mean of fields, fluid and `own`; empty if there are none
  std::vector<Wrench> own;  // [body], in the step, from a user's own program; empty without
  PlacedCell cell;          // in the middle of the (sub)step
  std::vector<PartPlace> part_places;       // [part]
  std::vector<PartMotion> parts;            // [part]
  std::vector<BoundaryPose> boundary_pose;  // [boundary], or empty
  std::vector<std::int32_t> driven_body;    // [boundary] body of the problem if forces move its part; else -1
  std::vector<double> attraction;           // [contact], N s: of cohesion; empty without
  bool has_springs = false;                 // is any material elastic?
  std::vector<ContactSpring> springs;       // [contact] if so
  std::vector<SpringMemory> spring_memory;  // the last step's
  std::vector<std::int32_t> spring_rows;    // [block of bodies + 1] first memory
  std::vector<Vec3> impact;        // [contact], N s, contact frame: of energetic impacts; empty without
  std::vector<double> row_impact;  // [row], N s or N m s: the same of rows
  std::vector<std::int32_t> first_fixed;    // [block of contacts] number of fixed partners before it
  std::vector<std::int32_t> first_row;      // [block of contacts] first of its rows
  std::vector<std::uint8_t> resist;         // [contact] number of rows
  std::vector<JointPlace> joints;           // [joint]
  std::vector<BondPlace> bonds;             // [bond]
  std::vector<std::int32_t> bonds_of_body;  // [body] number
  std::vector<BrokenBond> broken;           // in this (sub)step
  std::optional<FormedBonds> formed;        // what was there before, if bonds have formed in this (sub)step
  std::shared_ptr<FlightWorkspace> flight;  // of piecewise steps, created by the first of them
  std::vector<std::uint8_t> in_collision;   // [body]
  std::vector<Twist> felt;                  // [body] sleeping: impulse and moment that move no body
  std::vector<std::uint8_t> waking, tired;  // [body] wakes after the step; falls asleep after it
  std::vector<std::vector<BoundaryLoad>> loads;    // [block of contacts][boundary, then part]
  std::vector<std::vector<SurfaceTouch>> touches;  // [block of contacts]; empty without wall cells
};

/// Acceleration by gravity and forces in the (sub)step, m/s^2.
inline Vec3 acceleration(const Workspace& w, std::size_t body) {
  return w.body_acceleration.empty() ? w.gravity : Vec3(w.gravity + w.body_acceleration[body]);
}

/// Angular acceleration by a user's own forces, rad/s^2. Precondition: there are some.
inline Vec3 spin_by_own_forces(const Bodies& bodies, std::size_t body, const Workspace& w) {
  return world_inverse_inertia(bodies, body) * w.own[body].torque;
}

}  // namespace scree
