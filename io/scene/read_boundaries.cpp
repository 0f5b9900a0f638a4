// Boundaries and their motion.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <stdexcept>

#include "engine/core/rotation.h"
#include "engine/geometry/ellipsoid_surfaces.h"
#include "engine/geometry/implicit/implicit_mesh.h"
#include "engine/geometry/mesh_repair.h"
#include "io/files/csv_file.h"
#include "io/files/ending.h"
#include "io/files/file_errors.h"
#include "io/files/input_file.h"
#include "io/files/mesh_file.h"
#include "io/files/vtk_file.h"
#include "io/results/frame.h"
#include "io/scene/expressions.h"
#include "io/scene/faults.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

std::optional<Vec3> read_direction(const Section& section, std::string_view key, Reading& reading) {
  const Vec3 v = section.vector(key);
  if (!v.isZero(0.0)) return v.normalized();
  reading.faults.push_back(about(section, key, "must not be zero"));
  return std::nullopt;
}

namespace {

void add_warning(const Section& section, std::string_view key, std::string problem, Reading& reading) {
  reading.scene.warnings.push_back(about(section, key, std::move(problem)));
}

void tell_findings(const Section& section, const MeshFindings& f, bool sheets, Reading& reading) {
  const auto warn = [&](std::size_t count, const char* what) {
    if (count > 0) add_warning(section, "file", fmt::format(fmt::runtime(what), count), reading);
  };
  warn(f.dropped, "{} triangles have no area or are duplicates; they are ignored");
  if (!sheets) {
    warn(f.open_edges,
         "{} edges have only one triangle: the mesh has holes or rims (write `sheets = true` if this is "
         "intended; `scree mesh` lists them)");
    warn(f.crowded_edges,
         "{} edges have more than two triangles (write `sheets = true` if this is intended)");
  }
  warn(f.turned_edges, "{} edges are between triangles with opposite orientation");
  warn(f.needles, "{} triangles have an angle below 1 degree");
}

/// Records the rounding errors of a mesh in single precision: an STL file in which all numbers are exact in
/// single precision.
void note_precision(const Section& section, const std::filesystem::path& file, const TriangleMesh& mesh,
                    double scale, Reading& reading) {
  if (ending_of(file) != ".stl") return;
  double most = 0.0;
  for (const Vec3& point : mesh.points) {
    if (point != point.cast<float>().cast<double>()) return;
    most = std::max(most, point.cwiseAbs().maxCoeff());
  }
  reading.coarse_meshes.push_back({section, single_rounding(scale * most)});
}

/// The mesh of the section's `file`, with points at scale * x + shift, m.
std::shared_ptr<MeshSurface> read_surface_of_mesh(const Section& section, double scale, const Vec3& shift,
                                                  double weld_m, MeshFindings& findings, Reading& reading) {
  const std::filesystem::path file = beside_scene(section.text("file"), reading);
  TriangleMesh mesh;
  std::vector<std::string> odd;
  try {
    mesh = read_mesh(file, odd);
  } catch (const ReadError& e) {
    reading.faults.push_back(about(section, "file", fmt::format("is not a valid mesh: {}", e.what())));
    return nullptr;
  } catch (const VtkMissing& e) {
    reading.faults.push_back(about(section, "file", fmt::format("cannot be read: {}", e.what())));
    return nullptr;
  }
  for (std::string& what : odd) add_warning(section, "file", std::move(what), reading);
  note_precision(section, file, mesh, scale, reading);
  for (Vec3& point : mesh.points) {
    point = scale * point + shift;
    if (point.allFinite()) continue;
    reading.faults.push_back(about(section, "file", "has numbers that are not finite"));
    return nullptr;
  }
  if (weld_m > 0.0) mesh = without_t_junctions(welded(mesh, weld_m), weld_m);
  auto surface = std::make_shared<MeshSurface>(mesh_surface(mesh, findings));
  if (!surface->triangles.empty()) return surface;
  reading.faults.push_back(about(section, "file", "has no triangle with an area"));
  return nullptr;
}

std::optional<PlacedMesh> read_mesh_surface(const Section& section, Reading& reading) {
  const auto placement = settings_of<MeshPlacement>(section);
  MeshFindings findings;
  const std::shared_ptr<MeshSurface> surface =
      read_surface_of_mesh(section, placement.scale, Vec3::Zero(), placement.weld, findings, reading);
  if (surface == nullptr) return std::nullopt;
  const std::size_t parts =
      std::max({surface->triangle_of_patch.size(), surface->edges.size(), surface->points.size()});
  if (reading.top->find("shapes") != nullptr && parts > most_mesh_parts) {
    reading.faults.push_back(about(
        section, "file", fmt::format("is too fine for bodies with function shapes: it has {} edges", parts)));
    return std::nullopt;
  }
  tell_findings(section, findings, placement.sheets, reading);
  return PlacedMesh{surface, {placement.position, fixed_orientation(section).value_or(Quat::Identity())}};
}

}  // namespace

