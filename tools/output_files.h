// The rule for files that commands write to a path given by the user: docs/file_formats.md, "Files that are
// there already".
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

namespace scree {

/// --overwrite of a subcommand.
void add_overwrite(CLI::App& command, bool& overwrite);

/// The input files of a command, which it must not overwrite, and whether --overwrite was given.
struct OutputRule {
  std::vector<std::filesystem::path> inputs;
  bool overwrite = false;
};

/// Checks before the work begins whether this file may be written. An existing file is replaced only with
/// --overwrite, unless it is empty, or an image, diagram, film or page of the kind of its name's ending:
/// those can be drawn again. Throws io::WriteError with the reason, also if its folder is missing or not
/// writable. An empty path (the option was not given) is allowed.
void expect_writable(const std::filesystem::path& output, const OutputRule& rule);

/// The same for the file of `scree run --dump-problem`. It may be in the run's folder,
/// but must not be one of its results.
void expect_problem_file(const std::filesystem::path& output, const std::filesystem::path& results,
                         const OutputRule& rule);

}  // namespace scree
