// Mechanisms (docs/mechanisms.md):
//
// mechanisms pendulum PLOT   energy of a pendulum over time by several formulas, steps of 0.03 s
//
// mechanisms chain           processor time of a step over the number of links; joint errors after many steps
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <string_view>

#include "tests/support/mechanism.h"
#include "io/plots/plot.h"

namespace scree {
namespace {

double cpu_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A point of 1 kg on a rod of 1 m, released to the right of its pivot.
Mechanism pendulum() {
  Mechanism m;
  m.add_body({1.0, Vec3::Ones(), {Vec3(1, 0, 0), Quat::Identity()}, {}});
  m.add_joint({"rod", JointKind::distance, {JointEnd::ground, {}}, {0, {}}});
  return m;
}

int plot_pendulum(const char* file) {
  io::Panel energy{"energy of a pendulum in steps of 0.03 s",
                   "time, s",
                   "energy, J",
                   io::Axis::linear,
                   io::Axis::linear,
                   {}};
  io::Panel length{"its length", "time, s", "m", io::Axis::linear, io::Axis::linear, {}};
  const auto add = [&](const char* name, const auto& formula, bool projects) {
    Mechanism m = pendulum();
    m.stabilisation.projects = projects;
    io::Curve e{name, {}, {}}, l{name, {}, {}};
    for (int k = 0; k <= 80; ++k) {
      for (auto [curve, value] : {std::pair(&e, m.energy()), std::pair(&l, m.body(0).pose.position.norm())}) {
        curve->x.push_back(m.time());
        curve->y.push_back(value);
      }
      m.step(formula, 0.03);
    }
    fmt::print("{:26} energy at the end {:10.3g} J, length {:.6f} m\n", name, e.y.back(), l.y.back());
    energy.curves.push_back(e);
    length.curves.push_back(l);
  };
  add("Euler", explicit_euler, false);
  add("improved Euler", heun, false);
  add("fourth order", classical, false);
  add("fourth order, projected", classical, true);
  io::write_plot(file, "A pendulum let go at the height of its pivot", {energy, length});
  return 0;
}

Mechanism chain(int links) {
  Mechanism m;
  const double length = 0.1, mass = 0.1, across = mass * length * length / 12.0;
  for (int k = 0; k < links; ++k) {
    m.add_body(
        {mass, Vec3(0.1 * across, across, across), {Vec3(length * (k + 0.5), 0, 0), Quat::Identity()}, {}});
    m.add_joint(
        {"link",
         JointKind::spherical,
         {k == 0 ? JointEnd::ground : k - 1, {Vec3(k == 0 ? 0.0 : 0.5 * length, 0, 0), Quat::Identity()}},
         {k, {Vec3(-0.5 * length, 0, 0), Quat::Identity()}}});
  }
  return m;
}

int time_chains() {
  for (const int links : {25, 50, 100, 200, 400}) {
    Mechanism m = chain(links);
    const double energy = m.energy(), begin = cpu_s();
    int steps = 0;
    while (cpu_s() - begin < 1.0) {
      m.step(classical, 1e-3);
      ++steps;
    }
    const double ms = 1e3 * (cpu_s() - begin) / steps;
    fmt::print("{:4} links: {:8.3f} ms a step, {:7.2f} us a link; energy {:+.1e} J after {} steps\n", links,
               ms, 1e3 * ms / links, m.energy() - energy, steps);
  }
  Mechanism m = chain(2);
  double worst = 0.0;
  for (int k = 0; k < 100000; ++k) {
    m.step(classical, 1e-3);
    worst = std::max(worst, m.joint_error().first);
  }
  fmt::print("2 links, 100,000 steps of 1 ms: joints off by at most {:.1e} m\n", worst);
  return 0;
}

}  // namespace
}  // namespace scree

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  try {
    if (what == "pendulum" && argc == 3) return scree::plot_pendulum(argv[2]);
    if (what == "chain" && argc == 2) return scree::time_chains();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 3;
  }
  fmt::print(stderr, "usage: mechanisms pendulum PLOT | chain\n");
  return 2;
}
