// Measurements against closed forms, and their continuation from a checkpoint.
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/random.h"
#include "engine/measurements/measurement.h"

namespace scree {
namespace {

constexpr double degree = std::numbers::pi / 180.0;

/// Bodies of one or two materials that a test moves by hand.
struct Grains {
  Shapes shapes;
  Materials materials;
  Bodies bodies;
  PlacedCell cell;
  std::vector<ContactForce> contacts;
  double time_s = 0.0;
  MaterialIndex stone = materials.add("stone", 2500.0), wood = materials.add("wood", 500.0);

  std::size_t add(const Vec3& axes, const Vec3& position, const Vec3& velocity = Vec3::Zero(),
                  const Quat& orientation = Quat::Identity(), bool is_wood = false) {
    add_body(bodies, shapes, materials,
             {shapes.add(Ellipsoid{axes}),
              is_wood ? wood : stone,
              {position, orientation},
              {velocity, Vec3::Zero()}});
    return bodies.size() - 1;
  }
  std::size_t add_sphere(double radius, const Vec3& position, const Vec3& velocity = Vec3::Zero(),
                         bool is_wood = false) {
    return add(Vec3::Constant(radius), position, velocity, Quat::Identity(), is_wood);
  }
  MeasuredMoment now() const { return {time_s, shapes, bodies, cell, true, contacts}; }
  void drift(double seconds) {
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies.position[i] += seconds * bodies.linear_velocity[i];
    time_s += seconds;
  }
};

/// A row of a measurement, by the names of its columns.
struct Row {
  std::vector<MeasuredColumn> columns;
  std::vector<double> values;
  double operator[](const std::string& name) const {
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (columns[k].name == name) return values[k];
    ADD_FAILURE() << "no column " << name;
    return 0.0;
  }
};

/// The row of one time, for measurements that need no other.
Row row_of(const MeasurementPlan& plan, const Grains& grains) {
  const auto measurement = make_measurement(plan);
  measurement->begin(grains.now());
  measurement->see(grains.now());
  return {measurement->columns(), measurement->row(grains.now(), 1.0)};
}

Row flow_after(const MeasurementPlan& plan, Grains& grains, double step_s, int steps) {
  const auto measurement = make_measurement(plan);
  measurement->begin(grains.now());
  for (int k = 0; k < steps; ++k) {
    grains.drift(step_s);
    measurement->see(grains.now());
  }
  return {measurement->columns(), measurement->row(grains.now(), step_s * steps)};
}

PlacedCell cubic_cell(double edge) {
  PeriodicCell cell;
  cell.periodic = {true, true, true};
  cell.low = Vec3::Zero();
  cell.high = Vec3::Constant(edge);
  return cell.at(0.0);
}

TEST(FlowMeasurement, CountsThoseThatGoThroughLessThoseThatComeBack) {
  Grains grains;
  for (int k = 0; k < 5; ++k) grains.add_sphere(0.01, {0.05 * k, 0.0, -0.1}, {0.0, 0.0, 1.0});
  grains.add_sphere(0.02, {0.0, 0.0, 0.1}, {0.0, 0.0, -1.0}, true);  // the opposite direction
  grains.add_sphere(0.01, {9.0, 0.0, -0.1}, {0.0, 0.0, 1.0});        // beyond the disc
  MeasurementPlan plan;
  plan.kind = MeasureKind::flow;
  plan.plane = MeasuringPlane{Vec3::Zero(), Vec3::UnitZ(), 1.0};
  plan.classes.by = Classes::By::material;
  plan.classes.materials = {"stone", "wood"};
  const Row row = flow_after(plan, grains, 0.03, 10);
  EXPECT_DOUBLE_EQ(row["bodies.stone"], 5.0);
  EXPECT_DOUBLE_EQ(row["bodies.wood"], -1.0);
  EXPECT_NEAR(row["mass_flow_kg_s.stone"], 5.0 * grains.bodies.mass[0] / 0.3, 1e-15);
  EXPECT_NEAR(row["number_flow_1_s.wood"], -1.0 / 0.3, 1e-14);
}

TEST(FlowMeasurement, DistinguishesSizes) {
  Grains grains;
  for (const double r : {0.001, 0.002, 0.003, 0.004})
    grains.add_sphere(r, {r * 10.0, 0.0, -0.01}, {0.0, 0.0, 1.0});
  MeasurementPlan plan;
  plan.kind = MeasureKind::flow;
  plan.plane = MeasuringPlane{};
  plan.classes.by = Classes::By::size;
  plan.classes.sizes = {0.003, 0.007};  // diameters
  const Row row = flow_after(plan, grains, 0.02, 1);
  EXPECT_DOUBLE_EQ(row["bodies.below_0.003"], 1.0);
  EXPECT_DOUBLE_EQ(row["bodies.0.003_to_0.007"], 2.0);
  EXPECT_DOUBLE_EQ(row["bodies.above_0.007"], 1.0);
}

// One body moves round a cell of 1 m at 0.3 m/s: once in 3.33 s, for any position of the plane and any image.
TEST(FlowMeasurement, InAPeriodicCellCountsEveryTurn) {
  for (const double plane : {0.0, 0.25, 0.999999, 1.0}) {
    for (const bool images : {false, true}) {
      Grains grains;
      grains.cell = cubic_cell(1.0);
      grains.add_sphere(0.01, {0.5, 0.5, 0.5}, {0.3, 0.0, 0.0});
      MeasurementPlan plan;
      plan.kind = MeasureKind::flow;
      plan.plane = MeasuringPlane{{plane, 0.5, 0.5}, Vec3::UnitX()};
      const auto measurement = make_measurement(plan);
      measurement->begin(grains.now());
      for (int k = 0; k < 1000; ++k) {
        grains.drift(0.0321);
        if (images) grains.bodies.position[0] += grains.cell.image_in_cell(grains.bodies.position[0]);
        measurement->see(grains.now());
      }
      const std::vector<double> row = measurement->row(grains.now(), 32.1);
      EXPECT_NEAR(row[3], 32.1 * 0.3, 1.0) << plane << images;
      EXPECT_GE(row[3], 9.0);
    }
  }
}

// A cell that shears with 1/s. The body follows the flow above the cell with 0.6 m/s; its image in the cell
// is 0.4 m below the centre, and moves back with 0.4 m/s: four times through a disc at its height in 10 s.
TEST(FlowMeasurement, InAShearingCellFollowsTheImageInTheCell) {
  PeriodicCell cell;
  cell.periodic = {true, true, true};
  cell.low = Vec3::Zero();
  cell.high = Vec3::Ones();
  Mat3 rate = Mat3::Zero();
  rate(0, 1) = 1.0;
  cell.flow.push_back({rate});
  Grains grains;
  grains.cell = cell.at(0.0);
  grains.add_sphere(0.01, {0.55, 1.1, 0.5}, {0.6, 0.0, 0.0});
  MeasurementPlan plan;
  plan.kind = MeasureKind::flow;
  plan.plane = MeasuringPlane{{0.25, 0.1, 0.5}, Vec3::UnitX(), 0.05};
  const auto measurement = make_measurement(plan);
  measurement->begin(grains.now());
  for (int k = 0; k < 1000; ++k) {
    grains.drift(0.01);
    grains.cell = cell.at(grains.time_s);
    measurement->see(grains.now());
  }
  EXPECT_EQ(measurement->row(grains.now(), 10.0)[3], -4.0);
}

TEST(ScreeningMeasurement, PartsUndersizeFromOversize) {
  Grains grains;
  const auto drop = [&](double r, int count, bool through) {
    for (int k = 0; k < count; ++k)
      grains.add_sphere(r, through ? Vec3(0.1, 0.01 * k, 0.05) : Vec3(0.9, 0.01 * k, 0.5),
                        through ? Vec3(0.0, 0.0, -1.0) : Vec3(1.0, 0.0, 0.0));
  };
  drop(0.001, 6, true);
  drop(0.001, 2, false);
  drop(0.003, 1, true);
  drop(0.003, 4, false);
  MeasurementPlan plan;
  plan.kind = MeasureKind::screening;
  plan.aperture = 0.004;
  plan.plane = MeasuringPlane{Vec3::Zero(), -Vec3::UnitZ()};
  plan.over = MeasuringPlane{{1.0, 0.0, 0.0}, Vec3::UnitX()};
  const Row row = flow_after(plan, grains, 0.02, 10);
  EXPECT_NEAR(row["efficiency"], 6.0 / 8.0, 1e-12);
  EXPECT_NEAR(row["purity"], 6.0 / (6.0 + 27.0), 1e-12);
}

MeasurementPlan bulk_in(const Vec3& low, const Vec3& high) {
  MeasurementPlan plan;
  plan.kind = MeasureKind::bulk;
  plan.region = BoxRegion{low, high};
  return plan;
}

// v = (g y, 0, 0): the mean flow contains all of the motion, its rate is g and its temperature zero.
TEST(BulkMeasurement, OfAShearFlowHasItsRateAndNoTemperature) {
  Grains grains;
  Random random(3);
  for (int k = 0; k < 60; ++k) {
    const Vec3 x(random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1));
    grains.add_sphere(0.01, x, {7.0 * x[1], 0.0, 0.0});
  }
  const Row row = row_of(bulk_in(Vec3::Zero(), Vec3::Ones()), grains);
  EXPECT_NEAR(row["shear_rate_1_s"], 7.0, 1e-12);
  EXPECT_NEAR(row["temperature_m2_s2"], 0.0, 1e-25);
  EXPECT_EQ(row["bodies"], 60.0);
}

// Random velocities with variance T = 4 in each direction, of few bodies: the mean temperature is T, also
// where the fit of the flow takes a half of their squares. Standard error: 4 sqrt(2/3 / (1500 * 4)) = 0.04,
// and 0.08 of two.
TEST(BulkMeasurement, TemperatureOfFewBodiesIsUnbiased) {
  Random random(8);
  for (const int bodies : {2, 7, 8, 20}) {
    double sum = 0.0;
    constexpr int draws = 1500;
    for (int draw = 0; draw < draws; ++draw) {
      Grains grains;
      for (int k = 0; k < bodies; ++k) {
        const Vec3 x(random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1));
        grains.add_sphere(0.01, x,
                          {2.0 * random.normal(), 5.0 + 2.0 * random.normal(), 2.0 * random.normal()});
      }
      const Row row = row_of(bulk_in(Vec3::Zero(), Vec3::Ones()), grains);
      sum += row["temperature_m2_s2"];
      EXPECT_EQ(std::isnan(row["shear_rate_1_s"]), bodies < 8);
    }
    EXPECT_NEAR(sum / draws, 4.0, bodies == 2 ? 0.3 : 0.16) << bodies;
  }
  // A large body at rest among small ones hardly changes their kinetic energy.
  Grains mixed;
  mixed.add_sphere(0.05, {0.5, 0.5, 0.5});
  double energy = 0.0;
  for (int k = 0; k < 100; ++k) {
    const Vec3 v(random.normal(), random.normal(), random.normal());
    mixed.add_sphere(0.005, {random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1)},
                     {v[0], v[1], v[2]});
    energy += v.squaredNorm();
  }
  EXPECT_NEAR(row_of(bulk_in(Vec3::Zero(), Vec3::Ones()), mixed)["temperature_m2_s2"],
              energy / (3.0 * 1100.0), 0.1 * energy / 3300.0);
  Grains one;
  one.add_sphere(0.01, {0.5, 0.5, 0.5}, {1.0, 0.0, 0.0});
  EXPECT_TRUE(std::isnan(row_of(bulk_in(Vec3::Zero(), Vec3::Ones()), one)["temperature_m2_s2"]));
}

