#include "io/scene/grain_keys.h"

#include <fmt/format.h>
#include <numbers>

#include "engine/geometry/implicit/shape_checks.h"
#include "io/files/csv_file.h"
#include "io/scene/faults.h"
#include "io/scene/settings_keys.h"

namespace scree::io {

namespace {

std::optional<ShapeDescription> read_named_shape(const Section& section, Reading& reading) {
  for (const char* const key : {"semi_axes", "radius"}) {
    if (const Node* node = section.node()->find(key))
      reading.faults.push_back(
          fault_at(*node, section.path_of(key), "cannot be combined with shape; remove one of them"));
  }
  if (section.node()->find("size") == nullptr) reading.faults.push_back(missing_key(section, "size"));
  const double size = section.has("size") ? section.number("size") : 0.0;
  const std::optional<ShapeDescription> shape = find_shape(section, size, reading);
  return size > 0.0 ? shape : std::nullopt;
}

bool is_window(const Section& scale, Reading& reading) {
  if (!scale.has("low") || scale.number("low") < scale.number("high")) return true;
  Fault fault = about(scale, "high", "must be larger than low");
  fault.allowed = fmt::format("> {}", scale.number("low"));
  reading.faults.push_back(fault);
  return false;
}

/// Reads lines with a size and the share of smaller grains.
bool read_sieves(const Section& scale, SizeDistribution& law, Reading& reading) {
  const std::filesystem::path file = beside_scene(scale.text("table"), reading);
  const std::vector<CsvPair> pairs = read_csv_pairs(file);
  const auto fail = [&](int line, const std::string& problem) {
    Fault fault = line == 0 ? about(scale, "table", problem) : Fault{};
    if (line > 0) {
      fault.where = {file.string(), line, 1};
      fault.key_path = scale.path_of("table");
      fault.problem = problem;
    }
    reading.faults.push_back(std::move(fault));
    return false;
  };
  if (pairs.empty()) return fail(0, "cannot be read, or is empty");
  for (const auto& [size, share, line] : pairs) {
    if (!(size > 0.0 && std::isfinite(size) && share >= 0.0 && share <= 1.0))
      return fail(
          line,
          fmt::format(
              "must have a size above 0 and a share from 0 to 1, not {:g} and {:g}{}", size, share,
              share > 1.0 && share <= 100.0 ? fmt::format(" ({:g} % is {:g})", share, share / 100.0) : ""));
    if (!law.sizes.empty() && !(size > law.sizes.back() && share > law.shares.back()))
      return fail(line, "must be larger than the previous line in both columns");
    law.sizes.push_back(size);
    law.shares.push_back(share);
  }
  if (law.sizes.size() < 2) return fail(0, "needs at least two sizes");
  if (law.shares.front() != 0.0 || law.shares.back() != 1.0)
    return fail(0, fmt::format("must begin with a share of 0 and end with 1, not with {:g} and {:g}",
                               law.shares.front(), law.shares.back()));
  return true;
}

}  // namespace

ShapeDescription described_ellipsoid(const Vec3& semi_axes) {
  return {ShapeKind::ellipsoid, {semi_axes[0], semi_axes[1], semi_axes[2], 0.0, 0.0}};
}

std::string problem_beside_functions(const ShapeDescription& shape, const Reading& reading) {
  ShapeFindings findings;
  if (shape.kind != ShapeKind::ellipsoid || reading.scene.model.shapes.functions().empty() ||
      is_thick_enough(Vec3(shape.numbers.data()), findings))
    return "";
  return findings.errors.front();
}

ShapeDescription scaled_shape(ShapeDescription shape, double scale) {
  for (const std::size_t k : {0u, 1u, 2u, 4u}) shape.numbers[k] *= scale;
  return shape;
}

std::optional<ShapeDescription> read_grain_shape(const Section& section, bool required, Reading& reading) {
  if (section.node()->find("shape") != nullptr) return read_named_shape(section, reading);
  if (const Node* size = section.node()->find("size"))
    reading.faults.push_back(fault_at(*size, section.path_of("size"), "has no effect without shape"));
  const Node* axes = section.node()->find("semi_axes");
  const Node* radius = section.node()->find("radius");
  if (axes != nullptr && radius != nullptr) {
    reading.faults.push_back(fault_at(*radius, section.path_of("radius"),
                                      "cannot be combined with semi_axes; remove one of them"));
    return std::nullopt;
  }
  if (section.has("semi_axes")) {
    const ShapeDescription shape = described_ellipsoid(section.vector("semi_axes"));
    const std::string problem = problem_beside_functions(shape, reading);
    if (problem.empty()) return shape;
    reading.faults.push_back(about(section, "semi_axes", problem));
    return std::nullopt;
  }
  if (section.has("radius")) return described_ellipsoid(Vec3::Constant(section.number("radius")));
  if (axes == nullptr && radius == nullptr && required && !section.node()->has_foreign_keys) {
    reading.faults.push_back({.where = section.node()->where,
                              .key_path = section.path_of("semi_axes"),
                              .problem = "is missing (semi_axes, radius or shape is needed)",
                              .value = {},
                              .unit = "m",
                              .allowed = "> 0",
                              .suggestion = {}});
  }
  return std::nullopt;
}

std::optional<Region> read_region(const Section& section, Reading& reading) {
  if (section.text("type") == "cylinder") {
    const CylinderRegion cylinder{section.vector("start"), section.vector("end"), section.number("radius")};
    if (cylinder.start != cylinder.end) return cylinder;
    reading.faults.push_back(about(section, "end", "must differ from start"));
    return std::nullopt;
  }
  if (section.text("type") == "mesh") {
    const std::optional<MeshRegion> region = read_mesh_region(section, reading);
    if (region) return *region;
    return std::nullopt;
  }
  if (!is_box(section, reading)) return std::nullopt;
  return BoxRegion{section.vector("low"), section.vector("high")};
}

double read_spread(const Section& section, Reading& reading) {
  if (!section.has("orientation_spread")) return 0.0;
  if (!fixed_orientation(section))
    reading.faults.push_back(about(section, "orientation_spread", "needs orientation"));
  return std::numbers::pi / 180.0 * section.number("orientation_spread");
}

std::optional<SizeLaw> read_scale(const Section& section, Reading& reading) {
  const Section scale = section.child("scale");
  if (scale.node() == nullptr) return SizeLaw{};
  if (!is_window(scale, reading)) return std::nullopt;
  SizeLaw law{settings_of<SizeDistribution>(scale),
              settings_of<SizeShares>(scale).by == SizeShares::Of::mass};
  if (law.law.kind == DistributionKind::table && !read_sieves(scale, law.law, reading)) return std::nullopt;
  return law;
}

}  // namespace scree::io
