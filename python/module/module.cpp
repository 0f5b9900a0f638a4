// The module scree._scree: the engine for Python. The user's interface is in python/scree.
#include <new>
#include <pybind11/pybind11.h>

#include "io/files/file_errors.h"
#include "io/results/provenance.h"
#include "python/module/run.h"
#include "python/module/scene.h"

namespace py = pybind11;

PYBIND11_MODULE(_scree, m) {
  using namespace scree::python;
  m.doc() = "The engine of scree; see the package.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const scree::io::WriteError& error) {
      PyErr_SetString(error_class("WriteError").ptr(), error.what());
    } catch (const scree::io::ReadError& error) {
      PyErr_SetString(error_class("ReadError").ptr(), error.what());
    }
  });
  m.attr("version") = scree::io::scree_version();
  m.attr("commit") = scree::io::provenance().commit;
  add_scene(m);
  add_bodies(m);
  add_run(m);
  m.def("close_all", &SteppedRun::close_all, "Waits for all steps and lets no more begin.");
}
