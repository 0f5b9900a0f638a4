#include "tools/render.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <spdlog/spdlog.h>

#include "engine/core/parallel.h"
#include "io/files/ending.h"
#include "io/files/file_errors.h"
#include "io/render/film.h"
#include "io/render/run_picture.h"
#include "io/render/run_scene.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/interrupt.h"
#include "tools/job_progress.h"
#include "tools/output_files.h"
#include "tools/recorded_run.h"

namespace scree {

namespace {

namespace fs = std::filesystem;

struct RenderOptions {
  fs::path folder, output;
  FrameChoice frames;
  io::PictureOptions picture;
  std::string size = "1280x720";
  std::vector<double> range, eye, target, up, cut;
  double speed = 1.0;
  std::int64_t pictures = 0;  // at even times; 0: of the frames
  int threads = 0;
  bool fit_to_run = false;  // not to the pictures drawn
  bool no_walls = false, no_outlines = false, no_labels = false, overwrite = false, quiet = false;
};

constexpr io::Range places_m{.low = -io::farthest_m, .high = io::farthest_m};
constexpr io::Range zooms{.low = 1e-3, .high = 1e3};
constexpr io::Range speeds{.low = 1e-6, .high = 1e6};

bool is_picture(const fs::path& path) { return io::ending_of(path) == ".png"; }

bool is_film(const fs::path& path) {
  const auto films = io::film_endings();
  return std::find(films.begin(), films.end(), io::ending_of(path)) != films.end();
}

/// Endings of pictures and films that are not drawn: such a name was not meant to be a folder.
std::string check_output(const std::string& path) {
  constexpr std::array others{".bmp",  ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".svg",
                              ".pdf",  ".eps", ".ppm",  ".avi", ".mov",  ".mkv",  ".mpg",
                              ".mpeg", ".ogv", ".m4v",  ".wmv", ".apng"};
  const std::string ending = io::ending_of(path);
  if (std::find(others.begin(), others.end(), ending) == others.end()) return "";
  return fmt::format("'{}' has an ending that cannot be drawn (value {}, allowed .png, {}, or a folder)",
                     path, ending, fmt::join(io::film_endings(), ", "));
}

std::optional<Vec3> vector(const std::vector<double>& numbers) {
  if (numbers.empty()) return {};
  return Vec3(numbers[0], numbers[1], numbers[2]);
}

std::string check_size(const std::string& text) {
  int width = 0, height = 0;
  char rest = 0;
  const bool well_formed = std::sscanf(text.c_str(), "%dx%d%c", &width, &height, &rest) == 2;
  return well_formed && std::min(width, height) >= 16 && std::max(width, height) <= 16384
             ? ""
             : "'" + text + "' is not a size such as 1280x720 (16 to 16384 pixels a side)";
}

/// Throws unless each name means a boundary of the run.
void require_boundaries(const io::RecordedRun& run, const std::string& option,
                        const std::vector<std::string>& names) {
  std::vector<std::string> known{"all"};
  for (const Boundary& boundary : run.model.boundaries) known.push_back(boundary.name);
  for (const std::string& name : names) {
    if (std::any_of(known.begin(), known.end(), [&](const std::string& b) { return io::is_meant(b, name); }))
      continue;
    throw CLI::ValidationError(option,
                               not_among(fmt::format("there is no boundary '{}'", name), name, known));
  }
}

io::PictureOptions picture_options(const RenderOptions& options, const io::TrajectoryReader& reader) {
  io::PictureOptions picture = options.picture;
  std::sscanf(options.size.c_str(), "%dx%d", &picture.width, &picture.height);
  if (!options.range.empty()) picture.range = {options.range[0], options.range[1]};
  picture.eye = vector(options.eye);
  picture.target = vector(options.target);
  picture.up = vector(options.up);
  picture.walls = !options.no_walls;
  picture.outlines = !options.no_outlines;
  picture.labels = !options.no_labels;
  if (!options.cut.empty()) {
    const Vec3 normal(options.cut[3], options.cut[4], options.cut[5]);
    if (normal.isZero())
      throw CLI::ValidationError("--cut", "the direction (the last three numbers) must not be zero");
    picture.cut = Plane{Vec3(options.cut[0], options.cut[1], options.cut[2]), normal.normalized()};
  }
  if (picture.range && !((*picture.range)[0] < (*picture.range)[1])) {
    throw CLI::ValidationError("--range", fmt::format("LOW must lie below HIGH (value {:g} {:g})",
                                                      (*picture.range)[0], (*picture.range)[1]));
  }
  if (picture.up && picture.up->isZero())
    throw CLI::ValidationError("--up", "must not be zero (value 0 0 0)");
  if (picture.field != io::chosen_field) require_field(reader.run(), "--color", picture.field);
  if (picture.chains && picture.field != io::chosen_field)
    throw CLI::ValidationError("--color",
                               "cannot be used with --chains: the rods have the colours, by their forces");
  if (picture.chains && picture.range && !((*picture.range)[0] > 0.0))
    throw CLI::ValidationError(
        "--range", fmt::format("the forces of --chains are on a logarithmic bar: LOW must be positive "
                               "(value {:g})",
                               (*picture.range)[0]));
  const std::vector<io::RecordedField> fields = io::recorded_fields(reader.run());
  const io::RecordedField* const field = io::find_field(fields, picture.field);
  if (picture.range && !picture.chains && field != nullptr && !field->categories.empty())
    throw CLI::ValidationError("--range",
                               fmt::format("cannot be used with '{}', which is no number", picture.field));
  if (options.no_walls && io::wall_quantity(picture.field))
    throw CLI::ValidationError("--no-walls", fmt::format("'{}' colours the walls", picture.field));
  require_boundaries(reader.run(), "--glass", picture.looks.glass);
  require_boundaries(reader.run(), "--opaque", picture.looks.metal);
  return picture;
}

/// A camera at the point that it looks at sees nothing.
void check_camera(const io::Camera& camera) {
  const double distance = (camera.eye - camera.target).norm();
  const double size = std::max(camera.eye.cwiseAbs().maxCoeff(), camera.target.cwiseAbs().maxCoeff());
  if (distance > 1e-6 * size) return;
  const Vec3& at = camera.target;
  throw CLI::ValidationError(
      "--eye",
      fmt::format("is the point in the middle of the picture (value {:g} {:g} {:g} m); move the camera, or "
                  "the point (--target)",
                  at.x(), at.y(), at.z()));
}

/// Pictures a second of a film that shows the run `speed` times as fast as it was.
double film_rate(const std::vector<double>& times, double speed) {
  const double span = times.back() - times.front();
  return span > 0.0 ? speed * static_cast<double>(times.size() - 1) / span : 1.0;
}

/// When pictures are drawn: of the frames, or at even times from the first to the last of them.
std::vector<double> picture_times(const io::TrajectoryReader& reader, const std::vector<std::size_t>& frames,
                                  std::int64_t pictures) {
  std::vector<double> times;
  if (pictures == 0) {
    for (const std::size_t frame : frames) times.push_back(reader.time_s()[frame]);
    return times;
  }
  const double first = reader.time_s()[frames.front()], last = reader.time_s()[frames.back()];
  for (std::int64_t k = 0; k < pictures; ++k)
    times.push_back(first + (last - first) * static_cast<double>(k) / static_cast<double>(pictures - 1));
  return times;
}

/// Do intervals between frames differ, so that a film of them would not show time evenly?
bool are_uneven(const io::TrajectoryReader& reader, const std::vector<std::size_t>& frames) {
  constexpr double most = 1.5;
  double shortest = infinity, longest = 0.0;
  for (std::size_t k = 1; k < frames.size(); ++k) {
    const double interval = reader.time_s()[frames[k]] - reader.time_s()[frames[k - 1]];
    if (k + 1 < frames.size()) shortest = std::min(shortest, interval);  // the last one may be cut off
    longest = std::max(longest, interval);
  }
  return shortest < infinity && longest > most * shortest;
}

/// Where the pictures go: each into a file, all into a film, or both.
class Target {
 public:
  Target(const RenderOptions& options, const io::RunFolder& run, const io::TrajectoryReader& reader,
         std::vector<std::size_t>& frames, const io::PictureOptions& picture) {
    const bool film_only = is_film(options.output);
    if (is_picture(options.output)) {
      if (!options.frames.given()) frames = {reader.frames() - 1};
      if (frames.size() > 1) {
        throw CLI::ValidationError(
            "-o", fmt::format("{} pictures cannot be written to one file; give a folder, or one --time",
                              frames.size()));
      }
      single_ = options.output;
    } else if (!film_only) {
      folder_ = options.output.empty() ? run.path / "pictures" : options.output;
      std::error_code error;
      fs::create_directories(folder_, error);
      if (error) throw io::WriteError(fmt::format("cannot write {}: {}", folder_.string(), error.message()));
      remove_old_pictures();
    }
    const bool evens_out = film_only && options.pictures == 0 && are_uneven(reader, frames);
    times_ = picture_times(reader, frames,
                           evens_out         ? std::ssize(frames)
                           : single_.empty() ? options.pictures
                                             : 0);
    if (!single_.empty() || (!film_only && times_.size() < 2)) return;
    film_path_ = film_only ? options.output : folder_ / "film.mp4";
    if (!film_only && !has_program("ffmpeg")) {
      spdlog::warn("no film: ffmpeg is not in PATH (Debian: ffmpeg)");
      return;
    }
    if (!film_only && options.pictures == 0 && are_uneven(reader, frames))
      spdlog::warn(
          "film.mp4 shows each frame for the same time, but the frames are not evenly spaced in time; "
          "`-o film.mp4` draws pictures at even times");
    film_ = std::make_unique<io::Film>(film_path_, picture.width, picture.height,
                                       film_rate(times_, options.speed));
  }

