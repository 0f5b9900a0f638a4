// Files for ParaView: one .vtp a frame and a .pvd that lists them with their times; walls, and the mesh of
// each function that bodies are made of, once.
#pragma once

#include <memory>

#include "io/files/archive.h"
#include "io/results/frame.h"
#include "io/results/outlines.h"
#include "io/results/run_folder.h"
#include "io/results/wall_mesh.h"
#include "io/scene/scene.h"

namespace scree::io {

/// Writes inline base64 data, compressed with LZ4. Frames have their names, and the .pvd lists them, from
/// publish() on, so it never lists a file that is not complete. All members throw WriteError.
class VtkSeries {
 public:
  /// `region`: what is drawn of walls that have no end, where any wall moves: then walls are a series too. It
  /// and the rest are counted from the scene's origin, as frames are.
  VtkSeries(const RunFolder& folder, const Scene& scene, const ViewBox& region, const Outlines& outlines = {},
            WallCellMesh wall_cells = {});
  ~VtkSeries();
  VtkSeries(VtkSeries&&) noexcept;

  void append(const Frame& frame);
  /// Gives the frames since the last time their names, and lists them.
  void publish();

  /// Keeps which frames there are, or reads it: then later ones are removed. When it is written, they are on
  /// disk.
  void visit(Archive& io);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Lines with the cell array `kind`, as OutlineKind has them.
void write_outlines(const std::filesystem::path& path, const std::vector<OutlineEdge>& edges);

/// One polygonal surface with the point array `Normals` and the cell array `boundary`.
void write_walls(const std::filesystem::path& path, const WallMesh& mesh);

}  // namespace scree::io
