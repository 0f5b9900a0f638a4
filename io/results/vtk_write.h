// How VTK's XML files are written here. Included by .cpp files of this folder only.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>
#include <vtkDataObject.h>

namespace scree::io {

/// Polygons and points as .vtp, images as .vti: inline base64, compressed with LZ4. Throws WriteError.
void write_vtk(const std::filesystem::path& path, vtkDataObject* data);

/// A .pvd that names the file of each time, s; files are relative to its folder. Replaces an older one in one
/// go. Throws WriteError.
void write_series(const std::filesystem::path& path,
                  const std::vector<std::pair<double, std::string>>& files);

}  // namespace scree::io
