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
          b.part.empty() ? Bodies::no_part : b.part[i]};
}

void append_ghosts(std::span<const BodyRecord> records, Bodies& b) {
  const auto is_carried = [](const BodyRecord& r) { return r.part != Bodies::no_part; };
  if (!b.part.empty() || std::ranges::any_of(records, is_carried)) {
    b.part.resize(b.size(), Bodies::no_part);
    for (const BodyRecord& r : records) b.part.push_back(r.part);
    b.rest.resize(b.part.size());
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
  if (b.part.empty()) return;
  b.part.resize(own);
  b.rest.resize(own);
}

std::int32_t GhostLists::find(std::int32_t whole_number) const {
  const auto found = std::ranges::lower_bound(number, whole_number);
  return found != number.end() && *found == whole_number ? static_cast<std::int32_t>(found - number.begin())
                                                         : -1;
}

}  // namespace scree
