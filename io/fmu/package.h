// Writes a scene as a Functional Mock-up Unit: a zip archive with a description, a library and the scene.
#pragma once

#include <filesystem>

#include "io/fmu/variables.h"

namespace scree::io {

/// Writes `output`, and replaces an existing file: modelDescription.xml, the library as
/// binaries/linux64/<model identifier>.so, and in resources/ the scene with all files that it names. The
/// same scene and library give the same bytes. Throws WriteError, and ReadError if a file cannot be
/// included.
void write_fmu(const Scene& scene, const std::vector<Variable>& variables,
               const std::filesystem::path& library, const std::filesystem::path& output);

}  // namespace scree::io
