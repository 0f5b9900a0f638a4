#include "python/module/bodies.h"

#include <algorithm>
#include <numeric>

#include "engine/core/rotation.h"

namespace scree::python {

namespace {

std::vector<Vec3> enclosing_semi_axes(const Shapes& shapes) {
  std::vector<Vec3> list;
  for (std::int32_t s = 0; static_cast<std::size_t>(s) < shapes.size(); ++s)
    list.push_back(enclosing_ellipsoid(shapes, ShapeIndex{s}).semi_axes);
  return list;
}

}  // namespace

const std::vector<std::int32_t>& OrderOfIds::of(const Bodies& bodies) {
  if (bodies.id == ids_) return slots_;
  ids_ = bodies.id;
  slots_.resize(ids_.size());
  std::iota(slots_.begin(), slots_.end(), 0);
  std::ranges::sort(slots_, {}, [&](std::int32_t slot) { return ids_[static_cast<std::size_t>(slot)]; });
  return slots_;
}

BodyArrays::BodyArrays(const Model& model, const Bodies& bodies, std::vector<std::int32_t> order)
    : kept_(std::make_shared<const Bodies>(bodies)),
      bodies_(kept_.get()),
      semi_axes_(std::make_shared<const std::vector<Vec3>>(enclosing_semi_axes(model.shapes))),
      own_order_(std::move(order)),
      order_(&own_order_) {}

BodyArrays::BodyArrays(const Model& model, const State& state, double h,
                       const std::vector<std::int32_t>& order)
    : bodies_(&state.bodies),
      model_(&model),
      order_(&order),
      ahead_s_(0.5 * h),
      time_s_(state.time_s + 0.5 * h) {}

const Bodies& BodyArrays::open() const {
  if (bodies_ == nullptr)
    throw py::value_error(
        "these bodies were those of a step that has begun; keep the arrays, not the bodies");
  return *bodies_;
}

py::array BodyArrays::position() const {
  const Bodies& b = open();
  return rows<3>(b.size(), [&](std::size_t k) {
    const std::int32_t i = (*order_)[k];
    return Vec3(b.position[i] + ahead_s_ * b.linear_velocity[i]);
  });
}

py::array BodyArrays::orientation() const {
  const Bodies& b = open();
  return rows<4>(b.size(), [&](std::size_t k) {
    const std::int32_t i = (*order_)[k];
    if (ahead_s_ == 0.0) return in_words_order(b.orientation[i]);
    return in_words_order((rotation_by(ahead_s_ * b.angular_velocity[i]) * b.orientation[i]).normalized());
  });
}

py::array BodyArrays::velocity() const {
  const Bodies& b = open();
  return rows<3>(b.size(), [&](std::size_t k) { return b.linear_velocity[(*order_)[k]]; });
}

py::array BodyArrays::angular_velocity() const {
  const Bodies& b = open();
  return rows<3>(b.size(), [&](std::size_t k) { return b.angular_velocity[(*order_)[k]]; });
}

py::array BodyArrays::mass() const {
  const Bodies& b = open();
  return column<double>(b.size(), [&](std::size_t k) { return b.mass[(*order_)[k]]; });
}

py::array BodyArrays::inertia() const {
  const Bodies& b = open();
  return rows<3>(b.size(), [&](std::size_t k) { return b.inertia[(*order_)[k]]; });
}

py::array BodyArrays::id() const {
  const Bodies& b = open();
  return column<std::int64_t>(b.size(), [&](std::size_t k) { return b.id[(*order_)[k]]; });
}

py::array BodyArrays::shape() const {
  const Bodies& b = open();
  return column<std::int32_t>(b.size(), [&](std::size_t k) { return b.shape[(*order_)[k]].value; });
}

py::array BodyArrays::material() const {
  const Bodies& b = open();
  return column<std::int32_t>(b.size(), [&](std::size_t k) { return b.material[(*order_)[k]].value; });
}

py::array BodyArrays::asleep() const {
  const Bodies& b = open();
  return column<bool>(b.size(), [&](std::size_t k) { return b.is_asleep((*order_)[k]); });
}

py::array BodyArrays::semi_axes() const {
  const Bodies& b = open();
  return rows<3>(b.size(), [&](std::size_t k) {
    const ShapeIndex s = b.shape[(*order_)[k]];
    return semi_axes_ ? (*semi_axes_)[s.value] : enclosing_ellipsoid(model_->shapes, s).semi_axes;
  });
}

void add_bodies(py::module_& m) {
  py::class_<BodyArrays, std::shared_ptr<BodyArrays>>(
      m, "Bodies", "Bodies at a moment, as arrays in the order of their ids.")
      .def("__len__", &BodyArrays::size)
      .def_property_readonly("time", &BodyArrays::time_s,
                             "Of bodies that a function of forces gets: the middle of the step, s.")
      .def_property_readonly("id", &BodyArrays::id, "(n,) numbers of bodies, rising.")
      .def_property_readonly("position", &BodyArrays::position, "(n, 3) centres of mass, m.")
      .def_property_readonly("orientation", &BodyArrays::orientation,
                             "(n, 4) unit quaternions w x y z, from the body's axes to the world's.")
      .def_property_readonly("velocity", &BodyArrays::velocity, "(n, 3) of the centres, m/s.")
      .def_property_readonly("angular_velocity", &BodyArrays::angular_velocity,
                             "(n, 3) in world axes, rad/s.")
      .def_property_readonly("mass", &BodyArrays::mass, "(n,) kg.")
      .def_property_readonly("inertia", &BodyArrays::inertia,
                             "(n, 3) principal moments, in the body's axes, kg m^2.")
      .def_property_readonly("shape", &BodyArrays::shape, "(n,) numbers of shapes, as in Run.shapes.")
      .def_property_readonly("material", &BodyArrays::material,
                             "(n,) numbers of materials, as in Run.materials.")
      .def_property_readonly("asleep", &BodyArrays::asleep, "(n,) does the body sleep?")
      .def_property_readonly("semi_axes", &BodyArrays::semi_axes,
                             "(n, 3) of the ellipsoid, or of the one that holds the body, m.");
}

}  // namespace scree::python
