#include "engine/detection/contacts.h"

#include <algorithm>

namespace scree {

void Contacts::resize(std::size_t n) {
  key.resize(n);
  point.resize(n);
  normal.resize(n);
  gap.resize(n);
  gap_acceleration.resize(n);
}

std::int64_t find_contact(const ContactMemory& memory, const ContactKey& key) {
  const auto a = static_cast<std::size_t>(key.a);
  if (a + 1 >= memory.contact_row.size()) return -1;
  // A row holds the few contacts of one body: looking through it beats bisection.
  for (std::int32_t c = memory.contact_row[a]; c < memory.contact_row[a + 1]; ++c) {
    if (memory.key[static_cast<std::size_t>(c)] == key) return c;
  }
  return -1;
}

Vec3 find_torque(const ContactMemory& memory, const ContactKey& key) {
  const auto found = std::ranges::lower_bound(memory.torques, key, {}, &RememberedTorque::key);
  return found != memory.torques.end() && found->key == key ? found->impulse : Vec3(Vec3::Zero());
}

const Vec3* find_pair_normal(const ContactMemory& memory, std::int32_t a, std::int32_t b) {
  const auto row = static_cast<std::size_t>(a);
  if (row + 1 >= memory.pair_row.size()) return nullptr;
  for (std::int32_t p = memory.pair_row[row]; p < memory.pair_row[row + 1]; ++p) {
    if (memory.pair_b[static_cast<std::size_t>(p)] == b)
      return &memory.pair_normal[static_cast<std::size_t>(p)];
  }
  return nullptr;
}

}  // namespace scree
