#include "engine/solver/problem/contact_problem.h"

#include <algorithm>

#include "engine/core/parallel.h"
#include "engine/solver/problem/contact_response.h"
#include "engine/solver/problem/row_block.h"
#include "engine/solver/problem/seam_sum.h"

namespace scree {

Mat3 BodyResponse::inverse_inertia() const {
  Mat3 m;
  m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return m;
}

void BodyResponse::set_inverse_inertia(const Mat3& m) {
  xx = m(0, 0);
  xy = m(0, 1);
  xz = m(0, 2);
  yz = m(1, 2);
  zz = m(2, 2);
  yy = m(1, 1);
}

Mat3 ContactProblem::frame(std::size_t c) const {
  const ContactTerms& of = contact[c];
  Mat3 axes;
  axes << of.n.transpose(), of.t1.transpose(), double{of.tangent_ratio} * of.n.cross(of.t1).transpose();
  return axes;
}

Vec3 ContactProblem::in_world(std::size_t c, const Vec3& components) const {
  return to_vec3(to_world(contact[c], components.data()));
}

std::size_t ContactProblem::first_row(std::size_t c) const {
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(contact_rows);
  const auto found = std::lower_bound(rows.begin(), end, static_cast<std::int32_t>(c),
                                      [](const Row& row, std::int32_t of) { return row.contact < of; });
  return static_cast<std::size_t>(found - rows.begin());
}

void ContactProblem::resize(std::size_t bodies, std::size_t contacts, bool impacts) {
  resize_with_room(free_velocity, bodies);
  resize_with_room(response, bodies);
  resize_with_room(edge, contacts);
  resize_with_room(contact, contacts);
  resize_with_room(approach, contacts);
  resize_with_room(start_impulse, contacts);
  compliance.clear();
  image_velocity.clear();
  cell.reset();
  contact_rows = block_rows = 0;
  block.reset();
  restitution.resize(impacts ? contacts : 0);
  local.clear();
  delassus.clear();
  body_row.clear();
  body_contact.clear();
}

std::span<const std::int32_t> ContactProblem::blocks() const {
  const bool are_there =
      !contact_block.empty() && contact_block.back() == static_cast<std::int32_t>(contacts());
  return are_there ? std::span<const std::int32_t>(contact_block) : even_blocks(contacts());
}

void link_bodies(const ContactProblem& p, std::vector<std::int32_t>& body_row,
                 std::vector<std::int32_t>& body_contact) {
  const std::size_t bodies = p.bodies();
  body_row.assign(bodies + 1, 0);
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    ++body_row[p.a(c) + 1];
    ++body_row[p.b(c) + 1];
  }
  for (std::size_t i = 0; i < bodies; ++i) body_row[i + 1] += body_row[i];
  body_contact.resize(body_row.back());
  // body_row[i] is the cursor of row i while the row is filled, and so at last its end: shifted back
  // afterwards.
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    for (const std::size_t body : {p.a(c), p.b(c)})
      body_contact[body_row[body]++] = static_cast<std::int32_t>(c);
  }
  for (std::size_t i = bodies; i > 0; --i) body_row[i] = body_row[i - 1];
  body_row[0] = 0;
}

namespace {

/// Fills the Delassus blocks from frames, arms, masses and inertias.
void compute_delassus(ContactProblem& p) {
  p.delassus.resize(p.contacts());
  for_each_index(p.contacts(), grain_medium, [&](std::size_t c) {
    const Mat3 frame = p.frame(c);
    const std::size_t a = p.a(c), b = p.b(c);
    p.delassus[c] =
        delassus_share(frame, p.arm_a(c), p.response[a]) + delassus_share(frame, p.arm_b(c), p.response[b]);
    Mat3& w = p.delassus[c];
    w.diagonal().array() +=
        padding_of({w(0, 0), w(1, 0), w(2, 0), w(1, 1), 0.5 * (w(1, 2) + w(2, 1)), w(2, 2)});
  });
}

}  // namespace

namespace {
SCREE_FOR_EACH_TARGET
void compute_responses(const ContactProblem& p, const Block& block, std::vector<Row>& rows) {
  for (std::size_t r = block.begin; r < block.end; ++r)
    rows[r].inverse_w = 1.0 / (row_coupling(p, rows[r], rows[r]) + rows[r].compliance);
}
}  // namespace

void ContactProblem::complete_rows() {
  for_blocks(rows.size(), grain_medium, [&](const Block& some) { compute_responses(*this, some, rows); });
}

