// Ghosts: bodies of other ranks, stored after a rank's own.
#pragma once

#include <vector>

#include "engine/bodies/bodies.h"

namespace scree {

/// A body with all its data for steps.
struct BodyRecord {
  Pose pose;
  Twist twist;
  Vec3 acceleration = Vec3::Zero();  // by forces, m/s^2
  Vec3 inertia;
  double mass;
  BodyId id;
  ShapeIndex shape;
  MaterialIndex material;
  std::int32_t part;  // that carries it, or Bodies::no_part
  bool is_asleep;
};

/// accelerations: [body], or empty.
BodyRecord record_of(const Bodies& bodies, std::size_t i, std::span<const Vec3> accelerations = {});
void append_ghosts(std::span<const BodyRecord> records, Bodies& bodies);
/// Keeps the first `own` bodies.
void drop_ghosts(std::size_t own, Bodies& bodies);

/// Ghosts of this rank, and own bodies that are ghosts of others. Ordered by global number, hence by rank.
struct GhostLists {
  std::vector<std::int32_t> number;                // [ghost] global number, ascending
  std::vector<std::size_t> first_of_rank;          // [rank + 1] first ghost owned by the rank
  std::vector<std::vector<std::int32_t>> own_for;  // [rank] own bodies that are its ghosts, ascending

  std::size_t size() const { return number.size(); }
  /// The ghost with this global number, or -1.
  std::int32_t find(std::int32_t whole_number) const;
};

/// Sends from(item) for each item of `own_for` [rank] to that rank; those of rank r are received in
/// to[first_of_rank[r]], and so on. T is copied byte by byte.
template <class T, class From>
void send_lists(Ranks& ranks, const std::vector<std::vector<std::int32_t>>& own_for,
                std::span<const std::size_t> first_of_rank, std::vector<T>& scratch, From&& from, T* to) {
  std::vector<Ranks::Outgoing> out;
  std::vector<Ranks::Incoming> in;
  std::size_t count = 0;
  for (const auto& list : own_for) count += list.size();
  scratch.resize(count);
  T* next = scratch.data();
  for (std::size_t r = 0; r < own_for.size(); ++r) {
    T* const begin = next;
    for (const std::int32_t i : own_for[r]) *next++ = from(static_cast<std::size_t>(i));
    if (next > begin) out.push_back({static_cast<int>(r), std::as_bytes(std::span(begin, next))});
    if (first_of_rank[r] < first_of_rank[r + 1])
      in.push_back({static_cast<int>(r),
                    std::as_writable_bytes(std::span(to + first_of_rank[r], to + first_of_rank[r + 1]))});
  }
  ranks.swap(out, in);
}

/// Gives each ghost the value of its owner: to[ghost] becomes from(own body).
template <class T, class From>
void follow_owners(Ranks& ranks, const GhostLists& lists, std::vector<T>& scratch, From&& from, T* to) {
  send_lists(ranks, lists.own_for, lists.first_of_rank, scratch, from, to);
}

/// Appends the values of ghosts to those of own bodies, as given by their owners. Null: does nothing.
template <class T>
void append_of_ghosts(Ranks* ranks, const GhostLists* lists, std::vector<T>& of_own) {
  if (lists == nullptr) return;
  const std::size_t own = of_own.size();
  std::vector<T> scratch;
  of_own.resize(own + lists->size());
  follow_owners(
      *ranks, *lists, scratch, [&](std::size_t i) { return of_own[i]; }, of_own.data() + own);
}

/// [own body, then ghost] marks bodies that are marked as ghosts on any rank, and their ghosts on all. Null:
/// does nothing.
void join_marks(Ranks* ranks, const GhostLists* lists, std::size_t own, std::vector<std::uint8_t>& marks);

/// An impulse and a moment on a body: a ghost where it is sent, an own body where it is received.
struct SentLoad {
  std::int32_t body;
  Twist load;
};
/// Sends loads on ghosts to their owners. Returns those from all other ranks, in the order of ranks and of
/// their lists.
std::vector<SentLoad> to_owners(Ranks& ranks, const GhostLists& lists, std::span<const SentLoad> loads);

}  // namespace scree
