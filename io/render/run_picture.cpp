#include "io/render/run_picture.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <unordered_map>
#include <utility>

#include "engine/core/order_statistic.h"

namespace scree::io {

namespace {

/// Digits of times in a run that ends then: a thousandth of a second, or of the run if that is shorter.
int time_digits(double end_s) {
  return end_s > 0.0 ? std::clamp(static_cast<int>(std::floor(3.0 - std::log10(end_s))), 3, 9) : 3;
}

constexpr double margin = 0.12;         // of half the picture stays free around the subject,
constexpr double corner_margin = 0.02;  // and around the box about it
constexpr std::size_t looked_at = 24;   // frames that decide about the colours of forces
constexpr double force_share = 0.99;
constexpr double least_force = 0.01;  // of the strong ones of the frame: what is weaker would be hair
constexpr double chain_radii = 0.3;   // mean radii: half the width of the strongest chains
constexpr int trace_pieces = 100;     // that a way is drawn in, at least
constexpr float trace_width = 1.6f;   // against that of edges
const Colour trace_colour{0.85f, 0.45f, 0.10f};
constexpr double image_share = 0.75;  // of the cell, from its middle: how far images are drawn
// [OutlineKind]
const std::array<Colour, 4> edge_colours{Colour(0.35f, 0.38f, 0.42f), Colour(0.10f, 0.55f, 0.25f),
                                         Colour(0.80f, 0.40f, 0.10f), Colour(0.45f, 0.45f, 0.70f)};
const Colour glass_edge{0.40f, 0.47f, 0.54f}, metal_edge{0.13f, 0.14f, 0.16f};
constexpr float edge_opacity = 0.75f;
constexpr std::size_t most_kinds = 8;  // that colours distinguish
constexpr double shade_radii = 8.0;    // mean radii: what is nearer shades

std::vector<float> forces(const std::vector<ForceLine>& lines) {
  std::vector<float> force;
  for (const ForceLine& line : lines) {
    if (line.force > 0.0f && std::isfinite(line.force)) force.push_back(line.force);
  }
  return force;
}

/// The range of most forces of the run, at most four decades. Impacts are far larger than forces at rest, so
/// colours follow the logarithm.
std::array<double, 2> force_range(const TrajectoryReader& reader) {
  std::vector<float> all;
  for (const std::size_t k : sampled_frames(reader.frames(), looked_at)) {
    const std::vector<float> force = forces(force_lines(reader, k));
    all.insert(all.end(), force.begin(), force.end());
  }
  if (all.empty()) return {0.1, 1.0};
  const double low = order_statistic(all, 1.0 - force_share), high = order_statistic(all, force_share);
  return {std::clamp(low, 1e-4 * high, 0.1 * high), high};
}

}  // namespace

std::vector<ForceLine> force_lines(const TrajectoryReader& reader, std::size_t of_frame) {
  const std::size_t frame = frame_of_contacts(reader, of_frame);
  const std::vector<Vec3f> centre = reader.frame(frame).position;
  const PlacedCell cell = reader.cell(frame);
  std::vector<ForceLine> lines;
  for (const ContactForce& c : contact_forces(reader.contacts(frame), reader.run().impulse_time_s)) {
    const Vec3f start = centre[c.a];
    const auto force = static_cast<float>(c.force.norm());
    if (c.b < 0) {
      lines.push_back({start, c.point.cast<float>(), force});
      continue;
    }
    const Vec3f partner = centre[c.b];
    // Across the seam the line goes to the partner's image, and another from the partner to that of the
    // first.
    const Vec3 shift = cell.nearest_image(partner.cast<double>() - c.point);
    lines.push_back({start, (partner.cast<double>() + shift).cast<float>(), force});
    if (!shift.isZero(0.0)) lines.push_back({partner, (start.cast<double>() - shift).cast<float>(), force});
  }
  return lines;
}

namespace {

/// From 0 to what few cells are above: at the end of what only grows, else at some moments.
std::array<double, 2> wall_range(const TrajectoryReader& reader, std::size_t quantity) {
  std::vector<float> all;
  const std::vector<std::size_t> frames = wall_quantities()[quantity].is_sum
                                              ? std::vector<std::size_t>{reader.frames() - 1}
                                              : sampled_frames(reader.frames(), looked_at);
  for (const std::size_t k : frames) {
    const WallValues values = reader.walls(k);
    for (const double value : values[quantity])
      if (value != 0.0 && std::isfinite(value)) all.push_back(static_cast<float>(value));
  }
  return {0.0, order_statistic(std::move(all), force_share, 1.0f)};
}

/// Edges of the periodic cell in a frame, enlarged by this factor; none if there is no cell.
std::vector<OutlineEdge> cell_edges(const TrajectoryReader& reader, std::size_t frame, double size) {
  const std::optional<Vec3>& centre = reader.run().outlines.cell_centre;
  if (!centre) return {};
  return cell_outline(*centre, size * reader.lattice(frame));
}

}  // namespace

namespace {

/// Sizes of bodies where there are a few that one can distinguish; else none.
std::size_t size_kinds(const RecordedRun& run) {
  constexpr double ratio = 1.15;
  std::vector<double> all = radii(run);
  std::ranges::sort(all);
  std::size_t kinds = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && all[i] <= all[i - 1] * (1.0 + 1e-6)) continue;
    if (i > 0 && all[i] < ratio * all[i - 1]) return 0;
    if (++kinds > most_kinds) return 0;
  }
  return kinds;
}

