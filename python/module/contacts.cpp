// Contacts of a run's last step, as arrays.
#include "engine/simulation/subsystems/sleepers.h"
#include "python/module/run.h"

namespace scree::python {

namespace {

py::dict contacts(const SteppedRun& run) {
  const State& state = run.state();
  const Bodies& bodies = state.bodies;
  std::vector<const Contact*> all;
  for (const Contact& c : state.contacts.list) all.push_back(&c);
  for (const Contact& c : state.sleepers.contacts) all.push_back(&c);
  const std::size_t n = all.size();
  const double step = state.memory.last_s / run.scene().model.settings.substeps;
  const double per_second = step > 0.0 ? 1.0 / step : 0.0;
  const auto id = [&](std::int32_t slot) { return bodies.id[static_cast<std::size_t>(slot)]; };
  py::dict d;
  d["a"] = column<std::int64_t>(n, [&](std::size_t k) { return id(all[k]->key.a); });
  d["b"] = column<std::int64_t>(n, [&](std::size_t k) {
    const std::int32_t b = all[k]->key.b;
    return is_boundary(b) ? -1 : id(b);
  });
  d["boundary"] = column<std::int64_t>(n, [&](std::size_t k) {
    const std::int32_t b = all[k]->key.b;
    return is_boundary(b) ? static_cast<std::int64_t>(boundary_of(b)) : -1;
  });
  d["point"] = rows<3>(n, [&](std::size_t k) -> Vec3 {
    return bodies.position[static_cast<std::size_t>(all[k]->key.a)] + all[k]->arm_a;
  });
  d["normal"] = rows<3>(n, [&](std::size_t k) -> Vec3 { return all[k]->normal; });
  d["gap"] = column<double>(n, [&](std::size_t k) { return all[k]->gap; });
  d["impulse"] = rows<3>(n, [&](std::size_t k) -> Vec3 { return all[k]->impulse.cast<double>(); });
  d["force"] = rows<3>(n, [&](std::size_t k) -> Vec3 { return per_second * all[k]->impulse.cast<double>(); });
  d["torque_impulse"] =
      rows<3>(n, [&](std::size_t k) -> Vec3 { return all[k]->torque_impulse.cast<double>(); });
  return d;
}

}  // namespace

void add_contacts(py::class_<SteppedRun, std::shared_ptr<SteppedRun>>& run) {
  run.def("_contacts", &contacts);
}

}  // namespace scree::python
