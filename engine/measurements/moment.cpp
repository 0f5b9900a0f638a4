#include "engine/measurements/moment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/simulation/subsystems/bonds.h"

namespace scree {

namespace {

/// Points that fill the unit ball evenly: those of a cube by van der Corput's sequences, mapped by their
/// shells.
std::array<Vec3, 256> ball_points() {
  const auto reversed = [](unsigned n, unsigned base) {
    double value = 0.0, part = 1.0;
    for (; n > 0; n /= base) value += (part /= base) * (n % base);
    return value;
  };
  std::array<Vec3, 256> points;
  for (unsigned k = 0; k < points.size(); ++k) {
    const double r = std::cbrt((k + 0.5) / static_cast<double>(points.size()));
    const double z = 2.0 * reversed(k + 1, 2) - 1.0, angle = 2.0 * std::numbers::pi * reversed(k + 1, 3);
    const double across = std::sqrt(std::max(0.0, 1.0 - z * z));
    points[k] = r * Vec3(across * std::cos(angle), across * std::sin(angle), z);
  }
  return points;
}

}  // namespace

std::vector<ContactForce> contact_forces(const Model& model, const State& state) {
  std::vector<ContactForce> forces;
  const double step = state.memory.last_s > 0.0 ? state.memory.last_s : model.settings.time_step_s;
  const double acted = step / model.settings.substeps;  // impulses are those of the last substep
  const std::vector<Vec3>& position = state.bodies.position;
  for (const auto* list : {&state.contacts.list, &state.sleepers.contacts})
    for (const Contact& c : *list)
      if (c.is_active())
        forces.push_back({position[c.key.a] + c.arm_a, c.impulse.cast<double>() / acted, c.key.a,
                          is_boundary(c.key.b) ? -1 : c.key.b});
  const PlacedCell cell = cell_at(model, state, state.time_s);
  for (const Bond& bond : state.bonds) {
    if (bond.impulse.isZero(0.0)) continue;
    const BondPlace at = place_bond(state.bodies, cell, bond);
    forces.push_back(
        {position[bond.a] + at.arm_a, at.frame.transpose() * bond.impulse / acted, bond.a, bond.b});
  }
  return forces;
}

double diameter(const Shapes& shapes, ShapeIndex shape) {
  return std::cbrt(6.0 / std::numbers::pi * volume(shapes, shape));
}

double mean_diameter(const MeasuredMoment& moment) {
  double sum = 0.0;
  for (const ShapeIndex shape : moment.bodies.shape) sum += diameter(moment.shapes, shape);
  return moment.bodies.size() > 0 ? sum / static_cast<double>(moment.bodies.size()) : 0.0;
}

double measured_volume(const MeasuredMoment& moment, const std::optional<Region>& region) {
  if (region) return volume(*region);
  const PlacedCell& cell = moment.cell;
  const bool whole = cell.periodic[0] && cell.periodic[1] && cell.periodic[2];
  return whole ? std::abs(cell.lattice.determinant()) : std::numeric_limits<double>::quiet_NaN();
}

double part_of_line(const Region& region, const Vec3& from, const Vec3& to) {
  if (const auto* box = std::get_if<BoxRegion>(&region)) {
    double begin = 0.0, end = 1.0;
    const Vec3 along = to - from;
    for (int k = 0; k < 3; ++k) {
      if (along[k] == 0.0) {
        if (from[k] < box->low[k] || from[k] > box->high[k]) return 0.0;
        continue;
      }
      const double a = (box->low[k] - from[k]) / along[k], b = (box->high[k] - from[k]) / along[k];
      begin = std::max(begin, std::min(a, b));
      end = std::min(end, std::max(a, b));
    }
    return std::max(0.0, end - begin);
  }
  constexpr int points = 32;
  int inside = 0;
  for (int k = 0; k < points; ++k)
    inside += holds(region, Vec3(from + (k + 0.5) / points * (to - from))) ? 1 : 0;
  return inside / static_cast<double>(points);
}

namespace {

/// Semi-axes of the ellipsoid of the same inertia, m.
Vec3 equivalent_axes(const Bodies& bodies, std::size_t i) {
  const Vec3& moments = bodies.inertia[i];
  return (2.5 / bodies.mass[i] * (Vec3::Constant(moments.sum()) - 2.0 * moments)).cwiseMax(0.0).cwiseSqrt();
}

/// A body cut by a box: the part of it beyond a plane across an axis follows from the distance of the plane
/// from its centre, over its extent on that side, as for a ball.
struct CutBody {
  struct Face {
    double distance;  // of the plane from the centre, outwards, over the extent: 1 touches
    Vec3 normal;      // unit, outwards, in the frame in which the body is a ball
    bool cuts() const { return distance < 1.0; }
    double part() const { return part_below(distance, 1.0); }
  };
  std::array<std::array<Face, 2>, 3> faces;  // [axis][low, high]

