// Maps keys of a scene file to members of settings. Defaults are defined only in those structs:
// reading, the reference page and the schema use them.
#pragma once

#include <algorithm>

#include "engine/modules/generation/packing.h"
#include "engine/simulation/placement.h"
#include "io/scene/keys.h"
#include "io/scene/scene.h"
#include "io/scene/section.h"

namespace scree::io {

/// Placement of a mesh from a file.
struct MeshPlacement {
  double scale = 1.0;            // m per unit of the file
  Vec3 position = Vec3::Zero();  // m
  double weld = 0.0;             // m, corners nearer than this are merged
  bool sheets = false;           // are rims and edges of more than two triangles intended?
};

/// Meaning of a size distribution, and number of sizes that represent it at an inlet.
struct SizeShares {
  enum class Of { number, mass };
  Of by = Of::number;
  int sizes = 200;
};

/// Options of a surface of revolution other than its dimensions.
struct RevolvedForm {
  double rounding = 0.0;  // m
  bool closed = false;    // is the profile closed?
  bool inside = false;    // does the inside of the sphere have contacts?
};

/// Directions along which a cell is periodic.
struct RepeatedDirections {
  std::vector<std::string> periodic{"x", "y", "z"};
};

/// Gradients of the velocity along x, y and z, 1/s.
struct FlowGradient {
  Vec3 x = Vec3::Zero(), y = Vec3::Zero(), z = Vec3::Zero();
};

/// Standard deviations of random velocities, for each component.
struct RandomMotion {
  double linear = 0.0, angular = 0.0;  // m/s, rad/s
};

/// Calls f(section, key, member) for each member that a key sets.
void for_each_key(Scene& scene, auto&& f) {
  f("", "description", scene.description);
  f("", "accuracy", scene.accuracy);
  f("", "origin", scene.origin);
  f("", "end_time", scene.end_time_s);
  f("", "until", scene.until);
  f("", "rest_duration", scene.rest_duration_s);
  f("", "largest_time_step", scene.largest_time_step_s);
  Settings& s = scene.model.settings;
  f("", "gravity", s.gravity);
  f("", "time_step", s.time_step_s);
  f("", "least_time_step", s.least_time_step_s);
  f("", "time_step_overlap", s.time_step_overlap);
  f("", "steps_per_impact", s.steps_per_impact);
  f("", "substeps", s.substeps);
  f("", "sort_interval", s.sort_interval);
  f("", "stepping", s.stepping);
  f("", "most_impacts", s.most_impacts);
  f("", "restitution_threshold", s.restitution_threshold_m_s);
  f("", "restitution_law", s.restitution_law);
  f("solver", "kind", s.solver.kind);
  f("solver", "max_sweeps", s.solver.max_sweeps);
  f("solver", "give_way", s.solver.give_way);
  f("solver", "tolerance", s.solver.tolerance);
  f("solver", "warm_start", s.solver.warm_start);
  f("solver", "friction_cone", s.solver.friction_cone);
  f("solver", "friction_samples", s.solver.friction_samples);
  f("solver", "position_correction", s.solver.position_correction);
  f("solver", "biased_sweeps", s.solver.biased_sweeps);
  f("solver", "unbiased_sweeps", s.solver.unbiased_sweeps);
  f("solver", "correction_fraction", s.solver.correction_fraction);
  f("solver", "correction_slop", s.solver.correction_slop);
  f("solver", "correction_speed", s.solver.correction_speed_m_s);
  f("solver", "correction_sweeps", s.solver.correction_sweeps);
  f("sleep", "speed", s.sleep.speed_m_s);
  f("sleep", "duration", s.sleep.duration_s);
  f("sleep", "tolerance", s.sleep.tolerance);
  OutputSettings& o = scene.output;
  f("output", "interval", o.interval_s);
  f("output", "fields", o.fields);
  f("output", "hdf5", o.hdf5);
  f("output", "vtk", o.vtk);
  f("output", "contacts", o.contacts);
  f("output", "significant_bits", o.significant_bits);
  f("output", "contacts_interval", o.contacts_interval_s);
  f("output", "impacts", o.impacts);
  f("output", "stage_table", o.stage_table);
  CheckpointSettings& c = scene.checkpoints;
  f("checkpoints", "wall_time", c.wall_time_s);
  f("checkpoints", "interval", c.interval_s);
  f("checkpoints", "steps", c.steps);
  f("checkpoints", "keep", c.keep);
}
void for_each_key(Fluid& fluid, auto&& f) {
  f("fluid", "density", fluid.density);
  f("fluid", "viscosity", fluid.viscosity);
  f("fluid", "drag", fluid.drag);
  f("fluid", "buoyancy", fluid.buoyancy);
}
void for_each_key(Event& event, auto&& f) {
  f("events", "hold", event.condition.hold_s);
  f("events", "repeats", event.repeats);
  f("events", "record", event.actions.record);
  f("events", "stop", event.actions.stop);
}
void for_each_key(PlacementLimits& limits, auto&& f) { f("checks", "max_initial_overlap", limits.overlap); }
void for_each_key(PairLaw& law, auto&& f) {
  f("materials", "friction", law.friction);
  f("materials", "torsional_friction", law.torsional_friction_m);
  f("materials", "rolling_friction", law.rolling_friction_m);
  f("materials", "torsional_friction_ratio", law.torsional_friction_ratio);
  f("materials", "rolling_friction_ratio", law.rolling_friction_ratio);
  f("materials", "restitution", law.restitution);
  f("materials", "adhesion_energy", law.cohesion.adhesion_energy);
  f("materials", "surface_tension", law.cohesion.surface_tension);
  f("materials", "bridge_volume", law.cohesion.bridge_volume);
}
void for_each_key(BondLaw& bonds, auto&& f) {
  f("bonds", "reach", bonds.reach);
  f("bonds", "time", bonds.time_s);
  f("bonds", "radius_ratio", bonds.radius_ratio);
  f("bonds", "stiffness_ratio", bonds.stiffness_ratio);
  f("bonds", "damping", bonds.damping);
  f("bonds", "moment_share", bonds.moment_share);
}
void for_each_key(Surface& surface, auto&& f) {
  f("materials", "friction_factors", surface.direction_factors);
}
void for_each_key(FrictionPatch& patch, auto&& f) {
  f("friction_patches", "centre", patch.centre);
  f("friction_patches", "radius", patch.radius_m);
  f("friction_patches", "edge", patch.edge_m);
  f("friction_patches", "factor", patch.factor);
}
void for_each_key(Twist& twist, auto&& f) {
  f("bodies", "velocity", twist.linear);
  f("bodies", "angular_velocity", twist.angular);
}
void for_each_key(LatticeSettings& lattice, auto&& f) {
  f("bodies", "jitter", lattice.jitter);
  f("bodies", "arrangement", lattice.kind);
}
void for_each_key(RandomPackingSettings& packing, auto&& f) {
  f("bodies", "attempts", packing.attempts);
  f("bodies", "clearance", packing.clearance);
}
void for_each_key(SizeDistribution& scale, auto&& f) {
  f("scale", "distribution", scale.kind);
  f("scale", "mean", scale.mean);
  f("scale", "deviation", scale.deviation);
  f("scale", "low", scale.low);
  f("scale", "high", scale.high);
  f("scale", "characteristic", scale.characteristic);
  f("scale", "modulus", scale.modulus);
}
void for_each_key(SizeShares& shares, auto&& f) {
  f("scale", "by", shares.by);
  f("inlets", "sizes", shares.sizes);
}
void for_each_key(Inlet& inlet, auto&& f) {
  f("inlets", "velocity", inlet.twist.linear);
  f("inlets", "angular_velocity", inlet.twist.angular);
  f("inlets", "start", inlet.start_s);
  f("inlets", "attempts", inlet.attempts);
}
/// Walls that consist of a few numbers.
template <class Surface>
requires requires(Surface& wall) { problem_of(wall); }
void for_each_key(Surface& wall, auto&& f) {
  for_each_member(wall, [&](const char* name, const char*, auto& member) { f("boundaries", name, member); });
}
void for_each_key(MeshPlacement& mesh, auto&& f) {
  f("boundaries", "scale", mesh.scale);
  f("boundaries", "position", mesh.position);
  f("boundaries", "weld", mesh.weld);
  f("boundaries", "sheets", mesh.sheets);
}
void for_each_key(RevolvedForm& revolved, auto&& f) {
  f("boundaries", "rounding", revolved.rounding);
  f("boundaries", "closed", revolved.closed);
  f("boundaries", "inside", revolved.inside);
}
void for_each_key(Boundary& boundary, auto&& f) {
  f("boundaries", "surface_velocity", boundary.surface_velocity);
}
void for_each_key(PeriodicCell& cell, auto&& f) {
  f("cell", "low", cell.low);
  f("cell", "high", cell.high);
}
void for_each_key(HeldStress& held, auto&& f) { f("cell", "inertia", held.inertia); }
void for_each_key(RepeatedDirections& cell, auto&& f) { f("cell", "periodic", cell.periodic); }
void for_each_key(CellFlow& flow, auto&& f) { f("flow", "start", flow.start); }
void for_each_key(RandomMotion& motion, auto&& f) {
  f("bodies", "velocity_spread", motion.linear);
  f("bodies", "angular_velocity_spread", motion.angular);
}
void for_each_key(FlowGradient& gradient, auto&& f) {
  f("flow", "gradient_x", gradient.x);
  f("flow", "gradient_y", gradient.y);
  f("flow", "gradient_z", gradient.z);
}
void for_each_key(Part& part, auto&& f) {
  f("parts", "point", part.centre);
  f("parts", "force", part.force);
  f("parts", "torque", part.force);
  f("parts", "pressure", part.pressure);
  f("parts", "area", part.area);
  f("parts", "weight", part.weight);
  f("parts", "damping", part.damping);
  f("parts", "spring", part.spring);
  f("parts", "start_rate", part.start_rate);
  f("parts", "centre", part.centre);
  f("parts", "moments", part.moments);
  f("parts", "velocity", part.start_twist.linear);
  f("parts", "angular_velocity", part.start_twist.angular);
  f("parts", "starts_locked", part.starts_locked);
  f("parts", "motion_waits", part.motion_waits);
}
void for_each_key(MachineJoint& joint, auto&& f) {
  f("joints", "friction", joint.friction);
  f("joints", "friction_coefficient", joint.friction_coefficient);
  f("joints", "friction_radius", joint.friction_radius);
  f("joints", "stiffness", joint.stiffness);
  f("joints", "rest", joint.rest);
  f("joints", "damping", joint.damping);
  f("joints", "coordinate", joint.coordinate);
}
void for_each_key(JointMotor& motor, auto&& f) {
  f("motor", "value", motor.value);
  f("motor", "stiffness", motor.stiffness);
  f("motor", "damping", motor.damping);
}
void for_each_key(MotionStage& stage, auto&& f) {
  f("motion", "point", stage.point);
  f("motion", "amplitude", stage.law.amplitude);
  f("motion", "frequency", stage.law.frequency);
  f("motion", "phase", stage.law.phase);
  f("motion", "start", stage.law.start);
}

/// Names and values of all settings, in the notation of the file: "solver.tolerance", "0.001".
std::vector<std::pair<std::string, std::string>> settings_text(Scene& scene);

/// One member, from the key of its section. Enumerations have the order of the key's words; a word instead
/// of a number does not change the member.
template <class T>
void take(const Section& section, std::string_view key, T& member) {
  if constexpr (std::is_same_v<T, bool>) {
    member = section.boolean(key);
  } else if constexpr (std::is_same_v<T, double>) {
    if (section.given(key).is_number()) member = section.number(key);
  } else if constexpr (std::is_integral_v<T>) {
    member = static_cast<T>(section.integer(key));
  } else if constexpr (std::is_same_v<T, Vec3>) {
    member = section.vector(key);
  } else if constexpr (std::is_same_v<T, std::string>) {
    member = section.text(key);
  } else if constexpr (std::is_enum_v<T>) {
    const std::vector<std::string> words = split_words(find_key(section.name(), key)->words);
    member = static_cast<T>(std::find(words.begin(), words.end(), section.text(key)) - words.begin());
  } else {
    member = section.texts(key);
  }
}

/// Sets the members given in `section`, or in a section in it; does not change others.
template <class T>
void set_from(const Section& section, T& settings) {
  for_each_key(settings, [&](std::string_view name, std::string_view key, auto& member) {
    const Section at = name == section.name() ? section : section.child(name);
    if (at.has(key)) take(at, key, member);
  });
}

template <class T>
T settings_of(const Section& section) {
  T settings;
  set_from(section, settings);
  return settings;
}

}  // namespace scree::io
