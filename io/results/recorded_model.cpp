#include "io/results/recorded_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "io/files/hdf5_checks.h"
#include "io/files/mesh_file.h"
#include "io/results/body_fields.h"
#include "io/results/trajectory.h"

namespace scree::io {

using namespace hdf5;

namespace {

constexpr double largest = 1e100;     // of any number here, in its unit: products of three remain finite
constexpr double smallest = 1e-100;   // of lengths, masses and densities
constexpr double least_ratio = 1e-9;  // of the semi-axes of one ellipsoid

/// A number for each of `n`, in [low, high].
std::vector<double> numbers(const File& file, const std::string& name, std::size_t n, double low,
                            double high = largest) {
  std::vector<double> values = file.read<double>(name);
  expect_size(name, values.size(), n);
  expect_numbers(name, values, 1, low, high);
  return values;
}

std::vector<Vec3> vectors(const File& file, const std::string& name, std::uint64_t first, std::uint64_t n) {
  std::vector<Vec3> values = file.read<Vec3>(name, first, n);
  if (n > 0) expect_numbers(name, {values[0].data(), 3 * values.size()}, 3, -largest, largest);
  return values;
}
std::vector<Vec3> vectors(const File& file, const std::string& name, std::size_t n) {
  expect_size(name, file.rows(name), n);
  return vectors(file, name, 0, n);
}

/// An index below `end` for each of `n`.
std::vector<std::int32_t> indices(const File& file, const std::string& name, std::size_t n, std::size_t end) {
  std::vector<std::int32_t> values = file.read<std::int32_t>(name);
  expect_size(name, values.size(), n);
  expect_indices(name, values, 0, end);
  return values;
}

/// Unit quaternions, w x y z.
std::vector<Quat> orientations(const File& file, const std::string& name, std::size_t n) {
  const auto values = file.read<std::array<double, 4>>(name);
  expect_size(name, values.size(), n);
  std::vector<Quat> turns;
  for (const auto& [w, x, y, z] : values) {
    const Quat q(w, x, y, z);
    constexpr double near_one = 1e-3;
    if (!(std::abs(q.norm() - 1.0) < near_one))
      fail(name, fmt::format("row {} is not a unit quaternion: its norm is {:g}", turns.size(), q.norm()));
    turns.push_back(q.normalized());
  }
  return turns;
}

void read_materials(const File& file, Materials& materials) {
  const std::vector<std::string> names = file.texts("materials/name");
  const std::size_t n = names.size();
  const std::vector<double> density = numbers(file, "materials/density", n, smallest);
  for (std::size_t a = 0; a < n; ++a) materials.add(names[a], density[a]);
  const auto table = [&](const std::string& name) {
    const std::string path = "materials/" + name;
    expect_size(path, file.rows(path), n);
    if (n == 0) return std::vector<double>{};
    const std::vector<double> values = file.read_wide<double>(path, 0, n, n);
    expect_numbers(path, values, n, 0.0, largest);
    return values;
  };
  const auto friction = table("friction"), torsional = table("torsional_friction"),
             rolling = table("rolling_friction"), restitution = table("restitution");
  const auto where_there = [&](const std::string& name) {
    return file.has("materials/" + name) ? table(name) : std::vector<double>(n * n, 0.0);
  };
  const auto adhesion = where_there("adhesion_energy"), tension = where_there("surface_tension"),
             angle = where_there("wetting_angle"), volume = where_there("bridge_volume"),
             modulus = where_there("contact_modulus"), stiffness = where_there("contact_stiffness"),
             tangential = where_there("tangential_ratio"),
             torsional_ratio = where_there("torsional_friction_ratio"),
             rolling_ratio = where_there("rolling_friction_ratio");
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const std::size_t i = a * n + b;
      materials.set_law(MaterialIndex(static_cast<std::int64_t>(a)),
                        MaterialIndex(static_cast<std::int64_t>(b)),
                        {.friction = friction[i],
                         .torsional_friction_m = torsional[i],
                         .rolling_friction_m = rolling[i],
                         .torsional_friction_ratio = torsional_ratio[i],
                         .rolling_friction_ratio = rolling_ratio[i],
                         .restitution = restitution[i],
                         .cohesion = {adhesion[i], tension[i], angle[i], volume[i]},
                         .elasticity = {modulus[i], stiffness[i], tangential[i]}});
    }
  }
}

