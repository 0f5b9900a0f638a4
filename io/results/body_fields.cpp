#include "io/results/body_fields.h"

#include <algorithm>

namespace scree::io {

namespace {

std::vector<float> kinetic_energies(const Model&, const State& state, std::span<const Contact* const>) {
  const Bodies& bodies = state.bodies;
  std::vector<float> result(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) result[i] = static_cast<float>(kinetic_energy(bodies, i));
  return result;
}

std::vector<float> overlaps(const Model& model, const State& state,
                            std::span<const Contact* const> contacts) {
  const Bodies& bodies = state.bodies;
  std::vector<float> result(bodies.size(), 0.0f);
  const auto deepen = [&](std::size_t i, double gap) {
    const double overlap = -gap / model.shapes.smallest_length(bodies.shape[i]);
    result[i] = std::max(result[i], static_cast<float>(overlap));
  };
  for (const Contact* c : contacts) {
    deepen(static_cast<std::size_t>(c->key.a), c->gap);
    if (!is_boundary(c->key.b)) deepen(static_cast<std::size_t>(c->key.b), c->gap);
  }
  return result;
}

std::vector<float> asleep(const Model&, const State& state, std::span<const Contact* const>) {
  std::vector<float> result(state.bodies.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = state.bodies.is_asleep(i) ? 1.0f : 0.0f;
  return result;
}

std::vector<float> bonds_of_bodies(const Model&, const State& state, std::span<const Contact* const>) {
  std::vector<float> count(state.bodies.size(), 0.0f);
  for (const Bond& bond : state.bonds)
    for (const std::int32_t i : {bond.a, bond.b}) count[i] += 1.0f;
  return count;
}

/// The least number among all bodies joined by bonds.
std::vector<float> fragments(const Model&, const State& state, std::span<const Contact* const>) {
  std::vector<std::size_t> root(state.bodies.size());
  for (std::size_t i = 0; i < root.size(); ++i) root[i] = i;
  const auto root_of = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  const std::vector<BodyId>& id = state.bodies.id;
  for (const Bond& bond : state.bonds) {
    const std::size_t a = root_of(static_cast<std::size_t>(bond.a)),
                      b = root_of(static_cast<std::size_t>(bond.b));
    (id[a] < id[b] ? root[b] : root[a]) = id[a] < id[b] ? a : b;
  }
  std::vector<float> result(root.size());
  for (std::size_t i = 0; i < root.size(); ++i) result[i] = static_cast<float>(id[root_of(i)]);
  return result;
}

constexpr BodyField all_fields[] = {
    {"asleep", "1", "1 for a body that sleeps, else 0", asleep},
    {"bonds", "1", "bonds that the body has", bonds_of_bodies},
    {"fragment", "1", "the least number of the bodies that bonds join to this one", fragments},
    {"kinetic_energy", "J", "kinetic energy of translation and rotation", kinetic_energies},
    {"overlap", "1", "deepest overlap of the body's contacts over its own smallest semi-axis, 0 if none",
     overlaps},
};

}  // namespace

std::span<const BodyField> body_fields() { return all_fields; }

const BodyField* body_field(std::string_view name) {
  const auto found = std::find_if(std::begin(all_fields), std::end(all_fields),
                                  [&](const BodyField& field) { return field.name == name; });
  return found == std::end(all_fields) ? nullptr : found;
}

}  // namespace scree::io
