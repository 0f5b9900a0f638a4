// scree verify: checks whether the files of a run are complete.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand. If it is on the command line, `action` becomes its function, which returns an
/// ExitCode.
void add_verify(CLI::App& app, std::function<int()>& action);

}  // namespace scree
