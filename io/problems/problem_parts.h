// The readers for read_problem(), and their common parts.
#pragma once

#include <functional>

#include "io/problems/problem_file.h"

namespace scree::io {

class Source;

StoredProblem read_text_problem(const std::filesystem::path& path);
/// `path` is its name in messages.
StoredProblem read_text_problem(std::string text, const std::filesystem::path& path);
StoredProblem read_hdf5_problem(const std::filesystem::path& path);
StoredProblem read_hdf5_problem(const Source& in);

/// The group of a file that contains an FCLib problem; empty if there is none.
std::string fclib_group(const Source& in);
StoredProblem read_fclib_problem(const Source& in, const std::string& group);

/// Calls `write` for a new file beside `path`, and renames it when it is complete. Throws WriteError.
void write_whole(const std::filesystem::path& path,
                 const std::function<void(const std::filesystem::path& part)>& write);

/// A block of W with its position.
struct DelassusBlock {
  long row, column;
  Mat3 value;
};

/// Requirement of set_blocks() for a contact's own block.
inline constexpr const char* own_block_wanted = "must exist once, with a positive first entry";

/// Sorts blocks by rows and columns. Returns the first contact with an invalid own block,
/// or `contacts`.
long set_blocks(DelassusProblem& problem, std::vector<DelassusBlock> blocks, long contacts);

}  // namespace scree::io
