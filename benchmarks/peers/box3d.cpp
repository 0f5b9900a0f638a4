// The neutral scene in Box3D, native: rigid bodies with hulls, soft contacts solved in substeps, one thread.
// Written for Box3D 0.2. Usage: peers_box3d start=CSV end=CSV times=FILE substeps=N points="x,y,z;..." and
// the neutral scene (peers.h). Prints JSON.
#include <box3d/box3d.h>
#include <cstdio>
#include <memory>

#include "benchmarks/peers/peers.h"

namespace {

float single(double value) { return static_cast<float>(value); }

b3Vec3 vector(const peers::Three& v) { return {single(v[0]), single(v[1]), single(v[2])}; }

template <class Vector>
peers::Three three(const Vector& v) {
  return {v.x, v.y, v.z};
}

b3Pos position(const peers::Three& v) {
  b3Pos p{};  // single or double precision, depending on the library
  p.x = static_cast<decltype(p.x)>(v[0]);
  p.y = static_cast<decltype(p.y)>(v[1]);
  p.z = static_cast<decltype(p.z)>(v[2]);
  return p;
}

class World {
 public:
  World(const peers::Scene& scene, const peers::Arguments& arguments)
      : scene_(scene), world_(make_world(scene)), hull_(make_hull(arguments), b3DestroyHull) {
    for (const peers::WallBox& wall : peers::wall_boxes(scene)) add_wall(wall);
    for (const peers::BodyState& s : peers::read_states(arguments.text("start"))) add_body(s);
  }
  ~World() { b3DestroyWorld(world_); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void step(double time_step, int substeps) { b3World_Step(world_, single(time_step), substeps); }

  std::vector<peers::BodyState> states() const {
    std::vector<peers::BodyState> result;
    for (const b3BodyId body : moving_) {
      const b3Quat q = b3Body_GetRotation(body);
      result.push_back({three(b3Body_GetPosition(body)),
                        {q.s, q.v.x, q.v.y, q.v.z},
                        three(b3Body_GetLinearVelocity(body)),
                        three(b3Body_GetAngularVelocity(body))});
    }
    return result;
  }

 private:
  static b3WorldId make_world(const peers::Scene& scene) {
    b3WorldDef settings = b3DefaultWorldDef();
    settings.gravity = {0, 0, single(-scene.gravity)};
    settings.enableSleep = false;
    settings.workerCount = 1;
    return b3CreateWorld(&settings);
  }
  static b3HullData* make_hull(const peers::Arguments& arguments) {
    std::vector<b3Vec3> points;
    for (const peers::Three& point : arguments.triples("points")) points.push_back(vector(point));
    const int count = static_cast<int>(points.size());
    b3HullData* hull = b3CreateHull(points.data(), count, count);
    if (hull == nullptr || hull->vertexCount != count)
      throw std::runtime_error("Box3D makes another hull of the points");
    return hull;
  }
  b3ShapeDef surface() const {
    b3ShapeDef settings = b3DefaultShapeDef();
    settings.baseMaterial.friction = single(scene_.friction);  // Box3D: geometric mean of both bodies
    settings.baseMaterial.restitution = 0;
    settings.updateBodyMass = false;
    return settings;
  }
  void add_wall(const peers::WallBox& wall) {
    b3BodyDef settings = b3DefaultBodyDef();
    settings.position = position(wall.centre);
    const b3BoxHull box = b3MakeBoxHull(single(wall.half[0]), single(wall.half[1]), single(wall.half[2]));
    const b3ShapeDef shape = surface();
    b3CreateHullShape(b3CreateBody(world_, &settings), &shape, &box.base);
  }
  void add_body(const peers::BodyState& s) {
    b3BodyDef settings = b3DefaultBodyDef();
    settings.type = b3_dynamicBody;
    settings.enableSleep = false;
    settings.position = position(s.position);
    const auto& q = s.orientation;
    settings.rotation = {{single(q[1]), single(q[2]), single(q[3])}, single(q[0])};
    const b3BodyId body = b3CreateBody(world_, &settings);
    const b3ShapeDef shape = surface();
    b3CreateHullShape(body, &shape, hull_.get());
    const b3Vec3 inertia = vector(scene_.inertia());
    b3Body_SetMassData(
        body, {single(scene_.mass()), {0, 0, 0}, {{inertia.x, 0, 0}, {0, inertia.y, 0}, {0, 0, inertia.z}}});
    moving_.push_back(body);
  }

  peers::Scene scene_;
  b3WorldId world_;
  std::unique_ptr<b3HullData, void (*)(b3HullData*)> hull_;
  std::vector<b3BodyId> moving_;
};

void run(const peers::Arguments& arguments) {
  const peers::Scene scene(arguments);
  World world(scene, arguments);
  const int substeps = arguments.whole("substeps");
  peers::time_steps(scene, arguments.text("times"), [&] { world.step(scene.time_step, substeps); });
  peers::write_states(arguments.text("end"), world.states());
  const b3Version version = b3GetVersion();
  std::printf("{\"version\": \"Box3D %d.%d.%d, %s precision\"}\n", version.major, version.minor,
              version.revision, b3IsDoublePrecision() ? "double" : "single");
}

}  // namespace

int main(int argc, char** argv) { return peers::run_program("peers_box3d", argc, argv, run); }
