#include "engine/core/state_hash.h"

#include <bit>
#include <cassert>
#include <cstdio>
#include <cstring>

namespace scree {

namespace {

constexpr std::uint64_t prime[] = {0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                                   0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5};

std::uint64_t mixed(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * prime[1], 31) * prime[0];
}

}  // namespace

std::uint64_t hash_words(const void* data, std::size_t bytes, std::uint64_t seed) {
  assert(bytes % 8 == 0);
  const auto* at = static_cast<const unsigned char*>(data);
  const unsigned char* const end = at + bytes;
  const auto next = [&at] {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    at += 8;
    return word;
  };
  std::uint64_t hash = seed + prime[4];
  if (bytes >= 32) {  // four independent lanes
    std::uint64_t lane[] = {seed + prime[0] + prime[1], seed + prime[1], seed, seed - prime[0]};
    while (end - at >= 32) {
      for (std::uint64_t& l : lane) l = mixed(l, next());
    }
    hash = std::rotl(lane[0], 1) + std::rotl(lane[1], 7) + std::rotl(lane[2], 12) + std::rotl(lane[3], 18);
    for (const std::uint64_t l : lane) hash = (hash ^ mixed(0, l)) * prime[0] + prime[3];
  }
  hash += bytes;
  while (at != end) hash = std::rotl(hash ^ mixed(0, next()), 27) * prime[0] + prime[3];
  hash = (hash ^ hash >> 33) * prime[1];
  hash = (hash ^ hash >> 29) * prime[2];
  return hash ^ hash >> 32;
}

std::string hash_text(std::uint64_t hash) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace scree
