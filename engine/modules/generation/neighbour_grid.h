// A grid that finds bodies which may be near, while bodies are still being added.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

#include "engine/core/types.h"

namespace scree {

/// Spheres in cells of space. Each sphere belongs to a level whose cells are between one and two diameters
/// wide. So a search visits 27 cells of each level as large as its own sphere or larger, and the cost
/// is linear in the spheres for any mix of sizes if large ones are added before small ones.
class NeighbourGrid {
 public:
  void add(const Vec3& centre, double radius, std::int32_t item) {
    const int number = level_of(radius);
    Level& level = levels_[number];
    level.cells[key(cell_of(centre, level_size(number)))].push_back(level.spheres.size());
    level.spheres.push_back({centre, radius, item});
  }

  /// Calls f(item) for each sphere that overlaps the given one, until f returns false; then returns false.
  /// The order depends only on the order in which spheres were added.
  template <class F>
  bool visit_near(const Vec3& centre, double radius, F&& f) const {
    const auto visit = [&](const Sphere& s) {
      const double reach = radius + s.radius;
      return (s.centre - centre).squaredNorm() >= reach * reach || f(s.item);
    };
    for (const auto& [number, level] : levels_) {
      const double size = level_size(number);
      const Vec3 reach = Vec3::Constant(radius + 0.5 * size);
      // A large sphere among tiny ones covers more cells than there are spheres.
      if ((2.0 * reach[0] / size + 2.0) > std::cbrt(27.0 + static_cast<double>(level.spheres.size()))) {
        if (!std::all_of(level.spheres.begin(), level.spheres.end(), visit)) return false;
        continue;
      }
      const Cell low = cell_of(centre - reach, size), high = cell_of(centre + reach, size);
      for (std::int64_t z = low[2]; z <= high[2]; ++z) {
        for (std::int64_t y = low[1]; y <= high[1]; ++y) {
          for (std::int64_t x = low[0]; x <= high[0]; ++x) {
            const auto cell = level.cells.find(key({x, y, z}));
            if (cell == level.cells.end()) continue;
            for (const std::size_t s : cell->second) {
              if (!visit(level.spheres[s])) return false;
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
    std::vector<Sphere> spheres;
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> cells;  // -> spheres
  };

  static int level_of(double radius) { return static_cast<int>(std::ceil(std::log2(2.0 * radius))); }
  static double level_size(int level) { return std::ldexp(1.0, level); }
  static Cell cell_of(const Vec3& p, double size) {
    constexpr double far = 0x1p60;  // keeps extreme positions within the range of integers
    Cell cell;
    for (int i = 0; i < 3; ++i) {
      cell[i] = static_cast<std::int64_t>(std::clamp(std::floor(p[i] / size), -far, far));
    }
    return cell;
  }
  /// 21 bits per axis. Cells 2^21 apart share a key; this costs a distance test, but misses no neighbour.
  static std::uint64_t key(const Cell& c) {
    constexpr std::uint64_t mask = (std::uint64_t{1} << 21) - 1;
    return (static_cast<std::uint64_t>(c[0]) & mask) | ((static_cast<std::uint64_t>(c[1]) & mask) << 21) |
           ((static_cast<std::uint64_t>(c[2]) & mask) << 42);
  }

  std::map<int, Level> levels_;
};

}  // namespace scree
