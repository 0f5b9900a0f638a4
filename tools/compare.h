// scree compare: finds the first difference of two recorded runs.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

void add_compare(CLI::App& app, std::function<int()>& action);

}  // namespace scree
