// Common options of all subcommands: checks of values when they are parsed, and messages about
// errors.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/scene/keys.h"

namespace scree {

// Ranges of numbers for many options.
inline constexpr io::Range positive{.low = 0.0, .low_open = true};
inline constexpr io::Range not_negative{.low = 0.0};
inline constexpr io::Range any_number{};
inline constexpr io::Range thread_counts{.low = 0.0, .high = 4096.0};

/// A finite number within the range. The error message has value and range.
CLI::Validator number_in(const io::Range& range);
CLI::Validator whole_number_in(const io::Range& range);
/// One of these words; the error message suggests the nearest one.
CLI::Validator one_of(std::vector<std::string> words);

/// A file whose name has one of these endings.
CLI::Validator ending_in(std::vector<std::string_view> endings);

/// --threads of a subcommand.
void add_threads(CLI::App& command, int& threads);

/// "there is no X; there are A, B, C; did you mean 'B'?"
std::string not_among(const std::string& problem, const std::string& word,
                      std::span<const std::string> words);

/// A file's name with quotes for a shell if necessary.
std::string shell_word(const std::string& text);

/// `scree help [COMMAND]`
void add_help(CLI::App& app, std::function<int()>& action);

/// The error of a command line that did not parse, in one line, with the nearest command or option.
std::string usage_fault(const CLI::App& app, const CLI::ParseError& error);

/// The texts of --help: optional values as --option[=a|b], without numbers of arguments.
std::shared_ptr<CLI::Formatter> help_formatter();

}  // namespace scree
