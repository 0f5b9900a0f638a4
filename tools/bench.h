// scree bench: times steps of fixed scenes, and compares two such timings.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

void add_bench(CLI::App& app, std::function<int()>& action);

}  // namespace scree
