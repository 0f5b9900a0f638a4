// Common parts of reading a scene.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>

#include "engine/simulation/placement.h"
#include "io/scene/expressions.h"
#include "io/scene/scene.h"
#include "io/scene/section.h"

namespace scree::io {

/// The bodies of one [[bodies]] section.
struct BodyGroup {
  std::size_t begin = 0, end = 0;  // slots
  std::string name;                // or empty
  std::string path;                // "bodies[2]"
  SourceLocation where;            // of the heading
  std::string form;                // "single", "table", "lattice", "random"
  std::string table;               // file, if they are from one
  std::vector<int> lines;          // [body of the group] in that file; empty for HDF5
};

/// The motion of a part, an inlet, or a kind of bonds, that waits for an event.
struct Waiting {
  Section section;
  std::size_t number;
};

/// A mesh from a file with single-precision numbers far from zero, such as binary STL.
struct CoarseMesh {
  Section section;
  double rounding = 0.0;  // m, error of its corners
};

struct DeclaredModels;  // read_models.cpp

struct Reading {
  Scene scene;
  std::vector<Fault> faults;
  std::vector<BodyGroup> groups;                        // in the order of their slots
  std::vector<std::pair<Section, std::size_t>> meshes;  // from files, with the numbers of their boundaries
  std::int64_t seed = 0;
  const Node* top = nullptr;              // of the file
  std::set<std::string> used_parameters;  // by functions of time
  std::vector<CoarseMesh> coarse_meshes;
  std::vector<Waiting> waiting_motions, waiting_inlets, waiting_bonds;
  std::shared_ptr<DeclaredModels> declared;               // declarative models, until they are actuators
  std::vector<std::vector<std::string>> model_variables;  // [actuator] names; empty if it has faults
  std::size_t most_bodies = std::numeric_limits<std::size_t>::max();
};

/// A file that the scene names, relative to its folder; it is added to the scene's inputs.
std::filesystem::path beside_scene(const std::string& name, Reading& reading);

/// Settings, solver and output.
void read_settings(const Section& top, Reading& reading);
/// Materials and the laws of all their pairs.
void read_materials(const Section& top, Reading& reading);
/// The periodic cell, before bodies; and, at the end, checks of everything that a cell does not allow.
void read_cell(const Section& top, Reading& reading);
void check_cell(const Section& top, Reading& reading);
/// Parts, before boundaries and bodies, which refer to them; and, after them, the remaining data of parts.
void read_parts(const Section& top, Reading& reading);
void read_boundaries(const Section& top, Reading& reading);
void finish_parts(const Section& top, Reading& reading);
/// The part that carries the boundaries or bodies of this section: the part that it names, or a new one if it
/// has a motion or is `fixed`; a fault and none if it has both, or neither.
std::optional<std::size_t> read_carrier(const Section& section, const std::string& name, bool fixed,
                                        Reading& reading);
/// Bodies given by functions collide with elliptic cylinders as meshes, with an error of a thousandth of the
/// smallest length of any body; after all shapes.
void mesh_round_walls(Reading& reading);
void mesh_round_walls(double smallest_length, Boundaries& boundaries);
/// Shape functions of bodies.
void read_shapes(const Section& top, Reading& reading);
void read_bodies(const Section& top, Reading& reading);
/// Bodies of another run, after the scene's own.
void add_carried_bodies(Reading& reading);
/// Declarative models, before joints, whose motors name them; and their inputs, after joints.
void read_models(const Section& top, Reading& reading);
void finish_models(const Section& top, Reading& reading);
/// Joints, after parts, boundaries and bodies.
void read_joints(const Section& top, Reading& reading);
/// Bonds, after materials.
void read_bonds(const Section& top, Reading& reading);
void read_events(const Section& top, Reading& reading);
/// The names that measurements may use in addition to the scene's materials.
struct MeasuredWorld {
  std::function<std::vector<std::string>(ObservedKind)> names;  // of the parts of a kind
  bool is_recorded = false;  // for a run whose parts are known only from its tables
};
/// After everything that they may refer to.
std::vector<MeasurementPlan> read_measurements(const Section& top, const MeasuredWorld& world,
                                               Reading& reading);
/// Default rest speed: slower bodies are at rest, m/s.
double usual_rest_speed(const Settings& settings);
/// Variable gravity, fields, a fluid.
void read_forces(const Section& top, Reading& reading);
/// Inlets, outlets and the domain; after everything with which they may collide.
void read_openings(const Section& top, Reading& reading);
/// Checks overlaps, bodies behind walls, and steps too long for the bodies' size.
/// Divides walls into cells, if the scene requests it and has no faults.
void cut_walls(const Section& top, Reading& reading);
void check_initial_state(const PlacementLimits& limits, Reading& reading);
/// The smallest length of the bodies at the start, or of those from inlets, m; infinite
/// without any.
double smallest_of_all(const Model& model, const Bodies& bodies);

/// Warns of walls, inlets and spins that are too fast for the step.
void check_motion(const Section& top, Reading& reading);
/// Warns of values that are unusual for granular scenes.
void check_plausibility(const Section& top, Reading& reading);
void check_purpose(const Section& top, Reading& reading);

/// The material that the section's key `material` names. A fault and none if there is no such material, or if
/// the key is absent and there are several materials.
std::optional<MaterialIndex> find_material(const Section& section, Reading& reading);

/// The function or clump of a size (m) that the section's key `shape` names, if there is one.
std::optional<ShapeDescription> find_shape(const Section& section, double size, Reading& reading);

/// The names of parts, if they have one.
std::vector<std::string> names_of(const auto& parts) {
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const auto& part : parts) names.push_back(part.name);
  return names;
}

