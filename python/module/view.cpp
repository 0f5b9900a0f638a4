#include "python/module/view.h"

#include <fmt/format.h>

namespace scree::python {

namespace {

/// A context: its arrays are the run's memory, in the order of slots. The run cannot change while one of them
/// exists.
class View {
 public:
  explicit View(std::shared_ptr<SteppedRun> run) : run_(std::move(run)) {}

  void enter() {
    if (lease_) throw py::value_error("a view is entered once; run.view() makes another");
    lease_ = run_->lease();
  }
  void exit(const py::object& exception) {
    if (!lease_ || !lease_->open) return;
    lease_->open = false;
    if (lease_->arrays == 0 || !exception.is_none()) return;
    PyErr_SetString(
        PyExc_BufferError,
        fmt::format("{} of the view outlive its block: copy what is to be kept, as in "
                    "numpy.array(view.position), and delete the others before the block ends",
                    lease_->arrays == 1 ? "an array" : fmt::format("{} arrays", lease_->arrays.load()))
            .c_str());
    throw py::error_already_set();
  }

  /// [body, columns...] of the run's memory, write-protected.
  template <class Number, class T>
  py::array of(const std::vector<T>& values) const {
    static_assert(sizeof(T) % sizeof(Number) == 0);
    constexpr auto columns = static_cast<py::ssize_t>(sizeof(T) / sizeof(Number));
    struct Held {
      std::shared_ptr<SteppedRun> run;
      std::shared_ptr<Lease> lease;
    };
    ++lease_->arrays;
    const py::capsule base(new Held{run_, lease_}, [](void* held) {
      auto* const h = static_cast<Held*>(held);
      --h->lease->arrays;
      delete h;
    });
    const auto n = static_cast<py::ssize_t>(values.size());
    const std::vector<py::ssize_t> shape = columns == 1 ? std::vector{n} : std::vector{n, columns};
    py::array_t<Number> array(shape, reinterpret_cast<const Number*>(values.data()), base);
    return read_only(std::move(array));
  }

  const Bodies& bodies() const {
    if (!lease_ || !lease_->open) throw py::value_error("the view is not open: with run.view() as v: ...");
    return run_->state().bodies;
  }

 private:
  std::shared_ptr<SteppedRun> run_;
  std::shared_ptr<Lease> lease_;
};

}  // namespace

void add_view(py::module_& m, py::class_<SteppedRun, std::shared_ptr<SteppedRun>>& run) {
  py::class_<View>(
      m, "View",
      "A context whose arrays are the run's own memory, in the order of slots, which changes from "
      "step to step: no copies, read-only. Nothing of it may outlive the block.")
      .def("__enter__",
           [](py::object self) {
             self.cast<View&>().enter();
             return self;
           })
      .def("__exit__",
           [](View& v, const py::object& type, const py::object&, const py::object&) { v.exit(type); })
      .def("__len__", [](const View& v) { return v.bodies().size(); })
      .def_property_readonly(
          "id", [](const View& v) { return v.of<std::int64_t>(v.bodies().id); },
          "(n,) numbers of bodies, in the order of slots.")
      .def_property_readonly(
          "position", [](const View& v) { return v.of<double>(v.bodies().position); },
          "(n, 3) centres of mass, m.")
      .def_property_readonly(
          "orientation_xyzw", [](const View& v) { return v.of<double>(v.bodies().orientation); },
          "(n, 4) unit quaternions x y z w, as the engine keeps them.")
      .def_property_readonly(
          "velocity", [](const View& v) { return v.of<double>(v.bodies().linear_velocity); },
          "(n, 3) of the centres, m/s.")
      .def_property_readonly(
          "angular_velocity", [](const View& v) { return v.of<double>(v.bodies().angular_velocity); },
          "(n, 3) in world axes, rad/s.")
      .def_property_readonly(
          "mass", [](const View& v) { return v.of<double>(v.bodies().mass); }, "(n,) kg.")
      .def_property_readonly(
          "inertia", [](const View& v) { return v.of<double>(v.bodies().inertia); },
          "(n, 3) principal moments, in the body's axes, kg m^2.")
      .def_property_readonly(
          "shape", [](const View& v) { return v.of<std::int32_t>(v.bodies().shape); },
          "(n,) numbers of shapes, as in Run.shapes.")
      .def_property_readonly(
          "material", [](const View& v) { return v.of<std::int32_t>(v.bodies().material); },
          "(n,) numbers of materials, as in Run.materials.");
  run.def(
      "view", [](std::shared_ptr<SteppedRun> self) { return std::make_unique<View>(std::move(self)); },
      "with run.view() as v: arrays of the run's own memory, in the order of slots, without copies. While\n"
      "the block or any of its arrays is there the run cannot step or change; an array that outlives the\n"
      "block raises BufferError at its end.");
}

}  // namespace scree::python
