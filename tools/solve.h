// scree solve: solves stored contact problems by any solver: residual over sweeps and time for one problem,
// performance profiles for many.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

void add_solve(CLI::App& app, std::function<int()>& action);

}  // namespace scree