TEST(BulkMeasurement, SolidFractionOfCutSpheresIsExactAtFacesAndCorners) {
  constexpr double r = 0.1, sphere = 4.0 / 3.0 * std::numbers::pi * r * r * r;
  Grains grains;
  grains.add_sphere(r, {0.5, 0.5, 0.5});  // inside
  grains.add_sphere(r, {0.5, 0.5, 0.0});  // half of it is inside
  grains.add_sphere(r, {1.0, 1.0, 1.0});  // an eighth
  const Row row = row_of(bulk_in(Vec3::Zero(), Vec3::Ones()), grains);
  EXPECT_NEAR(row["solid_fraction"], (1.0 + 0.5 + 0.125) * sphere, 1e-15);
  // In a cylinder by 256 points: a body on its curved side to about 1 %.
  Grains other;
  other.add_sphere(r, {0.5, 0.0, 0.0});
  MeasurementPlan plan;
  plan.kind = MeasureKind::bulk;
  plan.region = CylinderRegion{{0.0, 0.0, -1.0}, {0.0, 0.0, 1.0}, 100.0};
  EXPECT_NEAR(row_of(plan, other)["solid_fraction"] * volume(*plan.region), sphere, 1e-12);
  plan.region = CylinderRegion{{0.5, 0.0, 0.0}, {0.5, 0.0, 1.0}, 1.0};
  EXPECT_NEAR(row_of(plan, other)["solid_fraction"] * volume(*plan.region), 0.5 * sphere, 0.01 * sphere);
}

