#include "io/results/vtk_series.h"

#include <array>
#include <fmt/format.h>

#include "engine/geometry/glyph.h"
#include "engine/geometry/implicit/surface_mesh.h"
#include "io/files/file_errors.h"
#include "io/files/text_file.h"
#include "io/files/vtk_file.h"

namespace scree::io {

namespace {

std::vector<float> lengths(const std::vector<Vec3f>& vectors) {
  std::vector<float> lengths;
  lengths.reserve(vectors.size());
  for (const Vec3f& v : vectors) lengths.push_back(v.norm());
  return lengths;
}

/// Triangles in their boundaries' poses, with all their recorded values.
Piece wall_cells_piece(const WallCellMesh& mesh, const std::vector<Pose>& motion, const WallValues& values) {
  // Each point belongs to one boundary.
  std::vector<Vec3f> points(mesh.surface.points.size());
  std::vector<std::vector<std::int32_t>> triangles;
  for (std::size_t c = 0; c < mesh.size(); ++c) {
    const Pose pose = motion.empty() ? Pose{} : motion[mesh.boundary[c]];
    const auto& corners = mesh.surface.triangles[c];
    for (const std::int32_t p : corners)
      points[p] = (pose.position + pose.orientation * mesh.surface.points[p]).cast<float>();
    triangles.emplace_back(corners.begin(), corners.end());
  }
  const std::span<const WallQuantity> quantities = wall_quantities();
  std::vector<std::vector<float>> single;
  single.reserve(quantities.size());
  VtkArrays arrays{{"boundary", mesh.boundary}};
  for (std::size_t k = 0; k < quantities.size(); ++k)
    arrays.emplace_back(std::string(quantities[k].name),
                        single.emplace_back(values[k].begin(), values[k].end()));
  return vtk_polygons(points, triangles, {}, arrays);
}

constexpr int shape_fineness = 10;  // 2000 triangles if each ray from the centre leaves the body once

/// The mesh of a function or clump in its body's axes, in its own units.
void write_shape(const std::filesystem::path& path, const SurfaceMesh& mesh) {
  std::vector<Vec3f> points, normals;
  for (const Vec3& x : mesh.points) points.push_back(x.cast<float>());
  for (const Vec3& n : mesh.normals) normals.push_back(n.cast<float>());
  std::vector<std::vector<std::int32_t>> triangles;
  for (const auto& t : mesh.triangles) triangles.emplace_back(t.begin(), t.end());
  write_vtk(path, vtk_polygons(points, triangles, normals, {}));
}

}  // namespace

namespace {

/// Frames that were not published when their run was interrupted.
void remove_temporary_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (is_vtk_frame(entry->path()) && entry->path().extension() != ".vtp") found.push_back(entry->path());
  for (const std::filesystem::path& file : found) std::filesystem::remove(file, error);
}

/// The listed files of a series.
struct Listing {
  std::string kind;
  std::vector<double> time_s = {};
  std::vector<std::int64_t> number = {};  // of the frame
  std::size_t published = 0;              // of these
};

}  // namespace

struct VtkSeries::Parts {
  RunFolder folder;
  bool with_contacts;
  std::vector<std::string> field_names;
  // Constants, repeated in each frame: ParaView reads each file separately.
  Shapes shapes;          // of the scene
  Boundaries boundaries;  // likewise, at rest
  ViewBox region;
  std::shared_ptr<const BodyConstants> constants;
  std::vector<Vec3f> radii;            // [body], m
  std::vector<std::int32_t> glyph;     // [body], its mesh
  std::vector<Vec3f> scale;            // [body], m, the glyph's unit of length
  std::vector<std::int32_t> material;  // [body]
  std::int64_t frames = 0;
  std::int64_t on_disk = 0;  // of these
  Listing bodies{"bodies"}, contacts{"contacts"}, walls{"walls"}, outline{"outlines"}, cells{"wall_cells"};
  Outlines outlines = {};
  WallCellMesh wall_cells = {};

