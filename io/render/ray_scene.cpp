#include "io/render/ray_scene.h"

#include <array>
#include <cmath>
#include <cstring>
#if __has_include(<embree4/rtcore.h>)  // Debian 13, Ubuntu 24.04
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif
#include <fmt/format.h>
#include <new>
#include <stdexcept>
#include <utility>

#include "io/render/run_scene.h"

namespace scree::io {

namespace {

/// What Embree hands out and wants back.
template <class T, void (*release)(T)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(T handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_) release(handle_);
  }
  T get() const { return handle_; }

 private:
  T handle_ = nullptr;
};
using Device = Owned<RTCDevice, rtcReleaseDevice>;
using Scene = Owned<RTCScene, rtcReleaseScene>;
using Geometry = Owned<RTCGeometry, rtcReleaseGeometry>;

struct Grain {
  Vec3f centre, half_extent;  // m; of the box that holds it
  Eigen::Matrix3f axes;       // columns: the body's axes in the world
  ShapeIndex shape;
};

/// What Embree's questions about bodies are answered from.
struct Grains {
  const Shapes* shapes = nullptr;
  std::vector<Grain> grain;
};

void grain_bounds(const RTCBoundsFunctionArguments* arguments) {
  const Grain& grain = static_cast<const Grains*>(arguments->geometryUserPtr)->grain[arguments->primID];
  // Embree leaves out what has no box: bodies that are nowhere.
  const Vec3f none = Vec3f::Constant(std::numeric_limits<float>::quiet_NaN());
  const bool drawn = can_be_drawn(grain.centre.cast<double>());
  const Vec3f low = drawn ? Vec3f(grain.centre - grain.half_extent) : none,
              high = drawn ? Vec3f(grain.centre + grain.half_extent) : none;
  RTCBounds& box = *arguments->bounds_o;
  box.lower_x = low[0], box.lower_y = low[1], box.lower_z = low[2];
  box.upper_x = high[0], box.upper_y = high[1], box.upper_z = high[2];
}

/// Where the ray meets the body first; with `normal`, in the world and of any length, if it does.
double grain_hit(const Grains& grains, const Grain& grain, const RTCRay& ray, Vec3f* normal) {
  const Vec3f origin(ray.org_x, ray.org_y, ray.org_z), direction(ray.dir_x, ray.dir_y, ray.dir_z);
  const Vec3 o = (grain.axes.transpose() * (origin - grain.centre)).cast<double>();
  const Vec3 d = (grain.axes.transpose() * direction).cast<double>();
  const double t = ray_hit(*grains.shapes, grain.shape, o, d, ray.tnear, ray.tfar);
  if (normal && t < infinity)
    *normal = grain.axes * outward(*grains.shapes, grain.shape, o + t * d).cast<float>();
  return t;
}

void grain_intersect(const RTCIntersectFunctionNArguments* arguments) {
  if (arguments->valid[0] == 0) return;  // rays come one by one: N is 1
  auto& [ray, hit] = *reinterpret_cast<RTCRayHit*>(arguments->rayhit);
  const Grains& grains = *static_cast<const Grains*>(arguments->geometryUserPtr);
  Vec3f normal;
  const double t = grain_hit(grains, grains.grain[arguments->primID], ray, &normal);
  if (t == infinity) return;
  ray.tfar = static_cast<float>(t);
  hit.Ng_x = normal[0], hit.Ng_y = normal[1], hit.Ng_z = normal[2];
  hit.primID = arguments->primID;
  hit.geomID = arguments->geomID;
}

void grain_occluded(const RTCOccludedFunctionNArguments* arguments) {
  if (arguments->valid[0] == 0) return;
  RTCRay& ray = *reinterpret_cast<RTCRay*>(arguments->ray);
  const Grains& grains = *static_cast<const Grains*>(arguments->geometryUserPtr);
  if (grain_hit(grains, grains.grain[arguments->primID], ray, nullptr) < infinity)
    ray.tfar = -std::numeric_limits<float>::infinity();
}

RTCRay to_embree(const Ray& ray) {
  RTCRay result{};
  result.org_x = ray.origin[0], result.org_y = ray.origin[1], result.org_z = ray.origin[2];
  result.dir_x = ray.direction[0], result.dir_y = ray.direction[1], result.dir_z = ray.direction[2];
  result.tnear = ray.nearest;
  result.tfar = ray.farthest;
  result.mask = ~0u;
  return result;
}

