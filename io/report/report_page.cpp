#include "io/report/report_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <scree_embedded.h>

#include "engine/geometry/glyph.h"
#include "engine/geometry/implicit/surface_mesh.h"
#include "io/files/input_file.h"
#include "io/render/camera.h"
#include "io/render/run_scene.h"
#include "io/report/packed.h"
#include "io/report/plots.h"
#include "io/results/colour_map.h"
#include "io/results/provenance.h"
#include "io/results/recorded_fields.h"
#include "io/scene/read_scene.h"

namespace scree::io {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t plot_points = 800, column_points = 300;
constexpr std::size_t most_frames = 400;
constexpr double bytes_a_pose = 16.0;  // position 3 x 2, quaternion 4 x 2, colours 2
constexpr float quaternion_scale = 32767.0f, position_scale = 65535.0f, colour_scale = 255.0f;
constexpr int map_colours = 33;
constexpr std::size_t palette_colours = 8;
constexpr double view_aspect = 1.6;   // width over height of the image for which the camera is placed
constexpr double view_margin = 0.08;  // of half an image, around the run
// Numbers of the bodies, in addition to those from their constants, for colours in the view.
const std::vector<std::string> view_fields{"speed", "height", "material", "contact_force"};

/// Six digits are enough for a line on a screen and make the page a third of the size.
Json rounded(double x) {
  if (!std::isfinite(x)) return nullptr;
  return std::strtod(fmt::format("{:.6g}", x).c_str(), nullptr);
}

Json rounded(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double x : values) list.push_back(rounded(x));
  return list;
}

Json to_json(const Vec3& v) { return {rounded(v.x()), rounded(v.y()), rounded(v.z())}; }

Json to_json(const Plot& plot) {
  Json series = Json::array();
  for (const Series& line : plot.series)
    series.push_back({{"name", line.name}, {"values", rounded(line.values)}});
  Json limits = Json::array();
  for (const Limit& limit : plot.limits)
    limits.push_back({{"name", limit.name}, {"value", limit.value}, {"colour", limit.colour}});
  return {{"title", plot.title},        {"x_label", plot.x_label}, {"y_label", plot.y_label},
          {"note", plot.note},          {"log", plot.logarithmic}, {"over_time", plot.over_time},
          {"bars", plot.bars},          {"x", rounded(plot.x)},    {"series", std::move(series)},
          {"limits", std::move(limits)}};
}

/// Triangles of fixed walls, by whether they are floors; of moving ones, by boundary.
Json wall_json(const RunScene& scene, const TrajectoryReader& reader,
               const std::vector<std::size_t>& frames) {
  const RecordedRun& run = reader.run();
  std::vector<bool> moves(run.model.boundaries.size(), false);
  Json motion = Json::array();   // [frame][boundary] position, quaternion x y z w
  Json removed = Json::array();  // [frame][boundary]
  for (const std::size_t k : frames) {
    const Frame walls = reader.walls_move() ? reader.frame(k, {0, 0}) : Frame{};
    const std::vector<Pose>& poses = walls.boundary_motion;
    for (std::size_t b = 0; b < walls.boundary_removed.size(); ++b)
      if (walls.boundary_removed[b] != 0) moves[b] = true;
    removed.push_back(walls.boundary_removed);
    Json of_frame = Json::array();
    for (std::size_t b = 0; b < poses.size(); ++b) {
      const auto& [x, q] = poses[b];
      if (!x.isZero(0.0) || !q.vec().isZero(0.0)) moves[b] = true;
      of_frame.push_back({x.x(), x.y(), x.z(), q.x(), q.y(), q.z(), q.w()});
    }
    motion.push_back(std::move(of_frame));
  }
  Json moving = Json::array();
  std::vector<std::size_t> part_of(moves.size(), 0);
  for (std::size_t b = 0; b < moves.size(); ++b) {
    if (!moves[b]) continue;
    part_of[b] = moving.size();
    moving.push_back({{"boundary", b}, {"triangles", Json::array()}});
  }
  // Seen from above: each floor is one.
  const Vec3 above = box_of(scene.points).center() + 1e6 * scene.up;
  const std::vector<bool> floor = floors(scene.walls, run.model.boundaries, scene.up, above);
  Json point = Json::array(), triangles[2] = {Json::array(), Json::array()};
  for (const Vec3& p : scene.walls.point) {
    for (const double x : p) point.push_back(rounded(x));
  }
  for (std::size_t p = 0; p < floor.size(); ++p) {
    const std::vector<std::int32_t>& corner = scene.walls.polygon[p];
    for (std::size_t c = 2; c < corner.size(); ++c) {
      const auto b = static_cast<std::size_t>(scene.walls.boundary[p]);
      Json& part = moves[b] ? moving[part_of[b]]["triangles"] : triangles[floor[p] ? 1 : 0];
      for (const std::size_t k : {std::size_t{0}, c - 1, c}) part.push_back(corner[k]);
    }
  }
  return {{"point", std::move(point)},        {"clear", std::move(triangles[0])},
          {"floor", std::move(triangles[1])}, {"moving", std::move(moving)},
          {"motion", std::move(motion)},      {"removed", std::move(removed)}};
}

