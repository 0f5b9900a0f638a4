#include "tools/watch.h"

#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <spawn.h>
#include <spdlog/spdlog.h>
#include <system_error>
#include <thread>

#include "io/files/file_errors.h"
#include "io/report/page_server.h"
#include "io/report/report_page.h"
#include "tools/command_line.h"
#include "tools/exit_codes.h"
#include "tools/interrupt.h"
#include "tools/progress.h"
#include "tools/recorded_run.h"

namespace scree {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds farewell{5};     // after the run's end, for pages to request it
constexpr std::chrono::milliseconds pause{50};  // between checks for the first frame
constexpr double work_share = 0.1;              // of a core's time, at most, while the run goes on

struct WatchOptions {
  fs::path folder;
  std::uint16_t port = 0;
  bool open = false;
};

/// The data of the page: made again after new frames, but only as often as `work_share` allows.
class LivePage {
 public:
  LivePage(io::RunFolder folder, io::TrajectoryReader reader)
      : folder_(std::move(folder)),
        reader_(std::move(reader)),
        steps_(folder_.steps()),
        was_over_(is_over()) {
    update();
  }

  bool is_over() const { return fs::exists(folder_.summary()); }
  /// Has the run ended since then, and have pages had enough time to notice?
  bool is_done() {
    if (was_over_ || !is_over()) return false;
    if (!ended_) ended_ = Clock::now();
    return (pages_ > 0 && ended_shown_ >= pages_) || Clock::now() > *ended_ + farewell;
  }

  io::Answer answer(const std::string& target) {
    const bool page = target.empty();
    if (!page && !target.starts_with("data?have=")) return {404, "", ""};
    try {
      update();
    } catch (const io::ReadError&) {  // a file is being written; the page asks again
      if (!fs::exists(folder_.trajectory())) throw;
      if (page) return {503, "text/html", "<meta http-equiv=refresh content=1>The run is busy writing."};
      return {204, "", ""};
    }
    if (!page && target == fmt::format("data?have={}", version_)) return {204, "", ""};
    pages_ += page ? 1 : 0;
    ended_shown_ += version_ == 0 ? 1 : 0;
    if (page) return {200, "text/html; charset=utf-8", io::page_around(data_, reader_.run().scene)};
    return {200, "application/json", data_};
  }

 private:
  void update() {
    if (!data_.empty() && version_ == 0) return;
    const bool over = is_over();  // before the search for frames, so that the last one is there
    if (!over && Clock::now() < next_) return;
    const Clock::time_point begin = Clock::now();
    reader_.refresh();
    steps_.refresh();
    if (over || reader_.frames() != frames_) {
      const std::int64_t version = over ? 0 : version_ + 1;
      data_ = io::report_data(folder_, reader_, steps_, {.version = version});
      version_ = version;
      frames_ = reader_.frames();
    }
    const Clock::time_point end = Clock::now();
    next_ = end + std::chrono::duration_cast<Clock::duration>((end - begin) / work_share);
  }

  io::RunFolder folder_;
  io::TrajectoryReader reader_;
  io::StepRows steps_;
  bool was_over_;  // before the page was opened
  std::string data_;
  std::int64_t version_ = 0;  // of the data; 0 once the run is over
  std::size_t frames_ = 0;    // number in it
  Clock::time_point next_{};  // nothing is made before this time
  std::optional<Clock::time_point> ended_;
  int pages_ = 0, ended_shown_ = 0;  // opened pages; pages that got the end
};

/// The trajectory when it has a frame, which a run writes at its beginning.
io::TrajectoryReader first_frame(const io::RunFolder& folder) {
  for (;;) {
    const bool last = interrupt_requested() || fs::exists(folder.summary());
    try {
      return open_trajectory(folder);
    } catch (const io::ReadError&) {
      if (last || !fs::exists(folder.trajectory())) throw;
    }
    std::this_thread::sleep_for(pause);
  }
}

/// In the user's default browser.
void open_in_browser(const std::string& address) {
  const char* const arguments[] = {"xdg-open", address.c_str(), nullptr};
  pid_t process = 0;
  if (posix_spawnp(&process, "xdg-open", nullptr, nullptr, const_cast<char**>(arguments), environ) != 0)
    spdlog::warn("the program xdg-open is missing (Debian: xdg-utils); open the address yourself");
}

int watch(const WatchOptions& options) {
  const io::RunFolder folder = find_run(options.folder);
  catch_interrupts();
  LivePage page(folder, first_frame(folder));
  std::optional<io::PageServer> server;
  try {
    server.emplace(options.port, [&](const std::string& target) { return page.answer(target); });
  } catch (const std::system_error& error) {
    throw CLI::ValidationError("--port", fmt::format("cannot be used ({}; value {}); 0 takes any free port",
                                                     error.code().message(), options.port));
  }
  show(fmt::format("{}, on this machine only: {}\n", folder.path.string(), server->address()));
  if (options.open) open_in_browser(server->address());
  server->serve_until([&] { return interrupt_requested() || page.is_done(); });
  return exit_ok;
}

}  // namespace

void add_watch(CLI::App& app, std::function<int()>& action) {
  const auto options = std::make_shared<WatchOptions>();
  CLI::App* command =
      app.add_subcommand("watch", "Show a run in a browser on this machine while it is running");
  add_run_folder(*command, options->folder);
  command->add_option("--port", options->port, "Port of the page; 0: any free port")
      ->check(whole_number_in({.low = 0.0, .high = 65535.0}))
      ->capture_default_str();
  command->add_flag("--open", options->open, "Open the page in the default browser (xdg-open)");
  command->callback([options, &action] { action = [options] { return watch(*options); }; });
}

}  // namespace scree
