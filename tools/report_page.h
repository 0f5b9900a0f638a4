// scree report: a run as one HTML page.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

/// Adds the subcommand.
void add_report(CLI::App& app, std::function<int()>& action);

}  // namespace scree