constexpr std::size_t most_cells = 300000;
const std::array felt_by_walls{WallValue::wear, WallValue::largest_pressure, WallValue::impacts};

/// Wall cells at rest, and their final values, from 0 to a value that few exceed; null if there
/// are none, or too many for a page.
Json cells_json(const TrajectoryReader& reader) {
  const WallCellMesh& cells = reader.run().wall_cells;
  if (cells.size() == 0 || cells.size() > most_cells || reader.frames() == 0) return nullptr;
  const auto numbers = [](const auto& rows) {
    std::vector<float> list;
    for (const auto& row : rows)
      for (const auto x : row) list.push_back(static_cast<float>(x));
    return packed(list);
  };
  const WallValues values = reader.walls(reader.frames() - 1);
  Json felt = Json::array();
  for (const WallValue value : felt_by_walls) {
    const auto k = static_cast<std::size_t>(value);
    std::vector<double> some;
    for (const double x : values[k])
      if (x > 0.0) some.push_back(x);
    if (some.empty()) continue;
    const auto top = static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(some.size() - 1));
    std::nth_element(some.begin(), some.begin() + top, some.end());
    std::vector<float> level;
    for (const double x : values[k]) level.push_back(static_cast<float>(std::clamp(x / some[top], 0.0, 1.0)));
    const WallQuantity& q = wall_quantities()[k];
    felt.push_back({{"name", q.name},
                    {"title", field_of(q).title()},
                    {"low", 0.0},
                    {"high", rounded(some[top])},
                    {"categories", Json::array()},
                    {"level", packed(level)}});
  }
  if (felt.empty()) return nullptr;
  return {{"points", numbers(cells.surface.points)},
          {"triangles", numbers(cells.surface.triangles)},
          {"boundary", packed(std::vector<float>(cells.boundary.begin(), cells.boundary.end()))},
          {"felt", std::move(felt)}};
}

/// Ends of edges, one after the other.
Json edges_json(const std::vector<OutlineEdge>& edges) {
  Json numbers = Json::array();
  for (const OutlineEdge& edge : edges)
    for (const Vec3& end : {edge.start, edge.end})
      for (const double x : end) numbers.push_back(rounded(x));
  return numbers;
}

/// Edges of inlets, outlets and the domain; and of a periodic cell, frame by frame.
Json outline_json(const TrajectoryReader& reader, const std::vector<std::size_t>& frames) {
  const Outlines& outlines = reader.run().outlines;
  Json cell = Json::array();
  for (const std::size_t k : frames)
    if (outlines.cell_centre)
      cell.push_back(edges_json(cell_outline(*outlines.cell_centre, reader.lattice(k))));
  return {{"still", edges_json(outlines.edges)}, {"cell", std::move(cell)}};
}