std::optional<RTCRayHit> intersect(RTCScene scene, const Ray& ray) {
  RTCRayHit found{to_embree(ray), {}};
  found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
#if RTC_VERSION_MAJOR >= 4
  rtcIntersect1(scene, &found);
#else
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(scene, &context, &found);
#endif
  if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID) return {};
  return found;
}

bool occluded(RTCScene scene, const Ray& ray) {
  RTCRay r = to_embree(ray);
#if RTC_VERSION_MAJOR >= 4
  rtcOccluded1(scene, &r);
#else
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcOccluded1(scene, &context, &r);
#endif
  return r.tfar < 0.0f;
}

/// What Embree says of its last error; without memory there is no string to put it into.
using ErrorText = std::array<char, 160>;
void keep_error(void* kept, RTCError, const char* text) {
  std::strncpy(static_cast<ErrorText*>(kept)->data(), text, ErrorText().size() - 1);
}

/// Throws what Embree met, also while it started and there is no device yet.
void expect_no_error(RTCDevice device, const ErrorText& text) {
  const RTCError error = rtcGetDeviceError(device);
  if (error == RTC_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
  if (error == RTC_ERROR_NONE && device) return;
  throw std::runtime_error(text[0] != '\0' ? std::string(text.data())
                                           : fmt::format("Embree reports error {}", static_cast<int>(error)));
}

/// Convex polygons as fans of triangles.
struct Walls {
  std::vector<std::array<std::uint32_t, 3>> triangle;  // [triangle] points of the mesh
  std::vector<std::int32_t> polygon;                   // [triangle]
};

Walls make_walls(const WallMesh& mesh, const std::vector<bool>& solid, bool wanted) {
  Walls walls;
  for (std::size_t p = 0; p < mesh.polygon.size(); ++p) {
    const std::vector<std::int32_t>& corner = mesh.polygon[p];
    if (solid[p] != wanted) continue;
    for (std::size_t c = 2; c < corner.size(); ++c) {
      walls.triangle.push_back({static_cast<std::uint32_t>(corner[0]),
                                static_cast<std::uint32_t>(corner[c - 1]),
                                static_cast<std::uint32_t>(corner[c])});
      walls.polygon.push_back(static_cast<std::int32_t>(p));
    }
  }
  return walls;
}

// Geometries of the scenes that rays are shot into, in the order of their numbers.
constexpr unsigned wall_geometry = 0, body_geometry = 1, chain_geometry = 2;

}  // namespace

struct RayScene::Parts {
  ErrorText error{};
  Device device{rtcNewDevice(nullptr)};
  Scene solid_scene{rtcNewScene(device.get())}, clear_scene{rtcNewScene(device.get())};
  Grains grains;
  std::vector<Chain> chains;
  bool clear_bodies = false;
  Walls solid, clear;
  std::vector<Vec3f> wall_point, wall_normal;  // [point]

