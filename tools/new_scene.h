// scree new: writes a scene from a template.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace scree {

void add_new(CLI::App& app, std::function<int()>& action);

}  // namespace scree
