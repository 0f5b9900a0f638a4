// How VTK's XML files are written here. Included by .cpp files of this folder only.
#pragma once

#include <filesystem>
#include <vtkDataObject.h>

namespace scree::io {

/// Polygons and points as .vtp, images as .vti: inline base64, compressed with LZ4. Throws WriteError.
void write_vtk(const std::filesystem::path& path, vtkDataObject* data);

}  // namespace scree::io
