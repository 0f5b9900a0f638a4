// scree run: runs a scene.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand; when the command line names it, `action` becomes what is to be done, returning an
/// ExitCode.
void add_run(CLI::App& app, std::function<int()>& action);

}  // namespace scree
