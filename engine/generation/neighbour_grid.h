// Finds bodies that may be near, while bodies are still being added.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

#include "engine/core/types.h"

namespace scree {

/// Spheres in cells of space. Every sphere lives in a level whose cells are between one and two diameters
/// wide, so that a search looks at 27 cells of each level as large as its own sphere or larger, and the cost
/// stays linear in the spheres for any mix of sizes if large ones are added before small ones.
class NeighbourGrid {
 public:
  void add(const Vec3& centre, double radius, std::int32_t item) {
    Level& level = levels_[level_of(radius)];
    level.cells[key(cell_of(centre, level_size(level_of(radius))))].push_back({centre, radius, item});
  }

  /// Calls f(item) for every sphere that overlaps the given one, until f returns false; false if it did. The
  /// order depends on what was added before, and on nothing else.
  template <class F>
  bool visit_near(const Vec3& centre, double radius, F&& f) const {
    for (const auto& [number, level] : levels_) {
      const double size = level_size(number);
      const Cell low = cell_of(centre.array() - radius - 0.5 * size, size);
      const Cell high = cell_of(centre.array() + radius + 0.5 * size, size);
      for (std::int64_t z = low[2]; z <= high[2]; ++z) {
        for (std::int64_t y = low[1]; y <= high[1]; ++y) {
          for (std::int64_t x = low[0]; x <= high[0]; ++x) {
            const auto cell = level.cells.find(key({x, y, z}));
            if (cell == level.cells.end()) continue;
            for (const Sphere& s : cell->second) {
              const double reach = radius + s.radius;
              if ((s.centre - centre).squaredNorm() < reach * reach && !f(s.item)) return false;
            }
          }
        }
      }
    }
    return true;
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  struct Sphere {
    Vec3 centre;
    double radius;
    std::int32_t item;
  };
  struct Level {
    std::unordered_map<std::uint64_t, std::vector<Sphere>> cells;
  };

  static int level_of(double radius) { return static_cast<int>(std::ceil(std::log2(2.0 * radius))); }
  static double level_size(int level) { return std::ldexp(1.0, level); }
  static Cell cell_of(const Vec3& p, double size) {
    return {static_cast<std::int64_t>(std::floor(p[0] / size)),
            static_cast<std::int64_t>(std::floor(p[1] / size)),
            static_cast<std::int64_t>(std::floor(p[2] / size))};
  }
  /// 21 bits an axis. Cells 2^21 apart share a key, which costs a distance test and never a neighbour.
  static std::uint64_t key(const Cell& c) {
    constexpr std::uint64_t mask = (std::uint64_t{1} << 21) - 1;
    return (static_cast<std::uint64_t>(c[0]) & mask) | ((static_cast<std::uint64_t>(c[1]) & mask) << 21) |
           ((static_cast<std::uint64_t>(c[2]) & mask) << 42);
  }

  std::map<int, Level> levels_;
};

}  // namespace scree
