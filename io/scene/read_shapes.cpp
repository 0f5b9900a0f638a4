// Shapes that are given by functions or as clumps, in the scene or in separate files. All are read first.
// Then they are made in parallel, because each may take a second. Then they are added in their order.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <variant>

#include "engine/core/parallel.h"
#include "io/files/csv_file.h"
#include "io/files/input_file.h"
#include "io/scene/expressions.h"
#include "io/scene/faults.h"
#include "io/scene/keys.h"
#include "io/scene/read_shape.h"
#include "io/scene/reading.h"
#include "io/scene/settings_keys.h"
#include "io/scene/validate.h"

namespace scree::io {

namespace {

/// Semi-axes; 0 means infinite.
Vec3 semi_axes_of(const Section& section) {
  Vec3 axes = section.vector("semi_axes");
  for (double& a : axes) a = a > 0.0 ? a : infinity;
  return axes;
}

/// The quadric of `base`; the origin is inside of it.
Quadric base_of(const Section& shape) {
  const Vec3 over = semi_axes_of(shape).cwiseInverse();
  const Mat3 across = Vec3(-over[0] * over[0], -over[1] * over[1], 0.0).asDiagonal();
  const Mat3 along = Vec3(0.0, 0.0, over[2] * over[2]).asDiagonal();
  const std::string base = shape.text("base");
  if (base == "paraboloid") return quadric(across, Vec3(0.0, 0.0, -over[2]), 1.0);
  if (base == "cone") return quadric(across + along, Vec3(0.0, 0.0, -2.0 * over[2]), 1.0);
  if (base == "hyperboloid") return quadric(across + along, Vec3::Zero(), 1.0);
  if (base == "two_sheets") return quadric(across + along, Vec3(0.0, 0.0, 4.0 * over[2]), 3.0);
  return ellipsoid_quadric(semi_axes_of(shape));
}

Perturbation perturbation_of(const Section& section, Reading& reading) {
  const double weight = section.number("weight");
  if (section.text("type") == "plane") {
    Vec3 normal = section.vector("normal");
    if (normal.isZero(0.0)) {
      reading.faults.push_back(
          fault_at(section.given("normal"), section.path_of("normal"), "must not be zero"));
      normal = Vec3::UnitZ();
    }
    normal.normalize();
    return {quadric(Mat3::Zero(), normal, -normal.dot(section.vector("point"))), weight};
  }
  const Quat orientation = fixed_orientation(section).value_or(Quat::Identity());
  const Quadric inside = ellipsoid_quadric(semi_axes_of(section), section.vector("centre"), orientation);
  return {section.boolean("outside") ? negative(inside) : inside, weight};
}

PerturbedQuadric function_of(const Section& shape, Reading& reading) {
  PerturbedQuadric f{base_of(shape), {}};
  for (const Section& section : elements(shape, "perturbations"))
    if (!section.node()->faulty) f.perturbations.push_back(perturbation_of(section, reading));
  return f;
}

/// Is the shape, or one of the tables below it, faulty?
bool is_faulty(const Section& shape, const char* below) {
  const std::vector<Section> parts = elements(shape, below);
  return shape.node()->faulty ||
         std::ranges::any_of(parts, [](const Section& s) { return s.node()->faulty; });
}

/// A fault of a shape as a whole.
Fault about_all(const Section& shape, const std::string& problem) {
  Fault fault;
  fault.where = shape.node()->where;
  fault.key_path = shape.path();
  fault.problem = problem;
  return fault;
}

void tell(const ShapeFindings& findings, const Section& shape, Reading& reading) {
  for (const std::string& warning : findings.warnings)
    reading.scene.warnings.push_back(about_all(shape, warning));
  for (const std::string& error : findings.errors) reading.faults.push_back(about_all(shape, error));
}

std::optional<ClumpMember> member_of(const Section& section, Reading& reading) {
  if (section.has("semi_axes") == section.has("radius")) {
    reading.faults.push_back(about_all(section, "needs either semi_axes or radius"));
    return std::nullopt;
  }
  const Vec3 axes =
      section.has("radius") ? Vec3(Vec3::Constant(section.number("radius"))) : section.vector("semi_axes");
  return ClumpMember{{axes},
                     {section.vector("position"), fixed_orientation(section).value_or(Quat::Identity())}};
}

/// A shape that has been read.
struct ReadShape {
  std::string name;
  Section section;
  std::variant<std::vector<ClumpMember>, PerturbedQuadric> given;
  std::unique_ptr<Node> file{};  // the separate file of the section, if it has one
  // Set when the shape is made:
  ShapeFindings findings{};
  std::shared_ptr<const ImplicitShape>
      function{};  // `function` or `clump` is set, unless the shape has faults
  std::shared_ptr<const Clump> clump{};
};
using ReadShapes = std::vector<ReadShape>;

void read_clump(const std::string& name, const Section& shape, Reading& reading, ReadShapes& read) {
  const std::size_t faults = reading.faults.size();
  if (is_faulty(shape, "members")) return;
  for (const char* key : {"semi_axes", "perturbations", "base"})
    if (const Node* node = shape.node()->find(key))
      reading.faults.push_back(fault_at(*node, shape.path_of(key),
                                        "cannot be combined with members, which define the whole shape"));
  std::vector<ClumpMember> given;
  for (const Section& section : elements(shape, "members"))
    if (const std::optional<ClumpMember> member = member_of(section, reading)) given.push_back(*member);
  if (reading.faults.size() == faults) read.push_back({name, shape, std::move(given)});
}

void read_function(const std::string& name, const Section& shape, Reading& reading, ReadShapes& read) {
  const std::size_t faults = reading.faults.size();
  if (is_faulty(shape, "perturbations")) return;
  PerturbedQuadric given = function_of(shape, reading);
  if (reading.faults.size() > faults) return;
  if (given.perturbations.size() > max_perturbations)
    reading.faults.push_back(about_all(shape, fmt::format("has {} perturbations, but at most {} are possible",
                                                          given.perturbations.size(), max_perturbations)));
  else
    read.push_back({name, shape, std::move(given)});
}

void make(ReadShape& shape) {
  if (const auto* parts = std::get_if<std::vector<ClumpMember>>(&shape.given)) {
    if (std::optional<Clump> made = make_clump(*parts, shape.findings))
      shape.clump = std::make_shared<Clump>(std::move(*made));
  } else {
    const auto& function = std::get<PerturbedQuadric>(shape.given);
    if (std::optional<ImplicitShape> made = make_implicit_shape(function, {}, shape.findings))
      shape.function = std::make_shared<ImplicitShape>(std::move(*made));
  }
}

void enter(ReadShape& shape, Reading& reading) {
  tell(shape.findings, shape.section, reading);
  Shapes& shapes = reading.scene.model.shapes;
  if (auto* const parts = std::get_if<std::vector<ClumpMember>>(&shape.given)) {
    if (shape.clump) shapes.add_clump({shape.name, std::move(*parts), shape.clump});
    if (!shapes.functions().empty())
      reading.faults.push_back(about_all(
          shape.section, fmt::format("is a clump, and \"{}\" is a function shape: one scene cannot have both",
                                     shapes.functions().front().name)));
  } else {
    if (shape.function)
      shapes.add_function({shape.name, std::get<PerturbedQuadric>(std::move(shape.given)), shape.function});
    if (!shapes.clumps().empty())
      reading.faults.push_back(about_all(
          shape.section, fmt::format("is a function shape, and \"{}\" is a clump: one scene cannot have both",
                                     shapes.clumps().front().name)));
  }
}

void make_all(ReadShapes& read, Reading& reading) {
  for_each_index(read.size(), 1, [&](std::size_t k) { make(read[k]); });
  for (ReadShape& shape : read) enter(shape, reading);
}

/// Reads a shape file, which has the keys of [[shapes]] at its top level.
void read_from_text(const std::string& name, const std::string& text, const std::filesystem::path& file,
                    Reading& reading, ReadShapes& read) {
  auto whole = std::make_unique<Node>(parse_document(text, file.string()));
  Node& root = *whole;
  evaluate_expressions(root, reading.faults);
  validate(root, "shapes", "shape", reading.faults);
  const Section shape(&root, "shapes", "shape");
  const std::size_t before = read.size();
  if (root.find("file") != nullptr) {
    reading.faults.push_back(fault_at(*root.find("file"), "shape.file", "cannot be used in a shape file"));
  } else if (root.find("members") != nullptr) {
    read_clump(name, shape, reading, read);
  } else if (root.find("semi_axes") == nullptr) {
    reading.faults.push_back(missing_key(shape, "semi_axes"));
    reading.faults.back().where.file = file.string();
  } else {
    read_function(name, shape, reading, read);
  }
  if (read.size() > before) read.back().file = std::move(whole);
}

/// Reads the spheres of a clump, one per line: x, y, z and the radius. Empty lines, lines that begin with #,
/// and a first line of names are skipped. Multisphere templates of LIGGGHTS have this form.
void read_members(const std::string& name, const std::string& text, const std::filesystem::path& file,
                  const Section& section, Reading& reading, ReadShapes& read) {
  std::vector<ClumpMember> members;
  const std::size_t before = reading.faults.size();
  std::vector<CsvLine> lines = csv_lines(text);
  for (CsvLine& line : lines) {
    std::ranges::replace(line.text, '\t', ' ');
    const char separator = csv_separator(line.text);
    std::vector<double> numbers;
    for (const CsvField& field : split_csv(line.text, separator))
      numbers.push_back(csv_number(field.text, separator));
    const auto finite = std::ranges::count_if(numbers, [](double x) { return std::isfinite(x); });
    if (finite == 0 && &line == &lines.front()) continue;  // column names
    if (finite == 4 && numbers.size() == 4 && numbers[3] > 0.0) {
      members.push_back({{Vec3::Constant(numbers[3])}, {Vec3(numbers.data()), Quat::Identity()}});
      continue;
    }
    Fault fault;
    fault.where = {file.string(), line.number, 1};
    fault.key_path = section.path_of("file");
    fault.problem = "must have four numbers: x, y, z and a radius above 0";
    fault.value = shortened(line.text);
    reading.faults.push_back(std::move(fault));
    if (reading.faults.size() >= most_faults) return;
  }
  if (members.empty() && reading.faults.size() == before)
    reading.faults.push_back(
        about(section, "file", "has no spheres; each line must have x, y, z and a radius"));
  if (reading.faults.size() == before) read.push_back({name, section, std::move(members)});
}

void read_shape_file(const std::string& name, const Section& section, Reading& reading, ReadShapes& read) {
  const std::filesystem::path file = beside_scene(section.text("file"), reading);
  std::string problem;
  if (const std::optional<std::string> text = read_bytes(file, problem, most_text_bytes)) {
    if (file.extension() == ".toml")
      read_from_text(name, *text, file, reading, read);
    else
      read_members(name, *text, file, section, reading, read);
  } else {
    reading.faults.push_back(
        fault_at(section.given("file"), section.path_of("file"), "cannot be opened: " + problem));
  }
}

}  // namespace

void read_shapes(const Section& top, Reading& reading) {
  std::vector<std::string> names;
  ReadShapes read;
  for (const Section& section : elements(top, "shapes")) {
    if (section.node()->faulty) continue;
    const Node* const file = section.node()->find("file");
    if (!section.has("name")) {
      reading.faults.push_back(missing_key(section, "name"));
      continue;
    }
    const std::string name = section.text("name");
    if (std::ranges::find(names, name) != names.end())
      reading.faults.push_back(fault_at(section.given("name"), section.path_of("name"), "is already in use"));
    names.push_back(name);
    const bool is_here =
        section.node()->find("semi_axes") != nullptr || section.node()->find("members") != nullptr;
    if (file != nullptr && is_here) {
      reading.faults.push_back(fault_at(*file, section.path_of("file"),
                                        "cannot be combined with semi_axes or members; remove one of them"));
    } else if (file != nullptr) {
      read_shape_file(name, section, reading, read);
    } else if (section.node()->find("members") != nullptr) {
      read_clump(name, section, reading, read);
    } else if (!section.has("semi_axes")) {
      reading.faults.push_back(missing_key(section, "semi_axes"));
    } else {
      read_function(name, section, reading, read);
    }
  }
  make_all(read, reading);
}

ShapeFile read_shape(const std::filesystem::path& file) {
  Reading reading;
  std::string problem;
  const std::optional<std::string> text = read_bytes(file, problem, most_text_bytes);
  if (text) {
    ReadShapes shapes;
    read_from_text(file.stem().string(), *text, file, reading, shapes);
    make_all(shapes, reading);
  } else {
    Fault fault;
    fault.where.file = file.string();
    fault.problem = "cannot be opened: " + problem;
    reading.faults.push_back(std::move(fault));
  }
  if (!reading.faults.empty()) {
    sort_by_place(reading.faults);
    throw InputError(reading.faults);
  }
  const Shapes& shapes = reading.scene.model.shapes;
  ShapeFile read{std::nullopt, std::nullopt, reading.scene.warnings};
  if (shapes.clumps().empty())
    read.function = shapes.functions().front();
  else
    read.clump = shapes.clumps().front();
  return read;
}

std::optional<ShapeDescription> find_shape(const Section& section, double size, Reading& reading) {
  if (!section.has("shape")) return std::nullopt;
  const Shapes& shapes = reading.scene.model.shapes;
  std::vector<std::string> names;
  for (const ShapeFunction& f : shapes.functions()) names.push_back(f.name);
  for (const ShapeClump& c : shapes.clumps()) names.push_back(c.name);
  const auto found = std::ranges::find(names, section.text("shape"));
  if (found != names.end()) {
    const auto number = static_cast<std::size_t>(found - names.begin()),
               functions = shapes.functions().size();
    return number < functions
               ? ShapeDescription{ShapeKind::implicit, {0.0, 0.0, 0.0, static_cast<double>(number), size}}
               : ShapeDescription{ShapeKind::clump,
                                  {0.0, 0.0, 0.0, static_cast<double>(number - functions), size}};
  }
  // A faulty shape was already reported.
  for (const Section& given : elements(Section(reading.top, "", ""), "shapes"))
    if (given.has("name") && given.text("name") == section.text("shape")) return std::nullopt;
  Fault fault = fault_at(section.given("shape"), section.path_of("shape"), "is not the name of a shape");
  fault.suggestion = did_you_mean(section.text("shape"), names);
  if (names.empty()) fault.suggestion = "define the shape under a heading [[shapes]]";
  reading.faults.push_back(std::move(fault));
  return std::nullopt;
}

}  // namespace scree::io
