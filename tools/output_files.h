// The rule for files that commands write where the user says: docs/file_formats.md, "Files that are there
// already".
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <vector>

namespace scree {

/// --overwrite of a subcommand.
void add_overwrite(CLI::App& command, bool& overwrite);

/// What a command reads, none of which it may write over, and whether --overwrite was given.
struct OutputRule {
  std::vector<std::filesystem::path> inputs;
  bool overwrite = false;
};

/// May this file be written? Asked before the work begins. A file that is there is replaced with --overwrite
/// alone, unless it is empty or a picture, diagram, film or page of the kind that its name's ending says:
/// those can be drawn again. Throws io::WriteError with the reason, also where its folder is missing or not
/// writable. An empty path, that of an option not given, is in order.
void expect_writable(const std::filesystem::path& output, const OutputRule& rule);

/// The same of the file that `scree run --dump-problem` stores, which may lie in the folder that the run
/// makes, but be none of its results.
void expect_problem_file(const std::filesystem::path& output, const std::filesystem::path& results,
                         const OutputRule& rule);

}  // namespace scree
