// Bodies in flight, from impact to impact: events in time order, processed for each cluster of bodies.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/detection/broad_phase.h"
#include "engine/detection/contacts.h"
#include "engine/modules/flight/approach.h"
#include "engine/modules/flight/impact.h"

namespace scree {

/// Common data of all flights of a step.
struct BallisticScene {
  const Shapes& shapes;
  const Materials& materials;
  const Boundaries& boundaries;
  std::span<const BoundaryPose> boundary_pose;  // [boundary], or empty
  PlacedCell cell;                              // a cell that does not flow
  Accelerations acting;
  BounceLaw bounce;
  std::size_t most_impacts = std::numeric_limits<std::size_t>::max();
};

/// Bodies that do not fly in this step. A flying body is caught if it comes within the distance that a
/// resting body's surface may move.
struct Resting {
  std::vector<std::uint8_t> is_resting;  // [body]
  std::vector<double> reach;             // [body] m, how far it may move in the step
};

struct FlightReport {
  double end_s = 0.0;                 // end of the flight
  bool overran = false;               // too many impacts: the flight ends early
  std::vector<Impact> impacts;        // ordered by time
  std::vector<std::int32_t> resting;  // came to rest on others at the end, or have impacts that accumulate
  std::vector<std::int32_t> caught;   // came to a resting body; repeat the step without their flight
  std::int64_t candidates = 0, rounds = 0, searches = 0, clusters = 0;
};

struct FlightWorkspace {
  struct Neighbour {
    std::int32_t body;
    Vec3 shift;
  };
  struct Ball {  // a body stays in it while its neighbours remain valid
    Vec3 centre;
    double radius;
  };
  struct Cluster {
    std::size_t begin = 0, end = 0;  // range in `members`
    double stop = infinity;          // time of its stop
    double last = -infinity;         // time of its last impact
    bool left = false;               // did a body leave its ball?
    std::int64_t searches = 0;
    std::vector<std::int32_t> resting, caught;
    std::vector<Impact> impacts;
  };
  struct Near {  // a before b; with the shift of the image
    std::int32_t a, b;
    Vec3 shift;
  };
  std::vector<Near> near;
  std::vector<BoundingBox> boxes;
  CandidatePairs pairs;
  std::vector<std::int32_t> row, wall_row, parent, members, cursor;
  std::vector<Neighbour> neighbours;
  std::vector<std::int32_t> walls;  // boundaries near each body
  std::vector<FlownAt> flown_at;    // [boundary]
  std::vector<Ball> balls;
  std::vector<Flight> flights;
  std::vector<BallisticBody> ballistic_bodies;
  std::vector<FlownShape> shapes;      // [shape]
  std::vector<std::uint32_t> changes;  // [body] number of changes of its flight
  std::vector<std::uint32_t> impacts;  // [body] in this round
  std::vector<Cluster> clusters;
};

struct TimeSpan {
  double begin_s, end_s;
};

/// Moves all flying bodies from one time to another, or to the first time at which a body comes to rest or is
/// caught. It works in rounds: bodies stay in balls about their positions, and bodies whose balls overlap are
/// candidates. Clusters without common candidates are advanced separately, in parallel, each by a queue of
/// events: O(log n) per event. A body that leaves its ball ends the round for all; clusters that are already
/// later are set back. The same bits on any number of threads. Bodies never overlap (V1). Gives up
/// after more than sky.most_impacts; no cluster of a round goes on after the impact that exceeds it.
void fly(const BallisticScene& sky, const Resting& resting, const TimeSpan& span, Bodies& bodies,
         FlightWorkspace& workspace, FlightReport& report);

}  // namespace scree
