// scree measure: measurements of a recorded run, with errors.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_measure(CLI::App& app, std::function<int()>& action);

}  // namespace scree
