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

constexpr BodyField all_fields[] = {
    {"asleep", "1", "1 for a body that sleeps, else 0", asleep},
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
