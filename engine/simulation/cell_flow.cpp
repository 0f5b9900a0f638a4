#include "engine/simulation/cell_flow.h"

#include "engine/core/parallel.h"

namespace scree {

namespace {

std::size_t slot(std::int32_t body) { return static_cast<std::size_t>(body); }

}  // namespace

void follow_flow(const Model& model, double middle_s, State& state, StepReport& report) {
  if (!model.cell.flows()) return;
  const PlacedCell cell = model.cell.at(middle_s);
  if (cell.rate == state.flow) return;
  Bodies& bodies = state.bodies;
  const Mat3 change = cell.rate - state.flow;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec3 gain = change * (bodies.position[i] - cell.centre), impulse = bodies.mass[i] * gain;
    Vec3& v = bodies.linear_velocity[i];
    report.energy.boundary_work += impulse.dot(v + 0.5 * gain);
    report.boundary_impulse += impulse;
    report.boundary_angular_impulse += bodies.position[i].cross(impulse);
    v += gain;
  }
  state.flow = cell.rate;
}

void set_image_velocities(const State& state, Workspace& w) {
  if (!w.cell.flows()) return;
  ContactProblem& p = w.problem;
  const std::vector<Contact>& contacts = state.contacts.list;
  p.image_velocity.resize(contacts.size());
  for_each_index(contacts.size(), grain_medium, [&](std::size_t c) {
    const ContactKey& key = contacts[c].key;
    p.image_velocity[c].setZero();
    if (is_boundary(key.b)) return;
    const Vec3 shift =
        w.cell.nearest_image(state.bodies.position[slot(key.b)] - state.bodies.position[slot(key.a)]);
    p.image_velocity[c] = w.cell.image_velocity(shift);
  });
}

void report_cell(const Model& model, const State& state, double h, CellReport& report) {
  if (!model.cell.is_periodic()) return;
  const PlacedCell cell = model.cell.at(state.time_s);
  report = {};
  report.lattice = cell.lattice;
  report.strain = cell.deformation - Mat3::Identity();
  report.volume = cell.volume;
  const double over = 1.0 / cell.volume;

  struct Sums {
    Mat3 stress = Mat3::Zero(), fabric = Mat3::Zero();
    double touches = 0.0;  // sides of bodies
  };
  const auto add_contacts = [&](const std::vector<Contact>& list) {
    return reduce_blocks(
        list.size(), grain_medium, Sums{},
        [&](const Block& block) {
          Sums s;
          for (std::size_t c = block.begin; c < block.end; ++c) {
            const Contact& contact = list[c];
            if (!contact.is_active()) continue;
            const bool wall = is_boundary(contact.key.b);
            const Vec3 branch = wall ? Vec3(-contact.arm_a) : Vec3(contact.arm_b - contact.arm_a);
            s.stress += contact.impulse.cast<double>() * branch.transpose();
            s.fabric += contact.normal * contact.normal.transpose();
            s.touches += wall ? 1.0 : 2.0;
          }
          return s;
        },
        [](Sums a, const Sums& b) {
          a.stress += b.stress;
          a.fabric += b.fabric;
          a.touches += b.touches;
          return a;
        });
  };
  const Sums awake = add_contacts(state.contacts.list), asleep = add_contacts(state.sleepers.contacts);
  report.contact_stress = over / h * (awake.stress + asleep.stress);
  report.fabric = awake.fabric + asleep.fabric;
  if (const double contacts = report.fabric.trace(); contacts > 0.0) report.fabric /= contacts;

  const Bodies& bodies = state.bodies;
  struct Moments {
    Mat3 kinetic = Mat3::Zero();
    Vec3 momentum = Vec3::Zero();
    double mass = 0.0, volume = 0.0;
  };
  const auto velocity = [&](std::size_t i) {  // against the flow
    return Vec3(bodies.linear_velocity[i] - cell.flow(bodies.position[i]));
  };
  const Moments all = reduce_blocks(
      bodies.size(), grain_medium, Moments{},
      [&](const Block& block) {
        Moments m;
        for (std::size_t i = block.begin; i < block.end; ++i) {
          const Vec3 v = velocity(i);
          m.kinetic += bodies.mass[i] * v * v.transpose();
          m.momentum += bodies.mass[i] * v;
          m.mass += bodies.mass[i];
          m.volume += bodies.mass[i] / model.materials.density(bodies.material[i]);
        }
        return m;
      },
      [](Moments a, const Moments& b) {
        a.kinetic += b.kinetic;
        a.momentum += b.momentum;
        a.mass += b.mass;
        a.volume += b.volume;
        return a;
      });
  report.solid_fraction = over * all.volume;
  if (all.mass == 0.0) return;
  const Mat3 of_fluctuations = all.kinetic - all.momentum * all.momentum.transpose() / all.mass;
  report.kinetic_stress = over * of_fluctuations;
  report.temperature = of_fluctuations.trace() / (3.0 * all.mass);
  report.contact_number = (awake.touches + asleep.touches) / static_cast<double>(bodies.size());
}

}  // namespace scree
