// Mechanisms: textbook cases digit by digit, published benchmarks, redundant and singular constraints.
#include <gtest/gtest.h>
#include <numbers>

#include "engine/core/rotation.h"
#include "engine/modules/integration/brent.h"
#include "tests/support/mechanism.h"

namespace scree {
namespace {

constexpr double g = 9.81;
const Quat same = Quat::Identity();
/// A joint frame with its z along the world's y: for machines in the plane of x and z.
const Quat across(Eigen::AngleAxisd(-0.5 * std::numbers::pi, Vec3::UnitX()));

Eigen::SparseMatrix<double> sparse(const Eigen::MatrixXd& m) { return m.sparseView(); }

/// A thin uniform rod from p to q, 1 kg by default, with its x along the axis.
MechanismBody rod(const Vec3& p, const Vec3& q, double mass = 1.0) {
  const double length = (q - p).norm(), across_ = mass * length * length / 12.0;
  MechanismBody body;
  body.mass = mass;
  body.inertia = Vec3(1e-6 * across_, across_, across_);
  body.pose = {0.5 * (p + q), turn_between(Vec3::UnitX(), q - p)};
  return body;
}

/// A joint at a position in the world, about or along axis z there.
Joint joint_at(const Mechanism& m, const std::string& name, JointKind kind, int a, int b, const Pose& at) {
  const auto end = [&](int body) -> JointEnd {
    if (body == JointEnd::ground) return {JointEnd::ground, at};
    const Pose pose = m.body(body).pose;
    return {body,
            {pose.orientation.conjugate() * (at.position - pose.position),
             pose.orientation.conjugate() * at.orientation}};
  };
  return {name, kind, end(a), end(b)};
}

// The double pendulum of the textbook in its four coordinates: the 6 x 6 system of docs/mechanisms.md at the
// start, and with the rods rotated by 0.3 and 0.8 rad and at 2 and -1 rad/s, against the two angles'
// equations.
TEST(Accelerations, DoublePendulumInFourCoordinatesMatchesTwoAngles) {
  const auto equations = [](const Eigen::Vector4d& q, const Eigen::Vector4d& v) {
    const Eigen::Vector2d d(q[2] - q[0], q[3] - q[1]), rate(v[2] - v[0], v[3] - v[1]);
    Eigen::MatrixXd j(2, 4);
    j << q[0], q[1], 0, 0, -d[0], -d[1], d[0], d[1];
    return MotionEquations{sparse(Eigen::Matrix4d::Identity()), sparse(j), Eigen::Vector4d(0, -g, 0, -g),
                           Eigen::Vector2d(v.head<2>().squaredNorm(), rate.squaredNorm())};
  };
  const ConstrainedMotion start = MotionSolver().solve(equations({1, 0, 2, 0}, Eigen::Vector4d::Zero()));
  EXPECT_LT((start.acceleration - Eigen::Vector4d(0, -g, 0, -g)).norm(), 1e-15);
  EXPECT_LT(start.multiplier.norm(), 1e-15);

  const double a = 0.3, b = 0.8, wa = 2.0, wb = -1.0;  // angles from the vertical below
  const Eigen::Vector2d ra(std::sin(a), -std::cos(a)), rb(std::sin(b), -std::cos(b)),
      ta(std::cos(a), std::sin(a)), tb(std::cos(b), std::sin(b));
  Eigen::Vector4d q, v;
  q << ra, ra + rb;
  v << wa * ta, wa * ta + wb * tb;
  // 2 a'' + b'' cos(a-b) = -wb^2 sin(a-b) - 2 g sin a;  a'' cos(a-b) + b'' = wa^2 sin(a-b) - g sin b
  Eigen::Matrix2d m;
  m << 2.0, std::cos(a - b), std::cos(a - b), 1.0;
  const Eigen::Vector2d angular =
      m.inverse() * Eigen::Vector2d(-wb * wb * std::sin(a - b) - 2.0 * g * std::sin(a),
                                    wa * wa * std::sin(a - b) - g * std::sin(b));
  Eigen::Vector4d expected;
  expected << angular[0] * ta - wa * wa * ra, angular[0] * ta - wa * wa * ra + angular[1] * tb - wb * wb * rb;
  for (const MotionSolver::Kind kind : {MotionSolver::Kind::dense, MotionSolver::Kind::sparse}) {
    const ConstrainedMotion motion = MotionSolver(kind).solve(equations(q, v));
    EXPECT_LT((motion.acceleration - expected).norm(), 1e-13);
    // The lower multiplier is the force in the lower rod over its length.
    EXPECT_NEAR(motion.multiplier[1], -(expected.tail<2>() + Eigen::Vector2d(0, g)).dot(rb), 1e-12);
  }
}

Joint rod_between(const std::string& name, int a, int b) {
  return {name, JointKind::distance, {a, {}}, {b, {}}};  // centre to centre, at the present distance
}

/// The double pendulum as two points on rods, both to the right, in the plane of x and z.
Mechanism double_pendulum() {
  Mechanism m;
  for (const double x : {1.0, 2.0}) m.add_body({1.0, Vec3::Ones(), {Vec3(x, 0, 0), same}, {}});
  m.add_joint(rod_between("upper", JointEnd::ground, 0));
  m.add_joint(rod_between("lower", 0, 1));
  return m;
}

struct Angles {
  double upper, lower, upper_rate, lower_rate;  // from the vertical below, with any number of full rotations
};
Angles angles_of(const Mechanism& m) {
  const JointedBody a = m.body(0), b = m.body(1);
  const Vec3 d = b.pose.position - a.pose.position, rate = b.twist.linear - a.twist.linear;
  const auto angle = [](const Vec3& r) { return std::atan2(r.x(), -r.z()); };
  const auto turning = [](const Vec3& r, const Vec3& v) {
    return (-r.z() * v.x() + r.x() * v.z()) / r.squaredNorm();
  };
  return {angle(a.pose.position), angle(d), turning(a.pose.position, a.twist.linear), turning(d, rate)};
}

// To 1e-9 after 1, 2, 3 s in steps of 0.25 ms of the classical formula (reference: both angles' equations
// with an accuracy of 1e-13).
TEST(Mechanism, DoublePendulumToNineDigits) {
  const Angles reference[] = {
      {-0.6250876998063906, -1.034585085680012, -3.922279572887977, -1.303099248696331},
      {-0.4829715342517544, -1.324048712302363, 0, 0},
      {1.785795522077417, 1.118107461205155, 0, 0}};
  Mechanism m = double_pendulum();
  const double energy = m.energy();
  for (int second = 0; second < 3; ++second) {
    for (int k = 0; k < 4000; ++k) m.step(classical, 2.5e-4);
    const Angles now = angles_of(m), &then = reference[second];
    EXPECT_NEAR(std::remainder(now.upper - then.upper, 2.0 * std::numbers::pi), 0.0, 1e-9) << second;
    EXPECT_NEAR(std::remainder(now.lower - then.lower, 2.0 * std::numbers::pi), 0.0, 1e-9) << second;
    if (second > 0) continue;
    EXPECT_NEAR(now.upper_rate, then.upper_rate, 1e-9);
    EXPECT_NEAR(now.lower_rate, then.lower_rate, 1e-9);
  }
  EXPECT_NEAR(m.energy(), energy, 1e-9);
  EXPECT_LT(m.joint_error().first, 1e-13);
}

// A pendulum released to the right, in steps of 0.03 s: by Euler's formula its rod grows and it gains energy;
// projection keeps the rod, but the gain is no smaller; the fourth order keeps both (docs/mechanisms.md).
TEST(Mechanism, EulerGainsEnergyAndFourthOrderDoesNot) {
  const auto run = [](auto&& formula, bool projects) {
    Mechanism m;
    m.add_body({1.0, Vec3::Ones(), {Vec3(1, 0, 0), same}, {}});
    m.add_joint(rod_between("rod", JointEnd::ground, 0));
    m.stabilisation.projects = projects;
    for (int k = 0; k < 33; ++k) m.step(formula, 0.03);
    return std::pair(std::abs(m.energy()), m.joint_error().first);
  };
  EXPECT_GT(run(explicit_euler, false).second, 0.1);
  EXPECT_LT(run(explicit_euler, true).second, 1e-13);
  EXPECT_GT(run(explicit_euler, true).first, 1.0);
  EXPECT_LT(run(classical, true).second, 1e-13);
  EXPECT_LT(run(classical, true).first, 1e-3);
}

// A uniform rod of 1 m and 1 kg slides down a wall and a floor from 30 degrees above the floor: both
// multipliers equal the closed form while it slides, and it leaves the wall where its sine is two thirds.
TEST(Mechanism, ARodLeavesTheWall) {
  const double start = std::numbers::pi / 6.0;
  Mechanism m;
  const Vec3 top(0, 0, std::sin(start)), foot(std::cos(start), 0, 0);
  m.add_body(rod(foot, top));
  const Pose pose = m.body(0).pose;
  const auto on_plane = [&](const char* name, const Vec3& end, const Vec3& normal) {
    return Joint{name,
                 JointKind::point_on_plane,
                 {JointEnd::ground, {end, turn_between(Vec3::UnitZ(), normal)}},
                 {0, {pose.orientation.conjugate() * (end - pose.position), same}}};
  };
  const std::size_t wall = m.add_joint(on_plane("wall", top, Vec3::UnitX())),
                    floor = m.add_joint(on_plane("floor", foot, Vec3::UnitZ()));
  const auto angle = [&] { return std::asin(2.0 * m.body(0).pose.position.z()); };
  const auto wall_force = [](double a, double s0) {
    return 0.75 * g * std::cos(a) * (3.0 * std::sin(a) - 2.0 * s0);
  };
  Mechanism before = m;
  int looked = 0;
  while (m.reaction(wall).force.x() > 0.0) {
    before = m;
    const double a = angle(), s = std::sin(a);
    EXPECT_NEAR(m.reaction(wall).force.x(), wall_force(a, 0.5), 1e-9);
    EXPECT_NEAR(m.reaction(floor).force.z(), 0.25 * g * (1.0 + 9.0 * s * s - 3.0 * s), 1e-9);
    m.step(classical, 1e-3);
    ASSERT_LT(++looked, 1000);
  }
  EXPECT_GT(looked, 100);
  // The exact time: a step that ends where the multiplier changes its sign.
  const auto force_after = [&](double h) {
    Mechanism trial = before;
    trial.step(classical, h);
    return trial.reaction(wall).force.x();
  };
  before.step(classical, brent_root(force_after, 0.0, 1e-3, 1e-15));
  m = before;
  EXPECT_NEAR(std::sin(angle()), 1.0 / 3.0, 1e-10);
}

/// Andrews' squeezing mechanism (Schiehlen 1990; Hairer, Wanner 1996, VII.7) in its seven angles beta, theta,
/// gamma, phi, delta, omega, epsilon.
class Squeezer {
 public:
  using Angles7 = Eigen::Matrix<double, 7, 1>;
  static Angles7 start() {
    Angles7 q;
    q << -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449,
        0.222668390165885884674473185609, 0.487364979543842550225598953530, -0.222668390165885884674473185609,
        1.23054744454982119249735015568;
    return q;
  }
  static MotionEquations equations(const Angles7& q, const Angles7& v) {
    constexpr double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706,
                     m7 = .05498;
    constexpr double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7,
                     i7 = 1.912e-5;
    constexpr double xb = -.03635, yb = .03273, xc = .014, yc = .072, d = 28e-3, da = 115e-4, e = 2e-2,
                     ea = 1421e-5, rr = 7e-3, ra = 92e-5, l0 = 7785e-5, ss = 35e-3, sa = 1874e-5,
                     sb = 1043e-5, sc = 18e-3, sd = 2e-2, ta = 2308e-5, tb = 916e-5, u = 4e-2, ua = 1228e-5,
                     ub = 449e-5, zf = 2e-2, zt = 4e-2, fa = 1421e-5, mom = 33e-3, c0 = 4530.0;
    enum { be, th, ga, ph, de, om, ep };
    Eigen::Matrix<double, 7, 7> m = Eigen::Matrix<double, 7, 7>::Zero();
    m(be, be) = m1 * ra * ra + m2 * (rr * rr - 2.0 * da * rr * std::cos(q[th]) + da * da) + i1 + i2;
    m(th, be) = m2 * (da * da - da * rr * std::cos(q[th])) + i2;
    m(th, th) = m2 * da * da + i2;
    m(ga, ga) = m3 * (sa * sa + sb * sb) + i3;
    m(ph, ph) = m4 * (e - ea) * (e - ea) + i4;
    m(de, ph) = m4 * ((e - ea) * (e - ea) + zt * (e - ea) * std::sin(q[ph])) + i4;
    m(de, de) = m4 * (zt * zt + 2.0 * zt * (e - ea) * std::sin(q[ph]) + (e - ea) * (e - ea)) +
                m5 * (ta * ta + tb * tb) + i4 + i5;
    m(om, om) = m6 * (zf - fa) * (zf - fa) + i6;
    m(ep, om) = m6 * ((zf - fa) * (zf - fa) - u * (zf - fa) * std::sin(q[om])) + i6;
    m(ep, ep) = m6 * ((zf - fa) * (zf - fa) - 2.0 * u * (zf - fa) * std::sin(q[om]) + u * u) +
                m7 * (ua * ua + ub * ub) + i6 + i7;
    m = m.selfadjointView<Eigen::Lower>();
    const double sg = std::sin(q[ga]), cg = std::cos(q[ga]);
    const double x = sd * cg + sc * sg + xb - xc, y = sd * sg - sc * cg + yb - yc, length = std::hypot(x, y);
    const double pull = -c0 * (length - l0) / length, fx = pull * x, fy = pull * y;
    Eigen::VectorXd f(7);
    f << mom - m2 * da * rr * v[th] * (v[th] + 2.0 * v[be]) * std::sin(q[th]),
        m2 * da * rr * v[be] * v[be] * std::sin(q[th]), fx * (sc * cg - sd * sg) + fy * (sd * cg + sc * sg),
        m4 * zt * (e - ea) * v[de] * v[de] * std::cos(q[ph]),
        -m4 * zt * (e - ea) * v[ph] * (v[ph] + 2.0 * v[de]) * std::cos(q[ph]),
        -m6 * u * (zf - fa) * v[ep] * v[ep] * std::cos(q[om]),
        m6 * u * (zf - fa) * v[om] * (v[om] + 2.0 * v[ep]) * std::cos(q[om]);
    // Each constraint pair is a chain of vectors: length, direction (a sum of angles, and a quarter
    // rotation).
    struct Vector {
      double length;
      std::vector<int> angles;
      bool quarter;
    };
    const std::vector<Vector> chains[] = {
        {{rr, {be}, false}, {-d, {be, th}, false}, {ss, {ga}, true}},
        {{rr, {be}, false}, {-d, {be, th}, false}, {e, {ph, de}, true}, {-zt, {de}, false}},
        {{rr, {be}, false}, {-d, {be, th}, false}, {-zf, {om, ep}, false}, {u, {ep}, true}}};
    Eigen::MatrixXd j = Eigen::MatrixXd::Zero(6, 7);
    Eigen::VectorXd gamma = Eigen::VectorXd::Zero(6);
    for (int chain = 0; chain < 3; ++chain)
      for (const Vector& part : chains[chain]) {
        double angle = part.quarter ? 0.5 * std::numbers::pi : 0.0, rate = 0.0;
        for (const int k : part.angles) angle += q[k], rate += v[k];
        for (const int k : part.angles) {
          j(2 * chain, k) -= part.length * std::sin(angle);
          j(2 * chain + 1, k) += part.length * std::cos(angle);
        }
        gamma[2 * chain] -= part.length * std::cos(angle) * rate * rate;
        gamma[2 * chain + 1] -= part.length * std::sin(angle) * rate * rate;
      }
    return {sparse(m), sparse(j), f, gamma};
  }
};

// The published start and end: beta'' and lambda_1 to their digits, all angles at 0.03 s to 1e-8.
TEST(Accelerations, AndrewsSqueezer) {
  using A = Squeezer::Angles7;
  MotionSolver solver;
  const ConstrainedMotion first = solver.solve(Squeezer::equations(Squeezer::start(), A::Zero()));
  EXPECT_NEAR(first.acceleration[0], 14222.4439199541, 1e-9 * 14222.0);
  EXPECT_NEAR(first.multiplier[0], 98.566870396241, 1e-9 * 98.0);
  EXPECT_EQ(first.rank, 6);
  using Y = Eigen::Matrix<double, 14, 1>;
  Y y;
  y << Squeezer::start(), A::Zero();
  const auto f = [&](double, const Y& at) {
    Y slope;
    slope << at.tail<7>(), solver.solve(Squeezer::equations(at.head<7>(), at.tail<7>())).acceleration;
    return slope;
  };
  constexpr int steps = 6000;
  for (int k = 0; k < steps; ++k) y = take_step(classical, f, 0.0, y, 0.03 / steps).end();
  A end;
  end << 15.8107711, -15.7563710, 0.040822240, -0.534730116, 0.524409966, 0.534730116, 1.048080741;
  EXPECT_LT((y.head<7>() - end).cwiseAbs().maxCoeff(), 1e-7);  // digits given, over 2.5 crank rotations
  EXPECT_NEAR(y[2], end[2], 1e-8);
  EXPECT_NEAR(y[3], end[3], 1e-8);
  EXPECT_NEAR(y[4], end[4], 1e-8);
  EXPECT_NEAR(y[6], end[6], 1e-8);
}

// Two four-bars in a row, all rods 1 m and 1 kg, which pass through a position in which all are on one line
// and their motion is undetermined: energy is conserved, and the redundant constraints of plane loops are
// named.
TEST(Mechanism, FourBarsThroughTheirSingularPosition) {
  Mechanism m;
  std::vector<int> post, bar;
  for (int k = 0; k < 3; ++k) {
    post.push_back(m.add_body(rod(Vec3(k, 0, 0), Vec3(k, 0, 1))));
    if (k > 0) bar.push_back(m.add_body(rod(Vec3(k - 1, 0, 1), Vec3(k, 0, 1))));
  }
  for (int k = 0; k < 3; ++k)
    m.add_joint(joint_at(m, "foot " + std::to_string(k), JointKind::revolute, JointEnd::ground, post[k],
                         {Vec3(k, 0, 0), across}));
  for (int k = 0; k < 2; ++k) {
    const auto i = static_cast<std::size_t>(k);
    m.add_joint(joint_at(m, "left " + std::to_string(k), JointKind::revolute, post[i], bar[i],
                         {Vec3(k, 0, 1), across}));
    m.add_joint(joint_at(m, "right " + std::to_string(k), JointKind::revolute, bar[i], post[i + 1],
                         {Vec3(k + 1, 0, 1), across}));
  }
  EXPECT_FALSE(m.redundant().empty());
  EXPECT_EQ(m.motion().rank, 29);  // of 35: one freedom of 30
  // The top moves to the right at 1 m/s.
  Mechanism moving = m;
  const auto push = [&](int body, const Vec3& v, const Vec3& w) { moving.set_twist(body, {v, w}); };
  for (const int k : post) push(k, Vec3(0.5, 0, 0), Vec3(0, 1, 0));
  for (const int k : bar) push(k, Vec3(1, 0, 0), Vec3::Zero());
  EXPECT_LT(moving.joint_error().second, 1e-14);
  const double energy = moving.energy();
  double worst = 0.0, lowest = 1.0;
  for (int k = 0; k < 10000; ++k) {
    moving.step(classical, 1e-3);
    worst = std::max(worst, std::abs(moving.energy() - energy));
    lowest = std::min(lowest, moving.body(bar[0]).pose.position.z());
    ASSERT_LT(moving.joint_error().first, 1e-12) << k;
  }
  EXPECT_LT(lowest, -0.99);
  EXPECT_LT(worst, 1e-4);
}

// A slider-crank without gravity: the slider's position and the crank's angular velocity over its angle, from
// the energy of all three bodies in the one freedom.
TEST(Mechanism, ASliderCrank) {
  constexpr double r = 0.3, l = 0.8, start_rate = 7.0;
  Mechanism m;
  m.gravity.setZero();
  const Vec3 pin(r, 0, 0), gudgeon(r + l, 0, 0);
  const int crank = m.add_body(rod(Vec3::Zero(), pin, 1.0)), link = m.add_body(rod(pin, gudgeon, 2.0)),
            slider = m.add_body({3.0, Vec3::Constant(0.01), {gudgeon, same}, {}});
  const std::size_t shaft =
      m.add_joint(joint_at(m, "shaft", JointKind::revolute, JointEnd::ground, crank, {Vec3::Zero(), across}));
  m.add_joint(joint_at(m, "pin", JointKind::revolute, crank, link, {pin, across}));
  m.add_joint(joint_at(m, "gudgeon", JointKind::revolute, link, slider, {gudgeon, across}));
  m.add_joint(joint_at(m, "guide", JointKind::prismatic, JointEnd::ground, slider,
                       {gudgeon, turn_between(Vec3::UnitZ(), Vec3::UnitX())}));
  // About y, from x towards -z: at the start the pin moves down, the rod rotates the other way.
  m.set_twist(crank, {Vec3(0, 0, -0.5 * r * start_rate), Vec3(0, start_rate, 0)});
  m.set_twist(link, {Vec3(0, 0, -0.5 * r * start_rate), Vec3(0, -start_rate * r / l, 0)});
  EXPECT_LT(m.joint_error().second, 1e-14);
  const auto effective_inertia = [](double angle) {
    const double s = std::sin(angle), c = std::cos(angle), lean = std::sqrt(1.0 - std::pow(r / l * s, 2));
    const double spin = r * c / (l * lean), slide = -r * s - r * r * s * c / (l * lean);  // over the rate
    const Vec3 centre = 0.5 * Vec3(-r * s + slide, 0.0, -r * c);
    return 1.0 * r * r / 3.0 + 2.0 * (centre.squaredNorm() + l * l / 12.0 * spin * spin) +
           3.0 * slide * slide;
  };
  const double energy = m.energy();
  EXPECT_NEAR(energy, 0.5 * effective_inertia(0.0) * start_rate * start_rate, 1e-6 * energy);  // thin rods
  for (int k = 0; k < 4000; ++k) {
    m.step(classical, 5e-4);
    const JointCoordinate turn{shaft, JointCoordinate::Kind::angle};
    const double angle = m.coordinate(turn);
    ASSERT_NEAR(m.body(slider).pose.position.x(),
                r * std::cos(angle) + std::sqrt(l * l - std::pow(r * std::sin(angle), 2)), 1e-12);
    ASSERT_NEAR(std::abs(m.rate(turn)), std::sqrt(2.0 * energy / effective_inertia(angle)), 1e-6);
  }
  EXPECT_GT(std::abs(m.coordinate({shaft, JointCoordinate::Kind::angle})), 7.0);  // more than one rotation
}

// Bricard's mechanism: five rods of 1 m and 1 kg and six revolute joints. By counting it cannot move, but it
// does: ten seconds under gravity, energy and joints are kept.
TEST(Mechanism, BricardMovesForTenSeconds) {
  Mechanism m;
  const Vec3 p[] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  std::vector<int> bodies{JointEnd::ground};
  for (int k = 0; k < 5; ++k) bodies.push_back(m.add_body(rod(p[k], p[k + 1])));
  const Vec3 axes[] = {Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX(),
                       Vec3::UnitY(), Vec3::UnitZ(), Vec3::UnitX()};
  for (int k = 0; k < 6; ++k)
    m.add_joint(joint_at(m, "joint " + std::to_string(k + 1), JointKind::revolute, bodies[k],
                         k < 5 ? bodies[static_cast<std::size_t>(k) + 1] : JointEnd::ground,
                         {p[k], turn_between(Vec3::UnitZ(), axes[k])}));
  m.gravity = Vec3(0, -g, 0);
  EXPECT_EQ(m.motion().rank, 29);
  const double energy = m.energy();
  double worst = 0.0, travelled = 0.0;
  const Vec3 start = m.body(2).pose.position;
  for (int k = 0; k < 10000; ++k) {
    m.step(classical, 1e-3);
    worst = std::max(worst, std::abs(m.energy() - energy));
    travelled = std::max(travelled, (m.body(2).pose.position - start).norm());
    ASSERT_LT(m.joint_error().first, 1e-10) << k;
  }
  EXPECT_GT(travelled, 0.5);
  EXPECT_LT(worst, 1e-4);
}

// A chain of 200 links: sparse and dense accelerations agree, and the work is proportional to the length.
TEST(Mechanism, ALongChain) {
  const auto chain = [](int links, MotionSolver::Kind kind) {
    Mechanism m;
    m.solver = MotionSolver(kind);
    for (int k = 0; k < links; ++k) {
      const Vec3 p(0.1 * k, 0.02 * (k % 3), 0.0), q(0.1 * (k + 1), 0.02 * ((k + 1) % 3), 0.0);
      m.add_body(rod(p, q, 0.1));
      m.add_joint(joint_at(m, "link", JointKind::spherical, k == 0 ? JointEnd::ground : k - 1, k, {p, same}));
    }
    return m;
  };
  Mechanism dense = chain(40, MotionSolver::Kind::dense), sparse_ = chain(40, MotionSolver::Kind::sparse);
  const Eigen::VectorXd a = dense.motion().acceleration, b = sparse_.motion().acceleration;
  EXPECT_LT((a - b).norm() / a.norm(), 1e-10);
  Mechanism longer = chain(200, MotionSolver::Kind::automatic);
  const double energy = longer.energy();
  for (int k = 0; k < 100; ++k) longer.step(classical, 1e-3);
  EXPECT_NEAR(longer.energy(), energy, 1e-6);
  EXPECT_LT(longer.joint_error().first, 1e-12);
}

// Joints leave the stated freedoms: rank of every kind between two bodies, and (D1)'s J and gamma against
// differences of the rows' values along a motion.
TEST(Joints, RowsAreTheDerivativesOfTheirValues) {
  const std::pair<JointKind, int> kinds[] = {{JointKind::fixed, 6},          {JointKind::revolute, 5},
                                             {JointKind::prismatic, 5},      {JointKind::cylindrical, 4},
                                             {JointKind::spherical, 3},      {JointKind::universal, 4},
                                             {JointKind::planar, 3},         {JointKind::distance, 1},
                                             {JointKind::point_on_plane, 1}, {JointKind::point_on_line, 2}};
  const Quat qa = Quat(0.8, 0.1, -0.4, 0.3).normalized(), qb = Quat(0.2, 0.7, 0.3, -0.4).normalized();
  const Vec3 wa(0.3, -1.1, 0.7), wb(-0.6, 0.4, 1.3), va(0.2, 0.5, -0.3), vb(-0.4, 0.1, 0.6);
  const auto at = [](const Vec3& x, const Quat& q, const Vec3& v, const Vec3& w, double t) {
    const double angle = w.norm() * t;  // uniform rotation and translation
    const Quat turn = angle == 0.0 ? same : Quat(Eigen::AngleAxisd(angle, w.normalized()));
    return JointedBody{{x + t * v, turn * q}, {v, w}};
  };
  for (const auto& [kind, rank] : kinds) {
    const Joint joint{
        to_string(kind), kind, {0, {Vec3(0.1, 0.2, -0.1), qb}}, {1, {Vec3(-0.3, 0.1, 0.2), qa}}, 1.0};
    const auto rows_at = [&](double t) {
      std::vector<ConstraintRow> rows;
      add_rows(joint, at(Vec3(0, 0, 0), qa, va, wa, t), at(Vec3(1, 0.5, 0.2), qb, vb, wb, t), rows);
      return rows;
    };
    constexpr double h = 1e-4;
    const auto before = rows_at(-h), now = rows_at(0.0), after = rows_at(h);
    ASSERT_EQ(static_cast<int>(now.size()), rank) << to_string(kind);
    for (std::size_t k = 0; k < now.size(); ++k) {
      const ConstraintRow& r = now[k];
      const double rate = r.linear_a.dot(va) + r.angular_a.dot(wa) + r.linear_b.dot(vb) + r.angular_b.dot(wb);
      EXPECT_NEAR((after[k].value - before[k].value) / (2.0 * h), rate, 1e-7) << to_string(kind) << k;
      if (kind != JointKind::spherical && kind != JointKind::fixed && kind != JointKind::revolute &&
          kind != JointKind::universal) {
        EXPECT_NEAR((after[k].value - 2.0 * r.value + before[k].value) / (h * h), r.gamma, 1e-6)
            << to_string(kind) << k;
      }
    }
  }
}

// A screw with a nut: the coupling of its angle with its travel converts a torque into a thrust; the closed
// form is a = tau r / (I + m r^2), travel = r angle.
TEST(Mechanism, AScrew) {
  Mechanism m;
  m.gravity.setZero();
  const double pitch = 0.01 / (2.0 * std::numbers::pi), mass = 2.0, inertia = 1e-3, torque = 0.05;
  m.add_body({mass, Vec3::Constant(inertia), {}, {}});
  const std::size_t guide = m.add_joint({"guide", JointKind::cylindrical, {JointEnd::ground, {}}, {0, {}}});
  const JointCoordinate angle{guide, JointCoordinate::Kind::angle},
      travel{guide, JointCoordinate::Kind::travel};
  m.add_coupling({"thread", travel, angle, -pitch});
  m.add_actuator({angle, 0.0, 0.0, 0.0, [&](double, double, double) { return torque; }});
  for (int k = 0; k < 1000; ++k) m.step(classical, 1e-3);
  const double angular = torque / (inertia + mass * pitch * pitch);
  EXPECT_NEAR(m.coordinate(angle), 0.5 * angular, 1e-6);  // four rotations
  EXPECT_NEAR(m.coordinate(travel), 0.5 * pitch * angular, 1e-8);
}

}  // namespace
}  // namespace scree
