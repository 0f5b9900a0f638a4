// Scratch memory of a step, kept between steps only so that a steady step allocates nothing.
#pragma once

#include "engine/detection/contacts.h"
#include "engine/detection/detection.h"
#include "engine/simulation/diagnostics.h"
#include "engine/simulation/sleepers.h"
#include "engine/solver/contact_problem.h"
#include "engine/solver/solver.h"

namespace scree {

struct Workspace {
  DetectionWorkspace detection;
  Contacts contacts;       // of the last step; writers of results read them
  ContactProblem problem;  // the last step's
  ContactSolution solution;
  SolverWorkspace solver;
  std::vector<std::uint8_t> in_collision;   // [body]
  std::vector<DoubledMotion> motion;        // [body] of the last (sub)step
  std::vector<Twist> struck;                // [body] velocities after energetic impacts
  std::vector<Twist> felt;                  // [body] sleepers: impulse and moment that move nobody
  std::vector<std::uint8_t> waking, tired;  // [body] who wakes after the step, and who falls asleep
  std::vector<RestingContact> released;     // of sleepers that woke after the last step
  std::vector<Vec3> impact;  // [contact], N s, contact frame: impulses of energetic impacts; empty without
};

}  // namespace scree
