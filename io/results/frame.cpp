#include "io/results/frame.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "engine/core/ordering.h"
#include "engine/simulation/subsystems/bonds.h"
#include "engine/simulation/subsystems/parts.h"
#include "io/results/body_fields.h"

namespace scree::io {

namespace {

std::vector<Vec3f> single(const std::vector<Vec3>& values) {
  std::vector<Vec3f> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = values[i].cast<float>();
  return result;
}

/// A motion x -> q x + p of places relative to an origin.
Pose counted_from(const Vec3& origin, const Pose& motion) {
  return {motion.position + motion.orientation * origin - origin, motion.orientation};
}

/// The contacts of the last step, then those of sleeping bodies.
std::vector<const Contact*> all_contacts(const State& state) {
  std::vector<const Contact*> all;
  for (const Contact& c : state.contacts.list) all.push_back(&c);
  for (const Contact& c : state.sleepers.contacts) all.push_back(&c);
  return all;
}

/// Points move with body a: half a step has passed since contacts were found. Impulses times a factor.
FrameContacts frame_contacts(std::span<const Contact* const> contacts, const std::vector<Vec3>& position,
                             const Vec3& origin, double factor) {
  FrameContacts result;
  for (const Contact* c : contacts) {
    const bool fixed = is_boundary(c->key.b);
    result.point.push_back((position[c->key.a] + c->arm_a - origin).cast<float>());
    result.normal.push_back(c->normal.cast<float>());
    result.impulse.push_back((factor * c->impulse.cast<double>()).cast<float>());
    result.gap.push_back(static_cast<float>(c->gap));
    result.body_a.push_back(c->key.a);
    result.body_b.push_back(fixed ? -1 : c->key.b);
    result.boundary.push_back(fixed ? static_cast<std::int32_t>(boundary_of(c->key.b)) : -1);
    result.bond.push_back(-1);
  }
  return result;
}

void add_bonds(const State& state, const PlacedCell& cell, const Vec3& origin, double factor,
               FrameContacts& result) {
  for (const Bond& bond : state.bonds) {
    const BondPlace at = place_bond(state.bodies, cell, bond);
    result.point.push_back((state.bodies.position[bond.a] + at.arm_a - origin).cast<float>());
    result.normal.push_back(at.frame.row(0).transpose().cast<float>());
    result.impulse.push_back((factor * (at.frame.transpose() * bond.impulse)).cast<float>());
    result.gap.push_back(static_cast<float>(at.stretch[0]));
    result.body_a.push_back(bond.a);
    result.body_b.push_back(bond.b);
    result.boundary.push_back(-1);
    result.bond.push_back(bond.law);
  }
}

/// Frames list bodies by id, in whatever slots they are.
class RowsById {
 public:
  explicit RowsById(const std::vector<BodyId>& id) {
    if (std::is_sorted(id.begin(), id.end())) return;
    std::vector<KeyedItem> order, scratch;
    for (const BodyId i : id)
      order.push_back({static_cast<std::uint64_t>(i), static_cast<std::int32_t>(order.size())});
    sort_by_key(order, scratch);
    row_.resize(id.size());
    for (std::size_t r = 0; r < id.size(); ++r) row_[order[r].item] = static_cast<std::int32_t>(r);
  }
  template <class T>
  void operator()(std::vector<T>& values) const {
    if (row_.empty()) return;
    std::vector<T> sorted(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sorted[row_[i]] = values[i];
    values.swap(sorted);
  }
  void renumber(std::vector<std::int32_t>& slots) const {
    if (row_.empty()) return;
    for (std::int32_t& slot : slots) {
      if (slot >= 0) slot = row_[slot];
    }
  }

 private:
  std::vector<std::int32_t> row_;  // [slot]; empty if slots are in the order of ids
};

std::shared_ptr<const BodyConstants> constants_by_id(const Shapes& shapes, const Bodies& bodies,
                                                     const RowsById& by_id,
                                                     std::shared_ptr<const BodyConstants> last) {
  std::vector<BodyId> id = bodies.id;
  std::vector<MaterialIndex> material = bodies.material;  // events may change it
  by_id(id);
  by_id(material);
  if (last && last->id == id && last->material == material) return last;
  BodyConstants c{std::move(id), {}, bodies.mass, bodies.inertia, std::move(material)};
  for (const ShapeIndex shape : bodies.shape) c.shape.push_back(description(shapes, shape));
  by_id(c.shape);
  by_id(c.mass);
  by_id(c.inertia);
  return std::make_shared<const BodyConstants>(std::move(c));
}

}  // namespace

Frame make_frame(const Model& model, const State& state, const std::vector<std::string>& field_names,
                 bool with_contacts, std::shared_ptr<const BodyConstants> constants, const Vec3& origin) {
  const Bodies& bodies = state.bodies;
  const std::vector<const Contact*> contacts = all_contacts(state);
  const std::size_t n = bodies.size();
  Frame frame;
  frame.step = state.step;
  frame.time_s = state.time_s;
  for (const Vec3& x : bodies.position) frame.position.push_back((x - origin).cast<float>());
  frame.velocity = single(bodies.linear_velocity);
  if (model.cell.is_periodic()) {  // positions of the images in the cell
    const PlacedCell cell = cell_at(model, state, state.time_s);
    frame.lattice.assign(cell.lattice.data(), cell.lattice.data() + cell.lattice.size());
    const Mat3 row_by_row = cell.rate.transpose();
    frame.velocity_gradient.assign(row_by_row.data(), row_by_row.data() + row_by_row.size());
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3 shift = cell.image_in_cell(bodies.position[i]);
      frame.image_shift.push_back(shift.cast<float>());
      frame.position[i] = (bodies.position[i] + shift - origin).cast<float>();
      frame.velocity[i] = (bodies.linear_velocity[i] + cell.image_velocity(shift)).cast<float>();
    }
  }
  frame.angular_velocity = single(bodies.angular_velocity);
  frame.orientation.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Eigen::Quaternionf q = bodies.orientation[i].cast<float>();
    frame.orientation[i] = {q.w(), q.x(), q.y(), q.z()};
  }
  frame.contacts_of_body.assign(n, 0);
  for (const Contact* c : contacts) {
    if (!c->is_active()) continue;
    ++frame.contacts_of_body[c->key.a];
    if (!is_boundary(c->key.b)) ++frame.contacts_of_body[c->key.b];
  }
  for (const Bond& bond : state.bonds) {
    if (bond.impulse.isZero(0.0)) continue;
    ++frame.contacts_of_body[bond.a];
    ++frame.contacts_of_body[bond.b];
  }
  for (const std::string& name : field_names) {
    frame.fields.push_back(body_field(name)->values(model, state, contacts));
  }
  if (model.any_boundary_moves()) {
    const std::vector<BoundaryPose> boundary_pose = boundary_poses(model, state);
    for (std::size_t k = 0; k < model.boundaries.size(); ++k)
      frame.boundary_motion.push_back(
          counted_from(origin, motion_of(boundary_pose_of(boundary_pose, k), state.time_s)));
  }
  frame.boundary_removed.assign(state.overrides.removed.begin(), state.overrides.removed.end());
  frame.has_contacts = with_contacts;
  // As for constant step lengths: impulses over that are forces.
  const double last = state.memory.last_s, factor = last > 0.0 ? model.settings.time_step_s / last : 1.0;
  if (with_contacts) {
    frame.contacts = frame_contacts(contacts, bodies.position, origin, factor);
    add_bonds(state, cell_at(model, state, state.time_s), origin, factor, frame.contacts);
  }
  for (std::size_t k = 0; k < frame.contacts.point.size() && !frame.image_shift.empty(); ++k)
    frame.contacts.point[k] += frame.image_shift[frame.contacts.body_a[k]];