Json surface_json(const SurfaceMesh& mesh) {
  const auto numbers = [](const auto& rows) {
    std::vector<float> list;
    for (const auto& row : rows) {
      for (const auto x : row) list.push_back(static_cast<float>(x));
    }
    return packed(list);
  };
  return {{"points", numbers(mesh.points)},
          {"normals", numbers(mesh.normals)},
          {"triangles", numbers(mesh.triangles)}};
}

/// The poses of the selected frames, with 16 bits per number.
class PackedView {
 public:
  PackedView(const TrajectoryReader& reader, std::vector<std::size_t> frames)
      : reader_(reader), frames_(std::move(frames)), box_(position_box()), last_(reader.run().bodies.size()) {
    const std::vector<RecordedField> known = recorded_fields(reader.run());
    for (const std::string& name : view_fields) {
      fields_.push_back(*find_field(known, name));
      // Categories have their own colours: one step of the range each.
      range_.push_back(fields_.back().categories.empty() ? value_range(reader, name)
                                                         : std::array<double, 2>{0.0, colour_scale});
    }
    colour_.resize(view_fields.size());
  }

  /// All numbers of a missing body are 0, including its rotation, which hides it.
  void add(std::size_t k) {
    const Frame frame = reader_.frame(k);
    const std::vector<std::int32_t> rows = reader_.rows(k);
    const std::size_t n = last_.size(), first_position = position_.size(), first_turn = quaternion_.size();
    position_.resize(first_position + 3 * n);
    quaternion_.resize(first_turn + 4 * n);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(rows[i]);
      bool is_seen = true;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<Eigen::Index>(axis);
        const auto low = static_cast<float>(box_.min()[a]), size = static_cast<float>(box_.sizes()[a]);
        const float at = size > 0.0f ? (frame.position[i][a] - low) / size : 0.0f;
        is_seen = is_seen && at > -1e-3f && at < 1.0f + 1e-3f;
        position_[first_position + axis * n + row] =
            static_cast<std::uint16_t>(std::lround(position_scale * (at > 0.0f ? std::min(at, 1.0f) : 0.0f)));
      }
      // q and -q are the same rotation: the one nearer to the frame before changes less and compresses
      // better.
      std::array<float, 4> q = frame.orientation[i];
      const std::array<float, 4>& p = last_[row];
      if (!is_seen) q = {};
      if (q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3] < 0.0f) {
        for (float& x : q) x = -x;
      }
      if (is_seen) last_[row] = q;
      for (std::size_t c = 0; c < 4; ++c) {
        const float x = std::isfinite(q[c]) ? std::clamp(q[c], -1.0f, 1.0f) : 0.0f;
        quaternion_[first_turn + c * n + row] = static_cast<std::uint16_t>(std::lround(quaternion_scale * x));
      }
    }
    for (std::size_t f = 0; f < view_fields.size(); ++f) add_colours(k, f, rows);
  }

  Json json() const {
    const std::size_t n = last_.size();
    Json times = Json::array(), fields = Json::array();
    for (const std::size_t k : frames_) times.push_back(rounded(reader_.time_s()[k]));
    for (std::size_t f = 0; f < view_fields.size(); ++f) {
      fields.push_back({{"name", view_fields[f]},
                        {"title", fields_[f].title()},
                        {"categories", fields_[f].categories},
                        {"low", rounded(range_[f][0])},
                        {"high", rounded(range_[f][1])},
                        {"data", packed_frames(colour_[f], n)}});
    }
    const Shapes& shapes = reader_.run().model.shapes;
    std::vector<float> meshes, scales;
    for (const ShapeIndex shape : reader_.run().bodies.shape) {
      const Glyph shown = glyph(shapes, shape);
      meshes.push_back(static_cast<float>(shown.mesh));
      for (const double x : shown.scale) scales.push_back(static_cast<float>(x));
    }
    // About as many triangles as a ball.
    const int fineness = n <= 3000 ? 8 : n <= 20000 ? 5 : 3;
    Json surfaces = Json::array();
    for (std::size_t k = 0; k < glyph_count(shapes); ++k)
      surfaces.push_back(surface_json(glyph_mesh(shapes, k, fineness)));
    return {{"bodies", n},
            {"times", std::move(times)},
            {"low", to_json(box_.min())},
            {"size", to_json(box_.sizes())},
            {"mesh", packed(meshes)},
            {"scale", packed(scales)},
            {"surfaces", std::move(surfaces)},
            {"position", packed_frames(position_, 3 * n)},
            {"quaternion", packed_frames(quaternion_, 4 * n)},
            {"fields", std::move(fields)}};
  }

 private:
  /// The box of all positions, without the few that have flown so far off that the others would have too few
  /// of the steps between 0 and position_scale; the page hides these.
  Eigen::AlignedBox3d position_box() const {
    constexpr double share = 0.01, farthest = 5.0;  // of the positions; over the size of the others' box
    std::array<std::vector<float>, 3> all;
    for (const std::size_t k : frames_) {
      for (const Vec3f& p : reader_.frame(k).position) {
        if (!p.allFinite()) continue;
        for (std::size_t axis = 0; axis < 3; ++axis) all[axis].push_back(p[static_cast<Eigen::Index>(axis)]);
      }
    }
    if (all[0].empty()) return Eigen::AlignedBox3d(Vec3(Vec3::Zero()));
    Eigen::AlignedBox3d whole, most;
    Vec3 corners[4];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<float>& x = all[axis];
      const auto a = static_cast<Eigen::Index>(axis);
      const auto ranked = [&](double at) {
        const auto place = x.begin() + std::lround(at * static_cast<double>(x.size() - 1));
        std::nth_element(x.begin(), place, x.end());
        return double{*place};
      };
      corners[0][a] = ranked(0.0);
      corners[1][a] = ranked(share);
      corners[2][a] = ranked(1.0 - share);
      corners[3][a] = ranked(1.0);
    }
    whole = {corners[0], corners[3]};
    most = {corners[1], corners[2]};
    const double room = farthest * most.sizes().maxCoeff();
    most = {most.min() - Vec3::Constant(room), most.max() + Vec3::Constant(room)};
    return room > 0.0 ? whole.intersection(most) : whole;
  }

  void add_colours(std::size_t k, std::size_t f, const std::vector<std::int32_t>& rows) {
    const double span = range_[f][1] - range_[f][0];
    const std::vector<float> values = field_values(reader_, k, view_fields[f]);
    const std::size_t first = colour_[f].size();
    colour_[f].resize(first + last_.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double at = span > 0.0 ? (values[i] - range_[f][0]) / span : 0.0;
      colour_[f][first + static_cast<std::size_t>(rows[i])] =
          static_cast<std::uint8_t>(std::lround(colour_scale * (at > 0.0 ? std::min(at, 1.0) : 0.0)));
    }
  }

  const TrajectoryReader& reader_;
  std::vector<std::size_t> frames_;
  Eigen::AlignedBox3d box_;
  std::vector<RecordedField> fields_;
  std::vector<std::array<double, 2>> range_;          // [field]
  std::vector<std::uint16_t> position_, quaternion_;  // [frame][component][body]
  std::vector<std::vector<std::uint8_t>> colour_;     // [field][frame][body]
  std::vector<std::array<float, 4>> last_;            // [body] last rotation
};

