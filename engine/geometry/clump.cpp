#include "engine/geometry/clump.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "engine/geometry/clump_mass.h"
#include "engine/geometry/secular_equation.h"

namespace scree {

namespace {

constexpr double mass_tolerance = 1e-9;  // relative
constexpr double mass_warning = 1e-6;
constexpr double principal_noise = 1e-9;    // of the mean squares: smaller products count as zero
constexpr double within_tolerance = 1e-12;  // of the size
constexpr double rounding = 1e-15;          // bounds are raised by this share, so that they remain bounds

/// The point of the member's frame scaled to the unit sphere.
Vec3 in_unit_frame(const ClumpMember& member, const Vec3& point) {
  return (member.pose.orientation.conjugate() * (point - member.pose.position))
      .cwiseQuotient(member.ellipsoid.semi_axes);
}

/// The largest |centre + L u| over unit u, where L^T L = diag(squares) and `slope` is L^T centre. By
/// Lagrange's dual function, which is an upper bound for each multiplier and the maximum at the root.
double farthest_distance(const Vec3& squares, const Vec3& slope, const Vec3& centre) {
  const double most = squares.maxCoeff();
  const Vec3 d = (most - squares.array()).matrix();
  const double t = secular_root(slope, d);
  const double square = most + t + slope.dot(secular_terms(slope, d, t)) + centre.squaredNorm();
  return std::sqrt(square) * (1.0 + 8.0 * rounding);
}

/// Distance of the member's farthest point from the origin of the clump's frame.
double farthest_distance(const ClumpMember& member) {
  const Vec3& a = member.ellipsoid.semi_axes;
  const Vec3 centre = member.pose.orientation.conjugate() * member.pose.position;
  return farthest_distance(a.cwiseAbs2(), a.cwiseProduct(centre), centre);
}

/// The same for the member under a linear map.
double farthest_distance(const ClumpMember& member, const Mat3& map) {
  const Mat3 spread =
      map * member.pose.orientation.toRotationMatrix() * member.ellipsoid.semi_axes.asDiagonal();
  const Vec3 centre = map * member.pose.position;
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(spread.transpose() * spread);
  return farthest_distance(solver.eigenvalues(),
                           solver.eigenvectors().transpose() * (spread.transpose() * centre), centre);
}

/// Is every point of member `a` in member `b`, to rounding?
bool lies_within(const ClumpMember& a, const ClumpMember& b) {
  const Vec3& size = b.ellipsoid.semi_axes;
  const Mat3 map = size.cwiseInverse().asDiagonal() * b.pose.orientation.conjugate().toRotationMatrix();
  if (in_unit_frame(b, a.pose.position).squaredNorm() > 1.0) return false;
  const ClumpMember about{a.ellipsoid, {a.pose.position - b.pose.position, a.pose.orientation}};
  return farthest_distance(about, map) <= 1.0 + within_tolerance;
}

std::string number(std::size_t i) { return std::to_string(i); }

void check_numbers(std::span<const ClumpMember> given, ShapeFindings& findings) {
  if (given.empty()) findings.errors.emplace_back("the clump has no members");
  if (given.size() > max_clump_members)
    findings.errors.push_back("more than " + number(max_clump_members) + " members");
  for (std::size_t i = 0; i < given.size(); ++i) {
    const ClumpMember& p = given[i];
    const Vec3& a = p.ellipsoid.semi_axes;
    if (!a.allFinite() || !(a.minCoeff() > 0.0))
      findings.errors.push_back("member " + number(i) + ": semi-axes must be finite and positive");
    if (!p.pose.position.allFinite())
      findings.errors.push_back("member " + number(i) + ": the position is not finite");
    const double norm = p.pose.orientation.norm();
    if (!std::isfinite(norm) || !(norm > 0.0))
      findings.errors.push_back("member " + number(i) + ": the orientation is not finite or zero");
  }
}

/// The members that no other one contains.
std::vector<ClumpMember> without_held(std::span<const ClumpMember> members, ShapeFindings& findings) {
  std::vector<ClumpMember> kept;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (const std::optional<std::size_t> j = holder(members, i)) {
      findings.warnings.push_back("member " + number(i) + " lies completely within member " + number(*j) +
                                  ": it adds nothing to the clump");
    } else {
      kept.push_back(members[i]);
    }
  }
  return kept;
}

void check_one_piece(std::span<const ClumpMember> members, ShapeFindings& findings) {
  std::vector<bool> reached(members.size(), false);
  std::vector<std::size_t> waiting{0};
  reached[0] = true;
  while (!waiting.empty()) {
    const ClumpMember& from = members[waiting.back()];
    waiting.pop_back();
    for (std::size_t j = 0; j < members.size(); ++j) {
      if (reached[j] ||
          !(overlap(from, members[j]) || lies_within(from, members[j]) || lies_within(members[j], from)))
        continue;
      reached[j] = true;
      waiting.push_back(j);
    }
  }
  std::string apart;
  std::size_t count = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (reached[i]) continue;
    apart += (count++ == 0 ? "" : ", ") + number(i);
  }
  if (count > 0) {
    findings.errors.push_back((count == 1 ? "member " + apart + " is" : "members " + apart + " are") +
                              " separate from member 0: members must overlap");
  }
}