  CutBody(const MeasuredMoment& moment, std::size_t i, const Vec3& centre, const BoxRegion& box) {
    const Bodies& bodies = moment.bodies;
    const Vec3 axes = equivalent_axes(bodies, i);
    for (int k = 0; k < 3; ++k) {
      const Vec3 up = bodies.orientation[i].conjugate() * Vec3::Unit(k);
      const Extent along = extent(moment.shapes, bodies.shape[i], up);
      const Vec3 normal = axes.cwiseProduct(up).normalized();
      faces[k] = {Face{-along.part(box.low[k] - centre[k]), -normal},
                  Face{along.part(box.high[k] - centre[k]), normal}};
    }
  }

  double part_of_axis(int k) const { return std::max(0.0, faces[k][0].part() + faces[k][1].part() - 1.0); }
  /// For two axes. If no edge goes through the body, the two planes do not meet in it: each is on one side
  /// of the other. Else the planes are treated as independent.
  double part_of_axes(int k, int l) const {
    const double p = part_of_axis(k), q = part_of_axis(l);
    if (p == 0.0 || q == 0.0) return 0.0;
    const Face* a = only_cut(faces[k]);
    const Face* b = only_cut(faces[l]);
    if (a == nullptr || b == nullptr) return p * q;
    const double g = a->normal.dot(b->normal), d = a->distance, e = b->distance;
    if (d * d + e * e - 2.0 * g * d * e < 1.0 - g * g) return p * q;
    const bool a_is_outside = g * d > e, b_is_outside = g * e > d;  // its disc is outside of the other plane
    if (a_is_outside && b_is_outside) return 0.0;
    if (a_is_outside) return q;
    return b_is_outside ? p : p + q - 1.0;
  }

 private:
  static const Face* only_cut(const std::array<Face, 2>& pair) {
    if (pair[0].cuts() == pair[1].cuts()) return nullptr;
    return pair[0].cuts() ? &pair[0] : &pair[1];
  }
};

/// Points that fill a body with its centre there.
template <class F>
void for_points(const Bodies& bodies, std::size_t i, const Vec3& centre, F&& f) {
  static const std::array<Vec3, 256> points = ball_points();
  const Vec3 axes = equivalent_axes(bodies, i);
  for (const Vec3& p : points) f(Vec3(centre + bodies.orientation[i] * axes.cwiseProduct(p)));
}
constexpr double points_a_body = 256.0;

}  // namespace

double part_of_body(const MeasuredMoment& moment, std::size_t i, const Vec3& centre, const Region& region) {
  if (const auto* box = std::get_if<BoxRegion>(&region)) {
    const CutBody body(moment, i, centre, *box);
    double parts[3];
    int cut[3], count = 0;
    for (int k = 0; k < 3; ++k) {
      parts[k] = body.part_of_axis(k);
      if (parts[k] == 0.0) return 0.0;
      if (parts[k] < 1.0) cut[count++] = k;
    }
    if (count == 2) return body.part_of_axes(cut[0], cut[1]);
    return parts[0] * parts[1] * parts[2];
  }
  double inside = 0.0;
  for_points(moment.bodies, i, centre, [&](const Vec3& x) { inside += holds(region, x) ? 1.0 : 0.0; });
  return inside / points_a_body;
}

void add_volume_in_layers(const MeasuredMoment& moment, std::size_t i, const Vec3& centre,
                          const Region& region, const Layers& layers, std::vector<double>& solid) {
  const double all = volume(moment.shapes, moment.bodies.shape[i]);
  const auto layer_of = [&](double at) {
    return std::clamp(std::floor((at - layers.bottom) / layers.thickness), 0.0,
                      static_cast<double>(layers.count));
  };
  if (const auto* box = std::get_if<BoxRegion>(&region)) {
    int axis;
    layers.axis.cwiseAbs().maxCoeff(&axis);
    const CutBody body(moment, i, centre, *box);
    const double across = body.part_of_axes((axis + 1) % 3, (axis + 2) % 3);
    if (across == 0.0) return;
    const Vec3 up = moment.bodies.orientation[i].conjugate() * layers.axis;
    const Extent along = extent(moment.shapes, moment.bodies.shape[i], up);
    const double at = layers.axis.dot(centre);
    const auto first = static_cast<std::size_t>(layer_of(at - along.behind));
    for (std::size_t k = first; k < layers.count; ++k) {
      const double low = layers.bottom + static_cast<double>(k) * layers.thickness - at;
      if (low >= along.ahead) break;
      solid[k] += all * across *
                  (part_below(along.part(low + layers.thickness), 1.0) - part_below(along.part(low), 1.0));
    }
    return;
  }
  for_points(moment.bodies, i, centre, [&](const Vec3& x) {
    if (!holds(region, x)) return;
    const auto k = static_cast<std::size_t>(layer_of(layers.axis.dot(x)));
    solid[std::min(k, layers.count - 1)] += all / points_a_body;
  });
}

}  // namespace scree
