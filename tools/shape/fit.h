// scree shape --fit: a shape file from a triangle mesh.
#pragma once

#include <filesystem>

namespace scree {

struct FitOptions {
  std::filesystem::path mesh, output, picture;
  int perturbations = 6;
};

/// Fits, writes the shape file and tells how near it comes. Returns the exit status. Throws InputError where
/// the mesh is no body, or where no function with as many perturbations or fewer passes the checks; ReadError
/// and WriteError.
int fit(const FitOptions& options);

}  // namespace scree
