// From bodies and boundaries to contacts.
#pragma once

#include "engine/bodies/bodies.h"
#include "engine/bodies/boundaries.h"
#include "engine/detection/broad_phase.h"
#include "engine/detection/contacts.h"

namespace scree {

struct DetectionInput {
  const Shapes& shapes;
  const Bodies& bodies;
  const Boundaries& boundaries;
  double time_step_s;
  double free_speed_m_s;  // speed that forces may add within the step: |gravity| * time step
};

struct DetectionReport {
  std::int64_t candidates = 0;  // pairs of bodies whose boxes overlap
  std::int64_t failures = 0;    // contact searches that hit their iteration limit
};

struct DetectionWorkspace {
  struct FoundContact {  // see Contacts
    ContactKey key;
    Vec3 point, normal;
    double gap, gap_acceleration;
  };
  struct BlockContacts {
    std::vector<FoundContact> contacts;
    std::size_t first = 0;  // place of the first of them among all
    std::int64_t failures = 0;
  };
  PairListWorkspace pair_list;
  CandidatePairs pairs;
  std::vector<Vec3> pair_normal;  // [pair], from b to a; goes into the memory
  std::vector<Box> boxes;         // [body]
  std::vector<double> travel;     // [body], m: how far its surface moves in the step as it moves now
  std::vector<double> own_reach,
      reach;  // [body], m: how far its surface may get within the step, alone and pushed
  std::vector<PlacedEllipsoid> placed;    // [body]
  std::vector<Plane> guards;              // [boundary]: what is far enough above it is clear of the boundary
  std::vector<BlockContacts> found;       // [block of bodies]
  std::vector<std::int32_t> contact_row;  // [body + 1]: contacts with a = body start here
};

/// Finds every contact whose gap is smaller than what the two surfaces may cover within the step, moving as
/// they do now or as fast as their fastest neighbours, plus a small margin for what else may happen.
/// Contacts of two sleepers, or of a sleeper and a boundary, are left out. Deterministic, ordered by key.
/// Cost linear in bodies and candidates.
DetectionReport find_contacts(const DetectionInput& input, const ContactMemory& last,
                              DetectionWorkspace& workspace, Contacts& contacts);

}  // namespace scree