std::vector<Quadric> quadrics(const File& file, const std::string& name, std::size_t n) {
  constexpr std::size_t width = 10;
  static_assert(sizeof(Quadric) == width * sizeof(double));
  expect_size(name, file.rows(name), n);
  const auto values = file.read_wide<double>(name, 0, n, width);
  std::vector<Quadric> read(n);
  for (std::size_t k = 0; k < values.size(); ++k) {
    // Perturbations may be infinite in one direction, and so have zeros, but no infinite numbers.
    if (!(std::abs(values[k]) <= largest)) fail(name, fmt::format("row {} has {}", k / width, values[k]));
    (&read[k / width].xx)[k % width] = values[k];
  }
  return read;
}

void read_functions(const File& file, Shapes& shapes) {
  if (!file.has("functions")) return;
  const std::vector<std::string> names = file.texts("functions/name");
  const auto weight = file.read<double>("functions/weight");
  expect_numbers("functions/weight", weight, 1, -largest, largest);
  const auto row = file.read<std::int32_t>("functions/row");
  expect_offsets("functions/row", row, names.size(), weight.size());
  const std::vector<Quadric> base = quadrics(file, "functions/base", names.size()),
                             perturbation = quadrics(file, "functions/perturbation", weight.size());
  for (std::size_t f = 0; f < names.size(); ++f) {
    PerturbedQuadric given{base[f], {}};
    for (auto p = static_cast<std::size_t>(row[f]); p < static_cast<std::size_t>(row[f + 1]); ++p)
      given.perturbations.push_back({perturbation[p], weight[p]});
    ShapeFindings findings;
    const auto made = make_implicit_shape(given, {}, findings);
    if (!made) throw Error(fmt::format("the function shape '{}' is not a valid body", names[f]));
    shapes.add_function({names[f], given, std::make_shared<ImplicitShape>(*made)});
  }
}

void read_clumps(const File& file, Shapes& shapes) {
  if (!file.has("clumps")) return;
  const std::vector<std::string> names = file.texts("clumps/name");
  const std::size_t parts = file.rows("clumps/semi_axes");
  const auto row = file.read<std::int32_t>("clumps/row");
  expect_offsets("clumps/row", row, names.size(), parts);
  const std::vector<Vec3> semi_axes = vectors(file, "clumps/semi_axes", parts),
                          position = vectors(file, "clumps/position", parts);
  const std::vector<Quat> orientation = orientations(file, "clumps/orientation", parts);
  for (std::size_t c = 0; c < names.size(); ++c) {
    std::vector<ClumpMember> given;
    for (auto p = static_cast<std::size_t>(row[c]); p < static_cast<std::size_t>(row[c + 1]); ++p)
      given.push_back({{semi_axes[p]}, {position[p], orientation[p]}});
    ShapeFindings findings;
    const auto made = make_clump(given, findings);
    if (!made) throw Error(fmt::format("the clump '{}' is not a valid body", names[c]));
    shapes.add_clump({names[c], given, std::make_shared<Clump>(*made)});
  }
}

TriangleMesh read_mesh(const File& file, const std::string& group,
                       std::pair<std::int64_t, std::int64_t> points,
                       std::pair<std::int64_t, std::int64_t> triangles) {
  const auto first = static_cast<std::uint64_t>(triangles.first);
  TriangleMesh mesh{vectors(file, group + "point", static_cast<std::uint64_t>(points.first),
                            static_cast<std::uint64_t>(points.second - points.first)),
                    file.read<std::array<std::int32_t, 3>>(
                        group + "triangle", first, static_cast<std::uint64_t>(triangles.second) - first)};
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const std::int32_t p : mesh.triangles[t]) {
      if (p < 0 || static_cast<std::size_t>(p) >= mesh.points.size())
        fail(group + "triangle",
             fmt::format("row {} has point {}, but the number of points of its mesh is {}", first + t, p,
                         mesh.points.size()));
    }
  }
  if (const std::string problem = mesh_problem(mesh.points); !problem.empty()) fail(group + "point", problem);
  return mesh;
}

