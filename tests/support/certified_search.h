// Contacts by recursive division of both surfaces with interval bounds: slow and certain. It is the reference
// for the fast search.
#pragma once

#include "engine/geometry/implicit/implicit_contacts.h"

namespace scree {

/// The surfaces are divided until interval bounds have excluded each pair of patches or shown that
/// it contains at most one critical pair, which Newton then finds. `undecided`: pairs of patches smaller than
/// `smallest` (of the size) for which neither could be shown (degenerate contacts: flat on flat).
struct CertifiedContacts {
  std::vector<Gap> contacts;
  std::int64_t undecided = 0, pairs = 0;  // examined pairs of patches
};

/// Increasingly fine covers of a shape, made where a search needs them and kept.
class Refinement {
 public:
  explicit Refinement(const ImplicitShape& shape) : shape_(&shape) {}
  struct Part {
    CoverLeaf leaf;
    std::int32_t child[2] = {-1, -1};
    bool divided = false;
  };
  /// The part that is a leaf of the cover.
  std::int32_t of_patch(std::int32_t patch);
  void divide(std::int32_t part);
  const Part& operator[](std::int32_t part) const { return parts_[part]; }

 private:
  const ImplicitShape* shape_;
  std::vector<Part> parts_;
  std::vector<std::int32_t> of_patch_;
};

CertifiedContacts certified_contacts(const PlacedImplicit& a, const PlacedImplicit& b,
                                     const ContactReach& reach, double smallest, Refinement& of_a,
                                     Refinement& of_b);

}  // namespace scree
