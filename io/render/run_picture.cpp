#include "io/render/run_picture.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace scree::io {

namespace {

constexpr std::size_t looked_at = 24;  // frames that decide about camera and colours
constexpr double stray = 0.005;        // part of the bodies, on each side, that need not be in the picture
constexpr double top_share =
    0.998;                       // of all values lies below the end of the colours: a few fast ones stand out
constexpr double margin = 0.06;  // of half the picture stays free
constexpr double floor_cosine = 0.7;   // of the angle to the vertical: planes up to 45 degrees are floors
constexpr double floor_stretch = 2.0;  // floors reach this much farther than what stands on them
constexpr double shade_radii = 8.0;    // mean radii: what is nearer shades

Vec3 up_of(const RecordedRun& run) {
  const Vec3& g = run.model.settings.gravity;
  return g.isZero() ? Vec3(Vec3::UnitZ()) : Vec3(-g.normalized());
}

/// The value that a share of all lies below; reorders. Values that are not finite must be gone.
double quantile(std::vector<double>& values, double share) {
  const auto k = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[static_cast<std::size_t>(k)];
}

/// The corners of the box that holds almost all bodies of a frame.
void add_bodies(const Shapes& shapes, const Bodies& bodies, std::vector<Vec3>& points) {
  Vec3 low, high;
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double> below, above;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (!bodies.position[i].allFinite()) continue;
      const double reach = half_extent(shapes, bodies.shape[i], bodies.orientation[i])[axis];
      below.push_back(bodies.position[i][axis] - reach);
      above.push_back(bodies.position[i][axis] + reach);
    }
    if (below.empty()) return;
    low[axis] = quantile(below, stray);
    high[axis] = quantile(above, 1.0 - stray);
  }
  for (int corner = 0; corner < 8; ++corner) {
    points.emplace_back(corner & 1 ? high.x() : low.x(), corner & 2 ? high.y() : low.y(),
                        corner & 4 ? high.z() : low.z());
  }
}

void add_tubes(const Boundaries& boundaries, std::vector<Vec3>& points) {
  constexpr int around = 24;
  for (const Boundary& boundary : boundaries) {
    const Tube* tube = std::get_if<Tube>(&boundary.surface);
    if (!tube) continue;
    const Vec3 axis = (tube->end - tube->start).normalized(), u = axis.unitOrthogonal(), v = axis.cross(u);
    for (int k = 0; k < around; ++k) {
      const double angle = 2.0 * std::numbers::pi * k / around;
      const Vec3 radial = tube->outer_radius() * (std::cos(angle) * u + std::sin(angle) * v);
      points.push_back(tube->start + radial);
      points.push_back(tube->end + radial);
    }
  }
}

/// What has to be in the picture.
std::vector<Vec3> worth_seeing(const TrajectoryReader& reader) {
  std::vector<Vec3> points;
  for (const std::size_t k : sampled_frames(reader.frames(), looked_at)) {
    add_bodies(reader.run().model.shapes, reader.bodies(k), points);
  }
  add_tubes(reader.run().model.boundaries, points);
  if (points.empty()) points = {Vec3::Constant(-0.5), Vec3::Constant(0.5)};
  return points;
}

Eigen::AlignedBox3d box_of(const std::vector<Vec3>& points) {
  Eigen::AlignedBox3d box;
  for (const Vec3& p : points) box.extend(p);
  return box;
}

/// The part of the planes that is drawn: around what is seen, with room sideways for floors to fade out.
Region wall_region(const TrajectoryReader& reader, const Vec3& up) {
  const RecordedRun& run = reader.run();
  Region region = scene_region(reader.bodies(0), run.model.shapes, run.model.boundaries);
  for (const std::size_t k : sampled_frames(reader.frames(), looked_at)) {
    region = grown_region(region, reader.bodies(k));
  }
  const Vec3 middle = 0.5 * (region.low + region.high), half = 0.5 * (region.high - region.low);
  const double sideways = floor_stretch * half.maxCoeff();
  for (int axis = 0; axis < 3; ++axis) {
    if (std::abs(up[axis]) > 0.5) continue;
    region.low[axis] = middle[axis] - std::max(sideways, half[axis]);
    region.high[axis] = middle[axis] + std::max(sideways, half[axis]);
  }
  return region;
}

