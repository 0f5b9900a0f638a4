// What the parts of reading a scene share.
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

/// The bodies that one [[bodies]] heading made.
struct BodyGroup {
  std::size_t begin = 0, end = 0;  // slots
  std::string name;                // or empty
  std::string path;                // "bodies[2]"
  SourceLocation where;            // of the heading
  std::string form;                // "single", "table", "lattice", "random"
  std::string table;               // file, if they come from one
  std::vector<int> lines;          // [body of the group] in that file; empty for HDF5
};

/// The motion of a part, an inlet, or a kind of bonds, that waits for an event.
struct Waiting {
  Section section;
  std::size_t number;
};

/// A mesh whose file has single numbers far from zero, as binary STL has them.
struct CoarseMesh {
  Section section;
  double rounding = 0.0;  // m, of its corners
};

struct DeclaredModels;  // read_models.cpp

struct Reading {
  Scene scene;
  std::vector<Fault> faults;
  std::vector<BodyGroup> groups;                        // in the order of their slots
  std::vector<std::pair<Section, std::size_t>> meshes;  // from files, and their boundaries' numbers
  std::int64_t seed = 0;
  const Node* top = nullptr;              // of the file
  std::set<std::string> used_parameters;  // by functions of time
  std::vector<CoarseMesh> coarse_meshes;
  std::vector<Waiting> waiting_motions, waiting_inlets, waiting_bonds;
  std::shared_ptr<DeclaredModels> declared;               // declarative ones, until they are drives
  std::vector<std::vector<std::string>> model_variables;  // [actuator] names; none if it has faults
  std::size_t most_bodies = std::numeric_limits<std::size_t>::max();
};

/// A file that the scene names, which lies beside it; noted as one that the scene is made of.
std::filesystem::path beside_scene(const std::string& name, Reading& reading);

/// Settings, solver and output.
void read_settings(const Section& top, Reading& reading);
/// Materials and the laws of all their pairs.
void read_materials(const Section& top, Reading& reading);
/// The periodic cell, before bodies; and what others must not do in one, after all.
void read_cell(const Section& top, Reading& reading);
void check_cell(const Section& top, Reading& reading);
/// Parts, before boundaries and bodies, which name them; and what needs these, after them.
void read_parts(const Section& top, Reading& reading);
void read_boundaries(const Section& top, Reading& reading);
void finish_parts(const Section& top, Reading& reading);
/// What carries boundaries or bodies with this heading: the part that it names, or one of its own where it
/// has a motion or is `fixed`; a fault and none where it has both, or neither.
std::optional<std::size_t> read_carrier(const Section& section, const std::string& name, bool fixed,
                                        Reading& reading);
/// Bodies given by functions meet surfaces of revolution and elliptic cylinders as meshes, as near to them as
/// a thousandth of the smallest length of any body; after all shapes.
void mesh_round_walls(Reading& reading);
void mesh_round_walls(double smallest_length, Boundaries& boundaries);
/// Functions that bodies are made of.
void read_shapes(const Section& top, Reading& reading);
void read_bodies(const Section& top, Reading& reading);
/// Those of another run, after the scene's own.
void add_carried_bodies(Reading& reading);
/// Declarative models, before joints, whose motors name them; and what they look at, after joints.
void read_models(const Section& top, Reading& reading);
void finish_models(const Section& top, Reading& reading);
/// Joints, after parts, boundaries and bodies.
void read_joints(const Section& top, Reading& reading);
/// Bonds, after materials.
void read_bonds(const Section& top, Reading& reading);
void read_events(const Section& top, Reading& reading);
/// What measurements may name beyond the scene's materials.
struct MeasuredWorld {
  std::function<std::vector<std::string>(ObservedKind)> names;  // of the parts of a kind
  bool is_recorded = false;                                     // of a run whose parts only its tables know
};
/// After all that they may look at.
std::vector<MeasurementPlan> read_measurements(const Section& top, const MeasuredWorld& world,
                                               Reading& reading);
