#include "tools/fields.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <spdlog/spdlog.h>

#include "engine/core/parallel.h"
#include "engine/modules/fields/mean_fields.h"
#include "io/files/file_errors.h"
#include "io/files/text_file.h"
#include "io/files/vtk_file.h"
#include "io/results/numpy_fields.h"
#include "io/results/recorded_fields.h"
#include "io/results/vtk_image.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/job_progress.h"
#include "tools/recorded_run.h"

namespace scree {

namespace {

namespace fs = std::filesystem;

constexpr double default_width_radii =
    4.0;  // mean radii: two diameters, where fields no longer show single grains
constexpr double default_cells_a_width = 4.0, fewest_cells_a_width = 1.5;
constexpr double most_cells_a_width = 64.0;  // 2 million cells around each body
constexpr double most_cells = 50e6;          // 17 GB of sums
constexpr double most_periods = 1000;        // copies of all bodies

struct FieldsOptions {
  fs::path folder, output;
  FrameChoice frames;
  double width_m = 0.0, cell_m = 0.0;  // 0: from the bodies' size
  std::vector<double> low, high;
  int threads = 0;
  std::string format = "vtk";
  bool average = false, quiet = false;
};

/// Kernel radius and cells, from the options or else from the bodies' size and place.
struct Resolution {
  double width, cell;
};
Resolution resolution(const FieldsOptions& options, const io::TrajectoryReader& reader) {
  const double width =
      options.width_m > 0.0 ? options.width_m : default_width_radii * mean_radius(reader.run());
  const double cell = options.cell_m > 0.0 ? options.cell_m : width / default_cells_a_width;
  if (width < fewest_cells_a_width * cell) {
    throw CLI::ValidationError(
        "--cell", fmt::format("{:g} m is too coarse for a kernel of {:g} m; at most {:g} m", cell, width,
                              width / fewest_cells_a_width));
  }
  return {width, cell};
}

/// Extent of grids: the requested part of space, or all that bodies reach.
struct Extent {
  Vec3 low, high;
  double margin;       // m
  bool given = false;  // else a periodic cell has one period
};
Extent extent(const FieldsOptions& options, const io::TrajectoryReader& reader,
              const std::vector<std::size_t>& frames, const Resolution& r) {
  if (!options.low.empty()) {
    const auto given = [](const std::vector<double>& v) { return Vec3(v[0], v[1], v[2]); };
    const Extent part{given(options.low), given(options.high), 0.0, true};
    if (!((part.high - part.low).minCoeff() >= 0.0)) throw CLI::ValidationError("--high", "is below --low");
    return part;
  }
  Eigen::AlignedBox3d box;
  for (const std::size_t k : frames) {
    for (const Vec3& x : reader.bodies(k).position) {
      if (x.allFinite()) box.extend(x);
    }
  }
  if (box.isEmpty()) box = Eigen::AlignedBox3d(Vec3(Vec3::Zero()));
  return {box.min(), box.max(), r.width};
}

/// The same for all frames, so that they can be compared cell by cell, or one period of a cell in a frame.
Grid grid_for(const Extent& e, const PlacedCell& periodic, const Resolution& r) {
  if (r.width > most_cells_a_width * r.cell) {
    throw CLI::ValidationError(
        "--cell", fmt::format("{:g} m is too fine for a kernel of {:g} m; at least {:g} m", r.cell, r.width,
                              r.width / most_cells_a_width));
  }
  Vec3 sides = e.high - e.low + Vec3::Constant(2.0 * e.margin);
  double periods = 1.0;  // of a periodic cell that kernel and grid reach
  for (int k = 0; k < 3; ++k) {
    if (!periodic.periodic[k]) continue;
    periods *= 1.0 + ((e.given ? sides[k] : 0.0) + 2.0 * r.width) * periodic.inverse.row(k).norm();
    if (!e.given) sides[k] = periodic.lattice.col(k).norm();
  }
  const double cells = sides.prod() / (r.cell * r.cell * r.cell);
  if (!(cells <= most_cells)) {
    throw CLI::ValidationError("--cell", fmt::format("{:g} m gives {:.2g} cells for the extent of the "
                                                     "bodies, {:g} at most; use larger cells, or a part "
                                                     "of space by --low and --high",
                                                     r.cell, cells, most_cells));
  }
  if (!(periods <= most_periods)) {
    throw CLI::ValidationError(
        "--width", fmt::format("{:g} m and the grid need {:.2g} images of the periodic cell, {:g} at most",
                               r.width, periods, most_periods));
  }
  return e.given ? covering_grid(e.low, e.high, e.margin, r.cell)
                 : covering_grid(periodic, e.low, e.high, e.margin, r.cell);
}

/// Image data have cells along the axes of the world; ParaView needs the same kind of file at all times.
bool are_upright(const Extent& e, const io::TrajectoryReader& reader,
                 const std::vector<std::size_t>& frames) {
  if (e.given || !reader.is_periodic()) return true;
  return std::ranges::all_of(frames, [&](std::size_t k) { return reader.lattice(k).isDiagonal(0.0); });
}

/// "0.1 m", or "0.1 x 0.1 x 0.2 m".
std::string edges_of(const Grid& grid) {
  const Vec3 edges = grid.edges.colwise().norm();
  if (edges.isConstant(edges[0], 1e-6)) return fmt::format("{:.4g} m", edges[0]);
  return fmt::format("{:.4g} x {:.4g} x {:.4g} m", edges[0], edges[1], edges[2]);
}

/// The files of fields, in one of the formats, and the series for ParaView.
class FieldFiles {
 public:
  FieldFiles(fs::path folder, std::string ending) : folder_(std::move(folder)), ending_(std::move(ending)) {}
  void write(const std::string& name, double time_s, const Grid& grid, const CoarseFields& fields) {
    const std::string file = name + '.' + ending_;
    last_ = folder_ / file;
    if (ending_ == "npy") return io::write_numpy_fields(last_, grid, fields);
    io::write_fields(last_, grid, fields);
    series_.emplace_back(time_s, file);
    last_ = folder_ / "fields.pvd";
    io::write_series(last_, series_);
  }
  /// The file to open.
  const fs::path& last() const { return last_; }

