// A part of a contact problem that one of several ranks solves, together with the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/core/ranks.h"
#include "engine/core/types.h"

namespace scree {

struct BodyVelocity;

/// [body] sets rows of ghosts to those of their owners: in a row of lanes numbers 0 to 2 and 4 to 6, in
/// a velocity both vectors. Likewise whole rows of parts that only one subdomain touches. All ranks must make
/// the same calls in the same order.
class GhostLink {
 public:
  virtual ~GhostLink() = default;
  virtual void exchange(std::span<Lanes> rows) = 0;
  virtual void exchange(std::span<BodyVelocity> rows) = 0;
};

/// [own number] global numbers, in a few ascending runs: a rank's own, then its ghosts'.
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
  /// The own number for a global one, or -1.
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

/// A rank's part of a problem has the bodies of its subdomains; as ghosts, those of others on which they
/// depend; and the contacts that the rank updates (cone.h). Within a subdomain both are in the order of the
/// whole problem. So sweeps give its bodies and contacts the same bits as in the whole problem, with
/// one exchange per sweep. All ranks have the movable bodies outside of subdomains (parts of machines), the
/// bodies that joints and bonds hold, as ghosts, and all rows that belong to no contact.
struct RankShare {
  std::vector<std::uint8_t> own;       // [subdomain] 1: of this rank
  std::vector<std::int32_t> by_place;  // subdomains in the order of the whole problem; empty: same order
  std::vector<std::uint8_t> own_body;  // [body] 1: of this rank; parts of machines are of every rank
  std::vector<std::uint8_t> colour;    // [contact] at the interface, its colour in the whole problem
  WholeNumbers body, contact;          // [own number] number in the whole problem
  std::int64_t contacts = 0;           // of the whole problem
  Ranks* ranks = nullptr;
  GhostLink* ghosts = nullptr;

  /// False also where there is no subdomain.
  bool owns(std::size_t subdomain) const { return subdomain < own.size() && own[subdomain] != 0; }
};

}  // namespace scree
