// scree watch: serves the page of a run on this machine during the run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_watch(CLI::App& app, std::function<int()>& action);

}  // namespace scree
