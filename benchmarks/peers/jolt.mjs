// The neutral scene in Jolt, compiled to WebAssembly (npm package jolt-physics): hulls of 42 points, one thread.
//   node jolt.mjs package=FOLDER start=CSV end=CSV times=FILE slop=M|default convex_radius=M points="x,y,z;..." and the
//   neutral scene as for the other programs (peers.h); prints JSON.
import fs from "node:fs";
import path from "node:path";
import url from "node:url";

const values = Object.fromEntries(process.argv.slice(2).map((text) => {
  const equals = text.indexOf("=");
  return [text.slice(0, equals), text.slice(equals + 1)];
}));
const three = (text) => text.split(",").map(Number);
const number = (key) => Number(values[key]);
const [STILL, MOVING] = [0, 1];  // layers

const package_file = path.join(values.package, "package.json");
const version = JSON.parse(fs.readFileSync(package_file, "utf-8")).version;
const library = path.join(values.package, "dist/jolt-physics.wasm-compat.js");
const Jolt = await (await import(url.pathToFileURL(library))).default();

function make_world(bodies) {
  const settings = new Jolt.JoltSettings();
  const layers = new Jolt.ObjectLayerPairFilterTable(2);
  layers.EnableCollision(STILL, MOVING);
  layers.EnableCollision(MOVING, MOVING);
  const broad_phase = new Jolt.BroadPhaseLayerInterfaceTable(2, 2);
  broad_phase.MapObjectToBroadPhaseLayer(STILL, new Jolt.BroadPhaseLayer(0));
  broad_phase.MapObjectToBroadPhaseLayer(MOVING, new Jolt.BroadPhaseLayer(1));
  settings.mObjectLayerPairFilter = layers;
  settings.mBroadPhaseLayerInterface = broad_phase;
  settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(broad_phase, 2, layers, 2);
  settings.mMaxBodies = bodies + 16;
  settings.mMaxBodyPairs = 64 * bodies + 1024;
  settings.mMaxContactConstraints = 16 * bodies + 1024;
  const world = new Jolt.JoltInterface(settings);
  const system = world.GetPhysicsSystem();
  system.SetGravity(new Jolt.Vec3(0, 0, -number("gravity")));
  const physics = system.GetPhysicsSettings();
  if (values.slop !== "default") physics.mPenetrationSlop = number("slop");
  system.SetPhysicsSettings(physics);
  return [world, system, physics];
}

function made(settings) {
  const result = settings.Create();
  if (result.HasError()) throw new Error(result.GetError().c_str());
  const shape = result.Get();
  shape.AddRef();
  return shape;
}

function hull() {
  const settings = new Jolt.ConvexHullShapeSettings();
  for (const point of values.points.split(";")) settings.mPoints.push_back(new Jolt.Vec3(...three(point)));
  settings.mMaxConvexRadius = number("convex_radius");
  return made(settings);
}

function add_walls(interface_) {
  const h = number("half_side");
  for (const [normal, constant] of [[[0, 0, 1], 0], [[1, 0, 0], h], [[-1, 0, 0], h], [[0, 1, 0], h], [[0, -1, 0], h]]) {
    const shape = made(new Jolt.PlaneShapeSettings(new Jolt.Plane(new Jolt.Vec3(...normal), constant)));
    const body = new Jolt.BodyCreationSettings(shape, new Jolt.RVec3(0, 0, 0), new Jolt.Quat(0, 0, 0, 1),
                                               Jolt.EMotionType_Static, STILL);
    body.mFriction = number("friction");
    interface_.CreateAndAddBody(body, Jolt.EActivation_DontActivate);
  }
}

function add_body(interface_, shape, row) {
  const [x, y, z, qw, qx, qy, qz] = row;
  const settings = new Jolt.BodyCreationSettings(shape, new Jolt.RVec3(x, y, z), new Jolt.Quat(qx, qy, qz, qw),
                                                 Jolt.EMotionType_Dynamic, MOVING);
  const a2 = three(values.semi_axes).map((a) => a * a);
  const mass = number("density") * 4 / 3 * Math.PI * Math.sqrt(a2[0] * a2[1] * a2[2]);
  settings.mOverrideMassProperties = Jolt.EOverrideMassProperties_MassAndInertiaProvided;
  settings.mMassPropertiesOverride.mMass = mass;
  const inertia = Jolt.Mat44.prototype.sIdentity();
  inertia.SetDiagonal3(new Jolt.Vec3(...[a2[1] + a2[2], a2[0] + a2[2], a2[0] + a2[1]].map((sum) => mass / 5 * sum)));
  settings.mMassPropertiesOverride.mInertia = inertia;
  settings.mFriction = number("friction");  // Jolt: geometric mean of both bodies
  settings.mLinearDamping = 0;
  settings.mAngularDamping = 0;
  settings.mApplyGyroscopicForce = true;
  settings.mAllowSleeping = false;
  const id = interface_.CreateAndAddBody(settings, Jolt.EActivation_Activate);
  const copy = new Jolt.BodyID(id.GetIndexAndSequenceNumber());
  Jolt.destroy(settings);
  return copy;
}

const xyz = (v) => [v.GetX(), v.GetY(), v.GetZ()];

function state(interface_, id) {
  const q = interface_.GetRotation(id);
  const orientation = [q.GetW(), ...xyz(q)];
  return [...xyz(interface_.GetPosition(id)), ...orientation, ...xyz(interface_.GetLinearVelocity(id)),
          ...xyz(interface_.GetAngularVelocity(id))];
}

const rows = fs.readFileSync(values.start, "utf-8").trim().split("\n").slice(1).map(three);
const [world, system, physics] = make_world(rows.length);
const bodies = system.GetBodyInterface();
add_walls(bodies);
const shape = hull();
const ids = rows.map((row) => add_body(bodies, shape, row));
const times = [];
for (let k = 0; k < number("steps"); ++k) {
  const start = performance.now();
  world.Step(number("time_step"), 1);
  times.push(1e-3 * (performance.now() - start));
}
fs.writeFileSync(values.times, times.map((time) => `${time}\n`).join(""));
fs.writeFileSync(values.end, "x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n" +
                 ids.map((id) => state(bodies, id).join(",") + "\n").join(""));
console.log(JSON.stringify({
  version: `jolt-physics ${version} (WebAssembly), node ${process.versions.node}`,
  slop_m: physics.mPenetrationSlop, speculative_distance_m: physics.mSpeculativeContactDistance,
  velocity_iterations: physics.mNumVelocitySteps, position_iterations: physics.mNumPositionSteps,
}));
