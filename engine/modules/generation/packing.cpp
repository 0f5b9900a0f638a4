#include "engine/modules/generation/packing.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "engine/geometry/ellipsoid_ellipsoid.h"

namespace scree {

namespace {

double bounding_radius(const PlacedEllipsoid& ellipsoid) {
  return std::sqrt(ellipsoid.matrix.selfadjointView<Eigen::Lower>().eigenvalues().maxCoeff());
}

/// Is any sample of a's surface within b?
bool has_samples_in(const PlacedImplicit& a, const PlacedImplicit& b) {
  const Mat3 turn = b.rotation.transpose() * a.rotation;
  const Vec3 offset = b.rotation.transpose() * (a.position - b.position);
  return std::ranges::any_of(a.shape->samples.samples, [&](const SurfaceSample& s) {
    return value(b.shape->function, (a.scale * (turn * s.point) + offset) / b.scale) > 0.0;
  });
}

/// The ellipsoids of a clump, or the single ellipsoid.
std::span<const PlacedEllipsoid> parts_of(const Obstacle& a) {
  return a.parts.empty() ? std::span(&a.hull, 1) : std::span(a.parts);
}

bool do_parts_overlap(const Obstacle& a, const Obstacle& b) {
  return std::ranges::any_of(parts_of(a), [&](const PlacedEllipsoid& p) {
    return std::ranges::any_of(parts_of(b),
                               [&](const PlacedEllipsoid& q) { return gap(p, q).distance < 0.0; });
  });
}

void add_parts(const Clump& clump, const Pose& pose, double size, Obstacle& obstacle) {
  for (const ClumpMember& part : clump.members)
    obstacle.parts.push_back(place(Ellipsoid{size * part.ellipsoid.semi_axes},
                                   {pose.position + pose.orientation * (size * part.pose.position),
                                    pose.orientation * part.pose.orientation}));
}

bool is_ellipsoid(const Obstacle& a) { return !a.function || a.function->shape->semi_axes; }

bool overlap(const Obstacle& a, const Obstacle& b) {
  if (!(gap(a.hull, b.hull).distance < 0.0)) return false;
  if (!a.parts.empty() || !b.parts.empty()) return do_parts_overlap(a, b);
  if (!a.function || !b.function || (is_ellipsoid(a) && is_ellipsoid(b))) return true;
  // Balls within both show deep overlaps at once.
  const auto inner = [](const PlacedImplicit& f) { return f.scale * f.shape->smallest_length; };
  if ((a.hull.centre - b.hull.centre).norm() < inner(*a.function) + inner(*b.function)) return true;
  if (hold_samples_of_each_other(*a.function, *b.function)) return true;
  PairMemory memory;
  std::vector<Gap> found;
  contacts(*a.function, *b.function, 0.0, memory, found);
  return std::ranges::any_of(found, [](const Gap& g) { return g.distance < 0.0; });
}

/// Does a region contain a grain? Boxes use the support function, cylinders the enclosing ellipsoid.
bool holds(const Region& region, const Obstacle& grain) {
  if (holds(region, grain.hull)) return true;
  if (!grain.parts.empty())
    return std::ranges::all_of(grain.parts, [&](const PlacedEllipsoid& p) { return holds(region, p); });
  const BoxRegion* box = std::get_if<BoxRegion>(&region);
  if (box == nullptr || is_ellipsoid(grain)) return false;
  const PlacedImplicit& f = *grain.function;
  for (int i = 0; i < 3; ++i) {
    const Vec3 axis = f.rotation.row(i);
    if (f.position[i] + f.scale * support(*f.shape, axis).dot(axis) > box->high[i] ||
        f.position[i] + f.scale * support(*f.shape, -axis).dot(axis) < box->low[i])
      return false;
  }
  return true;
}

Obstacle obstacle_of(const GrainRecipe& recipe, const Grain& grain) {
  Obstacle result{place(recipe, grain)};
  if (recipe.function) result.function = place(*recipe.function, grain.pose, grain.scale * recipe.size);
  if (recipe.clump) add_parts(*recipe.clump, grain.pose, grain.scale * recipe.size, result);
  return result;
}

/// For a grain without scaling, m.
double smallest_length(const GrainRecipe& recipe) {
  if (recipe.function) return recipe.size * recipe.function->smallest_length;
  return recipe.clump ? recipe.size * recipe.clump->smallest_length : recipe.semi_axes.minCoeff();
}

/// A region may fit a whole number of spacings exactly: rounding must not exclude grains that touch its
/// faces.
bool holds_all_but_rounding(const Region& region, const GrainRecipe& recipe, Grain grain) {
  constexpr double rounding = 1e-12;
  grain.scale *= 1.0 - rounding;
  return holds(region, place(recipe, grain));
}

/// Steps along the axes over the distance of nearest neighbours, and the shift, as a share of a step along x
/// and y, of each second row and each second layer.
struct LatticeForm {
  Vec3 step;
  double row_shift;
  Vec2 layer_shift;
};
LatticeForm form_of(LatticeKind kind) {
  const double root2 = std::sqrt(2.0), root3 = std::sqrt(3.0);
  switch (kind) {
    case LatticeKind::cubic:
      return {Vec3::Ones(), 0.0, Vec2::Zero()};
    case LatticeKind::body_centred:
      return {Vec3(2.0, 2.0, 1.0) / root3, 0.0, Vec2(0.5, 0.5)};
    case LatticeKind::face_centred:
      return {Vec3(1.0, 1.0, 1.0 / root2), 0.0, Vec2(0.5, 0.5)};
    case LatticeKind::hexagonal:
      return {Vec3(1.0, root3 / 2.0, root2 / root3), 0.5, Vec2(0.5, 1.0 / 3.0)};
  }
  return {};
}

/// The places of a lattice in the frame of a region.
struct LatticePlaces {
  LatticeForm form;
  Vec3 step;                          // m
  double jitter;                      // m
  std::array<std::int64_t, 3> count;  // along each axis
  Vec3 first;                         // m

