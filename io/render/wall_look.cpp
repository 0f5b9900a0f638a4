#include "io/render/wall_look.h"

#include <algorithm>

#include "io/render/ray_scene.h"
#include "io/render/run_scene.h"

namespace scree::io {

namespace {

constexpr std::size_t frames_for_look = 6;
constexpr std::size_t bodies_for_look = 600;  // of a frame, about
constexpr double hides = 0.1;         // part of the visible bodies: a still wall that hides more is glass
constexpr double moving_hides = 0.5;  // the same for one that moves
constexpr int most_layers = 64;

/// Boundaries of other kinds than planes as polygons.
WallMesh finite_walls(Boundaries boundaries) {
  for (Boundary& boundary : boundaries)
    if (std::holds_alternative<Plane>(boundary.surface)) boundary.removed = true;
  return wall_mesh(boundaries, {});
}

/// [boundary] the part of the bodies seen without walls that this one hides.
std::vector<double> hidden_shares(const Shapes& shapes, const Bodies& bodies, const Boundaries& boundaries,
                                  const Vec3& eye) {
  std::vector<double> hidden(boundaries.size(), 0.0);
  const WallMesh mesh = finite_walls(boundaries);
  if (mesh.polygon.empty()) return hidden;
  RayScene scene;
  scene.set_walls(mesh, std::vector<bool>(mesh.polygon.size(), false));
  scene.set_bodies(shapes, bodies);
  double seen = 0.0;
  const std::size_t stride = 1 + bodies.size() / bodies_for_look;
  for (std::size_t i = 0; i < bodies.size(); i += stride) {
    if (!can_be_drawn(bodies.position[i])) continue;
    Ray ray{eye.cast<float>(), (bodies.position[i] - eye).normalized().cast<float>()};
    const auto first = scene.hit_solid(ray);
    if (!first || first->number != static_cast<std::int32_t>(i)) continue;
    seen += 1.0;
    ray.farthest = first->t;
    std::vector<std::int32_t> covers;
    for (int layer = 0; layer < most_layers; ++layer) {
      const auto hit = scene.hit_clear(ray);
      if (!hit) break;
      const std::int32_t b = mesh.boundary[hit->number];
      if (std::ranges::find(covers, b) == covers.end()) covers.push_back(b);
      ray.nearest = hit->t * (1.0f + 2e-5f);
    }
    for (const std::int32_t b : covers) hidden[b] += 1.0;
  }
  for (double& share : hidden) share = seen > 0.0 ? share / seen : 0.0;
  return hidden;
}

}  // namespace

bool is_meant(std::string_view boundary, std::string_view name) {
  return name == "all" || boundary == name ||
         (boundary.starts_with(name) && boundary.substr(name.size()).starts_with('.'));
}

std::vector<WallLook> wall_looks(const TrajectoryReader& reader, const std::vector<std::size_t>& frames,
                                 const Vec3& eye, const Vec3& up, const WallChoice& choice) {
  const RecordedRun& run = reader.run();
  const Boundaries& at_rest = run.model.boundaries;
  std::vector<double> hidden(at_rest.size(), 0.0);
  std::vector<bool> moves(at_rest.size(), false);
  for (const std::size_t k : sampled_frames(reader.frames(), reader.walls_move() ? frames_for_look : 0)) {
    const std::vector<Pose> motion = reader.frame(k, {0, 0}).boundary_motion;
    for (std::size_t b = 0; b < motion.size(); ++b)
      if (!motion[b].position.isZero(0.0) || !motion[b].orientation.vec().isZero(0.0)) moves[b] = true;
  }
  for (const std::size_t s : sampled_frames(frames.size(), frames_for_look)) {
    const std::size_t k = frames[s];
    const std::vector<double> share = hidden_shares(
        run.model.shapes, reader.bodies(k), reader.walls_move() ? reader.boundaries(k) : at_rest, eye);
    for (std::size_t b = 0; b < share.size(); ++b) hidden[b] = std::max(hidden[b], share[b]);
  }
  std::vector<WallLook> looks;
  for (std::size_t b = 0; b < at_rest.size(); ++b) {
    const Plane* plane = std::get_if<Plane>(&at_rest[b].surface);
    WallLook look = hidden[b] > (moves[b] ? moving_hides : hides) ? WallLook::glass : WallLook::metal;
    if (plane) {
      const bool from_above = plane->normal.dot(eye - plane->point) > 0.0;
      look = is_floor(at_rest[b].surface, up) && from_above ? WallLook::floor : WallLook::glass;
    }
    const auto chosen = [&](const std::vector<std::string>& names) {
      return std::ranges::any_of(names, [&](const std::string& n) { return is_meant(at_rest[b].name, n); });
    };
    if (chosen(choice.glass)) look = WallLook::glass;
    if (chosen(choice.metal)) look = WallLook::metal;
    looks.push_back(look);
  }
  return looks;
}

}  // namespace scree::io
