#include "tools/fields.h"

#include <fmt/format.h>
#include <memory>
#include <spdlog/spdlog.h>

#include "engine/core/parallel.h"
#include "io/files/file_errors.h"
#include "io/files/vtk_file.h"
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
constexpr double most_cells_a_width = 64.0;  // 2 million cells about every body
constexpr double most_cells = 50e6;          // 17 GB of sums

struct FieldsOptions {
  fs::path folder, output;
  FrameChoice frames;
  double width_m = 0.0, cell_m = 0.0;  // 0: by the bodies' size
  std::vector<double> low, high;
  int threads = 0;
  bool quiet = false;
};

/// Kernel radius and cells, of the options or else of the bodies' size and place.
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

/// The same for all frames, so that they can be compared cell by cell.
Grid grid_for(const FieldsOptions& options, const io::TrajectoryReader& reader,
              const std::vector<std::size_t>& frames, const Resolution& r) {
  Eigen::AlignedBox3d box;
  for (const std::size_t k : frames) {
    for (const Vec3& x : reader.bodies(k).position) {
      if (x.allFinite()) box.extend(x);
    }
  }
  if (box.isEmpty()) box = Eigen::AlignedBox3d(Vec3(Vec3::Zero()));
  const auto given = [](const std::vector<double>& v) { return Vec3(v[0], v[1], v[2]); };
  const bool cut = !options.low.empty();
  const Vec3 low = cut ? given(options.low) : box.min(), high = cut ? given(options.high) : box.max();
  if (!((high - low).minCoeff() >= 0.0)) throw CLI::ValidationError("--high", "lies below --low");
  const double margin = cut ? 0.0 : r.width;
  const double cells = ((high - low).array() + 2.0 * margin).prod() / (r.cell * r.cell * r.cell);
  if (!(cells <= most_cells)) {
    throw CLI::ValidationError(
        "--cell",
        fmt::format(
            "{:g} m makes {:.2g} cells of the bodies' extent, {:g} at most; take larger cells, or a part "
            "of space by --low and --high",
            r.cell, cells, most_cells));
  }
  if (r.width > most_cells_a_width * r.cell) {
    throw CLI::ValidationError(
        "--cell", fmt::format("{:g} m is too fine for a kernel of {:g} m; at least {:g} m", r.cell, r.width,
                              r.width / most_cells_a_width));
  }
  return covering_grid(low, high, margin, r.cell);
}

int fields(const FieldsOptions& options) {
  set_thread_count(options.threads);
  const io::RunFolder run = find_run(options.folder);
  const io::TrajectoryReader reader = open_trajectory(run);
  std::vector<std::size_t> frames = chosen_frames(options.frames, reader);
  if (!options.frames.given()) frames = {reader.frames() - 1};
  const Resolution r = resolution(options, reader);
  const Grid grid = grid_for(options, reader, frames, r);
  const fs::path folder = options.output.empty() ? run.path / "fields" : options.output;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw io::WriteError(fmt::format("cannot write {}: {}", folder.string(), error.message()));
  JobProgress progress(Progress::detect(options.quiet), "frame", frames.size());
  std::vector<std::pair<double, std::string>> files;
  for (const std::size_t k : frames) {
    if (!reader.has_contacts(k))
      spdlog::warn("t = {:g} s: no contacts were recorded, so contact stress is 0", reader.time_s()[k]);
    const auto forces = io::contact_forces(reader.contacts(k), reader.run().impulse_time_s);
    const CoarseFields fields =
        coarse_fields(reader.run().model.shapes, reader.bodies(k), forces, grid, r.width);
    files.emplace_back(reader.time_s()[k], fmt::format("fields_{:06}.vti", k));
    io::write_fields(folder / files.back().second, grid, fields);
    io::write_series(folder / "fields.pvd", files);
    progress.done(files.size());
  }
  progress.finish();
  if (!options.quiet) {
    show(fmt::format("{}: {} x {} x {} cells of {:.4g} m, Lucy's kernel of radius {:.4g} m\n",
                     (folder / "fields.pvd").string(), grid.count[0], grid.count[1], grid.count[2], grid.cell,
                     r.width));
  }
  return exit_ok;
}

}  // namespace

void add_fields(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<FieldsOptions>();
  CLI::App* command = app.add_subcommand(
      "fields", "Density, velocity, granular temperature and stress on a grid, as VTK image data");
  add_run_folder(*command, options->folder);
  command
      ->add_option("-o,--output", options->output,
                   "Folder for the files; `fields` in the run's folder if not given")
      ->type_name("FOLDER");
  add_frame_choice(*command, options->frames, "the last frame");
  command
      ->add_option("--width", options->width_m,
                   "Radius of the kernel, m; four mean radii of the bodies if not given")
      ->check(number_in(positive));
  command
      ->add_option("--cell", options->cell_m,
                   "Edge of the cells, m; a quarter of the kernel's radius if not given")
      ->check(number_in(positive));
  CLI::Option* low =
      command->add_option("--low", options->low, "Lower corner of the grid, m; the bodies' if not given");
  low->expected(3)->check(number_in(any_number))->type_name("X Y Z");
  CLI::Option* high = command->add_option("--high", options->high, "Upper corner of the grid, m");
  high->expected(3)->check(number_in(any_number))->type_name("X Y Z")->needs(low);
  low->needs(high);
  add_threads(*command, options->threads);
  command->add_flag("-q,--quiet", options->quiet, "Print nothing but warnings and errors");
  command->callback([options, &action] { action = [options] { return fields(*options); }; });
}

}  // namespace scree