// Two spheres pressed together along x: stress_xx = F l / V, and half of it for half of the line.
TEST(BulkMeasurement, StressOfOneContactIsForceTimesBranch) {
  Grains grains;
  grains.add_sphere(0.1, {0.4, 0.5, 0.5});
  grains.add_sphere(0.1, {0.6, 0.5, 0.5});
  grains.contacts = {{{0.5, 0.5, 0.5}, {-3.0, 0.5, 0.0}, 0, 1}};
  Row row = row_of(bulk_in(Vec3::Zero(), Vec3::Ones()), grains);
  EXPECT_NEAR(row["stress_xx_Pa"], 3.0 * 0.2, 1e-15);
  EXPECT_NEAR(row["stress_yx_Pa"], -0.5 * 0.2, 1e-15);
  EXPECT_NEAR(row["pressure_Pa"], 0.2, 1e-15);
  EXPECT_EQ(row["contact_number"], 1.0);
  EXPECT_EQ(row["share_of_rattlers"], 1.0);
  row = row_of(bulk_in(Vec3::Zero(), {0.5, 1.0, 1.0}), grains);
  EXPECT_NEAR(row["stress_xx_Pa"], 3.0 * 0.1 / 0.5, 1e-15);
  // s = diag(2, -1, -1) p and the shear: mu = sqrt(3 + shear^2) for a single direction.
  EXPECT_NEAR(row["mu"], std::sqrt(3.0 + std::pow(0.5 * 0.05 / 0.2 * 2.0, 2)), 1e-2);
}

