// scree explain: keys of scene files and quantities of runs.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_explain(CLI::App& app, std::function<int()>& action);

}  // namespace scree
