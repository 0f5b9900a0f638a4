// scree shape: describes a shape file.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_shape(CLI::App& app, std::function<int()>& action);

}  // namespace scree
