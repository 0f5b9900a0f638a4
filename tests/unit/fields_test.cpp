#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/parallel.h"
#include "engine/core/random.h"
#include "engine/modules/fields/coarse_graining.h"
#include "engine/modules/fields/mean_fields.h"
#include "engine/modules/fields/packing_profile.h"

namespace scree {
namespace {

struct World {
  Shapes shapes;
  Materials materials;
  Bodies bodies;
  MaterialIndex stone = materials.add("stone", 2500.0);

  void add(const Vec3& axes, const Pose& pose, const Vec3& velocity = Vec3::Zero()) {
    add_body(bodies, shapes, materials, {shapes.add(Ellipsoid{axes}), stone, pose, {velocity, Vec3::Zero()}});
  }
};

World random_world(int bodies) {
  World world;
  Random random(5);
  for (int i = 0; i < bodies; ++i) {
    world.add(
        {random.uniform(0.01, 0.03), 0.02, random.uniform(0.01, 0.05)},
        {{random.uniform(-0.3, 0.3), random.uniform(-0.2, 0.2), random.uniform(0.0, 0.5)}, random.rotation()},
        random.direction());
  }
  return world;
}

double total(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += v;
  return sum;
}

TEST(SolidVolume, AddsUpToTheVolumeOfTheBodies) {
  const World world = random_world(200);
  double expected = 0.0;
  for (const ShapeIndex shape : world.bodies.shape) expected += volume(world.shapes, shape);
  for (const Vec3& axis : {Vec3(Vec3::UnitZ()), Vec3(1.0, 2.0, -0.5).normalized()}) {
    const auto solid = solid_volume(world.shapes, world.bodies, {axis, -1.0, 0.013, 200});
    EXPECT_NEAR(total(solid), expected, 1e-13 * expected * 200);
  }
}

// Points of a body in a tilted layer, counted: the standard error of the share p of n points is sqrt(p (1 -
// p) / n).
TEST(SolidVolume, OfATiltedEllipsoidAgreesWithCountedPoints) {
  World world;
  Random random(8);
  const Vec3 axes(0.05, 0.02, 0.03);
  const Pose pose{{0.1, -0.2, 0.3}, random.rotation()};
  world.add(axes, pose);
  const Layers layers{Vec3(1.0, -2.0, 3.0).normalized(), 0.3, 0.01, 20};
  const auto solid = solid_volume(world.shapes, world.bodies, layers);
  std::vector<int> count(20);
  constexpr int points = 200000;
  for (int p = 0; p < points; ++p) {
    const Vec3 inside = std::cbrt(random.uniform(0.0, 1.0)) * random.direction();
    const Vec3 x = pose.position + pose.orientation * axes.cwiseProduct(inside);
    const double k = std::floor((layers.axis.dot(x) - layers.bottom) / layers.thickness);
    if (k >= 0.0 && k < 20.0) ++count[static_cast<std::size_t>(k)];
  }
  for (std::size_t k = 0; k < 20; ++k) {
    const double part = solid[k] / volume(world.shapes, world.bodies.shape[0]);
    EXPECT_NEAR(part, count[k] / static_cast<double>(points),
                5.0 * std::sqrt(part * (1.0 - part) / points) + 1e-12);
  }
}

TEST(LucyKernel, HasIntegralOne) {
  constexpr int steps = 20000;
  double sum = 0.0;  // midpoint rule over spherical shells
  for (int i = 0; i < steps; ++i) {
    const double r = 0.7 * (i + 0.5) / steps;
    sum += 4.0 * std::numbers::pi * r * r * lucy_kernel(r, 0.7) * 0.7 / steps;
  }
  EXPECT_NEAR(sum, 1.0, 1e-8);
  EXPECT_EQ(lucy_kernel(0.7, 0.7), 0.0);
}

TEST(CoarseFields, KeepMassAndMomentum) {
  const World world = random_world(300);
  const double width = 0.08;
  const Grid grid = covering_grid({-0.3, -0.2, 0.0}, {0.3, 0.2, 0.5}, width, 0.03);
  const CoarseFields fields = coarse_fields(world.shapes, world.bodies, {}, grid, width);
  double solid = 0.0;
  for (const ShapeIndex shape : world.bodies.shape) solid += volume(world.shapes, shape);
  EXPECT_NEAR(total(fields.density) * grid.cell_volume(), total(world.bodies.mass),
              1e-12 * total(world.bodies.mass));
  EXPECT_NEAR(total(fields.solid_fraction) * grid.cell_volume(), solid, 1e-12 * solid);
  Vec3 momentum = Vec3::Zero();
  double energy = 0.0;  // of translation: mean motion plus temperature
  for (std::size_t c = 0; c < grid.size(); ++c) {
    momentum += fields.density[c] * fields.velocity[c] * grid.cell_volume();
    energy += 0.5 * fields.density[c] * (fields.velocity[c].squaredNorm() + 3.0 * fields.temperature[c]) *
              grid.cell_volume();
  }
  const double mass = total(world.bodies.mass);
  EXPECT_LT((momentum - linear_momentum(world.bodies)).norm(), 1e-12 * mass);  // speeds are 1 m/s
  EXPECT_NEAR(energy, 0.5 * mass, 1e-12 * mass);
}

TEST(CoarseFields, RigidRotationIsReproduced) {
  // Spheres on a cubic lattice that rotates as a whole.
  World world;
  const Vec3 spin(0.3, -0.5, 2.0);
  const double spacing = 0.05, width = 0.2;
  for (int i = -8; i <= 8; ++i) {
    for (int j = -8; j <= 8; ++j) {
      for (int k = -8; k <= 8; ++k) {
        const Vec3 x = spacing * Vec3(i, j, k);
        world.add(Vec3::Constant(0.02), {x, Quat::Identity()}, spin.cross(x));
      }
    }
  }
  const Grid grid = covering_grid(Vec3::Constant(-0.15), Vec3::Constant(0.15), 0.0, 0.05);
  const CoarseFields fields = coarse_fields(world.shapes, world.bodies, {}, grid, width);
  const double density = world.bodies.mass[0] / std::pow(spacing, 3);
  for (std::size_t c = 0; c < grid.size(); ++c) {
    const auto row = c / grid.count[0] % grid.count[1], layer = c / grid.count[0] / grid.count[1];
    const Vec3 cell(static_cast<double>(c % grid.count[0]), static_cast<double>(row),
                    static_cast<double>(layer));
    const Vec3 x = grid.low + grid.edges * (cell + Vec3::Constant(0.5));
    // A lattice with four spacings per width is uniform, to the kernel's Fourier transform there.
    EXPECT_NEAR(fields.density[c], density, 0.01 * density);
    EXPECT_LT((fields.velocity[c] - spin.cross(x)).norm(), 0.01 * spin.norm() * width);
    // The rest of the velocities within the width is their spread, <(spin x d)^2> / 3: the mean of d^2 under
    // Lucy's kernel is w^2 / 4 (its moment, by Beta functions), two thirds of it across the spin.
    const double spread = spin.squaredNorm() * width * width / 18.0;
    EXPECT_NEAR(fields.temperature[c], spread, 0.03 * spread);
  }
}

// A column of equal spheres, each carrying those above it: the force through any height is the weight above
// it, smoothed by the same kernel as the mass.
TEST(CoarseFields, StressOfAColumnIsTheWeightAbove) {
  World world;
  const double radius = 0.05, width = 0.12, g = 9.81;
  constexpr int count = 12;
  std::vector<ContactForce> contacts;
  for (int i = 0; i < count; ++i) {
    world.add(Vec3::Constant(radius), {{0.003 * i, 0.0, (2 * i + 1) * radius}, Quat::Identity()});
  }
  const double weight = world.bodies.mass[0] * g;
  for (int i = 0; i < count; ++i) {
    const Vec3 point(0.003 * (i > 0 ? i - 0.5 : 0.0), 0.0, 2.0 * i * radius);
    contacts.push_back({point, weight * (count - i) * Vec3::UnitZ(), i, i - 1});
  }
  const Grid grid = covering_grid({0.0, 0.0, 0.0}, {0.033, 0.0, 2 * count * radius}, width, width / 4);
  const CoarseFields fields = coarse_fields(world.shapes, world.bodies, contacts, grid, width);
  const std::size_t layer = grid.count[0] * grid.count[1];
  double above = 0.0;  // N: weight of the layers above, and half of this one
  for (std::size_t k = grid.count[2]; k-- > 0;) {
    double mass = 0.0, force = 0.0;
    for (std::size_t c = k * layer; c < (k + 1) * layer; ++c) {
      mass += fields.density[c] * grid.cell_volume();
      force += fields.contact_stress[c](2, 2) * grid.edges(0, 0) * grid.edges(1, 1);
    }
    const double height = grid.low.z() + (static_cast<double>(k) + 0.5) * grid.edges(2, 2);
    above += 0.5 * mass * g;
    // Down to the kernel's width above the ground, whose force is no stress of the column.
    if (height > width) {
      EXPECT_NEAR(force, above, 0.01 * weight * count) << height;
    }
    above += 0.5 * mass * g;
  }
  EXPECT_NEAR(above, weight * count, 1e-9 * weight);
}

PlacedCell sheared_cell(double strain, double rate = 0.0) {
  PeriodicCell cell;
  cell.periodic = {true, true, true};
  cell.low = Vec3(-0.1, 0.2, 0.0);
  cell.high = Vec3(0.3, 0.7, 0.6);
  CellFlow flow;
  flow.rate(0, 1) = strain;
  flow.rate(1, 2) = 0.5 * strain;
  cell.flow = {flow};
  PlacedCell placed = cell.at(1.0);
  placed.rate = rate * flow.rate;
  return placed;
}

/// A cell with bodies at random positions inside or outside it, and contacts between neighbours.
struct FullCell {
  World world;
  std::vector<ContactForce> contacts;
  Mat3 stress = Mat3::Zero();  // Pa, of the contacts
};
FullCell full_cell(const PlacedCell& cell) {
  FullCell full;
  Random random(9);
  constexpr int count = 200;
  for (int i = 0; i < count; ++i) {
    const Vec3 place(random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-3, 3));
    const Vec3 x = cell.centre + cell.lattice * place;
    full.world.add({0.02, 0.03, 0.025}, {x, random.rotation()}, random.direction() + cell.flow(x));
  }
  const std::vector<Vec3>& x = full.world.bodies.position;
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      const Vec3 apart = x[j] - x[i] + cell.nearest_image(x[j] - x[i]);
      if (apart.norm() > 0.06) continue;
      const Vec3 force = 10.0 * random.direction();
      full.contacts.push_back({x[i] + 0.4 * apart + 0.005 * random.direction(), force, a, b});
      full.stress -= force * apart.transpose() / cell.volume;
    }
  }
  return full;
}

