#include "engine/simulation/subsystems/insertion.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "engine/core/parallel.h"
#include "engine/modules/generation/packing.h"
#include "engine/simulation/placement.h"
#include "engine/simulation/ranks/decomposition.h"
#include "engine/simulation/subsystems/parts.h"
#include "engine/simulation/subsystems/population.h"

namespace scree {

namespace {

// Relative, of sums of masses and of times.
constexpr double rounding = 1e-12;

/// Is a point, or in a periodic cell any image of it, in an outlet?
bool is_in(const HalfSpace& half, const PlacedCell&,
           const Vec3& x) {  // no normal is along a periodic direction
  return half.normal.dot(x - half.point) > 0.0;
}
bool is_in(const Region& region, const PlacedCell& cell, const Vec3& x) {
  return holds_image(region, cell, x);
}

/// A domain has no limits along periodic directions.
bool is_outside(const Domain& domain, const PlacedCell& cell, const Vec3& x) {
  for (int k = 0; k < 3; ++k) {
    const bool within = x[k] >= domain.low[k] && x[k] <= domain.high[k];
    if (!within && !cell.periodic[k]) return true;
  }
  return false;
}

/// Energy and momenta of one body.
BodySums sums_of(const Bodies& b, std::size_t i, const Vec3& gravity) {
  const Vec3 p = b.mass[i] * b.linear_velocity[i];
  const Vec3 spin = b.orientation[i].conjugate() * b.angular_velocity[i];
  return {kinetic_energy(b, i), -b.mass[i] * gravity.dot(b.position[i]), p,
          b.position[i].cross(p) + b.orientation[i] * b.inertia[i].cwiseProduct(spin)};
}

void account(const BodySums& sums, double sign, StepReport& report) {
  report.energy.exchanged += sign * (sums.kinetic + sums.potential);
  report.insertion.linear_momentum += sign * sums.linear;
  report.insertion.angular_momentum += sign * sums.angular;
}

/// Returns the impulse on the body, N s.
Vec3 reflect(const Domain& domain, const PlacedCell& cell, Bodies& bodies, std::size_t i) {
  const Vec3 &x = bodies.position[i], before = bodies.linear_velocity[i];
  Vec3& v = bodies.linear_velocity[i];
  for (int k = 0; k < 3; ++k) {
    if (cell.periodic[k]) continue;
    if ((x[k] < domain.low[k] && v[k] < 0.0) || (x[k] > domain.high[k] && v[k] > 0.0)) v[k] = -v[k];
  }
  return bodies.mass[i] * (v - before);
}

/// [body] its outlet, `nowhere`, or `out_of_domain`.
constexpr std::int32_t nowhere = -1, out_of_domain = -2;
std::vector<std::int32_t> whereabouts(const Model& model, const PlacedCell& cell, const Bodies& bodies) {
  std::vector<std::int32_t> where(bodies.size(), nowhere);
  for_each_index(bodies.size(), grain_light, [&](std::size_t i) {
    if (bodies.is_carried(i)) return;
    const Vec3& x = bodies.position[i];
    for (std::size_t k = model.outlets.size(); k-- > 0;)
      if (std::visit([&](const auto& place) { return is_in(place, cell, x); }, model.outlets[k].where))
        where[i] = static_cast<std::int32_t>(k);
    if (where[i] == nowhere && model.domain.outside != Outside::keep && is_outside(model.domain, cell, x))
      where[i] = out_of_domain;
  });
  return where;
}

/// A body in an outlet or outside of the domain, with the data for reports.
struct Found {
  std::int32_t where;
  BodyId id;
  double mass;
  BodySums sums;
  Vec3 position, given;  // m; N s, if it was reflected
};

/// The bodies of all ranks, in global order. Reflections have been made.
std::vector<Found> find_somewhere(const Model& model, const PlacedCell& cell, Bodies& bodies) {
  const std::vector<std::int32_t> where = whereabouts(model, cell, bodies);
  std::vector<Found> found;
  for (std::size_t i = 0; i < where.size(); ++i) {
    if (where[i] == nowhere) continue;
    Found f{where[i],           bodies.id[i],      bodies.mass[i], sums_of(bodies, i, model.settings.gravity),
            bodies.position[i], Vec3(Vec3::Zero())};
    if (where[i] == out_of_domain && model.domain.outside == Outside::reflect)
      f.given = reflect(model.domain, cell, bodies, i);
    found.push_back(f);
  }
  return of_all(bodies.ranks, found);
}

void let_out(const Model& model, const PlacedCell& cell, State& state, Decomposition* decomposition,
             StepReport& report) {
  if (model.outlets.empty() && model.domain.outside == Outside::keep) return;
  std::vector<BodyId> gone;
  for (const Found& f : find_somewhere(model, cell, state.bodies)) {
    if (f.where == out_of_domain && model.domain.outside != Outside::remove) {
      report.insertion.linear_momentum += f.given;
      report.insertion.angular_momentum += f.position.cross(f.given);
      if (model.domain.outside == Outside::stop && report.insertion.astray < 0)
        report.insertion.astray = f.id;
      continue;
    }
    Throughput& throughput =
        state.left[f.where == out_of_domain ? model.outlets.size() : static_cast<std::size_t>(f.where)];
    ++throughput.bodies;
    throughput.mass += f.mass;
    ++report.insertion.left;
    report.insertion.mass_left += f.mass;
    account(f.sums, -1.0, report);
    gone.push_back(f.id);
  }
  if (gone.empty()) return;
  if (decomposition != nullptr)
    decomposition->remove(gone, state);
  else
    remove(state, gone);
}

/// The space in which an inlet may place grains: all images that reach into it are obstacles.
class Room {
 public:
  Room(const Shapes& shapes, const Inlet& inlet, const PlacedCell& cell)
      : shapes_(shapes), cell_(cell), packer_(room_of(inlet.region, cell), {}) {
    std::tie(middle_, half_) = bounding_box(inlet.region);
    if (!cell.is_periodic()) return;
    for (const InletGrain& grain : inlet.grains)  // grains may stick out
      stick_out_ = std::max(stick_out_, shapes.bounding_radius(grain.shape));
  }
  void add(ShapeIndex shape, const Pose& pose) {
    std::optional<Obstacle> body;
    cell_.visit_images(pose.position, middle_, reach_of(shape), [&](const Vec3& shift) {
      if (!body) body = obstacle_of(shapes_, shape, pose);
      packer_.add(moved(*body, shift));
      return true;
    });
  }
  /// Adds the bodies that reach into it, of all ranks.
  void add(const Bodies& bodies) {
    struct Placed {
      ShapeIndex shape;
      Pose pose;
    };
    std::vector<Placed> near;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (!cell_.visit_images(bodies.position[i], middle_, reach_of(bodies.shape[i]),
                              [](const Vec3&) { return false; }))
        near.push_back({bodies.shape[i], bodies.pose(i)});
    for (const Placed& body : of_all(bodies.ranks, near)) add(body.shape, body.pose);
  }
  bool is_free(ShapeIndex shape, const Pose& pose) const {
    return packer_.fits(obstacle_of(shapes_, shape, pose));
  }