std::vector<std::size_t> view_frames(const TrajectoryReader& reader, const ReportOptions& options) {
  const double bodies = std::max(1.0, static_cast<double>(reader.run().bodies.size()));
  const double wanted =
      std::clamp(options.view_bytes / (bytes_a_pose * bodies), 2.0, static_cast<double>(most_frames));
  return sampled_frames(reader.frames(), static_cast<std::size_t>(wanted));
}

/// Extent of the points beside the camera's target, and above or below it, over their depth.
Vec2 tangents(const std::vector<Vec3>& points, const Camera& camera) {
  const Lens lens(camera, 1.0);
  Vec2 most = Vec2::Zero();
  for (const Vec3& point : points) {
    if (const std::optional<Vec2> seen = lens.project(point)) most = most.cwiseMax(seen->cwiseAbs());
  }
  return std::tan(0.5 * camera.field_of_view) * most;
}

Json view_json(const TrajectoryReader& reader, const ReportOptions& options, const FramesDone& done) {
  const std::vector<std::size_t> frames = view_frames(reader, options);
  PackedView view(reader, frames);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    view.add(frames[i]);
    done(i + 1, frames.size());
  }
  Json json = view.json();
  const RunScene scene = run_scene(reader);
  const Camera camera =
      framing_camera(scene.points, view_direction("corner", scene.up), scene.up, view_aspect, view_margin);
  const Vec3 middle = box_of(scene.points).center();
  const Vec2 reach = tangents(scene.points, {camera.eye, middle, scene.up, camera.field_of_view});
  json["up"] = to_json(scene.up);
  json["eye"] = to_json(camera.eye);
  json["middle"] = to_json(middle);
  json["reach"] = {rounded(reach.x() / (1.0 - view_margin)), rounded(reach.y() / (1.0 - view_margin))};
  json["walls"] = wall_json(scene, reader, frames);
  json["cells"] = cells_json(reader);
  json["outlines"] = outline_json(reader, frames);
  Json colours = Json::array();
  const ColourMap map(default_map);
  for (int k = 0; k < map_colours; ++k) {
    const Colour colour = map(static_cast<float>(k) / static_cast<float>(map_colours - 1));
    colours.push_back({rounded(colour[0]), rounded(colour[1]), rounded(colour[2])});
  }
  json["map"] = std::move(colours);
  json["palette"] = Json::array();
  for (std::size_t k = 0; k < palette_colours; ++k) {
    const Colour colour = category_colour(k);
    json["palette"].push_back({rounded(colour[0]), rounded(colour[1]), rounded(colour[2])});
  }
  return json;
}

