#include "tests/support/certified_search.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "engine/geometry/implicit/pair_search.h"

namespace scree {

namespace {

/// Centre and normal of a node of b in a's axes.
struct NodeOfB {
  Three centre, normal;
};
NodeOfB in_a(const PairView& p, const CoverNode& b) {
  return {p.offset + p.turn * (p.scale_b * to_three(b.centre)), p.turn * to_three(b.normal)};
}

/// Can two nodes contain a critical pair with -depth <= phi <= margin? The balls must be close enough, the
/// cones opposite enough, and the line between them must be along the normals.
bool may_touch(const PairView& p, const CoverNode& a, const CoverNode& b, const NodeOfB& there,
               const SearchReach& s) {
  const double scale_a = p.scale_a, scale_b = p.scale_b;
  const Three d = there.centre - scale_a * to_three(a.centre), n = to_three(a.normal);
  const double balls = scale_a * a.radius + scale_b * b.radius;
  const double most = std::max(s.margin, s.depth), dd = dot(d, d);
  if (dd > (balls + most) * (balls + most)) return false;
  // The sum of the cones' half angles, if it is less than 180 degrees.
  const double sine = a.sine * b.cosine + a.cosine * b.sine, cosine = a.cosine * b.cosine - a.sine * b.sine;
  if (sine > 0.0 && -dot(n, there.normal) < cosine) return false;
  if (a.cosine <= 0.0) return true;
  const double rise = dot(n, d);
  if (rise > s.margin + balls || rise < -s.depth - balls) return false;
  const double aside = std::min(most, std::sqrt(dd) + balls) * a.sine + balls;
  return dd - rise * rise <= aside * aside;
}

/// The number of critical pairs that a pair of patches can contain.
enum class PatchPair : std::uint8_t { nothing, at_most_one, any };

/// Interval Newton in closed form: with u, v the positions of a critical pair relative to the patches'
/// centres, M u = B r_t - (n_b)_t + e, where e contains all uncertainties of the patches' bounds.
PatchPair look(const PairView& p, const CoverLeaf& leaf_a, const CoverLeaf& leaf_b, const NodeOfB& there,
               const SearchReach& s) {
  const Patch &pa = leaf_a.patch, &pb = leaf_b.patch;
  if (!(pa.bend_error < infinity) || !(pb.bend_error < infinity)) return PatchPair::any;
  const double ka = 1.0 / p.scale_a, kb = 1.0 / p.scale_b;
  const double rho_a = p.scale_a * leaf_a.node.radius, rho_b = p.scale_b * leaf_b.node.radius;
  const double rise_a = p.scale_a * pa.rise, rise_b = p.scale_b * pb.rise;
  const Three n = to_three(leaf_a.node.normal), n_b = to_three(leaf_b.node.normal),
              r = there.centre - p.scale_a * to_three(leaf_a.node.centre);
  const Tangents frame = tangents(n), frame_b{back(p.turn, frame.x), back(p.turn, frame.y)};
  const auto bend = [](const Patch& q, double k) {
    return Symmetric{k * q.bend[0], k * q.bend[1], k * q.bend[2],
                     k * q.bend[3], k * q.bend[4], k * q.bend[5]};
  };
  const Symmetric bend_a = bend(pa, ka), bend_b = bend(pb, kb);
  const Plane2 a = across(frame, bend_a), b = across(frame_b, bend_b);
  const Two r_t = across(frame, r), n_t = across(frame, there.normal);
  const double phi = dot(n, r), tilted = norm(n_t), size_a = norm(a), size_b = norm(b);
  // phi n.n' = n.(x_b - x_a) with n' the normal of the pair: the distance of the centres along n, except for
  // the rise of the patches, slightly stretched.
  const double v_rise = rise_b + tilted * rho_b, cosine = std::max(leaf_a.node.cosine, 0.1);
  const double apart = rise_a + v_rise;
  const double low = std::max((phi - apart) / (phi > apart ? 1.0 : cosine), -s.depth),
               high = std::min((phi + apart) / (phi < -apart ? 1.0 : cosine), s.margin);
  if (low > high) return PatchPair::nothing;
  const double phi_mid = 0.5 * (low + high), phi_error = 0.5 * (high - low);
  // Largest deviation of the normals from the linear model, and of b's bend from that in its own frame.
  const Three kn_b = bend_b * n_b;
  const double skew_b = tilted * (norm(kn_b) + tilted * size_b);
  const double off_a = ka * pa.bend_error * rho_a + norm(across(frame, bend_a * n)) * rise_a,
               off_b = kb * pb.bend_error * rho_b +
                       (norm(across(frame_b, kn_b)) + tilted * (size_b + norm(kn_b))) * v_rise;
  const double e1 = phi_error * (size_a * rho_a + off_a) + std::abs(phi_mid) * off_a;
  const double e = off_a + off_b + skew_b * rho_b + size_b * e1;
  const Matrix2 m = relative_bend(a, b, phi_mid);
  const Two turned = b * r_t, right{turned.x - n_t.x, turned.y - n_t.y};
  const double largest = largest_singular(m), least = largest > 0.0 ? std::abs(m.det()) / largest : 0.0;
  if (norm(right) > largest * rho_a + e) return PatchPair::nothing;
  if (least > 0.0) {
    const Two u = solve(m, right), au = a * u;
    const Two v{u.x + phi_mid * au.x - r_t.x, u.y + phi_mid * au.y - r_t.y};
    const double error = e / least;
    if (norm(u) > rho_a + error || norm(v) > rho_b + (1.0 + std::abs(phi_mid) * size_a) * error + e1)
      return PatchPair::nothing;
  }
  // Largest difference between this M and M anywhere in the two patches.
  const double error_a = ka * pa.bend_error, error_b = kb * pb.bend_error + skew_b;
  const double change = error_a + error_b +
                        std::abs(phi_mid) * (size_a * error_b + (size_b + error_b) * error_a) +
                        phi_error * (size_a + error_a) * (size_b + error_b);
  return least > change ? PatchPair::at_most_one : PatchPair::any;
}

/// Calls leaves(i, j) for pairs of leaves that may touch.
template <class Leaves>
void compare_covers(const PairView& p, const SearchReach& reach, Leaves&& leaves) {
  const std::vector<CoverNode>&nodes_a = p.a->cover.nodes, &nodes_b = p.b->cover.nodes;
  std::array<std::pair<std::int32_t, std::int32_t>, 256> stack;
  std::size_t waiting = 0;
  stack[waiting++] = {0, 0};
  while (waiting > 0) {
    const auto [i, j] = stack[--waiting];
    const CoverNode &a = nodes_a[i], &b = nodes_b[j];
    const NodeOfB of_b = in_a(p, b);
    if (!may_touch(p, a, b, of_b, reach)) continue;
    if (a.child < 0 && b.child < 0) {
      leaves(i, j);
    } else if (b.child < 0 || (a.child >= 0 && p.scale_a * a.radius >= p.scale_b * b.radius)) {
      stack[waiting++] = {a.child, j};
      stack[waiting++] = {a.child + 1, j};
    } else {
      stack[waiting++] = {i, b.child};
      stack[waiting++] = {i, b.child + 1};
    }
    assert(waiting + 2 <= stack.size());
  }
}

}  // namespace

std::int32_t Refinement::of_patch(std::int32_t patch) {
  of_patch_.resize(shape_->cover.patches.size(), -1);
  const auto at = static_cast<std::size_t>(patch);
  if (of_patch_[at] < 0) {
    of_patch_[at] = static_cast<std::int32_t>(parts_.size());
    const CoverNode& node = shape_->cover.nodes[shape_->cover.node_of_patch[at]];
    parts_.push_back({{node, shape_->cover.patches[at], shape_->cover.boxes[at]}, {-1, -1}, false});
  }
  return of_patch_[at];
}

void Refinement::divide(std::int32_t part) {
  if (parts_[part].divided) return;
  const std::array<Box, 2> half = halves(parts_[part].leaf.box);
  for (std::size_t k = 0; k < 2; ++k) {
    const std::optional<CoverLeaf> leaf = cover_leaf(shape_->function, half[k]);
    if (!leaf) continue;
    parts_[part].child[k] = static_cast<std::int32_t>(parts_.size());
    parts_.push_back({*leaf, {-1, -1}, false});
  }
  parts_[part].divided = true;
}

CertifiedContacts certified_contacts(const PlacedImplicit& a, const PlacedImplicit& b,
                                     const ContactReach& reach, double smallest, Refinement& of_a,
                                     Refinement& of_b) {
  const PairView p = view(a, b);
  const SearchReach all{reach.margin, reach.depth};
  CertifiedContacts result;
  std::vector<CriticalPair> found;
  std::vector<std::pair<std::int32_t, std::int32_t>> waiting;
  compare_covers(p, all, [&](std::int32_t i, std::int32_t j) {
    waiting.emplace_back(of_a.of_patch(p.a->cover.nodes[i].patch), of_b.of_patch(p.b->cover.nodes[j].patch));
  });
  while (!waiting.empty()) {
    const auto [i, j] = waiting.back();
    waiting.pop_back();
    ++result.pairs;
    const CoverLeaf &la = of_a[i].leaf, &lb = of_b[j].leaf;
    const NodeOfB there = in_a(p, lb.node);
    if (!may_touch(p, la.node, lb.node, there, all)) continue;
    const PatchPair what = look(p, la, lb, there, all);
    if (what == PatchPair::nothing) continue;
    const double radius_a = p.scale_a * la.node.radius, radius_b = p.scale_b * lb.node.radius;
    const bool least = std::max(radius_a, radius_b) < smallest * p.size;
    if (what == PatchPair::at_most_one || least) {
      const Three on_a = p.scale_a * to_three(la.node.centre), on_b = p.scale_b * to_three(lb.node.centre);
      const CriticalPair t = newton(p, on_a, on_b);
      const bool here =
          t.converged && norm(t.a - on_a) <= 1.01 * radius_a && norm(t.b - on_b) <= 1.01 * radius_b;
      const auto is_this = [&](const CriticalPair& o) { return is_same(p, t.a, t.b, o); };
      if (here && is_within(t, all) && std::ranges::none_of(found, is_this)) found.push_back(t);
      if (here && what == PatchPair::at_most_one) continue;
      if (least) {
        ++result.undecided;
        continue;
      }
    }
    const bool first = radius_a >= radius_b;
    (first ? of_a : of_b).divide(first ? i : j);
    for (const std::int32_t child : (first ? of_a[i] : of_b[j]).child) {
      if (child >= 0) waiting.emplace_back(first ? child : i, first ? j : child);
    }
  }
  for (const CriticalPair& t : found) {
    if (runs_clear(p, t)) result.contacts.push_back(to_gap(a, p, t, 0));
  }
  return result;
}

}  // namespace scree
