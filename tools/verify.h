// scree verify: are the files of a run whole?
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand; when the command line names it, `action` becomes what is to be done, returning an
/// ExitCode.
void add_verify(CLI::App& app, std::function<int()>& action);

}  // namespace scree