void cut_walls(const Section& top, Reading& reading) {
  Scene& scene = reading.scene;
  if (scene.output.wall_cells_m == 0.0 || !reading.faults.empty()) return;
  try {
    ViewBox region = picture_region(scene.initial.bodies, scene.model);
    const PeriodicCell& cell = scene.model.cell;
    for (int k = 0; k < 3; ++k) {
      if (!cell.periodic[k]) continue;
      region.low[k] = cell.low[k];
      region.high[k] = cell.high[k];
    }
    scene.model.wall_cells = cut_into_cells(scene.model.boundaries, region, scene.output.wall_cells_m);
  } catch (const std::length_error&) {
    reading.faults.push_back(
        about(top.child("output"), "wall_cells",
              fmt::format("is too small: the walls would have more than {} cells", most_wall_cells)));
    reading.faults.back().suggestion = "write a larger value";
  }
}

std::optional<MeshRegion> read_mesh_region(const Section& section, Reading& reading) {
  MeshFindings findings;
  const std::shared_ptr<MeshSurface> surface = read_surface_of_mesh(
      section, section.has("scale") ? section.number("scale") : 1.0,
      section.has("position") ? section.vector("position") : Vec3(Vec3::Zero()), 0.0, findings, reading);
  if (surface == nullptr) return std::nullopt;
  if (findings.open_edges + findings.crowded_edges > 0) {
    reading.faults.push_back(
        about(section, "file",
              fmt::format("is not a closed mesh: {} edges have one triangle, {} have more than two",
                          findings.open_edges, findings.crowded_edges)));
    return std::nullopt;
  }
  return MeshRegion{surface};
}

namespace {

/// A profile about an axis.
struct Turned {
  Vec3 start, axis;  // m; unit
  std::vector<Vec2> corners;
};

/// Profile of a cylinder or a cone from its start to its end, with the discs that close it.
std::optional<Turned> read_between_ends(const Section& section, double start_radius, double end_radius,
                                        Reading& reading) {
  const Vec3 start = section.vector("start"), way = section.vector("end") - start;
  if (way.isZero(0.0)) {
    reading.faults.push_back(about(section, "end", "must differ from start"));
    return std::nullopt;
  }
  const double length = way.norm();
  std::vector<Vec2> corners{{start_radius, 0.0}, {end_radius, length}};
  for (const std::string& cap : section.texts("caps")) {
    if (cap == "start" && corners.front()[0] > 0.0) corners.insert(corners.begin(), Vec2(0.0, 0.0));
    if (cap == "end" && corners.back()[0] > 0.0) corners.emplace_back(0.0, length);
  }
  return Turned{start, way / length, std::move(corners)};
}

std::optional<Turned> read_turned(const Section& section, const std::string& type, Reading& reading) {
  if (type == "cylinder")
    return read_between_ends(section, section.number("radius"), section.number("radius"), reading);
  if (type == "cone")
    return read_between_ends(section, section.number("start_radius"), section.number("end_radius"), reading);
  if (type == "disc") {
    const Vec3 normal = section.has("normal")
                            ? read_direction(section, "normal", reading).value_or(Vec3::Zero())
                            : Vec3(Vec3::UnitZ());
    if (normal.isZero(0.0)) return std::nullopt;
    return Turned{section.vector("centre"), normal, {{0.0, 0.0}, {section.number("radius"), 0.0}}};
  }
  if (type == "sphere") return Turned{section.vector("centre"), Vec3::UnitZ(), {Vec2::Zero()}};
  const std::optional<Vec3> axis = read_direction(section, "axis", reading);
  if (!axis) return std::nullopt;
  if (type == "torus") return Turned{section.vector("centre"), *axis, {{section.number("radius"), 0.0}}};
  return Turned{section.vector("start"), *axis, section.profile("profile")};
}

/// The problem of a profile, and its key; empty if there is none.
std::pair<std::string_view, std::string> problem_of(const std::vector<Vec2>& corners, bool closed,
                                                    double rounding, const std::string& type) {
  const std::string_view key = type == "revolved" ? "profile" : type == "cone" ? "end_radius" : "radius";
  const std::size_t n = corners.size();
  if (closed && n < 3) return {"closed", "needs a profile of three corners or more"};
  for (std::size_t k = 0; k + (closed ? 0 : 1) < n; ++k) {
    const Vec2 &a = corners[k], &b = corners[(k + 1) % n];
    if (a == b) return {key, fmt::format("has the same corner twice, [{}, {}]", a[0], a[1])};
    if (a[0] == 0.0 && b[0] == 0.0 && rounding == 0.0)
      return {key, "has an edge on the axis, which is not a surface without `rounding`"};
  }
  if (n == 1 && rounding == 0.0)
    return {key, "has a single corner, which is not a surface without `rounding`"};
  return {};
}

std::optional<PlacedRevolved> read_revolved(const Section& section, const std::string& type,
                                            Reading& reading) {
  const auto form = settings_of<RevolvedForm>(section);
  const std::optional<Turned> turned = read_turned(section, type, reading);
  if (!turned) return std::nullopt;
  const double rounding = type == "sphere"  ? section.number("radius")
                          : type == "torus" ? section.number("tube_radius")
                                            : form.rounding;
  if (const auto& [key, problem] = problem_of(turned->corners, form.closed, rounding, type); !key.empty()) {
    reading.faults.push_back(about(section, key, problem));
    return std::nullopt;
  }
  return PlacedRevolved{
      std::make_shared<RevolvedSurface>(
          form.inside ? hollow_sphere(rounding) : revolved_surface(turned->corners, form.closed, rounding)),
      {turned->start, turn_between(Vec3::UnitZ(), turned->axis)}};
}

/// A wall that a few numbers describe.
template <PlainWall Wall>
std::optional<BoundarySurface> read_plain(const Section& section, Reading& reading) {
  auto wall = settings_of<Wall>(section);
  if (const WallProblem found = problem_of(wall)) {
    // A missing key has its default as value; a faulty key was already reported.
    reading.faults.push_back(section.has(found.member)
                                 ? about(section, found.member, found.problem)
                                 : fault_at(*section.node(), section.path_of(found.member), found.problem));
    return std::nullopt;
  }
  if constexpr (std::same_as<Wall, Plane>) wall.normal.normalize();
  return wall;
}

std::optional<BoundarySurface> read_surface(const Section& section, Reading& reading) {
  const std::string type = section.text("type");
  std::optional<BoundarySurface> surface;
  bool is_plain = false;
  for_each_plain_kind([&]<class Wall> {
    if (type != name_of(Wall{})) return;
    is_plain = true;
    surface = read_plain<Wall>(section, reading);
  });
  if (is_plain) return surface;
  if (type == "mesh") {
    if (const std::optional<PlacedMesh> mesh = read_mesh_surface(section, reading)) return *mesh;
    return std::nullopt;
  }
  if (const auto revolved = read_revolved(section, type, reading)) return *revolved;
  return std::nullopt;
}

}  // namespace

