#include "engine/detection/broad_phase.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/core/vector4.h"
#include "engine/detection/crowded_boxes.h"

namespace scree {

namespace {

// A cell key: level in the top 4 bits, then z, y, x in 20 bits each. Cells beyond the last one are merged
// with it, which preserves neighbourhood.
constexpr int axis_bits = 20;
constexpr std::int64_t last_cell = (std::int64_t{1} << axis_bits) - 1;
constexpr int levels =
    15;  // cell sizes over a range of 2^14; larger boxes share the last level's larger cells
constexpr std::uint64_t left_out = std::uint64_t{15} << (3 * axis_bits);  // sorts after every cell

// Limits for a block of bodies: pairs per body, and in total if they are few. A thousand bodies in one place
// are allowed.
constexpr std::size_t most_pairs = 2000, most_of_few = 100'000;

struct Grid {
  Vec3 origin;
  std::array<double, levels> cell_size;  // m
};

std::uint64_t key_of(int level, std::int64_t x, std::int64_t y, std::int64_t z) {
  return (static_cast<std::uint64_t>(level) << (3 * axis_bits)) |
         (static_cast<std::uint64_t>(z) << (2 * axis_bits)) | (static_cast<std::uint64_t>(y) << axis_bits) |
         static_cast<std::uint64_t>(x);
}

std::int64_t cell_index(double offset, double size) {
  return static_cast<std::int64_t>(
      std::clamp(std::floor(offset / size), 0.0, static_cast<double>(last_cell)));
}

struct Extent {
  double smallest = infinity, largest = 0.0;  // longest box edges, m
  Vec3 low = Vec3::Constant(infinity), high = -low;
};

/// The median of the centres of a thousand boxes: single ones far away do not move it.
Vec3 middle_of(std::span<const BoundingBox> boxes) {
  Vec3 middle = Vec3::Zero();
  std::vector<double> some;
  for (int axis = 0; axis < 3; ++axis) {
    some.clear();
    for (std::size_t i = 0; i < boxes.size(); i += 1 + boxes.size() / 1000)
      if (boxes[i].centre.allFinite()) some.push_back(boxes[i].centre[axis]);
    if (some.empty()) continue;
    const auto half = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
    std::nth_element(some.begin(), half, some.end());
    middle[axis] = *half;
  }
  return middle;
}

Grid make_grid(std::span<const BoundingBox> boxes) {
  const Extent extent = reduce_blocks(
      boxes.size(), grain_light, Extent{},
      [&](const Block& block) {
        Extent e;
        for (std::size_t i = block.begin; i < block.end; ++i) {
          if (!boxes[i].centre.allFinite() || !boxes[i].half.allFinite()) continue;
          const double edge = 2.0 * boxes[i].half.maxCoeff();
          e.smallest = std::min(e.smallest, edge);
          e.largest = std::max(e.largest, edge);
          e.low = e.low.cwiseMin(boxes[i].centre);
          e.high = e.high.cwiseMax(boxes[i].centre);
        }
        return e;
      },
      [](Extent a, const Extent& b) {
        a.smallest = std::min(a.smallest, b.smallest);
        a.largest = std::max(a.largest, b.largest);
        a.low = a.low.cwiseMin(b.low);
        a.high = a.high.cwiseMax(b.high);
        return a;
      });
  Grid grid;
  grid.origin = extent.low;
  // Sizes within a factor of two share a level, counted down from the largest one, so that one size has one
  // level.
  const double largest = std::max(extent.largest * (1.0 + 1e-12), std::numeric_limits<double>::min());
  const int used = extent.smallest < infinity
                       ? std::min(levels - 1, static_cast<int>(std::log2(largest / extent.smallest)))
                       : 0;
  for (int level = 0; level < levels; ++level) {
    grid.cell_size[level] = std::ldexp(largest, std::min(level - used, 0));
  }
  // Where lost bodies are too far away for the number of cells, most bodies must not share one.
  const double room = grid.cell_size[0] * static_cast<double>(last_cell);
  if (!((extent.high - extent.low).maxCoeff() <= room))
    grid.origin = middle_of(boxes) - Vec3::Constant(0.5 * room);
  return grid;
}

int level_of(const Grid& grid, const BoundingBox& box) {
  const double edge = 2.0 * box.half.maxCoeff();
  int level = 0;
  while (level < levels - 1 && grid.cell_size[level] < edge) ++level;
  return level;
}

struct Cell {
  std::int64_t x, y, z;
};

Cell cell_of(const Grid& grid, const Vec3& centre, int level) {
  const double size = grid.cell_size[level];
  const Vec3 offset = centre - grid.origin;
  return {cell_index(offset[0], size), cell_index(offset[1], size), cell_index(offset[2], size)};
}

/// Rows of three cells (x-1, x, x+1) that come after a cell in key order. Together with the rest of its own
/// row they are the half of its neighbourhood in which each pair appears once.
constexpr std::array<std::array<int, 2>, 4> rows_after = {{{1, 0}, {-1, 1}, {0, 1}, {1, 1}}};  // dy, dz

/// Data of a search.
struct Search {
  struct Slot : BoundingBox {  // a body, in the order of cells
    std::int32_t body, level;
  };
  struct Pair {
    std::int32_t a, b;
  };
  std::vector<KeyedItem> order, order_scratch;  // [body] cell key, body
  std::vector<Slot> slots;                      // [body] in the order of `order`
  std::vector<std::vector<Pair>> found;         // [block]
  std::vector<std::int32_t> cursor;             // [body]
};

class PairSearch {
 public:
  PairSearch(const Grid& grid, const Search& w, std::uint32_t levels_in_use, std::vector<Search::Pair>& found)
      : grid_(grid), order_(w.order), slots_(w.slots), levels_in_use_(levels_in_use), found_(found) {}