/// Farther away where corners of the box would be cut off.
void show_corners(const ViewBox& box, double aspect, Camera& camera) {
  const Lens lens(camera, aspect);
  const Vec3 back = (camera.eye - camera.target).normalized();
  double step = 0.0;
  for (int k = 0; k < 8; ++k) {
    const Vec3 corner(k & 1 ? box.high.x() : box.low.x(), k & 2 ? box.high.y() : box.low.y(),
                      k & 4 ? box.high.z() : box.low.z());
    const double depth = back.dot(camera.eye - corner);
    const std::optional<Vec2> at = lens.project(corner);
    if (!at) continue;
    step = std::max(step, depth * (at->cwiseAbs().maxCoeff() / (1.0 - corner_margin) - 1.0));
  }
  camera.eye += step * back;
}

}  // namespace

std::string field_of_choice(const RecordedRun& run) {
  const std::vector<RecordedField> fields = recorded_fields(run);
  const Bodies& bodies = run.bodies;
  const auto differ = [&](const auto& list) {
    return std::ranges::any_of(list, [&](const auto& x) { return !(x == list.front()); });
  };
  if (bodies.size() > 0 && differ(bodies.material)) return "material";
  const std::size_t shapes = find_field(fields, "shape")->categories.size();
  if (shapes > 1 && shapes <= most_kinds) return "shape";
  return size_kinds(run) > 1 ? "radius" : "speed";
}

void RunPicture::choose_field() {
  if (options_.field == chosen_field) options_.field = field_of_choice(reader_.run());
  const std::vector<RecordedField> fields = recorded_fields(reader_.run());
  if (const RecordedField* const found = find_field(fields, options_.field))
    field_ = *found;
  else if ((wall_quantity_ = wall_quantity(options_.field)))
    field_ = field_of(wall_quantities()[*wall_quantity_]);
  range_ = options_.range.value_or(options_.chains  ? force_range(reader_)
                                   : wall_quantity_ ? wall_range(reader_, *wall_quantity_)
                                                    : value_range(reader_, options_.field));
  if (options_.chains && range_[0] <= 0.0) range_[0] = 1e-3 * range_[1];
}

void RunPicture::set_camera(const Vec3& up) {
  const double aspect = static_cast<double>(layout_.scene.width) / layout_.scene.height;
  camera_ = framing_camera(run_.points, view_direction(options_.view, up), up, aspect, margin);
  const Eigen::AlignedBox3d box = box_of(run_.points);
  show_corners(run_.subject, aspect, camera_);
  if (!options_.target && !options_.eye)
    camera_.target =
        camera_.eye + (camera_.target - camera_.eye).normalized() * (camera_.eye - box.center()).norm();
  camera_.target = options_.target.value_or(options_.eye ? box.center() : camera_.target);
  camera_.eye = options_.eye.value_or(camera_.eye);
  camera_.eye = camera_.target + (camera_.eye - camera_.target) / options_.zoom;
}

