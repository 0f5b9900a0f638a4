#include "io/scene/keys.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace scree::io {

namespace {

using enum ValueType;

constexpr Range positive{.low = 0.0, .low_open = true};
constexpr Range not_negative{.low = 0.0};
constexpr Range fraction{.low = 0.0, .high = 1.0};
constexpr double largest_index = 2147483647.0;                  // slots of bodies are 32-bit
constexpr Range seeds{.low = 0.0, .high = 9007199254740992.0};  // 2^53: whole numbers that a double holds
constexpr Range counting{.low = 1.0, .high = largest_index};

constexpr std::array section_table{
    SectionInfo{"", "", false, "", "The top level of the file, before the first heading."},
    SectionInfo{"parameters", "[parameters]", true, "",
                "Numbers and texts with names that you choose, for use in expressions. `--set name=value` "
                "changes one of them for a single run."},
    SectionInfo{"solver", "[solver]", false, "",
                "How Scree computes contact impulses. All keys are optional."},
    SectionInfo{"sleep", "[sleep]", false, "",
                "Bodies at rest can sleep: steps skip them. A sleeping body stays in place until the forces "
                "of its neighbours change. The balances of energy and momentum include what sleep removes "
                "(model.md, Sleep). Sleep does not work with the solvers `admm` and `one_pass`."},
    SectionInfo{"checks", "[checks]", false, "",
                "How strictly Scree checks the initial state and the energy balance."},
    SectionInfo{"output", "[output]", false, "", "Files that a run writes, and how often."},
    SectionInfo{"checkpoints", "[checkpoints]", false, "",
                "When a run writes a checkpoint, from which `scree run --resume` continues. The conditions "
                "count from the last checkpoint, and the first one that is met applies. A run also writes a "
                "checkpoint at the start, at the end, and when it is interrupted."},
    SectionInfo{"materials", "[[materials]]", false, "",
                "Each heading defines one material. The coefficients are those of a contact between two "
                "bodies of this material."},
    SectionInfo{"material_pairs", "[[material_pairs]]", false, "",
                "Each heading gives the coefficients of one pair of materials. For other pairs, and for "
                "coefficients that are not given, Scree combines the values of the two materials. It takes "
                "the geometric mean of each friction coefficient, of adhesion energy, surface tension and "
                "bridge volume. It takes the mean wetting angle and the smaller restitution coefficient. A "
                "frictionless material is thus frictionless against all others."},
    SectionInfo{"friction_patches", "[[friction_patches]]", false, "",
                "Each heading defines a patch of a material's surface where friction differs. Where patches "
                "overlap, their factors are multiplied."},
    SectionInfo{"shapes", "[[shapes]]", false, "",
                "Each heading defines a clump (`members`), or a shape that a function defines: the body is "
                "where F(x) + sum f_i R_i(x) >= 0. F is the base quadric. R_i is the square of the quadric "
                "of perturbation i where that is positive, else 0 (model.md, Functionally defined bodies). "
                "Lengths are in units of the shape; `size` of a body is the length of one unit. The axes "
                "of the body are its principal axes. shapes.md describes examples, and shapes from scanned "
                "grains."},
    SectionInfo{"perturbations", "[[shapes.perturbations]]", false, "type",
                "Each heading defines a bump or a dent."},
    SectionInfo{"members", "[[shapes.members]]", false, "",
                "Each heading defines one ellipsoid of a clump. A clump is a rigid body, the union of its "
                "members. Volume that several members share counts once. Positions of members are in the "
                "frame of the shape. The position of a body is its centre of mass."},
    SectionInfo{"bodies", "[[bodies]]", false, "generate",
                "Each heading defines a table of bodies (`table`), a generated group (`generate`), or one "
                "body (neither of the two; form `single` in the table below)."},
    SectionInfo{"orientation", "orientation = {...}", false, "",
                "A rotation in degrees, in place of a quaternion: by axis and angle, or by Euler angles."},
    SectionInfo{"region", "region = {...}", false, "type",
                "A region of space. In [[bodies]] with `generate`, and in [[inlets]], all new bodies are "
                "completely inside the region. In [[events]] and [[measurements]], a body counts if its "
                "centre is inside; in a periodic [cell], if the centre of one of its images is inside. If "
                "a box is as wide as the periodic cell, new bodies may extend beyond it."},
    SectionInfo{"scale", "scale = {...}", false, "distribution",
                "A random factor by which the three semi-axes of each body are multiplied, in [[bodies]] "
                "with `generate` and in [[inlets]]. `low` and `high` truncate the distribution. Mean, "
                "deviation and characteristic size are those before the truncation."},
    SectionInfo{"inlets", "[[inlets]]", false, "",
                "Each heading defines a place where grains enter at a given rate. A grain that finds no "
                "room waits and enters later. `openings.csv` contains the grains that entered up to each "
                "step. In a periodic [cell], new grains do not overlap periodic images of other bodies "
                "either. In a cell with a flow they start with the local velocity of the flow. Inlets "
                "cannot be used in a cell with a prescribed stress."},
    SectionInfo{"grains", "[[inlets.grains]]", false, "",
                "Each heading defines one kind of grain of an inlet's mixture: its share, its material, its "
                "shape and its sizes."},
    SectionInfo{"outlets", "[[outlets]]", false, "type",
                "Each heading defines a place that removes and counts bodies whose centre is inside at the "
                "beginning of a step: make it thicker than the way of a body in a step. In a periodic [cell] the "
                "centre of any image counts."},
    SectionInfo{"domain", "[domain]", false, "",
                "A box for the centres of bodies, and what happens to bodies that leave it. Without it, "
                "bodies fly on without limit. The box has no ends along periodic directions of a [cell]."},
    SectionInfo{"cell", "[cell]", false, "",
                "A periodic cell: it repeats along one or more directions. Walls in the cell must be "
                "planes parallel to these directions. cell.csv contains stress, fabric and granular "
                "temperature. Stresses are positive in compression. Stress xy is the force along x that is "
                "transmitted across planes with normal y, per area. A flow `gradient_x = [0, 10, 0]` thus "
                "has a negative stress_xy."},
    SectionInfo{"flow", "[[cell.flow]]", false, "",
                "Each heading defines a homogeneous flow, which shears, compresses or stretches the cell "
                "along its periodic directions from `start` to `stop`. Flows follow one another in time. "
                "When a flow begins, all bodies get the flow velocity at their positions."},
    SectionInfo{"boundaries", "[[boundaries]]", false, "type",
                "Each heading defines an obstacle. It is at rest, or moves with a part. A boundary with a "
                "`motion` of its own is a part with the same name."},
    SectionInfo{"parts", "[[parts]]", false, "freedom",
                "Each heading defines a rigid part of the apparatus, which carries boundaries and bodies "
                "as one piece: a drum, a conveyor, a piston, a plate with a load, a servo wall, a paddle "
                "that rotates freely. A part moves as its motions prescribe. In addition, forces can move "
                "it, as `freedom` states. Forces and speeds are positive along the direction of the part. "
                "parts.csv contains the forces on each part and its motion."},
    SectionInfo{"joints", "[[joints]]", false, "type",
                "Each heading defines a joint between two partners, a and b. A partner is a part with "
                "`freedom = \"all\"`, a part with prescribed motion, a body, or the ground. Points and "
                "directions are those at the start, where the coordinate of the joint (its angle, travel, "
                "or change of length) is 0. joints.csv contains coordinates, reactions, forces and works. "
                "machine.csv contains the energy of parts with `freedom = \"all\"`."},
    SectionInfo{"models", "[[models]]", false, "",
                "Each heading defines a declarative model (docs/models.md): equations that drive motors of "
                "joints and read quantities of the machine and the grains. Examples are an electric motor "
                "with its controller, or a hydraulic circuit. models.csv has its inputs, the variables that "
                "motors use, and recorded variables. A program that was built without declarative models "
                "rejects this heading."},
    SectionInfo{"inputs", "[[models.inputs]]", false, "",
                "Each heading connects one input of the model (`input Real w;`) with a quantity. Rates and "
                "coordinates are those at the end of each step; forces are means over the step."},
    SectionInfo{"motor", "[joints.motor]", false, "",
                "A motor drives the coordinate of a joint: at a speed, to a position, or with a force. The "
                "prescribed value is the sum of `value`, `function`, `table` and the variable of a model."},
    SectionInfo{"motion", "[[parts.motion]], [[boundaries.motion]], [[bodies.motion]]", false, "type",
                "Each heading defines one motion. With several motions, each moves the axes of the motions "
                "after it: a translation followed by a rotation is a rotation about a moving axis. "
                "Positions depend on time only and do not drift. `speed`, oscillation, `function` and "
                "`table` of one motion are added."},
    SectionInfo{"fields", "[[fields]]", false, "",
                "Each heading defines a force field that acts on all bodies. Several fields are added. "
                "Their work is in the column `force_work_J`."},
    SectionInfo{"fluid", "[fluid]", false, "",
                "A fluid that fills all space. Bodies do not change its flow. The fluid acts on the centre "
                "of each body as on a sphere of the same volume, and exerts no torque. Its work is in "
                "`force_work_J`."},
    SectionInfo{"bonds", "[[bonds]]", false, "",
                "Each heading defines a kind of bond. Bonds are round bars, rigid or elastic, which "
                "connect bodies that nearly touch until they break. Two bodies with a bond have no contact "
                "with each other. bonds.csv lists when each bond formed and broke."},
    SectionInfo{"events", "[[events]]", false, "",
                "Each heading defines an event. When a quantity crosses a threshold, Scree performs all "
                "actions of the event at the end of that step. With `stepping = \"piecewise\"` the step "
                "ends at the exact time of the crossing. events.csv lists the events that happened."},
    SectionInfo{"measurements", "[[measurements]]", false, "measure",
                "Each heading defines a measurement (measuring.md). Its values are in the table "
                "measured_NAME.csv; the means with their errors are in measurements.json. `scree measure` "
                "evaluates the same headings for recorded runs."},
    SectionInfo{"plane", "plane = {...}", false, "",
                "A plane of [[measurements]]. It counts the bodies whose centre crosses it along the "
                "normal, minus those that cross it back."},
    SectionInfo{"over", "over = {...}", false, "",
                "In [[measurements]] with `screening`: a plane at the end of the screen. The grains that "
                "stay on the screen cross it."},
};

// One key in a few lines: as a table it can be compared by eye.
// clang-format off
constexpr Key key_table[] = {
    Key{.section = "", .name = "name", .type = text,
        .description = "Name of the run. Default: the file name without its ending."},
    Key{.section = "", .name = "description", .type = text,
        .description = "Description of the scene."},
    Key{.section = "", .name = "origin", .type = vector, .unit = "m",
        .description = "Point (m) that Scree subtracts from all coordinates in trajectory.h5, in files for ParaView, "
                       "in exports and in pictures. These files are in single precision, which is too coarse far from "
                       "(0, 0, 0), for example with map coordinates. Coordinates in the scene, in CSV tables and in "
                       "checkpoints do not change."},
    Key{.section = "", .name = "accuracy", .type = word, .words = "draft|standard|reference",
        .description = "Sets the defaults of three other keys; a scene that contains these keys overrides it. `draft`: "
                       "`solver.tolerance` 0.01 and `time_step_overlap` 0.004, sufficient for flow rates, slopes and "
                       "run-out. `standard`: 0.001 and 0.001, sufficient for packings too. `reference`: 0.0001 and "
                       "0.00025, with `solver.max_sweeps` 10000, for comparisons. `time_step` stays, unless it is "
                       "`adaptive` (docs/choosing_accuracy.md)."},
    Key{.section = "", .name = "gravity", .type = vector, .unit = "m/s^2",
        .description = "Acceleration due to gravity."},
    Key{.section = "", .name = "time_step", .type = number, .unit = "s", .range = positive,
        .words = "adaptive",
        .description = "Simulated time of one step. `adaptive`: each step is as long as speeds, overlaps and "
                       "residuals allow (docs/model.md, A6). Frames are still written at their exact times, and the "
                       "run still ends exactly at `end_time`."},
    Key{.section = "", .name = "largest_time_step", .type = number, .unit = "s", .range = positive,
        .description = "With `time_step = \"adaptive\"`: longest step."},
    Key{.section = "", .name = "least_time_step", .type = number, .unit = "s", .range = positive,
        .description = "With `time_step = \"adaptive\"`: shortest step. Only the last step before a frame may be "
                       "shorter."},
    Key{.section = "", .name = "time_step_overlap", .type = number,
        .range = {.low = 0.0, .high = 0.1, .low_open = true},
        .description = "With `time_step = \"adaptive\"`: target overlap in addition to `solver.correction_slop`, as a "
                       "fraction of the smaller body's smallest semi-axis. A smaller value is more accurate; the step "
                       "length is proportional to its square root."},
    Key{.section = "", .name = "steps_per_impact", .type = number, .range = {.low = 0.0, .high = 1e4},
        .description = "With `time_step = \"adaptive\"` and elastic materials (`youngs_modulus` or `stiffness`): "
                       "smallest number of steps during the shortest impact that is possible at the current speeds. "
                       "10 steps resolve an impact; with 50 steps its force, duration and rebound are right to 1 %. "
                       "0: impacts do not limit the step."},
    Key{.section = "", .name = "substeps", .type = integer, .range = {.low = 1.0, .high = 1000.0},
        .description = "Number of parts into which a step is divided. Contacts are found once, at the start of the "
                       "step, and solved again in each part. With elastic materials they are found in each part."},
    Key{.section = "", .name = "sort_interval", .type = integer, .range = {.low = 0.0, .high = 1e9},
        .description = "Number of steps after which bodies that are close in space are sorted close in memory. 0: "
                       "never. The order of bodies in results does not change."},
    Key{.section = "", .name = "stepping", .type = word, .words = "contacts|piecewise",
        .description = "`contacts`: Scree solves all contacts once per step. `piecewise`: Scree finds each impact at "
                       "its exact time, so that bodies never overlap, and solves contacts only for bodies that rest "
                       "on others. Use `piecewise` for dilute systems and for reference solutions "
                       "(docs/piecewise.md)."},
    Key{.section = "", .name = "most_impacts", .type = integer, .range = {.low = 0.0, .high = 1e9},
        .description = "With `stepping = \"piecewise\"`: largest number of impacts in one step. It limits the "
                       "computing time of a step, for example for runs in real time. A step with more impacts is "
                       "solved as with `stepping = \"contacts\"`; the column `overran` of steps.csv counts these "
                       "steps. 0: no limit."},
    Key{.section = "", .name = "end_time", .type = number, .unit = "s", .range = not_negative,
        .description = "Simulated time at which the run ends. Steps of constant length are not shortened: the run ends with the one "
                       "nearest to this time."},
    Key{.section = "", .name = "until", .type = word, .words = "end time|at rest",
        .description = "`at rest`: the run ends when no body's surface has been faster than `rest_speed` for the time "
                       "`rest_duration`. Each event restarts this time. `end_time` is then the longest simulated "
                       "time."},
    Key{.section = "", .name = "rest_speed", .type = number, .unit = "m/s", .range = positive,
        .description = "A body is at rest if its surface is not faster than this. The speed of the surface is the "
                       "speed of the centre plus the largest radius times the angular speed. Default: a tenth of "
                       "|gravity| * time_step."},
    Key{.section = "", .name = "rest_duration", .type = number, .unit = "s", .range = not_negative,
        .description = "Time for which all bodies must be at rest before the run ends."},
    Key{.section = "", .name = "restitution_threshold", .type = number, .unit = "m/s", .range = not_negative,
        .description = "Impacts slower than this do not bounce."},
    Key{.section = "", .name = "restitution_law", .type = word, .words = "dissipative|newton|energetic",
        .description = "How impacts bounce. `newton`: Newton's law, as part of the step's contact solution; with "
                       "friction it creates energy in some impacts. `dissipative`: as `newton`, but impacts that "
                       "would create energy bounce less. `energetic`: impacts within one step are resolved one after "
                       "another; each returns the square of its restitution coefficient times the work of its "
                       "compression. It never creates energy, also if many bodies collide at the same time."},
    Key{.section = "", .name = "seed", .type = integer, .fallback = "0", .range = seeds,
        .description = "Seed of all random numbers. The same seed gives the same scene, bit for bit."},
    Key{.section = "", .name = "parameters", .type = table,
        .description = "Named numbers and texts."},
    Key{.section = "", .name = "solver", .type = table,
        .description = "How contact impulses are computed."},
    Key{.section = "", .name = "sleep", .type = table,
        .description = "Whether steps skip bodies at rest."},
    Key{.section = "", .name = "checks", .type = table,
        .description = "How strictly the initial state and the energy balance are checked."},
    Key{.section = "", .name = "output", .type = table,
        .description = "What a run writes."},
    Key{.section = "", .name = "checkpoints", .type = table,
        .description = "When a run writes checkpoints."},
    Key{.section = "", .name = "materials", .type = tables, .required = true,
        .description = "Materials."},
    Key{.section = "", .name = "material_pairs", .type = tables,
        .description = "Pairs of materials."},
    Key{.section = "", .name = "friction_patches", .type = tables,
        .description = "Patches where friction differs."},
    Key{.section = "", .name = "shapes", .type = tables,
        .description = "Shapes other than ellipsoids."},
    Key{.section = "", .name = "bodies", .type = tables,
        .description = "Moving bodies. A scene needs at least one heading of these or of [[inlets]]."},
    Key{.section = "", .name = "inlets", .type = tables,
        .description = "Places where grains enter."},
    Key{.section = "", .name = "outlets", .type = tables,
        .description = "Places where bodies are removed."},
    Key{.section = "", .name = "domain", .type = table,
        .description = "Box for the centres of bodies."},
    Key{.section = "", .name = "boundaries", .type = tables,
        .description = "Walls and other obstacles."},
    Key{.section = "", .name = "cell", .type = table,
        .description = "Periodic cell."},
    Key{.section = "", .name = "bonds", .type = tables,
        .description = "Bonds that glue bodies together until they break."},
    Key{.section = "", .name = "parts", .type = tables,
        .description = "Rigid parts that carry boundaries and bodies."},
    Key{.section = "", .name = "joints", .type = tables,
        .description = "Joints that connect the parts of machines, and their motors."},
    Key{.section = "", .name = "models", .type = tables,
        .description = "Equations that drive machines."},
    Key{.section = "", .name = "gravity_function", .type = functions, .unit = "m/s^2",
        .description = "In place of `gravity`, for gravity that rotates or oscillates: expressions of the time t (s), "
                       "such as [\"9.81 * sin(t)\", 0, \"-9.81 * cos(t)\"]. The potential energy is that of gravity at "
                       "t = 0; the work of the difference is in `force_work_J`."},
    Key{.section = "", .name = "fields", .type = tables,
        .description = "Force fields that act on all bodies."},
    Key{.section = "", .name = "fluid", .type = table,
        .description = "The fluid around the bodies."},
    Key{.section = "", .name = "events", .type = tables,
        .description = "Actions that the run performs when a condition is met."},
    Key{.section = "", .name = "measurements", .type = tables,
        .description = "Quantities that the run measures."},

    Key{.section = "solver", .name = "kind", .type = word, .words = "gauss_seidel|nsgs|admm|one_pass",
        .description = "`gauss_seidel` sweeps over the contacts until the residual is small. `nsgs` does the same, "
                       "but solves each contact exactly. `admm` solves all bodies at once. `one_pass` treats each "
                       "body only once per step; it is for comparison and does not conserve momentum between bodies."},
    Key{.section = "solver", .name = "max_sweeps", .type = integer, .range = {.low = 1.0, .high = 1e6},
        .description = "Largest number of sweeps in a step. Each sweep visits each contact once."},
    Key{.section = "solver", .name = "tolerance", .type = number, .range = positive,
        .description = "Sweeps end when the residual is smaller than this fraction of the velocity scale of the step. "
                       "The scale is |gravity| * time_step, plus a term from the approach velocities of the contacts "
                       "(docs/model.md, A4)."},
    Key{.section = "solver", .name = "give_way", .type = boolean,
        .description = "Only for `gauss_seidel`: contacts may yield by a small velocity where sweeps would not "
                       "converge otherwise, as in jammed packings (docs/model.md, P5). The column `given_rms_m_s` of "
                       "steps.csv contains this velocity. A contact yields only while its impulse changes."},
    Key{.section = "solver", .name = "warm_start", .type = boolean,
        .description = "Start from the impulses of the last step."},
    Key{.section = "solver", .name = "friction_cone", .type = word, .words = "exact|sampled",
        .description = "Form of the friction cone of a contact. `exact`: Coulomb's smooth cone. `sampled`: a pyramid "
                       "with `friction_samples` edges (not with `admm`)."},
    Key{.section = "solver", .name = "friction_samples", .type = integer, .range = {.low = 3.0, .high = 1024.0},
        .description = "With `friction_cone = \"sampled\"`: number of edges of the pyramid."},
    Key{.section = "solver", .name = "position_correction", .type = word, .words = "split|biased",
        .description = "How overlapping bodies are moved apart. `split`: by pseudo-velocities, which do not enter the "
                       "velocities. `biased`: contacts are solved twice. The solution with a bias moves the bodies, "
                       "and the solution without bias gives their velocities. Use `biased` with many `substeps`."},
    Key{.section = "solver", .name = "biased_sweeps", .type = integer, .range = {.low = 1.0, .high = 1e6},
        .description = "Number of sweeps of the biased solution of a substep, with `position_correction = \"biased\"`. "
                       "With `split`, `max_sweeps` applies."},
    Key{.section = "solver", .name = "unbiased_sweeps", .type = integer, .range = {.low = 1.0, .high = 1e6},
        .description = "Number of sweeps of the unbiased solution of a substep."},
    Key{.section = "solver", .name = "correction_fraction", .type = number, .range = fraction,
        .description = "Fraction of an overlap that position correction removes in a step."},
    Key{.section = "solver", .name = "correction_slop", .type = number, .range = not_negative,
        .description = "Overlap that is not corrected, as a fraction of the smaller body's smallest semi-axis."},
    Key{.section = "solver", .name = "correction_speed", .type = number, .unit = "m/s", .range = not_negative,
        .description = "Largest speed of position correction."},
    Key{.section = "solver", .name = "correction_sweeps", .type = integer, .range = {.low = 0.0, .high = 1e6},
        .description = "Number of sweeps of position correction in a step."},

    Key{.section = "sleep", .name = "speed", .type = number, .unit = "m/s", .range = not_negative,
        .description = "A body is still if its surface is slower than this. 0: bodies never sleep."},
    Key{.section = "sleep", .name = "duration", .type = number, .unit = "s", .range = not_negative,
        .description = "A body that touches others falls asleep when it has been still for this time."},
    Key{.section = "sleep", .name = "tolerance", .type = number, .range = {.low = 0.0, .high = 1.0, .low_open = true},
        .description = "A sleeping body wakes if its contacts and its weight would change the velocity of its surface "
                       "in one step by more than this fraction of |gravity| * time_step (without gravity: of "
                       "`speed`)."},

    Key{.section = "checks", .name = "max_initial_overlap", .type = number, .range = not_negative,
        .description = "Deepest overlap of two bodies, or of a body and a boundary, with which a scene may start, as a "
                       "fraction of the smaller body's smallest semi-axis."},

    Key{.section = "checks", .name = "ledger_tolerance", .type = number, .range = positive,
        .description = "The run ends with status 5 if the error of the energy balance is larger than this fraction of "
                       "the energy turned over so far. Errors are unexplained energy, and energy created beyond the "
                       "work done on the bodies (docs/file_formats.md). Default: not checked."},

    Key{.section = "output", .name = "interval", .type = number, .unit = "s", .range = positive,
        .description = "Simulated time between frames."},
    Key{.section = "output", .name = "fields", .type = words, .words = "asleep|bonds|fragment|kinetic_energy|overlap",
        .description = "Quantities of each body that a frame contains in addition to pose and velocity."},
    Key{.section = "output", .name = "hdf5", .type = boolean,
        .description = "Write trajectory.h5."},
    Key{.section = "output", .name = "vtk", .type = boolean,
        .description = "Write a VTK series for ParaView."},
    Key{.section = "output", .name = "contacts", .type = boolean,
        .description = "Write the contacts of each frame to trajectory.h5 and to the VTK series."},
    Key{.section = "output", .name = "significant_bits", .type = integer, .range = {.low = 8.0, .high = 24.0},
        .description = "Precision of the numbers in frames. 24 keeps full single precision; fewer bits make smaller "
                       "files, with a relative error of 2^-bits."},
    Key{.section = "output", .name = "contacts_interval", .type = number, .unit = "s", .range = not_negative,
        .description = "Simulated time between frames that contain contacts. 0: every frame contains them."},
    Key{.section = "output", .name = "impacts", .type = boolean,
        .description = "Write impacts.csv. It contains each impact of piecewise steps: its exact time, its impulses, "
                       "and positions and velocities of both bodies before and after. Films then follow the motion "
                       "exactly (`scree render --pictures`)."},
    Key{.section = "output", .name = "wall_cells", .type = number, .unit = "m", .range = positive,
        .description = "Largest edge length of the cells into which walls are divided. For each cell Scree sums up "
                       "pressure, shear, friction, impacts and wear. A triangle of a mesh that is smaller than this "
                       "is one cell. Default: no wall cells."},
    Key{.section = "output", .name = "wall_cells_interval", .type = number, .unit = "s", .range = not_negative,
        .description = "Simulated time between frames that contain the sums of wall cells. Pressures are means over "
                       "this time. 0: every frame contains them. Default: a twentieth of `end_time`."},
    Key{.section = "output", .name = "stage_table", .type = boolean,
        .description = "At the end, print a table with the number of bodies in collision, the number of contacts, and "
                       "the computing times of the four stages of a step, at about twelve times of the run (as "
                       "`--stage-table` does)."},

    Key{.section = "checkpoints", .name = "wall_time", .type = number, .unit = "s", .range = not_negative,
        .description = "Wall-clock time between checkpoints. 0: no checkpoints by wall-clock time."},
    Key{.section = "checkpoints", .name = "interval", .type = number, .unit = "s", .range = not_negative,
        .description = "Simulated time between checkpoints. 0: no checkpoints by simulated time."},
    Key{.section = "checkpoints", .name = "steps", .type = integer, .range = {.low = 0.0, .high = 1e9},
        .description = "Number of steps between checkpoints. 0: no checkpoints by steps."},
    Key{.section = "checkpoints", .name = "keep", .type = integer, .range = {.low = 0.0, .high = 1000.0},
        .description = "Number of the newest checkpoints that Scree keeps. 0: Scree writes no checkpoints."},

    Key{.section = "materials", .name = "name", .type = text, .required = true,
        .description = "Name of the material, for references."},
    Key{.section = "materials", .name = "density", .type = number, .unit = "kg/m^3", .required = true,
        .range = positive,
        .description = "Mass per volume."},
    Key{.section = "materials", .name = "friction", .type = number, .range = not_negative,
        .description = "Coulomb's coefficient of sliding friction."},
    Key{.section = "materials", .name = "torsional_friction", .type = number, .unit = "m", .range = not_negative,
        .description = "Largest torque about the normal, divided by the normal force."},
    Key{.section = "materials", .name = "rolling_friction", .type = number, .unit = "m", .range = not_negative,
        .description = "Largest torque perpendicular to the normal, divided by the normal force."},
    Key{.section = "materials", .name = "torsional_friction_ratio", .type = number, .range = not_negative,
        .description = "In place of `torsional_friction`: that length divided by the reduced radius of the contact "
                       "(see `rolling_friction_ratio`)."},
    Key{.section = "materials", .name = "rolling_friction_ratio", .type = number, .range = not_negative,
        .description = "In place of `rolling_friction`: that length divided by the reduced radius of the contact. "
                       "This is the rolling friction coefficient of LIGGGHTS and EDEM. The reduced radius is a b/(a + "
                       "b) for two bodies and a for a body at a wall, where a and b are the radii of spheres with the "
                       "same volumes."},
    Key{.section = "materials", .name = "restitution", .type = number, .range = fraction,
        .description = "Coefficient of restitution. 0: no bounce; 1: no loss of energy. Impacts slower than "
                       "`restitution_threshold` do not bounce: lower it for powders and slow gases."},
    Key{.section = "materials", .name = "adhesion_energy", .type = number, .unit = "J/m^2", .range = not_negative,
        .description = "Adhesion energy W of the surfaces. A contact bears a tensile force up to 3/2 pi W R (JKR). R "
                       "is the reduced radius of curvature at the contact; for two balls R = a b/(a + b)."},
    Key{.section = "materials", .name = "surface_tension", .type = number, .unit = "N/m", .range = not_negative,
        .description = "Surface tension gamma of a liquid, which forms bridges of `bridge_volume` between surfaces "
                       "that are close."},
    Key{.section = "materials", .name = "wetting_angle", .type = number, .unit = "deg",
        .range = {.low = 0.0, .high = 89.0},
        .description = "Contact angle between the liquid and the surface. Default: 0."},
    Key{.section = "materials", .name = "bridge_volume", .type = number, .unit = "m^3", .range = not_negative,
        .description = "Volume of liquid in a bridge. At contact a bridge attracts with the force 4 pi R gamma "
                       "cos(wetting_angle), and with less as the gap widens. It breaks at a gap of (1 + "
                       "wetting_angle/2) cbrt(bridge_volume), with the angle in radians. R as for `adhesion_energy`, "
                       "gamma: `surface_tension`."},
    Key{.section = "materials", .name = "youngs_modulus", .type = number, .unit = "Pa", .range = not_negative,
        .description = "Young's modulus. Contacts are elastic: Hertz's law along the normal, Mindlin's along the "
                       "surface. Compliances of the two materials are added. Default and 0: rigid."},
    Key{.section = "materials", .name = "poisson_ratio", .type = number, .range = {.low = 0.0, .high = 0.5},
        .description = "Poisson's ratio nu of elastic contacts: the tangential stiffness is 2 (1 - nu)/(2 - nu) times "
                       "the normal stiffness. Default: 0.3."},
    Key{.section = "materials", .name = "stiffness", .type = number, .unit = "N/m", .range = not_negative,
        .description = "In place of `youngs_modulus`: force of a contact divided by its overlap. The smaller value of "
                       "the two materials applies. 0: rigid."},
    Key{.section = "materials", .name = "wear_coefficient", .type = number, .range = not_negative,
        .description = "Coefficient k of Archard's law. A wall of this material loses the volume k F s / `hardness` "
                       "where a force F slides over a distance s."},
    Key{.section = "materials", .name = "hardness", .type = number, .unit = "Pa", .range = positive,
        .description = "Hardness H of Archard's law."},
    Key{.section = "materials", .name = "impact_wear", .type = number, .unit = "m^3/J", .range = not_negative,
        .description = "Volume (m^3) that a wall of this material loses per joule of impact energy in the normal "
                       "direction."},

    Key{.section = "materials", .name = "friction_factors", .type = vector, .range = not_negative,
        .description = "Anisotropic friction, for example of wood grain or grooves: factors on the friction "
                       "coefficient along the body's own x, y and z axes (for a boundary: the world's axes). In each "
                       "tangent plane the smaller coefficient is at least a thousandth of the larger one."},

    Key{.section = "friction_patches", .name = "material", .type = text, .required = true,
        .description = "Name of the material."},
    Key{.section = "friction_patches", .name = "centre", .type = vector, .unit = "m", .required = true,
        .description = "Centre of the patch, in the body's own axes (for a boundary: the world's axes)."},
    Key{.section = "friction_patches", .name = "radius", .type = number, .unit = "m", .required = true,
        .range = not_negative,
        .description = "The factor applies to contacts within this distance of the centre."},
    Key{.section = "friction_patches", .name = "edge", .type = number, .unit = "m", .range = not_negative,
        .description = "Width of a ring outside `radius` in which the factor changes linearly back to 1."},
    Key{.section = "friction_patches", .name = "factor", .type = number, .required = true, .range = not_negative,
        .description = "Factor on the sliding, torsional and rolling friction coefficients of this material in the "
                       "patch, against all other materials."},

    Key{.section = "material_pairs", .name = "materials", .type = names, .required = true,
        .description = "Names of the two materials."},
    Key{.section = "material_pairs", .name = "friction", .type = number, .range = not_negative,
        .description = "Coulomb's coefficient of sliding friction."},
    Key{.section = "material_pairs", .name = "torsional_friction", .type = number, .unit = "m", .range = not_negative,
        .description = "Largest torque about the normal, divided by the normal force."},
    Key{.section = "material_pairs", .name = "rolling_friction", .type = number, .unit = "m", .range = not_negative,
        .description = "Largest torque perpendicular to the normal, divided by the normal force."},
    Key{.section = "material_pairs", .name = "torsional_friction_ratio", .type = number, .range = not_negative,
        .description = "In place of `torsional_friction`: that length divided by the reduced radius of the contact "
                       "(see `rolling_friction_ratio` of [[materials]])."},
    Key{.section = "material_pairs", .name = "rolling_friction_ratio", .type = number, .range = not_negative,
        .description = "In place of `rolling_friction`: that length divided by the reduced radius of the contact (see "
                       "`rolling_friction_ratio` of [[materials]])."},
    Key{.section = "material_pairs", .name = "restitution", .type = number, .range = fraction,
        .description = "Coefficient of restitution. 0: no bounce; 1: no loss of energy. Impacts slower than "
                       "`restitution_threshold` do not bounce: lower it for powders and slow gases."},
    Key{.section = "material_pairs", .name = "adhesion_energy", .type = number, .unit = "J/m^2", .range = not_negative,
        .description = "Adhesion energy W of the surfaces. A contact bears a tensile force up to 3/2 pi W R (JKR). R "
                       "is the reduced radius of curvature at the contact; for two balls R = a b/(a + b)."},
    Key{.section = "material_pairs", .name = "surface_tension", .type = number, .unit = "N/m", .range = not_negative,
        .description = "Surface tension gamma of a liquid, which forms bridges of `bridge_volume` between surfaces "
                       "that are close."},
    Key{.section = "material_pairs", .name = "wetting_angle", .type = number, .unit = "deg",
        .range = {.low = 0.0, .high = 89.0},
        .description = "Contact angle between the liquid and the surface. Default: the mean of the two materials' "
                       "angles."},
    Key{.section = "material_pairs", .name = "bridge_volume", .type = number, .unit = "m^3", .range = not_negative,
        .description = "Volume of liquid in a bridge. At contact a bridge attracts with the force 4 pi R gamma "
                       "cos(wetting_angle), and with less as the gap widens. It breaks at a gap of (1 + "
                       "wetting_angle/2) cbrt(bridge_volume), with the angle in radians. R as for `adhesion_energy`, "
                       "gamma: `surface_tension`."},
    Key{.section = "material_pairs", .name = "youngs_modulus", .type = number, .unit = "Pa", .range = not_negative,
        .description = "Young's modulus of this pair. The contact is elastic, as between two bodies that both have "
                       "this modulus: Hertz's law along the normal, Mindlin's law along the surface. 0: rigid."},
    Key{.section = "material_pairs", .name = "poisson_ratio", .type = number, .range = {.low = 0.0, .high = 0.5},
        .description = "Poisson's ratio nu of elastic contacts: the tangential stiffness is 2 (1 - nu)/(2 - nu) times "
                       "the normal stiffness. Default: 0.3. Needs `youngs_modulus` or `stiffness`."},
    Key{.section = "material_pairs", .name = "stiffness", .type = number, .unit = "N/m", .range = not_negative,
        .description = "In place of `youngs_modulus`: force of a contact divided by its overlap. 0: rigid."},

    Key{.section = "shapes", .name = "name", .type = text,
        .description = "Name by which bodies refer to the shape. A separate shape file (`file`) does not need it."},
    Key{.section = "shapes", .name = "file", .type = text,
        .description = "Shape file, relative to the scene's folder. Either a .toml file with the keys of this "
                       "heading, or a text file with the spheres of a clump: one sphere per line, with x, y, z and "
                       "radius."},
    Key{.section = "shapes", .name = "base", .type = word, .fallback = "\"ellipsoid\"",
        .words = "ellipsoid|paraboloid|cone|hyperboloid|two_sheets",
        .description = "Base quadric F, with r^2 = x^2/a^2 + y^2/b^2 and semi-axes a, b, c. `ellipsoid`: 1 - r^2 - "
                       "z^2/c^2. `paraboloid`: 1 - z/c - r^2. `cone`: (1 - z/c)^2 - r^2. `hyperboloid`: 1 + z^2/c^2 - "
                       "r^2. `two_sheets`: (2 + z/c)^2 - 1 - r^2. Only the ellipsoid is closed; perturbations must "
                       "close the others."},
    Key{.section = "shapes", .name = "semi_axes", .type = vector, .range = not_negative,
        .description = "Semi-axes a, b, c of the base quadric. 0: infinitely long along this axis."},
    Key{.section = "shapes", .name = "perturbations", .type = tables,
        .description = "Bumps and dents."},
    Key{.section = "shapes", .name = "members", .type = tables,
        .description = "Ellipsoids of a clump, up to 64, in place of `base`, `semi_axes` and `perturbations`. A scene "
                       "cannot contain both clumps and shapes that functions define."},

    Key{.section = "members", .name = "semi_axes", .type = vector, .range = positive,
        .description = "Semi-axes of the ellipsoid along its own x, y and z axes, in units of the shape. Give this or "
                       "`radius`."},
    Key{.section = "members", .name = "radius", .type = number, .range = positive,
        .description = "Radius of a sphere, short for three equal semi-axes."},
    Key{.section = "members", .name = "position", .type = vector, .fallback = "[0, 0, 0]",
        .description = "Position of the centre of this member, in units of the shape."},
    Key{.section = "members", .name = "orientation", .type = orientation, .words = "aligned",
        .description = "Unit quaternion [w, x, y, z] of the axes of this member. Default: `aligned`."},

    Key{.section = "perturbations", .name = "type", .type = word, .required = true, .words = "ellipsoid|plane",
        .description = "Function Q of the perturbation. `ellipsoid`: Q = 1 - |(x - centre)/semi_axes|^2. `plane`: Q = "
                       "distance from the plane along `normal`."},
    Key{.section = "perturbations", .name = "weight", .type = number, .required = true,
        .description = "Factor f: the perturbation adds f Q^2 where Q >= 0. Positive: a bump; negative: a dent."},
    Key{.section = "perturbations", .name = "semi_axes", .type = vector, .required = true, .range = not_negative,
        .forms = "ellipsoid",
        .description = "Semi-axes of the ellipsoid. 0: infinitely long along this axis."},
    Key{.section = "perturbations", .name = "centre", .type = vector, .fallback = "[0, 0, 0]", .forms = "ellipsoid",
        .description = "Centre of the ellipsoid."},
    Key{.section = "perturbations", .name = "orientation", .type = orientation, .words = "aligned", .forms = "ellipsoid",
        .description = "Unit quaternion [w, x, y, z] of the ellipsoid's axes. Default: `aligned`."},
    Key{.section = "perturbations", .name = "outside", .type = boolean, .fallback = "false", .forms = "ellipsoid",
        .description = "Use -Q, which is positive outside the ellipsoid. With a negative weight this closes an "
                       "infinitely long base; the edges of the body are then rounded."},
    Key{.section = "perturbations", .name = "point", .type = vector, .required = true, .forms = "plane",
        .description = "Any point of the plane."},
    Key{.section = "perturbations", .name = "normal", .type = vector, .required = true, .forms = "plane",
        .description = "Normal of the plane, of any non-zero length. It points to the side where Q is positive."},

    Key{.section = "bodies", .name = "generate", .type = word, .words = "lattice|random|dense",
        .description = "Generates `count` bodies in `region`. `lattice`: on a lattice. `random`: one after another, "
                       "at random positions where they overlap no other bodies (also those of later headings) and no "
                       "boundaries at their initial positions. `dense`: at random positions in an enlarged region, "
                       "which then shrinks to `region`. Grains which then overlap a boundary, or bodies of a lattice, "
                       "a table or another `dense` heading, are left out, with a warning."},
    Key{.section = "bodies", .name = "table", .type = text, .forms = "table",
        .description = "File of bodies, relative to the scene's folder: CSV, HDF5, XYZ, or a file of LAMMPS or "
                       "LIGGGHTS; see below."},
    Key{.section = "bodies", .name = "table_scale", .type = number, .unit = "m", .range = positive, .forms = "table",
        .description = "Length of one unit of the table in m: 0.001 if positions, sizes and velocities are in "
                       "millimetres. Default: 1."},
    Key{.section = "bodies", .name = "mirror", .type = word, .words = "x|y|z", .forms = "table",
        .description = "Mirrors the bodies of the table: the sign of this coordinate changes. Scree applies `mirror` "
                       "first, then `rotate`, then `move`."},
    Key{.section = "bodies", .name = "rotate", .type = orientation, .words = "aligned", .forms = "table",
        .description = "Rotates the table's bodies about the origin, with their velocities, after `mirror`."},
    Key{.section = "bodies", .name = "move", .type = vector, .unit = "m", .forms = "table",
        .description = "Moves the table's bodies, after `mirror` and `rotate`."},
    Key{.section = "bodies", .name = "material", .type = text,
        .description = "Name of the material. Optional if there is only one."},
    Key{.section = "bodies", .name = "semi_axes", .type = vector, .unit = "m", .range = positive,
        .description = "Semi-axes of the ellipsoid along its own x, y and z axes. Give this or `radius`. A table can "
                       "contain them in columns instead."},
    Key{.section = "bodies", .name = "radius", .type = number, .unit = "m", .range = positive,
        .description = "Radius of a sphere; the same as three equal semi-axes."},
    Key{.section = "bodies", .name = "shape", .type = text,
        .description = "Name of a shape of [[shapes]], in place of semi-axes; with `size`."},
    Key{.section = "bodies", .name = "size", .type = number, .unit = "m", .range = positive,
        .description = "With `shape`: length of one unit of the shape, in m."},
    Key{.section = "bodies", .name = "position", .type = vector, .unit = "m", .required = true, .forms = "single",
        .description = "Position of the centre of mass."},
    Key{.section = "bodies", .name = "orientation", .type = orientation, .words = "random|aligned",
        .forms = "single|lattice|random|dense",
        .description = "Unit quaternion [w, x, y, z] from the body's axes to the world's; `aligned` is [1, 0, 0, 0]. "
                       "Default: `aligned` for a single body, `random` for generated bodies."},
    Key{.section = "bodies", .name = "orientation_spread", .type = number, .unit = "deg",
        .range = {.low = 0.0, .high = 180.0}, .forms = "lattice|random|dense",
        .description = "Random deviation from `orientation`: each component of its rotation vector is normally "
                       "distributed with this standard deviation."},
    Key{.section = "bodies", .name = "velocity", .type = vector, .unit = "m/s",
        .description = "Initial velocity. A table can contain velocities in columns instead."},
    Key{.section = "bodies", .name = "angular_velocity", .type = vector, .unit = "rad/s",
        .description = "Initial angular velocity in world axes. A table can contain angular velocities in columns "
                       "instead."},
    Key{.section = "bodies", .name = "velocity_spread", .type = number, .unit = "m/s", .range = not_negative,
        .forms = "lattice|random|dense",
        .description = "Random velocities, as in a granular gas, are added to `velocity`. This is the standard "
                       "deviation of each of their components. Their total momentum is zero."},
    Key{.section = "bodies", .name = "angular_velocity_spread", .type = number, .unit = "rad/s", .range = not_negative,
        .forms = "lattice|random|dense",
        .description = "The same for random angular velocities, which are added to `angular_velocity`."},
    Key{.section = "bodies", .name = "name", .type = text,
        .description = "Name of the bodies. Joints refer to a single body by it. For bodies that are `fixed` or have "
                       "a `motion`, it is the name of their part in events and parts.csv. Default: `bodies` and the "
                       "number of the heading."},
    Key{.section = "bodies", .name = "part", .type = text,
        .description = "Name of a part with `freedom = \"none\"`. The bodies move with this part, whatever forces act "
                       "on them, until an event releases them (`release_bodies`)."},
    Key{.section = "bodies", .name = "fixed", .type = boolean,
        .description = "The bodies do not move, whatever forces act on them, until an event releases them "
                       "(`release_bodies`). Together they are a part with the name of this heading."},
    Key{.section = "bodies", .name = "motion", .type = tables,
        .description = "Prescribed motions. The bodies move as one rigid piece, whatever forces act on them. Together "
                       "they are a part with the name of this heading."},
    Key{.section = "bodies", .name = "count", .type = integer, .range = counting,
        .forms = "lattice|random|dense",
        .description = "Number of bodies to make. Give this or `total_mass`, or with `dense` `solid_fraction`."},
    Key{.section = "bodies", .name = "total_mass", .type = number, .unit = "kg", .range = positive,
        .forms = "lattice|random|dense",
        .description = "Mass of all bodies of this heading together, in place of `count`. Scree makes the number of "
                       "bodies that comes nearest to it: it differs by at most half of a body's mass."},
    Key{.section = "bodies", .name = "solid_fraction", .type = number, .unit = "1", .range = {.low = 0.0, .high = 0.95, .low_open = true},
        .forms = "dense",
        .description = "Fraction of the region's volume that the bodies fill, in place of `count`."},
    Key{.section = "bodies", .name = "region", .type = table, .required = true, .forms = "lattice|random|dense",
        .description = "Region in which the bodies are made."},
    Key{.section = "bodies", .name = "scale", .type = table, .forms = "lattice|random|dense",
        .description = "Distribution of sizes. Default: all are equal."},
    Key{.section = "bodies", .name = "spacing", .type = number, .unit = "m", .range = positive, .forms = "lattice",
        .description = "Distance between neighbouring grid points. Default: length of the largest body plus twice the "
                       "jitter, so that bodies cannot overlap in any orientation."},
    Key{.section = "bodies", .name = "arrangement", .type = word, .words = "cubic|body_centred|face_centred|hexagonal", .forms = "lattice",
        .description = "Arrangement of the lattice, in layers along the region's third axis. `spacing` is the distance "
                       "of nearest neighbours. Equal spheres that touch have the solid fractions 0.524, 0.680, 0.740 "
                       "and 0.740."},
    Key{.section = "bodies", .name = "jitter", .type = number, .unit = "m", .range = not_negative, .forms = "lattice",
        .description = "Largest random shift from a grid point along each axis."},
    Key{.section = "bodies", .name = "attempts", .type = integer,
        .range = {.low = 1.0, .high = 1e9}, .forms = "random|dense",
        .description = "Number of random positions that Scree tries for each body. If all fail, the region is "
                       "considered full."},
    Key{.section = "bodies", .name = "clearance", .type = number, .unit = "m", .range = not_negative, .forms = "random",
        .description = "Smallest gap between two bodies (for spheres: Poisson disc sampling). Between concave shapes "
                       "the gap may be smaller."},
    Key{.section = "bodies", .name = "seed", .type = integer, .range = seeds, .forms = "single|lattice|random|dense",
        .description = "Seed of the random numbers of this heading. Default: derived from the scene's seed and the "
                       "number of the heading."},

    Key{.section = "region", .name = "type", .type = word, .required = true, .words = "box|cylinder|mesh",
        .description = "Form of the region."},
    Key{.section = "region", .name = "low", .type = vector, .unit = "m", .required = true, .forms = "box",
        .description = "Corner with the smallest x, y, z."},
    Key{.section = "region", .name = "high", .type = vector, .unit = "m", .required = true, .forms = "box",
        .description = "Corner with the largest x, y, z."},
    Key{.section = "region", .name = "start", .type = vector, .unit = "m", .required = true, .forms = "cylinder",
        .description = "One end of the axis. A lattice is filled from here."},
    Key{.section = "region", .name = "end", .type = vector, .unit = "m", .required = true, .forms = "cylinder",
        .description = "Other end of the axis."},
    Key{.section = "region", .name = "radius", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "cylinder",
        .description = "Radius of the cylinder."},
    Key{.section = "region", .name = "file", .type = text, .required = true, .forms = "mesh",
        .description = "STL, OBJ, PLY or VTP file of a closed mesh, relative to the scene's folder. The region is its "
                       "inside."},
    Key{.section = "region", .name = "scale", .type = number, .unit = "m", .range = positive, .forms = "mesh",
        .description = "Length of one unit of the file. Default: 1."},
    Key{.section = "region", .name = "position", .type = vector, .unit = "m", .forms = "mesh",
        .description = "Position of the file's origin. Default: the world's origin."},

    Key{.section = "scale", .name = "distribution", .type = word, .required = true,
        .words = "constant|uniform|normal|lognormal|weibull|table",
        .description = "Distribution of the factor. `weibull` is the Rosin-Rammler distribution: a share exp(-(x / "
                       "characteristic)^modulus) is larger than x. `table` is a sieve curve from a file."},
    Key{.section = "scale", .name = "by", .type = word, .words = "number|mass",
        .description = "Whether shares count grains or mass. Sieve analyses give shares of mass."},
    Key{.section = "scale", .name = "table", .type = text, .required = true, .forms = "table",
        .description = "CSV file, relative to the scene's folder, with two columns: the factor, and the share of "
                       "grains that are smaller (that pass the sieve). Shares begin with 0 and end with 1. Both "
                       "columns must increase. Scree interpolates linearly between rows. With `radius = 0.0005` the "
                       "factors are diameters in mm. Sieves separate by the second largest semi-axis."},
    Key{.section = "scale", .name = "characteristic", .type = number, .required = true, .range = positive,
        .forms = "weibull",
        .description = "Characteristic size of the distribution: a share of 1/e (36.8 %) of the grains is larger."},
    Key{.section = "scale", .name = "modulus", .type = number, .required = true, .range = positive,
        .forms = "weibull",
        .description = "Modulus (exponent) of the distribution. A larger modulus gives a narrower distribution."},
    Key{.section = "scale", .name = "mean", .type = number, .range = positive, .forms = "constant|normal|lognormal",
        .description = "Mean factor."},
    Key{.section = "scale", .name = "deviation", .type = number, .required = true, .range = positive,
        .forms = "normal|lognormal",
        .description = "Standard deviation of the factor."},
    Key{.section = "scale", .name = "low", .type = number, .required = true, .range = positive,
        .forms = "uniform|normal|lognormal|weibull",
        .description = "Smallest factor."},
    Key{.section = "scale", .name = "high", .type = number, .required = true, .range = positive,
        .forms = "uniform|normal|lognormal|weibull",
        .description = "Largest factor."},

    Key{.section = "inlets", .name = "name", .type = text,
        .description = "Name in messages and results. Default: inlet0 and so on."},
    Key{.section = "inlets", .name = "region", .type = table, .required = true,
        .description = "Region in which the inlet places grains. Each grain gets the first random position at which "
                       "it overlaps neither bodies nor boundaries."},
    Key{.section = "inlets", .name = "mass_rate", .type = number, .unit = "kg/s", .range = positive,
        .description = "Mass that enters per second. Give this or `number_rate`."},
    Key{.section = "inlets", .name = "number_rate", .type = number, .unit = "1/s", .range = positive,
        .description = "Number of grains that enter per second. Give this or `mass_rate`."},
    Key{.section = "inlets", .name = "waits", .type = boolean,
        .description = "The inlet waits for an event with `start_inlet`. Its `start` and `stop` count from that time."},
    Key{.section = "inlets", .name = "start", .type = number, .unit = "s",
        .description = "Time at which the inlet starts."},
    Key{.section = "inlets", .name = "stop", .type = number, .unit = "s",
        .description = "Time at which the inlet stops. Default: never."},
    Key{.section = "inlets", .name = "mass", .type = number, .unit = "kg", .range = positive,
        .description = "The inlet stops when it has made this total mass. Default: no limit."},
    Key{.section = "inlets", .name = "count", .type = integer, .range = counting,
        .description = "The inlet stops when it has made this number of grains. Default: no limit."},
    Key{.section = "inlets", .name = "material", .type = text,
        .description = "Name of the material. Optional if there is only one."},
    Key{.section = "inlets", .name = "grains", .type = tables,
        .description = "Mixture: kinds of grains, in place of `material`, shape and `scale` of the inlet."},
    Key{.section = "inlets", .name = "shares_by", .type = word, .words = "mass|number",
        .description = "Whether `share` of [[inlets.grains]] counts mass or the number of grains. Default: mass."},
    Key{.section = "inlets", .name = "semi_axes", .type = vector, .unit = "m", .range = positive,
        .description = "Semi-axes of the ellipsoid. Give this, `radius` or `shape`."},
    Key{.section = "inlets", .name = "radius", .type = number, .unit = "m", .range = positive,
        .description = "Radius of a sphere; the same as three equal semi-axes."},
    Key{.section = "inlets", .name = "shape", .type = text,
        .description = "Name of a shape of [[shapes]], in place of semi-axes; with `size`."},
    Key{.section = "inlets", .name = "size", .type = number, .unit = "m", .range = positive,
        .description = "Length of one unit of the shape."},
    Key{.section = "inlets", .name = "scale", .type = table,
        .description = "Distribution of sizes. Default: all are equal."},
    Key{.section = "inlets", .name = "sizes", .type = integer, .range = {.low = 1.0, .high = 100000.0},
        .description = "Number of discrete sizes that approximate the distribution. Each size represents an equal "
                       "share, by number or by mass, and is the median of this share."},
    Key{.section = "inlets", .name = "orientation", .type = orientation, .words = "random|aligned",
        .description = "Unit quaternion [w, x, y, z] from the body's axes to the world's. Default: `random`."},
    Key{.section = "inlets", .name = "orientation_spread", .type = number, .unit = "deg",
        .range = {.low = 0.0, .high = 180.0},
        .description = "Random deviation from `orientation`: each component of its rotation vector is normally "
                       "distributed with this standard deviation."},
    Key{.section = "inlets", .name = "velocity", .type = vector, .unit = "m/s",
        .description = "Velocity of each new grain."},
    Key{.section = "inlets", .name = "angular_velocity", .type = vector, .unit = "rad/s",
        .description = "Angular velocity of each new grain, in world axes."},
    Key{.section = "inlets", .name = "attempts", .type = integer, .range = {.low = 1.0, .high = 1e9},
        .description = "Number of places that a step tries for a grain. If none is free, the grain waits for the next "
                       "step."},
    Key{.section = "inlets", .name = "seed", .type = integer, .range = seeds,
        .description = "Seed of the random numbers of this heading. Default: derived from the scene's seed and the "
                       "number of the heading."},

    Key{.section = "outlets", .name = "name", .type = text,
        .description = "Name in messages and results. Default: outlet0 and so on."},
    Key{.section = "outlets", .name = "type", .type = word, .required = true, .words = "box|cylinder|half_space",
        .description = "Form of the outlet."},
    Key{.section = "outlets", .name = "low", .type = vector, .unit = "m", .required = true, .forms = "box",
        .description = "Corner with the smallest x, y, z."},
    Key{.section = "outlets", .name = "high", .type = vector, .unit = "m", .required = true, .forms = "box",
        .description = "Corner with the largest x, y, z."},
    Key{.section = "outlets", .name = "start", .type = vector, .unit = "m", .required = true, .forms = "cylinder",
        .description = "One end of the axis."},
    Key{.section = "outlets", .name = "end", .type = vector, .unit = "m", .required = true, .forms = "cylinder",
        .description = "Other end of the axis."},
    Key{.section = "outlets", .name = "radius", .type = number, .unit = "m", .required = true, .range = positive,
        .forms = "cylinder",
        .description = "Radius of the cylinder."},
    Key{.section = "outlets", .name = "point", .type = vector, .unit = "m", .required = true, .forms = "half_space",
        .description = "Any point of the plane at which the half space begins."},
    Key{.section = "outlets", .name = "normal", .type = vector, .required = true, .forms = "half_space",
        .description = "Normal of the plane, of any non-zero length. It points into the half-space of the outlet."},

    Key{.section = "domain", .name = "low", .type = vector, .unit = "m",
        .description = "Corner with the smallest x, y, z. Default: no limit."},
    Key{.section = "domain", .name = "high", .type = vector, .unit = "m",
        .description = "Corner with the largest x, y, z. Default: no limit."},
    Key{.section = "domain", .name = "outside", .type = word, .required = true, .words = "remove|reflect|stop",
        .description = "What happens to a body whose centre is outside the box. `remove`: it is removed and counted. "
                       "`reflect`: the part of its velocity that points outwards is reversed. `stop`: the run ends "
                       "with status 5."},

    Key{.section = "boundaries", .name = "type", .type = word, .required = true, .words = "plane|box|tube|mesh|disc|cylinder|cone|sphere|torus|revolved|elliptic_cylinder",
        .description = "`plane`: the space behind its surface is solid. `box`: plane walls around a space. `tube`: a "
                       "pipe of finite length with a thick wall, open at both ends, with contact on all sides. "
                       "`mesh`: triangles from a file, with contact on both sides. `disc`, `cylinder`, `cone` (also a "
                       "frustum) and `revolved` (any profile rotated about an axis): sheets with contact on both "
                       "sides. `sphere`: a solid, or a hollow sphere (`inside`). `torus`: a solid. "
                       "`elliptic_cylinder`: a pipe or trough with an elliptic cross section, with contact on both "
                       "sides. If a scene has shapes that functions define, Scree replaces elliptic "
                       "cylinders by meshes, with an error of a thousandth of the smallest body's smallest length."},
    Key{.section = "boundaries", .name = "name", .type = text,
        .description = "Name in messages and results. Default: the type and the number of the heading."},
    Key{.section = "boundaries", .name = "material", .type = text,
        .description = "Name of the material. Optional if there is only one."},
    Key{.section = "boundaries", .name = "point", .type = vector, .unit = "m", .forms = "plane",
        .description = "Any point of the surface."},
    Key{.section = "boundaries", .name = "normal", .type = vector, .forms = "plane|disc",
        .description = "Normal, of any non-zero length. For a plane it points to the free side."},
    Key{.section = "boundaries", .name = "low", .type = vector, .unit = "m", .required = true, .forms = "box",
        .description = "Corner with the smallest x, y, z."},
    Key{.section = "boundaries", .name = "high", .type = vector, .unit = "m", .required = true, .forms = "box",
        .description = "Corner with the largest x, y, z."},
    Key{.section = "boundaries", .name = "open", .type = words, .fallback = "[]",
        .words = "-x|+x|-y|+y|-z|+z", .forms = "box",
        .description = "Faces without a wall. The other walls extend beyond the open faces."},
    Key{.section = "boundaries", .name = "start", .type = vector, .unit = "m", .required = true,
        .forms = "tube|cylinder|cone|revolved|elliptic_cylinder",
        .description = "One end of the axis. For a profile: the point with z = 0."},
    Key{.section = "boundaries", .name = "end", .type = vector, .unit = "m", .required = true,
        .forms = "tube|cylinder|cone|elliptic_cylinder",
        .description = "Other end of the axis."},
    Key{.section = "boundaries", .name = "inner_radius", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "tube",
        .description = "Inner radius of the pipe."},
    Key{.section = "boundaries", .name = "thickness", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "tube|elliptic_cylinder",
        .description = "Thickness of the wall. The radius of its rounded edges is half the thickness."},
    Key{.section = "boundaries", .name = "half_width", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "elliptic_cylinder",
        .description = "Distance from the axis to the middle of the wall, perpendicular to `up`."},
    Key{.section = "boundaries", .name = "half_height", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "elliptic_cylinder",
        .description = "Distance from the axis to the middle of the wall, along `up`."},
    Key{.section = "boundaries", .name = "up", .type = vector, .forms = "elliptic_cylinder",
        .description = "Direction of the height. Its component along the axis is ignored."},
    Key{.section = "boundaries", .name = "trough", .type = boolean, .forms = "elliptic_cylinder",
        .description = "Keep only the half below the axis, which is open at the top."},
    Key{.section = "boundaries", .name = "centre", .type = vector, .unit = "m", .required = true,
        .forms = "disc|sphere|torus",
        .description = "Centre."},
    Key{.section = "boundaries", .name = "axis", .type = vector, .required = true, .forms = "torus|revolved",
        .description = "Axis of rotation; for a profile, the direction of z. Any non-zero length."},
    Key{.section = "boundaries", .name = "radius", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "disc|cylinder|sphere|torus",
        .description = "Radius. For a torus: radius of the circle in the middle of its tube."},
    Key{.section = "boundaries", .name = "tube_radius", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "torus",
        .description = "Radius of the tube of a torus."},
    Key{.section = "boundaries", .name = "start_radius", .type = number, .unit = "m", .required = true,
        .range = not_negative, .forms = "cone",
        .description = "Radius at `start`. 0: a tip."},
    Key{.section = "boundaries", .name = "end_radius", .type = number, .unit = "m", .required = true,
        .range = not_negative, .forms = "cone",
        .description = "Radius at `end`."},
    Key{.section = "boundaries", .name = "caps", .type = words, .fallback = "[]", .words = "start|end",
        .forms = "cylinder|cone",
        .description = "Ends that are closed by a disc."},
    Key{.section = "boundaries", .name = "profile", .type = profile, .unit = "m", .required = true,
        .range = not_negative, .forms = "revolved",
        .description = "Corners [r, z] of a line: distance from the axis, and distance along it from `start`."},
    Key{.section = "boundaries", .name = "closed", .type = boolean, .forms = "revolved",
        .description = "Connect the last corner with the first."},
    Key{.section = "boundaries", .name = "rounding", .type = number, .unit = "m", .range = not_negative,
        .forms = "disc|cylinder|cone|revolved",
        .description = "Half of the wall's thickness, and radius of its edges: the wall consists of all points within "
                       "this distance of the surface."},
    Key{.section = "boundaries", .name = "inside", .type = boolean, .forms = "sphere",
        .description = "The bodies are inside the sphere, and everything outside it is solid."},
    Key{.section = "boundaries", .name = "file", .type = text, .required = true, .forms = "mesh",
        .description = "File of triangles, relative to the scene's folder: STL, OBJ or PLY, or, in programs with VTK, "
                       "also VTP, VTU, VTK or glTF."},
    Key{.section = "boundaries", .name = "scale", .type = number, .range = positive, .forms = "mesh",
        .description = "Length of one unit of the file in metres, such as 0.001 for millimetres."},
    Key{.section = "boundaries", .name = "position", .type = vector, .unit = "m", .forms = "mesh",
        .description = "Position of the file's origin."},
    Key{.section = "boundaries", .name = "orientation", .type = orientation, .words = "aligned", .forms = "mesh",
        .description = "Unit quaternion [w, x, y, z] of the file's axes. Default: `aligned`."},
    Key{.section = "boundaries", .name = "weld", .type = number, .unit = "m", .range = not_negative, .forms = "mesh",
        .description = "Corners closer than this are merged, and edges share the corners that lie on them. This closes "
                       "seams that a CAD program leaves open by rounding. `scree mesh` reports open edges."},
    Key{.section = "boundaries", .name = "sheets", .type = boolean, .forms = "mesh",
        .description = "Edges with one triangle, or with more than two, are intended: Scree does not warn about them."},
    Key{.section = "boundaries", .name = "surface_velocity", .type = vector, .unit = "m/s",
        .description = "Velocity of the surface of a conveyor belt, along the surface, in the axes of the scene at the "
                       "start; it rotates with a part that carries the boundary. The belt carries bodies that rest on "
                       "it; the boundary itself does not move. At edges and folds of a mesh its part along the "
                       "normal of the contact does not count, unless forces move its part."},
    Key{.section = "boundaries", .name = "part", .type = text,
        .description = "Name of the part that carries the boundary. A box moves as one piece."},
    Key{.section = "boundaries", .name = "motion", .type = tables,
        .description = "Motions of the boundary, which becomes a part with the same name. A box moves as one piece."},
    Key{.section = "boundaries", .name = "motion_waits", .type = boolean,
        .description = "The motions wait for an event with `start_motion`, as for [[parts]]."},

    Key{.section = "cell", .name = "low", .type = vector, .unit = "m", .required = true,
        .description = "Low corner of the initial box."},
    Key{.section = "cell", .name = "high", .type = vector, .unit = "m", .required = true,
        .description = "High corner of the initial box."},
    Key{.section = "cell", .name = "periodic", .type = words, .words = "x|y|z",
        .description = "Directions along which the cell repeats."},
    Key{.section = "cell", .name = "stress_x", .type = number, .unit = "Pa", .range = not_negative,
        .description = "Target value of the normal stress along x, positive in compression. The cell adapts its width "
                       "along x to reach and keep this stress. A flow along x is added to this motion. Default: the "
                       "width along x changes only by a flow."},
    Key{.section = "cell", .name = "stress_y", .type = number, .unit = "Pa", .range = not_negative,
        .description = "The same as `stress_x`, along y."},
    Key{.section = "cell", .name = "stress_z", .type = number, .unit = "Pa", .range = not_negative,
        .description = "The same as `stress_x`, along z."},
    Key{.section = "cell", .name = "inertia", .type = number, .unit = "1", .range = positive,
        .description = "For directions with a prescribed stress: inertia of the strain rate, divided by the mass of "
                       "all bodies times the square of the cell's edge. A smaller value gives a faster response. "
                       "Stresses at rest do not depend on it. Default: 1."},
    Key{.section = "cell", .name = "largest_rate", .type = number, .unit = "1/s", .range = positive,
        .description = "Largest strain rate along directions with a prescribed stress. Default: no limit."},
    Key{.section = "cell", .name = "flow", .type = tables,
        .description = "Flows that deform the cell. Default: none."},

    Key{.section = "flow", .name = "gradient_x", .type = vector, .unit = "1/s",
        .description = "Gradient of the velocity along x: [dvx/dx, dvx/dy, dvx/dz]. [0, 10, 0] shears, [-1, 0, 0] "
                       "compresses."},
    Key{.section = "flow", .name = "gradient_y", .type = vector, .unit = "1/s",
        .description = "[dvy/dx, dvy/dy, dvy/dz]."},
    Key{.section = "flow", .name = "gradient_z", .type = vector, .unit = "1/s",
        .description = "[dvz/dx, dvz/dy, dvz/dz]."},
    Key{.section = "flow", .name = "start", .type = number, .unit = "s", .range = not_negative,
        .description = "Time at which the flow begins."},
    Key{.section = "flow", .name = "stop", .type = number, .unit = "s", .range = not_negative,
        .description = "Time at which the flow ends. Default: never."},

    Key{.section = "parts", .name = "name", .type = text, .required = true,
        .description = "Name of the part, for references."},
    Key{.section = "parts", .name = "freedom", .type = word, .words = "none|along|about|all",
        .description = "How forces may move the part: not at all, along its direction, about its axis, or in every way "
                       "that joints allow. Default: `none`."},
    Key{.section = "parts", .name = "motion", .type = tables, .forms = "none|along|about",
        .description = "Prescribed motion. The motion by forces (`freedom`) is added."},
    Key{.section = "parts", .name = "motion_waits", .type = boolean, .forms = "none|along|about",
        .description = "The motions wait for an event with `start_motion`. Their times (`start`, `stop`, functions "
                       "and tables) then count from this event."},
    Key{.section = "parts", .name = "direction", .type = vector, .required = true, .forms = "along",
        .description = "Direction of any non-zero length."},
    Key{.section = "parts", .name = "axis", .type = vector, .required = true, .forms = "about",
        .description = "Axis of rotation, of any non-zero length. Rotations are right-handed about it."},
    Key{.section = "parts", .name = "point", .type = vector, .unit = "m", .forms = "about",
        .description = "Any point of the axis. Torques are about it."},
    Key{.section = "parts", .name = "centre", .type = vector, .unit = "m", .forms = "none|along|all",
        .description = "Reference point of torques, at its position at the start. With `freedom = \"all\"` it is the "
                       "centre of mass and is required. Default: a point on the axis of the motion's rotation, or the "
                       "origin."},
    Key{.section = "parts", .name = "mass", .type = number, .unit = "kg", .required = true, .range = positive,
        .forms = "along|all",
        .description = "Mass of the part with everything that it carries."},
    Key{.section = "parts", .name = "moments", .type = vector, .unit = "kg m^2", .required = true, .range = positive,
        .forms = "all",
        .description = "Principal moments of inertia about the centre. The principal axes at the start are the world's "
                       "x, y and z, or the axes that `orientation` gives."},
    Key{.section = "parts", .name = "orientation", .type = orientation, .words = "aligned", .forms = "all",
        .description = "[w, x, y, z] from the principal axes to the world at the start. Default: `aligned`."},
    Key{.section = "parts", .name = "velocity", .type = vector, .unit = "m/s", .forms = "all",
        .description = "Velocity of its centre at the start."},
    Key{.section = "parts", .name = "angular_velocity", .type = vector, .unit = "rad/s", .forms = "all",
        .description = "Angular velocity at the start."},
    Key{.section = "parts", .name = "inertia", .type = number, .unit = "kg m^2", .required = true, .range = positive,
        .forms = "about",
        .description = "Moment of inertia of the part, with everything that it carries, about the axis. Gravity has "
                       "no effect on the part: its centre of mass is on the axis."},
    Key{.section = "parts", .name = "force", .type = number, .unit = "N", .forms = "along",
        .description = "Constant force along the direction. The total force is the sum of `force`, `function`, "
                       "`table`, weight, pressure, damping and spring."},
    Key{.section = "parts", .name = "torque", .type = number, .unit = "N m", .forms = "about",
        .description = "Constant torque about the axis. The total torque is the sum of `torque`, `function`, `table`, "
                       "damping and spring."},
    Key{.section = "parts", .name = "function", .type = text, .forms = "along|about",
        .description = "Force (N) or torque (N m) as an expression of the time t (s), such as \"5 * min(t, 1)\". "
                       "Parameters may be used."},
    Key{.section = "parts", .name = "table", .type = text, .forms = "along|about",
        .description = "CSV file of times (s) and forces (N) or torques (N m), relative to the scene's folder. Values "
                       "are interpolated linearly between rows, and constant before the first and after the last row."},
    Key{.section = "parts", .name = "weight", .type = boolean, .forms = "along|all",
        .description = "Whether gravity acts on the mass of the part."},
    Key{.section = "parts", .name = "pressure", .type = number, .unit = "Pa", .forms = "along",
        .description = "Pressure of a servo wall: it acts on `area`, along the direction."},
    Key{.section = "parts", .name = "area", .type = number, .unit = "m^2", .range = positive, .forms = "along",
        .description = "Area on which the pressure acts."},
    Key{.section = "parts", .name = "width_between", .type = names, .forms = "along",
        .description = "In place of `area`, with `depth_between`: two planes whose current distance is one side of the "
                       "area. Walls of a box are \"box.-x\", \"box.+x\" and so on."},
    Key{.section = "parts", .name = "depth_between", .type = names, .forms = "along",
        .description = "Two planes whose current distance is the other side."},
    Key{.section = "parts", .name = "damping", .type = number, .unit = "N s/m or N m s", .range = not_negative, .forms = "along|about",
        .description = "Force or torque against the motion, divided by the speed. It brings a servo wall to rest."},
    Key{.section = "parts", .name = "spring", .type = number, .unit = "N/m or N m/rad", .range = not_negative, .forms = "along|about",
        .description = "Stiffness of a spring that pulls the part back to its initial position."},
    Key{.section = "parts", .name = "low", .type = number, .unit = "m or rad", .forms = "along|about",
        .description = "Smallest travel (lower stop), counted from the start. Default: no stop."},
    Key{.section = "parts", .name = "high", .type = number, .unit = "m or rad", .forms = "along|about",
        .description = "Largest travel (upper stop), counted from the start. Default: no stop."},
    Key{.section = "parts", .name = "start_rate", .type = number, .unit = "m/s or rad/s", .forms = "along|about",
        .description = "Speed at the start."},
    Key{.section = "parts", .name = "starts_locked", .type = boolean, .forms = "along|about|all",
        .description = "At the start the part is locked: forces do not move it until an event releases it "
                       "(`release_part`)."},

    Key{.section = "joints", .name = "name", .type = text, .required = true,
        .description = "Name of the joint, for references."},
    Key{.section = "joints", .name = "type", .type = word, .required = true,
        .words = "fixed|revolute|prismatic|cylindrical|screw|spherical|universal|planar|rod|cylinder|point_on_plane|point_on_line|point_on_curve|gear|rack",
        .description = "Motion of b relative to a that the joint allows. `fixed`: none. `revolute`: rotation about "
                       "the axis. `prismatic`: sliding along the axis. `cylindrical`: rotation and sliding. `screw`: "
                       "rotation and sliding, coupled by `lead`. `spherical`: rotation about the point. `universal`: "
                       "rotation about `axis` and `axis_b`. `planar`: sliding perpendicular to the axis, and rotation "
                       "about it. `rod`: all motion that keeps the distance of `point_a` and `point_b`. `cylinder`: "
                       "all motion; forces act along the line between `point_a` and `point_b`, as in a hydraulic "
                       "cylinder. `point_on_plane`, `point_on_line`, `point_on_curve`: the point of b stays on the "
                       "plane perpendicular to the axis, on the line along the axis, or on a curve. `gear` and `rack` "
                       "couple two other joints, `first` and `second`."},
    Key{.section = "joints", .name = "a", .type = text,
        .description = "Name of a part with `freedom` \"all\" or \"none\", or name of [[bodies]] with a single body. "
                       "Default: \"ground\"."},
    Key{.section = "joints", .name = "b", .type = text,
        .description = "The same as `a`, for the second partner."},
    Key{.section = "joints", .name = "body_a", .type = integer, .range = {.low = 0.0, .high = 9e15},
        .description = "In place of `a`: number of a body."},
    Key{.section = "joints", .name = "body_b", .type = integer, .range = {.low = 0.0, .high = 9e15},
        .description = "In place of `b`: number of a body."},
    Key{.section = "joints", .name = "chain", .type = text,
        .description = "In place of `a` and `b`: name of [[bodies]]. Each body is joined to the next one. The joints "
                       "are called name.0, name.1 and so on. `point_a`, `point_b` and axes are in the frames of the "
                       "bodies."},
    Key{.section = "joints", .name = "point", .type = vector, .unit = "m",
        .description = "Position of the joint. Optional for fixed and prismatic joints."},
    Key{.section = "joints", .name = "point_a", .type = vector, .unit = "m",
        .description = "For a rod, a cylinder or a chain: its end on a."},
    Key{.section = "joints", .name = "point_b", .type = vector, .unit = "m",
        .description = "For a rod, a cylinder or a chain: its end on b."},
    Key{.section = "joints", .name = "axis", .type = vector, .required = true,
        .forms = "revolute|prismatic|cylindrical|screw|universal|planar|point_on_plane|point_on_line",
        .description = "Axis, of any non-zero length. Rotations of b against a are right-handed about it."},
    Key{.section = "joints", .name = "axis_b", .type = vector, .required = true, .forms = "universal",
        .description = "Axis on b, perpendicular to `axis`."},
    Key{.section = "joints", .name = "lead", .type = number, .unit = "m", .required = true, .forms = "screw",
        .description = "Travel per rotation."},
    Key{.section = "joints", .name = "curve", .type = functions, .unit = "m", .required = true, .forms = "point_on_curve",
        .description = "Points of the curve at the start, in the world: expressions of t, from `from` to `to`. The "
                       "curve moves with a. Open curves continue straight at their ends."},
    Key{.section = "joints", .name = "from", .type = number, .required = true, .forms = "point_on_curve",
        .description = "First value of t."},
    Key{.section = "joints", .name = "to", .type = number, .required = true, .forms = "point_on_curve",
        .description = "Last value of t."},
    Key{.section = "joints", .name = "first", .type = text, .required = true, .forms = "gear|rack",
        .description = "Name of a revolute joint, defined before this one."},
    Key{.section = "joints", .name = "second", .type = text, .required = true, .forms = "gear|rack",
        .description = "Name of another joint, defined before this one. For a gear: a revolute joint with a parallel "
                       "axis. For a rack: a prismatic joint."},
    Key{.section = "joints", .name = "ratio", .type = number, .unit = "1 or m", .required = true, .forms = "gear|rack",
        .description = "Gear: number of rotations of the second joint for one rotation of the first, in the opposite "
                       "direction. A negative value gives the same direction, as for an internal gear. Rack: travel "
                       "(m) for a rotation by one radian. Both joints must have the same `a`."},
    Key{.section = "joints", .name = "coordinate", .type = word, .words = "angle|travel", .forms = "cylindrical",
        .description = "Coordinate on which stops, motor, spring and friction act: the angle or the travel."},
    Key{.section = "joints", .name = "low", .type = number, .unit = "m or rad",
        .description = "Lower stop of the coordinate. Default: none."},
    Key{.section = "joints", .name = "high", .type = number, .unit = "m or rad",
        .description = "Upper stop of the coordinate. Default: none."},
    Key{.section = "joints", .name = "friction", .type = number, .unit = "N or N m", .range = not_negative,
        .description = "Coulomb friction of the joint: force or torque that is needed to move it."},
    Key{.section = "joints", .name = "friction_coefficient", .type = number, .range = not_negative,
        .description = "Coefficient of friction of the joint: the friction force is this value times the force that "
                       "the joint carried in the last step. This force is added to `friction`."},
    Key{.section = "joints", .name = "friction_radius", .type = number, .unit = "m", .range = positive,
        .description = "Radius of the bearing. The friction torque is `friction_coefficient` times the force times "
                       "this radius. Required with `friction_coefficient` if the coordinate is an angle."},
    Key{.section = "joints", .name = "stiffness", .type = number, .unit = "N/m or N m/rad", .range = not_negative,
        .description = "Stiffness of a spring on the coordinate. Any value is stable."},
    Key{.section = "joints", .name = "rest", .type = number, .unit = "m or rad",
        .description = "Coordinate at which the spring is relaxed."},
    Key{.section = "joints", .name = "damping", .type = number, .unit = "N s/m or N m s", .range = not_negative,
        .description = "Force or torque against the motion, divided by the speed."},
    Key{.section = "joints", .name = "motor", .type = table,
        .description = "Motor that drives the joint."},

    Key{.section = "motor", .name = "type", .type = word, .required = true, .words = "speed|position|force",
        .description = "What the motor prescribes: a speed (m/s, rad/s), a position (m, rad), or a force (N, N m)."},
    Key{.section = "motor", .name = "value", .type = number, .unit = "m/s, m, N or rad/s, rad, N m",
        .description = "Constant value of the speed, position or force."},
    Key{.section = "motor", .name = "function", .type = text,
        .description = "Expression of the time t (s), such as \"0.3 * sin(2 * t)\". Parameters may be used."},
    Key{.section = "motor", .name = "table", .type = text,
        .description = "CSV file of times (s) and values, relative to the scene's folder. Values are interpolated "
                       "linearly between rows, and constant before the first and after the last row."},
    Key{.section = "motor", .name = "model", .type = text,
        .description = "Name of one of [[models]] whose `variable` the motor uses. If the variable is a force that "
                       "decreases with the rate or the coordinate of the joint, Scree solves it implicitly, that is "
                       "without a delay of one step."},
    Key{.section = "motor", .name = "variable", .type = text,
        .description = "Variable of that model, with the names of submodels: \"winding.torque\"."},
    Key{.section = "motor", .name = "most", .type = number, .unit = "N or N m", .range = positive,
        .description = "Largest force or torque of the motor. Default: no limit."},
    Key{.section = "motor", .name = "stiffness", .type = number, .unit = "N/m or N m/rad", .range = not_negative,
        .description = "For a position motor: force divided by the distance from the target position. If `stiffness` "
                       "and `damping` are 0, the motor is rigid."},
    Key{.section = "motor", .name = "damping", .type = number, .unit = "N s/m or N m s", .range = not_negative,
        .description = "For a position motor: force divided by the speed."},

    Key{.section = "models", .name = "name", .type = text, .required = true,
        .description = "Name by which motors refer to it."},
    Key{.section = "models", .name = "file", .type = text, .required = true,
        .description = "File with the text of the model, relative to the scene's folder."},
    Key{.section = "models", .name = "model", .type = text,
        .description = "Which model of the file to use. Default: the last one."},
    Key{.section = "models", .name = "parameters", .type = table,
        .description = "New values of its parameters: `{ resistance = 0.4 }`."},
    Key{.section = "models", .name = "inputs", .type = tables,
        .description = "Quantities for its inputs. Each input needs one."},
    Key{.section = "models", .name = "record", .type = words,
        .description = "Variables that models.csv records in addition to those that motors use."},

    Key{.section = "inputs", .name = "variable", .type = text, .required = true,
        .description = "Name of the input."},
    Key{.section = "inputs", .name = "quantity", .type = text, .required = true,
        .description = "Any quantity of the joint, boundary or part in docs/observables.md. For a joint: `coordinate` "
                       "and `rate` (predicted for the end of the step), or `motor_force`. For a boundary or part: the "
                       "force of bodies on it (mean over the previous step)."},
    Key{.section = "inputs", .name = "joint", .type = text,
        .description = "Name of the joint to which the quantity belongs."},
    Key{.section = "inputs", .name = "boundary", .type = text,
        .description = "Name of the boundary to which the quantity belongs."},
    Key{.section = "inputs", .name = "part", .type = text,
        .description = "Name of the part to which the quantity belongs."},

    Key{.section = "motion", .name = "type", .type = word, .required = true, .words = "translation|rotation",
        .description = "Motion along a direction, or about an axis."},
    Key{.section = "motion", .name = "direction", .type = vector, .required = true, .forms = "translation",
        .description = "Direction of any non-zero length."},
    Key{.section = "motion", .name = "axis", .type = vector, .required = true, .forms = "rotation",
        .description = "Axis of rotation, of any non-zero length. Rotations are right-handed about it."},
    Key{.section = "motion", .name = "point", .type = vector, .unit = "m", .forms = "rotation",
        .description = "Any point of the axis of rotation, at its position before all motions."},
    Key{.section = "motion", .name = "speed", .type = number, .unit = "m/s", .forms = "translation",
        .description = "Constant speed, from `start` on."},
    Key{.section = "motion", .name = "angular_speed", .type = number, .unit = "rad/s", .forms = "rotation",
        .description = "Constant angular speed, from `start` on."},
    Key{.section = "motion", .name = "amplitude", .type = number, .unit = "m or rad",
        .description = "Amplitude A of the oscillation A (sin(2 pi f t + phase) - sin(phase)). Here t counts from "
                       "`start`."},
    Key{.section = "motion", .name = "frequency", .type = number, .unit = "Hz", .range = not_negative,
        .description = "Frequency f of the oscillation."},
    Key{.section = "motion", .name = "phase", .type = number, .unit = "rad",
        .description = "Phase of the oscillation."},
    Key{.section = "motion", .name = "function", .type = text,
        .description = "Distance (m) or angle (rad) as an expression of the simulated time t (s), such as \"0.01 * "
                       "sin(20 * t)\". t does not count from `start`. Parameters may be used."},
    Key{.section = "motion", .name = "table", .type = text,
        .description = "CSV file of simulated times (s) and distances (m) or angles (rad), relative to the scene's "
                       "folder. Values are interpolated linearly between rows, and constant before the first and "
                       "after the last row."},
    Key{.section = "motion", .name = "start", .type = number, .unit = "s",
        .description = "Simulated time at which the motion starts. If this lies within a step, its change of velocity "
                       "is spread over two steps: bodies bounce off with a part of it only. Choose a multiple of "
                       "`time_step` where that matters."},
    Key{.section = "motion", .name = "stop", .type = number, .unit = "s",
        .description = "Simulated time at which the motion stops. Default: never."},

    Key{.section = "fields", .name = "force", .type = functions, .unit = "N/kg", .required = true,
        .description = "Force per mass: expressions of the position x, y, z (m) and velocity vx, vy, vz (m/s) of the "
                       "centre of mass, and of the time t (s). Examples: [\"-4 * x\", \"-4 * y\", 0], or [\"3 * vy\", "
                       "\"-3 * vx\", 0] for a magnetic field. Parameters may be used."},

    Key{.section = "fluid", .name = "density", .type = number, .unit = "kg/m^3", .range = not_negative,
        .description = "Mass per volume."},
    Key{.section = "fluid", .name = "viscosity", .type = number, .unit = "Pa s", .range = positive,
        .description = "Dynamic viscosity."},
    Key{.section = "fluid", .name = "drag", .type = word, .words = "none|stokes|schiller_naumann",
        .description = "Drag force. `stokes`: 3 pi d viscosity (u - v). Here d is the diameter of a sphere with the "
                       "volume of the body, u the velocity of the fluid, and v the velocity of the body. "
                       "`schiller_naumann`: the Stokes force times 1 + 0.15 Re^0.687; above Re = 1000 the drag "
                       "coefficient is 0.44."},
    Key{.section = "fluid", .name = "buoyancy", .type = boolean,
        .description = "Whether the weight of the displaced fluid is subtracted."},
    Key{.section = "fluid", .name = "velocity", .type = functions, .unit = "m/s",
        .description = "Velocity of the fluid: expressions of x, y, z (m) and t (s), or numbers. Default: at rest."},

    Key{.section = "bonds", .name = "name", .type = text,
        .description = "Name in events and bonds.csv. Default: `bonds` and the number of the heading."},
    Key{.section = "bonds", .name = "materials", .type = words,
        .description = "Names of materials. Bonds form only if each of the two bodies is of one of them. Default: all "
                       "materials."},
    Key{.section = "bonds", .name = "reach", .type = number, .unit = "1", .range = {.low = 0.0, .high = 1.0},
        .description = "Largest gap across which bonds form, divided by the smallest length (for an ellipsoid: the "
                       "smallest semi-axis) of the smaller body. Default: 0.01."},
    Key{.section = "bonds", .name = "time", .type = number, .unit = "s", .range = not_negative,
        .description = "Time at which the bonds form. Default: 0, the start."},
    Key{.section = "bonds", .name = "waits", .type = boolean,
        .description = "The bonds form only when an event with `form_bonds` happens."},
    Key{.section = "bonds", .name = "radius_ratio", .type = number, .unit = "1", .range = positive,
        .description = "Radius of the bar, divided by the smallest length of the smaller body. Default: 1."},
    Key{.section = "bonds", .name = "youngs_modulus", .type = number, .unit = "Pa", .range = positive,
        .description = "Young's modulus of the bar. The length of the bar is the distance between the centres of the "
                       "bodies; it bends in its middle, so that a beam needs some of them (one bond has 0.77 of a "
                       "beam's deflection, ten have 0.99). Default: rigid."},
    Key{.section = "bonds", .name = "stiffness_ratio", .type = number, .unit = "1", .range = positive,
        .description = "Young's modulus divided by the shear modulus. For a solid this is 2 (1 + Poisson's ratio). "
                       "Default: 2.5."},
    Key{.section = "bonds", .name = "damping", .type = number, .unit = "1", .range = not_negative,
        .description = "Damping of the bar's springs, as a fraction of the critical damping of the two bodies. "
                       "Default: 0."},
    Key{.section = "bonds", .name = "tensile_strength", .type = number, .unit = "Pa", .range = positive,
        .description = "The bond breaks when the tensile stress at the rim of the bar, F / A + moment_share M r / I, "
                       "reaches this value. F: tensile force, M: bending moment, r, A and I: radius, area and second "
                       "moment of area of the bar. Default: never."},
    Key{.section = "bonds", .name = "shear_strength", .type = number, .unit = "Pa", .range = positive,
        .description = "The bond breaks when the shear stress at the rim of the bar, F / A + moment_share M r / J, "
                       "reaches this value. F: shear force, M: torsional moment, J: polar second moment of area. "
                       "Default: never."},
    Key{.section = "bonds", .name = "moment_share", .type = number, .unit = "1", .range = {.low = 0.0, .high = 1.0},
        .description = "Fraction of the stresses from moments that counts for the strengths. Default: 1."},
    Key{.section = "bonds", .name = "breaking_force", .type = number, .unit = "N", .range = positive,
        .description = "The bond breaks at this force, in any direction. Default: never."},
    Key{.section = "bonds", .name = "breaking_moment", .type = number, .unit = "N m", .range = positive,
        .description = "The bond breaks at this moment, in any direction. Default: never."},

    Key{.section = "events", .name = "name", .type = text,
        .description = "Name in messages and results. Default: `event` and the number of the heading."},
    Key{.section = "events", .name = "quantity", .type = text,
        .description = "Quantity that is checked after each step: any quantity of docs/observables.md except "
                       "wall-clock times. Quantities of the run, for example `time_s`, `kinetic_energy_J` or "
                       "`penetration_max`. Quantities of all bodies or of those in `region`, for example "
                       "`largest_speed_m_s`, `share_at_rest` (with `rest_speed`) or `mass_in_region_kg`. Quantities "
                       "of the object that `boundary`, `part`, `joint`, `opening`, `bonds`, `body` or `model` names, "
                       "for example `force_z_N`."},
    Key{.section = "events", .name = "expression", .type = text,
        .description = "In place of `quantity`: an expression of the time t (s) and of the position x, y, z (m), "
                       "velocity vx, vy, vz (m/s) and angular velocity wx, wy, wz (rad/s) of the body `body`. "
                       "Parameters may be used."},
    Key{.section = "events", .name = "body", .type = integer, .range = {.low = 0.0, .high = 9e15},
        .description = "Number (id) of the body for `quantity` or `expression`. The event does not happen while this "
                       "body does not exist."},
    Key{.section = "events", .name = "other_body", .type = integer, .range = {.low = 0.0, .high = 9e15},
        .description = "Number (id) of a second body for `expression`: ox, oy, oz, ovx, ovy, ovz, owx, owy, owz. In "
                       "periodic cells Scree uses the position of the body itself, not of its nearest image. Example, "
                       "two balls closer than 0.1 m: sqrt((x-ox)^2+(y-oy)^2+(z-oz)^2) - 0.1, with `falls_below = 0`."},
    Key{.section = "events", .name = "boundary", .type = text,
        .description = "Boundary whose force, torque, work or power the event checks. The name of a box means the sum "
                       "over all its walls; `box.+x` means one wall."},
    Key{.section = "events", .name = "part", .type = text,
        .description = "Name of the part to which the quantity belongs, such as `torque_y_N_m`, `travel` or "
                       "`contact_force`."},
    Key{.section = "events", .name = "joint", .type = text,
        .description = "Name of the joint to which the quantity belongs, such as `coordinate` or `motor_force`."},
    Key{.section = "events", .name = "opening", .type = text,
        .description = "Name of the inlet or outlet, or `domain`, to which the quantity belongs: `bodies`, `mass_kg` "
                       "or `steps_without_room`, since the start."},
    Key{.section = "events", .name = "bonds", .type = text,
        .description = "Name of the kind of bonds to which the quantity belongs: `bonds`, `bonds_formed`, "
                       "`bonds_broken`."},
    Key{.section = "events", .name = "model", .type = text,
        .description = "Name of the declarative model to which `quantity` belongs: an input, an output or a recorded "
                       "variable."},
    Key{.section = "events", .name = "region", .type = table,
        .description = "Region in which bodies are counted."},
    Key{.section = "events", .name = "rises_above", .type = number,
        .description = "The event happens when the quantity rises to this value, in the unit of the quantity. Give one "
                       "of `rises_above`, `falls_below` and `crosses`."},
    Key{.section = "events", .name = "falls_below", .type = number,
        .description = "The event happens when the quantity falls to this value. The quantity must have been above "
                       "this value before. For example, a heap that starts at rest has to move first."},
    Key{.section = "events", .name = "crosses", .type = number,
        .description = "The event happens when the quantity reaches this value from either side."},
    Key{.section = "events", .name = "hold", .type = number, .unit = "s", .range = not_negative,
        .description = "Time for which the quantity has to stay beyond the threshold before the event happens."},
    Key{.section = "events", .name = "after", .type = text,
        .description = "Name of an event that has to happen before this one is checked. With `time_s` this one happens "
                       "at once then if its time has passed."},
    Key{.section = "events", .name = "repeats", .type = boolean,
        .description = "The event can happen again, after the quantity has returned to the other side of the "
                       "threshold."},
    Key{.section = "events", .name = "record", .type = boolean,
        .description = "Write the event to events.csv. An event without another action needs this key."},
    Key{.section = "events", .name = "set_velocity", .type = functions, .unit = "m/s",
        .description = "The body of `expression` gets this velocity at once. The expressions can use the same "
                       "variables as `expression`, for example [\"-0.9 * vx\", \"vy\", \"vz\"] for a bounce at a "
                       "wall. The energy balance restarts at this time."},
    Key{.section = "events", .name = "stop", .type = boolean,
        .description = "End the run."},
    Key{.section = "events", .name = "remove", .type = text,
        .description = "Name of a boundary that is removed. Bodies that slept on it wake."},
    Key{.section = "events", .name = "start_motion", .type = text,
        .description = "Name of a part, or of a boundary or bodies with a motion. A motion that waits "
                       "(`motion_waits`) begins, and a stopped motion continues."},
    Key{.section = "events", .name = "stop_motion", .type = text,
        .description = "Name of a part, or of a boundary or bodies with a motion, whose motion stops."},
    Key{.section = "events", .name = "release_part", .type = text,
        .description = "Name of a part that is released: from then on forces move it as its `freedom` allows."},
    Key{.section = "events", .name = "lock_part", .type = text,
        .description = "Name of a part that is locked: it stops at once, and from then on forces do not move it. The energy "
                       "that it loses by this is in no column of the tables."},
    Key{.section = "events", .name = "release_bodies", .type = text,
        .description = "Name of a part whose bodies are released. From then on they move freely. They keep the "
                       "velocity that they had."},
    Key{.section = "events", .name = "start_inlet", .type = text,
        .description = "Name of an inlet that starts. An inlet that waits (`waits`) begins, and a stopped inlet "
                       "continues."},
    Key{.section = "events", .name = "stop_inlet", .type = text,
        .description = "Name of an inlet that stops. No grain enters any more; grains that had to wait enter when it "
                       "starts again."},
    Key{.section = "events", .name = "change_material", .type = names,
        .description = "Bodies of the first material change to the second, with its friction or cohesion. Both "
                       "materials need the same density. Grains that enter later are of the material of their inlet."},
    Key{.section = "events", .name = "form_bonds", .type = text,
        .description = "Name of a kind of bonds that form in the next step, between all bodies that are close enough "
                       "and have no bond of any kind."},
    Key{.section = "events", .name = "gravity", .type = vector, .unit = "m/s^2",
        .description = "Gravity from then on. The potential energy remains that of the scene's own gravity; the work "
                       "of the difference is in `force_work_J`."},
    Key{.section = "events", .name = "output_interval", .type = number, .unit = "s", .range = positive,
        .description = "Simulated time between frames from then on."},

    Key{.section = "measurements", .name = "name", .type = text,
        .description = "Name of its table and its results: letters, digits, - and _. Default: the measure and the "
                       "number of the heading."},
    Key{.section = "measurements", .name = "measure", .type = word, .required = true,
        .words = "quantity|flow|bulk|surface|mixing|residence|pair_correlation|profile|bodies|screening",
        .description = "What is measured (measuring.md)."},
    Key{.section = "measurements", .name = "from", .type = number, .unit = "s",
        .description = "Simulated time at which the measurement begins. Default: the start of the run."},
    Key{.section = "measurements", .name = "until", .type = number, .unit = "s",
        .description = "Simulated time at which the measurement ends. Default: the end of the run."},
    Key{.section = "measurements", .name = "interval", .type = number, .unit = "s", .range = positive,
        .description = "Simulated time between rows. Default: the time between frames. A row ends with the step that "
                       "is nearest to the end of its interval."},
    Key{.section = "measurements", .name = "region", .type = table,
        .forms = "quantity|bulk|surface|mixing|residence|pair_correlation|profile",
        .description = "Region: bodies whose centre is inside count. Default: all bodies; `residence` and `profile` "
                       "need a region. In a periodic [cell] the centre of any image counts."},
    Key{.section = "measurements", .name = "quantities", .type = words, .required = true, .forms = "quantity",
        .description = "Names of observables (observables.md) of one kind: of the run, of bodies in a `region`, of a "
                       "periodic cell, of a machine (with `machine.` before the name), or of the part that `boundary`, "
                       "`part`, `joint`, `opening` or `bonds` names."},
    Key{.section = "measurements", .name = "boundary", .type = text, .forms = "quantity",
        .description = "Boundary to which the quantities belong. For a box: the sum over its walls."},
    Key{.section = "measurements", .name = "part", .type = text, .forms = "quantity",
        .description = "Part to which the quantities belong."},
    Key{.section = "measurements", .name = "joint", .type = text, .forms = "quantity",
        .description = "Joint to which the quantities belong."},
    Key{.section = "measurements", .name = "opening", .type = text, .forms = "quantity|flow",
        .description = "Inlet or outlet to which the quantities, or the flow, belong."},
    Key{.section = "measurements", .name = "bonds", .type = text, .forms = "quantity",
        .description = "Kind of bonds to which the quantities belong."},
    Key{.section = "measurements", .name = "plane", .type = table, .forms = "flow|screening",
        .description = "Plane through which the flow is measured, or plane below a screen. A flow needs this or "
                       "`opening`."},
    Key{.section = "measurements", .name = "over", .type = table, .required = true, .forms = "screening",
        .description = "Plane at the end of the screen. It counts the grains that did not fall through (oversize)."},
    Key{.section = "measurements", .name = "aperture", .type = number, .unit = "m", .required = true, .range = positive,
        .forms = "screening",
        .description = "Grains with a smaller diameter should fall through the screen (undersize). The diameter of a "
                       "grain is the diameter of a sphere with the same volume."},
    Key{.section = "measurements", .name = "by", .type = word, .words = "material|size|place", .forms = "flow|mixing",
        .description = "How grains are divided into kinds: by `material`, by `size` (see `sizes`), or, only for "
                       "`mixing`, by `place`. With `place` the two kinds are the two halves of the bodies along "
                       "`along` when the measurement begins. `mixing` requires this key. A flow through an `opening` "
                       "cannot use it."},
    Key{.section = "measurements", .name = "sizes", .type = numbers, .unit = "m", .range = positive, .forms = "flow|mixing",
        .description = "Increasing diameters that separate the kinds of `by = \"size\"`. The diameter of a body is "
                       "the diameter of a sphere with the same volume."},
    Key{.section = "measurements", .name = "along", .type = vector, .forms = "bulk|surface|mixing|profile",
        .description = "Direction of any non-zero length. Surface: the direction along which the height is measured. "
                       "Profile in a box: the normal of the layers, an axis of the box (in a cylinder: its axis). "
                       "Bulk: direction of the flow, for normal stress differences. Mixing by place: the direction in "
                       "which the two halves lie. Default: [1, 0, 0], or [0, 0, 1] if x is up."},
    Key{.section = "measurements", .name = "up", .type = vector, .forms = "bulk|surface|mixing|bodies",
        .description = "Upward direction. Default: against gravity. For `bulk`: the direction in which the velocity "
                       "of the flow changes (direction of the velocity gradient); without gravity that of the first "
                       "`[[cell.flow]]` that shears, and `along` is the direction of its velocity."},
    Key{.section = "measurements", .name = "centre", .type = vector, .unit = "m", .forms = "surface",
        .description = "A point on the vertical axis of a heap. Scree then measures the height as a function of the "
                       "radius, not along `along`."},
    Key{.section = "measurements", .name = "fit_from", .type = number, .range = fraction, .forms = "surface",
        .description = "Start of the range in which a line is fitted to the surface to get its angle, as a fraction "
                       "of the surface's length. Default: 0.1."},
    Key{.section = "measurements", .name = "fit_to", .type = number, .range = fraction, .forms = "surface",
        .description = "End of this range. Default: 0.9."},
    Key{.section = "measurements", .name = "cell", .type = number, .unit = "m", .range = positive,
        .forms = "surface|mixing|profile|pair_correlation",
        .description = "Width of the bins, cells or layers. Default, in mean diameters of the bodies: 2 for a surface, "
                       "4 for mixing, 1 for a profile, 0.05 for pairs."},
    Key{.section = "measurements", .name = "radius", .type = number, .unit = "m", .range = positive,
        .forms = "pair_correlation",
        .description = "Largest distance of two bodies of a pair. Default: 4 mean diameters."},
    Key{.section = "measurements", .name = "rattlers_below", .type = integer, .range = {.low = 1.0, .high = 100.0},
        .forms = "bulk",
        .description = "A body with fewer contacts than this counts as a rattler. Default: 4, as for frictionless "
                       "spheres. With friction, 2 may be better."},
    Key{.section = "measurements", .name = "bodies", .type = numbers, .required = true, .range = {.low = 0.0, .high = 9e15},
        .forms = "bodies",
        .description = "Numbers of the bodies that are followed."},

    Key{.section = "plane", .name = "point", .type = vector, .unit = "m", .required = true,
        .description = "A point of the plane."},
    Key{.section = "plane", .name = "normal", .type = vector, .required = true,
        .description = "Direction in which bodies count as positive; any non-zero length."},
    Key{.section = "plane", .name = "radius", .type = number, .unit = "m", .range = positive,
        .description = "Radius of a disc about the point: only bodies that cross it count. Default: the whole plane."},
    Key{.section = "over", .name = "point", .type = vector, .unit = "m", .required = true,
        .description = "A point of the plane."},
    Key{.section = "over", .name = "normal", .type = vector, .required = true,
        .description = "Direction in which bodies count as positive; any non-zero length."},
    Key{.section = "over", .name = "radius", .type = number, .unit = "m", .range = positive,
        .description = "Radius of a disc about the point: only bodies that cross it count. Default: the whole plane."},

    Key{.section = "grains", .name = "share", .type = number, .required = true, .range = positive,
        .description = "Share of this kind in the mixture. Shares need not add up to 1."},
    Key{.section = "grains", .name = "material", .type = text,
        .description = "Name of the material. Optional if there is only one."},
    Key{.section = "grains", .name = "semi_axes", .type = vector, .unit = "m", .range = positive,
        .description = "Semi-axes of the ellipsoid. Give this, `radius` or `shape`."},
    Key{.section = "grains", .name = "radius", .type = number, .unit = "m", .range = positive,
        .description = "Radius of a sphere."},
    Key{.section = "grains", .name = "shape", .type = text,
        .description = "Name of a shape of [[shapes]], in place of semi-axes; with `size`."},
    Key{.section = "grains", .name = "size", .type = number, .unit = "m", .range = positive,
        .description = "Length of one unit of the shape."},
    Key{.section = "grains", .name = "scale", .type = table,
        .description = "Distribution of sizes. If omitted, all grains are equal."},
    Key{.section = "orientation", .name = "axis", .type = vector,
        .description = "Axis of the rotation, of any length but zero; with `angle`."},
    Key{.section = "orientation", .name = "angle", .type = number, .unit = "deg",
        .description = "Angle of the rotation about `axis`; positive angles follow the right-hand rule."},
    Key{.section = "orientation", .name = "euler", .type = vector, .unit = "deg",
        .description = "Three rotation angles, in place of `axis` and `angle`. The rotations follow one another about "
                       "the axes of `order`."},
    Key{.section = "orientation", .name = "order", .type = text,
        .description = "Axes of the three rotations. Default: XYZ. Capital letters: about the body's own axes, which "
                       "rotate with the body (intrinsic). Small letters: about the world's axes (extrinsic)."},
};
// clang-format on

}  // namespace