  void take_constants(const std::shared_ptr<const BodyConstants>& of) {
    constants = of;
    radii.clear();
    glyph.clear();
    scale.clear();
    for (const ShapeDescription& shape : constants->shape) {
      const ShapeIndex s = shapes.add(shape);
      radii.push_back(enclosing_ellipsoid(shapes, s).semi_axes.cast<float>());
      const Glyph shown = scree::glyph(shapes, s);
      glyph.push_back(shown.mesh);
      scale.push_back(shown.scale.cast<float>());
    }
    material.clear();
    for (const MaterialIndex m : constants->material) material.push_back(m.value);
  }

  std::array<Listing*, 5> listings() { return {&bodies, &contacts, &walls, &outline, &cells}; }

  void publish(Listing& listing, const std::filesystem::path& series) const {
    if (listing.published == listing.number.size()) return;
    std::vector<std::pair<double, std::string>> files;
    for (std::size_t k = 0; k < listing.number.size(); ++k)
      files.emplace_back(listing.time_s[k], RunFolder::vtk_frame(listing.kind, listing.number[k]));
    // The list is composed before the frames get their names and replaced after that: a kill between them,
    // which is unlikely because renaming is quick, leaves frames that are not listed, never the opposite.
    const std::filesystem::path next = temporary_name(series);
    write_series(next, files);
    for (; listing.published < listing.number.size(); ++listing.published) {
      const auto file = folder.path / RunFolder::vtk_frame(listing.kind, listing.number[listing.published]);
      rename_file(temporary_name(file), file);
    }
    rename_file(next, series);
  }
};

VtkSeries::VtkSeries(const RunFolder& folder, const Scene& scene, const ViewBox& region,
                     const Outlines& outlines, WallCellMesh wall_cells)
    : parts_(std::make_unique<Parts>(Parts{folder,
                                           scene.output.contacts,
                                           scene.output.fields,
                                           scene.model.shapes,
                                           counted_from(scene.origin, scene.model.boundaries),
                                           region,
                                           nullptr,
                                           {},
                                           {},
                                           {},
                                           {}})) {
  parts_->outlines = outlines;
  parts_->wall_cells = std::move(wall_cells);
  make_folder(folder.vtk());
  if (!outlines.edges.empty() && !outlines.cell_centre)
    write_vtk(folder.outlines(), outlines_piece(outlines.edges));
  for (std::size_t k = 0; k < glyph_count(parts_->shapes); ++k)
    write_shape(folder.path / RunFolder::vtk_frame("shape", static_cast<std::int64_t>(k)),
                glyph_mesh(parts_->shapes, k, shape_fineness));
}

VtkSeries::~VtkSeries() = default;
VtkSeries::VtkSeries(VtkSeries&&) noexcept = default;

VtkFrame VtkSeries::files_of(const Frame& frame) {
  Parts& p = *parts_;
  VtkFrame files;
  const auto add = [&](const Listing& listing, Piece piece) {
    files.push_back({listing.kind, frame.time_s, p.frames, std::move(piece)});
  };
  if (!frame.walls.empty()) add(p.cells, wall_cells_piece(p.wall_cells, frame.boundary_motion, frame.walls));
  if (frame.is_walls_alone) return files;
  if (p.constants != frame.constants) p.take_constants(frame.constants);
  const std::vector<float> speed = lengths(frame.velocity);
  VtkArrays data{{"orientation", frame.orientation},
                 {"radii", p.radii},
                 {"velocity", frame.velocity},
                 {"angular_velocity", frame.angular_velocity},
                 {"speed", speed},
                 {"id", p.constants->id},
                 {"material", p.material},
                 {"contacts", frame.contacts_of_body}};
  if (!p.shapes.only_ellipsoids()) {
    data.emplace_back("shape", p.glyph);
    data.emplace_back("scale", p.scale);
  }
  for (std::size_t f = 0; f < p.field_names.size(); ++f) data.emplace_back(p.field_names[f], frame.fields[f]);
  add(p.bodies, vtk_points(frame.position, data));

  if (!frame.boundary_motion.empty() || !frame.boundary_removed.empty()) {
    add(p.walls,
        walls_piece(wall_mesh(moved(p.boundaries, frame.boundary_motion, frame.boundary_removed), p.region)));
  }
  if (!frame.lattice.empty() && p.outlines.cell_centre) {
    // The cell's edges are the first: view.py takes its vectors from them.
    std::vector<OutlineEdge> edges =
        cell_outline(*p.outlines.cell_centre, Eigen::Map<const Mat3>(frame.lattice.data()));
    edges.insert(edges.end(), p.outlines.edges.begin(), p.outlines.edges.end());
    add(p.outline, outlines_piece(edges));
  }
  if (p.with_contacts && frame.has_contacts) {
    const FrameContacts& c = frame.contacts;
    const std::vector<float> magnitude = lengths(c.impulse);
    const auto ids = [&](const std::vector<std::int32_t>& places) {
      std::vector<std::int32_t> id;
      id.reserve(places.size());
      for (const std::int32_t i : places)
        id.push_back(i >= 0 ? static_cast<std::int32_t>(p.constants->id[i]) : -1);
      return id;
    };
    const std::vector<std::int32_t> id_a = ids(c.body_a), id_b = ids(c.body_b);
    add(p.contacts, vtk_points(c.point, {{"normal", c.normal},
                                         {"impulse", c.impulse},
                                         {"impulse_magnitude", magnitude},
                                         {"gap", c.gap},
                                         {"body_a", id_a},
                                         {"body_b", id_b},
                                         {"boundary", c.boundary},
                                         {"bond", c.bond}}));
  }
  ++p.frames;
  return files;
}

