#include "io/render/run_picture.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace scree::io {

namespace {

constexpr double margin = 0.06;  // of half the picture stays free
constexpr double force_share = 0.99;
constexpr double chain_radii = 0.3;  // mean radii: half the width of the strongest chains
constexpr double shade_radii = 8.0;  // mean radii: what is nearer shades

/// From 0 to the force that 99 % of all contacts stay below, at the end of the run: impacts on the way
/// outweigh rest.
std::array<double, 2> force_range(const TrajectoryReader& reader) {
  std::vector<float> force;
  for (std::size_t k = reader.frames(); k-- > 0 && force.empty();) {
    for (const ForceLine& line : force_lines(reader, k)) force.push_back(line.force);
  }
  if (force.empty()) return {0.0, 1.0};
  const auto at = static_cast<std::ptrdiff_t>(force_share * static_cast<double>(force.size() - 1));
  std::nth_element(force.begin(), force.begin() + at, force.end());
  return {0.0, force[static_cast<std::size_t>(at)]};
}

std::string title(const RecordedField& field) {
  std::string text = field.name;
  std::replace(text.begin(), text.end(), '_', ' ');
  return field.unit == "1" ? text : text + ", " + field.unit;
}

}  // namespace

std::vector<ForceLine> force_lines(const TrajectoryReader& reader, std::size_t frame) {
  const std::vector<Vec3f> centre = reader.frame(frame).position;
  std::vector<ForceLine> lines;
  for (const ContactForce& c : contact_forces(reader.contacts(frame), reader.run().impulse_time_s)) {
    lines.push_back({centre[static_cast<std::size_t>(c.a)],
                     c.b >= 0 ? centre[static_cast<std::size_t>(c.b)] : Vec3f(c.point.cast<float>()),
                     static_cast<float>(c.force.norm())});
  }
  return lines;
}

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
  chain_radius_ = chain_radii * run.mean_radius;
  range_ = options.range.value_or(options.chains ? force_range(reader) : value_range(reader, options.field));
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

std::vector<Chain> RunPicture::chains(std::size_t frame, Paint& paint) const {
  const ColourMap map(options_.map);
  std::vector<Chain> rods;
  for (const ForceLine& line : force_lines(reader_, frame)) {
    // As wide as the root of the force: the area of the rod goes with what it carries.
    const double span = range_[1] - range_[0];
    const double part = span > 0.0 ? std::clamp((line.force - range_[0]) / span, 0.0, 1.0) : 0.0;
    rods.push_back({line.start, line.end, static_cast<float>(chain_radius_ * std::sqrt(part))});
    paint.chain.push_back(map(static_cast<float>(part)));
  }
  return rods;
}

ColourBar RunPicture::colour_bar() const {
  if (options_.chains) return {"contact force, N", options_.map, range_[0], range_[1]};
  const std::vector<RecordedField> fields = recorded_fields(reader_.run());
  return {title(*find_field(fields, options_.field)), options_.map, range_[0], range_[1]};
}

Picture RunPicture::draw(std::size_t frame) {
  const RecordedRun& run = reader_.run();
  Paint paint;
  if (!options_.chains) paint.body = body_colours(frame);
  std::vector<Chain> rods;
  if (options_.chains) rods = chains(frame, paint);
  const Bodies bodies = reader_.bodies(frame);
  scene_.set_bodies(run.model.shapes, bodies, options_.chains, std::move(rods));
  Picture picture =
      render(scene_, walls_, paint, camera_, lighting_, Picture(options_.width, options_.height));
  if (options_.labels) {
    draw_labels(picture,
                {fmt::format("{}, {} {}", run.scene, bodies.size(), bodies.size() == 1 ? "body" : "bodies"),
                 fmt::format("t = {:.3f} s", reader_.time_s()[frame]), colour_bar()});
  }
  return picture;
}

}  // namespace scree::io