// One period of a cell of any shape: its mass, and the stress of its contacts are on the grid to rounding.
TEST(CoarseFieldsInACell, IntegrateToCellMassAndStress) {
  for (const double strain : {0.0, 0.3, 4.7}) {
    const PlacedCell cell = sheared_cell(strain, 7.0);
    const FullCell full = full_cell(cell);
    ASSERT_GT(full.contacts.size(), 50u);
    for (const double width : {0.07, 0.35}) {  // the second kernel reaches its own images
      const Grid grid = covering_grid(cell, Vec3::Zero(), Vec3::Zero(), width, width / 3.0);
      EXPECT_NEAR(grid.cell_volume() * static_cast<double>(grid.size()), cell.volume, 1e-12 * cell.volume);
      const CoarseFields fields =
          coarse_fields(full.world.shapes, full.world.bodies, full.contacts, grid, width, cell);
      const double mass = total(full.world.bodies.mass);
      EXPECT_NEAR(total(fields.density) * grid.cell_volume(), mass, 1e-12 * mass) << strain << ' ' << width;
      Mat3 stress = Mat3::Zero();
      for (std::size_t c = 0; c < grid.size(); ++c) {
        stress += fields.contact_stress[c] / static_cast<double>(grid.size());
      }
      EXPECT_LT((stress - full.stress).norm(), 1e-12 * 10.0 * 0.06 * 200 / cell.volume)
          << strain << ' ' << width;
    }
  }
}

