#include "engine/solver/sweeps/local_contact.h"

#include "engine/solver/problem/friction_disc.h"

namespace scree {

Vec3 improve_impulse(const Mat3& w, const Vec3& impulse, const Vec3& u, double friction, int corners) {
  const double p_n = std::max(0.0, impulse[0] - u[0] / w(0, 0));
  const Vec2 slide = u.tail<2>() + (p_n - impulse[0]) * w.col(0).tail<2>();
  const Mat2 w_tt = 0.5 * (w + w.transpose()).bottomRightCorner<2, 2>();
  const Vec2 p_t = least_energy(w_tt, impulse.tail<2>(), slide, friction * p_n, corners);
  return {p_n, p_t[0], p_t[1]};
}

}  // namespace scree