/// [polygon] is it part of a floor that the camera looks at from above?
std::vector<bool> floors(const WallMesh& walls, const Boundaries& boundaries, const Vec3& up,
                         const Vec3& eye) {
  std::vector<bool> solid;
  for (const std::int32_t b : walls.boundary) {
    const Plane* plane = std::get_if<Plane>(&boundaries[static_cast<std::size_t>(b)].surface);
    solid.push_back(plane && plane->normal.dot(up) > floor_cosine &&
                    plane->normal.dot(eye - plane->point) > 0.0);
  }
  return solid;
}

std::array<double, 2> value_range(const TrajectoryReader& reader, const std::string& field) {
  std::vector<double> values;
  for (const std::size_t k : sampled_frames(reader.frames(), looked_at)) {
    for (const float x : field_values(reader, k, field)) {
      if (std::isfinite(x)) values.push_back(x);
    }
  }
  if (values.empty()) return {0.0, 1.0};
  const double low = *std::min_element(values.begin(), values.end());
  return {low, quantile(values, top_share)};
}

double mean_radius(const TrajectoryReader& reader) {
  const std::vector<float> radius = field_values(reader, 0, "radius");
  double sum = 0.0;
  for (const float r : radius) sum += r;
  return radius.empty() ? 1.0 : sum / static_cast<double>(radius.size());
}

std::string title(const RecordedField& field) {
  std::string text = field.name;
  std::replace(text.begin(), text.end(), '_', ' ');
  return field.unit == "1" ? text : text + ", " + field.unit;
}

}  // namespace

std::vector<std::size_t> sampled_frames(std::size_t frames, std::size_t most) {
  std::vector<std::size_t> list;
  const std::size_t n = std::min(frames, most);
  for (std::size_t i = 0; i < n; ++i) list.push_back(n == 1 ? 0 : i * (frames - 1) / (n - 1));
  return list;
}

RunPicture::RunPicture(const TrajectoryReader& reader, const PictureOptions& options)
    : reader_(reader), options_(options) {
  const RecordedRun& run = reader.run();
  const Vec3 up = options.up.value_or(up_of(run)).normalized();
  const std::vector<Vec3> points = worth_seeing(reader);
  // Nothing behind the colour bar; as much stays free on the left.
  const double edges = options.labels ? 2.0 * bar_width(options.height) : 0.0;
  const double aspect = std::max(options.width - edges, 0.5 * options.width) / options.height;
  camera_ = framing_camera(points, view_direction(options.view, up), up, aspect, margin);
  const Eigen::AlignedBox3d box = box_of(points);
  if (!options.target && !options.eye)
    camera_.target =
        camera_.eye + (camera_.target - camera_.eye).normalized() * (camera_.eye - box.center()).norm();
  camera_.target = options.target.value_or(options.eye ? box.center() : camera_.target);
  camera_.eye = options.eye.value_or(camera_.eye);
  camera_.eye = camera_.target + (camera_.eye - camera_.target) / options.zoom;
  lighting_.up = up;
  lighting_.samples = options.samples;
  lighting_.middle = box.center();
  lighting_.shade_reach = shade_radii * mean_radius(reader);
  range_ = options.range.value_or(value_range(reader, options.field));
  if (!options.walls) return;
  const Region region = wall_region(reader, up_of(run));
  lighting_.floor_radius = 0.5 * (region.high - region.low).maxCoeff();
  walls_ = wall_mesh(run.model.boundaries, region);
  scene_.set_walls(walls_, floors(walls_, run.model.boundaries, up_of(run), camera_.eye));
}

std::vector<Colour> RunPicture::body_colours(std::size_t frame) const {
  const ColourMap map(options_.map);
  const double span = range_[1] - range_[0];
  std::vector<Colour> colours;
  for (const float value : field_values(reader_, frame, options_.field)) {
    colours.push_back(map(span > 0.0 ? static_cast<float>((value - range_[0]) / span) : 0.5f));
  }
  return colours;
}

Picture RunPicture::draw(std::size_t frame) {
  const RecordedRun& run = reader_.run();
  scene_.set_bodies(run.model.shapes, reader_.bodies(frame));
  Picture picture = render(scene_, walls_, body_colours(frame), camera_, lighting_,
                           Picture(options_.width, options_.height));
  if (options_.labels) {
    const std::vector<RecordedField> fields = recorded_fields(run);
    draw_labels(picture, {fmt::format("{}, {} {}", run.scene, run.bodies.size(),
                                      run.bodies.size() == 1 ? "body" : "bodies"),
                          fmt::format("t = {:.3f} s", reader_.time_s()[frame]),
                          {title(*find_field(fields, options_.field)), options_.map, range_[0], range_[1]}});
  }
  return picture;
}

}  // namespace scree::io
