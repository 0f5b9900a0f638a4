// scree fmu: writes a scene as a Functional Mock-up Unit.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_fmu(CLI::App& app, std::function<int()>& action);

}  // namespace scree
