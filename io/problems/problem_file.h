// Contact problems in files: text of the collection of stored problems, FCLib's HDF5 and Scree's own.
// docs/file_formats.md describes them.
#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "engine/solver/reference/delassus_problem.h"

namespace scree::io {

/// Impulses stored with a problem by another program.
struct StoredImpulses {
  std::string name;           // "guess 1", "solution"
  std::vector<Vec3> impulse;  // [contact], N s
};

/// A contact problem from a file.
struct StoredProblem {
  std::variant<DelassusProblem, ContactProblem> problem;
  std::string origin;  // its source: scene, step and time, or the file from which it was read
  std::vector<StoredImpulses> impulses = {};  // of FCLib; the first is also the warm start
};

/// Reads a problem; the first bytes of the file show its form. Throws InputError with the line of a text, or
/// the dataset of an HDF5 file, if it is not a problem, if sizes disagree or if numbers are not finite.
StoredProblem read_problem(const std::filesystem::path& path);

/// The files in a folder and its subfolders that begin as problems do, HDF5 or text, ordered by
/// name.
std::vector<std::filesystem::path> problems_in(const std::filesystem::path& folder);

/// Writes the HDF5 form to a new file beside `path` and renames it when it is complete. Throws
/// WriteError.
void write_problem(const std::filesystem::path& path, const StoredProblem& stored);

/// Writes FCLib's local form with a solution, in the same way.
void write_fclib_problem(const std::filesystem::path& path, const DelassusProblem& problem,
                         const DelassusSolution& solution, const std::string& title);

}  // namespace scree::io
