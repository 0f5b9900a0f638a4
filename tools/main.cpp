// scree: granular contact dynamics. One program, with one file per subcommand.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <malloc.h>
#include <new>
#include <poll.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include "engine/core/errors.h"
#include "io/files/file_errors.h"
#include "io/files/machine_room.h"
#include "io/files/vtk_file.h"
#include "io/results/provenance.h"
#include "io/results/trajectory.h"
#include "tools/bench.h"
#include "tools/check.h"
#include "tools/command_line.h"
#include "tools/compare.h"
#include "tools/exit_codes.h"
#include "tools/explain.h"
#include "tools/export.h"
#include "tools/fields.h"
#include "tools/fmu.h"
#include "tools/interrupt.h"
#include "tools/manual.h"
#include "tools/measure.h"
#include "tools/mesh.h"
#include "tools/model.h"
#include "tools/new_scene.h"
#include "tools/paraview.h"
#include "tools/plot.h"
#include "tools/ranks.h"
#include "tools/render.h"
#include "tools/report_page.h"
#include "tools/run.h"
#include "tools/shape.h"
#include "tools/solve.h"
#include "tools/study.h"
#include "tools/verify.h"
#include "tools/watch.h"

namespace {

/// No file may get the number of a closed standard descriptor: output would go into it.
void fill_standard_descriptors() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF)
      static_cast<void>(open("/dev/null", O_RDWR));  // the lowest free number: this one
  }
}

/// Freed memory stays with the process, because the next step needs it again: to fetch pages anew took a
/// sixth of the time of steps of half a million bodies (docs/performance.md, large scenes).
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

/// Files that a command has open at a time, with reserve: a dozen tables, the trajectory and its journal,
/// pipes to other processes and their libraries.
constexpr int needed_descriptors = 48;

/// If a process may open too few files, failures occur at varying places and look like damage.
bool has_descriptors() {
  const int left = scree::io::free_descriptors(needed_descriptors);
  if (left >= needed_descriptors) return true;
  spdlog::error(
      "too few file descriptors: this process may open {} more, but needs {}; `ulimit -n` shows the limit, "
      "and `ulimit -n 256` sets it",
      left, needed_descriptors);
  return false;
}

/// Was output lost there, e.g. on a full disk? A reader that has closed the pipe does not count.
bool has_lost_output(std::FILE* stream) {
  if (std::fflush(stream) == 0 && std::ferror(stream) == 0) return false;
  pollfd end{fileno(stream), POLLOUT, 0};
  return poll(&end, 1, 0) != 1 || (end.revents & (POLLERR | POLLHUP)) == 0;
}

/// The status of a command; if it is good, but output was lost, the status for that.
int status_with_output(int status) {
  std::cout.flush();
  const bool out = has_lost_output(stdout), errors = has_lost_output(stderr);
  if (!out && !errors) return status;
  spdlog::error("the output could not be written; is the disk full?");
  return status == scree::exit_ok ? scree::exit_cannot_write : status;
}

void log_to_stderr() {
  auto logger = spdlog::stderr_color_mt("scree");
  logger->set_pattern("%^%l:%$ %v");
  spdlog::set_default_logger(logger);
}

/// Is it a lack of memory: an allocation failed, exceeded the address space, or a thread found no
/// space for its stack, for which oneTBB has only an error text.
bool is_want_of_memory(const std::exception& error) {
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  return dynamic_cast<const std::bad_alloc*>(&error) || dynamic_cast<const std::length_error*>(&error) ||
         std::string_view(error.what()).starts_with("pthread_create") ||
         (system && (system->code() == std::errc::resource_unavailable_try_again ||
                     system->code() == std::errc::not_enough_memory));
}

std::string fault_text(const std::exception& error) {
  if (!is_want_of_memory(error)) return fmt::format("internal error: {}", error.what());
  return fmt::format(
      "not enough memory: this process has {}; `scree check` prints how much a scene needs, and fewer "
      "bodies, frames or threads (--threads) need less",
      scree::io::bytes_text(scree::io::memory_bytes()));
}

