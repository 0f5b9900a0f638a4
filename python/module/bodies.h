// Bodies for Python: arrays in the order of ids.
#pragma once

#include <memory>

#include "engine/simulation/model.h"
#include "python/module/arrays.h"

namespace scree::python {

/// Slots of bodies by rising ids. Slots change in few steps, so it first checks whether they have changed.
class OrderOfIds {
 public:
  const std::vector<std::int32_t>& of(const Bodies& bodies);

 private:
  std::vector<BodyId> ids_;
  std::vector<std::int32_t> slots_;
};

/// Bodies at one time. Each property makes a new array.
class BodyArrays {
 public:
  /// A copy, which does not change.
  BodyArrays(const Model& model, const Bodies& bodies, std::vector<std::int32_t> order);
  /// Bodies in the middle of a step of h that begins, if no contact stops them; valid until close().
  BodyArrays(const Model& model, const State& state, double h, const std::vector<std::int32_t>& order);
  BodyArrays(const BodyArrays&) = delete;
  BodyArrays& operator=(const BodyArrays&) = delete;
  ~BodyArrays() = default;
  void close() { bodies_ = nullptr; }

  std::size_t size() const { return open().size(); }
  double time_s() const { return time_s_; }
  py::array position() const;
  py::array orientation() const;
  py::array velocity() const;
  py::array angular_velocity() const;
  py::array mass() const;
  py::array inertia() const;
  py::array id() const;
  py::array shape() const;
  py::array material() const;
  py::array asleep() const;
  py::array semi_axes() const;

 private:
  const Bodies& open() const;

  std::shared_ptr<const Bodies> kept_;
  const Bodies* bodies_;
  std::shared_ptr<const std::vector<Vec3>> semi_axes_;  // [shape]
  const Model* model_ = nullptr;                        // during a step that begins
  std::vector<std::int32_t> own_order_;
  const std::vector<std::int32_t>* order_;
  double ahead_s_ = 0.0, time_s_ = 0.0;
};

void add_bodies(py::module_& m);

}  // namespace scree::python
