// scree compare: where two recorded runs first differ.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

void add_compare(CLI::App& app, std::function<int()>& action);

}  // namespace scree