void set_mass(Clump& clump, std::span<const ClumpMember> visible, ShapeFindings& findings) {
  const MassProperties mass = mass_properties(visible, mass_tolerance);
  const Mat3 axes = visible.size() == 1 ? visible[0].pose.orientation.toRotationMatrix()
                                        : principal_axes(mass.second, std::max(principal_noise, mass.error));
  clump.body_in_file = {mass.centre,
                        visible.size() == 1 ? visible[0].pose.orientation : Quat(axes).normalized()};
  clump.volume = mass.volume;
  clump.inertia_per_mass = visible.size() == 1
                               ? inertia_per_mass(visible[0].ellipsoid)
                               : Vec3((axes.transpose() * mass.inertia_per_mass() * axes).diagonal());
  clump.mass_error = mass.error;
  if (mass.error > mass_warning) {
    char text[96];
    std::snprintf(text, sizeof text, "volume and inertia have a relative error of %.1g", mass.error);
    findings.warnings.emplace_back(text);
  }
}

}  // namespace

std::optional<std::size_t> holder(std::span<const ClumpMember> members, std::size_t i) {
  for (std::size_t j = 0; j < members.size(); ++j) {
    if (j != i && lies_within(members[i], members[j]) && !(i < j && lies_within(members[j], members[i])))
      return j;
  }
  return std::nullopt;
}

std::optional<Clump> make_clump(std::span<const ClumpMember> given, ShapeFindings& findings) {
  check_numbers(given, findings);
  if (!findings.errors.empty()) return std::nullopt;
  Clump clump;
  clump.members.assign(given.begin(), given.end());
  for (ClumpMember& p : clump.members) p.pose.orientation.normalize();
  const std::vector<ClumpMember> visible = without_held(clump.members, findings);
  check_one_piece(clump.members, findings);
  if (!findings.errors.empty()) return std::nullopt;
  clump.members = visible;  // held ones would double the stiffness and the cohesion of contacts
  set_mass(clump, visible, findings);
  const Quat back = clump.body_in_file.orientation.conjugate();
  clump.smallest_length = infinity;
  for (ClumpMember& p : clump.members) {
    p.pose = {back * (p.pose.position - clump.body_in_file.position),
              (back * p.pose.orientation).normalized()};
    clump.bounding_radius = std::max(clump.bounding_radius, farthest_distance(p));
    clump.smallest_length = std::min(clump.smallest_length, p.ellipsoid.semi_axes.minCoeff());
  }
  return clump;
}

Vec3 support(const Clump& clump, const Vec3& direction) {
  Vec3 best = Vec3::Zero();
  double most = -infinity;
  for (const ClumpMember& p : clump.members) {
    const Vec3& a = p.ellipsoid.semi_axes;
    const Vec3 stretched = a.cwiseProduct(p.pose.orientation.conjugate() * direction);
    const double length = stretched.norm(), far = direction.dot(p.pose.position) + length;
    if (!(far > most)) continue;
    most = far;
    best = p.pose.position + p.pose.orientation * (a.cwiseProduct(stretched) / length);
  }
  return best;
}

double ray_hit(const Clump& clump, const Vec3& origin, const Vec3& direction, double nearest,
               double farthest) {
  struct Within {
    double from, to;
  };
  std::array<Within, max_clump_members> within;
  std::size_t count = 0;
  for (const ClumpMember& p : clump.members) {
    const Vec3 o = in_unit_frame(p, origin);
    const Vec3 d = (p.pose.orientation.conjugate() * direction).cwiseQuotient(p.ellipsoid.semi_axes);
    const double dd = d.squaredNorm(), middle = -o.dot(d) / dd;
    const double beyond = 1.0 - (o + middle * d).squaredNorm();
    if (beyond < 0.0) continue;
    const double half = std::sqrt(beyond / dd);
    within[count++] = {middle - half, middle + half};
  }
  double first = infinity;
  for (std::size_t i = 0; i < count; ++i) {
    for (const double t : {within[i].from, within[i].to}) {
      if (!(t > nearest && t < farthest && t < first)) continue;
      const bool hidden = std::any_of(within.begin(), within.begin() + static_cast<std::ptrdiff_t>(count),
                                      [&](const Within& w) { return t > w.from && t < w.to; });
      if (!hidden) first = t;
    }
  }
  return first;
}

std::size_t nearest_member(const Clump& clump, const Vec3& point) {
  std::size_t nearest = 0;
  double least = infinity;
  for (std::size_t k = 0; k < clump.members.size(); ++k) {
    const double off = std::abs(1.0 - in_unit_frame(clump.members[k], point).squaredNorm());
    if (!(off < least)) continue;
    least = off;
    nearest = k;
  }
  return nearest;
}

Vec3 outward(const Clump& clump, const Vec3& point) {
  const ClumpMember& member = clump.members[nearest_member(clump, point)];
  return member.pose.orientation * in_unit_frame(member, point).cwiseQuotient(member.ellipsoid.semi_axes);
}

bool contains(const Clump& clump, const Vec3& point) {
  return std::any_of(clump.members.begin(), clump.members.end(),
                     [&](const ClumpMember& p) { return in_unit_frame(p, point).squaredNorm() <= 1.0; });
}

Vec3 half_extent(const Clump& clump, const Mat3& rotation) {
  Vec3 half = Vec3::Zero();
  for (const ClumpMember& p : clump.members) {
    const Mat3 spread = rotation * p.pose.orientation.toRotationMatrix() * p.ellipsoid.semi_axes.asDiagonal();
    half = half.cwiseMax((rotation * p.pose.position).cwiseAbs() + spread.rowwise().norm());
  }
  return half;
}

Ellipsoid enclosing_ellipsoid(const Clump& clump) {
  const Vec3 half = half_extent(clump, Mat3::Identity());
  const Mat3 map = half.cwiseInverse().asDiagonal();
  double factor = 0.0;
  for (const ClumpMember& p : clump.members) factor = std::max(factor, farthest_distance(p, map));
  return {factor * half};
}

}  // namespace scree
