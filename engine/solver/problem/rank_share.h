// A part of a contact problem that one of several processes (ranks) solves, together with the others.
#pragma once

#include <span>
#include <vector>

#include "engine/core/exact_sum.h"
#include "engine/core/types.h"

namespace scree {

struct BodyVelocity;

/// What ranks that solve one problem tell each other. All ranks call the same in the same order.
class RankLink {
 public:
  virtual ~RankLink() = default;
  /// Over all ranks, the same bits on each.
  virtual void sum(std::span<ExactSum> sums) = 0;
  virtual void total(std::span<std::int64_t> counts) = 0;
  virtual void most(std::span<double> numbers) = 0;
  /// [body] rows of ghosts become those that their owners have; whether 0 to 2 and 4 to 6 of eight numbers,
  /// or both vectors of a velocity.
  virtual void exchange(std::span<Lanes> rows) = 0;
  virtual void exchange(std::span<BodyVelocity> rows) = 0;
};

/// Of a problem that has, besides the bodies of a rank's subdomains, those of others that they depend on
/// (ghosts), all in the order of the whole problem; and of the contacts at the interface those that the rank
/// visits (cone.h), in the order of the whole problem too. Then sweeps give own bodies, and contacts that are
/// there, the bits that they have in the whole problem.
struct RankShare {
  std::vector<std::uint8_t> own;       // [subdomain] 1: the rank's
  std::vector<std::uint8_t> own_body;  // [body of the state, or a ghost] likewise
  std::vector<std::uint8_t> colour;    // [contact] at the interface, that the whole problem gives it
  RankLink* link = nullptr;
};

/// Of a sum by parts, what all ranks have; T::over_ranks(link) does what T::join() does.
template <class T>
void sum_over_ranks(const RankShare* share, ExactSums<T>& sum) {
  if (share == nullptr) return;
  share->link->sum(sum.parts());
  sum.joined().over_ranks(*share->link);
}

}  // namespace scree
