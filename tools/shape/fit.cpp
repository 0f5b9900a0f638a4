#include "tools/shape/fit.h"

#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <spdlog/spdlog.h>

#include "engine/core/errors.h"
#include "engine/geometry/implicit/implicit_shape.h"
#include "engine/geometry/implicit/shape_fit.h"
#include "io/files/mesh_file.h"
#include "io/files/text_file.h"
#include "tools/exit_codes.h"
#include "tools/progress.h"
#include "tools/shape/draw.h"

namespace scree {

namespace {

// Above these limits the form does not suit the mesh. Six bumps bring pebbles, beans and tablets within 0.01
// and 0.02.
constexpr double usual_distance = 0.05;  // root mean square, over the radius of the ball of equal volume
constexpr double usual_volume = 0.1;     // too much or too little, relative to the mesh's
/// A scanned grain longer than this in units of its file is most likely in millimetres.
constexpr double longest_in_metres = 0.5;

[[noreturn]] void fail(const std::filesystem::path& file, const std::vector<std::string>& problems) {
  std::vector<Fault> faults;
  for (const std::string& problem : problems) {
    faults.emplace_back();
    faults.back().where.file = file.string();
    faults.back().problem = problem;
  }
  throw InputError(faults);
}

TriangleMesh checked_mesh(const std::filesystem::path& file) {
  std::vector<std::string> odd;
  TriangleMesh mesh = io::read_mesh(file, odd);
  for (const std::string& what : odd) spdlog::warn("{}: {}", file.string(), what);
  const std::vector<std::string> faults = mesh_faults(mesh);
  if (!faults.empty()) fail(file, faults);
  if (mesh_mass(mesh).volume < 0.0) {
    for (auto& t : mesh.triangles) std::swap(t[1], t[2]);  // it was inside out
  }
  return mesh;
}

struct Fitted {
  ShapeFit fit;
  ImplicitShape shape;
};

/// With fewer perturbations than requested if the function is no body that can be simulated.
Fitted checked_fit(const TriangleMesh& mesh, const FitOptions& options) {
  ShapeFindings findings;
  for (int k = options.perturbations; k >= 0; --k) {
    const ShapeFit fit = fit_shape(mesh, k);
    findings = {};
    if (std::optional<ImplicitShape> shape = make_implicit_shape(function_of(fit), {}, findings)) {
      for (const std::string& warning : findings.warnings) spdlog::warn("{}", warning);
      return {fit, std::move(*shape)};
    }
    for (const std::string& error : findings.errors)
      spdlog::warn("the function with {} is not a valid body: {}", plural(k, "perturbation"), error);
  }
  fail(options.mesh, findings.errors);
}

/// Lengths along the axes of the mesh, in the units of its file.
Vec3 extent_of(const TriangleMesh& mesh) {
  Vec3 low = mesh.points.front(), high = low;
  for (const Vec3& x : mesh.points) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  return high - low;
}

bool are_millimetres(const Vec3& extent) { return extent.maxCoeff() > longest_in_metres; }

double radius_of_equal_volume(const TriangleMesh& mesh) {
  return std::cbrt(mesh_mass(mesh).volume * 3.0 / (4.0 * M_PI));
}

std::string extent_text(const TriangleMesh& mesh) {
  const Vec3 extent = extent_of(mesh);
  return fmt::format("{:.4g} x {:.4g} x {:.4g} in units of the file", extent[0], extent[1], extent[2]) +
         (are_millimetres(extent) ? "; if these are millimetres, as seems likely, use size = 0.001 for bodies"
                                  : "; if these are metres, use size = 1 for bodies");
}

/// Whether the function is near the mesh, and if not, advice.
std::string judged(const Fitted& fitted, const TriangleMesh& mesh, const FitOptions& options) {
  const double distance = fitted.fit.root_mean_square / radius_of_equal_volume(mesh),
               volume = fitted.shape.volume / mesh_mass(mesh).volume - 1.0;
  if (distance <= usual_distance && std::abs(volume) <= usual_volume) return "it fits the mesh";
  std::string text = "it does not fit the mesh: ";
  if (distance > usual_distance)
    text += fmt::format("the root mean square is above {:g} % of that radius", 100.0 * usual_distance);
  if (std::abs(volume) > usual_volume)
    text += fmt::format("{}the volume differs by more than {:g} %", distance > usual_distance ? ", " : "",
                        100.0 * usual_volume);
  constexpr int fewest = 6, most = static_cast<int>(max_perturbations);
  if (options.perturbations < most)
    text += fmt::format("; `-k {}` gives more bumps and dents",
                        std::min(most, std::max(fewest, 2 * options.perturbations)));
  return text +
         "; a clump of ellipsoids ([[members]] instead of semi_axes) can have any form, also with holes";
}

std::string nine_digits(const Vec3& v) { return fmt::format("[{:.9g}, {:.9g}, {:.9g}]", v[0], v[1], v[2]); }

std::string toml_of(const Fitted& fitted, const TriangleMesh& mesh, const FitOptions& options) {
  const ShapeFit& fit = fitted.fit;
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "# Fitted to {} by scree shape --fit; lengths are those of the mesh:\n"
                 "# {}.\n"
                 "# Mean distance of the mesh from it {:.3g}, largest {:.3g}.\n"
                 "semi_axes = {}\n",
                 options.mesh.filename().string(), extent_text(mesh), fit.mean_error, fit.largest_error,
                 nine_digits(fit.semi_axes));
  for (const FittedPerturbation& p : fit.perturbations) {
    const Quat& q = p.pose.orientation;
    fmt::format_to(out,
                   "\n[[perturbations]]\ntype = \"ellipsoid\"\nsemi_axes = {}\ncentre = {}\n"
                   "orientation = [{:.12g}, {:.12g}, {:.12g}, {:.12g}]\nweight = {:.9g}\n",
                   nine_digits(p.semi_axes), nine_digits(p.pose.position), q.w(), q.x(), q.y(), q.z(),
                   p.weight);
  }
  return fmt::to_string(text);
}

std::string text_of(const Fitted& fitted, const TriangleMesh& mesh, const FitOptions& options) {
  const MeshMass mass = mesh_mass(mesh);
  const ShapeFit& fit = fitted.fit;
  const double size = radius_of_equal_volume(mesh);
  const auto percent = [&](double x) { return fmt::format("{:.4g} ({:.2g} %)", x, 100.0 * x / size); };
  std::string text =
      fmt::format("{}: {}, volume {:.6g}, radius of a ball of that volume {:.6g}\n", options.mesh.string(),
                  plural(std::ssize(mesh.triangles), "triangle"), mass.volume, size);
  text += fmt::format("  extent      {}\n", extent_text(mesh));
  text += fmt::format("  function    an ellipsoid of semi-axes {} and {}\n", nine_digits(fit.semi_axes),
                      plural(std::ssize(fit.perturbations), "perturbation"));
  text += fmt::format("  distance    mean {}, root mean square {}, largest {} of that radius\n",
                      percent(fit.mean_error), percent(fit.root_mean_square), percent(fit.largest_error));
  text += fmt::format("  volume      {:.6g}, {:+.2g} %\n", fitted.shape.volume,
                      100.0 * (fitted.shape.volume / mass.volume - 1.0));
  text += fmt::format("  form        {}\n", judged(fitted, mesh, options));
  return text + fmt::format("  written     {}\n", options.output.string());
}

/// The mesh in the axes of the body.
TriangleMesh in_body_axes(TriangleMesh mesh, const Fitted& fitted) {
  const Pose &frame = fitted.fit.frame, &body = fitted.shape.body_in_file;
  for (Vec3& x : mesh.points) {
    x = frame.orientation.conjugate() * (x - frame.position);
    x = body.orientation.conjugate() * (x - body.position);
  }
  return mesh;
}

}  // namespace

int fit(const FitOptions& options) {
  const TriangleMesh mesh = checked_mesh(options.mesh);
  const Fitted fitted = checked_fit(mesh, options);
  io::write_whole_file(options.output, toml_of(fitted, mesh, options));
  show(text_of(fitted, mesh, options));
  if (options.picture.empty()) return exit_ok;
  Shapes shapes;
  const SizedFunction sized{
      shapes.add_function({"fit", function_of(fitted.fit), std::make_shared<ImplicitShape>(fitted.shape)}),
      1.0};
  const TriangleMesh beside = in_body_axes(mesh, fitted);
  return draw_shape(shapes, shapes.add(sized), &beside, options.picture);
}

}  // namespace scree