TEST(BulkMeasurement, OrderOfRodsAndDiscs) {
  Random random(5);
  const MeasurementPlan plan = bulk_in(-Vec3::Ones(), Vec3::Ones());
  Grains parallel, flat, free;
  for (int k = 0; k < 400; ++k) {
    const Vec3 x(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    parallel.add({0.01, 0.01, 0.03}, x);
    flat.add({0.03, 0.01, 0.01}, x, Vec3::Zero(),
             Quat(Eigen::AngleAxisd(random.uniform(0.0, 2.0 * std::numbers::pi), Vec3::UnitZ())));
    free.add({0.03, 0.01, 0.01}, x, Vec3::Zero(), random.rotation());
  }
  EXPECT_NEAR(row_of(plan, parallel)["orientation_order"], 1.0, 1e-12);
  EXPECT_NEAR(row_of(plan, parallel)["director_z"], 1.0, 1e-12);
  // In a plane the eigenvalues are -1/2 across it and 1/4 in it, except for the scatter of 400 angles.
  EXPECT_NEAR(row_of(plan, flat)["orientation_order"], -0.5, 1e-12);
  EXPECT_NEAR(std::abs(row_of(plan, flat)["director_z"]), 1.0, 1e-12);
  EXPECT_NEAR(row_of(plan, free)["orientation_order"], 0.0, 3.0 / std::sqrt(400.0));
}

TEST(SurfaceMeasurement, OfASlopeAndOfAConeHasTheirAngle) {
  Grains slope, cone;
  constexpr double r = 0.005, angle = 23.0 * degree;
  for (double x = 0.0; x < 1.0; x += 2.0 * r)
    for (double y = 0.0; y < 0.1; y += 2.0 * r) slope.add_sphere(r, {x, y, x * std::tan(angle)});
  for (double x = -0.5; x <= 0.5; x += 2.0 * r)
    for (double y = -0.5; y <= 0.5; y += 2.0 * r)
      if (std::hypot(x, y) < 0.5) cone.add_sphere(r, {x, y, (0.5 - std::hypot(x, y)) * std::tan(angle)});
  for (Grains* g : {&slope, &cone})
    for (std::size_t i = 0; i < g->bodies.size(); ++i)
      g->contacts.push_back({g->bodies.position[i], Vec3::UnitZ(), static_cast<std::int32_t>(i), -1});
  slope.add_sphere(r, {0.5, 0.05, 3.0});  // it flies
  MeasurementPlan plan;
  plan.kind = MeasureKind::surface;
  Row row = row_of(plan, slope);
  EXPECT_NEAR(row["angle_deg"], 23.0, 0.2);
  EXPECT_NEAR(row["front_low_m"], -r, 1e-12);
  EXPECT_NEAR(row["front_high_m"], 0.99 + r, 1e-9);
  plan.centre = Vec3::Zero();
  row = row_of(plan, cone);
  EXPECT_NEAR(row["angle_deg"], 23.0, 0.5);
  EXPECT_NEAR(row["run_out_m"], 0.5, 2.0 * r);
}

// Separate halves of a box have the index 0, except for the cells at the border. A random mixture has 1,
// except for the scatter of the cells.
TEST(MixingMeasurement, LaceyIndexOfApartAndOfRandom) {
  Random random(7);
  Grains apart, mixed;
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 20; ++j)
      for (int k = 0; k < 20; ++k) {
        const Vec3 x = Vec3(i + 0.5, j + 0.5, k + 0.5) * 0.05;
        apart.add_sphere(0.02, x, Vec3::Zero(), i < 10);
        mixed.add_sphere(0.02, x, Vec3::Zero(), random.uniform(0.0, 1.0) < 0.5);
      }
  MeasurementPlan plan;
  plan.kind = MeasureKind::mixing;
  plan.cell = 0.25;
  plan.up = Vec3::UnitX();
  plan.classes.by = Classes::By::material;
  plan.classes.materials = {"stone", "wood"};
  EXPECT_NEAR(row_of(plan, apart)["lacey_index"], 0.0, 1e-12);
  EXPECT_NEAR(row_of(plan, apart)["segregation_index"], 1.0, 0.01);  // stone is above
  EXPECT_NEAR(row_of(plan, mixed)["lacey_index"], 1.0, 0.01);
  EXPECT_NEAR(row_of(plan, mixed)["segregation_index"], 0.0, 0.05);
  plan.by_place = true;
  plan.along = Vec3::UnitX();
  EXPECT_NEAR(row_of(plan, mixed)["lacey_index"], 0.0, 1e-12);
  EXPECT_NEAR(row_of(plan, mixed)["segregation_index"], -1.0, 0.01);
}