/// The index of the name that a key gives; a fault and none if it is not in the list. `of_what`: "of a part".
std::optional<std::size_t> find_name(const std::vector<std::string>& names, const char* of_what,
                                     const Section& section, std::string_view key, Reading& reading);

/// The boundaries that a key names: for a box its name means all walls, "box.+x" one of them; a fault and
/// none if there is none of this name.
std::vector<std::size_t> find_boundaries(const std::vector<std::string>& all, const Section& section,
                                         std::string_view key, Reading& reading);

/// The material with this name; a fault at the node and none if there is none.
std::optional<MaterialIndex> named_material(const Node& node, const std::string& path, Reading& reading);

/// The region within the closed mesh of the section's `file`; otherwise a fault and none.
std::optional<MeshRegion> read_mesh_region(const Section& section, Reading& reading);

/// The section's motions, stacked.
PrescribedMotion read_motion(const Section& section, Reading& reading);
/// A point of the axis of rotation, if there is one.
std::optional<Vec3> centre_of(const PrescribedMotion& motion);

/// A direction of any length except zero, as a unit vector; otherwise a fault and none.
std::optional<Vec3> read_direction(const Section& section, std::string_view key, Reading& reading);

/// The section's `function` of time.
std::function<double(double)> read_function_of_time(const Section& section, Reading& reading);
/// The section's `table`: lines of a time and a value; the first line may name the columns.
void read_time_table(const Section& section, TimeLaw& law, Reading& reading);

/// The section's `orientation`, or the rotation of another key; none where it is left out or random.
std::optional<Quat> fixed_orientation(const Section& section, std::string_view key = "orientation");

/// Arguments of a function in a scene, and so its variables, in this order: t; x, y, z; vx, vy, vz; wx, wy,
/// wz; for a second body the same with the prefix o.
enum class FormulaOf { time, place, field, body, two_bodies };
/// The function of a node; it may use the scene's parameters. A fault and none if it cannot be
/// computed.
std::optional<Formula> read_formula(const Node& node, const std::string& path, FormulaOf what,
                                    Reading& reading);
/// Three functions.
std::optional<std::array<Formula, 3>> read_formulas(const Section& section, std::string_view key,
                                                    FormulaOf what, Reading& reading);

/// Rejects everything that piecewise steps do not support.
void check_piecewise(const Section& top, Reading& reading);

/// A fault of a key that is given.
Fault about(const Section& section, std::string_view key, std::string problem);

/// "is missing", with the key's description.
Fault missing_key(const Section& section, std::string_view key);

/// Adds a fault unless the section's `low` is below its `high` in each component.
bool is_box(const Section& section, Reading& reading);

/// The elements of a list of sections, null nodes left out.
std::vector<Section> elements(const Section& top, std::string_view key);

}  // namespace scree::io
