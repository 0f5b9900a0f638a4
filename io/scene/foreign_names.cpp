#include "io/scene/foreign_names.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iterator>
#include <regex>

#include "io/files/csv_file.h"

namespace scree::io {

namespace {

struct KeyAdvice {
  std::string_view section, names, advice;  // names at '|', in small letters and without '_'
};
struct WordAdvice {
  std::string_view section, key, words, advice;
};
struct TypeAdvice {
  std::string_view section, key, advice;
};

// clang-format off
constexpr KeyAdvice key_advice[] = {
    {"", "dt|timestep",
     "write time_step; contacts are rigid, so 0.001 to 0.002 s is usual"},
    {"", "stepsize",
     "write time_step"},
    {"", "fixedtimestep",
     "write time_step; no Rayleigh time has to be resolved, 0.001 to 0.002 s is usual"},
    {"", "rayleightimestep",
     "there is no Rayleigh time: write time_step in seconds, or time_step = \"adaptive\""},
    {"", "timemax|timeend|totaltime|duration",
     "write end_time, s"},
    {"", "nsteps|run|stopatiter",
     "write end_time = number of steps * time_step, s"},
    {"", "g",
     "write gravity = [0, 0, -9.81]"},
    {"", "gravz",
     "write gravity = [0, 0, -9.81], m/s^2; the GPU demos of Chrono are in cgs: divide by 100"},
    {"", "thermo",
     "steps.csv has a row for every step; there is nothing to set"},
    {"", "dump",
     "write [output] interval = number of steps * time_step, s"},
    {"", "savecount",
     "write [output] interval = saveCount * time_step, s"},
    {"", "saveinterval",
     "write [output] interval, s"},
    {"", "iterperiod",
     "write [output] interval = iterPeriod * time_step, s"},
    {"", "xmin",
     "write [domain] with low = [x, y, z], high = [x, y, z] and outside = \"remove\""},
    {"", "units",
     "all numbers are in SI units (m, kg, s): delete this line"},
    {"", "periodic",
     "write [cell] with low, high and periodic = [\"x\", \"y\", \"z\"]"},
    {"", "boundary",
     "write [domain] for an open box, [cell] for periodic directions, [[boundaries]] for walls"},
    {"", "neighbor",
     "Scree chooses its own search distance: delete this line"},
    {"", "cellsize",
     "Scree chooses its own search cells: delete this line"},
    {"", "atomstyle",
     "all bodies are rigid and can rotate: delete this line"},
    {"", "pairstyle|contactmodel",
     "contacts are rigid by default; for Hertz write materials.youngs_modulus, for linear "
     "springs materials.stiffness"},
    {"", "integrator",
     "there is one scheme of integration; `stepping` chooses contacts or piecewise"},
    {"", "damping",
     "there is no numerical damping: energy goes by friction and materials.restitution; delete"
     " this line"},
    {"", "threads",
     "is an option of the command line: scree run --threads 4"},
    {"", "iterations",
     "write [solver] max_sweeps"},
    {"", "tolerance",
     "write it under [solver]; it is relative to gravity * time_step"},
    {"", "particles|particle|atoms",
     "grains are called bodies: write [[bodies]]"},
    {"", "spheres",
     "write [[bodies]] with radius"},
    {"", "clumps",
     "write [[shapes]] with [[shapes.members]], and [[bodies]] with shape and size"},
    {"", "walls|wall",
     "walls are called boundaries: write [[boundaries]]"},
    {"", "geometries|geometry|mesh",
     "write [[boundaries]] with type = \"mesh\" and file"},
    {"", "geom",
     "write [[bodies]] for a moving grain, [[boundaries]] for a wall"},
    {"", "worldbody",
     "write [[bodies]] and [[boundaries]]; a scene has no tree of bodies"},
    {"", "option",
     "write time_step and gravity at the top of the file, before the first heading"},
    {"", "simulation",
     "write its keys at the top of the file, before the first heading"},
    {"", "default",
     "there are no classes of defaults: use [[materials]] and [parameters]"},
    {"", "facets",
     "write the facets to an STL file, and [[boundaries]] with type = \"mesh\" and file"},
    {"", "factories|factory",
     "write [[inlets]] for a dynamic factory, [[bodies]] with generate = \"random\" for a static"
     " one"},
    {"", "insert",
     "write [[inlets]] (insert/stream, insert/rate/region) or [[bodies]] with generate "
     "(insert/pack)"},
    {"", "insertion|inlet",
     "write [[inlets]]"},
    {"", "species",
     "species are called materials: write [[materials]]"},
    {"", "material",
     "write [[materials]]"},
    {"", "interactions|pair|contact",
     "write [[material_pairs]] with materials = [\"a\", \"b\"]"},
    {"", "templates",
     "write radius, scale and material under [[bodies]] or [[inlets]]; clumps are [[shapes]]"},
    {"", "engines",
     "there is no loop of engines: motion is [[boundaries.motion]], forces are [[fields]], "
     "conditions are [[events]]"},
    {"", "actuator",
     "write [joints.motor] below the joint that it drives"},
    {"", "sensor",
     "write [[measurements]]; forces on walls and joints are in boundaries.csv and joints.csv "
     "anyway"},
    {"", "motion",
     "write [[boundaries.motion]] below the boundary that moves"},
    {"", "group",
     "there are no groups: use [[materials]], or name under [[bodies]]"},
    {"", "solvertype",
     "write [solver] kind"},
    {"", "endtimes|tend|tmax|simulationtime|time|maxtime",
     "write end_time, s"},
    {"", "deltat|step|timestepsize",
     "write time_step, s; contacts are rigid, so 0.001 to 0.002 s is usual"},
    {"", "grains|body|objects|rigidbodies|particlegroups",
     "grains are called bodies: write [[bodies]]"},
    {"", "meshes|stl|obstacles|boundaryconditions|planes",
     "write [[boundaries]]"},
    {"", "outlet|sink|sinks",
     "write [[outlets]]"},
    {"", "variables|constants|params|parameter",
     "write [parameters]"},
    {"", "cores|nthreads|numthreads|omp",
     "is an option of the command line: scree run --threads 4"},
    {"", "randomseed",
     "write seed"},
    {"", "shape",
     "write [[shapes]]"},
    {"materials", "youngsmodulus|youngmodulus",
     "write youngs_modulus, Pa, of the real solid; left out, contacts are rigid"},
    {"materials", "young",
     "write stiffness = young * radius, N/m, for FrictMat, youngs_modulus, Pa, for Hertz "
     "contacts; left out, contacts are rigid"},
    {"materials", "e",
     "write restitution, 0 to 1, or youngs_modulus, Pa"},
    {"materials", "y",
     "write youngs_modulus, Pa"},
    {"materials", "shearmodulus|g",
     "write youngs_modulus = 2 * shear modulus * (1 + poisson_ratio)"},
    {"materials", "poissonsratio|nu",
     "write poisson_ratio; it needs youngs_modulus"},
    {"materials", "poisson",
     "write poisson_ratio; Yade's number is the ratio of stiffnesses ks/kn with linear "
     "contacts"},
    {"materials", "coefficientrestitution|coefficientofrestitution|restitutioncoefficient|coeffrest|cor|en",
     "write restitution, 0 to 1"},
    {"materials", "coefficientfriction|coefficientoffriction|coefffric|frictioncoefficient|slidingfriction|mu|xmu",
     "write friction"},
    {"materials", "coefficientofstaticfriction|staticfriction|dynamicfriction",
     "write friction: one Coulomb coefficient for sticking and sliding"},
    {"materials", "frictionangle",
     "write friction = \"= tan(0.5)\" for an angle in radians, \"= tan(30 * degree)\" for degrees"},
    {"materials", "coefficientrollingfriction|coeffrollfric",
     "write rolling_friction_ratio, which is a factor on the reduced radius, as there"},
    {"materials", "coefficientofrollingfriction|rollingresistance|mur",
     "write rolling_friction_ratio = 2 * the coefficient for contacts of equal bodies, or "
     "rolling_friction = the coefficient * radius, m"},
    {"materials", "etaroll",
     "write rolling_friction_ratio = 2 * etaRoll for contacts of equal bodies, or "
     "rolling_friction = etaRoll * radius, m"},
    {"materials", "spinningfriction|twistingfriction",
     "write torsional_friction, m"},
    {"materials", "torsionfriction",
     "write torsional_friction_ratio, a factor on the reduced radius, or torsional_friction, m"},
    {"materials", "cohesionenergydensity",
     "write adhesion_energy, J/m^2: an energy by area, with pull-off force 3/2 pi W R"},
    {"materials", "surfaceenergy",
     "write adhesion_energy, J/m^2: W such that 3/2 pi W R is the pull-off force, R = r1 "
     "r2/(r1 + r2)"},
    {"materials", "cohesion",
     "write adhesion_energy, J/m^2: 2 F/(3 pi R) for a pull-off force F (N), R = r1 r2/(r1 + "
     "r2)"},
    {"materials", "adhesion",
     "write adhesion_energy, J/m^2, or for liquid bridges surface_tension, N/m, and bridge_volume, m^3"},
    {"materials", "liquidvolume|liquidbridgevolume",
     "write bridge_volume, m^3, of one bridge"},
    {"materials", "contactangle",
     "write wetting_angle, degrees"},
    {"materials", "normalcohesion",
     "write [[bonds]] with tensile_strength if it breaks once, adhesion_energy if surfaces "
     "stick again"},
    {"materials", "kn|normalstiffness",
     "write stiffness, N/m, for linear springs; left out, contacts are rigid"},
    {"materials", "kt",
     "write poisson_ratio: kt/kn = 2 (1 - nu)/(2 - nu), at least 2/3"},
    {"materials", "gamma|gamman|damping",
     "there is no damping constant of contacts: write restitution"},
    {"materials", "dissipation",
     "there is no damping constant of contacts: write restitution = exp(-dissipation * tc/m), "
     "tc the collision time"},
    {"materials", "dampingratio",
     "write restitution = exp(-pi * z/sqrt(1 - z^2)) for a damping ratio z"},
    {"materials", "viscosity",
     "belongs in [fluid]; damping of contacts is restitution"},
    {"materials", "collisiontime",
     "there is no collision time: contacts are rigid, or write stiffness or youngs_modulus"},
    {"materials", "characteristicvelocity",
     "is not needed: contacts are rigid, or have the stiffness that is written; delete this "
     "line"},
    {"materials", "compliance",
     "write stiffness = 1/compliance, N/m"},
    {"materials", "solref|solimp",
     "contacts are rigid: delete solref and solimp; write restitution, or youngs_modulus where"
     " they yield"},
    {"materials", "condim",
     "is not needed: a coefficient of 0 switches friction, torsional_friction or "
     "rolling_friction off"},
    {"materials", "rho|solidsdensity",
     "write density, kg/m^3"},
    {"materials", "bulkdensity",
     "write the density of the solid, kg/m^3: bulk density / solid fraction (about 0.6)"},
    {"materials", "type|id",
     "materials have names and no numbers: write name = \"glass\""},
    {"materials", "radius",
     "belongs in [[bodies]]"},
    {"materials", "elasticmodulus|modulus",
     "write youngs_modulus, Pa; left out, contacts are rigid"},
    {"bodies", "diameter|d",
     "write radius = diameter / 2, m"},
    {"bodies", "r|bodyradius",
     "write radius, m"},
    {"bodies", "sphereradius",
     "write radius, m; the GPU demos of Chrono are in cm: divide by 100"},
    {"bodies", "radii|semiaxes",
     "write semi_axes = [a, b, c], m"},
    {"bodies", "axes",
     "write semi_axes = [a, b, c], m: half lengths"},
    {"bodies", "type",
     "a body needs no type: radius makes a sphere, semi_axes an ellipsoid, shape any other; "
     "material names its material"},
    {"bodies", "species|mat",
     "write material"},
    {"bodies", "pos|center|xyz|x|location",
     "write position = [x, y, z], m"},
    {"bodies", "vel|v",
     "write velocity = [vx, vy, vz], m/s"},
    {"bodies", "omega|angvel|angularvelocity",
     "write angular_velocity = [wx, wy, wz], rad/s"},
    {"bodies", "quat|quaternion|rot",
     "write orientation = [w, x, y, z]"},
    {"bodies", "ori",
     "write orientation = [w, x, y, z], or {axis = [x, y, z], angle = degrees}"},
    {"bodies", "euler",
     "write orientation = {euler = [a, b, c]}, in degrees"},
    {"bodies", "angle",
     "write orientation = {axis = [x, y, z], angle = degrees}"},
    {"bodies", "mass",
     "mass follows from materials.density and the shape's volume; generated bodies take total_mass"},
    {"bodies", "density|youngsmodulus|restitution|friction",
     "belongs in [[materials]]"},
    {"bodies", "inertia",
     "follows from the shape and materials.density: delete this line"},
    {"bodies", "dynamic|static|isfixed",
     "write fixed = true"},
    {"bodies", "blockeddofs",
     "write fixed = true; single directions are held by [[joints]]"},
    {"bodies", "nparticles|number|n|particlesinregion",
     "write count, with generate = \"random\" and a region"},
    {"bodies", "volumefractionregion",
     "write solid_fraction with generate = \"dense\""},
    {"bodies", "porosity",
     "write solid_fraction = 1 - porosity, with generate = \"dense\""},
    {"bodies", "blockiness",
     "there are no superquadrics: use semi_axes, or fit a shape (scree shape --fit)"},
    {"bodies", "vertices",
     "there are no polyhedra: write them to an STL file and fit a shape (scree shape --fit)"},
    {"bodies", "spheres",
     "write [[shapes]] with one [[shapes.members]] for each sphere"},
    {"bodies", "psd",
     "write scale = { distribution = \"table\", by = \"mass\", table = \"sieves.csv\" }"},
    {"bodies", "file",
     "write table = \"bodies.csv\"; XYZ, LAMMPS and LIGGGHTS files are read too"},
    {"bodies", "color|rgba",
     "pictures are coloured by scree render --color: delete this line"},
    {"bodies", "height",
     "a body is an ellipsoid or a shape: write semi_axes, half of the lengths"},
    {"bodies", "extents",
     "there are no box bodies: use semi_axes or a shape (scenes/shapes/rounded_cube.toml)"},
    {"bodies", "geom",
     "a body needs no geom: radius makes a sphere, semi_axes an ellipsoid, shape any other"},
    {"bodies", "template",
     "write radius, semi_axes or shape"},
    {"bodies", "sigma",
     "write deviation"},
    {"grains", "diameter|d",
     "write radius = diameter / 2, m"},
    {"inlets", "massrate",
     "write mass_rate, kg/s"},
    {"inlets", "massflowrate",
     "write mass_rate, kg/s; 1 t/h is 1/3.6 kg/s"},
    {"inlets", "generationrate|rate",
     "write mass_rate, kg/s, or number_rate, 1/s"},
    {"inlets", "particlerate",
     "write number_rate, 1/s"},
    {"inlets", "insertevery",
     "is not needed: grains come in every step as the rate says; delete this line"},
    {"inlets", "nparticles",
     "write count, the largest number of grains"},
    {"inlets", "totalmass",
     "write mass, kg, the largest mass in all"},
    {"inlets", "starttime",
     "write start, s"},
    {"inlets", "vel",
     "write velocity = [vx, vy, vz], m/s"},
    {"inlets", "distributiontemplate",
     "write radius and scale = {...}"},
    {"inlets", "diameter|d",
     "write radius = diameter / 2, m"},
    {"inlets", "nparticlespersecond|numberflowrate",
     "write number_rate, 1/s"},
    {"inlets", "endtime|stoptime",
     "write stop, s"},
    {"boundaries", "stl",
     "write type = \"mesh\" and file = \"NAME.stl\""},
    {"boundaries", "mesh|filename",
     "write file = \"NAME.stl\""},
    {"boundaries", "units",
     "write scale = 0.001 for a file in millimetres"},
    {"boundaries", "move",
     "write position, m; scale comes first, then orientation, then position"},
    {"boundaries", "rotate",
     "write orientation = [w, x, y, z]; moving walls have [[boundaries.motion]]"},
    {"boundaries", "rpm",
     "write [[boundaries.motion]] with type = \"rotation\" and angular_speed = \"= rpm * pi / "
     "30\", rad/s"},
    {"boundaries", "omega|angularvelocity",
     "write [[boundaries.motion]] with type = \"rotation\", axis and angular_speed, rad/s"},
    {"boundaries", "velocity",
     "write [[boundaries.motion]] with type = \"translation\", direction and speed; a belt has "
     "surface_velocity"},
    {"boundaries", "surfacevel",
     "write surface_velocity = [vx, vy, vz], m/s"},
    {"boundaries", "fixed",
     "a boundary stands still unless it has a motion or a part: delete this line"},
    {"boundaries", "friction",
     "belongs in [[materials]]: give the wall a material of its own"},
    {"boundaries", "curvature",
     "is not needed: edges are found from the triangles; delete this line"},
    {"boundaries", "mass",
     "belongs in [[parts]]: a wall that forces move needs part = \"name\""},
    {"boundaries", "pressure",
     "belongs in [[parts]]: freedom = \"along\" with pressure and area, and part = \"name\" here"},
    {"boundaries", "length|width|height|size|halfextents|dimensions",
     "write low = [x, y, z] and high = [x, y, z] for a box, start and end of the axis for a "
     "tube or cylinder"},
    {"boundaries", "diameter|d",
     "write radius = diameter / 2, m"},
    {"boundaries", "center|origin",
     "write centre, or point for a plane, or low and high for a box"},
    {"boundaries", "positions|pos|location",
     "write point for a plane, low and high for a box, position for a mesh"},
    {"boundaries", "geometry|geom",
     "write type = \"mesh\" and file = \"NAME.stl\""},
    {"motion", "rpm",
     "write angular_speed = \"= rpm * pi / 30\", rad/s"},
    {"motion", "omega",
     "write angular_speed, rad/s"},
    {"motion", "angularvelocity",
     "write angular_speed, rad/s: a number; axis has the direction"},
    {"motion", "velocity",
     "write speed, m/s: a number; direction has the direction"},
    {"motion", "period",
     "write angular_speed = \"= 2 * pi / period\", rad/s; of an oscillation frequency = 1/period"},
    {"motion", "origin|center",
     "write point = [x, y, z], any point of the axis"},
    {"motion", "starttime",
     "write start, s"},
    {"motion", "endtime",
     "write stop, s"},
    {"motion", "acceleration",
     "write function = \"0.5 * a * t^2\", the distance, m"},
    {"motion", "rotationspeed|angularspeeds|speedrpm|degreespersecond",
     "write angular_speed, rad/s: \"= rpm * pi / 30\" or \"= degrees * degree\""},
    {"motion", "name",
     "a motion has no name: it belongs to the boundary, part or bodies above it"},
    {"region", "center|centre|size|lengths|halfextents",
     "write low and high: the centre less and plus half of the size"},
    {"region", "xlo|xhi|xmin|xmax|ylo|yhi|zlo|zhi",
     "write low = [xlo, ylo, zlo] and high = [xhi, yhi, zhi]"},
    {"region", "height",
     "write start and end of the axis of a cylinder, low and high of a box"},
    {"region", "diameter",
     "write radius = diameter / 2, m"},
    {"scale", "sigma|std|stddev|standarddeviation",
     "write deviation"},
    {"scale", "min|minimum",
     "write low, a factor on the size of the heading"},
    {"scale", "max|maximum",
     "write high, a factor on the size of the heading"},
    {"domain", "xmin|xmax|ymin|ymax|zmin|zmax|xlo|xhi",
     "write low = [x, y, z] and high = [x, y, z]"},
    {"domain", "size",
     "write low = [x, y, z] and high = [x, y, z]"},
    {"cell", "size|length|lengths",
     "write low = [0, 0, 0] and high = [x, y, z]"},
    {"cell", "velgrad|shearrate|gammadot",
     "write [[cell.flow]] with gradient_x = [0, rate, 0]: rows of the velocity gradient"},
    {"joints", "range",
     "write low and high, rad: low = \"= -90 * degree\""},
    {"joints", "anchor",
     "write point = [x, y, z]"},
    {"joints", "pos",
     "write point = [x, y, z], in the world at the start"},
    {"joints", "limits",
     "write low and high, rad or m"},
    {"joints", "bodya|bodyb|body1|body2|parent|child|part1|part2",
     "write a and b; \"ground\" if left out"},
    {"joints", "name1|name2",
     "write a and b"},
    {"solver", "iterations|maxiterations",
     "write max_sweeps"},
    {"solver", "type",
     "write kind = \"gauss_seidel\", \"nsgs\" or \"admm\""},
    {"solver", "omega",
     "is not needed: there is no relaxation factor; delete this line"},
    {"solver", "warmstart",
     "write warm_start"},
    {"solver", "contactrecoveryspeed",
     "write correction_speed, m/s"},
    {"output", "dumpevery|every",
     "write interval = number of steps * time_step, s"},
    {"output", "frequency",
     "write interval = 1/frequency, s"},
    {"output", "saveinterval",
     "write interval, s"},
    {"output", "format",
     "write vtk = true or hdf5 = true; other formats: scree export"},
    {"output", "folder",
     "is an option of the command line: scree run -o FOLDER"},
    {"output", "dt|timestep|period|writeinterval",
     "write interval, s"},
    {"output", "path|dir|directory|filename",
     "is an option of the command line: scree run -o FOLDER"},
    {"events", "time|at|when", "write quantity = \"time_s\" and rises_above = the time, s"},
    {"boundaries", "closed|capped", "write caps = [\"start\", \"end\"]"},
    {"measurements", "type|kind", "write measure"},
};

constexpr WordAdvice word_advice[] = {
    {"parts", "freedom", "x|y|z", "write freedom = \"along\" and direction = [0, 0, 1]"},
    {"parts", "freedom", "rotation|rotate|translation", "write freedom = \"about\" with axis, or \"along\" with direction"},
    {"measurements", "measure", "mass_flow|massflow|flow_rate|discharge", "is called \"flow\""},
    {"measurements", "measure", "porosity|solid_fraction|density|stress|coordination", "is a quantity of measure = \"bulk\""},
    {"measurements", "measure", "velocity|velocity_profile|temperature", "is a quantity of measure = \"profile\""},
    {"measurements", "measure", "angle_of_repose|slope|height|front", "is a quantity of measure = \"surface\""},
    {"measurements", "measure", "power|force|torque|energy|mass", "write measure = \"quantity\" and quantities = [...] (docs/observables.md)"},
    {"bodies", "generate", "grid", "is called \"lattice\""},
    {"scale", "distribution", "gaussian", "is called \"normal\""},
    {"region", "type", "block|cuboid", "is called \"box\""},
    {"region", "type", "sphere", "a region is a box, a cylinder or a closed mesh"},
    {"boundaries", "type", "stl|facets|facet|geometry|triangles|wall_mesh", "is called \"mesh\": type = \"mesh\", file = \"NAME.stl\""},
    {"boundaries", "type", "wall|floor", "write \"plane\" for an endless wall, \"box\" for a container, \"mesh\" for an STL file"},
    {"boundaries", "type", "xplane|yplane|zplane", "write type = \"plane\", point = [0, 0, z], normal = [0, 0, 1]"},
    {"boundaries", "type", "xcylinder|ycylinder|zcylinder", "write type = \"cylinder\" with start and end of the axis, and radius"},
    {"boundaries", "type", "infinite_wall", "write type = \"plane\"; normal points to the free side, against that of MercuryDPM"},
    {"boundaries", "type", "cuboid|container|bin", "is called \"box\""},
    {"boundaries", "type", "hopper|silo", "write \"cone\" and \"cylinder\", \"revolved\" with a profile, or \"mesh\""},
    {"boundaries", "type", "drum|pipe", "write type = \"cylinder\" with caps = [\"start\", \"end\"]"},
    {"boundaries", "type", "half_space", "is called \"plane\""},
    {"motion", "type", "linear|move|translate", "is called \"translation\""},
    {"motion", "type", "rotate|rotational|riggle", "is called \"rotation\""},
    {"motion", "type", "wiggle|vibration|oscillation|sine", "write type = \"translation\" with direction, amplitude and frequency = 1/period"},
    {"solver", "kind", "psor|pgs|sor|jacobi", "is called \"gauss_seidel\""},
    {"solver", "kind", "apgd", "write \"gauss_seidel\", which is accelerated, or \"admm\""},
    {"solver", "kind", "newton|cg|direct|barzilai_borwein", "write \"gauss_seidel\", \"nsgs\" or \"admm\""},
    {"solver", "friction_cone", "pyramidal", "write friction_cone = \"sampled\" and friction_samples"},
    {"solver", "friction_cone", "elliptic", "is called \"exact\""},
    {"joints", "type", "hinge", "is called \"revolute\""},
    {"joints", "type", "slide|slider", "is called \"prismatic\""},
    {"joints", "type", "ball", "is called \"spherical\""},
    {"joints", "type", "weld", "is called \"fixed\""},
    {"joints", "type", "distance", "is called \"rod\""},
    {"domain", "outside", "periodic", "write [cell] with low, high and periodic"},
    {"domain", "outside", "delete", "is called \"remove\""},
};

constexpr TypeAdvice type_advice[] = {
    {"parts", "force", "it is one number, N, along direction; the sign counts"},
    {"parts", "torque", "it is one number, N m, about axis; the sign counts"},
    {"", "gravity", "gravity is a vector: write gravity = [0, 0, -9.81]"},
    {"", "solver", "write [solver] and below it kind = \"gauss_seidel\""},
    {"", "output", "write [output] and below it interval = 0.02; the folder is given by scree run -o FOLDER"},
    {"materials", "friction", "it is one number; torsional_friction and rolling_friction are keys of their own, and "
     "pairs of materials have [[material_pairs]]"},
    {"bodies", "shape", "it is the name of a [[shapes]] heading; for an ellipsoid write semi_axes = [a, b, c], m"},
    {"bodies", "size", "it goes with shape; for an ellipsoid write semi_axes = [a, b, c], m"},
    {"bodies", "material", "write the name of a [[materials]] heading, in quotes; numbers are for tables only"},
    {"boundaries", "material", "write the name of a [[materials]] heading, in quotes"},
    {"inlets", "material", "write the name of a [[materials]] heading, in quotes"},
    {"bodies", "velocity", "write velocity = [vx, vy, vz]"},
    {"bodies", "radius", "it is one number; for a range write scale = {distribution = \"uniform\", low = 0.5, high ="
     " 1}, factors on the radius"},
    {"inlets", "radius", "it is one number; for a range write scale = {distribution = \"uniform\", low = 0.5, high ="
     " 1}, factors on the radius"},
    {"bodies", "region", "write region = {type = \"box\", low = [x, y, z], high = [x, y, z]}"},
    {"inlets", "region", "write region = {type = \"box\", low = [x, y, z], high = [x, y, z]}"},
    {"bodies", "scale", "write scale = {distribution = \"uniform\", low = 0.8, high = 1.2}, factors on the size"},
    {"bodies", "generate", "write generate = \"random\", \"lattice\" or \"dense\""},
    {"boundaries", "axis", "write axis = [0, 0, 1]"},
    {"motion", "axis", "write axis = [0, 0, 1]"},
    {"motion", "direction", "write direction = [0, 0, 1]"},
    {"boundaries", "normal", "write normal = [0, 0, 1]"},
    {"boundaries", "scale", "it is one number: scale = 0.001 for a file in millimetres"},
    {"boundaries", "motion", "write [[boundaries.motion]] below the boundary, with type = \"rotation\" or \"translation\""},
};
// clang-format on

/// Small letters alone, without what separates words.
std::string bare(std::string_view name) {
  std::string text;
  for (const char c : name)
    if (c != '_' && c != '-' && c != ' ')
      text.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  return text;
}

/// SI units in a unit.
struct UnitFactor {
  std::string_view unit;
  double factor;
};
constexpr UnitFactor unit_factors[] = {
    {"mm", 1e-3}, {"cm", 1e-2}, {"um", 1e-6}, {"m", 1.0},      {"s", 1.0},      {"ms", 1e-3},
    {"kg", 1.0},  {"g", 1e-3},  {"m/s", 1.0}, {"kg/m^3", 1.0}, {"g/cm^3", 1e3}, {"%", 1e-2},
    {"Pa", 1.0},  {"MPa", 1e6}, {"GPa", 1e9}, {"kPa", 1e3},    {"N", 1.0},      {"Hz", 1.0},
};

/// Advice on one line that TOML cannot read.
std::string advice_on_line(const std::string& line) {
  std::smatch match;
  static const std::regex comma(R"(^\s*([\w.]+)\s*=\s*([-+]?\d+),(\d+)\s*(#.*)?$)"),
      unit(R"(^\s*([\w.]+)\s*=\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*([A-Za-z%][\w/^]*)\s*(#.*)?$)"),
      word(R"(^\s*([\w.]+)\s*=\s*([A-Za-z][\w .-]*?)\s*(#.*)?$)"),
      formula(R"(^\s*([\w.]+)\s*=\s*([\w.(][^#"'\[\]{}=]*[-+*/^(][^#"'\[\]{}=]*?)\s*(#.*)?$)");
  if (std::regex_match(line, match, comma))
    return fmt::format("numbers have a decimal point: {} = {}.{}", match[1].str(), match[2].str(),
                       match[3].str());
  if (std::regex_match(line, match, unit)) {
    const auto* factor = std::ranges::find(unit_factors, match[3].str(), &UnitFactor::unit);
    if (factor != std::end(unit_factors))
      return fmt::format("units are not written, all numbers are in SI units: {} = {:g}", match[1].str(),
                         factor->factor * csv_number(match[2].str()));
  }
  if (std::regex_match(line, match, unit))
    return fmt::format("units are not written, all numbers are in SI units: {} = {}", match[1].str(),
                       match[2].str());
  if (std::regex_match(line, match, word))
    return fmt::format("a text needs quotes: {} = \"{}\"", match[1].str(), match[2].str());
  if (std::regex_match(line, match, formula))
    return fmt::format("an expression is a text that begins with =: {} = \"= {}\"", match[1].str(),
                       match[2].str());
  return "";
}

std::string line_of(std::string_view text, int number) {
  for (; number > 1 && !text.empty(); --number)
    text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  std::string line(text.substr(0, std::min(text.find('\n'), text.size())));
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

constexpr std::size_t longest_line = 500;  // regular expressions take time and memory with the length

}  // namespace

std::string_view foreign_key_advice(std::string_view section, std::string_view name) {
  const std::string word = bare(name);
  for (const KeyAdvice& entry : key_advice)
    if (entry.section == section && has_word(entry.names, word)) return entry.advice;
  return {};
}

std::string_view foreign_word_advice(const Key& key, std::string_view word) {
  std::string small(word);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const WordAdvice& entry : word_advice)
    if (entry.section == key.section && entry.key == key.name && has_word(entry.words, small))
      return entry.advice;
  return {};
}

std::string_view wrong_type_advice(const Key& key) {
  for (const TypeAdvice& entry : type_advice)
    if (entry.section == key.section && entry.key == key.name) return entry.advice;
  return {};
}

std::string foreign_text_advice(std::string_view text, int number) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  const std::string_view start = text.substr(first);
  constexpr std::string_view scene = "a scene is a TOML file: `scree new box` writes one";
  if (start.starts_with('{')) return fmt::format("this looks like JSON; {}", scene);
  if (start.starts_with('<')) return fmt::format("this looks like XML; {}", scene);
  static const std::regex script(
      R"((^|\n)\s*(pair_style|atom_style|units\s+(si|cgs|micro|lj)|fix\s+\S+\s+\S+\s+\S|run\s+\d+|timestep\s+[\d.]))"),
      python(R"((^|\n)(import\s+\w|from\s+[\w.]+\s+import\s))"), yaml(R"(^\s*[\w.]+:(\s|$))");
  const std::string head(text.substr(0, 4000));
  if (std::regex_search(head, script))
    return fmt::format("this looks like an input script of LIGGGHTS or LAMMPS; {}", scene);
  if (std::regex_search(head, python)) return fmt::format("this looks like Python; {}", scene);
  const std::string line = line_of(text, number);
  if (line.size() > longest_line) return "";
  if (std::regex_search(line, yaml)) return fmt::format("this looks like YAML; {}", scene);
  return advice_on_line(line);
}

}  // namespace scree::io