std::function<double(double)> read_function_of_time(const Section& section, Reading& reading) {
  const std::optional<Formula> formula =
      read_formula(section.given("function"), section.path_of("function"), FormulaOf::time, reading);
  if (!formula) return {};
  return [f = *formula](double t) { return f(std::array{t}); };
}

void read_time_table(const Section& section, TimeLaw& law, Reading& reading) {
  const std::filesystem::path file = beside_scene(section.text("table"), reading);
  if (const std::string problem = file_problem(file); !problem.empty()) {
    reading.faults.push_back(about(section, "table", "cannot be opened: " + problem));
    return;
  }
  for (const auto& [time, value, line] : read_csv_pairs(file)) {
    const auto wrong = [&, number = line](const char* what) {
      Fault fault;
      fault.where = {file.string(), number, 1};
      fault.key_path = section.path_of("table");
      fault.problem = what;
      reading.faults.push_back(std::move(fault));
    };
    if (!std::isfinite(time) || !std::isfinite(value))
      return wrong("must have two numbers, a time and a value");
    if (!law.times.empty() && !(time > law.times.back()))
      return wrong("must be later than the previous line");
    law.times.push_back(time);
    law.values.push_back(value);
  }
  if (law.times.empty())
    reading.faults.push_back(about(section, "table", "has no line with a time and a value"));
}

namespace {

std::optional<MotionStage> read_stage(const Section& section, Reading& reading) {
  auto stage = settings_of<MotionStage>(section);
  const bool turns = section.text("type") == "rotation";
  stage.kind = turns ? MotionStage::Kind::rotation : MotionStage::Kind::translation;
  const std::optional<Vec3> axis = read_direction(section, turns ? "axis" : "direction", reading);
  if (!axis) return std::nullopt;
  stage.axis = *axis;
  TimeLaw& law = stage.law;
  if (section.has(turns ? "angular_speed" : "speed"))
    law.rate = section.number(turns ? "angular_speed" : "speed");
  if (section.has("stop")) law.stop = section.number("stop");
  if (law.stop < law.start) reading.faults.push_back(about(section, "stop", "must not be before start"));
  if (section.has("function")) law.function = read_function_of_time(section, reading);
  if (section.has("table")) read_time_table(section, law, reading);
  if (law.rate == 0.0 && law.amplitude == 0.0 && !section.has("function") && !section.has("table")) {
    Fault fault;
    fault.where = section.node()->where;
    fault.key_path = section.path();
    fault.problem =
        fmt::format("does not define a motion; write {}, amplitude and frequency, function or table",
                    turns ? "angular_speed" : "speed");
    reading.faults.push_back(std::move(fault));
  }
  return stage;
}

}  // namespace