void read_meshes(const File& file, Boundaries& boundaries) {
  if (!file.has("boundaries/meshes")) return;
  const std::string group = "boundaries/meshes/";
  const std::size_t n = file.rows(group + "boundary");
  const auto boundary = indices(file, group + "boundary", n, boundaries.size());
  const std::vector<Vec3> position = vectors(file, group + "position", n);
  const std::vector<Quat> orientation = orientations(file, group + "orientation", n);
  const auto point_offset = file.read<std::int64_t>(group + "point_offset"),
             triangle_offset = file.read<std::int64_t>(group + "triangle_offset");
  expect_offsets(group + "point_offset", point_offset, n, file.rows(group + "point"));
  expect_offsets(group + "triangle_offset", triangle_offset, n, file.rows(group + "triangle"));
  for (std::size_t k = 0; k < n; ++k) {
    const TriangleMesh mesh = read_mesh(file, group, {point_offset[k], point_offset[k + 1]},
                                        {triangle_offset[k], triangle_offset[k + 1]});
    MeshFindings none;
    auto surface = std::make_shared<MeshSurface>(mesh_surface(mesh, none));
    if (surface->triangles.empty())
      fail(group + "triangle", fmt::format("mesh {} has no triangle with an area", k));
    boundaries[boundary[k]].surface = PlacedMesh{std::move(surface), {position[k], orientation[k]}};
  }
}

void read_revolved(const File& file, Boundaries& boundaries) {
  if (!file.has("boundaries/revolved")) return;
  const std::string group = "boundaries/revolved/";
  const std::size_t n = file.rows(group + "boundary");
  const auto boundary = indices(file, group + "boundary", n, boundaries.size()),
             closed = indices(file, group + "closed", n, 2), hollow = indices(file, group + "hollow", n, 2);
  const std::vector<Vec3> position = vectors(file, group + "position", n);
  const std::vector<Quat> orientation = orientations(file, group + "orientation", n);
  const std::vector<double> rounding = numbers(file, group + "rounding", n, 0.0);
  const auto offset = file.read<std::int64_t>(group + "offset");
  const auto corner = file.read_wide<double>(group + "corner", 0, file.rows(group + "corner"), 2);
  expect_numbers(group + "corner", corner, 2, -largest, largest);
  expect_offsets(group + "offset", offset, n, corner.size() / 2);
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<Vec2> corners;
    for (auto c = static_cast<std::size_t>(offset[k]); c < static_cast<std::size_t>(offset[k + 1]); ++c)
      corners.emplace_back(corner[2 * c], corner[2 * c + 1]);
    if (corners.empty()) fail(group + "offset", fmt::format("surface {} has no corners", k));
    RevolvedSurface surface =
        hollow[k] != 0 ? hollow_sphere(rounding[k]) : revolved_surface(corners, closed[k] != 0, rounding[k]);
    boundaries[boundary[k]].surface =
        PlacedRevolved{std::make_shared<RevolvedSurface>(std::move(surface)), {position[k], orientation[k]}};
  }
}

/// Walls of a kind that consists of a few numbers.
template <class Surface>
void read_plain(const File& file, Boundaries& boundaries) {
  const std::string group = std::string("boundaries/") + name_of(Surface{}) + "s/";
  if (!file.has(group.substr(0, group.size() - 1))) return;
  const std::size_t n = file.rows(group + "boundary");
  const auto boundary = indices(file, group + "boundary", n, boundaries.size());
  const Surface none;
  std::map<std::string, std::vector<Vec3>> of_vectors;
  std::map<std::string, std::vector<double>> of_numbers;
  for_each_member(none, [&](const char* name, const char*, const auto& member) {
    if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Vec3>)
      of_vectors[name] = vectors(file, group + name, n);
    else
      of_numbers[name] = numbers(file, group + name, n, 0.0);
  });
  for (std::size_t k = 0; k < n; ++k) {
    Surface wall;
    for_each_member(wall, [&](const char* name, const char*, auto& member) {
      if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Vec3>)
        member = of_vectors[name][k];
      else
        member = static_cast<std::decay_t<decltype(member)>>(of_numbers[name][k]);
    });
    if (const WallProblem found = problem_of(wall))
      fail(group + found.member, fmt::format("row {} {}", k, found.problem));
    boundaries[boundary[k]].surface = wall;
  }
}