  /// `edge` is the distance from a wall to the nearest place, m.
  LatticePlaces(const RegionFrame& f, const LatticeSettings& settings, double edge)
      : form(form_of(settings.kind)), step(settings.spacing * form.step), jitter(settings.jitter) {
    for (int i = 0; i < 3; ++i) {
      const double room = f.extent[i] - 2.0 * edge;
      // The tolerance lets a region fit exactly n spacings in spite of rounding.
      const double steps = std::floor(room / step[i] * (1.0 + 1e-12) + 1e-12);
      count[i] = room < -1e-12 * f.extent[i] ? 0 : 1 + to_integer(steps);
      first[i] = i == 2 ? edge : 0.5 * (f.extent[i] - static_cast<double>(count[i] - 1) * step[i]);
    }
  }

  Vec3 at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    Vec3 place(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
    place[0] += shift_of_row(y, z);
    if (z % 2 != 0) place[1] += form.layer_shift[1];
    return first + step.cwiseProduct(place);
  }

  std::uint64_t number(std::int64_t x, std::int64_t y, std::int64_t z) const {
    const auto u = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
    return (u(z) * u(count[1]) + u(y)) * u(count[0]) + u(x);
  }

  /// The part of a row, [begin, end), whose places can be in the region: in a cylinder a chord of its
  /// circle.
  std::pair<std::int64_t, std::int64_t> row(const Region& region, std::int64_t y) const {
    const CylinderRegion* cylinder = std::get_if<CylinderRegion>(&region);
    if (cylinder == nullptr) return {0, count[0]};
    const double radius = cylinder->radius, off = first[1] + step[1] * static_cast<double>(y) - radius;
    // For a place without jitter and shifts: more than enough.
    const double reach = radius + 2.0 * jitter + (form.layer_shift.isZero(0.0) ? 0.0 : step[0] + step[1]);
    if (std::abs(off) > reach) return {0, 0};
    const double half_chord = std::sqrt(reach * reach - off * off);
    const std::int64_t begin = to_integer(std::floor((radius - half_chord - first[0]) / step[0]));
    const std::int64_t end = 2 + to_integer(std::floor((radius + half_chord - first[0]) / step[0]));
    return {std::max<std::int64_t>(0, begin), std::min(count[0], end)};
  }

