// Arrays that lie in a run's own memory.
#pragma once

#include "python/module/run.h"

namespace scree::python {

void add_view(py::module_& m, py::class_<SteppedRun, std::shared_ptr<SteppedRun>>& run);

}  // namespace scree::python