/// summary.json, or null if a run goes on or was interrupted.
Json summary_json(const RunFolder& folder) {
  std::string problem;
  const std::optional<std::string> text = read_bytes(folder.summary(), problem);
  const Json summary = text ? Json::parse(*text, nullptr, false) : Json(nullptr);
  return summary.is_discarded() ? Json(nullptr) : summary;  // it is being written
}

Json run_json(const RecordedRun& run) {
  Json materials = Json::array(), pairs = Json::array(), boundaries = Json::array();
  for (std::size_t m = 0; m < run.model.materials.size(); ++m) {
    const MaterialIndex index(static_cast<std::int64_t>(m));
    const PairLaw& law = run.model.materials.law(index, index);
    materials.push_back({{"name", run.model.materials.name(index)},
                         {"density", run.model.materials.density(index)},
                         {"friction", law.friction},
                         {"restitution", law.restitution}});
    for (std::size_t other = 0; other < m; ++other) {
      const MaterialIndex second(static_cast<std::int64_t>(other));
      const PairLaw& mixed = run.model.materials.law(index, second);
      pairs.push_back({{"a", run.model.materials.name(second)},
                       {"b", run.model.materials.name(index)},
                       {"friction", mixed.friction},
                       {"restitution", mixed.restitution},
                       {"rolling_m", mixed.rolling_friction_m},
                       {"rolling_ratio", mixed.rolling_friction_ratio},
                       {"torsional_ratio", mixed.torsional_friction_ratio},
                       {"torsional_m", mixed.torsional_friction_m}});
    }
  }
  for (const Boundary& boundary : run.model.boundaries) {
    boundaries.push_back({{"name", boundary.name}, {"kind", name_of(boundary.surface)}});
  }
  return {{"scene", run.scene},
          {"description", run.description},
          {"created", run.created},
          {"version", run.scree_version},
          {"commit", run.made_with.commit},
          {"compiler", run.made_with.compiler},
          {"machine", run.made_with.machine},
          {"bodies", rows_of_bodies(run).size()},
          {"adaptive_step", run.model.settings.adaptive_step},
          {"time_step_s", run.model.settings.time_step_s},
          {"gravity_m_s2", to_json(run.model.settings.gravity)},
          {"end_time_s", run.end_time_s},
          {"overrides", run.overrides},
          {"materials", std::move(materials)},
          {"pairs", std::move(pairs)},
          {"settings", settings_in_effect(run.text, run.overrides)},
          {"boundaries", std::move(boundaries)},
          {"text", run.text}};
}

