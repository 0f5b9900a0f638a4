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
    SectionInfo{
        "parameters", "[parameters]", true, "",
        "Numbers and texts under names of your own, for use in expressions. Change one for a run with "
        "`--set name=value`."},
    SectionInfo{"solver", "[solver]", false, "",
                "How contact impulses are found. Every key may be left out."},
    SectionInfo{"sleep", "[sleep]", false, "",
                "Whether bodies at rest are left out of steps. A sleeper stays where it is until what it "
                "feels of its "
                "neighbours changes; what sleep takes from energy and momentum is in the balances "
                "(model.md, Sleep). Not with the solvers `admm` and `one_pass`."},
    SectionInfo{"checks", "[checks]", false, "", "How strictly the initial state is looked at."},
    SectionInfo{"output", "[output]", false, "", "What a run writes."},
    SectionInfo{
        "checkpoints", "[checkpoints]", false, "",
        "When a run writes a checkpoint, for `scree run --resume`: whichever reason comes first. One is "
        "written at the start and at the end in any case, also where a run is interrupted."},
    SectionInfo{"materials", "[[materials]]", false, "",
                "One heading a material. The coefficients are those of two bodies of this same material."},
    SectionInfo{
        "material_pairs", "[[material_pairs]]", false, "",
        "One heading a pair of materials whose coefficients are known. A coefficient that is not given, "
        "here or for a pair without a heading, follows from the two materials: the geometric mean of the "
        "three frictions (a frictionless material stays frictionless against all) and of what attracts, the "
        "mean angle, the smaller restitution (the partner that bounces less decides)."},
    SectionInfo{"friction_patches", "[[friction_patches]]", false, "",
                "One heading a place of a material's surface where friction differs. Where patches overlap "
                "their factors multiply."},
    SectionInfo{
        "shapes", "[[shapes]]", false, "",
        "One heading a shape that is no ellipsoid: F(x) + sum f_i R_i(x) >= 0 is inside, with F a base "
        "quadric and R_i the square of another one where that is positive (model.md, Functionally "
        "defined bodies). Lengths are in units of the shape; `size` of a body says what a unit is. The "
        "body's axes are the principal ones through its centre of mass, whatever the function's are. "
        "Those in scenes/shapes, and how to make one of a scanned grain: shapes.md."},
    SectionInfo{"perturbations", "[[shapes.perturbations]]", false, "type", "One heading a bump or a dent."},
    SectionInfo{
        "members", "[[shapes.members]]", false, "",
        "One heading an ellipsoid of a clump: a rigid body that is the union of its members, of which what "
        "several share counts once. Its origin is where the members say; a body's position is its centre of "
        "mass."},
    SectionInfo{
        "bodies", "[[bodies]]", false, "generate",
        "One heading a body, a table of bodies, or a generated group. Form `single` is taken when neither "
        "`table` nor `generate` is given."},
    SectionInfo{"orientation", "orientation = {...}", false, "",
                "A rotation in degrees, wherever a key takes a quaternion: by axis and angle, or by Euler "
                "angles."},
    SectionInfo{
        "region", "region = {...}", false, "type",
        "Part of [[bodies]] with `generate` and of [[inlets]]: every body that is made lies inside with all "
        "of its volume. Part of [[events]]: bodies count whose centre is inside. In a periodic [cell] that "
        "is "
        "the centre of any image, and grains stick out of a box that is as wide as the cell."},
    SectionInfo{
        "scale", "scale = {...}", false, "distribution",
        "Part of [[bodies]] with `generate` and of [[inlets]]: a random factor on the three semi-axes of "
        "every body. Mean, deviation and characteristic size are those before the distribution is cut off at "
        "`low` and `high`."},
    SectionInfo{
        "inlets", "[[inlets]]", false, "",
        "One heading a place where grains come in, at a rate, as long as there is room: what has to "
        "wait is made up for later. `openings.csv` has what came, step by step. In a periodic [cell], "
        "one that holds no stress, they overlap no image either; in one that flows they go with it."},
    SectionInfo{"grains", "[[inlets.grains]]", false, "",
                "Each heading describes one kind of grain of an inlet's mixture: its share, its material, its "
                "shape and its sizes."},
    SectionInfo{"outlets", "[[outlets]]", false, "type",
                "One heading a place that takes bodies out when their centre is in it, and counts them; in a "
                "periodic [cell] when that of any of their images is."},
    SectionInfo{"domain", "[domain]", false, "",
                "A box that the centres of bodies are to stay in, and what happens to those that do not. "
                "Without it they fly on. It ends nowhere along what a periodic [cell] repeats."},
    SectionInfo{
        "cell", "[cell]", false, "",
        "A cell without walls: all in it repeats itself along some directions for ever. Walls in it are "
        "planes along these. cell.csv has its stress, fabric and granular temperature: stresses are positive "
        "in compression, and xy is the force along x that is handed on across planes whose normal is y, so "
        "that a flow `gradient_x = [0, 10, 0]` has a negative stress_xy."},
    SectionInfo{
        "flow", "[[cell.flow]]", false, "",
        "One heading a homogeneous flow that shears, squeezes or stretches the cell for a while, along its "
        "periodic directions; one after the other. Where it begins, between two steps or within one, all "
        "bodies get the velocity of their places."},
    SectionInfo{"boundaries", "[[boundaries]]", false, "type",
                "One heading an obstacle, which stands still, or is carried by a part. With a motion of its "
                "own it is a "
                "part of its name."},
    SectionInfo{"parts", "[[parts]]", false, "freedom",
                "One heading a rigid part of the apparatus, which carries boundaries and bodies as one "
                "piece: a drum, a "
                "conveyor, a piston, a plate with a load, a wall that holds a pressure, a paddle that turns "
                "freely. It "
                "moves as its motions prescribe and, beyond that, as forces move it: not at all, along a "
                "direction, about "
                "an axis, or in every way that its joints let it. Forces and speeds are positive along the "
                "direction. "
                "parts.csv has what touches it, and what it does."},
    SectionInfo{
        "joints", "[[joints]]", false, "type",
        "One heading a joint between two of a machine: parts with all freedoms, parts that move as is "
        "prescribed, bodies, and the ground. Places and directions are those at the start, where the joint's "
        "coordinate "
        "(its "
        "angle, travel, or change of length) is 0. joints.csv has coordinates, reactions, forces and works, "
        "machine.csv the energy of parts with all freedoms."},
    SectionInfo{"models", "[[models]]", false, "",
                "One heading a declarative model (docs/models.md), equations that drive motors of joints and "
                "look at the "
                "machine and the grains: an electric motor and its controller, a hydraulic circuit. "
                "models.csv has its inputs, "
                "what motors take, and what is recorded. Left out where the program is built without "
                "declarative models."},
    SectionInfo{"inputs", "[[models.inputs]]", false, "",
                "One heading an input of the model (`input Real w;`) and what it is: rates and coordinates "
                "at the end of each "
                "step, forces as means of it."},
    SectionInfo{"motor", "[joints.motor]", false, "",
                "What drives the coordinate of a joint, at a speed, to a place, or with a force; `value`, "
                "`function`, "
                "`table` and what a model says add up."},
    SectionInfo{"motion", "[[parts.motion]], [[boundaries.motion]], [[bodies.motion]]", false, "type",
                "One heading a motion. Several are stacked: each carries the ones after it, as a carriage "
                "does a screw. Positions are functions of time alone and do not drift; what is given is "
                "added up."},
    SectionInfo{"fields", "[[fields]]", false, "",
                "One heading a field of force; they add up. Their work is in `force_work_J`."},
    SectionInfo{"fluid", "[fluid]", false, "",
                "A fluid that fills all space and that bodies do not change. Each body, whatever its shape, "
                "feels what the sphere of its volume would, in its centre; nothing turns it. Its work is in "
                "`force_work_J`."},
    SectionInfo{
        "bonds", "[[bonds]]", false, "",
        "One heading a kind of bonds: round bars that glue bodies together which nearly touch, rigid or "
        "elastic, until they break. Where two bodies are glued they have no contact. bonds.csv has when "
        "each formed and broke."},
    SectionInfo{
        "events", "[[events]]", false, "",
        "One heading an event: a quantity crosses a threshold, and at the end of that step, between two "
        "steps and at that very time, all of its actions are done. events.csv lists what happened."},
    SectionInfo{
        "measurements", "[[measurements]]", false, "measure",
        "One heading a measurement (measuring.md): a table of its own, measured_NAME.csv, and means with "
        "errors in measurements.json. `scree measure` takes the same headings for runs that are recorded."},
    SectionInfo{"plane", "plane = {...}", false, "",
                "Part of [[measurements]]: what is counted are bodies whose centre goes through it along its "
                "normal, less those that come back."},
    SectionInfo{"over", "over = {...}", false, "",
                "Part of [[measurements]] with `screening`: a plane that grains go through which stay on the "
                "screen to its end."},
};

