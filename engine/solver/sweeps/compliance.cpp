#include "engine/solver/sweeps/compliance.h"

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/solver/sweeps/local_contact.h"

namespace scree {

namespace {

// Number of sweeps over which changes are compared. They must reach the target in as many further sweeps as
// there have been; after the second number there is no more waiting.
constexpr std::size_t window = 16, most_patience = 256;

// Over W; larger by `growth` if it is not sufficient after some sweeps. Measured in
// docs/decisions/0047-jams-give.md.
constexpr double first_share = 4e-3, growth = 2.5, largest_share = 0.1;
constexpr std::size_t sweeps_to_larger = 96;

// Largest movement of a contact by compliance in a step, over the reference length of overlaps.
constexpr double most_given = 1e-3;

/// Calls f(contact, batch, compliance, lane) for all contacts.
template <class F>
void for_lanes(Batches& b, F&& f) {
  for_each_index(b.contact.size(), batch_grain, [&](std::size_t k) {
    for (std::size_t l = 0; l < batch_size && b.lane[batch_size * k + l] >= 0; ++l)
      f(static_cast<std::size_t>(b.lane[batch_size * k + l]), b.contact[k], b.compliance[k], l);
  });
}

/// A lane's W, without compliance, 1/mass_unit.
DelassusEntries delassus(const ContactBatch& c, const GivingLanes& gives, std::size_t l) {
  const double i11 = double{c.i_tt11.at[l]}, i12 = double{c.i_tt12.at[l]}, i22 = double{c.i_tt22.at[l]},
               det = i11 * i22 - i12 * i12;
  return {double{c.w_nn.at[l]},
          double{c.w_t1n.at[l]},
          double{c.w_t2n.at[l]},
          i22 / det - double{gives.along[1].at[l]},
          -i12 / det,
          i11 / det - double{gives.along[2].at[l]}};
}

/// Gives a lane with this W the compliance, 1/mass_unit.
void store(DelassusEntries w, const Vec3& compliance, ContactBatch& c, GivingLanes& gives, std::size_t l) {
  w.nn += compliance[0];
  w.t11 += compliance[1];
  w.t22 += compliance[2];
  const LocalContact local = local_contact(w, 0.0);
  c.inverse_w_nn.at[l] = static_cast<float>(local.inverse_w_nn);
  c.i_tt11.at[l] = static_cast<float>(local.i_tt11);
  c.i_tt12.at[l] = static_cast<float>(local.i_tt12);
  c.i_tt22.at[l] = static_cast<float>(local.i_tt22);
  c.slide_step.at[l] = static_cast<float>(local.slide_step);
  for (int i = 0; i < 3; ++i) gives.along[i].at[l] = static_cast<float>(compliance[i]);
}

/// Compliance velocity of a lane at zero impulse, m/s, subtracted from its velocity.
void rest(const ContactCompliance& of, double sign, ContactBatch& c, std::size_t l) {
  for (int i = 0; i < 3; ++i) c.velocity[i].at[l] -= static_cast<float>(sign * of.compliance[i] * of.rest[i]);
}

/// Two compliances in series.
ContactCompliance both(const ContactCompliance& own, const ContactCompliance& more) {
  if (!own.is_compliant()) return more;
  ContactCompliance sum;
  sum.compliance = own.compliance + more.compliance;
  sum.rest = (own.compliance.cwiseProduct(own.rest) + more.compliance.cwiseProduct(more.rest))
                 .cwiseQuotient(sum.compliance);
  return sum;
}

}  // namespace

void Stall::wait() {
  if (sweeps_ < most_patience) next_look_ = std::max(next_look_, 2 * sweeps_);
}

double Stall::recent(std::size_t sweep) const {
  double sum = 0.0;
  for (std::size_t k = sweep - window; k < sweep; ++k) sum += changes_[k % changes_.size()];
  return sum / static_cast<double>(window);
}

double Stall::look(double wanted) {
  if (sweeps_ < next_look_ || growth * share_ > largest_share) return 0.0;
  const double now = recent(sweeps_), half_way = recent(sweeps_ / 2);
  if (!(now > wanted)) return 0.0;
  // in half of the sweeps they have decreased by half_way / now, and in as many again they would by its
  // square
  const bool will_come = now * now * now <= wanted * half_way * half_way;
  if (share_ == 0.0 && will_come && sweeps_ < most_patience) {
    next_look_ = 2 * sweeps_;
    return 0.0;
  }
  next_look_ = sweeps_ + sweeps_to_larger;
  share_ = share_ > 0.0 ? growth * share_ : first_share;
  return share_;
}

bool may_have_no_solution(const ContactProblem& p) {
  bool leads = p.rows.size() > p.contact_rows;
  for (std::size_t i = 0; i < p.bodies() && !leads; ++i) {
    const Twist& v = p.free_velocity[i];
    if (!p.is_moved(i) && !(v.linear.isZero(0.0) && v.angular.isZero(0.0))) leads = true;
  }
  return any(p.ranks(), leads);
}

void set_compliance(ContactCompliances compliance, Batches& b) {
  b.compliance.assign(b.contact.size(), {});
  for_lanes(b, [&](std::size_t contact, ContactBatch& c, GivingLanes& gives, std::size_t l) {
    const ContactCompliance& of = compliance[contact];
    if (!of.is_compliant()) return;
    store(delassus(c, gives, l), b.mass_unit * of.compliance, c, gives, l);
    rest(of, 1.0, c, l);
  });
}

void make_compliant(const ContactProblem& p, double share, SolverWorkspace& workspace) {
  Batches& b = workspace.batches;
  const bool begins = workspace.given_way.empty();
  workspace.gave_way = true;
  if (begins) {
    workspace.given_way.resize(p.contacts());
    workspace.compliance.resize(p.contacts());
    if (b.compliance.empty()) b.compliance.assign(b.contact.size(), {});
  }
  for_lanes(b, [&](std::size_t contact, ContactBatch& c, GivingLanes& gives, std::size_t l) {
    const Vec3 impulse = b.mass_unit * Vec3(double{c.impulse[0].at[l]}, double{c.impulse[1].at[l]},
                                            double{c.impulse[2].at[l]});
    ContactCompliance &made = workspace.given_way[contact], &of = workspace.compliance[contact];
    if (begins) made.rest = impulse;
    const DelassusEntries w = delassus(c, gives, l);
    double most = share / 3.0 * (w.nn + w.t11 + w.t22) / b.mass_unit;
    const double borne = std::max(impulse.norm(), made.rest.norm());
    if (borne > 0.0 && p.time_step_s > 0.0)
      most = std::min(most, most_given * double{p.contact[contact].length} / (p.time_step_s * borne));
    made.compliance.setConstant(std::max(made.compliance[0], most));
    rest(of, -1.0, c, l);
    of = both(p.compliance.empty() ? ContactCompliance{} : p.compliance[contact], made);
    rest(of, 1.0, c, l);
    store(w, b.mass_unit * of.compliance, c, gives, l);
  });
}

void add_rests(ContactCompliances compliance, Batches& b) {
  for_lanes(b, [&](std::size_t contact, ContactBatch& c, GivingLanes&, std::size_t l) {
    rest(compliance[contact], 1.0, c, l);
  });
}

double given_rms(const ContactProblem& p, ContactCompliances given_way, const ContactSolution& s) {
  ExactSums<ResidualSum> sum;
  const auto of_contacts = [&](const Block& block) {
    ResidualSum of_block;
    for (std::size_t c = block.begin; c < block.end; ++c)
      if (s.impulse[c][0] > 0.0 && p.is_own(c))
        of_block.add(given_way[c].velocity(s.impulse[c]).squaredNorm());
    return of_block;
  };
  add_ranges(p.blocks(), of_contacts, sum);
  sum_over(p.ranks(), sum);
  return sum.value().residual().rms_m_s;
}

}  // namespace scree