/// JSON for a <script> element, which ends at the first "</script": no "<" is left.
std::string script_json(const Json& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  }
  return result;
}

/// Inserts the parts at {{name}} in the page.
std::string filled(std::string_view page, const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string text;
  for (std::size_t at = 0; at < page.size();) {
    const std::size_t open = page.find("{{", at), close = page.find("}}", open);
    text += page.substr(at, open - at);
    if (open == std::string_view::npos) break;
    const std::string name(page.substr(open + 2, close - open - 2));
    const auto part =
        std::find_if(parts.begin(), parts.end(), [&](const auto& p) { return p.first == name; });
    text += part->second;
    at = close + 2;
  }
  return text;
}

/// The requested residual of the solver, for bodies at rest, where gravity is the only scale.
void add_goal(Plot& plot, const RecordedRun& run) {
  for (const auto& [name, value] : settings_in_effect(run.text, run.overrides)) {
    if (name == "solver.tolerance") plot.limits.push_back({"solver.tolerance", std::stod(value), "#5b6b7b"});
  }
}

}  // namespace

std::string beside_page(const std::string& left, const std::string& right, const std::string& title) {
  return filled(beside_html, {{"title", escaped(title)}, {"left", escaped(left)}, {"right", escaped(right)}});
}

std::string report_data(const RunFolder& folder, const TrajectoryReader& reader, const StepRows& steps,
                        const ReportOptions& options, const FramesDone& done) {
  Json plots = Json::array();
  for (Plot& plot : step_plots(steps, plot_points)) {
    if (plot.title == "Residual") add_goal(plot, reader.run());
    plots.push_back(to_json(plot));
  }
  for (const Plot& plot : load_plots(folder, plot_points)) plots.push_back(to_json(plot));
  for (const Plot& plot : body_plots(reader)) plots.push_back(to_json(plot));
  const Json data{{"version", options.version},
                  {"run", run_json(reader.run())},
                  {"folder", folder.path.string()},
                  {"summary", summary_json(folder)},
                  {"view", view_json(reader, options, done)},
                  {"plots", std::move(plots)},
                  {"any_column", to_json(any_column(steps, column_points))}};
  return script_json(data);
}

std::string page_around(const std::string& data, const std::string& scene) {
  const auto text = [](std::string_view view) { return std::string(view); };
  return filled(page_html, {{"title", escaped(scene)},
                            {"style", text(uplot_css) + text(page_css)},
                            {"three", text(three_js)},
                            {"controls", text(orbit_controls_js)},
                            {"uplot", text(uplot_js)},
                            {"data", data},
                            {"version", escaped(scree_version())},
                            {"page", text(page_js)}});
}

std::string report_page(const RunFolder& folder, const TrajectoryReader& reader, const ReportOptions& options,
                        const FramesDone& done) {
  return page_around(report_data(folder, reader, StepRows(folder.steps()), options, done),
                     reader.run().scene);
}

}  // namespace scree::io
