// A small library of functionally defined bodies for tests and benchmarks, each about 1 m in radius.
#pragma once

#include "engine/geometry/implicit/implicit_shape.h"

namespace scree::test {

struct NamedShape {
  const char* name;
  PerturbedQuadric function;
};

inline PerturbedQuadric kidney() {
  return perturbed({1.0, 0.65, 0.5}, {{ellipsoid_quadric({0.55, 0.5, 0.8}, {0.0, 0.65, 0.0}), -0.9}});
}
inline PerturbedQuadric bean() {
  return perturbed({1.0, 0.6, 0.5}, {{ellipsoid_quadric({0.9, 0.45, infinity}, {0.0, 0.75, 0.0}), -0.8},
                                     {ellipsoid_quadric({0.5, 0.5, 0.5}, {0.7, 0.2, 0.0}), 0.3}});
}
inline PerturbedQuadric dumbbell() {
  return perturbed({1.0, 0.5, 0.5}, {{ellipsoid_quadric({0.55, infinity, infinity}), -0.65}});
}
inline PerturbedQuadric pebble() {
  return perturbed({1.0, 0.8, 0.6}, {{ellipsoid_quadric({0.5, 0.5, 0.5}, {0.5, 0.5, 0.3}), -0.35},
                                     {ellipsoid_quadric({0.6, 0.5, 0.5}, {-0.6, 0.2, 0.4}), -0.25},
                                     {ellipsoid_quadric({0.5, 0.6, 0.4}, {0.1, -0.5, -0.4}), 0.4},
                                     {ellipsoid_quadric({0.4, 0.4, 0.4}, {-0.5, -0.5, 0.2}), 0.3},
                                     {ellipsoid_quadric({0.5, 0.4, 0.4}, {0.2, 0.3, -0.6}), -0.3}});
}
inline PerturbedQuadric rounded_cube() {
  const double a = 0.62, k = -6.0;
  return perturbed({1.4, 1.4, 1.4}, {{negative(ellipsoid_quadric({a, infinity, infinity})), k},
                                     {negative(ellipsoid_quadric({infinity, a, infinity})), k},
                                     {negative(ellipsoid_quadric({infinity, infinity, a})), k}});
}
/// A lens: a flat ellipsoid cut by a cylinder around it.
inline PerturbedQuadric lentil() {
  return perturbed({1.15, 1.15, 0.4}, {{negative(ellipsoid_quadric({0.8, 0.8, infinity})), -1.5}});
}
/// An infinite cylinder between two planes.
/// A round dent in a ball, about the z axis.
inline PerturbedQuadric dented_ball() {
  return perturbed({1, 1, 1}, {{ellipsoid_quadric(Vec3::Constant(0.6), {0, 0, 0.95}), -0.7}});
}
inline PerturbedQuadric tablet() {
  return {ellipsoid_quadric({0.9, 0.9, infinity}),
          {{negative(ellipsoid_quadric({infinity, infinity, 0.2})), -0.25}}};
}
inline PerturbedQuadric rod() {
  return {ellipsoid_quadric({infinity, 0.35, 0.35}),
          {{negative(ellipsoid_quadric({0.6, infinity, infinity})), -0.4}}};
}
/// Flat below, with a groove along it.
inline PerturbedQuadric coffee_bean() {
  return perturbed({1.0, 0.75, 0.65}, {{quadric(Mat3::Zero(), Vec3(0.0, 0.0, -1.0), -0.05), -12.0},
                                       {ellipsoid_quadric({1.6, 0.22, 0.3}, {0.0, 0.0, -0.25}), -0.45}});
}
/// A paraboloid closed by a plane: a top.
inline PerturbedQuadric top() {
  Mat3 a = Mat3::Zero();
  a(0, 0) = a(1, 1) = -1.6;
  return {quadric(a, Vec3(0.0, 0.0, 1.2), 0.7), {{quadric(Mat3::Zero(), Vec3(0.0, 0.0, 1.0), -0.1), -10.0}}};
}
/// Four bumps on a ball.
inline PerturbedQuadric tetrapod() {
  std::vector<Perturbation> bumps;
  for (const Vec3& d : {Vec3(1, 1, 1), Vec3(1, -1, -1), Vec3(-1, 1, -1), Vec3(-1, -1, 1)})
    bumps.push_back({ellipsoid_quadric(Vec3::Constant(0.45), 0.36 * d), 1.6});
  return perturbed(Vec3::Constant(0.6), bumps);
}
inline PerturbedQuadric rice() {
  return perturbed({1.0, 0.3, 0.26}, {{ellipsoid_quadric({0.4, 0.25, 0.3}, {0.95, 0.25, 0.0}), -0.5}});
}
inline PerturbedQuadric ellipsoid() { return perturbed({1.0, 0.75, 0.5}); }

inline std::vector<NamedShape> library() {
  return {{"kidney", kidney()},
          {"bean", bean()},
          {"dumbbell", dumbbell()},
          {"pebble", pebble()},
          {"rounded_cube", rounded_cube()},
          {"lentil", lentil()},
          {"tablet", tablet()},
          {"rod", rod()},
          {"coffee_bean", coffee_bean()},
          {"top", top()},
          {"tetrapod", tetrapod()},
          {"rice", rice()}};
}

}  // namespace scree::test
