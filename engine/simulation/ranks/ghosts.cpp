#include "engine/simulation/ranks/ghosts.h"

#include <algorithm>

namespace scree {

BodyRecord record_of(const Bodies& b, std::size_t i, std::span<const Vec3> accelerations) {
  return {b.pose(i),
          {b.linear_velocity[i], b.angular_velocity[i]},
          accelerations.empty() ? Vec3(Vec3::Zero()) : accelerations[i],
          b.inertia[i],
          b.mass[i],
          b.id[i],
          b.shape[i],
          b.material[i],
          b.part.empty() ? Bodies::no_part : b.part[i],
          b.is_asleep(i)};
}

void append_ghosts(std::span<const BodyRecord> records, Bodies& b) {
  const auto is_carried = [](const BodyRecord& r) { return r.part != Bodies::no_part; };
  if (!b.part.empty() || std::ranges::any_of(records, is_carried)) {
    b.part.resize(b.size(), Bodies::no_part);
    for (const BodyRecord& r : records) b.part.push_back(r.part);
    b.rest.resize(b.part.size());
  }
  if (!b.asleep.empty() || std::ranges::any_of(records, &BodyRecord::is_asleep)) {
    b.asleep.resize(b.size(), 0);
    for (const BodyRecord& r : records) b.asleep.push_back(r.is_asleep ? 1 : 0);
  }
  for (const BodyRecord& r : records) {
    b.position.push_back(r.pose.position);
    b.orientation.push_back(r.pose.orientation);
    b.linear_velocity.push_back(r.twist.linear);
    b.angular_velocity.push_back(r.twist.angular);
    b.mass.push_back(r.mass);
    b.inertia.push_back(r.inertia);
    b.shape.push_back(r.shape);
    b.material.push_back(r.material);
    b.id.push_back(r.id);
  }
}

void drop_ghosts(std::size_t own, Bodies& b) {
  b.position.resize(own);
  b.orientation.resize(own);
  b.linear_velocity.resize(own);
  b.angular_velocity.resize(own);
  b.mass.resize(own);
  b.inertia.resize(own);
  b.shape.resize(own);
  b.material.resize(own);
  b.id.resize(own);
  if (!b.asleep.empty()) b.asleep.resize(own);
  if (b.part.empty()) return;
  b.part.resize(own);
  b.rest.resize(own);
}

std::int32_t GhostLists::find(std::int32_t whole_number) const {
  const auto found = std::ranges::lower_bound(number, whole_number);
  return found != number.end() && *found == whole_number ? static_cast<std::int32_t>(found - number.begin())
                                                         : -1;
}

void join_marks(Ranks* ranks, const GhostLists* lists, std::size_t own, std::vector<std::uint8_t>& marks) {
  if (lists == nullptr) return;
  std::vector<Ranks::Outgoing> out;
  std::vector<Ranks::Incoming> in;
  std::vector<std::vector<std::uint8_t>> received(lists->own_for.size());
  const std::span of_ghosts = std::span(marks).subspan(own);
  for (std::size_t r = 0; r < received.size(); ++r) {
    const std::size_t first = lists->first_of_rank[r], count = lists->first_of_rank[r + 1] - first;
    received[r].resize(lists->own_for[r].size());
    if (count > 0) out.push_back({static_cast<int>(r), std::as_bytes(of_ghosts.subspan(first, count))});
    if (!received[r].empty())
      in.push_back({static_cast<int>(r), std::as_writable_bytes(std::span(received[r]))});
  }
  ranks->swap(out, in);
  for (std::size_t r = 0; r < received.size(); ++r)
    for (std::size_t k = 0; k < received[r].size(); ++k)
      if (received[r][k] != 0) marks[lists->own_for[r][k]] = 1;
  marks.resize(own);
  append_of_ghosts(ranks, lists, marks);
}

std::vector<SentLoad> to_owners(Ranks& ranks, const GhostLists& lists, std::span<const SentLoad> loads) {
  std::vector<Bytes> to(lists.own_for.size());
  for (const SentLoad& l : loads) {
    const auto beyond = std::ranges::upper_bound(lists.first_of_rank, static_cast<std::size_t>(l.body));
    const auto owner = static_cast<std::size_t>(beyond - lists.first_of_rank.begin()) - 1;
    append(SentLoad{l.body - static_cast<std::int32_t>(lists.first_of_rank[owner]), l.load}, to[owner]);
  }
  const std::vector<Bytes> from = ranks.exchange(std::move(to));
  std::vector<SentLoad> received;
  for (std::size_t r = 0; r < from.size(); ++r) {
    const std::size_t before = received.size();
    append_all(from[r], received);
    for (std::size_t k = before; k < received.size(); ++k)
      received[k].body = lists.own_for[r][received[k].body];
  }
  return received;
}

}  // namespace scree
