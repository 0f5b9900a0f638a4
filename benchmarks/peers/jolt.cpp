// The neutral scene in Jolt, native: rigid bodies with hulls, sequential impulses, one thread. Written for
// Jolt 5.5. Usage: peers_jolt start=CSV end=CSV times=FILE velocity_iterations=N position_iterations=N
// slop=M|default points="x,y,z;..." and the neutral scene (peers.h). Prints JSON.
#include <Jolt/Jolt.h>
// Jolt.h must come before all other headers of Jolt.
#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Collision/Shape/ConvexHullShape.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>
#include <cstdio>
#include <memory>

#include "benchmarks/peers/peers.h"

namespace {

constexpr JPH::ObjectLayer still = 0, moving = 1;
constexpr JPH::uint most_pairs = 1u << 18;
constexpr JPH::uint scratch_bytes = 512u << 20;

float single(double value) { return static_cast<float>(value); }

JPH::Vec3 vector(const peers::Three& v) { return {single(v[0]), single(v[1]), single(v[2])}; }

template <class Vector>
peers::Three three(const Vector& v) {
  return {v.GetX(), v.GetY(), v.GetZ()};
}

class Layers final : public JPH::BroadPhaseLayerInterface {
 public:
  JPH::uint GetNumBroadPhaseLayers() const override { return 2; }
  JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer layer) const override {
    return JPH::BroadPhaseLayer(static_cast<JPH::BroadPhaseLayer::Type>(layer));
  }
#if defined(JPH_EXTERNAL_PROFILE) || defined(JPH_PROFILE_ENABLED)
  const char* GetBroadPhaseLayerName(JPH::BroadPhaseLayer) const override { return "layer"; }
#endif
};

class LayerFilter final : public JPH::ObjectVsBroadPhaseLayerFilter {
 public:
  bool ShouldCollide(JPH::ObjectLayer a, JPH::BroadPhaseLayer b) const override {
    return a == moving || b == JPH::BroadPhaseLayer(moving);
  }
};

class PairFilter final : public JPH::ObjectLayerPairFilter {
 public:
  bool ShouldCollide(JPH::ObjectLayer a, JPH::ObjectLayer b) const override {
    return a == moving || b == moving;
  }
};

