// scree fields: continuous fields of a run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_fields(CLI::App& app, std::function<int()>& action);

}  // namespace scree