  void operator()(const Block& block) {
    found_.clear();
    const std::size_t most = most_pairs * (block.end - block.begin) + most_of_few;
    std::array<std::size_t, rows_after.size()> cursor{};
    bool first = true;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const auto& slot = slots_[i];
      if (slot.level < 0) break;  // left out, as all that follow
      const Cell cell = cell_of(grid_, slot.centre, slot.level);
      // The rest of its own row: the bodies after it in its cell, and the next cell.
      const std::uint64_t row_end = key_of(slot.level, std::min(cell.x + 1, last_cell), cell.y, cell.z);
      scan(i, i + 1, row_end);
      for (std::size_t r = 0; r < rows_after.size(); ++r) {
        const std::int64_t y = cell.y + rows_after[r][0], z = cell.z + rows_after[r][1];
        if (y < 0 || y > last_cell || z > last_cell) continue;
        const std::uint64_t low = key_of(slot.level, std::max<std::int64_t>(cell.x - 1, 0), y, z);
        const std::uint64_t high = key_of(slot.level, std::min(cell.x + 1, last_cell), y, z);
        // Keys ascend with i, so each row's cursor only moves forward: linear in total.
        if (first || cursor[r] == 0) cursor[r] = lower_bound(low, i);
        while (cursor[r] < order_.size() && order_[cursor[r]].key < low) ++cursor[r];
        scan(i, cursor[r], high);
      }
      first = false;
      search_coarser_levels(i);
      if (found_.size() > most)
        throw CrowdedBoxes(
            "a body may touch more than two thousand others: bodies are in one place, or move too far in a "
            "step");
    }
  }

 private:
  std::size_t lower_bound(std::uint64_t key, std::size_t from) const {
    return static_cast<std::size_t>(
        std::lower_bound(order_.begin() + static_cast<std::ptrdiff_t>(from), order_.end(), key,
                         [](const KeyedItem& item, std::uint64_t k) { return item.key < k; }) -
        order_.begin());
  }

  void scan(std::size_t i, std::size_t from, std::uint64_t last_key) {
    for (std::size_t j = from; j < order_.size() && order_[j].key <= last_key; ++j) {
      if (!overlap(slots_[i], slots_[j])) continue;
      const std::int32_t p = slots_[i].body, q = slots_[j].body;
      found_.push_back({std::min(p, q), std::max(p, q)});
    }
  }

