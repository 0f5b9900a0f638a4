// Pictures of a recorded run.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "io/render/between_frames.h"
#include "io/render/labels.h"
#include "io/render/lines.h"
#include "io/render/renderer.h"
#include "io/render/run_scene.h"
#include "io/render/wall_look.h"
#include "io/results/recorded_fields.h"

namespace scree::io {

/// The name for: material, shape or radius where bodies have several, and else the speed.
inline constexpr std::string_view chosen_field = "auto";
std::string field_of_choice(const RecordedRun& run);

struct PictureOptions {
  int width = 1280, height = 720;
  int samples = 8;  // rays a pixel
  // One of recorded_fields(), or of wall_quantities() where walls have cells, or chosen_field: what
  // distinguishes the bodies; one of ColourMap::names().
  std::string field{chosen_field}, map{default_map};
  std::optional<std::array<double, 2>> range;  // of the colours; that of the whole run if not given
  std::string view = "corner";                 // one of view_names()
  std::vector<std::size_t> frames = {};        // that the camera is fitted to; all if the list is empty
  WallChoice looks = {};                       // of walls, instead of by the rule
  double fit = 0.995;                          // part of the bodies that has to be in the picture
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

/// Sets the scene up once and then draws any of its frames. Bodies are drawn as the shapes they are, walls as
/// wall_looks() has them. Throws ReadError.
class RunPicture {
 public:
  /// The reader must outlive it and have a frame; options must be as described there.
  RunPicture(const TrajectoryReader& reader, const PictureOptions& options);
  Picture draw(std::size_t frame) { return draw_at(reader_.time_s()[frame]); }
  /// Between frames: bodies on smooth ways, or with one impact (between()), colours and the rest of the frame
  /// before.
  Picture draw_at(double time_s);

  const Camera& camera() const { return camera_; }
  /// The part of the picture that shows the scene; labels are beside it.
  const Viewport& viewport() const { return layout_.scene; }
  const RunScene& scene() const { return run_; }
  const std::vector<WallLook>& looks() const { return looks_; }  // [boundary]
  const WallMesh& walls() const { return walls_; }
  std::array<double, 2> range() const { return range_; }

 private:
  std::vector<Colour> body_colours(std::size_t frame) const;
  /// Adds the images of a frame's bodies around its cell, and their colours if bodies have any.
  void add_images(std::size_t frame, Bodies& bodies, Paint& paint) const;
  /// Edges of the walls as they stand, of what outlines there are, and the paths until a time.
  std::vector<ThinLine> lines(std::size_t frame, double time_s);
  void add_outlines(std::size_t frame, std::vector<ThinLine>& lines) const;
  /// The rods of a frame, and their colours in `paint`.
  std::vector<Chain> chains(std::size_t frame, Paint& paint) const;
  ColourBar colour_bar() const;
  bool is_cut_off(const Vec3& x) const;
  /// Cells of walls as they stand, in the colours of what they felt; those of planes that look away from the
  /// eye are left out.
  void show_cells(std::size_t frame, Paint& paint);
  /// Adds the paths of all bodies to where they are at a time.
  void add_traces(double time_s, std::vector<ThinLine>& lines);
  void set_camera(const Vec3& up);
  void choose_field();
  CameraMarks camera_marks() const;
  Labels labels(double time_s, std::size_t bodies) const;

  const TrajectoryReader& reader_;
  BetweenFrames between_;
  PictureOptions options_;
  RayScene scene_;
  void stand(const Boundaries& boundaries);
  RunScene run_;
  Layout layout_;
  std::vector<WallLook> looks_;  // [boundary]
  WallMesh walls_;               // as they stand
  std::vector<WallLook> look_;   // [polygon]
  std::vector<WallEdge> edges_;  // of the walls as they stand
  Camera camera_;
  RecordedField field_;
  std::optional<std::size_t> wall_quantity_;  // in place of the field
  Lighting lighting_;
  std::array<double, 2> range_{};
  double chain_radius_ = 0.0;  // m, of the strongest chains
};

}  // namespace scree::io
