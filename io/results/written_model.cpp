#include "io/results/written_model.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <map>

#include "io/results/outlines.h"
#include "io/results/provenance.h"
#include "io/results/trajectory.h"

namespace scree::io {

using namespace hdf5;

void write_end_time(hid_t file, const Scene& scene) {
  write_attribute(group_for(file, "scene").get(), "end_time_s", scene.end_time_s);
}

namespace {

void write_scene(hid_t file, const Scene& scene) {
  write_attribute(file, "format", std::string("scree trajectory"));
  write_attribute(file, "format_version", std::int64_t{trajectory_format_version});
  write_attribute(file, "scree_version", scree_version());
  write_attribute(file, "scene", scene.name);
  write_attribute(file, "description", scene.description);
  write_attribute(file, "created", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))));
  const Provenance& made_with = provenance();
  write_attribute(file, "commit", made_with.commit);
  write_attribute(file, "compiler", made_with.compiler);
  write_attribute(file, "machine", made_with.machine);
  const Handle group = create_group(file, "scene");
  write_attribute(group.get(), "gravity_m_s2", scene.model.settings.gravity);
  write_attribute(group.get(), "time_step_s", scene.model.settings.time_step_s);
  if (scene.model.settings.adaptive_step)
    write_attribute(group.get(), "least_time_step_s", scene.model.settings.least_time_step_s);
  write_end_time(file, scene);
  write_attribute(group.get(), "frame_interval_s", scene.output.interval_s);
  if (!scene.origin.isZero(0.0)) write_attribute(group.get(), "origin_m", scene.origin);
  write_text(group.get(), {"text", "", "the scene file, byte for byte"}, scene.text);
  std::vector<std::string> overrides;
  for (const auto& [key, value] : scene.overrides) overrides.push_back(key + "=" + value);
  write_texts(group.get(), {"overrides", "", "settings of the command line, key=value"}, overrides);
}

void write_materials(hid_t file, const Materials& materials) {
  const std::size_t n = materials.size();
  std::vector<std::string> names;
  std::vector<double> density, friction, torsional, rolling, torsional_ratio, rolling_ratio, restitution;
  std::vector<double> adhesion, tension, angle, volume, modulus, stiffness, tangential;
  for (std::size_t a = 0; a < n; ++a) {
    const MaterialIndex ma(static_cast<std::int64_t>(a));
    names.push_back(materials.name(ma));
    density.push_back(materials.density(ma));
    for (std::size_t b = 0; b < n; ++b) {
      const PairLaw& law = materials.law(ma, MaterialIndex(static_cast<std::int64_t>(b)));
      friction.push_back(law.friction);
      torsional.push_back(law.torsional_friction_m);
      rolling.push_back(law.rolling_friction_m);
      torsional_ratio.push_back(law.torsional_friction_ratio);
      rolling_ratio.push_back(law.rolling_friction_ratio);
      restitution.push_back(law.restitution);
      adhesion.push_back(law.cohesion.adhesion_energy);
      tension.push_back(law.cohesion.surface_tension);
      angle.push_back(law.cohesion.wetting_angle);
      volume.push_back(law.cohesion.bridge_volume);
      modulus.push_back(law.elasticity.modulus);
      stiffness.push_back(law.elasticity.stiffness);
      tangential.push_back(law.elasticity.tangential_ratio);
    }
  }
  const Handle group = create_group(file, "materials");
  const hid_t g = group.get();
  write_texts(g, {"name", "", "[material]"}, names);
  write_rows(g, {"density", "kg/m^3", "[material]"}, density.data(), n);
  write_rows(g, {"friction", "1", "[material, material] sliding friction of the pair"}, friction.data(), n,
             n);
  write_rows(g, {"torsional_friction", "m", "[material, material]"}, torsional.data(), n, n);
  write_rows(g, {"rolling_friction", "m", "[material, material]"}, rolling.data(), n, n);
  const auto is_there = [](const std::vector<double>& ratios) {
    return std::ranges::count(ratios, 0.0) < std::ssize(ratios);
  };
  if (is_there(torsional_ratio))
    write_rows(g, {"torsional_friction_ratio", "1", "[material, material] over the reduced radius"},
               torsional_ratio.data(), n, n);
  if (is_there(rolling_ratio))
    write_rows(g, {"rolling_friction_ratio", "1", "[material, material] over the reduced radius"},
               rolling_ratio.data(), n, n);
  write_rows(g, {"restitution", "1", "[material, material]"}, restitution.data(), n, n);
  if (materials.are_elastic()) {
    write_rows(g, {"contact_modulus", "Pa", "[material, material] Hertz's E* of the pair; 0: none"},
               modulus.data(), n, n);
    write_rows(g, {"contact_stiffness", "N/m", "[material, material] of linear contacts; 0: none"},
               stiffness.data(), n, n);
    write_rows(g, {"tangential_ratio", "1", "[material, material] tangential over normal stiffness"},
               tangential.data(), n, n);
  }
  if (!materials.cohere()) return;
  write_rows(g, {"adhesion_energy", "J/m^2", "[material, material]"}, adhesion.data(), n, n);
  write_rows(g, {"surface_tension", "N/m", "[material, material] of bridges of liquid"}, tension.data(), n,
             n);
  write_rows(g, {"wetting_angle", "rad", "[material, material]"}, angle.data(), n, n);
  write_rows(g, {"bridge_volume", "m^3", "[material, material]"}, volume.data(), n, n);
}

