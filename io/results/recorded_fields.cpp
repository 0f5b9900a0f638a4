#include "io/results/recorded_fields.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "io/results/body_fields.h"

namespace scree::io {

namespace {

/// A field that follows from poses, velocities and constants: the value of body i.
struct Derived {
  const char* name;
  const char* unit;
  const char* meaning;
  double (*value)(const Model& model, const Bodies& bodies, std::size_t i);
};

double radius(const Model& model, const Bodies& bodies, std::size_t i) {
  return std::cbrt(0.75 / M_PI * volume(model.shapes, bodies.shape[i]));
}

using B = const Bodies&;
using M = const Model&;
constexpr Derived derived[] = {
    {"speed", "m/s", "of the centre of mass",
     [](M, B b, std::size_t i) { return b.linear_velocity[i].norm(); }},
    {"angular_speed", "rad/s", "length of the angular velocity",
     [](M, B b, std::size_t i) { return b.angular_velocity[i].norm(); }},
    {"kinetic_energy", "J", "of translation and rotation",
     [](M, B b, std::size_t i) { return kinetic_energy(b, i); }},
    {"height", "m", "of the centre against gravity, from the origin",
     [](M m, B b, std::size_t i) {
       const Vec3& g = m.settings.gravity;
       return g.isZero() ? b.position[i].z() : -g.normalized().dot(b.position[i]);
     }},
    {"radius", "m", "of the sphere of the same volume",
     [](M m, B b, std::size_t i) { return radius(m, b, i); }},
    {"id", "1", "persistent number", [](M, B b, std::size_t i) { return static_cast<double>(b.id[i]); }},
    {"material", "1", "row of the table of materials",
     [](M, B b, std::size_t i) { return static_cast<double>(b.material[i].value); }},
};

std::vector<float> contact_counts(const TrajectoryReader& reader, std::size_t k) {
  const std::vector<std::int32_t> count = contacts_of_bodies(reader.contacts(k), reader.rows(k).size());
  return {count.begin(), count.end()};
}

std::vector<float> largest_forces(const TrajectoryReader& reader, std::size_t k) {
  std::vector<float> most(reader.rows(k).size(), 0.0f);
  for (const ContactForce& c : contact_forces(reader.contacts(k), reader.run().impulse_time_s)) {
    for (const std::int32_t body : {c.a, c.b}) {
      if (body < 0) continue;
      float& force = most[body];
      force = std::max(force, static_cast<float>(c.force.norm()));
    }
  }
  return most;
}

/// Values that contacts give the bodies of a frame: those of the last frame that has contacts, by body.
template <class OfFrame>
std::vector<float> by_contacts(const TrajectoryReader& reader, std::size_t k, OfFrame&& of_frame) {
  const std::size_t from = frame_of_contacts(reader, k);
  std::vector<float> values = of_frame(reader, from);
  if (from == k) return values;
  const std::vector<BodyId>& id = reader.run().bodies.id;  // [row]
  std::unordered_map<BodyId, float> of_body;
  const std::vector<std::int32_t> then = reader.rows(from), now = reader.rows(k);
  for (std::size_t i = 0; i < then.size(); ++i) of_body[id[then[i]]] = values[i];
  values.clear();
  for (const std::int32_t body : now) values.push_back(of_body[id[body]]);
  return values;
}

/// The kind of a shape: 0 for a sphere, 1 for another ellipsoid, then functions and clumps, independent of
/// their size.
std::size_t kind_of(const Shapes& shapes, ShapeIndex s) {
  switch (shapes.kind(s)) {
    case ShapeKind::implicit:
      return 2 + static_cast<std::size_t>(shapes.sized(s).function);
    case ShapeKind::clump:
      return 2 + shapes.functions().size() + static_cast<std::size_t>(shapes.sized_clump(s).clump);
    case ShapeKind::ellipsoid:
      break;
  }
  const Vec3& axes = shapes.ellipsoid(s).semi_axes;
  return axes.maxCoeff() <= axes.minCoeff() * (1.0 + 1e-9) ? 0 : 1;
}

/// [kind] its number among those that bodies of the run have, and the names of these.
struct ShapeNames {
  std::vector<std::size_t> number;
  std::vector<std::string> names;
};
ShapeNames shape_names(const RecordedRun& run) {
  const Shapes& shapes = run.model.shapes;
  std::vector<std::string> all{"sphere", "ellipsoid"};
  for (const ShapeFunction& function : shapes.functions()) all.push_back(function.name);
  for (const ShapeClump& clump : shapes.clumps()) all.push_back(clump.name);
  std::vector<bool> there(all.size(), false);
  for (const ShapeIndex s : run.bodies.shape) there[kind_of(shapes, s)] = true;
  ShapeNames found;
  for (std::size_t k = 0; k < all.size(); ++k) {
    found.number.push_back(found.names.size());
    if (there[k]) found.names.push_back(all[k]);
  }
  return found;
}

std::vector<float> shape_numbers(const TrajectoryReader& reader, std::size_t k) {
  const ShapeNames names = shape_names(reader.run());
  std::vector<float> values;
  for (const ShapeIndex s : reader.bodies(k).shape)
    values.push_back(static_cast<float>(names.number[kind_of(reader.run().model.shapes, s)]));
  return values;
}

}  // namespace

RecordedField field_of(const WallQuantity& quantity) {
  return {std::string(quantity.name), std::string(quantity.unit), std::string(quantity.meaning)};
}

std::string RecordedField::title() const {
  std::string text = name;
  std::replace(text.begin(), text.end(), '_', ' ');
  return unit == "1" ? text : text + ", " + unit;
}

std::vector<std::size_t> rows_of_bodies(const RecordedRun& run) {
  std::vector<std::size_t> rows;
  std::unordered_set<BodyId> known;
  for (std::size_t i = 0; i < run.bodies.size(); ++i)
    if (known.insert(run.bodies.id[i]).second) rows.push_back(i);
  return rows;
}

std::vector<double> radii(const RecordedRun& run) {
  std::vector<double> result;
  for (const std::size_t i : rows_of_bodies(run)) result.push_back(radius(run.model, run.bodies, i));
  return result;
}

double mean_radius(const RecordedRun& run) {
  const std::vector<double> all = radii(run);
  const double sum = std::accumulate(all.begin(), all.end(), 0.0);
  return all.empty() ? 1.0 : sum / static_cast<double>(all.size());
}

std::size_t frame_of_contacts(const TrajectoryReader& reader, std::size_t k) {
  for (std::size_t from = k + 1; from > 0; --from)
    if (reader.has_contacts(from - 1)) return from - 1;
  return k;
}

std::vector<ContactForce> contact_forces(const FrameContacts& contacts, double impulse_time_s) {
  std::vector<ContactForce> forces;
  for (std::size_t c = 0; c < contacts.gap.size(); ++c) {
    if (contacts.impulse[c].isZero(0.0f)) continue;
    forces.push_back({contacts.point[c].cast<double>(), contacts.impulse[c].cast<double>() / impulse_time_s,
                      contacts.body_a[c], contacts.body_b[c]});
  }
  return forces;
}

std::vector<RecordedField> recorded_fields(const RecordedRun& run) {
  std::vector<RecordedField> fields;
  for (const Derived& d : derived) fields.push_back({d.name, d.unit, d.meaning});
  for (std::size_t m = 0; m < run.model.materials.size(); ++m)
    fields.back().categories.push_back(run.model.materials.name(MaterialIndex(static_cast<std::int64_t>(m))));
  fields.push_back({"shape", "1", "row of the shapes that the run has", shape_names(run).names});
  fields.push_back({"contacts", "1", "contacts of the body that carry an impulse"});
  fields.push_back({"contact_force", "N", "largest force that a contact puts on the body"});
  for (const std::string& name : run.fields) {
    const BodyField& field = *body_field(name);
    if (!find_field(fields, name))
      fields.push_back({name, std::string(field.unit), std::string(field.meaning)});
    if (name == "asleep") fields.back().categories = {"awake", "asleep"};
  }
  return fields;
}

const RecordedField* find_field(const std::vector<RecordedField>& fields, const std::string& name) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const RecordedField& f) { return f.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

std::vector<float> field_values(const TrajectoryReader& reader, std::size_t k, const std::string& name) {
  if (name == "shape") return shape_numbers(reader, k);
  if (name == "contacts") return by_contacts(reader, k, contact_counts);
  if (name == "contact_force") return by_contacts(reader, k, largest_forces);
  const auto found =
      std::find_if(std::begin(derived), std::end(derived), [&](const Derived& d) { return d.name == name; });
  if (found != std::end(derived)) {
    const Bodies bodies = reader.bodies(k);
    std::vector<float> values(bodies.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(found->value(reader.run().model, bodies, i));
    }
    return values;
  }
  const std::vector<std::string>& extra = reader.run().fields;
  const auto recorded = std::find(extra.begin(), extra.end(), name);
  assert(recorded != extra.end());
  return reader.frame(k).fields[recorded - extra.begin()];
}

}  // namespace scree::io
