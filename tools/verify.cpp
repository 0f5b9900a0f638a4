#include "tools/verify.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <spdlog/spdlog.h>

#include "io/results/verify.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/progress.h"
#include "tools/recorded_run.h"

namespace scree {

namespace {

struct VerifyOptions {
  std::filesystem::path folder;
  bool quiet = false;
};

int verify(const VerifyOptions& options) {
  const std::vector<io::FileFindings> all = io::verify_run(find_run(options.folder));
  std::size_t wrong = 0;
  for (const io::FileFindings& f : all) {
    if (!options.quiet)
      show(fmt::format("{:<30}  {:<7}  {}\n", f.file,
                       f.unread             ? "UNREAD"
                       : f.problems.empty() ? "intact"
                                            : "DAMAGED",
                       f.found));
    for (const std::string& problem : f.problems) spdlog::error("{}: {}", f.file, problem);
    wrong += f.problems.empty() ? 0 : 1;
  }
  if (wrong == 0) return exit_ok;
  const auto unread = static_cast<std::size_t>(std::ranges::count_if(all, &io::FileFindings::unread));
  if (unread > 0)
    spdlog::error("{} of {} files or series could not be read, so their state is unknown", unread,
                  all.size());
  if (wrong > unread)
    spdlog::error("{} of {} files or series are damaged or inconsistent with the others", wrong - unread,
                  all.size());
  return exit_cannot_read;
}

}  // namespace

void add_verify(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App* command =
      app.add_subcommand("verify", "Check that the files of a run are complete and consistent");
  add_run_folder(*command, options->folder);
  command->add_flag("-q,--quiet", options->quiet, "Print only problems");
  command->callback([options, &action] { action = [options] { return verify(*options); }; });
}

}  // namespace scree
