// Contact problems in files: the text of the collection of stored problems, and Scree's own HDF5 form.
// docs/file_formats.md describes both.
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "engine/solver/reference/delassus_problem.h"

namespace scree::io {

/// One contact problem as it lies in a file.
struct StoredProblem {
  std::variant<DelassusProblem, ContactProblem> problem;
  std::string origin;  // where it comes from, in words: scene, step and time, or the file it was read from
};

/// Reads a problem; the first bytes of the file tell its form. Throws InputError with the place in a text, or
/// the dataset in an HDF5 file, if it is not a problem, if sizes disagree or if numbers are not finite.
StoredProblem read_problem(const std::filesystem::path& path);

/// Writes the HDF5 form to a new file beside `path` and puts it in its place when it is whole. Throws
/// WriteError.
void write_problem(const std::filesystem::path& path, const StoredProblem& stored);

}  // namespace scree::io
