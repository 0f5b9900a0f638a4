// The contact problem of one step, as data without shapes and poses of bodies.
//
// The unknowns are the impulses p_c (N s) of each contact in its frame (n, t1, t2), n from body b to body a,
// and those of rows, each of which holds two bodies in one direction (joints; torsion and rolling at
// contacts).
//   u_c = frame_c (v_a + w_a x arm_a - v_b - w_b x arm_b)    relative velocity of a against b, m/s     (S1)
// minus image_velocity, if b stands for its image in a flowing periodic cell;
//   v   = v_free + M^-1 sum_c J_c^T p_c                                                               (S2)
// they must fulfil, contact by contact,
//   0 <= u_n + offset  complementary to  p_n >= 0                                     (Signorini)     (S3)
//   |p_t| <= friction p_n, and p_t dissipates the most energy of all such impulses     (Coulomb)       (S4)
// and row by row, with u = J (v_a, w_a, v_b, w_b) + bias,
//   low <= p <= high,  u + c p = 0 where p is between, >= 0 at low, <= 0 at high,                      (S6)
// where the compliance c is that of a spring; for rigid rows it is 0.
//
// Each participant is a body, also a fixed one: its response is zero and its velocity is prescribed. A fixed
// body has one entry in the arrays for each contact with it. So no two contacts change
// the same entry at the same time, and threads may treat the contacts of a batch in any
// order.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "engine/core/types.h"
#include "engine/solver/problem/rank_share.h"

namespace scree {

/// The two bodies of a constraint.
struct Edge {
  std::int32_t a, b;
};

/// Response of a body to impulses, world axes, in a cache line; all zero for a fixed body.
struct alignas(64) BodyResponse {
  // Inverse inertia about the centre, 1/(kg m^2): in this order its first and last columns are
  // contiguous.
  double xx = 0.0, xy = 0.0, xz = 0.0, yz = 0.0, zz = 0.0, yy = 0.0;
  double inverse_mass = 0.0;  // 1/kg
  // The body moves along an axis without rotation. Then the six numbers are those of a
  // matrix for impulses, in 1/kg, and there is no response to moments. Only body b of an edge may slide.
  bool slides = false;

  Mat3 inverse_inertia() const;
  void set_inverse_inertia(const Mat3& m);
  bool is_moved() const { return inverse_mass > 0.0 || xx + yy + zz > 0.0; }
};

/// A body's velocity, world axes, in one cache line for sweeps.
struct alignas(64) BodyVelocity {
  Padded3 linear, angular;  // m/s, rad/s
};
inline Twist twist(const BodyVelocity& v) { return {to_vec3(v.linear), to_vec3(v.angular)}; }
inline BodyVelocity body_velocity(const Twist& t) { return {padded(t.linear), padded(t.angular)}; }

/// Geometry and law of a contact, in two cache lines. World axes.
struct alignas(64) ContactTerms {
  Vec3 n, t1;         // unit; n from body b to body a
  Vec3 arm_a, arm_b;  // m, from the body's centre of mass to the contact
  double offset;      // m/s, see (S3): positive allows approach, negative separates bodies
  // t2 = tangent_ratio n x t1. For anisotropic friction t1 is the direction of the larger coefficient,
  // and t2 is shortened to the ratio of the two. In these components the ellipse of admissible impulses is a
  // circle, and u, p, W keep all their relations, because p.u stays the same (an impulse in world axes is
  // frame^T p).
  float tangent_ratio;
  float length;     // m, reference for overlaps
  double friction;  // sliding, along t1
  double gap;       // m, negative for overlaps: for position correction
};
static_assert(sizeof(ContactTerms) == 128);

/// The Delassus block W of a contact in the form for (P1) and (P2).
struct LocalContact {
  double inverse_w_nn;            // kg
  double w_t1n, w_t2n;            // 1/kg, tangential velocity per normal impulse
  double i_tt11, i_tt12, i_tt22;  // kg, inverse of the tangential block
  double slide_step;              // kg, 1 / largest eigenvalue of the tangential block
  double friction;
  double rho;  // kg, of the natural map (S5)
};

/// Meaning of the bounds of a row's impulse.
enum class RowBound : std::uint8_t {
  interval,    // low <= p <= high
  of_contact,  // |p| <= high times the normal impulse of the row's contact
  disc,        // this row and the next: |(p, p')| <= high times the normal impulse of their contact
};

/// One direction in which two bodies hold each other.
struct Row {
  Edge edge;
  RowBound bound = RowBound::interval;
  std::int32_t contact = -1;  // the contact that it belongs to, if any
  // J: for a with this sign, for b with the opposite one; angular parts in m, or 1. Rows of contacts have no
  // linear part, and the same angular one for both bodies.
  Vec3 linear = Vec3::Zero(), angular_a = Vec3::Zero(), angular_b = Vec3::Zero();
  double bias = 0.0;                        // m/s, or rad/s if linear is zero
  double low = -infinity, high = infinity;  // N s, or N m s; see `bound`
  double compliance = 0.0;                  // c, in 1/kg, or 1/(kg m^2) if linear is zero
  double start_impulse = 0.0;               // start of iterations
  double length = 1.0;                      // factor to m/s for residuals: 1, or a length in m for spins
  double inverse_w = 0.0;                   // 1 / (J M^-1 J^T + c); complete_rows() fills it

