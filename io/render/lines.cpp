#include "io/render/lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

#include "engine/core/parallel.h"
#include "io/render/cairo_surface.h"

namespace scree::io {

namespace {

constexpr double weld = 1e-6;           // of the walls' size: corners that are nearer are one
constexpr double sharp_cosine = 0.8;    // of the angle between two polygons: what bends more is an edge
constexpr double flat_cosine = 0.9999;  // what bends less is flat, and has no edge of its own to turn away at
constexpr double piece_pixels = 3.0;    // a line is hidden or not in pieces of this length
constexpr int most_pieces = 600;        // of a line
constexpr double lift = 0.004;          // of the distance: lines are looked for so far in front of their wall
constexpr double most_ink = 0.2;        // part of a wall's area that its edges may cover at full strength
constexpr float least_share = 0.08f;
constexpr double full_height = 720.0;  // pixels: pictures of this height have lines one pixel wide

/// Numbers for corners: the same for those that are at one place.
std::vector<std::int32_t> welded(const std::vector<Vec3>& points) {
  Eigen::AlignedBox3d box;
  for (const Vec3& x : points) box.extend(x);
  const double cell = std::max(weld * box.sizes().maxCoeff(), 1e-300);
  struct Hash {
    std::size_t operator()(const std::array<std::int64_t, 3>& k) const {
      std::uint64_t h = 0;
      for (const std::int64_t x : k)
        h = (h ^ static_cast<std::uint64_t>(x)) * 0x9e3779b97f4a7c15u + (h >> 29);
      return static_cast<std::size_t>(h);
    }
  };
  std::unordered_map<std::array<std::int64_t, 3>, std::int32_t, Hash> number;
  std::vector<std::int32_t> list;
  for (const Vec3& x : points) {
    const Vec3 at = (x - box.min()) / cell;
    const std::array key{std::llround(at[0]), std::llround(at[1]), std::llround(at[2])};
    list.push_back(
        number.try_emplace({key[0], key[1], key[2]}, static_cast<std::int32_t>(number.size())).first->second);
  }
  return list;
}

Vec3 normal_of(const WallMesh& walls, const std::vector<std::int32_t>& corner) {
  Vec3 sum = Vec3::Zero();
  const Vec3& first = walls.point[corner[0]];
  for (std::size_t c = 2; c < corner.size(); ++c)
    sum += (walls.point[corner[c - 1]] - first).cross(walls.point[corner[c]] - first);
  return sum.stableNormalized();
}

struct FacedSide {
  Vec3 normal;
  bool faces;  // the eye
};

struct Edge {
  std::int32_t a, b;  // corners of the mesh
  std::int32_t boundary;
  std::vector<FacedSide> sides;
};

bool is_drawn(const Edge& edge) {
  if (edge.sides.size() != 2) return true;
  const double cosine = edge.sides[0].normal.dot(edge.sides[1].normal);
  if (cosine < sharp_cosine) return true;
  return cosine < flat_cosine && edge.sides[0].faces != edge.sides[1].faces;
}

/// Cuts off what of a line lies behind the eye; is anything left?
bool clip_to_front(const Vec3& eye, const Vec3& forward, double nearest, Vec3& a, Vec3& b) {
  const double da = forward.dot(a - eye) - nearest, db = forward.dot(b - eye) - nearest;
  if (da <= 0.0 && db <= 0.0) return false;
  if (da < 0.0) a += (b - a) * (da / (da - db));
  if (db < 0.0) b += (a - b) * (db / (db - da));
  return true;
}

/// A visible part of a line, pixels.
struct Stroke {
  Vec2 start, end;
};

class Projector {
 public:
  Projector(const Viewport& viewport, const Camera& camera)
      : viewport_(viewport),
        lens_(camera, static_cast<double>(viewport.width) / viewport.height),
        eye_(camera.eye),
        forward_((camera.target - camera.eye).normalized()),
        nearest_(1e-3 * (camera.target - camera.eye).norm()) {}

  std::vector<Stroke> visible(const RayScene& scene, const ThinLine& line) const {
    Vec3 a = line.start, b = line.end;
    std::vector<Stroke> strokes;
    if (!clip_to_front(eye_, forward_, nearest_, a, b)) return strokes;
    const std::optional<Vec2> start = pixel(a), end = pixel(b);
    if (!start || !end) return strokes;
    const double length = std::min((*end - *start).norm(), 1e6);
    const int pieces = std::clamp(static_cast<int>(std::ceil(length / piece_pixels)), 1, most_pieces);
    std::optional<Vec2> begin;
    Vec2 last = *start;
    for (int k = 0; k < pieces; ++k) {
      const bool shown = is_visible(scene, a + (b - a) * ((k + 0.5) / pieces));
      const Vec2 next = pixel(a + (b - a) * ((k + 1.0) / pieces)).value_or(last);
      if (shown && !begin) begin = last;
      if (!shown && begin) strokes.push_back({*begin, last}), begin.reset();
      last = next;
    }
    if (begin) strokes.push_back({*begin, last});
    return strokes;
  }

