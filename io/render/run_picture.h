// Pictures of a recorded run.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "io/render/between_frames.h"
#include "io/render/labels.h"
#include "io/render/renderer.h"
#include "io/render/run_scene.h"
#include "io/results/recorded_fields.h"

namespace scree::io {

struct PictureOptions {
  int width = 1280, height = 720;
  int samples = 8;  // rays a pixel
  // One of recorded_fields(), or of wall_quantities() where walls have cells; one of ColourMap::names().
  std::string field = "speed", map{default_map};
  std::optional<std::array<double, 2>> range;  // of the colours; that of the whole run if not given
  std::string view = "corner";                 // one of view_names(); frames the whole run
  double fit = 0.99;                           // part of the bodies that has to be in the picture
  double zoom = 1.0;                           // above 1 the camera comes nearer
  std::optional<Vec3> eye, target, up;         // each replaces that of the view, m
  bool walls = true, labels = true;
  std::optional<Plane> cut;  // walls whose middle is on the side that its normal points to are left out
  bool outlines = true;      // edges of periodic cells, inlets, outlets and the domain
  bool images = false;       // of bodies around a periodic cell, as far as half of it
  double trace_s = 0.0;      // the ways that bodies have come in so long a time are drawn
  std::filesystem::path impacts = {};  // impacts.csv of the run, if it has one: ways bend where those were
  bool chains = false;  // clear bodies with force chains inside, coloured by force, instead of opaque bodies
};

/// A contact that carries an impulse, as a line between the centres that it joins, or from a centre to the
/// wall. Across the seam of a periodic cell it is two lines, from each of the two to the other's image.
struct ForceLine {
  Vec3f start, end;  // m
  float force;       // N
};
std::vector<ForceLine> force_lines(const TrajectoryReader& reader, std::size_t frame);

/// Sets the scene up once and then draws any of its frames. Bodies are drawn as the ellipsoids they are,
/// floors solid, other walls clear. Throws ReadError.
class RunPicture {
 public:
  /// The reader must outlive it and have a frame; options must be as described there.
  RunPicture(const TrajectoryReader& reader, const PictureOptions& options);
  Picture draw(std::size_t frame) { return draw_at(reader_.time_s()[frame]); }
  /// Between frames: bodies on smooth ways, or with one impact (between()), colours and the rest of the frame
  /// before.
  Picture draw_at(double time_s);

  const Camera& camera() const { return camera_; }
  const WallMesh& walls() const { return walls_; }
  std::array<double, 2> range() const { return range_; }

 private:
  std::vector<Colour> body_colours(std::size_t frame) const;
  /// Adds the images of a frame's bodies around its cell, and their colours if bodies have any.
  void add_images(std::size_t frame, Bodies& bodies, Paint& paint) const;
  /// Adds what there is of outlines.
  void add_outlines(std::size_t frame, std::vector<Chain>& rods, Paint& paint) const;
  /// The rods of a frame, and their colours in `paint`.
  std::vector<Chain> chains(std::size_t frame, Paint& paint) const;
  ColourBar colour_bar() const;
  bool is_cut_off(const Vec3& x) const;
  /// Cells of walls as they stand, in the colours of what they felt; those of planes that look away from the
  /// eye are left out.
  void show_cells(std::size_t frame, Paint& paint);
  /// Adds the ways of all bodies to where they are at a time.
  void add_traces(double time_s, std::vector<Chain>& rods, Paint& paint);

  const TrajectoryReader& reader_;
  BetweenFrames between_;
  PictureOptions options_;
  RayScene scene_;
  void stand(const Boundaries& boundaries);
  ViewBox region_;  // that walls without an end are drawn in
  WallMesh walls_;
  Camera camera_;
  RecordedField field_;
  std::optional<std::size_t> wall_quantity_;  // in place of the field
  Lighting lighting_;
  std::array<double, 2> range_{};
  double chain_radius_ = 0.0;  // m, of the strongest chains
  double edge_radius_ = 0.0;   // m, of outlines
};

}  // namespace scree::io