 private:
  fs::path folder_, last_;
  std::string ending_;
  std::vector<std::pair<double, std::string>> series_;
};

int fields(const FieldsOptions& options) {
  set_thread_count(options.threads);
  const io::RunFolder run = find_run(options.folder);
  const io::TrajectoryReader reader = open_trajectory(run);
  std::vector<std::size_t> frames = chosen_frames(options.frames, reader);
  if (!options.frames.given() && !options.average) frames = {reader.frames() - 1};
  const Resolution r = resolution(options, reader);
  const Extent space = extent(options, reader, frames, r);
  const char* const ending = are_upright(space, reader, frames) ? "vti" : "vts";
  Grid grid = grid_for(space, reader.cell(frames.front()), r);
  const fs::path folder = options.output.empty() ? run.path / "fields" : options.output;
  if (options.format == "vtk") io::require_vtk();
  io::make_folder(folder);
  JobProgress progress(Progress::detect(options.quiet), "frame", frames.size());
  if (reader.is_periodic() && !reader.knows_flow())
    spdlog::warn(
        "an older version did not record the flow of the cell; images are assumed to move like their bodies");
  FieldFiles files(folder, options.format == "npy" ? "npy" : ending);
  MeanFields mean;
  std::size_t done = 0, without_contacts = 0;
  for (const std::size_t k : frames) {
    const PlacedCell periodic = reader.cell(k);
    const std::array<std::size_t, 3> before = grid.count;
    grid = grid_for(space, periodic, r);
    if (options.average && mean.moments() > 0 && grid.count != before)
      throw CLI::ValidationError("--average",
                                 "the periodic cell changes the number of grid cells; give --low and --high");
    const bool has_contacts = reader.has_contacts(k);
    if (!has_contacts && !options.average)
      spdlog::warn("t = {:g} s: no contacts were recorded, so contact stress is 0", reader.time_s()[k]);
    without_contacts += has_contacts ? 0 : 1;
    const auto forces = io::contact_forces(reader.contacts(k), reader.run().impulse_time_s);
    const CoarseFields fields =
        coarse_fields(reader.run().model.shapes, reader.bodies(k), forces, grid, r.width, periodic);
    if (options.average)
      mean.add(fields, has_contacts);
    else
      files.write(fmt::format("fields_{:06}", k), reader.time_s()[k], grid, fields);
    progress.done(++done);
  }
  if (options.average && without_contacts > 0)
    spdlog::warn("no contacts were recorded in {} of {} frames: contact stress is {}", without_contacts,
                 frames.size(), without_contacts < frames.size() ? "the mean of the others" : "0");
  if (options.average) files.write("fields_mean", reader.time_s()[frames.back()], grid, mean.mean());
  progress.finish();
  if (!options.quiet) {
    show(fmt::format("{}: {} x {} x {} cells of {}, Lucy's kernel of radius {:.4g} m\n",
                     files.last().string(), grid.count[0], grid.count[1], grid.count[2], edges_of(grid),
                     r.width));
  }
  return exit_ok;
}

}  // namespace

void add_fields(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<FieldsOptions>();
  CLI::App* command = app.add_subcommand(
      "fields", "Compute density, velocity, granular temperature and stress on a grid, for VTK or NumPy");
  add_run_folder(*command, options->folder);
  command
      ->add_option("-o,--output", options->output,
                   "Folder for the files (default: `fields` in the run's folder)")
      ->type_name("FOLDER");
  add_frame_choice(*command, options->frames, "the last frame, or all with --average");
  command
      ->add_option("--width", options->width_m,
                   "Radius of the kernel, m (default: four mean radii of the bodies)")
      ->check(number_in(positive));
  command
      ->add_option("--cell", options->cell_m,
                   "Edge of the grid cells, m (default: a quarter of the kernel's radius)")
      ->check(number_in(positive));
  CLI::Option* low =
      command->add_option("--low", options->low,
                          "Lower corner of the grid, m (default: that of the bodies, or of a periodic cell)");
  low->expected(3)->check(number_in(any_number))->type_name("X Y Z");
  CLI::Option* high = command->add_option("--high", options->high, "Upper corner of the grid, m");
  high->expected(3)->check(number_in(any_number))->type_name("X Y Z")->needs(low);
  low->needs(high);
  command->add_flag("--average", options->average, "Write one file with means over the selected frames");
  command
      ->add_option("--to", options->format,
                   "Format: vtk for ParaView, or npy, structured arrays for numpy.load")
      ->check(one_of({"vtk", "npy"}))
      ->capture_default_str();
  add_threads(*command, options->threads);
  command->add_flag("-q,--quiet", options->quiet, "Print only warnings and errors");
  command->callback([options, &action] { action = [options] { return fields(*options); }; });
}

}  // namespace scree