// Bodies on a lattice that flow with the cell: density is the same everywhere, and the velocity is that of
// the flow, also across the seam.
TEST(CoarseFieldsInACell, AreContinuousAcrossTheSeam) {
  PlacedCell cell = sheared_cell(0.3, 7.0);
  World world;
  constexpr int parts = 6;
  for (int i = 0; i < parts; ++i)
    for (int j = 0; j < parts; ++j)
      for (int k = 0; k < parts; ++k) {
        const Vec3 x = cell.centre + cell.lattice * Vec3(i, j, k) / parts;
        world.add(Vec3::Constant(0.02), {x, Quat::Identity()}, cell.flow(x));
      }
  const double width = 0.35;
  const Grid grid = covering_grid(cell, Vec3::Zero(), Vec3::Zero(), width, width / 5.0);
  const CoarseFields fields = coarse_fields(world.shapes, world.bodies, {}, grid, width, cell);
  const double density = total(world.bodies.mass) / cell.volume;
  for (std::size_t c = 0; c < grid.size(); ++c) {
    const Vec3 at(static_cast<double>(c % grid.count[0]),
                  static_cast<double>(c / grid.count[0] % grid.count[1]),
                  static_cast<double>(c / grid.count[0] / grid.count[1]));
    const Vec3 x = grid.low + grid.edges * (at + Vec3::Constant(0.5));
    // The uniformity of the kernel: it is three to four spacings wide.
    EXPECT_NEAR(fields.density[c], density, 0.02 * density);
    EXPECT_LT((fields.velocity[c] - cell.flow(x)).norm(), 0.02 * cell.rate.norm() * width);
  }
}