  /// Is it bilateral, without bounds?
  bool is_joint() const { return bound == RowBound::interval && low == -infinity && high == infinity; }
  double inverse_of_bodies() const { return 1.0 / (1.0 / inverse_w - compliance); }  // 1 / (J M^-1 J^T)
};

/// A cell that holds stresses: its strain rates e along x, y and z are unknowns too. Images move with S o e
/// in addition to image_velocity (o: component by component), and
///   e = rate - response o (sum S o P),   |e| <= largest                                                (S7)
/// with P the impulses on bodies a, world axes.
struct CellTerms {
  struct Seam {
    std::int32_t index;  // of a contact, or of a row
    Vec3 shift;          // m, S; for a row times its direction, component by component
  };
  Vec3 start = Vec3::Zero();     // 1/s, before forces act
  Vec3 rate = Vec3::Zero();      // 1/s, before any contact acts
  Vec3 images = Vec3::Zero();    // 1/s, part of image_velocity: the same until a solution exists
  Vec3 response = Vec3::Zero();  // 1/(kg m^2); 0: constant
  Vec3 give = Vec3::Zero();      // the same, for the correction of overlaps
  Vec3 largest = Vec3::Zero();   // 1/s
  std::vector<Seam> contacts, rows;

  /// (S7) for a sum of S o P, N m s.
  Vec3 rate_with(const Vec3& sum) const {
    return (rate - response.cwiseProduct(sum)).cwiseMax(-largest).cwiseMin(largest);
  }
};

class RowBlock;

/// Compliance of a contact, in its frame: u + compliance o (p - rest) replaces u in (S3), (S4) and (S5).
struct ContactCompliance {
  Vec3 compliance = Vec3::Zero();  // 1/kg, along n, t1, t2
  Vec3 rest = Vec3::Zero();        // N s

  Vec3 velocity(const Vec3& impulse) const { return compliance.cwiseProduct(impulse - rest); }
  bool is_compliant() const { return compliance[0] > 0.0; }
};
using ContactCompliances = std::span<const ContactCompliance>;  // [contact]; empty: all are rigid

struct ContactProblem {
  // m/s, reference of residuals (A4); 0 if no body moves.
  double velocity_scale = 0.0;
  double gravity_speed = 0.0;  // m/s, |gravity| * time step: former reference of residuals
  double time_step_s = 0.0;    // s, duration of these velocities; 0: unknown
  int friction_corners = 0;    // 0: (S4) on the smooth cone; else on the hull of this number of tangents

  // [body]; boundaries and the ground after those of the state
  std::vector<Twist> free_velocity;  // world axes, before any contact acts
  std::vector<BodyResponse> response;

  // [contact]
  std::vector<Edge> edge;
  std::vector<ContactTerms> contact;
  std::vector<float> approach;       // m/s, normal velocity before the step; negative where bodies approach
  std::vector<Vec3f> start_impulse;  // N s, contact frame: start of iterations
  // 1: is ordered among contacts with an impulse; empty: those with one in start_impulse. Must not change
  // between solutions of a step, since ranks determine the order before the first one.
  std::vector<std::uint8_t> begins_active;
  std::vector<ContactCompliance> compliance;  // empty: all are rigid

  // [contact], m/s, world axes: of body b's image relative to the body; empty if no cell flows. In a cell
  // that holds stresses: at its free rate.
  std::vector<Vec3> image_velocity;
  std::optional<CellTerms> cell;