RunPicture::RunPicture(const TrajectoryReader& reader, const PictureOptions& options)
    : reader_(reader),
      between_(reader, options.impacts),
      options_(options),
      run_(run_scene(reader, options.fit, options.frames)) {
  if (options.outlines || options.images) {
    for (const OutlineEdge& edge :
         cell_edges(reader, options.frames.empty() ? reader.frames() - 1 : options.frames.back(),
                    options.images ? 2.0 * image_share : 1.0))
      run_.points.insert(run_.points.end(), {edge.start, edge.end});
  }
  const Eigen::AlignedBox3d box = box_of(run_.points);
  run_.subject = {box.min(), box.max()};
  const Vec3 up = options.up.value_or(run_.up).normalized();
  choose_field();
  layout_.scene = {0, 0, options.width, options.height};
  if (options.labels)
    layout_ =
        layout_of(options.width, options.height, labels(reader.time_s().back(), reader.run().bodies.size()));
  set_camera(up);
  lighting_.up = up;
  lighting_.samples = options.samples;
  lighting_.middle = box.center();
  lighting_.shade_reach = shade_radii * run_.mean_radius;
  chain_radius_ = chain_radii * run_.mean_radius;
  if (!options.walls) return;
  lighting_.floor_radius = 0.5 * (run_.floor_region.high - run_.floor_region.low).maxCoeff();
  std::vector<std::size_t> seen = options.frames;
  for (std::size_t k = 0; options.frames.empty() && k < reader.frames(); ++k) seen.push_back(k);
  looks_ = wall_looks(reader, seen, camera_.eye, up, options.looks);
  stand(reader.run().model.boundaries);
}

bool RunPicture::is_cut_off(const Vec3& x) const {
  return options_.cut && options_.cut->normal.dot(x - options_.cut->point) > 0.0;
}

/// Walls as these boundaries stand.
void RunPicture::stand(const Boundaries& boundaries) {
  walls_ = picture_walls(boundaries, run_);
  if (options_.cut) {
    WallMesh kept{walls_.point, walls_.normal, {}, {}};
    for (std::size_t p = 0; p < walls_.polygon.size(); ++p) {
      Vec3 middle = Vec3::Zero();
      for (const std::int32_t corner : walls_.polygon[p]) middle += walls_.point[corner];
      if (is_cut_off(middle / static_cast<double>(walls_.polygon[p].size()))) continue;
      kept.polygon.push_back(walls_.polygon[p]);
      kept.boundary.push_back(walls_.boundary[p]);
    }
    walls_ = std::move(kept);
  }
  std::vector<bool> solid, is_floor;
  look_.clear();
  for (const std::int32_t b : walls_.boundary) {
    look_.push_back(looks_[b]);
    solid.push_back(looks_[b] != WallLook::glass);
    is_floor.push_back(looks_[b] == WallLook::floor);
  }
  edges_ = wall_edges(walls_, is_floor, camera_.eye);
  scene_.set_walls(walls_, solid);
}

std::vector<Colour> RunPicture::body_colours(std::size_t frame) const {
  const ColourMap map(options_.map);
  const double span = range_[1] - range_[0];
  std::vector<Colour> colours;
  for (const float value : field_values(reader_, frame, options_.field)) {
    const double part = span > 0.0 ? (value - range_[0]) / span : 0.5;
    colours.push_back(field_.categories.empty()
                          ? map(static_cast<float>(part))
                          : category_colour(static_cast<std::size_t>(std::lround(value))));
  }
  return colours;
}

std::vector<Chain> RunPicture::chains(std::size_t frame, Paint& paint) const {
  const ColourMap map(options_.map);
  const std::vector<ForceLine> lines = force_lines(reader_, frame);
  const std::vector<float> force = forces(lines);
  const float strong = order_statistic(force, force_share, 1.0f);
  std::vector<Chain> rods;
  for (const ForceLine& line : lines) {
    if (!(line.force > static_cast<float>(least_force) * strong) || !std::isfinite(line.force)) continue;
    if (!can_be_drawn(line.start.cast<double>()) || !can_be_drawn(line.end.cast<double>())) continue;
    // As wide as the root of the force over the strong ones of the frame: the area of the rod goes with what
    // it carries.
    const double width = std::sqrt(std::min(1.0, static_cast<double>(line.force) / strong));
    rods.push_back({line.start, line.end, static_cast<float>(chain_radius_ * width)});
    paint.chain.push_back(
        map(static_cast<float>(std::log(line.force / range_[0]) / std::log(range_[1] / range_[0]))));
  }
  return rods;
}

