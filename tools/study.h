// scree sweep, calibrate, validate: many runs, executed by the Python package.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommands.
void add_studies(CLI::App& app, std::function<int()>& action);

}  // namespace scree
