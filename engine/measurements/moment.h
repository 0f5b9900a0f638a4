// Input of a measurement: the bodies and contacts of one moment, of a run or of one of its frames.
#pragma once

#include <span>
#include <vector>

#include "engine/modules/fields/coarse_graining.h"
#include "engine/modules/fields/packing_profile.h"
#include "engine/modules/generation/region.h"
#include "engine/simulation/observables.h"

namespace scree {

/// Bodies and contacts are in any order; in a periodic cell any image of a body may be given.
struct MeasuredMoment {
  double time_s;
  const Shapes& shapes;
  const Bodies& bodies;
  PlacedCell cell = {};  // without periodic directions, if space is not periodic
  bool knows_contacts = false;
  std::span<const ContactForce> contacts = {};  // those with an impulse: mean forces of the last step
  std::span<const Throughput> passed = {};      // [opening] since the start
  const Observed* observed = nullptr;           // of a run: null for a frame
};

/// The contacts of a state that carry an impulse, including those of sleeping bodies and bonds, as mean
/// forces of its last step. Points are those of detection, moved along with body a.
std::vector<ContactForce> contact_forces(const Model& model, const State& state);

/// The diameter of a sphere of the body's volume, m.
double diameter(const Shapes& shapes, ShapeIndex shape);

/// The mean of it over all bodies, 0 without any.
double mean_diameter(const MeasuredMoment& moment);

/// Calls f(i, x) for the centre x of each body, or of each image of it, in the region. Without a region it
/// is called for each body at its position, in a periodic cell for its image in the cell.
template <class F>
void for_bodies_in(const MeasuredMoment& moment, const std::optional<Region>& region, F&& f) {
  const Bodies& bodies = moment.bodies;
  const auto box = region ? bounding_box(*region) : std::pair{Vec3(Vec3::Zero()), Vec3(Vec3::Zero())};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec3& x = bodies.position[i];
    if (!x.allFinite()) continue;
    if (!region) {
      f(i, moment.cell.is_periodic() ? Vec3(x + moment.cell.image_in_cell(x)) : x);
    } else if (!moment.cell.is_periodic()) {
      if (holds(*region, x)) f(i, x);
    } else {
      moment.cell.visit_images(x, box.first, box.second, [&](const Vec3& shift) {
        if (holds(*region, Vec3(x + shift))) f(i, Vec3(x + shift));
        return true;
      });
    }
  }
}

/// m^3; without a region the volume of a cell that is periodic along three directions. NaN if neither
/// exists.
double measured_volume(const MeasuredMoment& moment, const std::optional<Region>& region);

/// The share of a straight line in the region, 0 to 1: exact for boxes, for other regions from 32 points.
double part_of_line(const Region& region, const Vec3& from, const Vec3& to);

/// The share of a body's volume in the region if its centre were at `centre`, 0 to 1. Exact for ellipsoids in
/// a box if no edge of it cuts them; else the product of the shares between two pairs of faces.
/// In other regions from 256 points in the ellipsoid of the same inertia: to about 1 % of the body.
double part_of_body(const MeasuredMoment& moment, std::size_t body, const Vec3& centre, const Region& region);

/// m^3: adds the body's volume in the region to the volume of each layer. The layers of a box are normal to
/// one of its axes.
void add_volume_in_layers(const MeasuredMoment& moment, std::size_t body, const Vec3& centre,
                          const Region& region, const Layers& layers, std::vector<double>& solid);

/// Calls f(i, x) for the centre x of each body, or of an image of it, that may be partly in the region.
template <class F>
void for_bodies_near(const MeasuredMoment& moment, const Region& region, F&& f) {
  const Bodies& bodies = moment.bodies;
  const auto [middle, half] = bounding_box(region);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec3& x = bodies.position[i];
    if (!x.allFinite()) continue;
    const Vec3 reach = half_extent(moment.shapes, bodies.shape[i], bodies.orientation[i]);
    if (!moment.cell.is_periodic()) {
      if (((x - middle).cwiseAbs() - half - reach).maxCoeff() < 0.0) f(i, x);
      continue;
    }
    moment.cell.visit_images(x, middle, half + reach, [&](const Vec3& shift) {
      f(i, Vec3(x + shift));
      return true;
    });
  }
}

}  // namespace scree
