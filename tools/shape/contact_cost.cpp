#include "tools/shape/contact_cost.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "engine/core/random.h"
#include "engine/geometry/ellipsoid_ellipsoid.h"
#include "engine/geometry/implicit/implicit_contacts.h"

namespace scree {

namespace {

constexpr int pairs = 24;
constexpr double touching_overlap = 1e-3, margin = 0.02;  // of the bounding radius
constexpr double moved = 1e-5;  // of the bounding radius and rad, between two steps near rest

/// The ellipsoid with these principal moments of a unit mass: a_i^2 = 5/2 (sum - 2 I_i).
Ellipsoid ellipsoid_of(const Vec3& inertia) {
  return {(2.5 * (Vec3::Constant(inertia.sum()) - 2.0 * inertia)).cwiseSqrt()};
}

/// Moves b along x until the two overlap a little; `gap_of` gives their gap.
template <class GapOf>
void touch(Pose& b, double start, double depth, GapOf&& gap_of) {
  constexpr int rounds = 30;
  b.position = Vec3(start, 0.0, 0.0);
  for (int k = 0; k < rounds; ++k) {
    const double left = gap_of(b) + depth;
    b.position.x() -= left;
    if (std::abs(left) < 0.1 * depth) break;
  }
}

void move_a_little(Pose& b, double size, Random& random) {
  b.position += moved * size * random.direction();
  b.orientation = (b.orientation * Quat(Eigen::AngleAxisd(moved, random.direction()))).normalized();
}

template <class Work>
double microseconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

double middle_of(std::vector<double> x) {
  const auto at = x.begin() + std::ssize(x) / 2;
  std::nth_element(x.begin(), at, x.end());
  return *at;
}

}  // namespace

ContactCost contact_cost(const ImplicitShape& shape) {
  const double size = shape.bounding_radius;
  const Ellipsoid ellipsoid = ellipsoid_of(shape.inertia_per_mass);
  Random random(1);
  ContactCost cost;
  std::vector<double> searched, cached, ellipsoid_searched, ellipsoid_remembered;
  std::vector<Gap> found;
  for (int k = 0; k < pairs; ++k) {
    const Pose a{Vec3::Zero(), random.rotation()};
    Pose b{Vec3::Zero(), random.rotation()};
    const auto nearest = [&](const Pose& at, double reach) {
      PairMemory memory;
      found.clear();
      contacts(place(shape, a), place(shape, at), reach, memory, found);
      double least = reach;
      for (const Gap& g : found) least = std::min(least, g.distance);
      return least;
    };
    touch(b, 2.0 * size, touching_overlap * size, [&](const Pose& at) { return nearest(at, 0.3 * size); });
    PairMemory memory;
    found.clear();
    const auto ask = [&] { contacts(place(shape, a), place(shape, b), margin * size, memory, found); };
    searched.push_back(microseconds(ask));
    cost.contacts += static_cast<double>(found.size()) / pairs;
    for (int step = 0; step < 2;
         ++step) {  // the first one requests more than it needs, so that others need not
      move_a_little(b, size, random);
      found.clear();
      ask();
    }
    move_a_little(b, size, random);
    found.clear();
    cached.push_back(microseconds(ask));

    const PlacedEllipsoid first = place(ellipsoid, a);
    touch(b, 2.0 * ellipsoid.semi_axes.maxCoeff(), touching_overlap * size,
          [&](const Pose& at) { return gap(first, place(ellipsoid, at)).distance; });
    Gap at_start;
    ellipsoid_searched.push_back(microseconds([&] { at_start = gap(first, place(ellipsoid, b)); }));
    move_a_little(b, size, random);
    Gap after;
    ellipsoid_remembered.push_back(
        microseconds([&] { after = gap(first, place(ellipsoid, b), &at_start.normal); }));
  }
  cost.searched_us = middle_of(searched);
  cost.remembered_us = middle_of(cached);
  cost.ellipsoid_searched_us = middle_of(ellipsoid_searched);
  cost.ellipsoid_remembered_us = middle_of(ellipsoid_remembered);
  return cost;
}

}  // namespace scree