int fault_status(const std::exception& error) {
  return is_want_of_memory(error) ? scree::exit_does_not_fit : scree::exit_internal_error;
}

/// Runs the action of the command line; here each error becomes a message and an exit status.
int run_action(const std::function<int()>& action) {
  try {
    return action();
  } catch (const scree::InputError& error) {
    for (const scree::Fault& fault : error.faults()) spdlog::error("{}", to_string(fault));
    return scree::exit_bad_scene;
  } catch (const scree::io::WriteError& error) {
    spdlog::error("{}", error.what());
    return scree::exit_cannot_write;
  } catch (const scree::io::ReadError& error) {
    spdlog::error("{}", error.what());
    return scree::exit_cannot_read;
  } catch (const scree::io::VtkMissing& error) {
    spdlog::error("{}", error.what());
    return scree::exit_left_out;
  } catch (const CLI::ValidationError& error) {  // an error of the command line that only the results show
    spdlog::error("{}", error.what());
    return scree::exit_usage;
  } catch (const std::filesystem::filesystem_error& error) {  // e.g. a name that no file can have
    spdlog::error("{}: {}", error.path1().string(), error.code().message());
    return scree::exit_cannot_read;
  } catch (const std::exception& error) {
    spdlog::error("{}", fault_text(error));
    return fault_status(error);
  }
}

/// An uncaught exception, in another thread or where none may leave, ends the program with a message like any
/// other. There may be no memory for the message.
[[noreturn]] void end_in_words() {
  const auto say = [](std::string_view text) {
    static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
  };
  if (const std::exception_ptr fault = std::current_exception()) {
    try {
      std::rethrow_exception(fault);
    } catch (const std::exception& error) {
      say("error: ");
      say(is_want_of_memory(error) ? "not enough memory" : error.what());
      say("\n");
      std::_Exit(fault_status(error));
    } catch (...) {
    }
  }
  std::abort();
}

/// Reads the command line and runs its command.
int program(int argc, char** argv) {
  CLI::App app("Scree: granular contact dynamics of smooth bodies", "scree");
  app.set_version_flag("-V,--version", "scree " + scree::io::scree_version());
  app.formatter(scree::help_formatter());
  app.require_subcommand(0, 1);
  std::function<int()> action;
  scree::add_help(app, action);
  scree::add_new(app, action);
  scree::add_run(app, action);
  scree::add_check(app, action);
  scree::add_explain(app, action);
  scree::add_shape(app, action);
  scree::add_mesh(app, action);
  scree::add_model(app, action);
  scree::add_solve(app, action);
  scree::add_bench(app, action);
  scree::add_paraview(app, action);
  scree::add_render(app, action);
  scree::add_report(app, action);
  scree::add_watch(app, action);
  scree::add_export(app, action);
  scree::add_fields(app, action);
  scree::add_measure(app, action);
  scree::add_plot(app, action);
  scree::add_studies(app, action);
  scree::add_compare(app, action);
  scree::add_fmu(app, action);
  scree::add_verify(app, action);
  scree::add_manual(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help, --version
    app.exit(asked);
    return scree::exit_ok;
  } catch (const CLI::ParseError& error) {
    spdlog::error("{}", scree::usage_fault(app, error));
    return scree::exit_usage;
  }
  if (!action) {  // no command was given
    std::cerr << app.help();
    return scree::exit_usage;
  }
  if (!has_descriptors()) return scree::exit_does_not_fit;
  return action();
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  keep_freed_memory();
  log_to_stderr();
  std::set_terminate(end_in_words);
  scree::ignore_write_signals();
  scree::io::leave_out_hdf5_exit_handler();
  const int status = status_with_output(run_action([=] { return program(argc, argv); }));
  scree::leave_ranks(status);
  return status;
}
