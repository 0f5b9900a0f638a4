// The neutral scene in Bullet: rigid bodies with hulls of 42 points, sequential impulses. Written for Bullet
// 3.24. Usage: peers_bullet start=CSV end=CSV times=FILE iterations=N substeps=N margin=M split=M and the
// neutral scene (peers.h). Prints JSON.
#include <btBulletDynamicsCommon.h>
#include <cstdio>
#include <memory>

#include "benchmarks/peers/peers.h"

namespace {

btVector3 vector(const peers::Three& v) {
  return {static_cast<btScalar>(v[0]), static_cast<btScalar>(v[1]), static_cast<btScalar>(v[2])};
}

peers::Three three(const btVector3& v) { return {v.x(), v.y(), v.z()}; }

class World {
 public:
  World(const peers::Scene& scene, const peers::Arguments& arguments)
      : friction_(static_cast<btScalar>(std::sqrt(scene.friction))) {  // Bullet multiplies both values
    world_.setGravity({0, 0, static_cast<btScalar>(-scene.gravity)});
    world_.getSolverInfo().m_numIterations = arguments.whole("iterations");
    world_.getSolverInfo().m_splitImpulsePenetrationThreshold =
        static_cast<btScalar>(arguments.number("split"));
    for (const peers::WallPlane& wall : peers::walls(scene)) {
      const btVector3 normal = vector(wall.normal);
      shapes_.push_back(std::make_unique<btStaticPlaneShape>(normal, normal.dot(vector(wall.point))));
      add(btTransform::getIdentity(), 0, {0, 0, 0}, *shapes_.back());
    }
    auto hull = std::make_unique<btConvexHullShape>();
    for (const peers::Three& point : arguments.triples("points")) hull->addPoint(vector(point), false);
    hull->recalcLocalAabb();
    hull->setMargin(static_cast<btScalar>(arguments.number("margin")));
    for (const peers::BodyState& s : peers::read_states(arguments.text("start"))) {
      const auto& q = s.orientation;
      const btQuaternion orientation(static_cast<btScalar>(q[1]), static_cast<btScalar>(q[2]),
                                     static_cast<btScalar>(q[3]), static_cast<btScalar>(q[0]));
      add(btTransform(orientation, vector(s.position)), static_cast<btScalar>(scene.mass()),
          vector(scene.inertia()), *hull);
      moving_.push_back(bodies_.back().get());
    }
    shapes_.push_back(std::move(hull));
  }
  ~World() {
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void step(double time_step, int substeps) {
    for (int k = 0; k < substeps; ++k) world_.stepSimulation(static_cast<btScalar>(time_step / substeps), 0);
  }

  std::vector<peers::BodyState> states() const {
    std::vector<peers::BodyState> result;
    for (const btRigidBody* body : moving_) {
      const btQuaternion q = body->getWorldTransform().getRotation();
      result.push_back({three(body->getWorldTransform().getOrigin()),
                        {q.w(), q.x(), q.y(), q.z()},
                        three(body->getLinearVelocity()),
                        three(body->getAngularVelocity())});
    }
    return result;
  }

 private:
  void add(const btTransform& pose, btScalar mass, const btVector3& inertia, btCollisionShape& shape) {
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, &shape, inertia);
    info.m_startWorldTransform = pose;
    info.m_friction = friction_;
    bodies_.push_back(std::make_unique<btRigidBody>(info));
    bodies_.back()->setActivationState(DISABLE_DEACTIVATION);
    world_.addRigidBody(bodies_.back().get());
  }

  btScalar friction_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broad_phase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broad_phase_, &solver_, &configuration_};
  std::vector<std::unique_ptr<btCollisionShape>> shapes_;
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<btRigidBody*> moving_;
};

void run(const peers::Arguments& arguments) {
  const peers::Scene scene(arguments);
  World world(scene, arguments);
  const int substeps = arguments.whole("substeps");
  peers::time_steps(scene, arguments.text("times"), [&] { world.step(scene.time_step, substeps); });
  peers::write_states(arguments.text("end"), world.states());
  const int version = btGetVersion();
  std::printf("{\"version\": \"Bullet %d.%02d, %s precision\"}\n", version / 100, version % 100,
              sizeof(btScalar) == 4 ? "single" : "double");
}

}  // namespace

int main(int argc, char** argv) { return peers::run_program("peers_bullet", argc, argv, run); }
