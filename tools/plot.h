// scree plot: columns of a run's tables as curves.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_plot(CLI::App& app, std::function<int()>& action);

}  // namespace scree