  const std::vector<double>& times() const { return times_; }  // of the pictures

  void add(io::Picture& picture, std::size_t frame) {
    if (!single_.empty()) io::write_png(single_, picture);
    if (!folder_.empty()) io::write_png(folder_ / fmt::format("frame_{:06}.png", frame), picture);
    if (film_) film_->add(picture);
  }

  std::string finish() {
    if (film_) film_->finish();
    if (!single_.empty()) return single_.string();
    if (folder_.empty()) return film_path_.string();
    return fmt::format("{}{}", (folder_ / "frame_*.png").string(), film_ ? " and film.mp4" : "");
  }

 private:
  /// Those of an earlier job with other frames would stand between the new ones.
  void remove_old_pictures() const {
    std::vector<fs::path> old;
    const std::string_view begin = "frame_", end = ".png";
    for (const fs::directory_entry& file : fs::directory_iterator(folder_)) {
      const std::string name = file.path().filename().string();
      const bool is_frame = name.starts_with(begin) && name.ends_with(end) && name.size() >= 16 &&
                            std::all_of(name.begin() + std::ssize(begin), name.end() - std::ssize(end),
                                        [](char c) { return c >= '0' && c <= '9'; });
      if (is_frame || name == "film.mp4") old.push_back(file.path());
    }
    for (const fs::path& file : old) fs::remove(file);
  }