// One key in a few lines: as a table it can be compared by eye.
// clang-format off
constexpr Key key_table[] = {
    Key{.section = "", .name = "name", .type = text,
        .description = "Name of the run; the file's name without its ending if left out."},
    Key{.section = "", .name = "description", .type = text,
        .description = "What the scene shows."},
    Key{.section = "", .name = "origin", .type = vector, .unit = "m",
        .description = "Subtracted from all coordinates in trajectory.h5, in files for ParaView, and so in exports and "
                       "pictures. Their numbers are in single precision: far from (0, 0, 0), as map coordinates are, they "
                       "do not tell grains apart. The scene itself, tables (CSV) and checkpoints keep its coordinates."},
    Key{.section = "", .name = "gravity", .type = vector, .unit = "m/s^2",
        .description = "Acceleration of free fall."},
    Key{.section = "", .name = "time_step", .type = number, .unit = "s", .range = positive,
        .words = "adaptive",
        .description = "Simulated time of one step. `adaptive`: as long as speeds, overlaps and residuals allow "
                       "(docs/model.md, A6), with frames and the end exactly at their times."},
    Key{.section = "", .name = "largest_time_step", .type = number, .unit = "s", .range = positive,
        .description = "Longest of adaptive steps."},
    Key{.section = "", .name = "least_time_step", .type = number, .unit = "s", .range = positive,
        .description = "Shortest of adaptive steps; only what is left until a frame may be shorter."},
    Key{.section = "", .name = "time_step_overlap", .type = number,
        .range = {.low = 0.0, .high = 0.1, .low_open = true},
        .description = "Accuracy of adaptive steps: the overlap beyond `solver.correction_slop` that they aim at, as a "
                       "fraction of the smaller body's smallest semi-axis. Steps go with its square root."},
    Key{.section = "", .name = "steps_per_impact", .type = number, .range = {.low = 0.0, .high = 1e4},
        .description = "Adaptive steps are so short that the shortest impact that materials with `youngs_modulus` or "
                       "`stiffness` could have at the bodies' speeds takes as many; 10 resolve it, 50 to 1 %. 0: no matter."},
    Key{.section = "", .name = "substeps", .type = integer, .range = {.low = 1.0, .high = 1000.0},
        .description = "Parts of a step in which the contacts found at its start are solved anew."},
    Key{.section = "", .name = "sort_interval", .type = integer, .range = {.low = 0.0, .high = 1e9},
        .description = "Steps after which bodies that are close are put close in memory again; 0: never. Results "
                       "list bodies in their own order all the same."},
    Key{.section = "", .name = "stepping", .type = word, .words = "contacts|piecewise",
        .description = "`contacts` are solved once a step, whenever in it bodies meet. `piecewise` finds every impact at "
                       "its instant, so that nobody ever overlaps, and advances only those by contacts who lie on "
                       "others: for what is dilute, and for reference (docs/piecewise.md)."},
    Key{.section = "", .name = "most_impacts", .type = integer, .range = {.low = 0.0, .high = 1e9},
        .description = "Of piecewise steps, in one step, so that its work is bounded, for real time: a step that would have more is "
                       "made by contacts as a whole, and counted in the column `overran` of steps.csv. 0: any number."},
    Key{.section = "", .name = "end_time", .type = number, .unit = "s", .range = not_negative,
        .description = "Simulated time at which the run ends, at the latest."},
    Key{.section = "", .name = "until", .type = word, .words = "end time|at rest",
        .description = "`at rest` ends the run as soon as no body's surface has been faster than `rest_speed` for "
                       "`rest_duration` and since the last event; `end_time` is then the longest time."},
    Key{.section = "", .name = "rest_speed", .type = number, .unit = "m/s", .range = positive,
        .description = "A body whose surface is not faster is at rest: the speed of its centre plus its largest radius "
                       "times its rate of turning. Left out, a tenth of |gravity| * time_step."},
    Key{.section = "", .name = "rest_duration", .type = number, .unit = "s", .range = not_negative,
        .description = "For how long all bodies have to be at rest for the run to end."},
    Key{.section = "", .name = "restitution_threshold", .type = number, .unit = "m/s", .range = not_negative,
        .description = "Impacts slower than this do not bounce."},
    Key{.section = "", .name = "restitution_law", .type = word, .words = "dissipative|newton|energetic",
        .description = "`newton` bounds the separation speed by the approach speed within the step's solution; "
                       "`dissipative` is the same as far as that creates no energy, which friction makes it do in "
                       "some impacts, and bounces less high there; "
                       "`energetic` resolves impacts one round after another and gives back the restitution's square "
                       "of the work of each: it never creates energy, however many bodies meet at once."},
    Key{.section = "", .name = "seed", .type = integer, .fallback = "0", .range = seeds,
        .description = "Start of all random numbers; the same seed gives the same scene, bit for bit."},
    Key{.section = "", .name = "parameters", .type = table,
        .description = "Named numbers and texts."},
    Key{.section = "", .name = "solver", .type = table,
        .description = "How contact impulses are found."},
    Key{.section = "", .name = "sleep", .type = table,
        .description = "Whether bodies at rest are left out of steps."},
    Key{.section = "", .name = "checks", .type = table,
        .description = "How strictly the initial state is looked at."},
    Key{.section = "", .name = "output", .type = table,
        .description = "What a run writes."},
    Key{.section = "", .name = "checkpoints", .type = table,
        .description = "When a run writes checkpoints."},
    Key{.section = "", .name = "materials", .type = tables, .required = true,
        .description = "Materials."},
    Key{.section = "", .name = "material_pairs", .type = tables,
        .description = "Pairs of materials."},
    Key{.section = "", .name = "friction_patches", .type = tables,
        .description = "Places where friction differs."},
    Key{.section = "", .name = "shapes", .type = tables,
        .description = "Shapes that are no ellipsoids."},
    Key{.section = "", .name = "bodies", .type = tables,
        .description = "Moving bodies; at least one heading of these or of [[inlets]]."},
    Key{.section = "", .name = "inlets", .type = tables,
        .description = "Where grains come in."},
    Key{.section = "", .name = "outlets", .type = tables,
        .description = "Where bodies are taken out."},
    Key{.section = "", .name = "domain", .type = table,
        .description = "Where bodies are to stay."},
    Key{.section = "", .name = "boundaries", .type = tables,
        .description = "Obstacles."},
    Key{.section = "", .name = "cell", .type = table,
        .description = "Where space repeats itself."},
    Key{.section = "", .name = "bonds", .type = tables,
        .description = "What glues bodies together until it breaks."},
    Key{.section = "", .name = "parts", .type = tables,
        .description = "What carries boundaries and bodies."},
    Key{.section = "", .name = "joints", .type = tables,
        .description = "What holds parts of machines together and drives them."},
    Key{.section = "", .name = "models", .type = tables,
        .description = "Equations that drive machines."},
    Key{.section = "", .name = "gravity_function", .type = functions, .unit = "m/s^2",
        .description = "In place of `gravity`, what turns or oscillates: expressions of the time t (s), such as "
                       "[\"9.81 * sin(t)\", 0, \"-9.81 * cos(t)\"]. The potential energy is that of gravity at t = 0; what "
                       "it does beyond that is in `force_work_J`."},
    Key{.section = "", .name = "fields", .type = tables,
        .description = "Forces on all bodies."},
    Key{.section = "", .name = "fluid", .type = table,
        .description = "What bodies are in."},
    Key{.section = "", .name = "events", .type = tables,
        .description = "What is to happen when something else has."},
    Key{.section = "", .name = "measurements", .type = tables,
        .description = "What is to be measured."},

    Key{.section = "solver", .name = "kind", .type = word, .words = "gauss_seidel|nsgs|admm|one_pass",
        .description = "`gauss_seidel` sweeps over the bodies until the residual is small; `nsgs` does so with "
                       "the exact solution of each contact; `admm` treats all bodies at once; `one_pass` "
                       "is the seed method, a fixed amount of work."},
    Key{.section = "solver", .name = "max_sweeps", .type = integer, .range = {.low = 1.0, .high = 1e6},
        .description = "Most sweeps a step; each visits every contact once."},
    Key{.section = "solver", .name = "tolerance", .type = number, .range = positive,
        .description = "Sweeps end when the residual falls below this times a velocity: |gravity| * time_step plus what "
                        "contacts have to change in the step (docs/model.md, A4)."},
    Key{.section = "solver", .name = "give_way", .type = boolean,
        .description = "May contacts of `gauss_seidel` give a little where sweeps would not end, as in jammed "
                       "packings (docs/model.md, P5)? By how much is told (`given_rms_m_s`); where nothing "
                       "changes nothing gives."},
    Key{.section = "solver", .name = "warm_start", .type = boolean,
        .description = "Begin with the impulses of the last step."},
    Key{.section = "solver", .name = "friction_cone", .type = word, .words = "exact|sampled",
        .description = "Admissible friction: Coulomb's smooth cone, or the convex hull of sampled tangents (not "
                       "with `admm`)."},
    Key{.section = "solver", .name = "friction_samples", .type = integer, .range = {.low = 3.0, .high = 1024.0},
        .description = "Tangents of a contact's sampled friction cone."},
    Key{.section = "solver", .name = "position_correction", .type = word, .words = "split|biased",
        .description = "`split` moves overlapping bodies apart by pseudo-velocities; `biased` lets a solution with a "
                       "bias move the bodies and one without give them their velocity, made for many `substeps`."},
    Key{.section = "solver", .name = "biased_sweeps", .type = integer, .range = {.low = 1.0, .high = 1e6},
        .description = "Sweeps of the biased solution of a substep; `max_sweeps` is for `split`."},
    Key{.section = "solver", .name = "unbiased_sweeps", .type = integer, .range = {.low = 1.0, .high = 1e6},
        .description = "Sweeps of the unbiased solution of a substep."},
    Key{.section = "solver", .name = "correction_fraction", .type = number, .range = fraction,
        .description = "Part of an overlap that position correction removes in a step."},
    Key{.section = "solver", .name = "correction_slop", .type = number, .range = not_negative,
        .description = "Overlap left alone, as a fraction of the smaller body's smallest semi-axis."},
    Key{.section = "solver", .name = "correction_speed", .type = number, .unit = "m/s", .range = not_negative,
        .description = "Fastest position correction."},
    Key{.section = "solver", .name = "correction_sweeps", .type = integer, .range = {.low = 0.0, .high = 1e6},
        .description = "Sweeps of position correction a step."},

    Key{.section = "sleep", .name = "speed", .type = number, .unit = "m/s", .range = not_negative,
        .description = "A body whose surface is slower than this is still; 0: nobody ever sleeps."},
    Key{.section = "sleep", .name = "duration", .type = number, .unit = "s", .range = not_negative,
        .description = "A body that touches others and has been still for so long falls asleep."},
    Key{.section = "sleep", .name = "tolerance", .type = number, .range = {.low = 0.0, .high = 1.0, .low_open = true},
        .description = "A sleeper wakes when its contacts and weight would give its surface more than this times "
                       "|gravity| * time_step in a step (without gravity: times `speed`)."},

    Key{.section = "checks", .name = "max_initial_overlap", .type = number, .range = not_negative,
        .description = "Deepest overlap of two bodies, or of a body and a boundary, that a scene may start"
                       " with, as a fraction of the smaller body's smallest semi-axis."},

    Key{.section = "checks", .name = "ledger_tolerance", .type = number, .range = positive,
        .description = "Ends the run as failed when the energy that nothing accounts for, or that was created "
                       "beyond the work done on the bodies, exceeds this fraction of the energy turned over so "
                       "far; not looked at if left out."},

    Key{.section = "output", .name = "interval", .type = number, .unit = "s", .range = positive,
        .description = "Simulated time between frames."},
    Key{.section = "output", .name = "fields", .type = words, .words = "asleep|bonds|fragment|kinetic_energy|overlap",
        .description = "What a frame holds of every body beyond its pose and velocity."},
    Key{.section = "output", .name = "hdf5", .type = boolean,
        .description = "Write trajectory.h5."},
    Key{.section = "output", .name = "vtk", .type = boolean,
        .description = "Write a VTK series for ParaView."},
    Key{.section = "output", .name = "contacts", .type = boolean,
        .description = "Frames hold the contacts too."},
    Key{.section = "output", .name = "significant_bits", .type = integer, .range = {.low = 8.0, .high = 24.0},
        .description = "Of the numbers in frames: 24 keeps all of single precision, fewer make smaller files; an error of "
                       "2^-bits of each number."},
    Key{.section = "output", .name = "contacts_interval", .type = number, .unit = "s", .range = not_negative,
        .description = "Simulated time between frames that hold contacts; 0 writes them with every frame."},
    Key{.section = "output", .name = "impacts", .type = boolean,
        .description = "impacts.csv: every impact of piecewise steps, with its instant, impulses, and positions and velocities of both "
                       "before and after. Films follow the motion exactly then (`scree render --film`)."},
    Key{.section = "output", .name = "wall_cells", .type = number, .unit = "m", .range = positive,
        .description = "Sum up what walls feel place by place: pressure, shear, friction, impacts and wear of cells with edges of at most "
                       "this. Triangles of meshes that are smaller are cells. Nothing is summed up if left out."},
    Key{.section = "output", .name = "wall_cells_interval", .type = number, .unit = "s", .range = not_negative,
        .description = "Simulated time between frames that hold what walls felt, and over which pressures are means; 0 writes it with every "
                       "frame. A twentieth of `end_time` if left out."},
    Key{.section = "output", .name = "stage_table", .type = boolean,
        .description = "At the end, print bodies in collision, contacts and the times of the four stages at a dozen "
                       "moments, as `--stage-table` does."},

    Key{.section = "checkpoints", .name = "wall_time", .type = number, .unit = "s", .range = not_negative,
        .description = "Wall time after which one is written; 0: not for this reason."},
    Key{.section = "checkpoints", .name = "interval", .type = number, .unit = "s", .range = not_negative,
        .description = "Simulated time after which one is written; 0: not for this reason."},
    Key{.section = "checkpoints", .name = "steps", .type = integer, .range = {.low = 0.0, .high = 1e9},
        .description = "Steps after which one is written; 0: not for this reason."},
    Key{.section = "checkpoints", .name = "keep", .type = integer, .range = {.low = 0.0, .high = 1000.0},
        .description = "How many checkpoints stay, the newest; 0: none is written."},

    Key{.section = "materials", .name = "name", .type = text, .required = true,
        .description = "Name to refer to it by."},
    Key{.section = "materials", .name = "density", .type = number, .unit = "kg/m^3", .required = true,
        .range = positive,
        .description = "Mass per volume."},
    Key{.section = "materials", .name = "friction", .type = number, .range = not_negative,
        .description = "Coulomb's coefficient of sliding friction."},
    Key{.section = "materials", .name = "torsional_friction", .type = number, .unit = "m", .range = not_negative,
        .description = "Largest torque about the normal over the normal force."},
    Key{.section = "materials", .name = "rolling_friction", .type = number, .unit = "m", .range = not_negative,
        .description = "Largest torque across the normal over the normal force."},
    Key{.section = "materials", .name = "restitution", .type = number, .range = fraction,
        .description = "Coefficient of restitution: 0 does not bounce, 1 keeps the energy."},
    Key{.section = "materials", .name = "adhesion_energy", .type = number, .unit = "J/m^2", .range = not_negative,
        .description = "W of surfaces that stick: contacts bear tension up to 3/2 pi W R (JKR), R the radius of the gap, of "
                       "two balls a b/(a + b)."},
    Key{.section = "materials", .name = "surface_tension", .type = number, .unit = "N/m", .range = not_negative,
        .description = "gamma of a liquid that makes bridges of `bridge_volume` between surfaces that are near."},
    Key{.section = "materials", .name = "wetting_angle", .type = number, .unit = "deg",
        .range = {.low = 0.0, .high = 89.0}, .description = "Between the liquid and the surface; 0 if left out."},
    Key{.section = "materials", .name = "bridge_volume", .type = number, .unit = "m^3", .range = not_negative,
        .description = "Of the liquid in a bridge. It pulls with 4 pi R gamma cos(angle) in touch, less the wider the gap, "
                       "and breaks at (1 + angle/2) cbrt(volume)."},
    Key{.section = "materials", .name = "youngs_modulus", .type = number, .unit = "Pa", .range = not_negative,
        .description = "Contacts give as Hertz's do, with the forces along surfaces of Mindlin's kind. Rigid if left out. Of two materials compliances add up."},
    Key{.section = "materials", .name = "poisson_ratio", .type = number, .range = {.low = 0.0, .high = 0.5},
        .description = "Of what gives: tangential over normal stiffness is 2 (1 - nu)/(2 - nu). 0.3 if left out."},
    Key{.section = "materials", .name = "stiffness", .type = number, .unit = "N/m", .range = not_negative,
        .description = "In place of `youngs_modulus`: the force of a contact over its overlap. Of two materials the smaller one."},
    Key{.section = "materials", .name = "wear_coefficient", .type = number, .range = not_negative,
        .description = "k of Archard's law: a wall of this material loses k F s / `hardness` of its volume where a force F slides by s."},
    Key{.section = "materials", .name = "hardness", .type = number, .unit = "Pa", .range = positive,
        .description = "H of Archard's law."},
    Key{.section = "materials", .name = "impact_wear", .type = number, .unit = "m^3/J", .range = not_negative,
        .description = "Volume that a wall of this material loses by the energy of impacts along the normal."},

    Key{.section = "materials", .name = "friction_factors", .type = vector, .range = not_negative,
        .description = "Factors on friction along the body's own x, y and z (a boundary's: the world's): grain, "
                       "grooves, scales. The smaller coefficient of a tangent plane is at least a thousandth of "
                       "the larger."},

    Key{.section = "friction_patches", .name = "material", .type = text, .required = true,
        .description = "Name of the material."},
    Key{.section = "friction_patches", .name = "centre", .type = vector, .unit = "m", .required = true,
        .description = "Middle of the patch, in the body's own axes (a boundary's: the world's)."},
    Key{.section = "friction_patches", .name = "radius", .type = number, .unit = "m", .required = true,
        .range = not_negative,
        .description = "Contacts nearer to the middle have the factor."},
    Key{.section = "friction_patches", .name = "edge", .type = number, .unit = "m", .range = not_negative,
        .description = "Width over which the factor goes back to one, linearly."},
    Key{.section = "friction_patches", .name = "factor", .type = number, .required = true, .range = not_negative,
        .description = "Factor on the sliding, torsional and rolling coefficients of all the material's pairs."},

    Key{.section = "material_pairs", .name = "materials", .type = names, .required = true,
        .description = "Names of the two materials."},
    Key{.section = "material_pairs", .name = "friction", .type = number, .range = not_negative,
        .description = "Coulomb's coefficient of sliding friction."},
    Key{.section = "material_pairs", .name = "torsional_friction", .type = number, .unit = "m", .range = not_negative,
        .description = "Largest torque about the normal over the normal force."},
    Key{.section = "material_pairs", .name = "rolling_friction", .type = number, .unit = "m", .range = not_negative,
        .description = "Largest torque across the normal over the normal force."},
    Key{.section = "material_pairs", .name = "restitution", .type = number, .range = fraction,
        .description = "Coefficient of restitution: 0 does not bounce, 1 keeps the energy."},
    Key{.section = "material_pairs", .name = "adhesion_energy", .type = number, .unit = "J/m^2", .range = not_negative,
        .description = "W of surfaces that stick: contacts bear tension up to 3/2 pi W R (JKR), R the radius of the gap, of "
                       "two balls a b/(a + b)."},
    Key{.section = "material_pairs", .name = "surface_tension", .type = number, .unit = "N/m", .range = not_negative,
        .description = "gamma of a liquid that makes bridges of `bridge_volume` between surfaces that are near."},
    Key{.section = "material_pairs", .name = "wetting_angle", .type = number, .unit = "deg",
        .range = {.low = 0.0, .high = 89.0}, .description = "Between the liquid and the surface; 0 if left out."},
    Key{.section = "material_pairs", .name = "bridge_volume", .type = number, .unit = "m^3", .range = not_negative,
        .description = "Of the liquid in a bridge. It pulls with 4 pi R gamma cos(angle) in touch, less the wider the gap, "
                       "and breaks at (1 + angle/2) cbrt(volume)."},
    Key{.section = "material_pairs", .name = "youngs_modulus", .type = number, .unit = "Pa", .range = not_negative,
        .description = "Contacts give as Hertz's do, with the forces along surfaces of Mindlin's kind, as between two of one material of this modulus."},
    Key{.section = "material_pairs", .name = "poisson_ratio", .type = number, .range = {.low = 0.0, .high = 0.5},
        .description = "Of what gives: tangential over normal stiffness is 2 (1 - nu)/(2 - nu). 0.3 if left out."},
    Key{.section = "material_pairs", .name = "stiffness", .type = number, .unit = "N/m", .range = not_negative,
        .description = "In place of `youngs_modulus`: the force of a contact over its overlap."},

    Key{.section = "shapes", .name = "name", .type = text,
        .description = "Name that bodies call it by; not in a file of its own."},
    Key{.section = "shapes", .name = "file", .type = text,
        .description = "File of the shape, relative to the scene's folder: a .toml file with the keys of this heading, or "
                       "the spheres of a clump, one a line: x, y, z and the radius."},
    Key{.section = "shapes", .name = "base", .type = word, .fallback = "\"ellipsoid\"",
        .words = "ellipsoid|paraboloid|cone|hyperboloid|two_sheets",
        .description = "The base quadric, with r^2 = x^2/a^2 + y^2/b^2 and a, b, c the semi-axes: 1 - r^2 - z^2/c^2; "
                       "1 - z/c - r^2; (1 - z/c)^2 - r^2; 1 + z^2/c^2 - r^2; (2 + z/c)^2 - 1 - r^2. The first is closed; "
                       "the others are for perturbations to close."},
    Key{.section = "shapes", .name = "semi_axes", .type = vector, .range = not_negative,
        .description = "Of the base quadric; 0: endless along that axis."},
    Key{.section = "shapes", .name = "perturbations", .type = tables,
        .description = "Bumps and dents."},
    Key{.section = "shapes", .name = "members", .type = tables,
        .description = "In place of `base`, `semi_axes` and `perturbations`: the ellipsoids of a clump, up to 64. Clumps "
                       "and shapes that are given by functions cannot be in one scene yet."},

    Key{.section = "members", .name = "semi_axes", .type = vector, .range = positive,
        .description = "Of the ellipsoid, along its own x, y and z, in units of the shape. This or `radius`."},
    Key{.section = "members", .name = "radius", .type = number, .range = positive,
        .description = "A sphere: short for three equal semi-axes."},
    Key{.section = "members", .name = "position", .type = vector, .fallback = "[0, 0, 0]",
        .description = "Of its centre."},
    Key{.section = "members", .name = "orientation", .type = orientation, .words = "aligned",
        .description = "Unit quaternion [w, x, y, z] of its axes; `aligned` if left out."},

    Key{.section = "perturbations", .name = "type", .type = word, .required = true, .words = "ellipsoid|plane",
        .description = "Q = 1 - |x/semi_axes|^2 about `centre`, or the distance from a plane."},
    Key{.section = "perturbations", .name = "weight", .type = number, .required = true,
        .description = "f of f Q^2 where Q >= 0: a bump where positive, a dent where negative."},
    Key{.section = "perturbations", .name = "semi_axes", .type = vector, .required = true, .range = not_negative,
        .forms = "ellipsoid", .description = "0: endless along that axis."},
    Key{.section = "perturbations", .name = "centre", .type = vector, .fallback = "[0, 0, 0]", .forms = "ellipsoid",
        .description = "Of the ellipsoid."},
    Key{.section = "perturbations", .name = "orientation", .type = orientation, .words = "aligned", .forms = "ellipsoid",
        .description = "Unit quaternion [w, x, y, z] of the ellipsoid's axes; `aligned` if left out."},
    Key{.section = "perturbations", .name = "outside", .type = boolean, .fallback = "false", .forms = "ellipsoid",
        .description = "Take -Q: what lies outside of the ellipsoid. With a negative weight it closes a base that is "
                       "endless, with rounded edges."},
    Key{.section = "perturbations", .name = "point", .type = vector, .required = true, .forms = "plane",
        .description = "Any point of the plane."},
    Key{.section = "perturbations", .name = "normal", .type = vector, .required = true, .forms = "plane",
        .description = "Points to where Q is positive; any length but zero."},

    Key{.section = "bodies", .name = "generate", .type = word, .words = "lattice|random|dense",
        .description = "Makes `count` bodies in `region`: on a grid, or one after the other at random "
                       "places where they overlap neither each other nor bodies of earlier headings nor boundaries "
                       "as these stand at the start."},
    Key{.section = "bodies", .name = "table", .type = text, .forms = "table",
        .description = "CSV or HDF5 file of bodies, relative to the scene's folder; see below."},
    Key{.section = "bodies", .name = "material", .type = text,
        .description = "Name of the material; may be left out if there is only one."},
    Key{.section = "bodies", .name = "semi_axes", .type = vector, .unit = "m", .range = positive,
        .description = "The ellipsoid's semi-axes along its own x, y and z. This or `radius`; a table may "
                       "bring its own."},
    Key{.section = "bodies", .name = "radius", .type = number, .unit = "m", .range = positive,
        .description = "A sphere: short for three equal semi-axes."},
    Key{.section = "bodies", .name = "shape", .type = text,
        .description = "Name of a shape of [[shapes]], in place of semi-axes; with `size`."},
    Key{.section = "bodies", .name = "size", .type = number, .unit = "m", .range = positive,
        .description = "What one unit of length of the shape is."},
    Key{.section = "bodies", .name = "position", .type = vector, .unit = "m", .required = true, .forms = "single",
        .description = "Centre of mass."},
    Key{.section = "bodies", .name = "orientation", .type = orientation, .words = "random|aligned",
        .forms = "single|lattice|random|dense",
        .description = "Unit quaternion [w, x, y, z] from the body's axes to the world's; `aligned` is [1,"
                       " 0, 0, 0]. Left out: `aligned` for a single body, `random` for generated ones."},
    Key{.section = "bodies", .name = "orientation_spread", .type = number, .unit = "deg",
        .range = {.low = 0.0, .high = 180.0}, .forms = "lattice|random|dense",
        .description = "Generated bodies are turned out of `orientation` by rotation vectors whose components are normal "
                       "with this standard deviation."},
    Key{.section = "bodies", .name = "velocity", .type = vector, .unit = "m/s",
        .description = "Initial velocity; a table may bring its own."},
    Key{.section = "bodies", .name = "angular_velocity", .type = vector, .unit = "rad/s",
        .description = "Initial angular velocity in world axes; a table may bring its own."},
    Key{.section = "bodies", .name = "velocity_spread", .type = number, .unit = "m/s", .range = not_negative,
        .forms = "lattice|random|dense",
        .description = "Standard deviation of each component of random velocities on top of `velocity`: a granular gas. All "
                       "together they have no momentum."},
    Key{.section = "bodies", .name = "angular_velocity_spread", .type = number, .unit = "rad/s", .range = not_negative,
        .forms = "lattice|random|dense",
        .description = "The same of angular velocities."},
    Key{.section = "bodies", .name = "name", .type = text,
        .description = "What joints call a single body, and events and parts.csv the part that bodies are which are fixed or have a motion; "
                       "left out, `bodies` and the heading's number."},
    Key{.section = "bodies", .name = "part", .type = text,
        .description = "Name of the part that carries them, whatever pushes them, until an event releases them by `release_bodies`; one "
                       "that forces do not move."},
    Key{.section = "bodies", .name = "fixed", .type = boolean,
        .description = "They stay where they are, whatever pushes them, as a part of their own, until an event releases them by "
                       "`release_bodies`."},
    Key{.section = "bodies", .name = "motion", .type = tables,
        .description = "They go as one piece, whatever pushes them, as a part of their own."},
    Key{.section = "bodies", .name = "count", .type = integer, .range = counting,
        .forms = "lattice|random|dense",
        .description = "Number of bodies to make. With `dense` this or `solid_fraction`."},
    Key{.section = "bodies", .name = "solid_fraction", .type = number, .unit = "1", .range = {.low = 0.0, .high = 0.95, .low_open = true},
        .forms = "dense",
        .description = "Part of the region's volume that the bodies are to fill, in place of `count`."},
    Key{.section = "bodies", .name = "region", .type = table, .required = true, .forms = "lattice|random|dense",
        .description = "Where to make them."},
    Key{.section = "bodies", .name = "scale", .type = table, .forms = "lattice|random|dense",
        .description = "Distribution of sizes; all are equal if left out."},
    Key{.section = "bodies", .name = "spacing", .type = number, .unit = "m", .range = positive, .forms = "lattice",
        .description = "Distance between neighbouring places of the grid; left out, the largest body's "
                       "length plus twice the jitter, so that no orientation can overlap."},
    Key{.section = "bodies", .name = "arrangement", .type = word, .words = "cubic|body_centred|face_centred|hexagonal", .forms = "lattice",
        .description = "Of the lattice, in layers along the region's third axis; `spacing` is that of nearest neighbours. Equal spheres "
                       "that touch fill 0.524, 0.680, 0.740 and 0.740."},
    Key{.section = "bodies", .name = "jitter", .type = number, .unit = "m", .range = not_negative, .forms = "lattice",
        .description = "Largest random shift from a place of the grid, along each axis."},
    Key{.section = "bodies", .name = "attempts", .type = integer,
        .range = {.low = 1.0, .high = 1e9}, .forms = "random|dense",
        .description = "Places tried for a body before the region counts as full."},
    Key{.section = "bodies", .name = "clearance", .type = number, .unit = "m", .range = not_negative, .forms = "random",
        .description = "Least gap between two bodies; of spheres these are Poisson discs. Of shapes with hollows it may be less."},
    Key{.section = "bodies", .name = "seed", .type = integer, .range = seeds, .forms = "single|lattice|random|dense",
        .description = "Random numbers of this heading; left out, they follow from the scene's seed and "
                       "the heading's number."},

    Key{.section = "region", .name = "type", .type = word, .required = true, .words = "box|cylinder|mesh",
        .description = "Its form."},
    Key{.section = "region", .name = "low", .type = vector, .unit = "m", .required = true, .forms = "box",
        .description = "Corner of least x, y, z."},
    Key{.section = "region", .name = "high", .type = vector, .unit = "m", .required = true, .forms = "box",
        .description = "Corner of greatest x, y, z."},
    Key{.section = "region", .name = "start", .type = vector, .unit = "m", .required = true, .forms = "cylinder",
        .description = "One end of the axis; a lattice is filled from here."},
    Key{.section = "region", .name = "end", .type = vector, .unit = "m", .required = true, .forms = "cylinder",
        .description = "Other end of the axis."},
    Key{.section = "region", .name = "radius", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "cylinder",
        .description = "Radius of the cylinder."},
    Key{.section = "region", .name = "file", .type = text, .required = true, .forms = "mesh",
        .description = "STL, OBJ, PLY or VTP file of a closed mesh, relative to the scene's folder: what it holds."},
    Key{.section = "region", .name = "scale", .type = number, .unit = "m", .range = positive, .forms = "mesh",
        .description = "What one unit of length of the file is; 1 if left out."},
    Key{.section = "region", .name = "position", .type = vector, .unit = "m", .forms = "mesh",
        .description = "Where the file's origin is; the world's if left out."},

    Key{.section = "scale", .name = "distribution", .type = word, .required = true,
        .words = "constant|uniform|normal|lognormal|weibull|table",
        .description = "Its law. `weibull` is that of Rosin and Rammler: a share exp(-(x / characteristic)^modulus) "
                       "is larger than x. `table`: a file of sieves."},
    Key{.section = "scale", .name = "by", .type = word, .words = "number|mass",
        .description = "Whether shares are those of the number of grains or of their mass, as sieves weigh them."},
    Key{.section = "scale", .name = "table", .type = text, .required = true, .forms = "table",
        .description = "CSV file, relative to the scene's folder, of factors and of the share, 0 to 1, that is "
                       "smaller (passes the sieve): both rising, straight lines between."},
    Key{.section = "scale", .name = "characteristic", .type = number, .required = true, .range = positive,
        .forms = "weibull",
        .description = "Factor that 1/e of all is larger than."},
    Key{.section = "scale", .name = "modulus", .type = number, .required = true, .range = positive,
        .forms = "weibull",
        .description = "How alike sizes are: the larger the more."},
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
        .description = "For messages and results; left out, inlet0 and so on."},
    Key{.section = "inlets", .name = "region", .type = table, .required = true,
        .description = "Where grains are made: at the first random place where they overlap nobody and no "
                       "boundary."},
    Key{.section = "inlets", .name = "mass_rate", .type = number, .unit = "kg/s", .range = positive,
        .description = "What comes in; this or `number_rate`."},
    Key{.section = "inlets", .name = "number_rate", .type = number, .unit = "1/s", .range = positive,
        .description = "Grains that come in a second."},
    Key{.section = "inlets", .name = "waits", .type = boolean,
        .description = "It waits for an event with `start_inlet`; its `start` and `stop` count from there."},
    Key{.section = "inlets", .name = "start", .type = number, .unit = "s",
        .description = "When it opens."},
    Key{.section = "inlets", .name = "stop", .type = number, .unit = "s",
        .description = "When it closes; left out, never."},
    Key{.section = "inlets", .name = "mass", .type = number, .unit = "kg", .range = positive,
        .description = "What it makes at most in all."},
    Key{.section = "inlets", .name = "count", .type = integer, .range = counting,
        .description = "How many grains it makes at most in all."},
    Key{.section = "inlets", .name = "material", .type = text,
        .description = "Name of the material; may be left out if there is only one."},
    Key{.section = "inlets", .name = "semi_axes", .type = vector, .unit = "m", .range = positive,
        .description = "The ellipsoid's semi-axes. This, `radius` or `shape`."},
    Key{.section = "inlets", .name = "radius", .type = number, .unit = "m", .range = positive,
        .description = "A sphere: short for three equal semi-axes."},
    Key{.section = "inlets", .name = "shape", .type = text,
        .description = "Name of a shape of [[shapes]], in place of semi-axes; with `size`."},
    Key{.section = "inlets", .name = "size", .type = number, .unit = "m", .range = positive,
        .description = "What one unit of length of the shape is."},
    Key{.section = "inlets", .name = "scale", .type = table,
        .description = "Distribution of sizes; all are equal if left out."},
    Key{.section = "inlets", .name = "sizes", .type = integer, .range = {.low = 1.0, .high = 100000.0},
        .description = "How many different sizes stand for the distribution: parts of equal share, by number or "
                       "by mass, each with its middle size."},
    Key{.section = "inlets", .name = "orientation", .type = orientation, .words = "random|aligned",
        .description = "Unit quaternion [w, x, y, z] from the body's axes to the world's; left out, `random`."},
    Key{.section = "inlets", .name = "orientation_spread", .type = number, .unit = "deg",
        .range = {.low = 0.0, .high = 180.0},
        .description = "Grains are turned out of `orientation` by rotation vectors whose components are normal with this "
                       "standard deviation."},
    Key{.section = "inlets", .name = "velocity", .type = vector, .unit = "m/s",
        .description = "Of every new grain."},
    Key{.section = "inlets", .name = "angular_velocity", .type = vector, .unit = "rad/s",
        .description = "Of every new grain, in world axes."},
    Key{.section = "inlets", .name = "attempts", .type = integer, .range = {.low = 1.0, .high = 1e9},
        .description = "Places that a step tries for a grain before it has to wait for the next step."},
    Key{.section = "inlets", .name = "seed", .type = integer, .range = seeds,
        .description = "Random numbers of this heading; left out, they follow from the scene's seed and "
                       "the heading's number."},

    Key{.section = "outlets", .name = "name", .type = text,
        .description = "For messages and results; left out, outlet0 and so on."},
    Key{.section = "outlets", .name = "type", .type = word, .required = true, .words = "box|cylinder|half_space",
        .description = "Its form."},
    Key{.section = "outlets", .name = "low", .type = vector, .unit = "m", .required = true, .forms = "box",
        .description = "Corner of least x, y, z."},
    Key{.section = "outlets", .name = "high", .type = vector, .unit = "m", .required = true, .forms = "box",
        .description = "Corner of greatest x, y, z."},
    Key{.section = "outlets", .name = "start", .type = vector, .unit = "m", .required = true, .forms = "cylinder",
        .description = "One end of the axis."},
    Key{.section = "outlets", .name = "end", .type = vector, .unit = "m", .required = true, .forms = "cylinder",
        .description = "Other end of the axis."},
    Key{.section = "outlets", .name = "radius", .type = number, .unit = "m", .required = true, .range = positive,
        .forms = "cylinder",
        .description = "Radius of the cylinder."},
    Key{.section = "outlets", .name = "point", .type = vector, .unit = "m", .required = true, .forms = "half_space",
        .description = "Any point of the plane that it begins at."},
    Key{.section = "outlets", .name = "normal", .type = vector, .required = true, .forms = "half_space",
        .description = "Points into it; any length but zero."},

    Key{.section = "domain", .name = "low", .type = vector, .unit = "m",
        .description = "Corner of least x, y, z; left out, there is none."},
    Key{.section = "domain", .name = "high", .type = vector, .unit = "m",
        .description = "Corner of greatest x, y, z; left out, there is none."},
    Key{.section = "domain", .name = "outside", .type = word, .required = true, .words = "remove|reflect|stop",
        .description = "What happens to a body whose centre is not in the box: it is taken out and counted, the "
                       "part of its velocity that leads away is turned round, or the run ends with status 5."},

    Key{.section = "boundaries", .name = "type", .type = word, .required = true, .words = "plane|box|tube|mesh|disc|cylinder|cone|sphere|torus|revolved|elliptic_cylinder",
        .description = "`plane`: solid behind its surface. `box`: walls seen from inside. `tube`: a finite"
                       " pipe with a wall, open at both ends, hit from all sides. `mesh`: triangles from a file, hit from both sides."
                       " `disc`, `cylinder`, `cone` (also a frustum) and `revolved` (any profile turned about an axis):"
                       " sheets, hit from both sides. `sphere`: solid, or hit from inside. `torus`: solid. `elliptic_cylinder`: a"
                       " pipe or a trough of elliptic section, hit from both sides. Bodies that functions give meet the round ones"
                       " but the tube as meshes, which lie within a thousandth of the smallest body's smallest length."},
    Key{.section = "boundaries", .name = "name", .type = text,
        .description = "Name in messages and results; left out, the type and the heading's number."},
    Key{.section = "boundaries", .name = "material", .type = text,
        .description = "Name of the material; may be left out if there is only one."},
    Key{.section = "boundaries", .name = "point", .type = vector, .unit = "m", .forms = "plane",
        .description = "Any point of the surface."},
    Key{.section = "boundaries", .name = "normal", .type = vector, .forms = "plane|disc",
        .description = "Points to the free side, if the other is not free; any length but zero."},
    Key{.section = "boundaries", .name = "low", .type = vector, .unit = "m", .required = true, .forms = "box",
        .description = "Corner of least x, y, z."},
    Key{.section = "boundaries", .name = "high", .type = vector, .unit = "m", .required = true, .forms = "box",
        .description = "Corner of greatest x, y, z."},
    Key{.section = "boundaries", .name = "open", .type = words, .fallback = "[]",
        .words = "-x|+x|-y|+y|-z|+z", .forms = "box",
        .description = "Faces without a wall; the other walls go on beyond them."},
    Key{.section = "boundaries", .name = "start", .type = vector, .unit = "m", .required = true,
        .forms = "tube|cylinder|cone|revolved|elliptic_cylinder",
        .description = "One end of the axis; of a profile, where its z is 0."},
    Key{.section = "boundaries", .name = "end", .type = vector, .unit = "m", .required = true,
        .forms = "tube|cylinder|cone|elliptic_cylinder",
        .description = "Other end of the axis."},
    Key{.section = "boundaries", .name = "inner_radius", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "tube",
        .description = "Radius of the bore."},
    Key{.section = "boundaries", .name = "thickness", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "tube|elliptic_cylinder",
        .description = "Of the wall; its edges are rounded with half of it."},
    Key{.section = "boundaries", .name = "half_width", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "elliptic_cylinder",
        .description = "From the axis to the middle of the wall, across `up`."},
    Key{.section = "boundaries", .name = "half_height", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "elliptic_cylinder",
        .description = "From the axis to the middle of the wall, along `up`."},
    Key{.section = "boundaries", .name = "up", .type = vector, .forms = "elliptic_cylinder",
        .description = "Direction of the height; what of it is along the axis does not count."},
    Key{.section = "boundaries", .name = "trough", .type = boolean, .forms = "elliptic_cylinder",
        .description = "Only the half below the axis, open above."},
    Key{.section = "boundaries", .name = "centre", .type = vector, .unit = "m", .required = true,
        .forms = "disc|sphere|torus",
        .description = "Its middle."},
    Key{.section = "boundaries", .name = "axis", .type = vector, .required = true, .forms = "torus|revolved",
        .description = "What it is turned about; of a profile, the direction of z. Any length but zero."},
    Key{.section = "boundaries", .name = "radius", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "disc|cylinder|sphere|torus",
        .description = "Of a torus: of the circle in the middle of its tube."},
    Key{.section = "boundaries", .name = "tube_radius", .type = number, .unit = "m", .required = true,
        .range = positive, .forms = "torus",
        .description = "Of its tube."},
    Key{.section = "boundaries", .name = "start_radius", .type = number, .unit = "m", .required = true,
        .range = not_negative, .forms = "cone",
        .description = "At `start`; 0 is a tip."},
    Key{.section = "boundaries", .name = "end_radius", .type = number, .unit = "m", .required = true,
        .range = not_negative, .forms = "cone",
        .description = "At `end`."},
    Key{.section = "boundaries", .name = "caps", .type = words, .fallback = "[]", .words = "start|end",
        .forms = "cylinder|cone",
        .description = "Ends that are closed by a disc."},
    Key{.section = "boundaries", .name = "profile", .type = profile, .unit = "m", .required = true,
        .range = not_negative, .forms = "revolved",
        .description = "Corners [r, z] of a line: distances from the axis, and along it from `start`."},
    Key{.section = "boundaries", .name = "closed", .type = boolean, .forms = "revolved",
        .description = "Whether the last corner is joined with the first."},
    Key{.section = "boundaries", .name = "rounding", .type = number, .unit = "m", .range = not_negative,
        .forms = "disc|cylinder|cone|revolved",
        .description = "The wall is all that is within this distance of the surface: half of its thickness, and"
                       " the radius of its edges."},
    Key{.section = "boundaries", .name = "inside", .type = boolean, .forms = "sphere",
        .description = "Whether the bodies are in it: all outside is solid, instead of the inside."},
    Key{.section = "boundaries", .name = "file", .type = text, .required = true, .forms = "mesh",
        .description = "STL, OBJ or PLY file of triangles, or, by VTK, VTP, VTU, VTK or glTF, relative to the scene's folder."},
    Key{.section = "boundaries", .name = "scale", .type = number, .range = positive, .forms = "mesh",
        .description = "Metres that one unit of the file is: 0.001 for millimetres."},
    Key{.section = "boundaries", .name = "position", .type = vector, .unit = "m", .forms = "mesh",
        .description = "Where the file's origin is."},
    Key{.section = "boundaries", .name = "orientation", .type = orientation, .words = "aligned", .forms = "mesh",
        .description = "Unit quaternion [w, x, y, z] of the file's axes; `aligned` if left out."},
    Key{.section = "boundaries", .name = "weld", .type = number, .unit = "m", .range = not_negative, .forms = "mesh",
        .description = "Corners nearer than this become one, and edges share the corners that lie on them: seams of plates that CAD leaves "
                       "open by its last digits. `scree mesh` tells what is open."},
    Key{.section = "boundaries", .name = "sheets", .type = boolean, .forms = "mesh",
        .description = "Edges with one triangle, or with more than two, are meant: no warning tells of them."},
    Key{.section = "boundaries", .name = "surface_velocity", .type = vector, .unit = "m/s", 
        .description = "Of a belt that the surface is, which carries what lies on it and stays where it is itself; "
                       "in the boundary's axes."},
    Key{.section = "boundaries", .name = "part", .type = text,
        .description = "Name of the part that carries it; a box is carried as one."},
    Key{.section = "boundaries", .name = "motion", .type = tables,
        .description = "How it moves, as a part of its own that has its name; a box moves as one."},
    Key{.section = "boundaries", .name = "motion_waits", .type = boolean,
        .description = "As of a part."},

    Key{.section = "cell", .name = "low", .type = vector, .unit = "m", .required = true,
        .description = "Low corner of the box that it is at the start."},
    Key{.section = "cell", .name = "high", .type = vector, .unit = "m", .required = true,
        .description = "High corner."},
    Key{.section = "cell", .name = "periodic", .type = words, .words = "x|y|z",
        .description = "The directions along which it repeats itself."},
    Key{.section = "cell", .name = "stress_x", .type = number, .unit = "Pa", .range = not_negative,
        .description = "Normal stress along x that the cell holds, positive in compression, by stretching and squeezing itself "
                       "along it; a flow goes on top. Its width is what the scene says if left out."},
    Key{.section = "cell", .name = "stress_y", .type = number, .unit = "Pa", .range = not_negative,
        .description = "The same along y."},
    Key{.section = "cell", .name = "stress_z", .type = number, .unit = "Pa", .range = not_negative,
        .description = "The same along z."},
    Key{.section = "cell", .name = "inertia", .type = number, .unit = "1", .range = positive,
        .description = "Of the rate at which it stretches along a direction whose stress is held, over the mass of all bodies times "
                       "the square of the cell's edge: the less, the quicker it answers. Stresses at rest do not depend on it."},
    Key{.section = "cell", .name = "largest_rate", .type = number, .unit = "1/s", .range = positive,
        .description = "The fastest that it stretches or is squeezed along such a direction; any rate if left out."},
    Key{.section = "cell", .name = "flow", .type = tables,
        .description = "How it deforms; not at all if left out."},

    Key{.section = "flow", .name = "gradient_x", .type = vector, .unit = "1/s",
        .description = "Gradient of the velocity along x: [dvx/dx, dvx/dy, dvx/dz]. [0, 10, 0] shears, [-1, 0, 0] squeezes."},
    Key{.section = "flow", .name = "gradient_y", .type = vector, .unit = "1/s",
        .description = "[dvy/dx, dvy/dy, dvy/dz]."},
    Key{.section = "flow", .name = "gradient_z", .type = vector, .unit = "1/s",
        .description = "[dvz/dx, dvz/dy, dvz/dz]."},
    Key{.section = "flow", .name = "start", .type = number, .unit = "s", .range = not_negative,
        .description = "When it begins."},
    Key{.section = "flow", .name = "stop", .type = number, .unit = "s", .range = not_negative,
        .description = "When it ends; never if left out."},

    Key{.section = "parts", .name = "name", .type = text, .required = true,
        .description = "Name to refer to it by."},
    Key{.section = "parts", .name = "freedom", .type = word, .words = "none|along|about|all",
        .description = "How forces may move it: not at all (if left out), along its direction, about its axis, or in every way that "
                       "joints let it."},
    Key{.section = "parts", .name = "motion", .type = tables, .forms = "none|along|about",
        .description = "What is prescribed to it; what forces do comes on top."},
    Key{.section = "parts", .name = "motion_waits", .type = boolean, .forms = "none|along|about",
        .description = "Its motions wait for an event with `start_motion`; the time of their `start`, `stop`, functions and "
                       "tables counts from there."},
    Key{.section = "parts", .name = "direction", .type = vector, .required = true, .forms = "along",
        .description = "Any length but zero."},
    Key{.section = "parts", .name = "axis", .type = vector, .required = true, .forms = "about",
        .description = "Any length but zero; turns are right-handed about it."},
    Key{.section = "parts", .name = "point", .type = vector, .unit = "m", .forms = "about",
        .description = "Any point of the axis; torques are about it."},
    Key{.section = "parts", .name = "centre", .type = vector, .unit = "m", .forms = "none|along|all",
        .description = "What torques are about, at the start; with all freedoms the centre of mass, which has to be given. Left out, "
                       "it is on the axis about which the motion turns, or at 0."},
    Key{.section = "parts", .name = "mass", .type = number, .unit = "kg", .required = true, .range = positive,
        .forms = "along|all", .description = "Of the part with all that it carries."},
    Key{.section = "parts", .name = "moments", .type = vector, .unit = "kg m^2", .required = true, .range = positive,
        .forms = "all", .description = "Moments of inertia about the centre and the world's x, y and z at the start, which "
                       "have to be its principal axes, or those that `orientation` turns there."},
    Key{.section = "parts", .name = "orientation", .type = orientation, .words = "aligned", .forms = "all",
        .description = "[w, x, y, z], from the principal axes to the world at the start; aligned if left out."},
    Key{.section = "parts", .name = "velocity", .type = vector, .unit = "m/s", .forms = "all",
        .description = "Of its centre, at the start."},
    Key{.section = "parts", .name = "angular_velocity", .type = vector, .unit = "rad/s", .forms = "all",
        .description = "At the start."},
    Key{.section = "parts", .name = "inertia", .type = number, .unit = "kg m^2", .required = true, .range = positive,
        .forms = "about", .description = "Of the part with all that it carries, about the axis; its weight is balanced."},
    Key{.section = "parts", .name = "force", .type = number, .unit = "N", .forms = "along",
        .description = "Along the direction; force, `function`, `table`, weight, pressure, damping and spring add up."},
    Key{.section = "parts", .name = "torque", .type = number, .unit = "N m", .forms = "about",
        .description = "About the axis; torque, `function`, `table`, damping and spring add up."},
    Key{.section = "parts", .name = "function", .type = text, .forms = "along|about",
        .description = "Force (N) or torque (N m) as an expression of the time t (s), such as \"5 * min(t, 1)\"; "
                       "parameters may be used."},
    Key{.section = "parts", .name = "table", .type = text, .forms = "along|about",
        .description = "CSV file of times (s) and forces (N) or torques (N m), relative to the scene's folder: straight "
                       "lines between, constant before and after."},
    Key{.section = "parts", .name = "weight", .type = boolean, .forms = "along|all",
        .description = "Does gravity act on its mass?"},
    Key{.section = "parts", .name = "pressure", .type = number, .unit = "Pa", .forms = "along",
        .description = "A force of so much times an area, along the direction: what a servo wall holds."},
    Key{.section = "parts", .name = "area", .type = number, .unit = "m^2", .range = positive, .forms = "along",
        .description = "Area that the pressure acts on."},
    Key{.section = "parts", .name = "width_between", .type = names, .forms = "along",
        .description = "In place of `area`, with `depth_between`: two planes whose distance is one side of it, wherever "
                       "they are; walls of a box are \"box.-x\", \"box.+x\" and so on."},
    Key{.section = "parts", .name = "depth_between", .type = names, .forms = "along",
        .description = "Two planes whose distance is the other side."},
    Key{.section = "parts", .name = "damping", .type = number, .unit = "N s/m or N m s", .range = not_negative, .forms = "along|about",
        .description = "Force or torque over speed, against it. For a servo wall: what brings it to rest."},
    Key{.section = "parts", .name = "spring", .type = number, .unit = "N/m or N m/rad", .range = not_negative, .forms = "along|about",
        .description = "Force or torque over travel, back to where it is at the start."},
    Key{.section = "parts", .name = "low", .type = number, .unit = "m or rad", .forms = "along|about",
        .description = "Stop: it travels no further back than this, counted from the start. None if left out."},
    Key{.section = "parts", .name = "high", .type = number, .unit = "m or rad", .forms = "along|about",
        .description = "Stop: it travels no further than this. None if left out."},
    Key{.section = "parts", .name = "start_rate", .type = number, .unit = "m/s or rad/s", .forms = "along|about",
        .description = "How fast it moves at the start."},
    Key{.section = "parts", .name = "starts_locked", .type = boolean, .forms = "along|about|all",
        .description = "Forces do not move it until an event releases it by `release_part`."},

    Key{.section = "joints", .name = "name", .type = text, .required = true,
        .description = "Name to refer to it by."},
    Key{.section = "joints", .name = "type", .type = word, .required = true,
        .words = "fixed|revolute|prismatic|cylindrical|screw|spherical|universal|planar|rod|cylinder|point_on_plane|point_on_line|point_on_curve|gear|rack",
        .description = "What b may do against a: nothing; turn about the axis; slide along it; both; both, in step; turn about "
                       "the point; turn about `axis` and `axis_b`; slide across the axis and turn about it; all but change the "
                       "distance of two points; anything (what acts does so along the line between two points, as a hydraulic "
                       "cylinder); keep its point on the plane across the axis; on the line along it; on a curve. A `gear` and a `rack` couple two other "
                       "joints, `first` and `second`, by their teeth."},
    Key{.section = "joints", .name = "a", .type = text,
        .description = "Name of a part with all freedoms or none, or of [[bodies]] that are a single one; \"ground\" if left out."},
    Key{.section = "joints", .name = "b", .type = text,
        .description = "Likewise."},
    Key{.section = "joints", .name = "body_a", .type = integer, .range = {.low = 0.0, .high = 9e15},
        .description = "In place of `a`: the number of a body."},
    Key{.section = "joints", .name = "body_b", .type = integer, .range = {.low = 0.0, .high = 9e15},
        .description = "In place of `b`: the number of a body."},
    Key{.section = "joints", .name = "chain", .type = text,
        .description = "In place of a and b: the name of [[bodies]], each of which is joined with the next. Joints are called "
                       "name.0, name.1 and so on; `point_a`, `point_b` and axes are those of the bodies' own frames."},
    Key{.section = "joints", .name = "point", .type = vector, .unit = "m",
        .description = "Where it is; of fixed and prismatic joints it may be left out."},
    Key{.section = "joints", .name = "point_a", .type = vector, .unit = "m",
        .description = "Of a rod, a cylinder or a chain: its end on a."},
    Key{.section = "joints", .name = "point_b", .type = vector, .unit = "m",
        .description = "Of a rod, a cylinder or a chain: its end on b."},
    Key{.section = "joints", .name = "axis", .type = vector, .required = true,
        .forms = "revolute|prismatic|cylindrical|screw|universal|planar|point_on_plane|point_on_line",
        .description = "Any length but zero; turns are right-handed about it, of b against a."},
    Key{.section = "joints", .name = "axis_b", .type = vector, .required = true, .forms = "universal",
        .description = "Of b; square to `axis`."},
    Key{.section = "joints", .name = "lead", .type = number, .unit = "m", .required = true, .forms = "screw",
        .description = "How far it goes in a turn."},
    Key{.section = "joints", .name = "curve", .type = functions, .unit = "m", .required = true, .forms = "point_on_curve",
        .description = "Its points at the start, in the world: expressions of t, from `from` to `to`. It goes with a; open ones go on "
                       "straight at their ends."},
    Key{.section = "joints", .name = "from", .type = number, .required = true, .forms = "point_on_curve",
        .description = "Where t begins."},
    Key{.section = "joints", .name = "to", .type = number, .required = true, .forms = "point_on_curve",
        .description = "Where t ends."},
    Key{.section = "joints", .name = "first", .type = text, .required = true, .forms = "gear|rack",
        .description = "Name of a revolute joint before this one."},
    Key{.section = "joints", .name = "second", .type = text, .required = true, .forms = "gear|rack",
        .description = "Name of a revolute joint with a parallel axis, or of a rack a prismatic one, before this one."},
    Key{.section = "joints", .name = "ratio", .type = number, .unit = "1 or m", .required = true, .forms = "gear|rack",
        .description = "Of a gear: so many turns the second makes, the other way round, for one of the first; below 0 the same way "
                       "round, its teeth are inside. Of a rack: the travel for a turn of a radian. Both joints have the same a."},
    Key{.section = "joints", .name = "coordinate", .type = word, .words = "angle|travel", .forms = "cylindrical",
        .description = "What acts does so on its angle or its travel."},
    Key{.section = "joints", .name = "low", .type = number, .unit = "m or rad",
        .description = "Stop of the coordinate; none if left out."},
    Key{.section = "joints", .name = "high", .type = number, .unit = "m or rad",
        .description = "Stop of the coordinate; none if left out."},
    Key{.section = "joints", .name = "friction", .type = number, .unit = "N or N m", .range = not_negative,
        .description = "What has to be overcome to move it (Coulomb)."},
    Key{.section = "joints", .name = "friction_coefficient", .type = number, .range = not_negative,
        .description = "The same, over the force that it bears (of the last step)."},
    Key{.section = "joints", .name = "friction_radius", .type = number, .unit = "m", .range = positive,
        .description = "Of a bearing: what makes a moment of that; needed where something turns."},
    Key{.section = "joints", .name = "stiffness", .type = number, .unit = "N/m or N m/rad", .range = not_negative,
        .description = "Of a spring on the coordinate, of any stiffness."},
    Key{.section = "joints", .name = "rest", .type = number, .unit = "m or rad",
        .description = "Where that spring is at rest."},
    Key{.section = "joints", .name = "damping", .type = number, .unit = "N s/m or N m s", .range = not_negative,
        .description = "Force or torque over speed, against it."},
    Key{.section = "joints", .name = "motor", .type = table,
        .description = "What drives it."},

    Key{.section = "motor", .name = "type", .type = word, .required = true, .words = "speed|position|force",
        .description = "What it does: a speed (m/s, rad/s), a place (m, rad), or a force (N, N m)."},
    Key{.section = "motor", .name = "value", .type = number, .unit = "m/s, m or N; rad",
        .description = "The same all the time."},
    Key{.section = "motor", .name = "function", .type = text,
        .description = "An expression of the time t (s), such as \"0.3 * sin(2 * t)\"; parameters may be used."},
    Key{.section = "motor", .name = "table", .type = text,
        .description = "CSV file of times (s) and values, relative to the scene's folder: straight lines between, constant "
                       "before and after."},
    Key{.section = "motor", .name = "model", .type = text,
        .description = "Name of one of [[models]] whose `variable` it gives. A force that falls with the joint's rate, or with its "
                       "coordinate, acts at once: the step is solved with its tangent."},
    Key{.section = "motor", .name = "variable", .type = text,
        .description = "Of that model, with all submodels: \"winding.torque\"."},
    Key{.section = "motor", .name = "most", .type = number, .unit = "N or N m", .range = positive,
        .description = "The most that it can do; any force if left out."},
    Key{.section = "motor", .name = "stiffness", .type = number, .unit = "N/m or N m/rad", .range = not_negative,
        .description = "Of a motor to a place, force over what is missing; with `damping` 0 too it is rigid."},
    Key{.section = "motor", .name = "damping", .type = number, .unit = "N s/m or N m s", .range = not_negative,
        .description = "Of a motor to a place, force over speed."},

    Key{.section = "models", .name = "name", .type = text, .required = true,
        .description = "Motors name it."},
    Key{.section = "models", .name = "file", .type = text, .required = true,
        .description = "The model's text, relative to the scene's folder."},
    Key{.section = "models", .name = "model", .type = text,
        .description = "Which of the file's models; the last if left out."},
    Key{.section = "models", .name = "parameters", .type = table,
        .description = "Other values of its parameters: `{ resistance = 0.4 }`."},
    Key{.section = "models", .name = "inputs", .type = tables,
        .description = "What its inputs are; all need something."},
    Key{.section = "models", .name = "record", .type = words,
        .description = "Variables that models.csv has beside those that motors take."},

    Key{.section = "inputs", .name = "variable", .type = text, .required = true,
        .description = "Name of the input."},
    Key{.section = "inputs", .name = "quantity", .type = text, .required = true,
        .description = "Any that the part has in docs/observables.md: of a joint its `coordinate` and `rate`, which are looked ahead "
                       "for, or the `motor_force`; of a boundary or a part the force of bodies on it, mean of the step before."},
    Key{.section = "inputs", .name = "joint", .type = text,
        .description = "Name of the joint whose quantity it is."},
    Key{.section = "inputs", .name = "boundary", .type = text,
        .description = "Or of the boundary."},
    Key{.section = "inputs", .name = "part", .type = text,
        .description = "Or of the part."},

    Key{.section = "motion", .name = "type", .type = word, .required = true, .words = "translation|rotation",
        .description = "Along a direction, or about an axis."},
    Key{.section = "motion", .name = "direction", .type = vector, .required = true, .forms = "translation",
        .description = "Any length but zero."},
    Key{.section = "motion", .name = "axis", .type = vector, .required = true, .forms = "rotation",
        .description = "Any length but zero; turns are right-handed about it."},
    Key{.section = "motion", .name = "point", .type = vector, .unit = "m", .forms = "rotation",
        .description = "Any point of the axis, as it is at rest."},
    Key{.section = "motion", .name = "speed", .type = number, .unit = "m/s", .forms = "translation",
        .description = "Constant speed, from `start` on."},
    Key{.section = "motion", .name = "angular_speed", .type = number, .unit = "rad/s", .forms = "rotation",
        .description = "Constant rate, from `start` on."},
    Key{.section = "motion", .name = "amplitude", .type = number, .unit = "m or rad",
        .description = "A of A (sin(2 pi f t + phase) - sin(phase)), t counted from `start`."},
    Key{.section = "motion", .name = "frequency", .type = number, .unit = "Hz", .range = not_negative,
        .description = "f of that oscillation."},
    Key{.section = "motion", .name = "phase", .type = number, .unit = "rad", 
        .description = "Its phase."},
    Key{.section = "motion", .name = "function", .type = text,
        .description = "Distance (m) or angle (rad) as an expression of the time t (s), such as \"0.01 * sin(20 * t)\"; "
                       "parameters may be used."},
    Key{.section = "motion", .name = "table", .type = text,
        .description = "CSV file of times (s) and distances (m) or angles (rad), relative to the scene's folder: "
                       "straight lines between, constant before and after."},
    Key{.section = "motion", .name = "start", .type = number, .unit = "s", 
        .description = "Before this nothing moves."},
    Key{.section = "motion", .name = "stop", .type = number, .unit = "s",
        .description = "After this everything stays where it is then; never if left out."},

    Key{.section = "fields", .name = "force", .type = functions, .unit = "N/kg", .required = true,
        .description = "Force by mass: expressions of the place x, y, z (m) of the centre of mass, its velocity vx, vy, vz (m/s) "
                       "and the time t (s), such as [\"-4 * x\", \"-4 * y\", 0], or [\"3 * vy\", \"-3 * vx\", 0] of a magnetic field; "
                       "parameters may be used."},

    Key{.section = "fluid", .name = "density", .type = number, .unit = "kg/m^3", .range = not_negative,
        .description = "Mass per volume."},
    Key{.section = "fluid", .name = "viscosity", .type = number, .unit = "Pa s", .range = positive,
        .description = "Dynamic viscosity."},
    Key{.section = "fluid", .name = "drag", .type = word, .words = "none|stokes|schiller_naumann",
        .description = "`stokes`: 3 pi d viscosity (u - v), d the diameter of the sphere of the body's volume, u the fluid's "
                       "velocity and v the body's. `schiller_naumann`: that times 1 + 0.15 Re^0.687, from Re = 1000 on the "
                       "drag coefficient 0.44."},
    Key{.section = "fluid", .name = "buoyancy", .type = boolean,
        .description = "Is the weight of the fluid that a body displaces taken off?"},
    Key{.section = "fluid", .name = "velocity", .type = functions, .unit = "m/s",
        .description = "Of the fluid: expressions of x, y, z (m) and t (s), or numbers; at rest if left out."},

    Key{.section = "bonds", .name = "name", .type = text,
        .description = "What events and bonds.csv call them; left out, `bonds` and the heading's number."},
    Key{.section = "bonds", .name = "materials", .type = words,
        .description = "Names of materials: both bodies of a bond are of one of them. Left out: all."},
    Key{.section = "bonds", .name = "reach", .type = number, .unit = "1", .range = {.low = 0.0, .high = 1.0},
        .description = "Largest gap that is bridged when bonds form, over the smaller of the two bodies' smallest lengths (of an "
                       "ellipsoid the smallest semi-axis)."},
    Key{.section = "bonds", .name = "time", .type = number, .unit = "s", .range = not_negative,
        .description = "When they form, between bodies as they are then."},
    Key{.section = "bonds", .name = "waits", .type = boolean,
        .description = "They form when an event says so by `form_bonds`, and not before."},
    Key{.section = "bonds", .name = "radius_ratio", .type = number, .unit = "1", .range = positive,
        .description = "Radius of the bar, over the smaller of the two bodies' smallest lengths."},
    Key{.section = "bonds", .name = "youngs_modulus", .type = number, .unit = "Pa", .range = positive,
        .description = "Of the bar, which is as long as the bodies' centres are apart; rigid if left out."},
    Key{.section = "bonds", .name = "stiffness_ratio", .type = number, .unit = "1", .range = positive,
        .description = "Young's modulus over the shear modulus: 2 (1 + Poisson's ratio) of a solid."},
    Key{.section = "bonds", .name = "damping", .type = number, .unit = "1", .range = not_negative,
        .description = "Of the bar's springs, over the damping at which two bodies that it joins just do not swing."},
    Key{.section = "bonds", .name = "tensile_strength", .type = number, .unit = "Pa", .range = positive,
        .description = "It breaks where tension and bending together bring this stress to its rim: F / A + moment_share M r / I. "
                       "Never if left out."},
    Key{.section = "bonds", .name = "shear_strength", .type = number, .unit = "Pa", .range = positive,
        .description = "The same of shear and torsion: F / A + moment_share M r / J. Never if left out."},
    Key{.section = "bonds", .name = "moment_share", .type = number, .unit = "1", .range = {.low = 0.0, .high = 1.0},
        .description = "What part of the stresses of moments counts."},
    Key{.section = "bonds", .name = "breaking_force", .type = number, .unit = "N", .range = positive,
        .description = "It breaks at this force, whatever its direction. Never if left out."},
    Key{.section = "bonds", .name = "breaking_moment", .type = number, .unit = "N m", .range = positive,
        .description = "It breaks at this moment, whatever its direction. Never if left out."},

    Key{.section = "events", .name = "name", .type = text,
        .description = "Name in messages and results; left out, `event` and the heading's number."},
    Key{.section = "events", .name = "quantity", .type = text,
        .description = "What is looked at after every step: any of docs/observables.md but wall times. Of the run, such as `time_s`, "
                       "`kinetic_energy_J`, `penetration_max`; of all bodies or those in a `region`, such as `largest_speed_m_s`, "
                       "`share_at_rest` (`rest_speed`), `mass_in_region_kg`; of the part that `boundary`, `part`, `joint`, "
                       "`opening`, `bonds`, `body` or `model` names, such as `force_z_N`."},
    Key{.section = "events", .name = "expression", .type = text,
        .description = "In place of `quantity`: an expression of the time t (s) and of the place x, y, z (m), the velocity vx, vy, vz "
                       "(m/s) and the rate of turning wx, wy, wz (rad/s) of the body `body`; parameters may be used."},
    Key{.section = "events", .name = "body", .type = integer, .range = {.low = 0.0, .high = 9e15},
        .description = "Number of the body that the quantity or `expression` is of. While it is not there the event does not happen."},
    Key{.section = "events", .name = "other_body", .type = integer, .range = {.low = 0.0, .high = 9e15},
        .description = "Number of a second body: `expression` may then be of both, of the second one by ox, oy, oz, ovx, ovy, ovz, "
                       "owx, owy, owz; in periodic cells it is where it has gone, not its nearest image. Two balls that come as near as 0.1: sqrt((x-ox)^2+(y-oy)^2+(z-oz)^2) - 0.1."},
    Key{.section = "events", .name = "boundary", .type = text,
        .description = "Whose force, torque, work or power; of a box's name all walls together, `box.+x` is one of them."},
    Key{.section = "events", .name = "part", .type = text,
        .description = "Name of the part whose quantity it is, such as `torque_y_N_m`, `travel` or `contact_force`."},
    Key{.section = "events", .name = "joint", .type = text,
        .description = "Name of the joint whose quantity it is, such as `coordinate` or `motor_force`."},
    Key{.section = "events", .name = "opening", .type = text,
        .description = "Name of the inlet or outlet, or `domain`, whose quantity it is: `bodies`, `mass_kg` or `steps_without_room`, since the start."},
    Key{.section = "events", .name = "bonds", .type = text,
        .description = "Name of the kind of bonds whose quantity it is: `bonds`, `bonds_formed`, `bonds_broken`."},
    Key{.section = "events", .name = "model", .type = text,
        .description = "Name of the declarative model of which `quantity` is an input, an output or a recorded variable."},
    Key{.section = "events", .name = "region", .type = table,
        .description = "Where bodies are counted."},
    Key{.section = "events", .name = "rises_above", .type = number,
        .description = "The event happens when the quantity comes up to this from below. This or `falls_below`. In units of the "
                       "quantity."},
    Key{.section = "events", .name = "falls_below", .type = number,
        .description = "The event happens when the quantity comes down to this from above: a heap that begins at rest has "
                       "to move first. One of `rises_above`, `falls_below` and `crosses`."},
    Key{.section = "events", .name = "crosses", .type = number,
        .description = "The event happens when the quantity comes to this from either side."},
    Key{.section = "events", .name = "hold", .type = number, .unit = "s", .range = not_negative,
        .description = "For how long the quantity has to stay there first."},
    Key{.section = "events", .name = "after", .type = text,
        .description = "Name of the event that has to happen before this one is looked at."},
    Key{.section = "events", .name = "repeats", .type = boolean,
        .description = "It may happen again, each time that the quantity has been on the other side since."},
    Key{.section = "events", .name = "record", .type = boolean,
        .description = "Writes the event to events.csv, and does nothing else."},
    Key{.section = "events", .name = "set_velocity", .type = functions, .unit = "m/s",
        .description = "The body of `expression` jumps to this velocity: expressions as of `expression`, such as [\"-0.9 * vx\", \"vy\", \"vz\"] "
                       "where it comes to a wall. The ledger begins anew there."},
    Key{.section = "events", .name = "stop", .type = boolean,
        .description = "Ends the run."},
    Key{.section = "events", .name = "remove", .type = text,
        .description = "Name of a boundary that goes away; what slept on it wakes."},
    Key{.section = "events", .name = "start_motion", .type = text,
        .description = "Name of a part, or a boundary or bodies with a motion, whose motion begins (`motion_waits`), or goes on where it was stopped."},
    Key{.section = "events", .name = "stop_motion", .type = text,
        .description = "Name of one whose motion stops."},
    Key{.section = "events", .name = "release_part", .type = text,
        .description = "Name of a part that forces move from then on."},
    Key{.section = "events", .name = "lock_part", .type = text,
        .description = "Name of a part that forces do not move from then on."},
    Key{.section = "events", .name = "release_bodies", .type = text,
        .description = "Name of a part whose bodies move by themselves from then on, as fast as they went."},
    Key{.section = "events", .name = "start_inlet", .type = text,
        .description = "Name of an inlet that begins (`waits`), or goes on where it was stopped."},
    Key{.section = "events", .name = "stop_inlet", .type = text,
        .description = "Name of an inlet that makes no more grains."},
    Key{.section = "events", .name = "change_material", .type = names,
        .description = "Bodies of the first material are of the second from then on, with another friction or cohesion. Both need "
                       "the same density; grains that come later are of the material of their inlet."},
    Key{.section = "events", .name = "form_bonds", .type = text,
        .description = "Name of a kind of bonds that form in the next step, between all bodies near enough that have none of "
                       "any kind."},
    Key{.section = "events", .name = "gravity", .type = vector, .unit = "m/s^2",
        .description = "Gravity from then on. The ledger keeps the potential energy of the scene's own; what gravity does "
                       "beyond it is in `force_work_J`."},
    Key{.section = "events", .name = "output_interval", .type = number, .unit = "s", .range = positive,
        .description = "Simulated time between frames from then on."},

    Key{.section = "measurements", .name = "name", .type = text,
        .description = "Of its table and its results: letters, digits, - and _. Left out, the measure and the heading's "
                       "number."},
    Key{.section = "measurements", .name = "measure", .type = word, .required = true,
        .words = "quantity|flow|bulk|surface|mixing|residence|pair_correlation|profile|bodies|screening",
        .description = "What is measured."},
    Key{.section = "measurements", .name = "from", .type = number, .unit = "s",
        .description = "Simulated time at which it begins; left out, with the run."},
    Key{.section = "measurements", .name = "until", .type = number, .unit = "s",
        .description = "Simulated time at which it ends; left out, with the run."},
    Key{.section = "measurements", .name = "interval", .type = number, .unit = "s", .range = positive,
        .description = "Simulated time between rows; left out, that of frames. Rows end with the step nearest to its "
                       "end."},
    Key{.section = "measurements", .name = "region", .type = table,
        .forms = "quantity|bulk|surface|mixing|residence|pair_correlation|profile",
        .description = "Where: bodies count whose centre is inside. Left out, all of them; `residence` and `profile` need "
                       "one. In a periodic [cell] the centre of any image counts."},
    Key{.section = "measurements", .name = "quantities", .type = words, .required = true, .forms = "quantity",
        .description = "Names of observables (observables.md) of one kind: of the run, of bodies in a `region`, of a "
                       "periodic cell, of a machine with `machine.` before them, or of the part that `boundary`, `part`, "
                       "`joint`, `opening` or `bonds` names."},
    Key{.section = "measurements", .name = "boundary", .type = text, .forms = "quantity",
        .description = "Boundary that the quantities are of; of a box the sum over its walls."},
    Key{.section = "measurements", .name = "part", .type = text, .forms = "quantity",
        .description = "Part that the quantities are of."},
    Key{.section = "measurements", .name = "joint", .type = text, .forms = "quantity",
        .description = "Joint that the quantities are of."},
    Key{.section = "measurements", .name = "opening", .type = text, .forms = "quantity|flow",
        .description = "Inlet or outlet that the quantities, or the flow, are of."},
    Key{.section = "measurements", .name = "bonds", .type = text, .forms = "quantity",
        .description = "Kind of bonds that the quantities are of."},
    Key{.section = "measurements", .name = "plane", .type = table, .forms = "flow|screening",
        .description = "Plane that the flow goes through, or that grains go through which fall through the screen. Of a "
                       "flow this or `opening`."},
    Key{.section = "measurements", .name = "over", .type = table, .required = true, .forms = "screening",
        .description = "Plane that grains go through which stay on the screen."},
    Key{.section = "measurements", .name = "aperture", .type = number, .unit = "m", .required = true, .range = positive,
        .forms = "screening",
        .description = "Diameter below which grains should fall through: of the sphere of their volume."},
    Key{.section = "measurements", .name = "by", .type = word, .words = "material|size|place", .forms = "flow|mixing",
        .description = "Kinds that are told apart: by `material`, by `size` (`sizes`), or, for `mixing`, by `place`: the "
                       "two halves along `along` where the measurement begins. Mixing needs one; a flow through an "
                       "opening has none."},
    Key{.section = "measurements", .name = "sizes", .type = numbers, .unit = "m", .range = positive, .forms = "flow|mixing",
        .description = "Diameters, rising, between the kinds of `by = \"size\"`: of the spheres of the bodies' volumes."},
    Key{.section = "measurements", .name = "along", .type = vector, .forms = "bulk|surface|mixing|profile",
        .description = "A direction of any length but zero; [1, 0, 0] if left out. Of a surface: that its height is "
                       "followed along. Of a profile in a box: across its layers, an axis of the box (in a cylinder they "
                       "lie across its own). Of bulk: of the flow, for normal stress differences. Of mixing by place: "
                       "that its halves lie along."},
    Key{.section = "measurements", .name = "up", .type = vector, .forms = "bulk|surface|mixing|bodies",
        .description = "What is up, if that is not against gravity. Of bulk: the direction that the flow's speed changes "
                       "along."},
    Key{.section = "measurements", .name = "centre", .type = vector, .unit = "m", .forms = "surface",
        .description = "A point on the upright axis of a heap: its height is then one of the radius, in place of `along`."},
    Key{.section = "measurements", .name = "fit_from", .type = number, .range = fraction, .forms = "surface",
        .description = "The part of the surface, from its beginning on, where the line for its angle begins; 0.1 if left "
                       "out."},
    Key{.section = "measurements", .name = "fit_to", .type = number, .range = fraction, .forms = "surface",
        .description = "Where that line ends; 0.9 if left out."},
    Key{.section = "measurements", .name = "cell", .type = number, .unit = "m", .range = positive,
        .forms = "surface|mixing|profile|pair_correlation",
        .description = "Width of the bins, cells or layers. Left out, by the bodies' mean diameter: 2 of it for a surface, "
                       "4 for mixing, 1 for a profile, 0.05 for pairs."},
    Key{.section = "measurements", .name = "radius", .type = number, .unit = "m", .range = positive,
        .forms = "pair_correlation",
        .description = "How far apart pairs are at most; 4 mean diameters if left out."},
    Key{.section = "measurements", .name = "rattlers_below", .type = integer, .range = {.low = 1.0, .high = 100.0},
        .forms = "bulk",
        .description = "Bodies with fewer contacts count as rattlers; 4 if left out, as of frictionless spheres. With "
                       "friction 2 may serve better."},
    Key{.section = "measurements", .name = "bodies", .type = numbers, .required = true, .range = {.low = 0.0, .high = 9e15},
        .forms = "bodies",
        .description = "Numbers of the bodies that are followed."},

    Key{.section = "plane", .name = "point", .type = vector, .unit = "m", .required = true,
        .description = "A point of it."},
    Key{.section = "plane", .name = "normal", .type = vector, .required = true,
        .description = "The way that counts; any length but zero."},
    Key{.section = "plane", .name = "radius", .type = number, .unit = "m", .range = positive,
        .description = "Of the disc about the point that counts; left out, all of the plane does."},
    Key{.section = "over", .name = "point", .type = vector, .unit = "m", .required = true,
        .description = "A point of it."},
    Key{.section = "over", .name = "normal", .type = vector, .required = true,
        .description = "The way that counts; any length but zero."},
    Key{.section = "over", .name = "radius", .type = number, .unit = "m", .range = positive,
        .description = "Of the disc about the point that counts; left out, all of the plane does."},
    Key{.section = "materials", .name = "torsional_friction_ratio", .type = number, .range = not_negative,
        .description = "`torsional_friction` over the contact's reduced radius, in place of the length."},
    Key{.section = "materials", .name = "rolling_friction_ratio", .type = number, .range = not_negative,
        .description = "`rolling_friction` over the contact's reduced radius, in place of the length: the "
                       "coefficient of LIGGGHTS and EDEM. The reduced radius of two bodies is a b/(a + b), with a and b "
                       "the radii of spheres of their volumes; at a wall it is a."},
    Key{.section = "material_pairs", .name = "torsional_friction_ratio", .type = number, .range = not_negative,
        .description = "`torsional_friction` over the contact's reduced radius, in place of the length."},
    Key{.section = "material_pairs", .name = "rolling_friction_ratio", .type = number, .range = not_negative,
        .description = "`rolling_friction` over the contact's reduced radius, in place of the length."},

    Key{.section = "inlets", .name = "grains", .type = tables,
        .description = "A mixture: the kinds of grain that the inlet makes, in place of its own `material`, shape and "
                       "`scale`."},
    Key{.section = "inlets", .name = "shares_by", .type = word, .fallback = "\"mass\"", .words = "mass|number",
        .description = "Whether `share` of [[inlets.grains]] counts mass or the number of grains."},
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

    Key{.section = "bodies", .name = "mirror", .type = word, .words = "x|y|z", .forms = "table",
        .description = "Mirrors the table's bodies: the sign of this coordinate changes. The first of the three "
                       "changes of a table's place."},
    Key{.section = "bodies", .name = "rotate", .type = orientation, .words = "aligned", .forms = "table",
        .description = "Rotates the table's bodies about the origin, with their velocities, after `mirror`."},
    Key{.section = "bodies", .name = "move", .type = vector, .unit = "m", .fallback = "[0, 0, 0]", .forms = "table",
        .description = "Moves the table's bodies, after `mirror` and `rotate`."},
    Key{.section = "bodies", .name = "table_scale", .type = number, .unit = "m", .range = positive, .forms = "table",
        .description = "Length of one unit of the table: 0.001 where positions, sizes and velocities are in "
                       "millimetres. Default: 1."},

    Key{.section = "orientation", .name = "axis", .type = vector,
        .description = "Axis of the rotation, of any length but zero; with `angle`."},
    Key{.section = "orientation", .name = "angle", .type = number, .unit = "deg",
        .description = "Angle of the rotation about `axis`, positive by the right-hand rule."},
    Key{.section = "orientation", .name = "euler", .type = vector, .unit = "deg",
        .description = "Three angles of rotations one after the other about the axes of `order`, in place of `axis` and "
                       "`angle`."},
    Key{.section = "orientation", .name = "order", .type = text, .fallback = "\"XYZ\"",
        .description = "Axes of the three rotations. Capitals: about the body's own axes, which turn along (intrinsic); "
                       "small letters: about the world's (extrinsic)."},
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
