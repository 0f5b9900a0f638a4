// From bodies and boundaries to contacts.
#pragma once

#include <algorithm>
#include <span>

#include "engine/bodies/bodies.h"
#include "engine/bodies/boundaries.h"
#include "engine/detection/broad_phase.h"
#include "engine/detection/contacts.h"
#include "engine/detection/narrow_phase.h"

namespace scree {

/// Pairs of bodies that do not touch, whatever their shapes are.
struct CollisionFilter {
  // Partners of body a, of higher slots, rising: [row[a], row[a + 1])
  std::vector<std::int32_t> row, partner;

  bool empty() const { return partner.empty(); }
  bool contain(std::size_t a, std::int32_t b) const {
    return !partner.empty() && std::binary_search(partner.begin() + row[a], partner.begin() + row[a + 1], b);
  }
};

/// Bodies of other ranks (ghosts) behind a rank's own, as far as these may meet them. Contacts of a pair are
/// found by the rank that owns the body which comes first in the whole.
class Halo {
 public:
  virtual ~Halo() = default;
  virtual std::size_t own_bodies() const = 0;
  /// Ghosts from this slot on come after all own bodies in the whole, those before it before them.
  virtual std::size_t first_after() const = 0;
  /// Is it so on any rank?
  virtual bool is_anywhere(bool here) = 0;
  /// [body] a ghost's number becomes what its owner has.
  virtual void follow(std::span<double> numbers) = 0;
  /// Have own bodies, on all ranks, stayed in reach of what the halo was made for, with these boxes, [body]?
  /// If not it is made anew for them: slots of ghosts and all that knows them change.
  virtual bool covers(std::span<const BoundingBox> boxes) = 0;
};

struct DetectionInput {
  const Shapes& shapes;
  const Bodies& bodies;
  const Boundaries& boundaries;
  double time_s;  // for which boundaries are placed, the middle of the step
  double time_step_s;
  double free_speed_m_s;  // speed that forces may add within the step: |gravity| * time step
  std::span<const BoundaryPose> boundary_pose = {};  // [boundary]; empty: at rest
  PlacedCell cell = {};
  double bridge_m = 0.0;  // up to which gap surfaces attract each other
  const CollisionFilter* filter = nullptr;
  Halo* halo = nullptr;  // of a rank; null: the bodies are all
};

struct DetectionReport {
  std::int64_t candidates = 0;   // pairs of bodies whose boxes overlap
  std::int64_t known_apart = 0;  // of them, that cannot have come near enough since they were looked at
  std::int64_t failures = 0;     // contact searches that hit their iteration limit
};

struct DetectionWorkspace {
  /// Of what a block has among all: where it stands in the last step's list, and where it goes.
  struct Place {
    std::size_t stands = 0, goes_to = 0, count = 0;
  };
  struct Found {  // by a block of bodies
    std::vector<Contact> contacts;
    std::vector<CachedNormal> cached_normals;
    std::vector<float> apart;  // [seed]
    std::vector<CachedPair> cached;
    // For how many steps contacts and seeds have been those of the step before, and were renewed in its
    // lists: then they are not here.
    int renewed = 0;
    Place of_contacts, of_cached_normals;
    std::int64_t known_apart = 0, failures = 0;
  };
  PairListWorkspace pair_list;
  CandidatePairs pairs;
  std::vector<BoundingBox> boxes;  // [body]
  /// How far the surface of a body gets in the step, m: as it moves now, at most alone, and pushed by others.
  struct Reach {
    double travel, alone, pushed;
    double smallest_length;  // m
    double moved;            // m: at most so far since the last detection; of ellipsoids
  };
  std::vector<Reach> reach;                 // [body]
  std::vector<PlacedEllipsoid> ellipsoids;  // see PlacedShapes
  std::vector<PlacedImplicit> implicits;    // see PlacedShapes
  std::vector<PlacedMember> members;        // see PlacedShapes
  std::vector<std::int32_t> first_member;   // see PlacedShapes
  std::vector<PlacedBoundary> boundaries;   // see PlacedShapes
  struct Guard {
    Plane plane;     // what is far enough above it is clear of the boundary
    Vec3 low, high;  // m, what is far enough from this box too
    bool moves;      // or is a belt: who sleeps on it wakes
  };
  std::vector<Guard> guards;          // [boundary]
  std::vector<std::uint8_t> unmoved;  // [body] 1: asleep, held, or a ghost; empty if there are none
  std::vector<Found> found;           // [block of bodies]
  std::vector<std::int32_t> contact_row, cached_normal_row;  // [body + 1], see Contacts and Seeds
  /// How far apart pairs of ellipsoids were at least that were no contacts, m, rounded down. Where bodies
  /// have not moved as far since, nothing has to be computed to know that they are none still.
  std::vector<float> apart;  // [seed of the last detection]
  std::uint64_t stamp = 0;   // of these seeds; see Seeds
  /// Rows of a list that go from one place to another; meanwhile they are held in a window.
  struct Move {
    std::size_t from, to, count, held;
  };
  struct Window {
    std::vector<Move> moves;
    std::vector<std::byte> bytes;
  };
  Window window;
  std::vector<double> pushed;  // [body] see Reach; to and from other ranks
};

/// Finds every contact whose gap is smaller than what the two surfaces may cover within the step, moving as
/// they do now or as fast as their fastest neighbours, plus a small margin for what else may happen
/// (speculative margin). Contacts of two sleepers, or of a sleeper and a boundary that stands still, are left
/// out. Deterministic, ordered by key. Cost linear in bodies and candidates.
///
/// What is remembered is that of the last step and is replaced; a contact that goes on begins with the
/// lasting part of its impulses, turned along with its normal.
struct DetectionMemory {
  Contacts& contacts;
  NormalCache& cached_normals;
  std::vector<CachedPair>& cached;
};
DetectionReport find_contacts(const DetectionInput& input, DetectionWorkspace& workspace,
                              const DetectionMemory& memory);

}  // namespace scree
