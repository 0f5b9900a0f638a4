// A part of a contact problem that one of several processes (ranks) solves, together with the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/core/ranks.h"
#include "engine/core/types.h"

namespace scree {

struct BodyVelocity;

/// [body] rows of ghosts become those that their owners have: of a row of lanes numbers 0 to 2 and 4 to 6, of
/// a velocity both vectors. All ranks call the same in the same order.
class GhostLink {
 public:
  virtual ~GhostLink() = default;
  virtual void exchange(std::span<Lanes> rows) = 0;
  virtual void exchange(std::span<BodyVelocity> rows) = 0;
};

/// [own number] a number of the whole, in a few runs that rise: a rank's own, then its ghosts'.
class WholeNumbers {
 public:
  void clear() {
    of_.clear();
    run_.clear();
  }
  void push_back(std::int32_t number) {
    if (of_.empty() || number < of_.back()) run_.push_back(of_.size());
    of_.push_back(number);
  }
  std::size_t size() const { return of_.size(); }
  std::int32_t operator[](std::size_t k) const { return of_[k]; }
  auto begin() const { return of_.begin(); }
  auto end() const { return of_.end(); }
  /// The own number of one of the whole, or -1.
  std::int32_t find(std::int32_t number) const {
    for (std::size_t r = 0; r < run_.size(); ++r) {
      const auto last = r + 1 < run_.size() ? begin() + static_cast<std::ptrdiff_t>(run_[r + 1]) : end(),
                 found = std::lower_bound(begin() + static_cast<std::ptrdiff_t>(run_[r]), last, number);
      if (found != last && *found == number) return static_cast<std::int32_t>(found - begin());
    }
    return -1;
  }

 private:
  std::vector<std::int32_t> of_;
  std::vector<std::size_t> run_;  // where runs begin
};

/// A rank's part of a problem has the bodies of its subdomains and, as ghosts, those of others that they
/// depend on; and the contacts that the rank visits (cone.h). Within a subdomain both are in the order of the
/// whole problem. Then sweeps give its bodies and contacts the bits that they have in the whole problem, with
/// one exchange a sweep. So far there are no rows but those of contacts, no moved bodies beyond those of
/// subdomains, and no cell that holds stresses (docs/decisions/0051-subdomains-that-stay.md).
struct RankShare {
  std::vector<std::uint8_t> own;       // [subdomain] 1: the rank's
  std::vector<std::int32_t> by_place;  // subdomains in the order of the whole problem; empty: as they are
  std::vector<std::uint8_t> own_body;  // [body of the state, or a ghost] 1: the rank's
  std::vector<std::uint8_t> colour;    // [contact] at the interface, that the whole problem gives it
  WholeNumbers body, contact;          // [own number] that of the whole problem
  std::int64_t contacts = 0;           // of the whole problem
  Ranks* ranks = nullptr;
  GhostLink* ghosts = nullptr;
};

}  // namespace scree