void VtkSeries::write(VtkFrame files) {
  Parts& p = *parts_;
  for (FrameFile& file : files) {
    write_vtk(temporary_name(p.folder.path / RunFolder::vtk_frame(file.kind, file.number)),
              std::move(file.piece));
    for (Listing* listing : p.listings()) {
      if (listing->kind != file.kind) continue;
      listing->time_s.push_back(file.time_s);
      listing->number.push_back(file.number);
    }
  }
}

void VtkSeries::append(const Frame& frame) { write(files_of(frame)); }

void VtkSeries::publish() {
  Parts& p = *parts_;
  p.publish(p.bodies, p.folder.bodies_series());
  p.publish(p.walls, p.folder.walls_series());
  p.publish(p.outline, p.folder.outlines_series());
  p.publish(p.cells, p.folder.wall_cells_series());
  p.publish(p.contacts, p.folder.contacts_series());
}

void VtkSeries::visit(Archive& io) {
  Parts& p = *parts_;
  io("frames", p.frames);
  for (Listing* listing : p.listings()) {
    io(listing->kind + "_time_s", listing->time_s);
    io(listing->kind + "_number", listing->number);
    if (listing->time_s.size() != listing->number.size())
      throw ReadError("the checkpoint is damaged: its frames do not fit");
    if (io.reads()) listing->published = listing->number.size();
    const std::int64_t from = io.reads() ? p.frames : p.on_disk;
    const auto name = [&](std::int64_t number) {
      return p.folder.path / RunFolder::vtk_frame(listing->kind, number);
    };
    std::error_code ignored;
    if (io.reads())
      for (std::int64_t k = from; std::filesystem::remove(name(k), ignored); ++k) {
      }
    else
      for (const std::int64_t k : listing->number)
        if (k >= from) sync_file(name(k));
  }
  if (io.reads()) remove_temporary_files(p.folder.vtk());
  if (!io.reads()) sync_folder(p.folder.vtk());
  p.on_disk = p.frames;
}

Piece outlines_piece(const std::vector<OutlineEdge>& edges) {
  std::vector<Vec3f> ends;
  std::vector<std::int32_t> kind;
  for (const OutlineEdge& edge : edges) {
    ends.push_back(edge.start.cast<float>());
    ends.push_back(edge.end.cast<float>());
    kind.push_back(static_cast<std::int32_t>(edge.kind));
  }
  return vtk_lines(ends, {{"kind", kind}});
}

Piece walls_piece(const WallMesh& mesh) {
  std::vector<Vec3f> positions, normals;
  for (const Vec3& x : mesh.point) positions.push_back(x.cast<float>());
  for (const Vec3& n : mesh.normal) normals.push_back(n.cast<float>());
  return vtk_polygons(positions, mesh.polygon, normals, {{"boundary", mesh.boundary}});
}

}  // namespace scree::io
