#include "engine/solver/solver.h"

#include <algorithm>
#include <cassert>

#include "engine/core/parallel.h"
#include "engine/solver/contact_response.h"

namespace scree {

const char* to_string(SolverKind kind) {
  switch (kind) {
    case SolverKind::per_body:
      return "per_body";
    case SolverKind::per_contact:
      return "per_contact";
    case SolverKind::consensus:
      return "consensus";
    case SolverKind::one_pass:
      return "one_pass";
  }
  return "";
}

SolverKind solver_kind(std::string_view name) {
  for (const SolverKind kind : solver_kinds) {
    if (name == to_string(kind)) return kind;
  }
  assert(false && "not the name of a solver");
  return SolverKind::per_body;
}

const char* to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::converged:
      return "converged";
    case SolveStatus::iteration_limit:
      return "iteration_limit";
    case SolveStatus::diverged:
      return "diverged";
  }
  return "";
}

void ContactProblem::resize(std::size_t bodies, std::size_t contacts, bool impacts) {
  free_velocity.resize(bodies);
  response.resize(bodies);
  body_a.resize(contacts);
  body_b.resize(contacts);
  geometry.resize(contacts);
  law.resize(contacts);
  gap.resize(contacts);
  length.resize(contacts);
  approach.resize(contacts);
  start_impulse.resize(contacts);
  torques.clear();
  restitution.resize(impacts ? contacts : 0);
  delassus.clear();
  body_row.clear();
  body_contact.clear();
}

std::size_t ContactProblem::first_torque(std::size_t contact) const {
  const auto found =
      std::ranges::lower_bound(torques, static_cast<std::int32_t>(contact), {}, &TorqueLaw::contact);
  return static_cast<std::size_t>(found - torques.begin());
}

std::optional<std::size_t> ContactProblem::torque_of(std::size_t contact) const {
  const std::size_t t = first_torque(contact);
  if (t < torques.size() && torques[t].contact == static_cast<std::int32_t>(contact)) return t;
  return std::nullopt;
}

namespace {

/// Fills body_row and body_contact from body_a and body_b.
void link_bodies(ContactProblem& p) {
  auto& body_row = p.body_row;
  auto& body_contact = p.body_contact;
  const std::size_t bodies = p.bodies();
  body_row.assign(bodies + 1, 0);
  const auto count = [&](std::int32_t body) {
    if (body != fixed_partner) ++body_row[static_cast<std::size_t>(body) + 1];
  };
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    count(p.body_a[c]);
    count(p.body_b[c]);
  }
  for (std::size_t i = 0; i < bodies; ++i) body_row[i + 1] += body_row[i];
  body_contact.resize(static_cast<std::size_t>(body_row.back()));
  // body_row[i] serves as the cursor of row i while the row fills, and ends up as its end: shift back
  // afterwards.
  const auto enter = [&](std::int32_t body, std::size_t c) {
    if (body == fixed_partner) return;
    body_contact[static_cast<std::size_t>(body_row[static_cast<std::size_t>(body)]++)] =
        static_cast<std::int32_t>(c);
  };
  for (std::size_t c = 0; c < p.contacts(); ++c) {
    enter(p.body_a[c], c);
    enter(p.body_b[c], c);
  }
  for (std::size_t i = bodies; i > 0; --i) body_row[i] = body_row[i - 1];
  body_row[0] = 0;
}

/// Fills the Delassus blocks from frames, arms, masses and inertias.
void compute_delassus(ContactProblem& p) {
  p.delassus.resize(p.contacts());
  for_each_index(p.contacts(), grain_medium, [&](std::size_t c) {
    const auto a = static_cast<std::size_t>(p.body_a[c]);
    p.delassus[c] = delassus_share(p.frame(c), p.arm_a(c), p.inverse_mass(a), p.inverse_inertia(a));
    if (p.body_b[c] == fixed_partner) return;
    const auto b = static_cast<std::size_t>(p.body_b[c]);
    p.delassus[c] += delassus_share(p.frame(c), p.arm_b(c), p.inverse_mass(b), p.inverse_inertia(b));
  });
}

}  // namespace

void ContactProblem::complete() {
  for_each_index(contacts(), grain_medium,
                 [&](std::size_t c) { respond(geometry[c], response.data(), law[c]); });
  compute_delassus(*this);
  link_bodies(*this);
}

void ContactSolution::resize(const ContactProblem& problem) {
  velocity.resize(problem.bodies());
  correction.resize(problem.bodies());
  impulse.resize(problem.contacts());
  torque_impulse.resize(problem.torques.size());
  impulse_on_b.clear();
  torque_impulse_on_b.clear();
}

Mat3 delassus_share(const Mat3& frame, const Vec3& arm, double inverse_mass, const Mat3& inverse_inertia) {
  Mat3 j;  // rows: arm x direction
  for (int k = 0; k < 3; ++k) j.row(k) = arm.cross(frame.row(k).transpose()).transpose();
  return inverse_mass * Mat3::Identity() + j * inverse_inertia * j.transpose();
}

void velocities_from_impulses(const ContactProblem& p, ContactSolution& s) {
  for_each_index(p.bodies(), grain_medium, [&](std::size_t i) {
    Vec3 impulse = Vec3::Zero(), torque = Vec3::Zero();
    for (auto k = static_cast<std::size_t>(p.body_row[i]); k < static_cast<std::size_t>(p.body_row[i + 1]);
         ++k) {
      const auto c = static_cast<std::size_t>(p.body_contact[k]);
      const bool is_a = p.body_a[c] == static_cast<std::int32_t>(i);
      const double sign = is_a ? 1.0 : -1.0;
      const Vec3 world = sign * (p.frame(c).transpose() * s.impulse[c]);
      impulse += world;
      torque += (is_a ? p.arm_a(c) : p.arm_b(c)).cross(world) +
                sign * (p.frame(c).transpose() * torque_impulse_of(p, c, s.torque_impulse));
    }
    s.velocity[i] = {p.free_velocity[i].linear + p.inverse_mass(i) * impulse,
                     p.free_velocity[i].angular + p.inverse_inertia(i) * torque};
  });
}

SolveReport solve(const ContactProblem& problem, const SolverSettings& settings, SolverWorkspace& workspace,
                  ContactSolution& solution) {
  assert(problem.is_complete() || sweeps_suffice(settings));
  solution.resize(problem);
  prepare_sweeps(problem, workspace);
  SolveReport report;
  switch (settings.kind) {
    case SolverKind::per_body:
    case SolverKind::per_contact:
      report = solve_per_body(problem, settings, workspace, solution);
      break;
    case SolverKind::consensus:
      report = solve_consensus(problem, settings, workspace.consensus, solution);
      break;
    case SolverKind::one_pass:
      report = solve_one_pass(problem, solution);
      break;
  }
  if (!(report.residual.rms_m_s < infinity)) {
    report.status = SolveStatus::diverged;
    solution.velocity = problem.free_velocity;
    std::fill(solution.impulse.begin(), solution.impulse.end(), Vec3::Zero());
    std::fill(solution.torque_impulse.begin(), solution.torque_impulse.end(), Vec3::Zero());
    solution.impulse_on_b.clear();
    solution.torque_impulse_on_b.clear();
  }
  return report;
}

}  // namespace scree
