// scree export: a run in the formats of other programs.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_export(CLI::App& app, std::function<int()>& action);

}  // namespace scree
