// Contact problems in files: the text of the collection of stored problems, FCLib's HDF5 and Scree's own.
// docs/file_formats.md describes them.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "engine/solver/reference/delassus_problem.h"

namespace scree::io {

/// Impulses that somebody else has stored with a problem.
struct StoredImpulses {
  std::string name;           // "guess 1", "solution"
  std::vector<Vec3> impulse;  // [contact], N s
};

/// One contact problem as it lies in a file.
struct StoredProblem {
  std::variant<DelassusProblem, ContactProblem> problem;
  std::string origin;  // where it comes from, in words: scene, step and time, or the file it was read from
  std::vector<StoredImpulses> impulses = {};  // of FCLib; the first is also where a warm start begins
};

/// Reads a problem; the first bytes of the file tell its form. Throws InputError with the place in a text, or
/// the dataset in an HDF5 file, if it is not a problem, if sizes disagree or if numbers are not finite.
StoredProblem read_problem(const std::filesystem::path& path);

/// The files in a folder and in all below it that begin as problems do, HDF5 or text, in the order of their
/// names.
std::vector<std::filesystem::path> problems_in(const std::filesystem::path& folder);

/// Writes the HDF5 form to a new file beside `path` and puts it in its place when it is whole. Throws
/// WriteError.
void write_problem(const std::filesystem::path& path, const StoredProblem& stored);

/// Writes FCLib's local form with a solution, in the same way.
void write_fclib_problem(const std::filesystem::path& path, const DelassusProblem& problem,
                         const DelassusSolution& solution, const std::string& title);

}  // namespace scree::io
