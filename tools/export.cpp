#include "tools/export.h"

#include <fmt/format.h>
#include <memory>

#include "io/files/file_errors.h"
#include "io/files/vtk_file.h"
#include "io/results/text_export.h"
#include "io/results/vtk_export.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/job_progress.h"
#include "tools/output_files.h"
#include "tools/recorded_run.h"

namespace scree {

namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  fs::path folder, output;
  std::string format;
  FrameChoice frames;
  bool overwrite = false, quiet = false;
};

struct Format {
  const char* name;
  const char* file;  // in the run's folder, unless -o is given
  std::optional<io::TextFormat> text;
};
// Not .xyz: ParaView 5.11 reads that as Plot3D and crashes.
constexpr Format formats[] = {{"xyz", "bodies.extxyz", io::TextFormat::extended_xyz},
                              {"lammps", "bodies.dump", io::TextFormat::lammps_dump},
                              {"csv", "bodies.csv", io::TextFormat::csv},
                              {"vtk", "vtk_export", {}}};

const Format& find_format(const std::string& name) {
  for (const Format& format : formats) {
    if (name == format.name) return format;
  }
  throw CLI::ValidationError("--to", "no such format: " + name);
}

/// The series of a run in a separate folder, with the layout of `scree run`.
void write_vtk(const fs::path& folder, const io::TrajectoryReader& reader,
               const std::vector<std::size_t>& frames, const std::function<void(std::size_t)>& done) {
  io::require_vtk();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw io::WriteError(fmt::format("cannot write {}: {}", folder.string(), error.message()));
  io::write_vtk_series(io::RunFolder{folder}, reader, frames, done);
}

int export_run(const ExportOptions& options) {
  const io::RunFolder run = find_run(options.folder);
  const io::TrajectoryReader reader = open_trajectory(run);
  const Format& format = find_format(options.format);
  const fs::path path = options.output.empty() ? run.path / format.file : options.output;
  if (format.text) {
    expect_writable(path, {io::own_files(run), options.overwrite});
  } else if (fs::exists(path) && !options.overwrite) {
    throw io::WriteError(
        fmt::format("{} already exists; choose another name or replace it (--overwrite)", path.string()));
  }
  const std::vector<std::size_t> frames = chosen_frames(options.frames, reader);
  JobProgress progress(Progress::detect(options.quiet), "frame", frames.size());
  std::size_t written = 0;
  const auto done = [&](std::size_t) { progress.done(++written); };
  if (format.text) {
    io::write_text(path, *format.text, reader, frames, done);
  } else {
    write_vtk(path, reader, frames, done);
  }
  progress.finish();
  if (!options.quiet) show(fmt::format("{}\n", (format.text ? path : path / "bodies.pvd").string()));
  return exit_ok;
}

}  // namespace

void add_export(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "Export a run to other programs: OVITO, LAMMPS, tables, VTK");
  add_run_folder(*command, options->folder);
  command
      ->add_option("--to", options->format,
                   "Format: xyz (extended XYZ with orientation and shape for OVITO), lammps (dump of "
                   "ellipsoids), csv or vtk")
      ->required()
      ->check(one_of({"xyz", "lammps", "csv", "vtk"}));
  command
      ->add_option("-o,--output", options->output, "File, or folder for vtk (default: in the run's folder)")
      ->type_name("PATH");
  add_frame_choice(*command, options->frames, "all");
  add_overwrite(*command, options->overwrite);
  command->add_flag("-q,--quiet", options->quiet, "Print only warnings and errors");
  command->callback([options, &action] { action = [options] { return export_run(*options); }; });
}

}  // namespace scree