/// Functions of bodies, if there are any.
void write_functions(hid_t file, const std::vector<ShapeFunction>& functions) {
  if (functions.empty()) return;
  static_assert(sizeof(Quadric) == 10 * sizeof(double));
  std::vector<std::string> names;
  std::vector<Quadric> base, perturbation;
  std::vector<double> weight;
  std::vector<std::int32_t> row{0};
  for (const ShapeFunction& f : functions) {
    names.push_back(f.name);
    base.push_back(f.given.base);
    for (const Perturbation& p : f.given.perturbations) {
      perturbation.push_back(p.quadric);
      weight.push_back(p.weight);
    }
    row.push_back(static_cast<std::int32_t>(weight.size()));
  }
  const Handle group = create_group(file, "functions");
  const hid_t g = group.get();
  const auto numbers = [](const std::vector<Quadric>& q) { return q.empty() ? nullptr : &q[0].xx; };
  write_texts(g, {"name", "", "[function]"}, names);
  write_rows(g,
             {"base", "1",
              "[function, 10] Q(x) = x.H x / 2 + b.x + c as H (xx, yy, zz, xy, xz, yz), b, c, in the units "
              "that `size` gives"},
             numbers(base), base.size(), 10);
  write_rows(g, {"row", "1", "[function + 1] perturbations row[f] to row[f + 1] are its own"}, row.data(),
             row.size());
  write_rows(g, {"perturbation", "1", "[perturbation, 10] a quadric in the same form"}, numbers(perturbation),
             perturbation.size(), 10);
  write_rows(g, {"weight", "1", "[perturbation] of the quadric's square where it is positive"}, weight.data(),
             weight.size());
}

/// Clumps of bodies, if there are any.
void write_clumps(hid_t file, const std::vector<ShapeClump>& clumps) {
  if (clumps.empty()) return;
  std::vector<std::string> names;
  std::vector<Vec3> semi_axes, position;
  std::vector<std::array<double, 4>> orientation;
  std::vector<std::int32_t> row{0};
  for (const ShapeClump& clump : clumps) {
    names.push_back(clump.name);
    for (const ClumpMember& part : clump.given) {
      semi_axes.push_back(part.ellipsoid.semi_axes);
      position.push_back(part.pose.position);
      const Quat& q = part.pose.orientation;
      orientation.push_back({q.w(), q.x(), q.y(), q.z()});
    }
    row.push_back(static_cast<std::int32_t>(position.size()));
  }
  const Handle group = create_group(file, "clumps");
  const hid_t g = group.get();
  write_texts(g, {"name", "", "[clump]"}, names);
  write_rows(g, {"row", "1", "[clump + 1] parts row[c] to row[c + 1] are its own"}, row.data(), row.size());
  write_rows(g, {"semi_axes", "1", "[part, 3] of an ellipsoid, in the units that `size` gives"},
             semi_axes.front().data(), semi_axes.size(), 3);
  write_rows(g, {"position", "1", "[part, 3] of its centre, in the frame that the clump was given in"},
             position.front().data(), position.size(), 3);
  write_rows(g, {"orientation", "1", "[part, 4] quaternion w, x, y, z"}, orientation.front().data(),
             orientation.size(), 4);
}
/// Ragged: the points of mesh k are rows point_offset[k] to point_offset[k + 1], its triangles likewise.
void write_meshes(hid_t group, const Boundaries& boundaries) {
  std::vector<std::int32_t> boundary, triangles;
  std::vector<Vec3> position, points;
  std::vector<double> orientation;
  std::vector<std::int64_t> point_offset{0}, triangle_offset{0};
  for (std::size_t i = 0; i < boundaries.size(); ++i) {
    const auto* placed = std::get_if<PlacedMesh>(&boundaries[i].surface);
    if (placed == nullptr) continue;
    const Quat& q = placed->pose.orientation;
    boundary.push_back(static_cast<std::int32_t>(i));
    position.push_back(placed->pose.position);
    orientation.insert(orientation.end(), {q.w(), q.x(), q.y(), q.z()});
    points.insert(points.end(), placed->mesh->points.begin(), placed->mesh->points.end());
    for (const auto& t : placed->mesh->triangles) triangles.insert(triangles.end(), t.begin(), t.end());
    point_offset.push_back(static_cast<std::int64_t>(points.size()));
    triangle_offset.push_back(static_cast<std::int64_t>(triangles.size() / 3));
  }
  if (boundary.empty()) return;
  const Handle meshes = create_group(group, "meshes");
  const hid_t m = meshes.get();
  write_rows(m, {"boundary", "1", "[mesh] number of the boundary"}, boundary.data(), boundary.size());
  write_rows(m, {"position", "m", "[mesh, 3] where its origin is at rest"}, position);
  write_rows(m, {"orientation", "1", "[mesh, 4] unit quaternion w x y z, its axes to the world's, at rest"},
             orientation.data(), boundary.size(), 4);
  write_rows(
      m, {"point_offset", "1", "[mesh + 1] points of mesh k are rows point_offset[k] to point_offset[k + 1]"},
      point_offset.data(), point_offset.size());
  write_rows(m, {"triangle_offset", "1", "[mesh + 1] the same for triangles"}, triangle_offset.data(),
             triangle_offset.size());
  write_rows(m, {"point", "m", "[point, 3] in the mesh's axes"}, points);
  write_rows(m, {"triangle", "1", "[triangle, 3] points of its mesh, counted from the mesh's first"},
             triangles.data(), triangles.size() / 3, 3);
}