std::vector<std::size_t> ContactProblem::make_block(std::size_t first) {
  block_rows = rows.size() - first;
  if (block_rows == 0) return {};
  auto made = std::make_shared<RowBlock>(*this, first);
  const std::span<const std::size_t> redundant = made->redundant();
  block = std::move(made);
  return {redundant.begin(), redundant.end()};
}

void ContactProblem::complete() {
  resize_with_room(local, contacts());
  for_each_index(contacts(), grain_medium,
                 [&](std::size_t c) { local[c] = respond(contact[c], edge[c], response.data()); });
  complete_rows();
  compute_delassus(*this);
  for (std::size_t c = 0; c < compliance.size(); ++c)
    if (compliance[c].is_compliant())
      local[c] = local_contact(delassus[c] + Mat3(compliance[c].compliance.asDiagonal()), friction(c));
  link_bodies(*this, body_row, body_contact);
}

void ContactSolution::resize(const ContactProblem& problem) {
  resize_with_room(velocity, problem.bodies());
  correction.clear();
  resize_with_room(impulse, problem.contacts());
  resize_with_room(row_impulse, problem.rows.size());
  impulse_on_b.clear();
  row_impulse_on_b.clear();
}

void set_resistance(const ContactProblem& p, std::size_t contact, const Resistance& resistance,
                    const Vec3& start, Row* rows) {
  const ContactTerms& of = p.contact[contact];
  const Vec3 axes[] = {of.n, of.t1, of.n.cross(of.t1)};
  const auto add = [&](int axis, RowBound bound, double coefficient) {
    const Vec3& direction = axes[axis];
    *rows++ = {.edge = p.edge[contact],
               .bound = bound,
               .contact = static_cast<std::int32_t>(contact),
               .linear = Vec3::Zero(),
               .angular_a = direction,
               .angular_b = direction,
               .high = resistance.factor * coefficient,
               .start_impulse = start[axis],
               .length = coefficient};
  };
  const double torsional = resistance.torsional_friction_m, rolling = resistance.rolling_friction_m;
  if (torsional > 0.0) add(0, RowBound::of_contact, torsional);
  if (rolling <= 0.0) return;
  add(1, RowBound::disc, rolling);
  add(2, RowBound::disc, rolling);
}

Vec3 cell_rate(const ContactProblem& p, const ContactSolution& s) {
  Vec3 sum = sum_over_seam(p, [&](std::size_t k) -> Vec3 {
    const CellTerms::Seam& seam = p.cell->contacts[k];
    const auto c = static_cast<std::size_t>(seam.index);
    return seam.shift.cwiseProduct(p.in_world(c, s.impulse[c]));
  });
  for (const CellTerms::Seam& seam : p.cell->rows) sum += s.row_impulse[seam.index] * seam.shift;
  return p.cell->rate_with(sum);
}

void change_cell_rate(const Vec3& change, ContactProblem& p) {
  for (const CellTerms::Seam& seam : p.cell->contacts)
    p.image_velocity[seam.index] += seam.shift.cwiseProduct(change);
  for (const CellTerms::Seam& seam : p.cell->rows) p.rows[seam.index].bias -= seam.shift.dot(change);
}

void follow_cell_rate(const ContactProblem& p, ContactSolution& s, ContactProblem& celled) {
  const Vec3 rate = cell_rate(p, s);
  change_cell_rate(rate - s.cell_rate, celled);
  s.cell_rate = rate;
}

Vec3 torque_impulse(const ContactProblem& p, std::size_t contact, const std::vector<double>& row_impulse) {
  Vec3 sum = Vec3::Zero();
  for_rows_of(p, contact, contact + 1, [&](std::size_t r) { sum += row_impulse[r] * p.rows[r].angular_a; });
  return sum;
}

Twist answer(const BodyResponse& body, const Vec3& impulse, const Vec3& moment) {
  if (body.slides) return {body.inverse_inertia() * impulse, Vec3::Zero()};
  return {body.inverse_mass * impulse, body.inverse_inertia() * moment};
}

Mat3 delassus_share(const Mat3& frame, const Vec3& arm, const BodyResponse& body) {
  if (body.slides) return frame * body.inverse_inertia() * frame.transpose();
  return delassus_share(frame, arm, body.inverse_mass, body.inverse_inertia());
}

Mat3 delassus_share(const Mat3& frame, const Vec3& arm, double inverse_mass, const Mat3& inverse_inertia) {
  Mat3 j;  // rows: arm x direction
  for (int k = 0; k < 3; ++k) j.row(k) = arm.cross(frame.row(k).transpose()).transpose();
  return inverse_mass * frame * frame.transpose() + j * inverse_inertia * j.transpose();
}

}  // namespace scree