// A row of three balls that touch each other and the image of the first: the force through every section.
TEST(CoarseFieldsInACell, ContactForcesActTowardNearestImage) {
  PeriodicCell box;
  box.periodic = {true, true, true};
  box.high = Vec3::Constant(0.03);
  const PlacedCell cell = box.at(0.0);
  World world;
  for (int i = 0; i < 3; ++i)
    world.add(Vec3::Constant(0.005), {Vec3(0.005, 0.005 + 0.01 * i, 0.005), Quat::Identity()});
  const Vec3 force(0.0, 0.9, 0.0);  // 1000 Pa
  const std::vector<ContactForce> contacts{{Vec3(0.005, 0.01, 0.005), -force, 0, 1},
                                           {Vec3(0.005, 0.02, 0.005), -force, 1, 2},
                                           {Vec3(0.005, 0.0, 0.005), force, 0, 2}};
  const double width = 0.02;
  const Grid grid = covering_grid(cell, Vec3::Zero(), Vec3::Zero(), width, width / 4.0);
  EXPECT_EQ(grid.count, (std::array<std::size_t, 3>{6, 6, 6}));
  const CoarseFields fields = coarse_fields(world.shapes, world.bodies, contacts, grid, width, cell);
  Mat3 mean = Mat3::Zero();
  for (const Mat3& stress : fields.contact_stress) mean += stress / 216.0;
  EXPECT_NEAR(mean(1, 1), 1000.0, 1e-9);
  EXPECT_LT((mean - mean(1, 1) * Vec3::UnitY() * Vec3::UnitY().transpose()).norm(), 1e-9);
}

TEST(CoarseFields, AreTheSameOnAnyNumberOfThreads) {
  const World world = random_world(200);
  const Grid grid = covering_grid({-0.2, -0.2, 0.1}, {0.2, 0.2, 0.4}, 0.0, 0.03);
  const ContactForce contact{{0.0, 0.0, 0.2}, {1.0, 2.0, 3.0}, 4, 7};
  const int threads = thread_count();
  set_thread_count(1);
  const CoarseFields one = coarse_fields(world.shapes, world.bodies, {&contact, 1}, grid, 0.1);
  set_thread_count(4);
  const CoarseFields four = coarse_fields(world.shapes, world.bodies, {&contact, 1}, grid, 0.1);
  set_thread_count(threads);
  EXPECT_EQ(one.density, four.density);
  EXPECT_EQ(one.kinetic_stress, four.kinetic_stress);
  EXPECT_EQ(one.contact_stress, four.contact_stress);
}

// Mass, momentum and kinetic energy of the mean equal the means of both.
TEST(MeanFields, KeepMassMomentumAndEnergy) {
  World first = random_world(50), second = random_world(80);
  const Grid grid = covering_grid({-0.3, -0.2, 0.0}, {0.3, 0.2, 0.5}, 0.2, 0.05);
  const CoarseFields a = coarse_fields(first.shapes, first.bodies, {}, grid, 0.2),
                     b = coarse_fields(second.shapes, second.bodies, {}, grid, 0.2);
  MeanFields sum;
  sum.add(a);
  sum.add(b);
  const CoarseFields mean = sum.mean();
  const auto energy = [](const CoarseFields& f, std::size_t c) {
    return f.density[c] * (3.0 * f.temperature[c] + f.velocity[c].squaredNorm());
  };
  for (std::size_t c = 0; c < grid.size(); ++c) {
    EXPECT_NEAR(mean.density[c], 0.5 * (a.density[c] + b.density[c]), 1e-12 * (1.0 + mean.density[c]));
    EXPECT_NEAR(mean.solid_fraction[c], 0.5 * (a.solid_fraction[c] + b.solid_fraction[c]), 1e-15);
    const Vec3 momentum = 0.5 * (a.density[c] * a.velocity[c] + b.density[c] * b.velocity[c]);
    EXPECT_NEAR((mean.density[c] * mean.velocity[c] - momentum).norm(), 0.0, 1e-12 * (1.0 + momentum.norm()));
    EXPECT_NEAR(energy(mean, c), 0.5 * (energy(a, c) + energy(b, c)), 1e-10 * (1.0 + energy(mean, c)));
    EXPECT_NEAR((mean.kinetic_stress[c] - 0.5 * (a.kinetic_stress[c] + b.kinetic_stress[c])).norm(), 0.0, 1e-9);
  }
}

}  // namespace
}  // namespace scree
