#include "tools/shape.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include "engine/geometry/clump_mesh.h"
#include "engine/geometry/implicit/form_indices.h"
#include "io/files/mesh_file.h"
#include "io/scene/read_shape.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/output_files.h"
#include "tools/progress.h"
#include "tools/shape/contact_cost.h"
#include "tools/shape/draw.h"
#include "tools/shape/fit.h"

namespace scree {

namespace {

namespace fs = std::filesystem;

struct ShapeOptions {
  fs::path file, picture, mesh;
  FitOptions fit;
  double size = 1.0;
  int fineness = 24;
  bool json = false, overwrite = false;
};

/// The reported data of a shape. Lengths in m, for a body whose unit of length is `size` m.
struct ShapeReport {
  const ImplicitShape& shape;
  double size;
  FormIndices form;
  ContactCost cost;
};

/// Mass properties of any shape, in its own units.
struct Mass {
  double volume, error;
  const Pose& body_in_file;
  const Vec3& inertia_per_mass;
  double bounding_radius;
};
Mass mass_of(const auto& shape) {
  return {shape.volume, shape.mass_error, shape.body_in_file, shape.inertia_per_mass, shape.bounding_radius};
}

/// Removes the quadrature's errors from zeros.
Vec3 rounded(const Vec3& v, double size) {
  constexpr double rounding = 1e-9;
  return v.unaryExpr([&](double x) { return std::abs(x) < rounding * size ? 0.0 : x; });
}

std::string list(const Vec3& v) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", v[0], v[1], v[2]); }

std::string line(const char* name, const std::string& what) {
  return fmt::format("  {:<12}{}\n", name, what);
}

std::string text_of(const Mass& s, double size, const fs::path& file) {
  const Vec3 imaginary = rounded(s.body_in_file.orientation.vec(), 1.0);
  std::string text = fmt::format("{}: no errors\n", file.string());
  text +=
      line("volume", fmt::format("{:.6g} m^3, relative error {:.1g}", std::pow(size, 3) * s.volume, s.error));
  text +=
      line("centre", fmt::format("{} m, in the axes of the file",
                                 list(rounded(size * s.body_in_file.position, size * s.bounding_radius))));
  text += line(
      "axes",
      imaginary.isZero(0.0)
          ? std::string("those of the file")
          : fmt::format("rotated by [{:.6g}, {:.6g}, {:.6g}, {:.6g}] (w, x, y, z) against those of the file",
                        s.body_in_file.orientation.w(), imaginary[0], imaginary[1], imaginary[2]));
  return text + line("moments",
                     fmt::format("{} m^2, per kg about the centre", list(size * size * s.inertia_per_mass)));
}

std::string text_of(const ShapeReport& r, const fs::path& file) {
  const ImplicitShape& s = r.shape;
  const FormIndices& form = r.form;
  std::string text = text_of(mass_of(s), r.size, file);
  const auto line = [&](const char* name, const std::string& what) { text += scree::line(name, what); };
  line("widths", fmt::format("{} m; farthest point {:.6g} m from the centre", list(r.size * form.widths),
                             r.size * s.bounding_radius));
  line("surface", fmt::format("{:.4g} m^2; largest inscribed ball: radius {:.4g} m",
                              r.size * r.size * form.area, r.size * form.inscribed_radius));
  line(
      "form",
      fmt::format("elongation {:.3f}, flatness {:.3f}, sphericity {:.3f}, roundness {:.2f}, convexity {:.3f}",
                  form.elongation, form.flatness, form.sphericity, form.roundness, form.convexity));
  line("cover", fmt::format("{} patches", s.cover.patches.size()));
  const ContactCost& c = r.cost;
  line("contact",
       fmt::format(
           "{:.2g} us for a pair of these, {:.2g} times the {:.2g} us of two ellipsoids (first search: "
           "{:.2g} us, {:.2g} times)",
           c.remembered_us, c.remembered_us / c.ellipsoid_remembered_us, c.ellipsoid_remembered_us,
           c.searched_us, c.searched_us / c.ellipsoid_searched_us));
  return text;
}

using Json = nlohmann::ordered_json;

Json json_list(const Vec3& v) { return {v[0], v[1], v[2]}; }

Json json_of(const Mass& s, double size, const fs::path& file) {
  const Quat& turn = s.body_in_file.orientation;
  return {{"file", file.string()},
          {"size_m", size},
          {"volume_m3", std::pow(size, 3) * s.volume},
          {"mass_error", s.error},
          {"centre_m", json_list(size * s.body_in_file.position)},
          {"orientation", {turn.w(), turn.x(), turn.y(), turn.z()}},
          {"inertia_per_mass_m2", json_list(size * size * s.inertia_per_mass)},
          {"bounding_radius_m", size * s.bounding_radius}};
}

Json texts(const std::vector<Fault>& warnings) {
  Json told = Json::array();
  for (const Fault& warning : warnings) told.push_back(warning.problem);
  return told;
}

std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string json_of(const ShapeReport& r, const ShapeOptions& options, const std::vector<Fault>& warnings) {
  const ImplicitShape& s = r.shape;
  const FormIndices& form = r.form;
  const auto list = json_list;
  Json json = json_of(mass_of(s), r.size, options.file);
  json.update(Json{{"box_low_m", list(r.size * s.box.low)},
                   {"box_high_m", list(r.size * s.box.high)},
                   {"inscribed_radius_m", r.size * form.inscribed_radius},
                   {"area_m2", r.size * r.size * form.area},
                   {"hull_volume_m3", std::pow(r.size, 3) * form.hull_volume},
                   {"widths_m", list(r.size * form.widths)},
                   {"elongation", form.elongation},
                   {"flatness", form.flatness},
                   {"sphericity", form.sphericity},
                   {"roundness", form.roundness},
                   {"convexity", form.convexity},
                   {"patches", s.cover.patches.size()},
                   {"contact",
                    {{"remembered_us", r.cost.remembered_us},
                     {"searched_us", r.cost.searched_us},
                     {"ellipsoid_remembered_us", r.cost.ellipsoid_remembered_us},
                     {"ellipsoid_searched_us", r.cost.ellipsoid_searched_us},
                     {"contacts_a_pair", r.cost.contacts}}},
                   {"warnings", texts(warnings)}});
  return to_text(json);
}

void write_surface(SurfaceMesh mesh, const ShapeOptions& options) {
  if (options.mesh.empty()) return;
  for (Vec3& x : mesh.points) x *= options.size;
  io::write_mesh(options.mesh, mesh);
}

int clump(const ShapeClump& given, const ShapeOptions& options, const std::vector<Fault>& warnings) {
  const Clump& made = *given.shape;
  if (options.json) {
    Json json = json_of(mass_of(made), options.size, options.file);
    json["parts"] = made.members.size();
    json["smallest_semi_axis_m"] = options.size * made.smallest_length;
    json["warnings"] = texts(warnings);
    show(to_text(json));
  } else {
    show(text_of(mass_of(made), options.size, options.file) +
         line("parts",
              fmt::format("{} ellipsoids, smallest semi-axis {:.6g} m; farthest point {:.6g} m from the "
                          "centre",
                          made.members.size(), options.size * made.smallest_length,
                          options.size * made.bounding_radius)));
  }
  write_surface(surface_mesh(made, options.fineness), options);
  if (options.picture.empty()) return exit_ok;
  Shapes shapes;
  const SizedClump sized{shapes.add_clump(given), options.size};
  return draw_shape(shapes, shapes.add(sized), nullptr, options.picture);
}

int fit_mesh(const ShapeOptions& options) {
  FitOptions fitting = options.fit;
  fitting.picture = options.picture;
  if (fitting.output.empty()) fitting.output = fitting.mesh.stem().string() + ".toml";
  expect_writable(fitting.output, {{fitting.mesh}, options.overwrite});
  return fit(fitting);
}

int shape(const ShapeOptions& options) {
  const OutputRule rule{{options.file, options.fit.mesh}, options.overwrite};
  for (const fs::path& output : {options.picture, options.mesh}) expect_writable(output, rule);
  if (!options.fit.mesh.empty()) return fit_mesh(options);
  if (options.file.empty()) throw CLI::ValidationError("scree shape", "give SHAPE.toml, or --fit MESH.stl");
  const io::ShapeFile file = io::read_shape(options.file);
  for (const Fault& warning : file.warnings) spdlog::warn("{}", to_string(warning));
  if (file.clump) return clump(*file.clump, options, file.warnings);
  const ImplicitShape& made = *file.function->shape;
  const ShapeReport report{made, options.size, form_indices(made), contact_cost(made)};
  show(options.json ? json_of(report, options, file.warnings) : text_of(report, options.file));
  write_surface(surface_mesh(made, options.fineness), options);
  if (options.picture.empty()) return exit_ok;
  Shapes shapes;
  const SizedFunction sized{shapes.add_function(*file.function), options.size};
  return draw_shape(shapes, shapes.add(sized), nullptr, options.picture);
}

}  // namespace

void add_shape(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<ShapeOptions>();
  CLI::App* command = app.add_subcommand(
      "shape",
      "Check a shape file and print volume, form and computing time of a contact, or fit a shape to a mesh");
  CLI::Option* file = command->add_option("file", options->file, "Shape file, as for `file` of [[shapes]]")
                          ->type_name("SHAPE.toml");
  command->add_option("--size", options->size, "Length of one unit of the shape, m")
      ->check(number_in(positive))
      ->capture_default_str();
  command->add_option("--picture", options->picture, "File for a picture from the front, the right and above")
      ->check(ending_in({".png"}))
      ->type_name("FILE.png");
  const auto endings = io::mesh_endings();
  command
      ->add_option("--mesh", options->mesh,
                   "File for its surface as triangles, in the body's axes, m: .stl or .obj")
      ->check(ending_in({endings.begin(), endings.end()}))
      ->type_name("FILE.stl");
  command
      ->add_option("--fineness", options->fineness,
                   "Fineness of the mesh: the number of triangles is 20 times its square")
      ->check(whole_number_in({.low = 1.0, .high = 400.0}))
      ->capture_default_str();
  CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
  CLI::Option* fit = command
                         ->add_option("--fit", options->fit.mesh,
                                      "Triangle mesh to which a shape is fitted: .stl, .obj or .ply")
                         ->excludes(file)
                         ->excludes(json)
                         ->type_name("MESH.stl");
  command
      ->add_option("-k,--perturbations", options->fit.perturbations,
                   "Number of bumps and dents of the fitted function; 0: an ellipsoid")
      ->check(whole_number_in({.low = 0.0, .high = static_cast<double>(max_perturbations)}))
      ->needs(fit)
      ->capture_default_str();
  command
      ->add_option("-o,--output", options->fit.output,
                   "Fitted shape file (default: the mesh's name with .toml)")
      ->needs(fit)
      ->type_name("SHAPE.toml");
  add_overwrite(*command, options->overwrite);
  command->callback([options, &action] { action = [options] { return shape(*options); }; });
}

}  // namespace scree