void RunPicture::add_images(std::size_t frame, Bodies& bodies, Paint& paint) const {
  const Outlines& outlines = reader_.run().outlines;
  if (!outlines.cell_centre) return;
  const Mat3 lattice = reader_.lattice(frame), inverse = lattice.inverse();
  const std::size_t own = bodies.size();
  const auto most = [&](std::size_t k) { return outlines.periodic[k] ? 1 : 0; };
  for (int z = -most(2); z <= most(2); ++z) {
    for (int y = -most(1); y <= most(1); ++y) {
      for (int x = -most(0); x <= most(0); ++x) {
        if (x == 0 && y == 0 && z == 0) continue;
        const Vec3 shift = lattice * Vec3(x, y, z);
        for (std::size_t i = 0; i < own; ++i) {
          const Vec3 place = bodies.position[i] + shift;
          const Vec3 share = inverse * (place - *outlines.cell_centre);
          const auto is_near = [&](int axis) {
            return outlines.periodic[axis] == 0 || std::abs(share[axis]) <= image_share;
          };
          if (!is_near(0) || !is_near(1) || !is_near(2)) continue;
          bodies.position.push_back(place);
          bodies.orientation.push_back(bodies.orientation[i]);
          bodies.shape.push_back(bodies.shape[i]);
          if (!paint.body.empty()) paint.body.push_back(paint.body[i]);
        }
      }
    }
  }
}

std::vector<ThinLine> RunPicture::lines(std::size_t frame, double time_s) {
  std::vector<ThinLine> list;
  const std::vector<float> share = edge_shares(walls_, edges_, camera_marks().metres_a_pixel);
  for (const WallEdge& edge : edges_) {
    const bool glass = looks_[edge.boundary] == WallLook::glass && !wall_quantity_;
    list.push_back(
        {edge.start, edge.end, glass ? glass_edge : metal_edge, edge_opacity * share[edge.boundary]});
  }
  if (options_.outlines) add_outlines(frame, list);
  if (options_.trace_s > 0.0) add_traces(time_s, list);
  return list;
}

void RunPicture::add_outlines(std::size_t frame, std::vector<ThinLine>& lines) const {
  std::vector<OutlineEdge> edges = cell_edges(reader_, frame, 1.0);
  const std::vector<OutlineEdge>& still = reader_.run().outlines.edges;
  edges.insert(edges.end(), still.begin(), still.end());
  for (const OutlineEdge& edge : edges) {
    if (!can_be_drawn(edge.start) || !can_be_drawn(edge.end)) continue;
    lines.push_back({edge.start, edge.end, edge_colours[static_cast<std::size_t>(edge.kind)]});
  }
}

void RunPicture::show_cells(std::size_t frame, Paint& paint) {
  const RecordedRun& run = reader_.run();
  const Frame shown = reader_.frame(frame, {0, 0});
  const std::vector<double> values = reader_.walls(frame)[*wall_quantity_];
  const ColourMap map(options_.map);
  walls_ = {};
  for (std::size_t c = 0; c < run.wall_cells.size(); ++c) {
    const std::int32_t b = run.wall_cells.boundary[c];
    if (!shown.boundary_removed.empty() && shown.boundary_removed[b] != 0) continue;
    const Pose pose = shown.boundary_motion.empty() ? Pose{} : shown.boundary_motion[b];
    std::array<Vec3, 3> corner = run.wall_cells.corners(c);
    for (Vec3& x : corner) x = pose.position + pose.orientation * x;
    const Vec3 normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]).stableNormalized();
    const auto* const plane = std::get_if<Plane>(&run.model.boundaries[b].surface);
    if (is_cut_off((corner[0] + corner[1] + corner[2]) / 3.0)) continue;
    if (plane != nullptr && (pose.orientation * plane->normal).dot(camera_.eye - corner[0]) <= 0.0) continue;
    const auto first = static_cast<std::int32_t>(walls_.point.size());
    walls_.point.insert(walls_.point.end(), corner.begin(), corner.end());
    walls_.normal.insert(walls_.normal.end(), 3, normal);
    walls_.polygon.push_back({first, first + 1, first + 2});
    walls_.boundary.push_back(b);
    paint.wall.push_back(map(static_cast<float>((values[c] - range_[0]) / (range_[1] - range_[0]))));
  }
  edges_ = wall_edges(walls_, std::vector<bool>(walls_.polygon.size(), false), camera_.eye);
  scene_.set_walls(walls_, std::vector<bool>(walls_.polygon.size(), true));
}