TEST(ResidenceMeasurement, IsTheTimeBetweenTwoFaces) {
  Grains grains;
  for (int k = 0; k < 4; ++k)
    grains.add_sphere(0.001, {-0.1 - 0.05 * k, 0.0, 0.0}, {0.1 * (k + 1), 0.0, 0.0});
  grains.add_sphere(0.001, {0.5, 0.0, 0.0}, {1.0, 0.0, 0.0});  // it was inside before
  MeasurementPlan plan;
  plan.kind = MeasureKind::residence;
  plan.region = BoxRegion{{0.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
  const auto measurement = make_measurement(plan);
  measurement->begin(grains.now());
  constexpr double step = 0.001;
  for (int k = 0; k < 20000; ++k) {
    grains.drift(step);
    measurement->see(grains.now());
  }
  const Row row{measurement->columns(), measurement->row(grains.now(), 20.0)};
  EXPECT_EQ(row["entered"], 4.0);
  EXPECT_EQ(row["left"], 5.0);
  EXPECT_NEAR(row["mean_s"], (10.0 + 5.0 + 10.0 / 3.0 + 2.5) / 4.0, step);
  EXPECT_EQ(measurement->table()->rows.size(), 4u);
}

// A simple cubic lattice: every body has 6 neighbours at a, 12 at sqrt(2) a, and 8 at sqrt(3) a.
TEST(PairCorrelation, OfALatticeHasItsNeighbours) {
  Grains grains;
  grains.cell = cubic_cell(1.0);
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < 10; ++j)
      for (int k = 0; k < 10; ++k) grains.add_sphere(0.02, Vec3(i, j, k) * 0.1);
  MeasurementPlan plan;
  plan.kind = MeasureKind::pair_correlation;
  plan.radius = 0.18;
  plan.cell = 0.012;
  const auto measurement = make_measurement(plan);
  measurement->begin(grains.now());
  const Row row{measurement->columns(), measurement->row(grains.now(), 1.0)};
  EXPECT_EQ(row["pairs"], 26000.0);
  const MeasuredTable table = *measurement->table();
  for (const auto& bin : table.rows) {
    const double low = bin[0] - 0.006, high = bin[0] + 0.006;
    double expected = 0.0;
    if (low <= 0.1 && 0.1 < high) expected += 6000.0;
    if (low <= 0.1 * std::sqrt(2.0) && 0.1 * std::sqrt(2.0) < high) expected += 12000.0;
    if (low <= 0.1 * std::sqrt(3.0) && 0.1 * std::sqrt(3.0) < high) expected += 8000.0;
    EXPECT_EQ(bin[2], expected) << bin[0];
    const double shell = 4.0 / 3.0 * std::numbers::pi * (high * high * high - low * low * low);
    EXPECT_NEAR(bin[1], expected / (1000.0 * 1000.0 * shell), 1e-9 * (1.0 + bin[1]));
  }
  // In a box the bodies near its sides count as partners, but not as first bodies.
  plan.region = BoxRegion{Vec3::Constant(-0.05), Vec3::Constant(0.95)};
  grains.cell = {};
  const Row box = row_of(plan, grains);
  EXPECT_EQ(box["bodies"], 6.0 * 6.0 * 6.0);
  EXPECT_EQ(box["pairs"], 26.0 * 216.0);
}

TEST(ProfileMeasurement, OfLayersHasTheirVelocitiesAndVolumes) {
  Grains grains;
  for (int k = 0; k < 10; ++k)
    for (int i = 0; i < 4; ++i)
      grains.add_sphere(0.03, {0.25 * i + 0.1, 0.5, 0.1 * k + 0.05}, {1.0 * k, 0.0, 0.0});
  MeasurementPlan plan;
  plan.kind = MeasureKind::profile;
  plan.region = BoxRegion{Vec3::Zero(), Vec3::Ones()};
  plan.along = Vec3::UnitZ();
  plan.cell = 0.1;
  const auto measurement = make_measurement(plan);
  measurement->begin(grains.now());
  for (int n = 0; n < 3; ++n) measurement->row(grains.now(), 1.0);
  const MeasuredTable table = *measurement->table();
  ASSERT_EQ(table.rows.size(), 10u);
  const double sphere = 4.0 / 3.0 * std::numbers::pi * 0.03 * 0.03 * 0.03;
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_NEAR(table.rows[k][0], 0.1 * static_cast<double>(k) + 0.05, 1e-12);
    EXPECT_NEAR(table.rows[k][1], 4.0 * sphere / 0.1, 1e-12);
    EXPECT_NEAR(table.rows[k][3], static_cast<double>(k), 1e-12);
    EXPECT_NEAR(table.rows[k][6], 0.0, 1e-12);
  }
}

