#include "python/module/scene.h"

#include <memory>
#include <pybind11/stl.h>

#include "engine/core/shared_threads.h"
#include "io/scene/read_scene.h"
#include "python/module/run.h"

namespace scree::python {

namespace {

py::object to_python(const Fault& fault) {
  return error_class("Fault")(fault.key_path, fault.problem, fault.value, fault.unit, fault.allowed,
                              fault.suggestion, fault.where.file, fault.where.line, fault.where.column,
                              to_string(fault));
}

py::list to_python(const std::vector<Fault>& faults) {
  py::list list;
  for (const Fault& fault : faults) list.append(to_python(fault));
  return list;
}

std::shared_ptr<io::Scene> read(const std::string& text, const std::string& file,
                                const std::vector<io::Override>& overrides) {
  const py::gil_scoped_release release;
  // A function of forces that reads a scene is inside a step, which holds the threads.
  std::optional<SharedThreads> threads;
  if (!SteppedRun::is_in_step()) threads.emplace(0);
  return std::make_shared<io::Scene>(io::read_scene_text(text, file, overrides));
}

}  // namespace

py::object error_class(const char* name) { return py::module_::import("scree.errors").attr(name); }

void add_scene(py::module_& m) {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const InputError& error) {
      const py::object type = error_class("SceneError");
      PyErr_SetObject(type.ptr(), type(to_python(error.faults())).ptr());
    }
  });
  py::class_<io::Scene, std::shared_ptr<io::Scene>>(m, "ReadScene",
                                                    "A scene that was read and found in order.")
      .def_readonly("name", &io::Scene::name)
      .def_readonly("description", &io::Scene::description)
      .def_readonly("end_time", &io::Scene::end_time_s, "s")
      .def_property_readonly("time_step", [](const io::Scene& s) { return s.model.settings.time_step_s; })
      .def_property_readonly("bodies", [](const io::Scene& s) { return s.initial.bodies.size(); })
      .def_property_readonly("warnings", [](const io::Scene& s) { return to_python(s.warnings); })
      .def_property_readonly("inputs", [](const io::Scene& s) {
        std::vector<std::string> paths;
        for (const io::InputFile& input : s.inputs) paths.push_back(input.path.string());
        return paths;
      });
  m.def("read_scene", &read, py::arg("text"), py::arg("file"), py::arg("overrides"));
}

}  // namespace scree::python
