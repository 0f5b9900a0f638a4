// Shared by the programs of all engines: the neutral scene as KEY=VALUE arguments, reading and writing of
// poses, times of steps. It does not depend on any engine, nor on Scree.
#pragma once

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace peers {

using Three = std::array<double, 3>;

/// KEY=VALUE arguments of the command line; throws std::runtime_error for a missing or malformed one.
class Arguments {
 public:
  Arguments(int argc, char** argv) {
    for (int k = 1; k < argc; ++k) {
      const std::string text = argv[k];
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos) throw std::runtime_error("not KEY=VALUE: " + text);
      values_[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }
  const std::string& text(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) throw std::runtime_error("argument " + key + "=... is missing");
    return found->second;
  }
  double number(const std::string& key) const { return to_number(text(key), key); }
  int whole(const std::string& key) const { return static_cast<int>(std::lround(number(key))); }
  Three three(const std::string& key) const { return to_three(text(key), key); }
  /// Triples, separated by semicolons.
  std::vector<Three> triples(const std::string& key) const {
    std::istringstream in(text(key));
    std::vector<Three> result;
    for (std::string part; std::getline(in, part, ';');) result.push_back(to_three(part, key));
    return result;
  }

 private:
  static Three to_three(const std::string& text, const std::string& key) {
    std::istringstream in(text);
    Three result{};
    std::string part;
    for (double& value : result) {
      std::getline(in, part, ',');
      value = to_number(part, key);
    }
    return result;
  }
  static double to_number(const std::string& text, const std::string& key) {
    double value = 0.0;
    const char* end = text.data() + text.size();
    if (const auto [at, error] = std::from_chars(text.data(), end, value); error != std::errc() || at != end)
      throw std::runtime_error(key + ": not a number: " + text);
    return value;
  }
  std::map<std::string, std::string> values_;
};

/// The neutral scene: equal ellipsoids in an open box on z = 0, centred at the origin. SI units.
struct Scene {
  explicit Scene(const Arguments& arguments)
      : semi_axes(arguments.three("semi_axes")),
        density(arguments.number("density")),
        friction(arguments.number("friction")),
        gravity(arguments.number("gravity")),
        half_side(arguments.number("half_side")),
        time_step(arguments.number("time_step")),
        steps(arguments.whole("steps")) {}
  double mass() const {
    return density * 4.0 / 3.0 * std::numbers::pi * semi_axes[0] * semi_axes[1] * semi_axes[2];
  }
  /// Principal moments of inertia of the true ellipsoid about the body's own axes, kg m^2.
  Three inertia() const {
    const double fifth = mass() / 5.0;
    const Three a2{semi_axes[0] * semi_axes[0], semi_axes[1] * semi_axes[1], semi_axes[2] * semi_axes[2]};
    return {fifth * (a2[1] + a2[2]), fifth * (a2[0] + a2[2]), fifth * (a2[0] + a2[1])};
  }

  Three semi_axes;   // m
  double density;    // kg/m^3
  double friction;   // 1
  double gravity;    // m/s^2
  double half_side;  // m
  double time_step;  // s
  int steps;
};

struct WallPlane {
  Three point, normal;  // m; towards the free side
};

/// Floor and four walls.
inline std::array<WallPlane, 5> walls(const Scene& scene) {
  const double h = scene.half_side;
  return {{{{0, 0, 0}, {0, 0, 1}},
           {{-h, 0, 0}, {1, 0, 0}},
           {{h, 0, 0}, {-1, 0, 0}},
           {{0, -h, 0}, {0, 1, 0}},
           {{0, h, 0}, {0, -1, 0}}}};
}

/// An axis-aligned box, for engines without planes.
struct WallBox {
  Three centre, half;  // m
};

/// The same walls as boxes with inner faces in the planes, half a metre thick, up to four metres high.
inline std::vector<WallBox> wall_boxes(const Scene& scene) {
  constexpr double half_thickness = 0.25, height = 4.0;  // m
  std::vector<WallBox> boxes;
  for (const WallPlane& wall : walls(scene)) {
    WallBox box{wall.point, {}};
    for (std::size_t k = 0; k < 3; ++k) {
      const bool across = wall.normal[k] != 0.0;
      box.half[k] = across ? half_thickness : k == 2 ? height : scene.half_side + 2.0 * half_thickness;
      box.centre[k] -= half_thickness * wall.normal[k];
    }
    boxes.push_back(box);
  }
  return boxes;
}

/// Velocities in world axes.
struct BodyState {
  Three position{};                               // m, of the centre of mass
  std::array<double, 4> orientation{1, 0, 0, 0};  // w x y z
  Three velocity{}, angular_velocity{};           // m/s, rad/s
};

/// A table with the columns x,y,z,qw,qx,qy,qz and optionally vx,vy,vz,wx,wy,wz.
inline std::vector<BodyState> read_states(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::string line, part;
  std::getline(in, line);
  std::vector<BodyState> states;
  while (std::getline(in, line)) {
    std::istringstream columns(line);
    std::array<double, 13> v{};
    std::size_t n = 0;
    while (n < v.size() && std::getline(columns, part, ',')) v[n++] = std::strtod(part.c_str(), nullptr);
    if (n != 7 && n != 13) throw std::runtime_error(path + ": a row without 7 or 13 columns: " + line);
    states.push_back(
        {{v[0], v[1], v[2]}, {v[3], v[4], v[5], v[6]}, {v[7], v[8], v[9]}, {v[10], v[11], v[12]}});
  }
  return states;
}

inline void write_states(const std::string& path, const std::vector<BodyState>& states) {
  std::ofstream out(path);
  out.precision(17);
  out << "x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";
  for (const BodyState& s : states) {
    out << s.position[0] << ',' << s.position[1] << ',' << s.position[2];
    for (const double q : s.orientation) out << ',' << q;
    for (const Three& vector : {s.velocity, s.angular_velocity})
      for (const double v : vector) out << ',' << v;
    out << '\n';
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

/// Calls step() once for each step of the scene and writes the wall time of each, s, one line per step.
template <class Step>
void time_steps(const Scene& scene, const std::string& path, Step&& step) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times(static_cast<std::size_t>(scene.steps));
  for (double& time : times) {
    const auto start = Clock::now();
    step();
    time = std::chrono::duration<double>(Clock::now() - start).count();
  }
  std::ofstream out(path);
  for (const double time : times) out << time << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

/// Runs a program with its arguments and reports errors. Returns the exit status.
template <class Run>
int run_program(const char* name, int argc, char** argv, Run&& run) {
  try {
    run(Arguments(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 2;
  }
  return 0;
}

}  // namespace peers
