// The readers behind read_problem(), and what they share.
#pragma once

#include <functional>

#include "io/problems/problem_file.h"

namespace scree::io {

class Source;

StoredProblem read_text_problem(const std::filesystem::path& path);
/// `path` is what messages call it.
StoredProblem read_text_problem(std::string text, const std::filesystem::path& path);
StoredProblem read_hdf5_problem(const std::filesystem::path& path);
StoredProblem read_hdf5_problem(const Source& in);

/// The group of a file in which FCLib has put a problem; empty if there is none.
std::string fclib_group(const Source& in);
StoredProblem read_fclib_problem(const Source& in, const std::string& group);

/// Has `write` write a new file beside `path` and puts it in its place when it is whole. Throws WriteError.
void write_whole(const std::filesystem::path& path,
                 const std::function<void(const std::filesystem::path& part)>& write);

/// A block of W with its place.
struct DelassusBlock {
  long row, column;
  Mat3 value;
};

/// What set_blocks() asks of a contact's own block.
inline constexpr const char* own_block_wanted = "must be there, once, with a positive first entry";

/// Puts blocks in the order of rows and columns. Returns the first contact whose own block is not as it must
/// be, or `contacts`.
long set_blocks(DelassusProblem& problem, std::vector<DelassusBlock> blocks, long contacts);

}  // namespace scree::io
