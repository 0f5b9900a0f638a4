#include "io/results/colour_map.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace scree::io {

namespace {

constexpr std::size_t nodes = 33, digits = 6;

struct Named {
  std::string_view name, table;  // nodes colours RRGGBB at equal distances
  float first = 0.0f;            // beginning of the map in the table
};

// Each eighth of the 256 colours of the maps by van der Walt and Smith (matplotlib 2015, public domain,
// CC0); between them, straight lines stay within 3 of 255 of the full maps.
// clang-format off
constexpr std::string_view viridis =
     "440154470d6048186a482374472d7b4537814240863e49893b528b375b8d33638d2f6b8e2c728e297a8e26828e23898e"
     "21918c1f978b1f9f8821a68527ad8131b57b3dbc744cc26c5cc8636ece5881d34d95d840aadc32c0df25d5e21aeae51a"
     "fde725";
// The first map is the default of images and pages: viridis without its darkest third. So bodies at rest,
// most of a heap, are bright enough to show their shape.
constexpr std::array<Named, 5> maps{{
    {"scree", viridis, 10.0f / 32.0f},
    {"viridis", viridis},
    {"magma",
     "0000040303120a0822130d341d114729115a36106b440f7651127c5d177f6a1c81762181832681902a819c2e7faa337d"
     "b73779c23b75cf4070db476ae55064ee5b5ef4695cf9785dfb8761fd9668fea571feb47bfec287fed194fde0a1fceeb0"
     "fcfdbf"},
    {"inferno",
     "0000040403120b0724150b37210c4a2f0a5b3d09654a0c6b57106e64156e71196e7d1e6d8a226a972766a32c61b0315b"
     "bc3754c63d4dd04545da4e3ce35933eb6429f1711ff67e14f98c0afb9b06fcaa0ffbba1ff9c932f5d949f2e865f3f586"
     "fcffa4"},
    {"plasma",
     "0d08872206903105973f049c4c02a15901a56600a77201a87e03a88a09a59511a1a01a9caa2395b32c8ebc3587c43e7f"
     "cc4778d24f71d9586adf6263e56b5deb7556f07f4ff48948f89441fb9f3afdab33feb72dfdc328fcd025f9dd25f5eb27"
     "f0f921"},
}};
// clang-format on
static_assert(std::all_of(maps.begin(), maps.end(),
                          [](const Named& map) { return map.table.size() == nodes * digits; }));

int hex(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

Colour node(std::string_view table, std::size_t k) {
  Colour colour;
  for (int channel = 0; channel < 3; ++channel) {
    const std::size_t at = digits * k + 2 * static_cast<std::size_t>(channel);
    colour[channel] = static_cast<float>(16 * hex(table[at]) + hex(table[at + 1])) / 255.0f;
  }
  return colour;
}

}  // namespace

ColourMap::ColourMap(std::string_view name) {
  for (const Named& map : maps) {
    if (map.name != name) continue;
    table_ = map.table;
    first_ = map.first;
  }
  assert(!table_.empty());
}

Colour ColourMap::operator()(float x) const {
  const float inside = x > 0.0f ? std::min(x, 1.0f) : 0.0f;
  const float t = (first_ + (1.0f - first_) * inside) * static_cast<float>(nodes - 1);
  const auto k = std::min(nodes - 2, static_cast<std::size_t>(t));
  const float f = t - static_cast<float>(k);
  return (1.0f - f) * node(table_, k) + f * node(table_, k + 1);
}

std::span<const std::string_view> ColourMap::names() {
  static constexpr std::array<std::string_view, maps.size()> list{maps[0].name, maps[1].name, maps[2].name,
                                                                  maps[3].name, maps[4].name};
  return list;
}

Colour category_colour(std::size_t k) {
  // Okabe and Ito, Color Universal Design, 2008: colour-blind people can distinguish them too. Without black.
  constexpr std::array<std::string_view, 8> table{"0072b2", "e69f00", "009e73", "cc79a7",
                                                  "56b4e9", "d55e00", "f0e442", "999999"};
  return node(table[k % table.size()], 0);
}

Colour to_linear(const Colour& screen) {
  return screen.unaryExpr(
      [](float s) { return s <= 0.04045f ? s / 12.92f : std::pow((s + 0.055f) / 1.055f, 2.4f); });
}

Colour to_screen(const Colour& linear) {
  return linear.unaryExpr([](float l) {
    l = std::clamp(l, 0.0f, 1.0f);
    return l <= 0.0031308f ? 12.92f * l : 1.055f * std::pow(l, 1.0f / 2.4f) - 0.055f;
  });
}

}  // namespace scree::io