  std::vector<double> times_;
  fs::path single_, folder_, film_path_;
  std::unique_ptr<io::Film> film_;
};

/// Said after the first picture where all of them take long; else nothing.
std::string long_job_text(std::size_t pictures, double each_s, const RenderOptions& options) {
  constexpr double long_s = 60.0;
  const double all_s = each_s * static_cast<double>(pictures);
  if (all_s < long_s) return "";
  return fmt::format(
      "{} pictures of {} with {} samples take about {}; --samples 2, --every 5 or a smaller "
      "--size take less time\n",
      pictures, options.size, options.picture.samples, duration_text(all_s));
}

int render(const RenderOptions& options) {
  set_thread_count(options.threads);
  const io::RunFolder run = find_run(options.folder);
  const io::TrajectoryReader reader = open_trajectory(run);
  io::PictureOptions picture = picture_options(options, reader);
  picture.impacts = run.table("impacts");
  std::vector<std::size_t> frames = chosen_frames(options.frames, reader);
  if (is_film(options.output) && !has_program("ffmpeg")) {
    spdlog::error(
        "ffmpeg, which makes films, is not in PATH (Debian: ffmpeg); for single pictures, give a folder by "
        "-o");
    return exit_missing_program;
  }
  if (is_picture(options.output) || is_film(options.output))
    expect_writable(options.output, {io::own_files(run), options.overwrite});
  const bool is_one = is_picture(options.output) && !options.frames.given();
  picture.frames = is_one ? std::vector<std::size_t>{reader.frames() - 1} : frames;
  if (options.fit_to_run) picture.frames.clear();
  io::RunPicture artist(reader, picture);
  check_camera(artist.camera());
  Target target(options, run, reader, frames, picture);
  catch_interrupts();
  const std::vector<double>& times = target.times();
  JobProgress progress(Progress::detect(options.quiet), "picture", times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (interrupt_requested()) break;
    const auto begin = std::chrono::steady_clock::now();
    io::Picture drawn = artist.draw_at(times[i]);
    target.add(drawn, options.pictures > 0 ? i : frames[i]);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (i == 0 && !options.quiet) show(long_job_text(times.size(), took.count(), options));
    progress.done(i + 1);
  }
  progress.finish();
  const std::string written = target.finish();
  if (!options.quiet) show(written + "\n");
  return interrupt_requested() ? exit_interrupted : exit_ok;
}

std::vector<std::string> words(std::span<const std::string_view> views) {
  return {views.begin(), views.end()};
}

void add_camera_options(CLI::App& command, RenderOptions& options) {
  command
      .add_option("--view", options.picture.view,
                  "Direction to look from; the camera is fitted to the bodies and walls, see --fit")
      ->check(one_of(words(io::view_names())))
      ->capture_default_str();
  command
      .add_option("--fit", options.picture.fit,
                  "Fraction of the bodies, by volume, that must be in the picture; 1 includes bodies that "
                  "have flown off")
      ->check(number_in({.low = 0.1, .high = 1.0}))
      ->capture_default_str();
  command.add_flag(
      "--fit-to-run", options.fit_to_run,
      "Fit the camera to the whole run, so that separate pictures of different times have the same camera");
  command.add_option("--zoom", options.picture.zoom, "Zoom factor; above 1: closer")
      ->check(number_in(zooms))
      ->capture_default_str();
  const auto point = [&](const char* name, std::vector<double>& numbers, const char* meaning) {
    command.add_option(name, numbers, meaning)->expected(3)->check(number_in(places_m))->type_name("X Y Z");
  };
  point("--eye", options.eye, "Position of the camera, m, instead of that of --view");
  point("--target", options.target, "Point in the middle of the picture, m, instead of that of --view");
  point("--up", options.up, "Upward direction of the picture (default: against gravity)");
}

}  // namespace

void add_render(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<RenderOptions>();
  CLI::App* command = app.add_subcommand("render", "Draw pictures and a film of a run; no display is needed");
  add_run_folder(*command, options->folder);
  command
      ->add_option(
          "-o,--output", options->output,
          "picture.png, film.mp4 (or .webm, .gif), or a folder for a picture of each frame and a film "
          "(default: `pictures` in the run's folder)")
      ->check(CLI::Validator(check_output, ""))
      ->type_name("PATH");
  add_frame_choice(*command, options->frames, "all, or the last for one picture");
  command
      ->add_option(
          "--color,--colour", options->picture.field,
          "Quantity that colours the bodies, or the wall cells (wear, pressure, ...; bodies are then "
          "transparent); auto: material, shape or radius if there are several, else speed")
      ->type_name("FIELD")
      ->capture_default_str();
  command->add_option("--map", options->picture.map, "Colour map")
      ->check(one_of(words(io::ColourMap::names())))
      ->capture_default_str();
  command
      ->add_option("--range", options->range,
                   "Values of the first and the last colour (default: range of the run)")
      ->expected(2)
      ->check(number_in(any_number))
      ->type_name("LOW HIGH");
  add_camera_options(*command, *options);
  command->add_option("--size", options->size, "Size of the picture in pixels")
      ->check(CLI::Validator(check_size, ""))
      ->type_name("WIDTHxHEIGHT")
      ->capture_default_str();
  command
      ->add_option("--samples", options->picture.samples,
                   "Rays per pixel: more rays take longer and reduce noise")
      ->check(whole_number_in({.low = 1.0, .high = 4096.0}))
      ->capture_default_str();
  command->add_option("--speed", options->speed, "Speed of the film: 1 is real time, 0.1 is slow motion")
      ->check(number_in(speeds))
      ->capture_default_str();
  command
      ->add_option("--pictures", options->pictures,
                   "Number of pictures of the film, at equal time intervals. Between frames the motion is "
                   "interpolated: with "
                   "impacts.csv through all recorded impacts, without it through at most one impact between "
                   "two frames")
      ->check(whole_number_in({.low = 2.0, .high = 1e6}))
      ->type_name("COUNT");
  command
      ->add_option("--trace", options->picture.trace_s,
                   "Draw the paths of bodies during this time before the picture")
      ->check(number_in(not_negative))
      ->type_name("SECONDS");
  command->add_flag("--chains", options->picture.chains,
                    "Draw force chains in transparent bodies; their width is proportional to the square "
                    "root of the force");
  command
      ->add_option(
          "--cut", options->cut,
          "Do not draw the walls beyond the point X Y Z (m) in the direction DX DY DZ, to show the inside "
          "of a closed machine")
      ->expected(6)
      ->check(number_in(places_m))
      ->type_name("X Y Z DX DY DZ");
  const auto walls = [&](const char* name, std::vector<std::string>& names, const char* meaning) {
    command->add_option(name, names, meaning)->expected(1, 1000)->type_name("WALL ...");
  };
  walls("--glass", options->picture.looks.glass,
        "Names of boundaries to draw as glass, or 'all' (default: those that would hide bodies)");
  walls("--opaque", options->picture.looks.metal, "Names of boundaries to draw as metal, or 'all'");
  command->add_flag("--no-walls", options->no_walls, "Do not draw walls and floors");
  command->add_flag("--no-outlines", options->no_outlines,
                    "Do not draw the edges of periodic cells, inlets, outlets and the domain");
  command->add_flag("--images", options->picture.images,
                    "Draw periodic images of the bodies around the cell, up to a quarter of a cell away");
  command->add_flag("--no-labels", options->no_labels,
                    "Do not draw name, time, colour bar, scale bar and axes");
  add_threads(*command, options->threads);
  add_overwrite(*command, options->overwrite);
  command->add_flag("-q,--quiet", options->quiet, "Print only warnings and errors");
  command->callback([options, &action] { action = [options] { return render(*options); }; });
}

}  // namespace scree