// Bins and layers follow from the size of bodies: they wait for the first one.
TEST(Measurements, MayBeginWithoutBodies) {
  for (const MeasureKind kind : {MeasureKind::pair_correlation, MeasureKind::profile}) {
    Grains grains;
    MeasurementPlan plan;
    plan.kind = kind;
    plan.along = Vec3::UnitZ();
    plan.region = BoxRegion{Vec3::Zero(), Vec3::Ones()};
    const auto measurement = make_measurement(plan);
    measurement->begin(grains.now());
    EXPECT_EQ(measurement->row(grains.now(), 1.0)[0], 0.0);
    for (int k = 0; k < 10; ++k) grains.add_sphere(0.05, {0.5, 0.5, 0.05 + 0.1 * k});
    measurement->row(grains.now(), 1.0);
    const std::size_t rows = measurement->table()->rows.size();
    EXPECT_EQ(rows, kind == MeasureKind::profile ? 10u : 80u);  // diameters; 4 diameters in twentieths
    if (kind == MeasureKind::profile) {
      const double sphere = 4.0 / 3.0 * std::numbers::pi * 0.05 * 0.05 * 0.05;
      EXPECT_NEAR(measurement->table()->rows[3][1], 0.5 * sphere / 0.1, 1e-12);  // mean of two moments
    }
  }
}

