#include "tools/mesh.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <spdlog/spdlog.h>

#include "engine/geometry/mesh_repair.h"
#include "io/files/file_errors.h"
#include "io/files/mesh_file.h"
#include "io/files/vtk_file.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/mesh/draw.h"
#include "tools/output_files.h"
#include "tools/progress.h"

namespace scree {

namespace {

namespace fs = std::filesystem;

constexpr double usual_tolerance = 1e-6;     // of the size
constexpr double usual_hole = 0.05;          // likewise
constexpr double likely_millimetres = 50.0;  // m: few machines are as large

struct MeshOptions {
  fs::path file, output, picture;
  std::optional<double> weld_m, hole_m;
  double scale = 1.0;
  std::int64_t decimate = 0;
  bool repair = false, overwrite = false;
};

std::string line(const char* name, const std::string& what) {
  return fmt::format("  {:<14}{}\n", name, what);
}

std::string place(const Vec3& x) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", x[0], x[1], x[2]); }

/// "no", or their number and the place of the first.
std::string some(std::size_t count, const std::string& what, const std::string& where = "") {
  return count == 0 ? "no"
                    : fmt::format("{} {}{}", count, what, where.empty() ? "" : ", the first at " + where);
}

Vec3 middle_of(const TriangleMesh& mesh, std::int32_t t) {
  const auto& [a, b, c] = mesh.triangles[t];
  return (mesh.points[a] + mesh.points[b] + mesh.points[c]) / 3.0;
}

std::string holes_text(const TriangleMesh& mesh, const MeshDiagnosis& d) {
  if (d.holes.empty()) return "no";
  const MeshHole& largest = *std::ranges::max_element(d.holes, {}, &MeshHole::size);
  return fmt::format("{}, with {} in total; the largest is {:.4g} m wide, at {}",
                     plural(std::ssize(d.holes), "rim"),
                     plural(static_cast<std::int64_t>(d.open_edges), "edge"), largest.size,
                     place(mesh.points[largest.points.front()]));
}

std::string crossings_text(const TriangleMesh& mesh, const MeshDiagnosis& d) {
  return some(d.crossings.size(), "pairs of triangles that intersect",
              d.crossings.empty() ? "" : place(middle_of(mesh, d.crossings.front()[0])));
}

std::string sense_text(const MeshDiagnosis& d) {
  std::string text =
      d.turned_edges == 0
          ? std::string("consistent")
          : fmt::format("{} edges are between triangles with opposite orientation", d.turned_edges);
  if (d.inside_out > 0)
    text += fmt::format("; {} closed {} inwards", d.inside_out,
                        d.inside_out == 1 ? "piece faces" : "pieces face");
  return text;
}

std::string text_of(const TriangleMesh& mesh, const MeshDiagnosis& d, double tolerance) {
  const Vec3 size = d.high - d.low;
  std::string text;
  text += line("triangles", fmt::format("{}, {} points, {}", d.triangles, d.points,
                                        plural(static_cast<std::int64_t>(d.pieces), "piece")));
  text += line("extent", fmt::format("{:.6g} x {:.6g} x {:.6g} m, from {} to {}", size[0], size[1], size[2],
                                     place(d.low), place(d.high)));
  text += line("closed", d.is_closed() ? "yes" : "no");
  text += line("holes", holes_text(mesh, d));
  text += line("orientation", sense_text(d));
  text += line("crowded", some(d.crowded_edges, "edges with more than two triangles"));
  text +=
      line("T-junctions", some(d.t_junctions.size(), "points on edges of others",
                               d.t_junctions.empty() ? "" : place(mesh.points[d.t_junctions.front().point])));
  text += line("near corners",
               some(d.near_points, fmt::format("points closer than {:.3g} m to another", tolerance)));
  text += line("needles", some(d.needles, "triangles with an angle below 1 degree"));
  text += line("degenerate", fmt::format("{} without area, {} duplicate", d.without_area, d.twice));
  text += line("crossing", crossings_text(mesh, d));
  return text;
}

/// In one sentence, with advice.
std::string advice(const MeshDiagnosis& d, const MeshOptions& options) {
  const std::string file = shell_word(options.file.string());
  std::string text;
  if ((d.high - d.low).maxCoeff() > likely_millimetres)
    text += fmt::format(
        "The mesh is {:.4g} m large. If its unit is the millimetre, it is {:.4g} m: use `--scale 0.001` here "
        "and "
        "`scale = 0.001` in a scene.\n",
        (d.high - d.low).maxCoeff(), 1e-3 * (d.high - d.low).maxCoeff());
  if (d.is_in_order() && d.near_points == 0)
    return text + "No defects: the mesh can be used as a wall and as a body.\n";
  if (!options.repair && (!d.is_closed() || d.turned_edges + d.inside_out + d.twice + d.without_area > 0 ||
                          d.near_points > 0 || !d.t_junctions.empty()))
    text += fmt::format(
        "`scree mesh {} --repair --to repaired.stl` merges corners, orients triangles and closes holes where "
        "possible.\n",
        file);
  if (!d.crossings.empty())
    text +=
        "Repair triangles that intersect in the program that made the mesh: grains may be caught between "
        "them.\n";
  if (!d.is_closed())
    text +=
        "A wall may be open (set `sheets = true` if this is intended); a body and a region must be closed.\n";
  return text;
}

void write(const fs::path& path, const TriangleMesh& mesh, double tolerance) {
  if (path.extension() != ".vtp") {
    io::write_mesh(path, mesh);
    return;
  }
  std::vector<std::int32_t> fault;
  for (const TriangleFault f : diagnose(mesh, tolerance).fault) fault.push_back(static_cast<std::int32_t>(f));
  io::write_vtk_mesh(path, mesh, {{"fault", fault}});
}

int look_at_mesh(const MeshOptions& options) {
  if (!options.output.empty()) expect_writable(options.output, {{options.file}, options.overwrite});
  if (!options.picture.empty()) expect_writable(options.picture, {{options.file}, options.overwrite});
  std::vector<std::string> odd;
  TriangleMesh mesh = io::read_mesh(options.file, odd);
  for (const std::string& what : odd) spdlog::warn("{}: {}", options.file.string(), what);
  if (mesh.triangles.empty())
    throw io::ReadError(fmt::format("cannot read {}: it has no triangles", options.file.string()));
  for (Vec3& x : mesh.points) x *= options.scale;
  Eigen::AlignedBox3d box;
  for (const Vec3& x : mesh.points) box.extend(x);
  const double size = box.sizes().maxCoeff(), tolerance = options.weld_m.value_or(usual_tolerance * size);
  MeshDiagnosis found = diagnose(mesh, tolerance);
  show(fmt::format("{}\n{}", options.file.string(), text_of(mesh, found, tolerance)));
  const bool changes = options.repair || options.weld_m || options.decimate > 0;
  if (options.repair) {
    if (!io::vtk_problem().empty()) spdlog::warn("holes stay open, because {}", io::vtk_problem());
    mesh = io::mended(mesh, tolerance, options.hole_m.value_or(usual_hole * size));
  } else if (options.weld_m) {
    mesh = welded(mesh, tolerance);
  }
  if (options.decimate > 0) mesh = io::decimate(mesh, static_cast<std::size_t>(options.decimate));
  if (changes) {
    found = diagnose(mesh, tolerance);
    show(fmt::format("after {}\n{}", options.repair ? "repair" : "the change",
                     text_of(mesh, found, tolerance)));
  }
  show(advice(found, options));
  if (!options.output.empty()) {
    write(options.output, mesh, tolerance);
    show(fmt::format("{}\n", options.output.string()));
  }
  if (options.picture.empty()) return exit_ok;
  const int status = draw_mesh(mesh, found, options.picture);
  if (status == exit_ok) show(fmt::format("{}\n", options.picture.string()));
  return status;
}

}  // namespace

void add_mesh(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<MeshOptions>();
  CLI::App* command = app.add_subcommand("mesh", "Check a mesh of a wall, and repair it");
  command->add_option("file", options->file, "Mesh file: STL, OBJ, PLY, VTP, VTU, VTK or glTF")
      ->required()
      ->type_name("MESH.stl");
  command->add_option("--scale", options->scale, "Length of one unit of the file, m: 0.001 for millimetres")
      ->check(number_in(positive))
      ->capture_default_str();
  command
      ->add_option(
          "--weld", options->weld_m,
          "Merge corners closer than this, m (default for --repair and the report: 1e-6 of the size)")
      ->check(number_in(not_negative))
      ->type_name("TOLERANCE");
  command->add_flag(
      "--repair", options->repair,
      "Merge corners, close T-junctions and holes, remove degenerate triangles, orient all triangles "
      "outwards");
  command
      ->add_option("--holes", options->hole_m,
                   "Largest hole that --repair fills, m (default: a twentieth of the size)")
      ->check(number_in(not_negative))
      ->type_name("SIZE");
  command
      ->add_option("--decimate", options->decimate,
                   "Number of triangles to which the mesh is reduced, approximately")
      ->check(whole_number_in({.low = 4.0, .high = 1e8}))
      ->type_name("COUNT");
  command->add_option("--to", options->output, "File for the mesh: .stl, .obj or .vtp")
      ->check(ending_in({io::mesh_endings().begin(), io::mesh_endings().end()}))
      ->type_name("FILE.stl");
  command->add_option("--picture", options->picture, "File for a picture with the defects in colour")
      ->type_name("FILE.png");
  add_overwrite(*command, options->overwrite);
  command->callback([options, &action] { action = [options] { return look_at_mesh(*options); }; });
}

}  // namespace scree
