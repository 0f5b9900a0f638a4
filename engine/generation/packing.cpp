#include "engine/generation/packing.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/generation/neighbour_grid.h"
#include "engine/geometry/ellipsoid_ellipsoid.h"

namespace scree {

namespace {

double bounding_radius(const PlacedEllipsoid& ellipsoid) {
  return std::sqrt(ellipsoid.matrix.selfadjointView<Eigen::Lower>().eigenvalues().maxCoeff());
}

bool overlap(const PlacedEllipsoid& a, const PlacedEllipsoid& b) { return gap(a, b).distance < 0.0; }

/// Places a grain among those placed so far.
class Packer {
 public:
  Packer(const GrainRecipe& recipe, const Region& region, std::span<const PlacedEllipsoid> obstacles)
      : recipe_(recipe), region_(region), placed_(obstacles.begin(), obstacles.end()) {
    std::vector<double> radius(placed_.size());
    std::transform(placed_.begin(), placed_.end(), radius.begin(), bounding_radius);
    for (std::size_t i = 0; i < placed_.size(); ++i)
      grid_.add(placed_[i].centre, radius[i], static_cast<int>(i));
  }

  bool try_place(const Grain& grain) {
    const PlacedEllipsoid ellipsoid = place(recipe_, grain);
    if (!holds(region_, ellipsoid)) return false;
    const double radius = grain.scale * recipe_.semi_axes.maxCoeff();
    const bool is_free = grid_.visit_near(ellipsoid.centre, radius, [&](std::int32_t other) {
      return !overlap(ellipsoid, placed_[static_cast<std::size_t>(other)]);
    });
    if (!is_free) return false;
    grid_.add(ellipsoid.centre, radius, static_cast<int>(placed_.size()));
    placed_.push_back(ellipsoid);
    return true;
  }

 private:
  const GrainRecipe& recipe_;
  const Region& region_;
  std::vector<PlacedEllipsoid> placed_;
  NeighbourGrid grid_;
};

Quat draw_orientation(const GrainRecipe& recipe, Random& random) {
  return recipe.orientation ? *recipe.orientation : random.rotation();
}

/// A region may fit a whole number of spacings exactly: rounding must not push out the grains that touch its
/// faces.
bool holds_all_but_rounding(const Region& region, const GrainRecipe& recipe, Grain grain) {
  constexpr double rounding = 1e-12;
  grain.scale *= 1.0 - rounding;
  return holds(region, place(recipe, grain));
}

}  // namespace

PlacedEllipsoid place(const GrainRecipe& recipe, const Grain& grain) {
  return place(Ellipsoid{grain.scale * recipe.semi_axes}, grain.pose);
}

double safe_spacing(const GrainRecipe& recipe, double jitter) {
  return 2.0 * (largest(recipe.scale) * recipe.semi_axes.maxCoeff() + jitter);
}

std::vector<Grain> lattice(const GrainRecipe& recipe, const Region& region, const LatticeSettings& settings,
                           std::uint64_t seed) {
  const RegionFrame f = frame(region);
  const double edge = 0.5 * safe_spacing(recipe, settings.jitter);  // from a wall to the nearest place, m
  std::array<std::int64_t, 3> places;
  Vec3 first;
  for (int i = 0; i < 3; ++i) {
    const double room = f.extent[i] - 2.0 * edge;
    // The tolerance lets a region fit exactly n spacings in spite of rounding.
    places[i] =
        room < -1e-12 * f.extent[i]
            ? 0
            : 1 + static_cast<std::int64_t>(std::floor(room / settings.spacing * (1.0 + 1e-12) + 1e-12));
    first[i] = i == 2 ? edge : 0.5 * (f.extent[i] - static_cast<double>(places[i] - 1) * settings.spacing);
  }
  std::vector<Grain> grains;
  std::uint64_t number = 0;  // of the place
  for (std::int64_t z = 0; z < places[2]; ++z) {
    for (std::int64_t y = 0; y < places[1]; ++y) {
      for (std::int64_t x = 0; x < places[0]; ++x, ++number) {
        if (grains.size() == settings.count) return grains;
        Random random(seed, number);
        Grain grain;
        grain.scale = sample(recipe.scale, random);
        grain.pose.orientation = draw_orientation(recipe, random);
        Vec3 t = first + settings.spacing *
                             Vec3(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z));
        for (int i = 0; i < 3; ++i) t[i] += random.uniform(-settings.jitter, settings.jitter);
        grain.pose.position = f.origin + f.axes * t;
        if (holds_all_but_rounding(region, recipe, grain)) grains.push_back(grain);
      }
    }
  }
  return grains;
}

std::vector<Grain> random_packing(const GrainRecipe& recipe, const Region& region,
                                  const RandomPackingSettings& settings,
                                  std::span<const PlacedEllipsoid> obstacles, std::uint64_t seed) {
  // More than fill the whole volume cannot fit: an absurd count then costs no absurd memory.
  const double least_volume = volume(Ellipsoid{smallest(recipe.scale) * recipe.semi_axes});
  const double most = 1.0 + std::floor(volume(region) / least_volume);
  const std::size_t count =
      most < static_cast<double>(settings.count) ? static_cast<std::size_t>(most) : settings.count;
  std::vector<Grain> grains(count);
  std::vector<Random> random;
  random.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    random.emplace_back(seed, i);
    grains[i].scale = sample(recipe.scale, random[i]);
    grains[i].pose.orientation = draw_orientation(recipe, random[i]);
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return grains[a].scale > grains[b].scale; });

  Packer packer(recipe, region, obstacles);
  std::vector<bool> placed(count, false);
  for (const std::size_t i : order) {
    for (int attempt = 0; attempt < settings.attempts && !placed[i]; ++attempt) {
      grains[i].pose.position = sample_point(region, random[i]);
      placed[i] = packer.try_place(grains[i]);
    }
    if (!placed[i]) break;  // smaller ones might still fit, but the law of sizes would be bent
  }
  std::vector<Grain> kept;
  for (std::size_t i = 0; i < count; ++i) {
    if (placed[i]) kept.push_back(grains[i]);
  }
  return kept;
}

}  // namespace scree