  void search_coarser_levels(std::size_t i) {
    for (int level = slots_[i].level + 1; level < levels; ++level) {
      if ((levels_in_use_ >> level & 1u) == 0) continue;
      const Cell cell = cell_of(grid_, slots_[i].centre, level);
      for (std::int64_t z = std::max<std::int64_t>(cell.z - 1, 0); z <= std::min(cell.z + 1, last_cell);
           ++z) {
        for (std::int64_t y = std::max<std::int64_t>(cell.y - 1, 0); y <= std::min(cell.y + 1, last_cell);
             ++y) {
          const std::uint64_t low = key_of(level, std::max<std::int64_t>(cell.x - 1, 0), y, z);
          scan(i, lower_bound(low, i), key_of(level, std::min(cell.x + 1, last_cell), y, z));
        }
      }
    }
  }

  const Grid& grid_;
  const std::vector<KeyedItem>& order_;
  const std::vector<Search::Slot>& slots_;
  std::uint32_t levels_in_use_;
  std::vector<Search::Pair>& found_;
};

/// Counting sort by a, then each short row by b.
void order_pairs(std::size_t bodies, std::span<const std::vector<Search::Pair>> found,
                 CandidatePairs& pairs) {
  pairs.row.assign(bodies + 1, 0);
  for (const auto& block : found) {
    for (const Search::Pair& pair : block) ++pairs.row[pair.a];
  }
  const std::size_t total = exclusive_scan(pairs.row);
  pairs.b.resize(total);
  std::vector<std::int32_t> cursor(pairs.row.begin(), pairs.row.end() - 1);
  for (const auto& block : found) {
    for (const Search::Pair& pair : block) {
      pairs.b[cursor[pair.a]++] = pair.b;
    }
  }
  for_each_index(bodies, grain_medium, [&](std::size_t a) {
    std::sort(pairs.b.begin() + pairs.row[a], pairs.b.begin() + pairs.row[a + 1]);
  });
}

}  // namespace

void find_candidate_pairs(std::span<const BoundingBox> boxes, CandidatePairs& pairs) {
  const std::size_t n = boxes.size();
  const Grid grid = make_grid(boxes);
  Search w;
  w.order.resize(n);
  w.slots.resize(n);
  for_each_index(n, grain_light, [&](std::size_t i) {
    std::uint64_t key = left_out;
    if (boxes[i].centre.allFinite() && boxes[i].half.allFinite()) {
      const int level = level_of(grid, boxes[i]);
      const Cell cell = cell_of(grid, boxes[i].centre, level);
      key = key_of(level, cell.x, cell.y, cell.z);
    }
    w.order[i] = {key, static_cast<std::int32_t>(i)};
  });
  std::vector<KeyedItem> scratch;
  sort_by_key(w.order, scratch);
  const std::uint32_t levels_in_use = reduce_blocks(
      n, grain_light, 0u,
      [&](const Block& block) {
        std::uint32_t used = 0;
        for (std::size_t k = block.begin; k < block.end; ++k) {
          const auto body = static_cast<std::size_t>(w.order[k].item);
          const int level =
              w.order[k].key >= left_out ? -1 : static_cast<int>(w.order[k].key >> (3 * axis_bits));
          w.slots[k] = {boxes[body], w.order[k].item, level};
          if (level >= 0) used |= 1u << level;
        }
        return used;
      },
      [](std::uint32_t a, std::uint32_t b) { return a | b; });

  w.found.resize(block_count(n, grain_medium));
  for_blocks(n, grain_medium,
             [&](const Block& block) { PairSearch(grid, w, levels_in_use, w.found[block.index])(block); });
  order_pairs(n, w.found, pairs);
}