PrescribedMotion read_motion(const Section& section, Reading& reading) {
  PrescribedMotion motion;
  for (const Section& stage : elements(section, "motion")) {
    if (stage.node()->faulty) continue;
    if (const std::optional<MotionStage> read = read_stage(stage, reading)) motion.stages.push_back(*read);
  }
  return motion;
}

std::optional<Vec3> centre_of(const PrescribedMotion& motion) {
  for (const MotionStage& stage : motion.stages)
    if (stage.kind == MotionStage::Kind::rotation) return stage.point;
  return std::nullopt;
}

namespace {

/// A belt slides along its plane: a velocity out of the plane is a mistake.
void check_belt(const Section& section, const Boundary& boundary, Reading& reading) {
  const auto* const plane = std::get_if<Plane>(&boundary.surface);
  if (plane == nullptr || section.text("type") != "plane") return;
  const double out = plane->normal.dot(boundary.surface_velocity);
  if (std::abs(out) <= 1e-6 * boundary.surface_velocity.norm()) return;
  const Vec3 along = boundary.surface_velocity - out * plane->normal;
  reading.faults.push_back(about(section, "surface_velocity", "is not along the plane"));
  reading.faults.back().suggestion = fmt::format(
      "its part along the plane is [{:.6g}, {:.6g}, {:.6g}]; a plane that itself moves has a motion",
      along[0], along[1], along[2]);
}

void read_boundary(const Section& section, const std::string& name, Reading& reading) {
  const std::optional<MaterialIndex> material = find_material(section, reading);
  if (section.node()->faulty || !material) return;
  Boundaries made;
  if (section.text("type") == "box") {
    if (!is_box(section, reading)) return;
    made = box_walls(name, *material, section.vector("low"), section.vector("high"), section.texts("open"));
  } else if (const std::optional<BoundarySurface> surface = read_surface(section, reading)) {
    made.push_back({name, *material, *surface});
    if (section.text("type") == "mesh")
      reading.meshes.emplace_back(section, reading.scene.model.boundaries.size());
  }
  const std::optional<std::size_t> part = read_carrier(section, name, false, reading);
  for (Boundary& boundary : made) {
    if (part) {
      boundary.part = static_cast<std::int32_t>(*part);
      boundary.centre = reading.scene.model.parts[*part].centre;
    }
    set_from(section, boundary);
    check_belt(section, boundary, reading);
    reading.scene.model.boundaries.push_back(std::move(boundary));
  }
}

}  // namespace

void read_boundaries(const Section& top, Reading& reading) {
  std::set<std::string> taken;
  std::size_t number = 0;
  for (const Section& section : elements(top, "boundaries")) {
    const std::string type = section.has("type") ? section.text("type") : "boundary";
    const std::string name = section.has("name") ? section.text("name") : fmt::format("{}{}", type, number);
    if (!taken.insert(name).second && section.has("name")) {
      reading.faults.push_back(fault_at(section.given("name"), section.path_of("name"), "is already in use"));
    }
    read_boundary(section, name, reading);
    ++number;
  }
}

void mesh_round_walls(double smallest_length, Boundaries& boundaries) {
  constexpr double part = 1e-3;
  for (Boundary& boundary : boundaries) {
    const auto mesh = [&](const auto& wall) -> BoundarySurface {
      if constexpr (MeetsFunctions<std::decay_t<decltype(wall)>>) {
        return wall;
      } else {
        MeshFindings findings;
        return PlacedMesh{
            std::make_shared<MeshSurface>(mesh_surface(mesh_of(wall, part * smallest_length), findings)), {}};
      }
    };
    boundary.surface = std::visit(mesh, boundary.surface);
  }
}

void mesh_round_walls(Reading& reading) {
  Model& model = reading.scene.model;
  if (model.shapes.functions().empty()) return;
  double smallest = infinity;
  for (std::size_t s = 0; s < model.shapes.size(); ++s)
    smallest = std::min(smallest, model.shapes.smallest_length(ShapeIndex(static_cast<std::int64_t>(s))));
  mesh_round_walls(smallest, model.boundaries);
}

}  // namespace scree::io
