// scree run: runs a scene.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand. If it is on the command line, `action` becomes its function, which returns an
/// ExitCode.
void add_run(CLI::App& app, std::function<int()>& action);

}  // namespace scree