namespace {

/// For a periodic cell.
struct Images {
  std::vector<BoundingBox> images;     // of the bodies inside and near the cell
  std::vector<std::int32_t> image_of;  // [image] body
};

/// The boxes in the cell, and those images outside that reach into it or are near enough for a box in it.
Images make_images(std::span<const BoundingBox> boxes, const PlacedCell& cell) {
  Images w;
  double largest = 0.0;
  for (const BoundingBox& box : boxes)
    if (box.half.allFinite()) largest = std::max(largest, box.half.norm());
  w.images.assign(boxes.begin(), boxes.end());
  w.image_of.resize(boxes.size());
  std::array<double, 3> over_width;  // 1/m
  for (int k = 0; k < 3; ++k) over_width[k] = cell.inverse.row(k).norm();
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    w.image_of[i] = static_cast<std::int32_t>(i);
    const BoundingBox& box = boxes[i];
    if (!box.centre.allFinite() || !box.half.allFinite()) continue;
    const Vec3 inside = box.centre + cell.image_in_cell(box.centre);
    w.images[i].centre = inside;
    const Vec3 fraction = cell.inverse * (inside - cell.centre);  // -1/2 to 1/2
    const double reach = box.half.norm() + largest;
    std::array<int, 3> low{}, high{};
    for (std::size_t k = 0; k < 3; ++k) {
      if (!cell.periodic[k]) continue;
      const double near = 0.5 - reach * over_width[k];
      low[k] = fraction[static_cast<int>(k)] >= near ? -1 : 0;  // at the upper end: its image is below
      high[k] = fraction[static_cast<int>(k)] <= -near ? 1 : 0;
    }
    for (int z = low[2]; z <= high[2]; ++z) {
      for (int y = low[1]; y <= high[1]; ++y) {
        for (int x = low[0]; x <= high[0]; ++x) {
          if (x == 0 && y == 0 && z == 0) continue;
          w.images.push_back({inside + cell.lattice * Vec3(x, y, z), box.half});
          w.image_of.push_back(static_cast<std::int32_t>(i));
        }
      }
    }
  }
  return w;
}

}  // namespace

void find_candidate_pairs(std::span<const BoundingBox> boxes, const PlacedCell& cell, CandidatePairs& pairs) {
  if (!cell.is_periodic()) return find_candidate_pairs(boxes, pairs);
  const Images w = make_images(boxes, cell);
  CandidatePairs of_images;
  find_candidate_pairs(w.images, of_images);
  const std::size_t n = boxes.size();
  std::vector<Search::Pair> found;
  for (std::size_t a = 0; a < n; ++a) {  // two images outside the cell are also a pair inside it
    for (std::int32_t k = of_images.row[a]; k < of_images.row[a + 1]; ++k) {
      const std::int32_t one = static_cast<std::int32_t>(a), other = w.image_of[of_images.b[k]];
      if (one != other) found.push_back({std::min(one, other), std::max(one, other)});
    }
  }
  order_pairs(n, {&found, 1}, pairs);
  // A pair across a face was found on both sides.
  std::vector<std::int32_t>& b = pairs.b;
  std::int32_t kept = 0;
  for (std::size_t a = 0; a < n; ++a) {
    const std::int32_t begin = pairs.row[a], end = pairs.row[a + 1];
    pairs.row[a] = kept;
    for (std::int32_t k = begin; k < end; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (k == begin || b[at] != b[at - 1]) b[kept++] = b[at];
    }
  }
  pairs.row[n] = kept;
  b.resize(kept);
}