/// Ragged: the corners of profile k are rows offset[k] to offset[k + 1].
void write_revolved(hid_t group, const Boundaries& boundaries) {
  std::vector<std::int32_t> boundary, closed, hollow;
  std::vector<Vec3> position;
  std::vector<double> orientation, rounding, corners;
  std::vector<std::int64_t> offset{0};
  for (std::size_t i = 0; i < boundaries.size(); ++i) {
    const auto* placed = std::get_if<PlacedRevolved>(&boundaries[i].surface);
    if (placed == nullptr) continue;
    const RevolvedSurface& s = *placed->surface;
    const Quat& q = placed->pose.orientation;
    boundary.push_back(static_cast<std::int32_t>(i));
    position.push_back(placed->pose.position);
    orientation.insert(orientation.end(), {q.w(), q.x(), q.y(), q.z()});
    rounding.push_back(s.rounding);
    closed.push_back(s.closed ? 1 : 0);
    hollow.push_back(s.hollow ? 1 : 0);
    for (const Vec2& c : s.corners) corners.insert(corners.end(), {c[0], c[1]});
    offset.push_back(static_cast<std::int64_t>(corners.size() / 2));
  }
  if (boundary.empty()) return;
  const Handle revolved = create_group(group, "revolved");
  const hid_t r = revolved.get();
  const std::size_t n = boundary.size();
  write_rows(r, {"boundary", "1", "[surface] number of the boundary"}, boundary.data(), n);
  write_rows(r, {"position", "m", "[surface, 3] where its origin is at rest"}, position);
  write_rows(r,
             {"orientation", "1", "[surface, 4] unit quaternion w x y z, its axes to the world's, at rest"},
             orientation.data(), n, 4);
  write_rows(r, {"rounding", "m", "[surface] the wall is all that is within this distance of it"},
             rounding.data(), n);
  write_rows(r, {"closed", "1", "[surface] 1 where the last corner is joined with the first"}, closed.data(),
             n);
  write_rows(r, {"hollow", "1", "[surface] 1 where the wall is what is farther than `rounding`, instead"},
             hollow.data(), n);
  write_rows(r, {"offset", "1", "[surface + 1] corners of profile k are rows offset[k] to offset[k + 1]"},
             offset.data(), offset.size());
  write_rows(r, {"corner", "m", "[corner, 2] distance from the third axis, and along it"}, corners.data(),
             corners.size() / 2, 2);
}

