// The manual page and the completion of shells, made from the options themselves, as for --help.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace scree {

/// scree(1) in roff, for man.
std::string manual_page(const CLI::App& app);
/// Scripts for bash, zsh and fish that complete commands, options, their words and files.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

/// `scree manual` and `scree completion SHELL`
void add_manual(CLI::App& app, std::function<int()>& action);

}  // namespace scree