namespace {

// Deformation of the cell after which pairs are searched again; wide boxes are enlarged by the approach of
// pairs that it causes.
constexpr double most_strain = 0.02;

bool within(const BoundingBox& box, const BoundingBox& wide) {  // false if it is not finite
  return ((box.centre - wide.centre).cwiseAbs() + box.half - wide.half).maxCoeff() <= 0.0 &&
         box.centre.allFinite() && box.half.allFinite();
}

/// `flow`: moves places relative to `centre` by the cell's deformation since the search.
struct Flow {
  Vec3 centre = Vec3::Zero();
  Mat3 map = Mat3::Identity();
  bool is_none() const { return map.isIdentity(0.0); }
  BoundingBox operator()(const BoundingBox& box) const {
    return {centre + map * (box.centre - centre), box.half};
  }
};

/// `for_strain`, m, is left for the flow: it moves centres apart that the motion of each body alone does not
/// show.
bool still_within(std::span<const BoundingBox> boxes, const std::vector<BoundingBox>& wide, double for_strain,
                  const Flow& flow) {
  if (wide.size() != boxes.size()) return false;
  const bool stands = flow.is_none();
  if (!stands && (flow.map - Mat3::Identity()).norm() > most_strain) return false;
  return reduce_blocks(
      boxes.size(), grain_light, true,
      [&](const Block& block) {
        for (std::size_t i = block.begin; i < block.end; ++i) {
          BoundingBox room = stands ? wide[i] : flow(wide[i]);
          room.half.array() -= for_strain;
          if (!within(boxes[i], room)) return false;
        }
        return true;
      },
      [](bool a, bool b) { return a && b; });
}

/// Pairs of body a in a list.
std::span<const std::int32_t> partners(const CandidatePairs& pairs, std::size_t a) {
  return {pairs.b.data() + pairs.row[a], static_cast<std::size_t>(pairs.row[a + 1] - pairs.row[a])};
}

/// The image of a box that is nearest to another.
BoundingBox image_near(const BoundingBox& box, const BoundingBox& other, const PlacedCell& cell) {
  return {box.centre + cell.nearest_image(box.centre - other.centre), box.half};
}

/// Selects the pairs that overlap. Those of each body are stored at the start of its row of the wide list,
/// and moved together later.
template <bool repeats>
SCREE_INLINE void pick(std::span<const BoundingBox> boxes, std::span<const std::uint8_t> unmoved,
                       const PlacedCell& cell, const Block& block, PairListWorkspace& w,
                       CandidatePairs& pairs) {
  for (std::size_t a = block.begin; a < block.end; ++a) {
    const auto begin = static_cast<std::size_t>(w.wide_pairs.row[a]);
    std::size_t next = begin;
    const unsigned of_a = unmoved.empty() ? 0u : unmoved[a];
    for (const std::int32_t b : partners(w.wide_pairs, a)) {
      if (of_a != 0 && (of_a & unmoved[b]) != 0) continue;
      pairs.b[next] = b;
      const BoundingBox& other = boxes[b];
      if constexpr (repeats)
        next += overlap(boxes[a], image_near(other, boxes[a], cell)) ? 1 : 0;
      else
        next += overlap(boxes[a], other) ? 1 : 0;
    }
    pairs.row[a] = static_cast<std::int32_t>(next - begin);
  }
}

SCREE_FOR_EACH_TARGET
void pick_pairs(std::span<const BoundingBox> boxes, std::span<const std::uint8_t> unmoved,
                const PlacedCell& cell, const Block& block, PairListWorkspace& w, CandidatePairs& pairs) {
  if (cell.is_periodic())
    pick<true>(boxes, unmoved, cell, block, w, pairs);
  else
    pick<false>(boxes, unmoved, cell, block, w, pairs);
}

}  // namespace

void update_candidate_pairs(std::span<const BoundingBox> boxes,
                            const std::function<double(std::size_t)>& skin, PairListWorkspace& w,
                            CandidatePairs& pairs, std::span<const std::uint8_t> unmoved,
                            const PlacedCell& cell) {
  const std::size_t n = boxes.size();
  Flow flow;
  if (cell.deformation != w.deformation) flow = {cell.centre, cell.deformation * w.deformation.inverse()};
  if (!still_within(boxes, w.wide, w.for_strain, flow)) {
    w.for_strain = 0.0;
    if (cell.flows()) {
      // Centres whose boxes meet are sqrt(3) (half + skin) of each apart at most; twice that, for the reserve
      // itself.
      const double of_length = 2.0 * std::numbers::sqrt3 * most_strain;
      for (std::size_t i = 0; i < n; ++i)
        if (boxes[i].half.allFinite())
          w.for_strain = std::max(w.for_strain, of_length * (boxes[i].half.maxCoeff() + skin(i)));
    }
    w.wide.resize(n);
    for_each_index(n, grain_light, [&](std::size_t i) {
      w.wide[i] = {boxes[i].centre, boxes[i].half + Vec3::Constant(skin(i) + w.for_strain)};
    });
    w.deformation = cell.deformation;
    find_candidate_pairs(w.wide, cell, w.wide_pairs);
  }
  pairs.row.resize(n + 1);
  pairs.row[n] = 0;
  pairs.b.resize(w.wide_pairs.size());
  for_blocks(n, grain_medium, [&](const Block& block) { pick_pairs(boxes, unmoved, cell, block, w, pairs); });
  const std::size_t picked = exclusive_scan(pairs.row);
  for (std::size_t a = 0; a < n; ++a)
    if (pairs.row[a] != w.wide_pairs.row[a])
      std::copy_n(pairs.b.begin() + w.wide_pairs.row[a], pairs.row[a + 1] - pairs.row[a],
                  pairs.b.begin() + pairs.row[a]);
  pairs.b.resize(picked);
}

}  // namespace scree
