// scree solve: stored contact problems, solved by any solver: residual against sweeps and time of one,
// performance profiles over many.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

void add_solve(CLI::App& app, std::function<int()>& action);

}  // namespace scree
