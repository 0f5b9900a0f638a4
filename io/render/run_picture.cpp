#include "io/render/run_picture.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace scree::io {

namespace {

constexpr double margin = 0.06;      // of half the picture stays free
constexpr double shade_radii = 8.0;  // mean radii: what is nearer shades

std::string title(const RecordedField& field) {
  std::string text = field.name;
  std::replace(text.begin(), text.end(), '_', ' ');
  return field.unit == "1" ? text : text + ", " + field.unit;
}

}  // namespace

RunPicture::RunPicture(const TrajectoryReader& reader, const PictureOptions& options)
    : reader_(reader), options_(options) {
  const RunScene run = run_scene(reader);
  const Vec3 up = options.up.value_or(run.up).normalized();
  // Nothing behind the colour bar; as much stays free on the left.
  const double edges = options.labels ? 2.0 * bar_width(options.height) : 0.0;
  const double aspect = std::max(options.width - edges, 0.5 * options.width) / options.height;
  camera_ = framing_camera(run.points, view_direction(options.view, up), up, aspect, margin);
  const Eigen::AlignedBox3d box = box_of(run.points);
  if (!options.target && !options.eye)
    camera_.target =
        camera_.eye + (camera_.target - camera_.eye).normalized() * (camera_.eye - box.center()).norm();
  camera_.target = options.target.value_or(options.eye ? box.center() : camera_.target);
  camera_.eye = options.eye.value_or(camera_.eye);
  camera_.eye = camera_.target + (camera_.eye - camera_.target) / options.zoom;
  lighting_.up = up;
  lighting_.samples = options.samples;
  lighting_.middle = box.center();
  lighting_.shade_reach = shade_radii * run.mean_radius;
  range_ = options.range.value_or(value_range(reader, options.field));
  if (!options.walls) return;
  lighting_.floor_radius = 0.5 * (run.region.high - run.region.low).maxCoeff();
  walls_ = run.walls;
  scene_.set_walls(walls_, floors(walls_, reader.run().model.boundaries, run.up, camera_.eye));
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
