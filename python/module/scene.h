// Scenes, as read by Python.
#pragma once

#include <pybind11/pybind11.h>

#include "io/scene/scene.h"

namespace scree::python {

namespace py = pybind11;

/// "Scene" and SceneError.
void add_scene(py::module_& m);

/// The exception `name` of scree.errors.
py::object error_class(const char* name);

}  // namespace scree::python
