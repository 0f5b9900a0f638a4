#include "io/results/vtk_export.h"

#include <algorithm>
#include <numeric>

#include "io/results/vtk_series.h"
#include "io/results/wall_mesh.h"

namespace scree::io {

namespace {

/// The parts of the scene that a series needs.
Scene recorded_scene(const RecordedRun& run, bool contacts) {
  Scene scene;
  scene.name = run.scene;
  scene.model.shapes = run.model.shapes;
  scene.model.boundaries = run.model.boundaries;
  scene.output.fields = run.fields;
  scene.output.contacts = contacts;
  return scene;
}

}  // namespace

std::vector<std::size_t> all_frames(const TrajectoryReader& reader) {
  std::vector<std::size_t> frames(reader.frames());
  std::iota(frames.begin(), frames.end(), 0);
  return frames;
}

void write_vtk_series(const RunFolder& folder, const TrajectoryReader& reader,
                      const std::vector<std::size_t>& frames, const std::function<void(std::size_t)>& done) {
  if (frames.empty()) return;
  const RecordedRun& run = reader.run();
  const Boundaries& boundaries = run.model.boundaries;
  const ViewBox start = scene_region(reader.bodies(frames.front()), run.model.shapes, boundaries);
  const bool contacts = std::ranges::any_of(frames, [&](std::size_t k) { return reader.has_contacts(k); });
  VtkSeries series(folder, recorded_scene(run, contacts), start, run.outlines, run.wall_cells);
  for (const std::size_t k : frames) {
    Frame frame = reader.frame(k);
    if (reader.is_periodic()) {
      const Mat3 lattice = reader.lattice(k);
      frame.lattice.assign(lattice.data(), lattice.data() + lattice.size());
    }
    if (reader.has_walls(k)) frame.walls = reader.walls(k);
    frame.has_contacts = reader.has_contacts(k);
    if (frame.has_contacts) frame.contacts = reader.contacts(k);
    frame.contacts_of_body = contacts_of_bodies(frame.contacts, frame.position.size());
    series.append(frame);
    series.publish();
    done(k);
  }
  if (boundaries.empty()) return;
  write_vtk(folder.walls(),
            walls_piece(wall_mesh(boundaries, grown_region(start, reader.bodies(frames.back())))));
}

}  // namespace scree::io
