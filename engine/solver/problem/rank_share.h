// A part of a contact problem that one of several processes (ranks) solves, together with the others.
#pragma once

#include <cstddef>
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
  /// What all ranks have to say, rank by rank.
  virtual std::vector<std::byte> gather(std::span<const std::byte> own) = 0;
  /// [body] rows of ghosts become those that their owners have: of a row of lanes numbers 0 to 2 and 4 to 6,
  /// of a velocity both vectors.
  virtual void exchange(std::span<Lanes> rows) = 0;
  virtual void exchange(std::span<BodyVelocity> rows) = 0;
};

/// A rank's part of a problem has the bodies of its subdomains and, as ghosts, those of others that they
/// depend on; and the contacts that the rank visits (cone.h). Both are in the order of the whole problem.
/// Then sweeps give its bodies and contacts the bits that they have in the whole problem, with one exchange a
/// sweep. So far there are no rows but those of contacts, no moved bodies beyond those of subdomains, and no
/// cell that holds stresses (docs/decisions/0051-subdomains-that-stay.md).
struct RankShare {
  std::vector<std::uint8_t> own;            // [subdomain] 1: the rank's
  std::vector<std::uint8_t> own_body;       // [body of the state, or a ghost] likewise
  std::vector<std::uint8_t> colour;         // [contact] at the interface, that the whole problem gives it
  std::vector<std::int32_t> body, contact;  // [own number] that of the whole problem, rising
  std::int64_t contacts = 0;                // of the whole problem
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
