#include "tools/export.h"

#include <fmt/format.h>
#include <memory>

#include "io/files/file_errors.h"
#include "io/files/text_file.h"
#include "io/files/vtk_file.h"
#include "io/results/text_export.h"
#include "io/results/vtk_export.h"
#include "io/results/vtk_hdf.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/interrupt.h"
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
  const char* file;  // in the run's folder, unless -o is given; empty: that folder itself
  std::optional<io::TextFormat> text;
};
// Not .xyz: ParaView 5.11 reads that as Plot3D and crashes.
constexpr Format formats[] = {{"xyz", "bodies.extxyz", io::TextFormat::extended_xyz},
                              {"lammps", "bodies.dump", io::TextFormat::lammps_dump},
                              {"csv", "bodies.csv", io::TextFormat::csv},
                              {"vtk", "vtk_export", {}},
                              {"vtkhdf", "", {}}};

const Format& find_format(const std::string& name) {
  for (const Format& format : formats) {
    if (name == format.name) return format;
  }
  throw CLI::ValidationError("--to", "no such format: " + name);
}

using FrameDone = std::function<void(std::size_t)>;

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw io::WriteError(fmt::format("cannot write {}: {}", folder.string(), error.message()));
}

void expect_new(const fs::path& path, const ExportOptions& options) {
  if (!fs::exists(path) || options.overwrite) return;
  throw io::WriteError(
      fmt::format("{} already exists; choose another name or replace it (--overwrite)", path.string()));
}

class Interrupted {};

/// Writes to a temporary file beside it, so that half a file never has its name; to devices and pipes
/// directly.
void write_text_whole(const fs::path& path, io::TextFormat format, const io::TrajectoryReader& reader,
                      const std::vector<std::size_t>& frames, const FrameDone& done) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status))
    return io::write_text(path, format, reader, frames, done);
  const fs::path passing = io::temporary_name(path);
  try {
    io::write_text(passing, format, reader, frames, done);
    io::rename_file(passing, path);
  } catch (...) {
    fs::remove(passing, error);
    throw;
  }
}

/// Writes the files. Returns the one to open.
fs::path write_format(const Format& format, const ExportOptions& options, const io::RunFolder& run,
                      const io::TrajectoryReader& reader, const std::vector<std::size_t>& frames,
                      const FrameDone& done) {
  const fs::path path = options.output.empty() ? run.path / format.file : options.output;
  const io::RunFolder folder{path};
  if (format.text) {
    write_text_whole(path, *format.text, reader, frames, done);
    return path;
  }
  const bool links = std::string_view(format.name) == "vtkhdf";
  if (!links) io::require_vtk();
  make_folder(path);
  if (links) return io::write_vtk_hdf(folder, run.trajectory(), reader, frames, done).front();
  io::write_vtk_series(folder, reader, frames, done);
  return folder.bodies_series();
}

void check_output(const Format& format, const ExportOptions& options, const io::RunFolder& run) {
  const fs::path path = options.output.empty() ? run.path / format.file : options.output;
  if (format.text) return expect_writable(path, {io::own_files(run), options.overwrite});
  std::error_code none;
  if (std::string_view(format.name) != "vtkhdf" && fs::equivalent(path, run.path, none))
    throw CLI::ValidationError("-o",
                               fmt::format("{} is the run's own folder; give another one", path.string()));
  if (std::string_view(format.name) != "vtkhdf") return expect_new(path, options);
  for (const fs::path& file : {io::RunFolder{path}.bodies_hdf(), io::RunFolder{path}.contacts_hdf()})
    expect_new(file, options);
}

int export_run(const ExportOptions& options) {
  const io::RunFolder run = find_run(options.folder);
  const io::TrajectoryReader reader = open_trajectory(run);
  const Format& format = find_format(options.format);
  check_output(format, options, run);
  const std::vector<std::size_t> frames = chosen_frames(options.frames, reader);
  JobProgress progress(Progress::detect(options.quiet), "frame", frames.size());
  std::size_t written = 0;
  catch_interrupts();
  fs::path file;
  try {
    file = write_format(format, options, run, reader, frames, [&](std::size_t) {
      progress.done(++written);
      if (interrupt_requested()) throw Interrupted{};
    });
  } catch (const Interrupted&) {
    progress.finish();
    return exit_interrupted;
  }
  progress.finish();
  if (!options.quiet) show(fmt::format("{}\n", file.string()));
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
                   "ellipsoids), csv, vtk or vtkhdf (links into trajectory.h5, for ParaView 5.12 and later)")
      ->required()
      ->check(one_of({"xyz", "lammps", "csv", "vtk", "vtkhdf"}));
  command
      ->add_option("-o,--output", options->output,
                   "File, or folder for vtk and vtkhdf (default: in the run's folder)")
      ->type_name("PATH");
  add_frame_choice(*command, options->frames, "all");
  add_overwrite(*command, options->overwrite);
  command->add_flag("-q,--quiet", options->quiet, "Print only warnings and errors");
  command->callback([options, &action] { action = [options] { return export_run(*options); }; });
}

}  // namespace scree