/// Global set-up that Jolt requires before any other object of it exists.
struct Library {
  Library() {
    JPH::RegisterDefaultAllocator();
    JPH::Factory::sInstance = new JPH::Factory();
    JPH::RegisterTypes();
  }
  ~Library() {
    JPH::UnregisterTypes();
    delete JPH::Factory::sInstance;
    JPH::Factory::sInstance = nullptr;
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

class World {
 public:
  World(const peers::Scene& scene, const peers::Arguments& arguments)
      : scene_(scene), hull_(make_hull(arguments)), scratch_(scratch_bytes), jobs_(JPH::cMaxPhysicsJobs) {
    const std::vector<peers::BodyState> start = peers::read_states(arguments.text("start"));
    constexpr JPH::uint room = 16;
    system_.Init(static_cast<JPH::uint>(start.size()) + room, 0, most_pairs, most_pairs, layers_,
                 layer_filter_, pair_filter_);
    system_.SetGravity({0, 0, single(-scene.gravity)});
    JPH::PhysicsSettings settings = system_.GetPhysicsSettings();
    settings.mNumVelocitySteps = static_cast<JPH::uint>(arguments.whole("velocity_iterations"));
    settings.mNumPositionSteps = static_cast<JPH::uint>(arguments.whole("position_iterations"));
    settings.mAllowSleeping = false;
    if (arguments.text("slop") != "default") settings.mPenetrationSlop = single(arguments.number("slop"));
    system_.SetPhysicsSettings(settings);
    for (const peers::WallBox& wall : peers::wall_boxes(scene)) add_wall(wall);
    for (const peers::BodyState& s : start) add_body(s);
    system_.OptimizeBroadPhase();
  }

  void step(double time_step) {
    if (system_.Update(single(time_step), 1, &scratch_, &jobs_) != JPH::EPhysicsUpdateError::None)
      throw std::runtime_error("Jolt has no room for the contacts");
  }

  std::vector<peers::BodyState> states() {
    const JPH::BodyInterface& bodies = system_.GetBodyInterfaceNoLock();
    std::vector<peers::BodyState> result;
    for (const JPH::BodyID body : moving_) {
      const JPH::Quat q = bodies.GetRotation(body);
      result.push_back({three(bodies.GetCenterOfMassPosition(body)),
                        {q.GetW(), q.GetX(), q.GetY(), q.GetZ()},
                        three(bodies.GetLinearVelocity(body)),
                        three(bodies.GetAngularVelocity(body))});
    }
    return result;
  }

 private:
  static JPH::RefConst<JPH::Shape> make_hull(const peers::Arguments& arguments) {
    JPH::Array<JPH::Vec3> points;
    for (const peers::Three& point : arguments.triples("points")) points.push_back(vector(point));
    const auto made = JPH::ConvexHullShapeSettings(points).Create();
    if (made.HasError()) throw std::runtime_error(made.GetError().c_str());
    return made.Get();
  }
  void add_wall(const peers::WallBox& wall) {
    JPH::BodyCreationSettings settings(new JPH::BoxShape(vector(wall.half)), JPH::RVec3(vector(wall.centre)),
                                       JPH::Quat::sIdentity(), JPH::EMotionType::Static, still);
    settings.mFriction = single(scene_.friction);  // Jolt: geometric mean of both bodies
    system_.GetBodyInterfaceNoLock().CreateAndAddBody(settings, JPH::EActivation::DontActivate);
  }
  void add_body(const peers::BodyState& s) {
    const auto& q = s.orientation;
    const JPH::Quat orientation(single(q[1]), single(q[2]), single(q[3]), single(q[0]));
    JPH::BodyCreationSettings settings(hull_, JPH::RVec3(vector(s.position)), orientation.Normalized(),
                                       JPH::EMotionType::Dynamic, moving);
    settings.mOverrideMassProperties = JPH::EOverrideMassProperties::MassAndInertiaProvided;
    settings.mMassPropertiesOverride.mMass = single(scene_.mass());
    settings.mMassPropertiesOverride.mInertia = JPH::Mat44::sScale(vector(scene_.inertia()));
    settings.mFriction = single(scene_.friction);
    settings.mRestitution = settings.mLinearDamping = settings.mAngularDamping = 0;
    settings.mApplyGyroscopicForce = true;
    settings.mAllowSleeping = false;
    moving_.push_back(
        system_.GetBodyInterfaceNoLock().CreateAndAddBody(settings, JPH::EActivation::Activate));
  }

  peers::Scene scene_;
  JPH::RefConst<JPH::Shape> hull_;
  Layers layers_;
  LayerFilter layer_filter_;
  PairFilter pair_filter_;
  JPH::TempAllocatorImpl scratch_;
  JPH::JobSystemSingleThreaded jobs_;
  JPH::PhysicsSystem system_;
  std::vector<JPH::BodyID> moving_;
};

void run(const peers::Arguments& arguments) {
  const peers::Scene scene(arguments);
  const Library library;
  World world(scene, arguments);
  peers::time_steps(scene, arguments.text("times"), [&] { world.step(scene.time_step); });
  peers::write_states(arguments.text("end"), world.states());
  std::printf("{\"version\": \"Jolt %d.%d.%d, %s precision\"}\n", JPH_VERSION_MAJOR, JPH_VERSION_MINOR,
              JPH_VERSION_PATCH, sizeof(JPH::Real) == sizeof(float) ? "single" : "double");
}

}  // namespace

int main(int argc, char** argv) { return peers::run_program("peers_jolt", argc, argv, run); }
