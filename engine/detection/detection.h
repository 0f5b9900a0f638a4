// From bodies and boundaries to contacts.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

#include "engine/bodies/bodies.h"
#include "engine/bodies/boundaries.h"
#include "engine/detection/broad_phase.h"
#include "engine/detection/contacts.h"
#include "engine/detection/narrow_phase.h"

namespace scree {

/// Pairs of bodies that have no contact, whatever their shapes.
struct CollisionFilter {
  // Partners of body a, of higher slots, ascending: [row[a], row[a + 1])
  std::vector<std::int32_t> row, partner;

  void clear() {
    row.clear();
    partner.clear();
  }
  bool contain(std::size_t a, std::int32_t b) const {
    return !partner.empty() && std::binary_search(partner.begin() + row[a], partner.begin() + row[a + 1], b);
  }
};

/// Bodies of other ranks (ghosts), stored after a rank's own bodies, that own bodies may meet. The rank which
/// owns the first body of a pair, in global order, finds the contacts of the pair.
class Halo {
 public:
  virtual ~Halo() = default;
  virtual std::size_t own_bodies() const = 0;
  /// Ghosts from this slot on come after all own bodies in global order; earlier ghosts come before them.
  virtual std::size_t first_after() const = 0;
  /// Is it true on any rank?
  virtual bool is_anywhere(bool here) = 0;
  /// [body] sets the numbers of ghosts to those of their owners.
  virtual void follow(std::span<double> numbers) = 0;
  /// Do own bodies with these boxes, [body], on all ranks still lie within the reach of the halo? If not, the
  /// halo is built again for them; then the slots of ghosts change, and all data that refer to them.
  virtual bool covers(std::span<const BoundingBox> boxes) = 0;
};

struct DetectionInput {
  const Shapes& shapes;
  const Bodies& bodies;
  const Boundaries& boundaries;
  double time_s;  // time of the boundaries' poses, the middle of the step
  double time_step_s;
  double free_speed_m_s;  // speed that forces may add within the step: |gravity| * time step
  std::span<const BoundaryPose> boundary_pose = {};  // [boundary]; empty: at rest
  PlacedCell cell = {};
  double bridge_m = 0.0;  // largest gap at which surfaces attract each other
  /// Fills the filter; called when all bodies have their slots, those of the halo too. Empty: none is
  /// filtered.
  std::function<void(CollisionFilter&)> fill_filter = {};
  Halo* halo = nullptr;        // of a rank; null: there are no other bodies
  bool finds_unmoved = false;  // contacts of bodies that cannot move, too: they may be bonded
  double motion_s = 0.0;       // s, about time_s: boundaries move with their mean velocities; 0: time_step_s
};

struct DetectionReport {
  std::int64_t candidates = 0;   // pairs of bodies whose boxes overlap
  std::int64_t known_apart = 0;  // pairs of these that cannot have come near enough since the last search
  std::int64_t failures = 0;     // contact searches that hit their iteration limit
};

struct DetectionWorkspace {
  /// Rows of a block in the list of all: its place in the last step's list, and its new place.
  struct Place {
    std::size_t stands = 0, goes_to = 0, count = 0;
  };
  struct Found {  // by a block of bodies
    std::vector<Contact> contacts;
    std::vector<CachedNormal> cached_normals;
    std::vector<float> apart;  // [seed]
    std::vector<CachedPair> cached;
    // Number of steps in which contacts and cached normals have been those of the step before and were
    // updated in place, in its lists; then they are not here.
    int renewed = 0;
    Place of_contacts, of_cached_normals;
    std::int64_t known_apart = 0, failures = 0;
  };
  PairListWorkspace pair_list;
  CandidatePairs pairs;
  std::vector<BoundingBox> boxes;  // [body]
  /// Travel of a body's surface in the step, m: at its velocity now; at most alone; and if others push it.
  struct Reach {
    double travel, alone, pushed;
    double smallest_length;  // m
    double moved;            // m: upper bound of the movement since the last detection; of ellipsoids
  };
  std::vector<Reach> reach;                 // [body]
  std::vector<PlacedEllipsoid> ellipsoids;  // see PlacedShapes
  std::vector<PlacedImplicit> implicits;    // see PlacedShapes
  std::vector<PlacedMember> members;        // see PlacedShapes
  std::vector<std::int32_t> first_member;   // see PlacedShapes
  std::vector<PlacedBoundary> boundaries;   // see PlacedShapes
  struct Guard {
    Plane plane;     // bodies far enough above it are clear of the boundary
    Vec3 low, high;  // m, bodies far enough from this box are clear as well
    bool moves;      // or is a belt: bodies that sleep on it wake
  };
  CollisionFilter filter;
  std::vector<Guard> guards;          // [boundary]
  std::vector<std::uint8_t> unmoved;  // [body] bits: a ghost; asleep or carried. Empty if there are none
  std::vector<Found> found;           // [block of bodies]
  std::vector<std::int32_t> contact_row, cached_normal_row;  // [body + 1], see Contacts and NormalCache
  /// Lower bounds of the distance of pairs of ellipsoids that were no contacts, m, rounded down. If bodies
  /// have moved less since, they are still no contacts, without further computation.
  std::vector<float> apart;  // [normal of the last detection]
  std::uint64_t stamp = 0;   // of these normals; see NormalCache
  /// Rows of a list that move from one place to another; in between they are in a window.
  struct Move {
    std::size_t from, to, count, held;
  };
  struct Window {
    std::vector<Move> moves;
    std::vector<std::byte> bytes;
  };
  Window window;
  std::vector<double> pushed;  // [body] see Reach; exchanged with other ranks
};

/// Finds each contact whose gap is smaller than the distance that the two surfaces may travel within the
/// step, at their own velocities or as fast as their fastest neighbours, plus a small speculative margin for
/// other causes. Contacts of two sleeping bodies, or of a sleeping body and a fixed boundary, are left out.
/// Deterministic, ordered by key. Cost linear in bodies and candidates.
///
/// The memory is that of the last step and is replaced. A contact that persists starts with the lasting part
/// of its impulses, rotated with its normal.
struct DetectionMemory {
  Contacts& contacts;
  NormalCache& cached_normals;
  std::vector<CachedPair>& cached;
};
DetectionReport find_contacts(const DetectionInput& input, DetectionWorkspace& workspace,
                              const DetectionMemory& memory);

}  // namespace scree
