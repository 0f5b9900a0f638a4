// Files for ParaView: one .vtp per frame and a .pvd that lists them with their times; walls, and the mesh of
// each function of bodies, once.
#pragma once

#include <memory>

#include "io/files/archive.h"
#include "io/files/piece.h"
#include "io/results/frame.h"
#include "io/results/outlines.h"
#include "io/results/run_folder.h"
#include "io/results/wall_mesh.h"
#include "io/scene/scene.h"

namespace scree::io {

/// A file of a frame, not written yet. Its piece may be packed elsewhere before.
struct FrameFile {
  std::string kind;     // "bodies", "contacts", ...
  double time_s;        // of the frame
  std::int64_t number;  // of the frame
  Piece piece;
};
using VtkFrame = std::vector<FrameFile>;

/// Writes inline base64 data, compressed with LZ4. publish() gives frames their names and lists them in
/// the .pvd, so it never lists an incomplete file. All members throw WriteError.
class VtkSeries {
 public:
  /// `region`: the visible part of unbounded walls, if any wall moves: then walls are a series too. It
  /// and the other arguments are relative to the scene's origin, as frames are.
  VtkSeries(const RunFolder& folder, const Scene& scene, const ViewBox& region, const Outlines& outlines = {},
            WallCellMesh wall_cells = {});
  ~VtkSeries();
  VtkSeries(VtkSeries&&) noexcept;

  void append(const Frame& frame);
  /// The same in two parts; files must be written in the order in which they were made. files_of() writes
  /// nothing: another thread may be writing and publishing.
  VtkFrame files_of(const Frame& frame);
  void write(VtkFrame files);
  /// Gives the frames since the last call their names, and lists them.
  void publish();

  /// Writes the list of frames; or reads it, and removes later frames. When it is written, the frames are on
  /// disk.
  void visit(Archive& io);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Lines with the cell array `kind`, see OutlineKind.
Piece outlines_piece(const std::vector<OutlineEdge>& edges);

/// One polygonal surface with the point array `Normals` and the cell array `boundary`.
Piece walls_piece(const WallMesh& mesh);

}  // namespace scree::io