  // Rows of contacts first, ordered by contact; then those between bodies that need not touch. The last ones
  // may be a block that is solved together (row_block.h).
  std::vector<Row> rows;
  std::size_t contact_rows = 0;           // number of rows of contacts
  std::size_t block_rows = 0;             // number of rows of the block
  std::shared_ptr<const RowBlock> block;  // null: there is none

  // Subdomains of bodies, [subdomain + 1] the first body of each; bodies after the last belong to
  // none. Empty: sweeps choose their own.
  std::vector<std::int32_t> first_body;
  // [block + 1] first contact of each block for sums: at most grain_medium contacts, no block in
  // two subdomains. Empty: any blocks.
  std::vector<std::int32_t> contact_block;
  std::size_t own_blocks =
      0;  // for a rank's part: number of these blocks that have its own contacts; they come first

  const RankShare* share = nullptr;  // if this is a rank's part of a problem
  Ranks* ranks() const { return share == nullptr ? nullptr : share->ranks; }

  // [contact], or empty without energetic impacts (impacts.h); not used by (S3) and (S4)
  std::vector<double> restitution;

  // Data that follow from the above: filled by complete(), empty until then. Wide sweeps, which are made for
  // speed, do not use them.
  std::vector<LocalContact> local;  // [contact], including its compliance
  std::vector<Mat3> delassus;  // [contact], 1/kg, contact frame: W = J M^-1 J^T of the contact alone, du = W
                               // dp, without compliance
  std::vector<std::int32_t> body_row;      // [body + 1]: the contacts of a body are the entries
  std::vector<std::int32_t> body_contact;  // [body_row[i], body_row[i + 1]) of body_contact, ascending

  std::size_t bodies() const { return free_velocity.size(); }
  std::size_t contacts() const { return edge.size(); }
  std::size_t first_block_row() const { return rows.size() - block_rows; }
  std::size_t a(std::size_t c) const { return static_cast<std::size_t>(edge[c].a); }
  std::size_t b(std::size_t c) const { return static_cast<std::size_t>(edge[c].b); }
  double inverse_mass(std::size_t body) const { return response[body].inverse_mass; }
  bool is_moved(std::size_t body) const { return response[body].is_moved(); }
  Mat3 inverse_inertia(std::size_t body) const { return response[body].inverse_inertia(); }
  /// The first row of this contact or a later one.
  std::size_t first_row(std::size_t c) const;
  double offset(std::size_t c) const { return contact[c].offset; }
  /// Is it one of this rank's own contacts?
  bool is_own(std::size_t c) const { return share == nullptr || share->own_body[edge[c].a] != 0; }
  bool is_compliant(std::size_t c) const { return !compliance.empty() && compliance[c].is_compliant(); }
  double friction(std::size_t c) const { return contact[c].friction; }
  Mat3 frame(std::size_t c) const;                             // rows n, t1, t2
  Vec3 in_world(std::size_t c, const Vec3& components) const;  // frame^T components
  const Vec3& normal(std::size_t c) const { return contact[c].n; }
  const Vec3& arm_a(std::size_t c) const { return contact[c].arm_a; }
  const Vec3& arm_b(std::size_t c) const { return contact[c].arm_b; }
  /// Resizes the arrays, for restitution too if requested, and clears those of complete(). `rows` do not
  /// change: the caller sets their number.
  void resize(std::size_t bodies, std::size_t contacts, bool impacts);
  /// Also completes the rows' responses.
  void complete();
  void complete_rows();
  /// Combines the complete rows from this one on to the block; returns the redundant ones, which follow from
  /// others.
  std::vector<std::size_t> make_block(std::size_t first);
  bool is_complete() const { return body_row.size() == bodies() + 1; }
  /// Blocks of contacts for sum_ranges(); or only those of this rank's own contacts.
  std::span<const std::int32_t> blocks() const;
  std::span<const std::int32_t> blocks_at_home() const {
    return share == nullptr ? blocks() : blocks().first(own_blocks + 1);
  }
  /// The other blocks; the first of them is number `own_blocks`.
  std::span<const std::int32_t> blocks_elsewhere() const {
    return share == nullptr ? std::span<const std::int32_t>() : blocks().subspan(own_blocks);
  }
};

/// Lists the contacts of each body: those of body i are body_contact[body_row[i]] to
/// body_contact[body_row[i + 1]], ascending.
void link_bodies(const ContactProblem& problem, std::vector<std::int32_t>& body_row,
                 std::vector<std::int32_t>& body_contact);

/// The result of a solver.
struct ContactSolution {
  std::vector<BodyVelocity> velocity;  // [body]
  std::vector<Vec3> impulse;           // [contact], N s, contact frame, on body a
  std::vector<double> row_impulse;     // [row], N s or N m s
  /// Impulses on body b if they are not minus those on a, else empty; only one_pass breaks this symmetry.
  std::vector<Vec3> impulse_on_b;
  std::vector<double> row_impulse_on_b;  // [row]
  std::vector<BodyVelocity> correction;  // [body]: separates overlapping bodies, without momentum; empty: 0
  // 1/s, if the problem has a cell: its rate, and the correction of its shape.
  Vec3 cell_rate = Vec3::Zero(), cell_correction = Vec3::Zero();
  Twist correction_of(std::size_t body) const {
    return correction.empty() ? Twist{} : twist(correction[body]);
  }
  void resize(const ContactProblem& problem);
};

/// Torsional and rolling resistance at a contact.
struct Resistance {
  double torsional_friction_m = 0.0, rolling_friction_m = 0.0;
  double factor = 1.0;  // factor on bounds