/// Walls of a kind that consists of a few numbers: a row each, in a group with the kind's name.
template <class Surface>
void write_plain(hid_t group, const Boundaries& boundaries) {
  std::vector<std::int32_t> number;
  std::vector<Surface> walls;
  for (std::size_t i = 0; i < boundaries.size(); ++i) {
    const Surface* const wall = std::get_if<Surface>(&boundaries[i].surface);
    if (wall == nullptr) continue;
    number.push_back(static_cast<std::int32_t>(i));
    walls.push_back(*wall);
  }
  if (walls.empty()) return;
  const Handle own = create_group(group, (name_of(walls[0]) + std::string("s")).c_str());
  write_rows(own.get(), {"boundary", "1", "[wall] number of the boundary"}, number.data(), number.size());
  std::map<std::string, std::vector<double>> values;  // of one row
  for (const Surface& wall : walls)
    for_each_member(wall, [&](const char* name, const char*, const auto& member) {
      if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Vec3>)
        values[name].insert(values[name].end(), member.begin(), member.end());
      else
        values[name].push_back(static_cast<double>(member));
    });
  for_each_member(walls[0], [&](const char* name, const char* unit, const auto& member) {
    constexpr bool is_vector = std::is_same_v<std::decay_t<decltype(member)>, Vec3>;
    write_rows(own.get(), {name, unit, is_vector ? "[wall, 3]" : "[wall]"}, values[name].data(), walls.size(),
               is_vector ? 3 : 0);
  });
}

/// Walls of each kind in their own group; `boundary` is their number in contacts.
void write_boundaries(hid_t file, const Boundaries& boundaries) {
  std::vector<std::string> names, kinds;
  std::vector<std::int32_t> material;
  for (const Boundary& boundary : boundaries) {
    names.push_back(boundary.name);
    kinds.emplace_back(name_of(boundary.surface));
    material.push_back(boundary.material.value);
  }
  const Handle group = create_group(file, "boundaries");
  write_texts(group.get(), {"name", "", "[boundary]"}, names);
  write_texts(group.get(), {"kind", "", "[boundary] of the wall"}, kinds);
  write_rows(group.get(), {"material", "1", "[boundary] row of /materials"}, material.data(),
             material.size());
  write_meshes(group.get(), boundaries);
  write_revolved(group.get(), boundaries);
  for_each_plain_kind([&]<class Surface> { write_plain<Surface>(group.get(), boundaries); });
}

/// Edges of inlets, outlets and the domain, and the centre of a periodic cell.
void write_outlines(hid_t file, const Outlines& all) {
  if (all.is_empty()) return;
  const Handle group = create_group(file, "outlines");
  std::vector<Vec3> start, end;
  std::vector<std::int32_t> kind;
  for (const OutlineEdge& edge : all.edges) {
    start.push_back(edge.start);
    end.push_back(edge.end);
    kind.push_back(static_cast<std::int32_t>(edge.kind));
  }
  write_rows(group.get(), {"start", "m", "[edge, 3] where it begins"}, start);
  write_rows(group.get(), {"end", "m", "[edge, 3] where it ends"}, end);
  write_rows(group.get(), {"kind", "1", "[edge] 1 of an inlet, 2 of an outlet, 3 of the domain"}, kind.data(),
             kind.size());
  if (!all.cell_centre) return;
  write_rows(group.get(), {"cell_centre", "m", "[1, 3] the middle of the periodic cell"},
             std::vector<Vec3>{*all.cell_centre});
  const std::vector<std::int32_t> periodic(all.periodic.begin(), all.periodic.end());
  write_rows(group.get(),
             {"cell_periodic", "1", "[3] 1 for the vectors of the lattice along which it repeats itself"},
             periodic.data(), periodic.size());
}

void write_wall_cells(hid_t file, const WallCellMesh& cells) {
  if (cells.size() == 0) return;
  const Handle group = create_group(file, "wall_cells");
  write_rows(group.get(), {"boundary", "1", "[cell] row of /boundaries"}, cells.boundary.data(),
             cells.size());
  write_rows(group.get(), {"point", "m", "[point, 3] corners of cells, while their boundary is at rest"},
             cells.surface.points);
  write_rows(group.get(), {"triangle", "1", "[cell, 3] points of its triangle"},
             cells.surface.triangles.data()->data(), cells.size(), 3);
  write_rows(group.get(), {"area", "m^2", "[cell]"}, cells.area.data(), cells.size());
}

}  // namespace

void write_model(hid_t file, const Scene& scene) {
  write_scene(file, scene);
  write_materials(file, scene.model.materials);
  write_boundaries(file, counted_from(scene.origin, scene.model.boundaries));
  write_outlines(file, counted_from(scene.origin, outlines(scene.model)));
  write_wall_cells(file, wall_cell_mesh(scene.model.wall_cells, scene.origin));
  write_functions(file, scene.model.shapes.functions());
  write_clumps(file, scene.model.shapes.clumps());
}

}  // namespace scree::io