void read_boundaries(const File& file, std::size_t materials, Boundaries& boundaries) {
  const std::vector<std::string> names = file.texts("boundaries/name");
  const auto material = indices(file, "boundaries/material", names.size(), materials);
  for (std::size_t i = 0; i < names.size(); ++i)
    boundaries.push_back({names[i], MaterialIndex(material[i]), Plane{}});
  for_each_plain_kind([&]<class Surface> { read_plain<Surface>(file, boundaries); });
  read_meshes(file, boundaries);
  read_revolved(file, boundaries);
  const std::vector<std::string> kinds = file.texts("boundaries/kind");
  expect_size("boundaries/kind", kinds.size(), boundaries.size());
  for (std::size_t i = 0; i < boundaries.size(); ++i)
    if (kinds[i] != name_of(boundaries[i].surface))
      fail("boundaries/kind", fmt::format("row {} is {}, but its data are missing", i, kinds[i]));
}

void check_format(const File& file) {
  if (!file.has_attribute("", "format") || file.text_attribute("", "format") != "scree trajectory")
    throw Error("it is not a Scree trajectory");
  const double version = file.number_attribute("", "format_version");
  if (version != trajectory_format_version) {
    throw Error(
        fmt::format("it has format {}, written by scree {}, but this version of scree reads only format {}",
                    version, file.text_attribute("", "scree_version"), trajectory_format_version));
  }
}

/// [body] from row `first` on.
std::vector<ShapeDescription> read_shapes(const File& file, const Shapes& known, std::uint64_t first,
                                          std::uint64_t n) {
  std::vector<ShapeDescription> shapes(n);
  const auto kinds = file.read<std::int32_t>("bodies/shape", first, n);
  expect_indices("bodies/shape", kinds, 0, shape_kinds.size());
  for (std::size_t i = 0; i < n; ++i) shapes[i].kind = static_cast<ShapeKind>(kinds[i]);
  for (const ShapeColumn& column : shape_columns) {
    const std::string name = std::string("bodies/") + column.name;
    if (!file.has(name)) continue;  // in older runs
    const auto values = file.read_wide<double>(name, first, n, column.width);
    for (std::size_t i = 0; i < values.size(); ++i)
      shapes[i / column.width].numbers[column.first + i % column.width] = values[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto& [a, b, c, function, size] = shapes[i].numbers;
    const std::size_t forms =
        shapes[i].kind == ShapeKind::clump ? known.clumps().size() : known.functions().size();
    const bool right = shapes[i].kind == ShapeKind::ellipsoid
                           ? std::min({a, b, c}) >= smallest && std::max({a, b, c}) <= largest &&
                                 std::min({a, b, c}) >= least_ratio * std::max({a, b, c})
                           : function >= 0.0 && function < static_cast<double>(forms) &&
                                 function == std::floor(function) && size >= smallest && size <= largest;
    if (!right) fail("bodies/shape", fmt::format("row {}: its numbers do not define a shape", first + i));
  }
  return shapes;
}

}  // namespace

namespace {

void read_outlines(const File& file, RecordedRun& run) {
  if (!file.has("outlines")) return;  // from an earlier version, or there are none
  const std::size_t n = file.rows("outlines/kind");
  const std::vector<Vec3> start = vectors(file, "outlines/start", n), end = vectors(file, "outlines/end", n);
  const auto kind = indices(file, "outlines/kind", n, 4);
  for (std::size_t k = 0; k < n; ++k)
    run.outlines.edges.push_back({start[k], end[k], static_cast<OutlineKind>(kind[k])});
  if (!file.has("outlines/cell_centre")) return;
  run.outlines.cell_centre = vectors(file, "outlines/cell_centre", 1).front();
  const auto periodic = indices(file, "outlines/cell_periodic", 3, 2);
  for (std::size_t k = 0; k < 3; ++k) run.outlines.periodic[k] = periodic[k] != 0;
}

void read_wall_cells(const File& file, RecordedRun& run) {
  if (!file.has("wall_cells")) return;
  const std::size_t n = file.rows("wall_cells/boundary");
  run.wall_cells.boundary = indices(file, "wall_cells/boundary", n, run.model.boundaries.size());
  run.wall_cells.area = file.read<double>("wall_cells/area", 0, n);
  run.wall_cells.surface.points = vectors(file, "wall_cells/point", file.rows("wall_cells/point"));
  const auto corners = file.read_wide<std::int32_t>("wall_cells/triangle", 0, n, 3);
  expect_indices("wall_cells/triangle", corners, 0, run.wall_cells.surface.points.size());
  for (std::size_t c = 0; c < n; ++c)
    run.wall_cells.surface.triangles.push_back({corners[3 * c], corners[3 * c + 1], corners[3 * c + 2]});
}

}  // namespace

