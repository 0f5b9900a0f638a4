#include "io/scene/reference_pages.h"

#include <array>

namespace scree::io {

namespace {

constexpr std::array pages{
    ReferencePage{"simulation", "Simulation, solver, sleep, checks",
                  "Times, steps, gravity, and how accurately contacts are solved.",
                  "top|parameters|solver|sleep|checks", R"(name = "drop"
gravity = [0, 0, -9.81]
time_step = 0.001
end_time = 0.5

[parameters]
radius = 0.01

[solver]
tolerance = 1e-4
max_sweeps = 500

[[materials]]
name = "glass"
density = 2500

[[bodies]]
radius = "= radius"
position = [0, 0, "= 3 * radius"]

[[boundaries]]
type = "plane"
name = "floor"
)"},
    ReferencePage{
        "materials", "Materials",
        "Density, friction, restitution, cohesion, elasticity and wear, and the contacts of two materials.",
        "materials|material_pairs|friction_patches", R"([[materials]]
name = "wheat"
density = 1400
friction = 0.35
rolling_friction_ratio = 0.05
restitution = 0.4

[[materials]]
name = "steel"
density = 7800

[[material_pairs]]
materials = ["wheat", "steel"]
friction = 0.25
restitution = 0.5

[[bodies]]
semi_axes = [0.003, 0.0015, 0.0015]
material = "wheat"
position = [0, 0, 0.01]

[[boundaries]]
type = "plane"
name = "floor"
material = "steel"
)"},
    ReferencePage{
        "bodies", "Bodies, shapes and sizes",
        "Single bodies, generated groups, tables and particle files, distributions of sizes, and shapes "
        "other than ellipsoids.",
        "bodies|region|scale|orientation|shapes|perturbations|members", R"([[materials]]
name = "stone"
density = 2600

[[shapes]]
name = "pair"
[[shapes.members]]
radius = 1
position = [-0.7, 0, 0]
[[shapes.members]]
radius = 1
position = [0.7, 0, 0]

[[bodies]]
generate = "random"
count = 200
shape = "pair"
size = 0.005
region = {type = "box", low = [-0.1, -0.1, 0], high = [0.1, 0.1, 0.3]}
scale = {distribution = "uniform", low = 0.8, high = 1.2}

[[bodies]]
semi_axes = [0.02, 0.01, 0.01]
position = [0, 0, 0.35]
orientation = {axis = [0, 1, 0], angle = 30}

[[boundaries]]
type = "box"
name = "bin"
low = [-0.1, -0.1, 0]
high = [0.1, 0.1, 0.4]
open = ["+z"]
)"},
    ReferencePage{"walls", "Walls and their motion", "Walls of all kinds, at rest or moving.",
                  "boundaries|motion", R"([[materials]]
name = "steel"
density = 7800

[[bodies]]
radius = 0.01
position = [0, 0, -0.05]

[[boundaries]]
type = "cylinder"
name = "drum"
start = [0, -0.05, 0]
end = [0, 0.05, 0]
radius = 0.1
caps = ["start", "end"]

[[boundaries.motion]]
type = "rotation"
axis = [0, 1, 0]
point = [0, 0, 0]
angular_speed = "= 30 * pi / 30"  # 30 revolutions per minute
)"},
    ReferencePage{"inlets", "Inlets, outlets, domain", "Places where grains enter and leave.",
                  "inlets|grains|region|scale|outlets|domain", R"(time_step = 0.001

[[materials]]
name = "corn"
density = 1250

[[materials]]
name = "husk"
density = 400

[[inlets]]
name = "feed"
mass_rate = 0.5
region = {type = "box", low = [-0.1, -0.1, 0.4], high = [0.1, 0.1, 0.5]}
velocity = [0, 0, -1]

[[inlets.grains]]
share = 0.9
material = "corn"
semi_axes = [0.006, 0.005, 0.003]
scale = {distribution = "normal", deviation = 0.1, low = 0.7, high = 1.3}

[[inlets.grains]]
share = 0.1
material = "husk"
radius = 0.002

[[boundaries]]
type = "plane"
name = "floor"
material = "corn"

[[outlets]]
name = "edge"
type = "box"
low = [0.3, -1, -0.1]
high = [2, 1, 1]
)"},
    ReferencePage{"cells", "Periodic cells",
                  "Periodic space without walls, which can be sheared or "
                  "compressed.",
                  "cell|flow",
                  R"(gravity = [0, 0, 0]
time_step = 0.001
end_time = 1

[[materials]]
name = "glass"
density = 2500

[cell]
low = [0, 0, 0]
high = [0.1, 0.1, 0.1]

[[cell.flow]]
gradient_x = [0, 5, 0]

[[bodies]]
generate = "random"
count = 100
radius = 0.005
region = {type = "box", low = [0, 0, 0], high = [0.1, 0.1, 0.1]}
)"},
    ReferencePage{
        "machines", "Machines: parts, joints, motors, models",
        "Parts that carry walls and bodies, joints that connect them, motors and equations that drive them.",
        "parts|motion|joints|motor|models|inputs", R"([[materials]]
name = "steel"
density = 7800

[[bodies]]
radius = 0.01
position = [0, 0, 0.02]

[[boundaries]]
type = "plane"
name = "floor"

[[boundaries]]
type = "plane"
name = "lid"
point = [0, 0, 0.1]
normal = [0, 0, -1]
part = "piston"

[[parts]]
name = "piston"
freedom = "along"
direction = [0, 0, -1]
mass = 2
force = 50
)"},
    ReferencePage{"forces", "Forces, fluid, bonds",
                  "Gravity that varies, force fields, a fluid, and glued bodies.", "fields|fluid|bonds",
                  R"([[materials]]
name = "chalk"
density = 2000

[fluid]
density = 1000
viscosity = 1e-3

[[bodies]]
radius = 0.01
position = [-0.01, 0, 0.05]

[[bodies]]
radius = 0.01
position = [0.01, 0, 0.05]

[[bonds]]
name = "cement"
tensile_strength = 1e5

[[boundaries]]
type = "plane"
name = "floor"
)"},
    ReferencePage{"events", "Events", "Actions that a run performs when a quantity crosses a threshold.",
                  "events|region",
                  R"([[materials]]
name = "sand"
density = 2600

[[bodies]]
generate = "random"
count = 100
radius = 0.005
region = {type = "box", low = [-0.05, -0.05, 0], high = [0.05, 0.05, 0.2]}

[[boundaries]]
type = "box"
name = "bin"
low = [-0.05, -0.05, 0]
high = [0.05, 0.05, 0.3]
open = ["+z"]

[[events]]
name = "at rest"
quantity = "kinetic_energy_J"
falls_below = 1e-6
hold = 0.1
stop = true
)"},
    ReferencePage{"measurements", "Measurements",
                  "Quantities that a run measures, with the errors of their means.",
                  "measurements|region|plane|over", R"([[materials]]
name = "sand"
density = 2600

[[inlets]]
name = "feed"
mass_rate = 0.2
radius = 0.004
region = {type = "box", low = [-0.05, -0.05, 0.2], high = [0.05, 0.05, 0.3]}

[[boundaries]]
type = "plane"
name = "floor"

[[measurements]]
name = "flow"
measure = "flow"
plane = {point = [0, 0, 0.15], normal = [0, 0, -1]}
)"},
    ReferencePage{"output", "Output and checkpoints", "Files that a run writes, and how often.",
                  "output|checkpoints",
                  R"(end_time = 1

[output]
interval = 0.05
vtk = false
contacts = true

[checkpoints]
wall_time = 600
keep = 2

[[materials]]
name = "glass"
density = 2500

[[bodies]]
radius = 0.01
position = [0, 0, 0.1]

[[boundaries]]
type = "plane"
name = "floor"
)"},
};

}  // namespace

std::span<const ReferencePage> reference_pages() { return pages; }

}  // namespace scree::io
