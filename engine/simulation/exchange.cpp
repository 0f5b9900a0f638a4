#include "engine/simulation/exchange.h"

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/generation/packing.h"
#include "engine/simulation/mounts.h"
#include "engine/simulation/placement.h"
#include "engine/simulation/population.h"

namespace scree {

namespace {

bool is_in(const HalfSpace& half, const Vec3& x) { return half.normal.dot(x - half.point) > 0.0; }
bool is_in(const Region& region, const Vec3& x) { return holds(region, x); }

bool is_outside(const Domain& domain, const Vec3& x) {
  return !((x.array() >= domain.low.array()).all() && (x.array() <= domain.high.array()).all());
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
  report.exchange.linear_momentum += sign * sums.linear;
  report.exchange.angular_momentum += sign * sums.angular;
}

void reflect(const Domain& domain, Bodies& bodies, std::size_t i, StepReport& report) {
  const Vec3 &x = bodies.position[i], before = bodies.linear_velocity[i];
  Vec3& v = bodies.linear_velocity[i];
  for (int k = 0; k < 3; ++k) {
    if ((x[k] < domain.low[k] && v[k] < 0.0) || (x[k] > domain.high[k] && v[k] > 0.0)) v[k] = -v[k];
  }
  const Vec3 given = bodies.mass[i] * (v - before);
  report.exchange.linear_momentum += given;
  report.exchange.angular_momentum += x.cross(given);
}

/// [body] the outlet that it is in, `nowhere`, or that it is out of the domain.
constexpr std::int32_t nowhere = -1, out_of_domain = -2;
std::vector<std::int32_t> whereabouts(const Model& model, const Bodies& bodies) {
  std::vector<std::int32_t> where(bodies.size(), nowhere);
  for_each_index(bodies.size(), grain_light, [&](std::size_t i) {
    if (bodies.is_held(i)) return;
    const Vec3& x = bodies.position[i];
    for (std::size_t k = model.outlets.size(); k-- > 0;)
      if (std::visit([&](const auto& place) { return is_in(place, x); }, model.outlets[k].where))
        where[i] = static_cast<std::int32_t>(k);
    if (where[i] == nowhere && model.domain.outside != Outside::keep && is_outside(model.domain, x))
      where[i] = out_of_domain;
  });
  return where;
}

void let_out(const Model& model, State& state, StepReport& report) {
  if (model.outlets.empty() && model.domain.outside == Outside::keep) return;
  Bodies& bodies = state.bodies;
  const std::vector<std::int32_t> where = whereabouts(model, bodies);
  std::vector<BodyId> gone;
  for (std::size_t i = 0; i < where.size(); ++i) {
    if (where[i] == nowhere) continue;
    if (where[i] == out_of_domain && model.domain.outside != Outside::remove) {
      if (model.domain.outside == Outside::reflect) reflect(model.domain, bodies, i, report);
      if (model.domain.outside == Outside::stop && report.exchange.astray < 0)
        report.exchange.astray = bodies.id[i];
      continue;
    }
    Passage& passage =
        state.left[where[i] == out_of_domain ? model.outlets.size() : static_cast<std::size_t>(where[i])];
    ++passage.bodies;
    passage.mass += bodies.mass[i];
    ++report.exchange.left;
    report.exchange.mass_left += bodies.mass[i];
    account(sums_of(bodies, i, model.settings.gravity), -1.0, report);
    gone.push_back(bodies.id[i]);
  }
  if (!gone.empty()) remove(state, gone);
}

/// Who may be in the way of new grains.
std::vector<Obstacle> obstacles_in(const Shapes& shapes, const Bodies& bodies, const Region& region) {
  const auto [middle, half] = bounding_box(region);
  std::vector<Obstacle> found;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec3 apart = (bodies.position[i] - middle).cwiseAbs() - half;
    if (apart.maxCoeff() < shapes.bounding_radius(bodies.shape[i]))
      found.push_back(obstacle_of(shapes, bodies.shape[i], bodies.pose(i)));
  }
  return found;
}

/// What grain n of an inlet is, whenever it comes.
ShapeIndex shape_of(const Inlet& inlet, std::int64_t n) {
  Random random(inlet.seed, static_cast<std::uint64_t>(n));
  const auto found = std::ranges::upper_bound(inlet.until, random.uniform());
  return inlet
      .shapes[static_cast<std::size_t>(std::min(found - inlet.until.begin(), std::ssize(inlet.until) - 1))];
}

/// What stands in the way: grains, and what has become of the boundaries at a time.
struct Occupied {
  Packer& packer;
  std::span<const BoundaryStanding> walls;
  double time_s;
};

/// The first free place of so many; the grain takes it.
std::optional<Pose> find_place(const Model& model, const Inlet& inlet, ShapeIndex shape, int attempts,
                               const Occupied& by, Random& random) {
  for (int k = 0; k < attempts; ++k) {
    Pose pose;
    pose.orientation = draw_orientation(inlet.orientation, inlet.spread, random);
    pose.position = sample_point(inlet.region, random);
    const Obstacle grain = obstacle_of(model.shapes, shape, pose);
    if (!by.packer.fits(grain) || overlaps_boundary(model, shape, inlet.material, pose, by.time_s, by.walls))
      continue;
    by.packer.add(grain);
    return pose;
  }
  return std::nullopt;
}

void let_in(const Model& model, std::size_t number, State& state, StepReport& report) {
  const Inlet& inlet = model.inlets[number];
  Passage& passage = state.entered[number];
  const std::vector<MotionClock>& clocks = state.course.inlets;
  const double wanted = due(inlet, clocks.empty() ? state.time_s : clocks[number].at(state.time_s));
  std::optional<Packer> packer;
  std::vector<BoundaryStanding> walls;
  // Places of this step; shape_of() draws from the streams below.
  Random random(~inlet.seed, static_cast<std::uint64_t>(state.step));
  for (;;) {
    const ShapeIndex shape = shape_of(inlet, passage.bodies);
    const double mass = volume(model.shapes, shape) * model.materials.density(inlet.material);
    const bool is_due = inlet.mass_rate > 0.0 ? passage.mass + mass <= wanted
                                              : static_cast<double>(passage.bodies) + 1.0 <= wanted;
    if (!is_due || passage.mass + mass > inlet.most_mass ||
        static_cast<double>(passage.bodies) + 1.0 > inlet.most_count)
      return;
    if (!packer) {
      packer.emplace(inlet.region, obstacles_in(model.shapes, state.bodies, inlet.region));
      walls = standings(model, state);
    }
    const auto pose = find_place(model, inlet, shape, inlet.attempts, {*packer, walls, state.time_s}, random);
    if (!pose) {
      ++passage.waited;
      return;
    }
    insert(model, state, {shape, inlet.material, *pose, inlet.twist});
    ++passage.bodies;
    passage.mass += mass;
    ++report.exchange.entered;
    report.exchange.mass_entered += mass;
    account(sums_of(state.bodies, state.bodies.size() - 1, model.settings.gravity), 1.0, report);
  }
}

}  // namespace

double due(const Inlet& inlet, double time_s) {
  const double rate = inlet.mass_rate > 0.0 ? inlet.mass_rate : inlet.number_rate;
  // A grain at the very start, and no step later by rounding.
  return rate * std::max(0.0, std::min(time_s, inlet.stop_s) - inlet.start_s) * (1.0 + 1e-12);
}

bool has_place(const Model& model, const Inlet& inlet, ShapeIndex shape, int attempts, double time_s) {
  Packer packer(inlet.region, {});
  Random random(inlet.seed);
  return find_place(model, inlet, shape, attempts, {packer, {}, time_s}, random).has_value();
}

void exchange(const Model& model, State& state, StepReport& report) {
  if (model.inlets.empty() && model.outlets.empty() && model.domain.outside == Outside::keep) return;
  state.entered.resize(model.inlets.size());
  state.left.resize(model.outlets.size() + 1);
  let_out(model, state, report);
  for (std::size_t k = 0; k < model.inlets.size(); ++k) let_in(model, k, state, report);
}

}  // namespace scree
