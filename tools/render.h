// scree render: pictures and films of a run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_render(CLI::App& app, std::function<int()>& action);

}  // namespace scree
