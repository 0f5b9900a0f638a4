// scree shape --fit: a shape file from a triangle mesh.
#pragma once

#include <filesystem>

namespace scree {

struct FitOptions {
  std::filesystem::path mesh, output, picture;
  int perturbations = 6;
};

/// Fits, writes the shape file and reports its accuracy. Returns the exit status. Throws InputError if
/// the mesh is no body, or if no function with up to this number of perturbations passes the checks;
/// ReadError and WriteError.
int fit(const FitOptions& options);

}  // namespace scree