/// What is slower is at rest, unless a scene says otherwise, m/s.
double usual_rest_speed(const Settings& settings);
/// Gravity that changes, fields, a fluid.
void read_forces(const Section& top, Reading& reading);
/// Inlets, outlets and the domain; after all that they may collide with.
void read_openings(const Section& top, Reading& reading);
/// Overlaps, bodies behind walls, and steps too long for the bodies' size.
/// Cells of walls, where a scene wants them and is in order otherwise.
void cut_walls(const Section& top, Reading& reading);
void check_initial_state(const PlacementLimits& limits, Reading& reading);
/// The smallest length of those that a scene begins with, or that come through its inlets, m; infinite
/// without any.
double smallest_of_all(const Model& model, const Bodies& bodies);

/// Warns of walls, inlets and spins that are too fast for the step.
void check_motion(const Section& top, Reading& reading);
/// Warns of values that granular scenes hardly ever have.
void check_plausibility(const Section& top, Reading& reading);

/// The material that the section's key `material` names. A fault and none if there is no such material, or if
/// the key is left out and there is more than one to choose from.
std::optional<MaterialIndex> find_material(const Section& section, Reading& reading);

/// The function or clump of a size (m) that the section's key `shape` names, if there is one.
std::optional<ShapeDescription> find_shape(const Section& section, double size, Reading& reading);

/// The names of parts that have one.
std::vector<std::string> names_of(const auto& parts) {
  std::vector<std::string> names;
  names.reserve(parts.size());
  for (const auto& part : parts) names.push_back(part.name);
  return names;
}

/// Which of these names a key gives; a fault and none if it is none of them. `of_what`: "of a part".
std::optional<std::size_t> find_name(const std::vector<std::string>& names, const char* of_what,
                                     const Section& section, std::string_view key, Reading& reading);

/// The boundaries that a key names: of a box by its name all walls, by "box.+x" one of them; a fault and none
/// if there is none of this name.
std::vector<std::size_t> find_boundaries(const std::vector<std::string>& all, const Section& section,
                                         std::string_view key, Reading& reading);

/// The material of this name; a fault at the node and none if there is none.
std::optional<MaterialIndex> named_material(const Node& node, const std::string& path, Reading& reading);

/// The region within the closed mesh of the section's `file`; else a fault and none.
std::optional<MeshRegion> read_mesh_region(const Section& section, Reading& reading);

/// The section's motions, stacked.
PrescribedMotion read_motion(const Section& section, Reading& reading);
/// A point of the axis that it turns about, if it does.
std::optional<Vec3> centre_of(const PrescribedMotion& motion);

/// A direction of any length but zero, as a unit one; else a fault and none.
std::optional<Vec3> read_direction(const Section& section, std::string_view key, Reading& reading);

/// The section's `function`, of the time.
std::function<double(double)> read_function_of_time(const Section& section, Reading& reading);
/// The section's `table`: lines of a time and a value; the first may name the columns.
void read_time_table(const Section& section, TimeLaw& law, Reading& reading);

/// The section's `orientation`, or the rotation of another key; none where it is left out or random.
std::optional<Quat> fixed_orientation(const Section& section, std::string_view key = "orientation");

/// What a function in a scene is of, and so its variables, in this order: t; x, y, z; vx, vy, vz; wx, wy, wz;
/// of a second body the same with an o before them.
enum class FormulaOf { time, place, field, body, two_bodies };
/// A function that a node says; it may use the scene's parameters. A fault and none where it cannot be
/// computed.
std::optional<Formula> read_formula(const Node& node, const std::string& path, FormulaOf what,
                                    Reading& reading);
/// Three of them.
std::optional<std::array<Formula, 3>> read_formulas(const Section& section, std::string_view key,
                                                    FormulaOf what, Reading& reading);

/// Refuses what piecewise steps do not know.
void check_piecewise(const Section& top, Reading& reading);

/// Of a key that is given.
Fault about(const Section& section, std::string_view key, std::string problem);

/// "is missing", with what the key says of itself.
Fault missing_key(const Section& section, std::string_view key);

/// Adds a fault unless the section's `low` lies below its `high` in each component.
bool is_box(const Section& section, Reading& reading);

/// The elements of a list of sections, null nodes left out.
std::vector<Section> elements(const Section& top, std::string_view key);

}  // namespace scree::io
