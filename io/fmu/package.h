// Writes a scene as a Functional Mock-up Unit: a zip archive with a description, a library and the scene.
#pragma once

#include <filesystem>

#include "io/fmu/variables.h"

namespace scree::io {

/// Writes `output`, in place of what is there: modelDescription.xml, the library as
/// binaries/linux64/<model identifier>.so, and in resources/ the scene with every file that it names. The
/// same scene and library give the same bytes. Throws WriteError, and ReadError where a file cannot go with
/// it.
void write_fmu(const Scene& scene, const std::vector<Variable>& variables,
               const std::filesystem::path& library, const std::filesystem::path& output);

}  // namespace scree::io