ColourBar RunPicture::colour_bar() const {
  if (options_.chains) return {"contact force, N", options_.map, range_[0], range_[1], true};
  ColourBar bar{field_.title(), options_.map, range_[0], range_[1], false, field_.categories};
  if (options_.field != "material") return bar;
  // Materials of walls only have no place among those of bodies.
  const auto& used = reader_.run().bodies.material;
  for (std::size_t m = 0; m < bar.categories.size(); ++m)
    if (std::ranges::find(used, MaterialIndex(static_cast<std::int64_t>(m))) != used.end())
      bar.shown.push_back(m);
  return bar;
}

CameraMarks RunPicture::camera_marks() const {
  const Vec3 towards = (camera_.eye - camera_.target).normalized();
  Vec3 right = -towards.cross(camera_.up);
  if (right.norm() < 1e-9) right = towards.unitOrthogonal();
  right.normalize();
  const Vec3 above = towards.cross(right);
  CameraMarks marks;
  const double depth = towards.dot(camera_.eye - box_of(run_.points).center());
  marks.metres_a_pixel =
      std::max(0.0, 2.0 * std::tan(0.5 * camera_.field_of_view) * depth / layout_.scene.height);
  for (int k = 0; k < 3; ++k) {
    marks.axis[k] = {right[k], above[k]};
    marks.towards[k] = towards[k];
  }
  return marks;
}

Labels RunPicture::labels(double time_s, std::size_t bodies) const {
  return {fmt::format("{}, {} {}", reader_.run().scene, bodies, bodies == 1 ? "body" : "bodies"),
          fmt::format("t = {:.{}f} s", time_s, time_digits(reader_.time_s().back())), colour_bar(),
          camera_marks()};
}

void RunPicture::add_traces(double time_s, std::vector<ThinLine>& lines) {
  const double begin = std::max(reader_.time_s().front(), time_s - options_.trace_s);
  std::vector<double> times;
  for (int k = 0; k <= trace_pieces; ++k) times.push_back(begin + (time_s - begin) * k / trace_pieces);
  // Corners that frames and recorded impacts show are not cut off.
  for (std::size_t k = between_.frame_before(begin); k < reader_.frames(); ++k)
    if (reader_.time_s()[k] > begin && reader_.time_s()[k] < time_s) times.push_back(reader_.time_s()[k]);
  std::ranges::sort(times);
  std::unordered_map<BodyId, Vec3> last;
  double before = begin;
  for (const double t : times) {
    const Bodies bodies = between_.bodies(t);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const auto [found, is_new] = last.try_emplace(bodies.id[i], bodies.position[i]);
      if (is_new) continue;
      std::vector<Vec3> way = between_.corners(bodies.id[i], found->second, before, t);
      way.push_back(bodies.position[i]);
      for (const Vec3& x : way) {
        if (found->second != x && can_be_drawn(x) && can_be_drawn(found->second)) {
          lines.push_back({found->second, x, trace_colour, 1.0f, trace_width});
        }
        found->second = x;
      }
    }
    before = t;
  }
}

Picture RunPicture::draw_at(double time_s) {
  const std::size_t frame = between_.frame_before(time_s);
  const RecordedRun& run = reader_.run();
  Paint paint;
  const bool clear = options_.chains || wall_quantity_;
  if (!clear) paint.body = body_colours(frame);
  std::vector<Chain> rods;
  if (options_.chains) rods = chains(frame, paint);
  Bodies bodies = between_.bodies(time_s);
  const std::size_t own = bodies.size();
  if (options_.images) add_images(frame, bodies, paint);
  if (options_.walls && wall_quantity_)
    show_cells(frame, paint);
  else if (options_.walls && reader_.walls_move())
    stand(reader_.boundaries(frame));
  scene_.set_bodies(run.model.shapes, bodies, clear, std::move(rods));
  if (!wall_quantity_) paint.look = look_;
  Picture picture =
      render(scene_, paint, camera_, lighting_, Picture(options_.width, options_.height), viewport());
  draw_lines(picture, viewport(), camera_, scene_, lines(frame, time_s));
  if (options_.labels) draw_labels(picture, labels(time_s, own), layout_);
  return picture;
}

}  // namespace scree::io