 private:
  std::optional<Vec2> pixel(const Vec3& x) const {
    const std::optional<Vec2> at = lens_.project(x);
    if (!at) return {};
    return Vec2(viewport_.left + 0.5 * (1.0 + at->x()) * viewport_.width,
                viewport_.top + 0.5 * (1.0 - at->y()) * viewport_.height);
  }
  bool is_visible(const RayScene& scene, const Vec3& x) const {
    const Vec3 way = x - eye_;
    const double distance = way.norm();
    return !scene.is_covered({eye_.cast<float>(), (way / distance).cast<float>(), 0.0f,
                              static_cast<float>((1.0 - lift) * distance)});
  }

  Viewport viewport_;
  Lens lens_;
  Vec3 eye_, forward_;
  double nearest_;  // m
};

}  // namespace

std::vector<WallEdge> wall_edges(const WallMesh& walls, const std::vector<bool>& skip, const Vec3& eye) {
  const std::vector<std::int32_t> number = welded(walls.point);
  std::map<std::array<std::int32_t, 2>, std::size_t> found;
  std::vector<Edge> edges;
  for (std::size_t p = 0; p < walls.polygon.size(); ++p) {
    if (skip[p]) continue;
    const std::vector<std::int32_t>& corner = walls.polygon[p];
    const Vec3 normal = normal_of(walls, corner);
    const FacedSide side{normal, normal.dot(eye - walls.point[corner[0]]) > 0.0};
    for (std::size_t c = 0; c < corner.size(); ++c) {
      const std::int32_t a = corner[c], b = corner[(c + 1) % corner.size()];
      if (number[a] == number[b]) continue;
      const auto [lower, upper] = std::minmax(number[a], number[b]);
      const auto [at, is_new] = found.try_emplace({lower, upper}, edges.size());
      if (is_new) edges.push_back({a, b, walls.boundary[p], {}});
      edges[at->second].sides.push_back(side);
    }
  }
  std::vector<WallEdge> list;
  for (const Edge& edge : edges)
    if (is_drawn(edge)) list.push_back({walls.point[edge.a], walls.point[edge.b], edge.boundary});
  return list;
}

std::vector<float> edge_shares(const WallMesh& walls, const std::vector<WallEdge>& edges, double pixel) {
  std::vector<double> area, length;
  const auto of = [](std::vector<double>& list, std::int32_t b) -> double& {
    if (list.size() <= static_cast<std::size_t>(b)) list.resize(static_cast<std::size_t>(b) + 1, 0.0);
    return list[b];
  };
  for (std::size_t p = 0; p < walls.polygon.size(); ++p) {
    const std::vector<std::int32_t>& corner = walls.polygon[p];
    Vec3 sum = Vec3::Zero();
    for (std::size_t c = 2; c < corner.size(); ++c)
      sum += (walls.point[corner[c - 1]] - walls.point[corner[0]])
                 .cross(walls.point[corner[c]] - walls.point[corner[0]]);
    of(area, walls.boundary[p]) += 0.25 * sum.norm();  // half of the area: most walls have two sides
  }
  for (const WallEdge& edge : edges) of(length, edge.boundary) += (edge.end - edge.start).norm();
  std::vector<float> shares(std::max(area.size(), length.size()), 1.0f);
  for (std::size_t b = 0; b < length.size(); ++b) {
    const double ink = length[b] * pixel;
    if (ink > most_ink * area[b])
      shares[b] = std::max(least_share, static_cast<float>(most_ink * area[b] / ink));
  }
  return shares;
}

void draw_lines(Picture& picture, const Viewport& viewport, const Camera& camera, const RayScene& scene,
                const std::vector<ThinLine>& lines) {
  const Projector projector(viewport, camera);
  std::vector<std::vector<Stroke>> strokes(lines.size());
  for_each_index(lines.size(), 16, [&](std::size_t k) { strokes[k] = projector.visible(scene, lines[k]); });
  const CairoSurface surface = surface_of(picture);
  const CairoContext context(cairo_create(surface.get()));
  cairo_rectangle(context.get(), viewport.left, viewport.top, viewport.width, viewport.height);
  cairo_clip(context.get());
  cairo_set_line_cap(context.get(), CAIRO_LINE_CAP_ROUND);
  const double pixels = std::max(1.0, picture.height / full_height);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const ThinLine& line = lines[k];
    cairo_set_source_rgba(context.get(), line.colour[0], line.colour[1], line.colour[2], line.opacity);
    cairo_set_line_width(context.get(), pixels * line.width);
    for (const Stroke& stroke : strokes[k]) {
      cairo_move_to(context.get(), stroke.start.x(), stroke.start.y());
      cairo_line_to(context.get(), stroke.end.x(), stroke.end.y());
      cairo_stroke(context.get());
    }
  }
}

}  // namespace scree::io
