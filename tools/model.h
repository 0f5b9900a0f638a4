// scree model: declarative models, compiled and run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_model(CLI::App& app, std::function<int()>& action);

}  // namespace scree