  constexpr std::size_t rows() const {
    return (torsional_friction_m > 0.0 ? 1u : 0u) + (rolling_friction_m > 0.0 ? 2u : 0u);
  }
};
/// Sets its rows, with their initial torque impulse (N m s, contact frame). Their contact's frame must
/// exist.
void set_resistance(const ContactProblem& problem, std::size_t contact, const Resistance& resistance,
                    const Vec3& start, Row* rows);

/// The rate of the problem's cell for the solution's impulses, 1/s.
Vec3 cell_rate(const ContactProblem& problem, const ContactSolution& solution);
/// Changes the velocities of images, for contacts and rows, by a change of the cell's rate, 1/s.
void change_cell_rate(const Vec3& change, ContactProblem& problem);

/// Sets the solution's cell rate from its impulses, and moves the images of `celled`, a copy of the problem,
/// with it; before, they move with the solution's old rate.
void follow_cell_rate(const ContactProblem& problem, ContactSolution& solution, ContactProblem& celled);

/// The sum of the torque impulses of a contact's rows, N m s, world axes; `row_impulse`: [row].
Vec3 torque_impulse(const ContactProblem& problem, std::size_t contact,
                    const std::vector<double>& row_impulse);

/// (S1), world axes.
inline Vec3 relative_velocity(const ContactProblem& p, std::size_t c, const Twist& a, const Twist& b) {
  const Vec3 u = a.linear + a.angular.cross(p.arm_a(c)) - b.linear - b.angular.cross(p.arm_b(c));
  return p.image_velocity.empty() ? u : Vec3(u - p.image_velocity[c]);
}
inline Vec3 relative_velocity(const ContactProblem& p, std::size_t c, const std::vector<BodyVelocity>& v) {
  return relative_velocity(p, c, twist(v[p.a(c)]), twist(v[p.b(c)]));
}
inline Vec3 relative_velocity(const ContactProblem& p, std::size_t c, const std::vector<Twist>& v) {
  return relative_velocity(p, c, v[p.a(c)], v[p.b(c)]);
}

/// J v of a row, without bias and compliance.
inline double row_velocity(const Row& row, const Twist& a, const Twist& b) {
  return row.linear.dot(a.linear - b.linear) + row.angular_a.dot(a.angular) - row.angular_b.dot(b.angular);
}

inline bool is_second_of_disc(const ContactProblem& p, std::size_t r) {
  return r > 0 && p.rows[r].bound == RowBound::disc && p.rows[r - 1].bound == RowBound::disc &&
         p.rows[r - 1].contact == p.rows[r].contact;
}

/// Velocity change of a body by an impulse (N s) and its moment about the centre (N m s).
Twist answer(const BodyResponse& body, const Vec3& impulse, const Vec3& moment);

/// One body's share of the Delassus block, 1/kg.
Mat3 delassus_share(const Mat3& frame, const Vec3& arm, double inverse_mass, const Mat3& inverse_inertia);
Mat3 delassus_share(const Mat3& frame, const Vec3& arm, const BodyResponse& body);

}  // namespace scree