 private:
  Vec3 reach_of(ShapeIndex shape) const {
    return half_ + Vec3::Constant(shapes_.bounding_radius(shape) + stick_out_);
  }

  const Shapes& shapes_;
  const PlacedCell& cell_;
  Packer packer_;
  Vec3 middle_, half_;
  double stick_out_ = 0.0;
};

/// The kind of grain n of an inlet. It does not depend on the time at which the grain comes.
const InletGrain& grain_of(const Inlet& inlet, std::int64_t n) {
  Random random(inlet.seed, static_cast<std::uint64_t>(n));
  const auto found = std::ranges::upper_bound(inlet.grains, random.uniform(), {}, &InletGrain::until);
  return found == inlet.grains.end() ? inlet.grains.back() : *found;
}

/// Obstacles: grains, and the boundaries' poses at a time.
struct Occupied {
  Room& room;
  std::span<const BoundaryPose> walls;
  double time_s;
};

/// The first free place of so many; the grain takes it.
std::optional<Pose> find_place(const Model& model, const Inlet& inlet, const InletGrain& grain, int attempts,
                               const Occupied& by, Random& random) {
  for (int k = 0; k < attempts; ++k) {
    Pose pose;
    pose.orientation = draw_orientation(inlet.orientation, inlet.spread, random);
    pose.position = sample_point(inlet.region, random);
    if (!by.room.is_free(grain.shape, pose) ||
        overlaps_boundary(model, grain.shape, grain.material, pose, by.time_s, by.walls))
      continue;
    by.room.add(grain.shape, pose);
    return pose;
  }
  return std::nullopt;
}

void let_in(const Model& model, const NewBody& body, Decomposition* decomposition, State& state,
            StepReport& report) {
  Bodies one;
  add_body(one, model.shapes, model.materials, body);
  account(sums_of(one, 0, model.settings.gravity), 1.0, report);
  if (decomposition != nullptr)
    decomposition->insert(model, body, state);
  else
    insert(model, state, body);
}

void let_in(const Model& model, const PlacedCell& cell, std::size_t number, State& state,
            Decomposition* decomposition, StepReport& report) {
  const Inlet& inlet = model.inlets[number];
  Throughput& throughput = state.entered[number];
  const std::vector<MotionClock>& clocks = state.overrides.inlets;
  if (!clocks.empty() && !clocks[number].runs) return;
  const double wanted = due(inlet, clocks.empty() ? state.time_s : clocks[number].at(state.time_s));
  std::optional<Room> room;
  std::vector<BoundaryPose> walls;
  // Places of this step; grain_of() draws from the streams below.
  Random random(~inlet.seed, static_cast<std::uint64_t>(state.step));
  for (;;) {
    const InletGrain& grain = grain_of(inlet, throughput.bodies);
    const double mass = volume(model.shapes, grain.shape) * model.materials.density(grain.material);
    const bool is_due = inlet.mass_rate > 0.0 ? throughput.mass + mass <= wanted
                                              : static_cast<double>(throughput.bodies) + 1.0 <= wanted;
    if (!is_due || throughput.mass + mass > inlet.most_mass * (1.0 + rounding) ||
        static_cast<double>(throughput.bodies) + 1.0 > inlet.most_count)
      return;
    if (!room) {
      room.emplace(model.shapes, inlet, cell);
      room->add(state.bodies);
      walls = boundary_poses(model, state);
    }
    const auto pose = find_place(model, inlet, grain, inlet.attempts, {*room, walls, state.time_s}, random);
    if (!pose) {
      ++throughput.waited;
      return;
    }
    Twist twist = inlet.twist;
    if (cell.flows()) twist.linear += cell.flow(pose->position);
    let_in(model, {grain.shape, grain.material, *pose, twist}, decomposition, state, report);
    ++throughput.bodies;
    throughput.mass += mass;
    ++report.insertion.entered;
    report.insertion.mass_entered += mass;
  }
}

}  // namespace

double due(const Inlet& inlet, double time_s) {
  const double rate = inlet.mass_rate > 0.0 ? inlet.mass_rate : inlet.number_rate;
  // One grain at the very start, and none a step later because of rounding.
  return rate * std::max(0.0, std::min(time_s, inlet.stop_s) - inlet.start_s) * (1.0 + rounding);
}

double mean_mass(std::span<const InletGrain> grains, const Model& model) {
  double mean = 0.0, before = 0.0;
  for (const InletGrain& grain : grains) {
    mean +=
        (grain.until - before) * volume(model.shapes, grain.shape) * model.materials.density(grain.material);
    before = grain.until;
  }
  return mean;
}

bool has_place(const Model& model, const Inlet& inlet, const InletGrain& grain, int attempts, double time_s) {
  const PlacedCell cell = model.cell.at(time_s);
  Room room(model.shapes, inlet, cell);
  Random random(inlet.seed);
  return find_place(model, inlet, grain, attempts, {room, {}, time_s}, random).has_value();
}

void insertion(const Model& model, State& state, StepReport& report, Decomposition* decomposition) {
  if (model.inlets.empty() && model.outlets.empty() && model.domain.outside == Outside::keep) return;
  state.entered.resize(model.inlets.size());
  state.left.resize(model.outlets.size() + 1);
  const PlacedCell cell = cell_at(model, state, state.time_s);
  let_out(model, cell, state, decomposition, report);
  for (std::size_t k = 0; k < model.inlets.size(); ++k) let_in(model, cell, k, state, decomposition, report);
}

}  // namespace scree
