#include "tools/mesh/draw.h"

#include "io/render/labels.h"
#include "io/render/mesh_picture.h"
#include "tools/exit_codes.h"

namespace scree {

int draw_mesh(const TriangleMesh& mesh, const MeshDiagnosis& diagnosis, const std::filesystem::path& path) {
  constexpr int width = 1280, height = 800;
  io::Picture picture = io::mesh_picture(mesh, diagnosis, width, height);
  io::write_png(path, picture);
  return exit_ok;
}

}  // namespace scree
