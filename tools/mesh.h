// scree mesh: finds faults of a mesh as a wall, and repairs them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_mesh(CLI::App& app, std::function<int()>& action);

}  // namespace scree
