#include "tools/report_page.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>

#include "io/files/text_file.h"
#include "io/report/report_page.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/job_progress.h"
#include "tools/output_files.h"
#include "tools/recorded_run.h"

namespace scree {

namespace {

namespace fs = std::filesystem;

struct PageOptions {
  fs::path folder, beside, output;
  double view_megabytes = 24.0;
  bool overwrite = false, quiet = false;
};

std::string page_of(const io::RunFolder& run, const PageOptions& options) {
  const io::TrajectoryReader reader = open_trajectory(run);
  std::optional<JobProgress> progress;
  const std::string page =
      io::report_page(run, reader, {1e6 * options.view_megabytes}, [&](std::size_t done, std::size_t of) {
        if (!progress) progress.emplace(Progress::detect(options.quiet), "frame", of);
        progress->done(done);
      });
  if (progress) progress->finish();
  return page;
}

int report(const PageOptions& options) {
  const io::RunFolder run = find_run(options.folder);
  const fs::path path = options.output.empty() ? run.path / "report.html" : options.output;
  std::vector<fs::path> inputs = io::own_files(run);
  if (!options.beside.empty())
    std::ranges::copy(io::own_files(find_run(options.beside)), back_inserter(inputs));
  expect_writable(path, {inputs, options.overwrite});
  std::string page = page_of(run, options);
  if (!options.beside.empty()) {
    const io::RunFolder other = find_run(options.beside);
    page = io::beside_page(page, page_of(other, options),
                           fmt::format("{}", fmt::join(names_of({run, other}), " | ")));
  }
  io::write_whole_file(path, page);
  if (!options.quiet)
    show(fmt::format("{}: {:.1f} MB\n", path.string(), 1e-6 * static_cast<double>(page.size())));
  return exit_ok;
}

}  // namespace

void add_report(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<PageOptions>();
  CLI::App* command = app.add_subcommand("report", "Write a page about a run, one HTML file for any browser");
  add_run_folder(*command, options->folder);
  command
      ->add_option("-o,--output", options->output,
                   "File of the page (default: report.html in the run's folder)")
      ->type_name("FILE.html");
  command
      ->add_option("--beside", options->beside,
                   "Folder of another run, which is shown on the same page at the same times")
      ->type_name("FOLDER");
  command
      ->add_option("--view-size", options->view_megabytes,
                   "Size of the data in the 3-D view, in megabytes before compression; a larger size gives "
                   "more frames")
      ->check(number_in({.low = 1e-3, .high = 1e5}))
      ->capture_default_str();
  add_overwrite(*command, options->overwrite);
  command->add_flag("-q,--quiet", options->quiet, "Print only warnings and errors");
  command->callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace scree