  void attach_walls(RTCScene scene, const Walls& walls) const {
    if (walls.triangle.empty()) return;
    const Geometry geometry(rtcNewGeometry(device.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
    auto* points = static_cast<Vec3f*>(rtcSetNewGeometryBuffer(
        geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, sizeof(Vec3f), wall_point.size()));
    std::copy(wall_point.begin(), wall_point.end(), points);
    void* triangles = rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                              sizeof(walls.triangle[0]), walls.triangle.size());
    std::copy(walls.triangle.begin(), walls.triangle.end(),
              static_cast<std::array<std::uint32_t, 3>*>(triangles));
    rtcCommitGeometry(geometry.get());
    rtcAttachGeometryByID(scene, geometry.get(), wall_geometry);
  }

  void attach_bodies(RTCScene scene) {
    if (grains.grain.empty()) return;
    const Geometry geometry(rtcNewGeometry(device.get(), RTC_GEOMETRY_TYPE_USER));
    rtcSetGeometryUserPrimitiveCount(geometry.get(), static_cast<unsigned>(grains.grain.size()));
    rtcSetGeometryUserData(geometry.get(), &grains);
    rtcSetGeometryBoundsFunction(geometry.get(), grain_bounds, nullptr);
    rtcSetGeometryIntersectFunction(geometry.get(), grain_intersect);
    rtcSetGeometryOccludedFunction(geometry.get(), grain_occluded);
    rtcCommitGeometry(geometry.get());
    rtcAttachGeometryByID(scene, geometry.get(), body_geometry);
  }

  void attach_chains(RTCScene scene) const {
    if (chains.empty()) return;
    const Geometry geometry(rtcNewGeometry(device.get(), RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE));
    auto* ends = static_cast<std::array<float, 4>*>(
        rtcSetNewGeometryBuffer(geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                                sizeof(std::array<float, 4>), 2 * chains.size()));
    auto* first = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
        geometry.get(), RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, sizeof(std::uint32_t), chains.size()));
    for (std::size_t i = 0; i < chains.size(); ++i) {
      const Chain& c = chains[i];
      ends[2 * i] = {c.start[0], c.start[1], c.start[2], c.radius};
      ends[2 * i + 1] = {c.end[0], c.end[1], c.end[2], c.radius};
      first[i] = static_cast<std::uint32_t>(2 * i);
    }
    rtcCommitGeometry(geometry.get());
    rtcAttachGeometryByID(scene, geometry.get(), chain_geometry);
  }

  void build() {
    solid_scene = Scene(rtcNewScene(device.get()));
    clear_scene = Scene(rtcNewScene(device.get()));
    attach_walls(solid_scene.get(), solid);
    attach_walls(clear_scene.get(), clear);
    attach_bodies((clear_bodies ? clear_scene : solid_scene).get());
    attach_chains(solid_scene.get());
    rtcCommitScene(solid_scene.get());
    rtcCommitScene(clear_scene.get());
    expect_no_error(device.get(), error);
  }

  std::optional<RayHit> hit(RTCScene scene, const Walls& walls, const Ray& ray) const {
    const auto found = intersect(scene, ray);
    if (!found) return {};
    if (found->hit.geomID == wall_geometry) return wall_hit(walls, *found);
    const auto kind = found->hit.geomID == body_geometry ? RayHit::Kind::body : RayHit::Kind::chain;
    const Vec3f normal(found->hit.Ng_x, found->hit.Ng_y, found->hit.Ng_z);
    return RayHit{kind, found->ray.tfar, normal.normalized(), static_cast<std::int32_t>(found->hit.primID)};
  }

  RayHit wall_hit(const Walls& walls, const RTCRayHit& found) const {
    // The normals of the corners, so that round walls look round.
    const RTCHit& hit = found.hit;
    const auto& corner = walls.triangle[hit.primID];
    const Vec3f normal = (1.0f - hit.u - hit.v) * wall_normal[corner[0]] + hit.u * wall_normal[corner[1]] +
                         hit.v * wall_normal[corner[2]];
    return {RayHit::Kind::wall, found.ray.tfar, normal.normalized(), walls.polygon[hit.primID]};
  }
};

RayScene::RayScene() : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  if (!p.device.get()) expect_no_error(nullptr, p.error);
  rtcSetDeviceErrorFunction(p.device.get(), keep_error, &p.error);
  set_walls({}, {});
}
RayScene::~RayScene() = default;
RayScene::RayScene(RayScene&&) noexcept = default;

void RayScene::set_bodies(const Shapes& shapes, const Bodies& bodies, bool clear, std::vector<Chain> chains) {
  Parts& p = *parts_;
  p.clear_bodies = clear;
  p.chains = std::move(chains);
  p.grains = {&shapes, {}};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    p.grains.grain.push_back({bodies.position[i].cast<float>(),
                              half_extent(shapes, bodies.shape[i], bodies.orientation[i]).cast<float>(),
                              bodies.orientation[i].toRotationMatrix().cast<float>(), bodies.shape[i]});
  }
  p.build();
}

void RayScene::set_walls(const WallMesh& mesh, const std::vector<bool>& solid) {
  Parts& p = *parts_;
  p.wall_point.clear();
  p.wall_normal.clear();
  for (const Vec3& point : mesh.point) p.wall_point.push_back(point.cast<float>());
  for (const Vec3& normal : mesh.normal) p.wall_normal.push_back(normal.cast<float>());
  p.solid = make_walls(mesh, solid, true);
  p.clear = make_walls(mesh, solid, false);
  p.build();
}

std::optional<RayHit> RayScene::hit_solid(const Ray& ray) const {
  return parts_->hit(parts_->solid_scene.get(), parts_->solid, ray);
}

std::optional<RayHit> RayScene::hit_clear(const Ray& ray) const {
  return parts_->hit(parts_->clear_scene.get(), parts_->clear, ray);
}

bool RayScene::is_covered(const Ray& ray) const { return occluded(parts_->solid_scene.get(), ray); }

}  // namespace scree::io