 private:
  /// As a share of a step along x, less than one.
  double shift_of_row(std::int64_t y, std::int64_t z) const {
    const double shift = (y % 2 != 0 ? form.row_shift : 0.0) + (z % 2 != 0 ? form.layer_shift[0] : 0.0);
    return shift < 1.0 ? shift : shift - 1.0;
  }
  /// Limits counts that no memory could hold to the range of integers.
  static std::int64_t to_integer(double x) {
    return static_cast<std::int64_t>(std::clamp(x, -0x1p60, 0x1p60));
  }
};

}  // namespace

Obstacle obstacle_of(const Shapes& shapes, ShapeIndex shape, const Pose& pose) {
  Obstacle result{place(enclosing_ellipsoid(shapes, shape), pose)};
  if (!shapes.functions().empty())
    result.function = place(shapes.function_of(shape), pose, shapes.size_of(shape));
  if (shapes.kind(shape) == ShapeKind::clump)
    add_parts(shapes.clump_of(shape), pose, shapes.sized_clump(shape).size, result);
  return result;
}

Obstacle moved(Obstacle obstacle, const Vec3& shift) {
  obstacle.hull.centre += shift;
  if (obstacle.function) obstacle.function->position += shift;
  for (PlacedEllipsoid& part : obstacle.parts) part.centre += shift;
  return obstacle;
}

Region room_of(const Region& region, const PlacedCell& cell) {
  const auto* box = std::get_if<BoxRegion>(&region);
  if (box == nullptr) return region;
  constexpr double rounding = 1e-9;
  BoxRegion room = *box;
  for (int k = 0; k < 3; ++k) {
    const double edge = std::abs(cell.lattice(k, k));
    if (!cell.periodic[k] || box->high[k] - box->low[k] < edge * (1.0 - rounding)) continue;
    room.low[k] -= edge;  // grains with a centre in it stick out no further
    room.high[k] += edge;
  }
  return room;
}

bool hold_samples_of_each_other(const PlacedImplicit& a, const PlacedImplicit& b) {
  return has_samples_in(a, b) || has_samples_in(b, a);
}

Packer::Packer(const Region& region, std::span<const Obstacle> obstacles, const PlacedCell& cell)
    : region_(room_of(region, cell)), cell_(cell) {
  for (const Obstacle& obstacle : obstacles) add(obstacle);
}

bool Packer::is_free(const Obstacle& grain, double radius) const {
  return grid_.visit_near(grain.hull.centre, radius,
                          [&](std::int32_t other) { return !overlap(grain, placed_[other]); });
}

bool Packer::fits(const Obstacle& grain, const Obstacle* needs) const {
  if (!holds(region_, grain)) return false;
  const Obstacle& room = needs != nullptr ? *needs : grain;
  const double radius = bounding_radius(room.hull);
  if (!is_free(room, radius)) return false;
  if (!cell_.is_periodic()) return true;
  const auto most = [&](std::size_t k) { return cell_.periodic[k] ? 1 : 0; };
  for (int z = -most(2); z <= most(2); ++z) {
    for (int y = -most(1); y <= most(1); ++y) {
      for (int x = -most(0); x <= most(0); ++x) {
        if (x == 0 && y == 0 && z == 0) continue;
        if (!is_free(moved(room, cell_.lattice * Vec3(x, y, z)), radius)) return false;
      }
    }
  }
  return true;
}

void Packer::add(const Obstacle& grain) {
  grid_.add(grain.hull.centre, bounding_radius(grain.hull), static_cast<std::int32_t>(placed_.size()));
  placed_.push_back(grain);
}

Quat draw_orientation(const std::optional<Quat>& orientation, double spread, Random& random) {
  if (!orientation) return random.rotation();
  if (spread == 0.0) return *orientation;
  const double x = random.normal(), y = random.normal(), z = random.normal();
  const Vec3 turn = spread * Vec3(x, y, z);
  return Quat(Eigen::AngleAxisd(turn.norm(), turn.normalized())) * *orientation;
}

PlacedEllipsoid place(const GrainRecipe& recipe, const Grain& grain) {
  return place(Ellipsoid{grain.scale * recipe.semi_axes}, grain.pose);
}

double safe_spacing(const GrainRecipe& recipe, double jitter) {
  return 2.0 * (largest(recipe.scale) * recipe.semi_axes.maxCoeff() + jitter);
}

std::vector<Grain> lattice(const GrainRecipe& recipe, const Region& region, const LatticeSettings& settings,
                           std::uint64_t seed) {
  const RegionFrame f = frame(region);
  const LatticePlaces places(f, settings, 0.5 * safe_spacing(recipe, settings.jitter));
  std::vector<Grain> grains;
  double cubes = 0.0;
  for (std::int64_t z = 0; z < places.count[2]; ++z) {
    for (std::int64_t y = 0; y < places.count[1]; ++y) {
      const auto [x_begin, x_end] = places.row(region, y);
      for (std::int64_t x = x_begin; x < x_end; ++x) {
        if (grains.size() == settings.count) return grains;
        Random random(seed, places.number(x, y, z));
        Grain grain;
        grain.scale = sample(recipe.scale, random);
        grain.pose.orientation = draw_orientation(recipe.orientation, recipe.spread, random);
        Vec3 t = places.at(x, y, z);
        for (int i = 0; i < 3; ++i) t[i] += random.uniform(-settings.jitter, settings.jitter);
        grain.pose.position = f.origin + f.axes * t;
        // A place for the largest one: otherwise small ones alone would fill the edge of a round region.
        Grain largest_there = grain;
        largest_there.scale = largest(recipe.scale);
        if (!holds_all_but_rounding(region, recipe, largest_there)) continue;
        const double cube = std::pow(grain.scale, 3);
        if (cubes + 0.5 * cube > settings.cubes) return grains;
        cubes += cube;
        grains.push_back(grain);
      }
    }
  }
  return grains;
}

std::vector<Grain> random_packing(const GrainRecipe& recipe, const Region& region,
                                  const RandomPackingSettings& settings, std::span<const Obstacle> obstacles,
                                  std::uint64_t seed, const PlacedCell& cell) {
  // No more grains than fill the whole volume: so an absurd count does not need absurd memory.
  const double cube = std::pow(recipe.size, 3);
  const double whole = recipe.function ? cube * recipe.function->volume
                       : recipe.clump  ? cube * recipe.clump->volume
                                       : volume(Ellipsoid{recipe.semi_axes});
  const double least_volume = std::pow(smallest(recipe.scale), 3) * whole;
  const double most = 1.0 + std::floor(volume(region) / least_volume);
  const std::size_t count =
      most < static_cast<double>(settings.count) ? static_cast<std::size_t>(most) : settings.count;
  std::vector<Grain> grains(count);
  std::vector<Random> random;
  random.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    random.emplace_back(seed, i);
    grains[i].scale = sample(recipe.scale, random[i]);
    grains[i].pose.orientation = draw_orientation(recipe.orientation, recipe.spread, random[i]);
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return grains[a].scale > grains[b].scale; });

  Packer packer(region, obstacles, cell);
  std::vector<bool> placed(count, false);
  for (const std::size_t i : order) {
    for (int attempt = 0; attempt < settings.attempts && !placed[i]; ++attempt) {
      grains[i].pose.position = sample_point(region, random[i]);
      const Obstacle grain = obstacle_of(recipe, grains[i]);
      if (settings.clearance == 0.0) {
        placed[i] = packer.fits(grain);
      } else {  // a convex grain grown by clearance / (its inner radius) contains all places within the
                // clearance
        Grain grown = grains[i];
        grown.scale += settings.clearance / smallest_length(recipe);
        const Obstacle room = obstacle_of(recipe, grown);
        placed[i] = packer.fits(grain, &room);
      }
      if (placed[i] && settings.is_blocked && settings.is_blocked(grains[i])) placed[i] = false;
      if (placed[i]) packer.add(grain);
    }
    if (!placed[i]) break;  // smaller ones might still fit, but this would change the size distribution
  }
  std::vector<Grain> kept;
  for (std::size_t i = 0; i < count; ++i) {
    if (placed[i]) kept.push_back(grains[i]);
  }
  return kept;
}

}  // namespace scree
