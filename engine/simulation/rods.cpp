#include "engine/simulation/rods.h"

#include "engine/mechanisms/joints.h"
#include "engine/simulation/population.h"

namespace scree {

void add_rods(const Model& model, const State& state, double h, const std::vector<Twist>& before,
              ContactProblem& p, std::vector<std::int32_t>& row_of_rod) {
  row_of_rod.assign(model.rods.size(), -1);
  if (model.rods.empty()) return;
  const SlotsById slots(state.bodies);
  const Quat same = Quat::Identity();
  std::vector<ConstraintRow> rows;
  for (std::size_t k = 0; k < model.rods.size(); ++k) {
    const Rod& rod = model.rods[k];
    const std::int32_t a = slots.find(rod.a), b = rod.b == ground ? -1 : slots.find(rod.b);
    if (a < 0 || (b < 0 && rod.b != ground)) continue;
    const bool a_moves = p.is_moved(static_cast<std::size_t>(a)),
               b_moves = b >= 0 && p.is_moved(static_cast<std::size_t>(b));
    if (!a_moves && !b_moves) continue;
    const auto now = [&](std::int32_t body) {
      const auto i = static_cast<std::size_t>(body);
      return JointedBody{state.bodies.pose(i), before[i]};
    };
    const auto partner = b >= 0 ? b : static_cast<std::int32_t>(p.bodies());
    if (b < 0) {  // a body of its own that nothing moves
      p.free_velocity.emplace_back();
      p.response.emplace_back();
    }
    const Joint joint{
        "", JointKind::distance, {a, {rod.point_a, same}}, {b, {rod.point_b, same}}, rod.length};
    rows.clear();
    add_rows(joint, now(a), b >= 0 ? now(b) : JointedBody{}, rows);
    const ConstraintRow& row = rows.front();
    if (!(row.value > -rod.length)) continue;  // both points are one: there is no direction
    row_of_rod[k] = static_cast<std::int32_t>(p.rows.size());
    p.rows.push_back({.edge = {a, partner},
                      .linear = padded(row.linear_a),
                      .angular_a = padded(row.angular_a),
                      .angular_b = padded(-row.angular_b),
                      .bias = row.value / h + 0.5 * h * row.gamma,
                      .start_impulse = k < state.rod_impulse.size() ? state.rod_impulse[k] : 0.0});
  }
}

}  // namespace scree