RecordedRun read_recorded_run(const File& file) {
  check_format(file);
  RecordedRun run;
  run.scene = file.text_attribute("", "scene");
  run.description = file.text_attribute("", "description");
  run.scree_version = file.text_attribute("", "scree_version");
  run.created = file.text_attribute("", "created");
  const auto known = [&](const char* name) {
    return file.has_attribute("", name) ? file.text_attribute("", name) : std::string("unknown");
  };
  run.made_with = {known("commit"), known("compiler"), known("machine")};
  Settings& settings = run.model.settings;
  settings.gravity = file.vector_attribute("scene", "gravity_m_s2");
  settings.time_step_s = file.number_attribute("scene", "time_step_s");
  if (file.has_attribute("scene", "least_time_step_s")) {
    settings.adaptive_step = true;
    settings.least_time_step_s = file.number_attribute("scene", "least_time_step_s");
  }
  run.end_time_s = file.number_attribute("scene", "end_time_s");
  run.frame_interval_s = file.number_attribute("scene", "frame_interval_s");
  if (file.has_attribute("scene", "origin_m")) run.origin = file.vector_attribute("scene", "origin_m");
  run.impulse_time_s = settings.time_step_s;
  if (file.has("contacts") && file.has_attribute("contacts", "impulse_time_s"))
    run.impulse_time_s = file.number_attribute("contacts", "impulse_time_s");
  const std::vector<std::string> text = file.texts("scene/text");
  expect_size("scene/text", text.size(), 1);
  run.text = text.front();
  run.overrides = file.texts("scene/overrides");
  read_materials(file, run.model.materials);
  read_boundaries(file, run.model.materials.size(), run.model.boundaries);
  read_functions(file, run.model.shapes);
  read_clumps(file, run.model.shapes);
  read_wall_cells(file, run);
  read_outlines(file, run);
  for (const BodyField& field : body_fields()) {
    const std::string name(field.name);
    if (file.has("frames/" + name)) run.fields.push_back(name);
  }
  return run;
}

void read_recorded_bodies(const File& file, Model& model, Bodies& bodies) {
  const std::uint64_t first = bodies.size(), all = file.rows("bodies/id");
  if (all < first) fail("bodies/id", fmt::format("has {} rows, but had {} before", all, first));
  const std::uint64_t n = all - first;
  // All is read before anything is added: reading may fail, and be tried again, while the run writes.
  const auto id = file.read<std::int64_t>("bodies/id", first, n);
  const auto mass = file.read<double>("bodies/mass", first, n);
  expect_numbers("bodies/mass", mass, 1, smallest, largest);
  const std::vector<Vec3> inertia = vectors(file, "bodies/inertia", first, n);
  const auto material = file.read<std::int32_t>("bodies/material", first, n);
  expect_indices("bodies/material", material, 0, model.materials.size());
  const std::vector<ShapeDescription> shapes = read_shapes(file, model.shapes, first, n);
  // A body to which an event gives another material has a row for each.
  std::vector<std::pair<BodyId, std::int64_t>> known;
  for (std::size_t i = 0; i < first; ++i) known.emplace_back(bodies.id[i], bodies.material[i].value);
  for (std::size_t i = 0; i < n; ++i) known.emplace_back(id[i], material[i]);
  std::ranges::sort(known);
  if (const auto twice = std::ranges::adjacent_find(known); twice != known.end())
    fail("bodies/id", fmt::format("{} appears twice with one material", twice->first));
  bodies.id.insert(bodies.id.end(), id.begin(), id.end());
  bodies.mass.insert(bodies.mass.end(), mass.begin(), mass.end());
  bodies.inertia.insert(bodies.inertia.end(), inertia.begin(), inertia.end());
  for (const std::int32_t m : material) bodies.material.emplace_back(m);
  for (std::size_t i = 0; i < n; ++i) {
    const bool same = i > 0 && shapes[i] == shapes[i - 1];
    bodies.shape.push_back(same ? bodies.shape.back() : model.shapes.add(shapes[i]));
  }
  bodies.position.resize(all, Vec3::Zero());
  bodies.orientation.resize(all, Quat::Identity());
  bodies.linear_velocity.resize(all, Vec3::Zero());
  bodies.angular_velocity.resize(all, Vec3::Zero());
}

}  // namespace scree::io
