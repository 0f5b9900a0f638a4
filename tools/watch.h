// scree watch: the page of a run, served on this machine while the run goes on.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_watch(CLI::App& app, std::function<int()>& action);

}  // namespace scree