std::span<const SectionInfo> sections() { return section_table; }
std::span<const Key> keys() { return key_table; }

const SectionInfo& section_info(std::string_view section) {
  return *std::find_if(section_table.begin(), section_table.end(),
                       [&](const SectionInfo& info) { return info.name == section; });
}

const Key* find_key(std::string_view section, std::string_view name) {
  const auto found = std::find_if(std::begin(key_table), std::end(key_table),
                                  [&](const Key& key) { return key.section == section && key.name == name; });
  return found == std::end(key_table) ? nullptr : found;
}

std::vector<std::string> key_names(std::string_view section) {
  std::vector<std::string> names;
  for (const Key& key : key_table) {
    if (key.section == section) names.emplace_back(key.name);
  }
  return names;
}

std::vector<std::string> split_words(std::string_view words) {
  std::vector<std::string> split;
  while (!words.empty()) {
    const std::size_t length = std::min(words.find('|'), words.size());
    split.emplace_back(words.substr(0, length));
    words.remove_prefix(std::min(length + 1, words.size()));
  }
  return split;
}

bool has_word(std::string_view words, std::string_view word) {
  const std::vector<std::string> split = split_words(words);
  return std::find(split.begin(), split.end(), word) != split.end();
}

namespace {

struct Renamed {
  std::string_view section, key, before, now;  // of words; of keys `key` is empty
};
constexpr Renamed renamed[] = {
    {"", "", "mounts", "parts"},
    {"shapes", "", "parts", "members"},
    {"boundaries", "", "mount", "part"},
    {"parts", "", "type", "freedom"},
    {"parts", "freedom", "slider", "along"},
    {"parts", "freedom", "hinge", "about"},
    {"parts", "freedom", "free", "all"},
    {"inputs", "", "mount", "part"},
    {"inputs", "", "bodies", "part"},
    {"events", "", "mount", "part"},
    {"events", "", "bodies", "part"},
    {"events", "", "release_mount", "release_part"},
    {"events", "", "lock_mount", "lock_part"},
    {"bodies", "", "held", "fixed"},
    {"bonds", "", "young_modulus", "youngs_modulus"},
    {"solver", "kind", "per_body", "gauss_seidel"},
    {"solver", "kind", "per_contact", "nsgs"},
    {"solver", "kind", "consensus", "admm"},
};

std::string_view new_name(std::string_view section, std::string_view key, std::string_view before) {
  for (const Renamed& r : renamed)
    if (r.section == section && r.key == key && r.before == before) return r.now;
  return {};
}

}  // namespace

std::string_view renamed_key(std::string_view section, std::string_view name) {
  return new_name(section, "", name);
}

std::string_view renamed_word(const Key& key, std::string_view word) {
  return new_name(key.section, key.name, word);
}

std::string to_string(const Range& range) {
  const bool below = std::isfinite(range.low), above = std::isfinite(range.high);
  if (below && above && range.low_open) return fmt::format("> {}, <= {}", range.low, range.high);
  if (below && above) return fmt::format("{} to {}", range.low, range.high);
  if (below) return fmt::format("{} {}", range.low_open ? ">" : ">=", range.low);
  if (above) return fmt::format("<= {}", range.high);
  return "";
}

}  // namespace scree::io