  const RowsById by_id(bodies.id);
  frame.constants = constants_by_id(model.shapes, bodies, by_id, std::move(constants));
  by_id(frame.position);
  by_id(frame.image_shift);
  by_id(frame.velocity);
  by_id(frame.angular_velocity);
  by_id(frame.orientation);
  by_id(frame.contacts_of_body);
  for (auto& field : frame.fields) by_id(field);
  by_id.renumber(frame.contacts.body_a);
  by_id.renumber(frame.contacts.body_b);
  return frame;
}

Boundaries counted_from(const Vec3& origin, const Boundaries& boundaries) {
  if (origin.isZero(0.0)) return boundaries;
  Boundaries shifted = boundaries;
  for (Boundary& b : shifted) {
    b.surface = moved(b.surface, {-origin, Quat::Identity()});
    b.centre -= origin;
  }
  return shifted;
}

FrameRounding frame_rounding(const Shapes& shapes, const Bodies& bodies, const Vec3& origin) {
  std::vector<FrameRounding> all;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double length = single_rounding((bodies.position[i] - origin).cwiseAbs().maxCoeff());
    if (std::isfinite(length)) all.push_back({length, length / shapes.smallest_length(bodies.shape[i])});
  }
  if (all.empty()) return {};
  const auto tenth = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 10);
  std::ranges::nth_element(all, tenth, std::greater{}, &FrameRounding::relative);
  return *tenth;
}

Vec3 origin_near(const Bodies& bodies) {
  Vec3 origin = Vec3::Zero();
  for (int axis = 0; axis < 3 && bodies.size() > 0; ++axis) {
    std::vector<double> x;
    for (const Vec3& p : bodies.position) x.push_back(p[axis]);
    const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
    std::ranges::nth_element(x, middle);
    origin[axis] = std::round(*middle);
  }
  return origin;
}

float rounded(float x, int bits) {
  if (!std::isfinite(x) || bits >= 24) return x;
  const int dropped = 24 - bits;
  const auto u = std::bit_cast<std::uint32_t>(x);
  // Half of the last kept bit, to even; a carry into the exponent is the next power of two, as it should be.
  const std::uint32_t half = (1u << (dropped - 1)) - 1u + (u >> dropped & 1u);
  return std::bit_cast<float>((u + half) & ~((1u << dropped) - 1u));
}

void round_frame(Frame& frame, int bits) {
  if (bits >= 24) return;
  const auto numbers = [bits](auto& values) {
    for (auto& value : values) value = rounded(value, bits);
  };
  const auto vectors = [&](std::vector<Vec3f>& values) {
    for (Vec3f& v : values) numbers(v);
  };
  for (auto& q : frame.orientation) numbers(q);
  for (std::vector<float>& field : frame.fields) numbers(field);
  for (auto* list : {&frame.position, &frame.velocity, &frame.angular_velocity, &frame.contacts.point,
                     &frame.contacts.normal, &frame.contacts.impulse}) {
    vectors(*list);
  }
  numbers(frame.contacts.gap);
}

}  // namespace scree::io
