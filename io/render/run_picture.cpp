#include "io/render/run_picture.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <unordered_map>

namespace scree::io {

namespace {

/// Digits of times in a run that ends then: a thousandth of a second, or of the run if that is shorter.
int time_digits(double end_s) {
  return end_s > 0.0 ? std::clamp(static_cast<int>(std::floor(3.0 - std::log10(end_s))), 3, 9) : 3;
}

constexpr double margin = 0.06;        // of half the picture stays free
constexpr std::size_t looked_at = 24;  // frames that decide about the colours of forces
constexpr double force_share = 0.99;
constexpr double least_force = 0.01;   // of the strong ones of the frame: what is weaker would be hair
constexpr double chain_radii = 0.3;    // mean radii: half the width of the strongest chains
constexpr double edge_share = 0.0015;  // of the size of what is seen: half the width of outlines
constexpr int trace_pieces = 100;      // that a way is drawn in, at least
constexpr double trace_radii = 1.0;    // of outlines
const Colour trace_colour{0.85f, 0.45f, 0.10f};
constexpr double image_share = 0.75;  // of the cell, from its middle: how far images are drawn
// [OutlineKind]
const std::array<Colour, 4> edge_colours{Colour(0.35f, 0.38f, 0.42f), Colour(0.10f, 0.55f, 0.25f),
                                         Colour(0.80f, 0.40f, 0.10f), Colour(0.45f, 0.45f, 0.70f)};
constexpr double shade_radii = 8.0;  // mean radii: what is nearer shades

float quantile(std::vector<float>& values, double share) {
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[at];
}

std::vector<float> forces(const std::vector<ForceLine>& lines) {
  std::vector<float> force;
  for (const ForceLine& line : lines) {
    if (line.force > 0.0f && std::isfinite(line.force)) force.push_back(line.force);
  }
  return force;
}

/// What most forces of the run lie between, at most four decades: impacts outweigh rest by far, so colours go
/// with the logarithm.
std::array<double, 2> force_range(const TrajectoryReader& reader) {
  std::vector<float> all;
  for (const std::size_t k : sampled_frames(reader.frames(), looked_at)) {
    const std::vector<float> force = forces(force_lines(reader, k));
    all.insert(all.end(), force.begin(), force.end());
  }
  if (all.empty()) return {0.1, 1.0};
  const double low = quantile(all, 1.0 - force_share), high = quantile(all, force_share);
  return {std::clamp(low, 1e-4 * high, 0.1 * high), high};
}

}  // namespace

std::vector<ForceLine> force_lines(const TrajectoryReader& reader, std::size_t frame) {
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
  return {0.0, all.empty() ? 1.0 : quantile(all, force_share)};
}

/// Of a periodic cell in a frame, as so many times as large; none if there is none.
std::vector<OutlineEdge> cell_edges(const TrajectoryReader& reader, std::size_t frame, double size) {
  const std::optional<Vec3>& centre = reader.run().outlines.cell_centre;
  if (!centre) return {};
  return cell_outline(*centre, size * reader.lattice(frame));
}

}  // namespace

RunPicture::RunPicture(const TrajectoryReader& reader, const PictureOptions& options)
    : reader_(reader), between_(reader, options.impacts), options_(options) {
  RunScene run = run_scene(reader, options.fit);
  if (options.outlines || options.images) {
    for (const OutlineEdge& edge :
         cell_edges(reader, reader.frames() - 1, options.images ? 2.0 * image_share : 1.0))
      run.points.insert(run.points.end(), {edge.start, edge.end});
  }
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
  edge_radius_ = edge_share * box.diagonal().norm();
  const std::vector<RecordedField> fields = recorded_fields(reader.run());
  if (const RecordedField* const found = find_field(fields, options.field))
    field_ = *found;
  else if ((wall_quantity_ = wall_quantity(options.field)))
    field_ = field_of(wall_quantities()[*wall_quantity_]);
  range_ = options.range.value_or(options.chains   ? force_range(reader)
                                  : wall_quantity_ ? wall_range(reader, *wall_quantity_)
                                                   : value_range(reader, options.field));
  if (options.chains && range_[0] <= 0.0) range_[0] = 1e-3 * range_[1];
  if (!options.walls) return;
  lighting_.floor_radius = 0.5 * (run.region.high - run.region.low).maxCoeff();
  region_ = run.region;
  stand(reader.run().model.boundaries);
}

bool RunPicture::is_cut_off(const Vec3& x) const {
  return options_.cut && options_.cut->normal.dot(x - options_.cut->point) > 0.0;
}

/// Walls as these boundaries stand.
void RunPicture::stand(const Boundaries& boundaries) {
  walls_ = wall_mesh(boundaries, region_);
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
  scene_.set_walls(walls_, floors(walls_, boundaries, lighting_.up, camera_.eye));
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
  std::vector<float> force = forces(lines);
  const float strong = force.empty() ? 1.0f : quantile(force, force_share);
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
          if (!((inverse * (place - *outlines.cell_centre)).cwiseAbs().maxCoeff() <= image_share)) continue;
          bodies.position.push_back(place);
          bodies.orientation.push_back(bodies.orientation[i]);
          bodies.shape.push_back(bodies.shape[i]);
          if (!paint.body.empty()) paint.body.push_back(paint.body[i]);
        }
      }
    }
  }
}

void RunPicture::add_outlines(std::size_t frame, std::vector<Chain>& rods, Paint& paint) const {
  std::vector<OutlineEdge> edges = cell_edges(reader_, frame, 1.0);
  const std::vector<OutlineEdge>& still = reader_.run().outlines.edges;
  edges.insert(edges.end(), still.begin(), still.end());
  for (const OutlineEdge& edge : edges) {
    if (!can_be_drawn(edge.start) || !can_be_drawn(edge.end)) continue;
    rods.push_back({edge.start.cast<float>(), edge.end.cast<float>(), static_cast<float>(edge_radius_)});
    paint.chain.push_back(edge_colours[static_cast<std::size_t>(edge.kind)]);
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
  scene_.set_walls(walls_, std::vector<bool>(walls_.polygon.size(), true));
}

ColourBar RunPicture::colour_bar() const {
  if (options_.chains) return {"contact force, N", options_.map, range_[0], range_[1], true};
  return {field_.title(), options_.map, range_[0], range_[1], false, field_.categories};
}

void RunPicture::add_traces(double time_s, std::vector<Chain>& rods, Paint& paint) {
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
          rods.push_back(
              {found->second.cast<float>(), x.cast<float>(), static_cast<float>(trace_radii * edge_radius_)});
          paint.chain.push_back(trace_colour);
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
  if (options_.outlines) add_outlines(frame, rods, paint);
  if (options_.trace_s > 0.0) add_traces(time_s, rods, paint);
  if (options_.walls && wall_quantity_)
    show_cells(frame, paint);
  else if (options_.walls && reader_.walls_move())
    stand(reader_.boundaries(frame));
  scene_.set_bodies(run.model.shapes, bodies, clear, std::move(rods));
  Picture picture =
      render(scene_, walls_, paint, camera_, lighting_, Picture(options_.width, options_.height));
  if (options_.labels) {
    draw_labels(picture,
                {fmt::format("{}, {} {}", run.scene, own, own == 1 ? "body" : "bodies"),
                 fmt::format("t = {:.{}f} s", time_s, time_digits(reader_.time_s().back())), colour_bar()});
  }
  return picture;
}

}  // namespace scree::io
