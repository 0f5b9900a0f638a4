// scree paraview: shows a run in ParaView.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_paraview(CLI::App& app, std::function<int()>& action);

}  // namespace scree