TEST(BodiesMeasurement, RankIsThePartOfTheOthersThatAreLower) {
  Grains grains;
  for (int k = 0; k < 5; ++k) grains.add_sphere(0.01, {0.0, 0.0, 0.1 * k});
  MeasurementPlan plan;
  plan.kind = MeasureKind::bodies;
  plan.bodies = {grains.bodies.id[3], 77};
  const Row row = row_of(plan, grains);
  EXPECT_DOUBLE_EQ(row["rank.3"], 0.75);
  EXPECT_DOUBLE_EQ(row["position_z_m.3"], 0.1 * 3);
  EXPECT_TRUE(std::isnan(row["position_z_m.77"]));
}

/// Every kind that uses bodies.
std::vector<MeasurementPlan> all_plans() {
  std::vector<MeasurementPlan> plans;
  for (std::size_t k = 0; k < measure_words.size(); ++k) {
    MeasurementPlan plan;
    plan.kind = static_cast<MeasureKind>(k);
    if (plan.kind == MeasureKind::quantity) continue;
    plan.region = BoxRegion{{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
    plan.plane = MeasuringPlane{};
    plan.over = MeasuringPlane{Vec3::Zero(), Vec3::UnitX()};
    plan.aperture = 0.03;
    plan.by_place = plan.kind == MeasureKind::mixing;
    plan.bodies = {3, 5};
    plans.push_back(plan);
  }
  return plans;
}

// Bodies that fly through each other and are sorted in memory now and then.
TEST(Measurements, ContinueFromTheirMemory) {
  for (const MeasurementPlan& plan : all_plans()) {
    Random random(11);
    Grains grains;
    for (int k = 0; k < 50; ++k)
      grains.add_sphere(random.uniform(0.01, 0.02),
                        {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)},
                        random.direction());
    Measuring whole(plan, 0.1, 1e-9);
    std::optional<Measuring> second;
    whole.see(grains.now());
    for (int k = 0; k < 100; ++k) {
      if (k == 47) {
        second.emplace(plan, 0.1, 1e-9);
        second->remember(whole.memory());
      }
      grains.drift(0.013);
      if (k % 10 == 5)
        for (std::size_t i = 0; i + 7 < grains.bodies.size(); i += 3) {
          Bodies& b = grains.bodies;
          std::swap(b.position[i], b.position[i + 7]);
          std::swap(b.linear_velocity[i], b.linear_velocity[i + 7]);
          std::swap(b.mass[i], b.mass[i + 7]);
          std::swap(b.inertia[i], b.inertia[i + 7]);
          std::swap(b.shape[i], b.shape[i + 7]);
          std::swap(b.id[i], b.id[i + 7]);
        }
      const auto row = whole.see(grains.now());
      if (!second) continue;
      const auto other = second->see(grains.now());
      ASSERT_EQ(row.has_value(), other.has_value()) << to_string(plan.kind);
      for (std::size_t c = 0; row && c < row->size(); ++c)
        EXPECT_TRUE((*row)[c] == (*other)[c] || (std::isnan((*row)[c]) && std::isnan((*other)[c])))
            << to_string(plan.kind) << c;
    }
    EXPECT_EQ(whole.memory().size(), second->memory().size()) << to_string(plan.kind);
    if (const auto table = whole.measurement().table()) {
      const auto other = second->measurement().table();
      ASSERT_EQ(table->rows.size(), other->rows.size());
      for (std::size_t r = 0; r < table->rows.size(); ++r)
        for (std::size_t c = 0; c < table->rows[r].size(); ++c)
          EXPECT_TRUE(table->rows[r][c] == other->rows[r][c] || std::isnan(table->rows[r][c]));
    }
  }
}

TEST(Measurements, RowsEndAtTheFirstMomentAfterEachInterval) {
  MeasurementPlan plan;
  plan.kind = MeasureKind::bodies;
  plan.from_s = 0.5;
  plan.until_s = 1.2;
  Grains grains;
  grains.add_sphere(0.01, Vec3::Zero());
  Measuring measuring(plan, 0.2, 1e-9);
  std::vector<double> ends;
  for (int k = 0; k <= 20; ++k) {
    grains.time_s = 0.1 * k;
    if (measuring.see(grains.now())) ends.push_back(grains.time_s);
  }
  ASSERT_EQ(ends.size(), 3u);
  EXPECT_NEAR(ends[0], 0.7, 1e-12);
  EXPECT_NEAR(ends[2], 1.1, 1e-12);
}

}  // namespace
}  // namespace scree
