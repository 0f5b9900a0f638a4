// Bodies in flight, from impact to impact: events in the order of time, clusters of bodies by themselves.
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

/// All that flights of a step have in common.
struct BallisticScene {
  const Shapes& shapes;
  const Materials& materials;
  const Boundaries& boundaries;
  std::span<const BoundaryPose> boundary_pose;  // [boundary], or empty
  PlacedCell cell;                              // of one that does not flow
  Accelerations acting;
  BounceLaw bounce;
  std::size_t most_impacts = std::numeric_limits<std::size_t>::max();
};

/// Bodies that do not fly in this step: whoever comes as near to one as its surface may move is caught.
struct Resting {
  std::vector<std::uint8_t> is_resting;  // [body]
  std::vector<double> reach;             // [body] m, how far it may move in the step
};

struct FlightReport {
  double end_s = 0.0;                 // how far they came
  bool overran = false;               // there were too many impacts: the rest of the way is not flown
  std::vector<Impact> impacts;        // in the order of time
  std::vector<std::int32_t> resting;  // who came to rest on others at the end, or whose impacts pile up
  std::vector<std::int32_t> caught;   // that came to a resting body; the step is to be made without them
  std::int64_t candidates = 0, rounds = 0, searches = 0, clusters = 0;
};

struct FlightWorkspace {
  struct Neighbour {
    std::int32_t body;
    Vec3 shift;
  };
  struct Ball {  // that a body stays in as long as its neighbours hold
    Vec3 centre;
    double radius;
  };
  struct Cluster {
    std::size_t begin = 0, end = 0;  // of `members`
    double stop = infinity;          // when it came to its stop
    double last = -infinity;         // of its impacts
    bool left = false;               // did somebody leave its ball?
    std::int64_t searches = 0;
    std::vector<std::int32_t> resting, caught;
    std::vector<Impact> impacts;
  };
  struct Near {  // a before b; where its image is
    std::int32_t a, b;
    Vec3 shift;
  };
  std::vector<Near> near;
  std::vector<BoundingBox> boxes;
  CandidatePairs pairs;
  std::vector<std::int32_t> row, wall_row, parent, members, cursor;
  std::vector<Neighbour> neighbours;
  std::vector<std::int32_t> walls;  // near a body
  std::vector<FlownAt> flown_at;    // [boundary]
  std::vector<Ball> balls;
  std::vector<Flight> flights;
  std::vector<BallisticBody> ballistic_bodies;
  std::vector<FlownShape> shapes;      // [shape]
  std::vector<std::uint32_t> changes;  // [body] how often its flight has changed
  std::vector<std::uint32_t> impacts;  // [body] in this round
  std::vector<Cluster> clusters;
};

struct TimeSpan {
  double begin_s, end_s;
};

/// Moves all who do not lie from one time to another, or to the first instant when somebody comes to rest or
/// is caught. In rounds: bodies stay in balls about where they were; those whose balls meet are candidates,
/// and clusters that no candidates join are advanced on their own, in parallel, each by a queue of events:
/// O(log n) an event. Whoever leaves its ball ends the round for all; clusters that were further by then are
/// taken back. The same bits on any number of threads. Nobody overlaps at any time (V1). Gives up
/// after more than sky.most_impacts; no cluster of a round goes on beyond the instant at which it has more.
void fly(const BallisticScene& sky, const Resting& resting, const TimeSpan& span, Bodies& bodies,
         FlightWorkspace& workspace, FlightReport& report);

}  // namespace scree
