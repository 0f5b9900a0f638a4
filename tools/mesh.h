// scree mesh: what is wrong with a mesh as a wall, and mending it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_mesh(CLI::App& app, std::function<int()>& action);

}  // namespace scree
