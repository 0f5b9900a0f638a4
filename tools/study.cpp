#include "tools/study.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <spdlog/spdlog.h>
#include <unistd.h>
#include <vector>

#include "tools/command_line.h"
#include "tools/exit_codes.h"

namespace scree {

namespace {

namespace fs = std::filesystem;

constexpr io::Range counts{.low = 1.0, .high = 4096.0};

/// The folder of the Python package beside this program: in a build, or in a package of pip's; empty if
/// Python must find it itself.
fs::path package_folder(const fs::path& program) {
  for (const fs::path& folder : {program.parent_path() / "../python", program.parent_path() / "../.."})
    if (std::error_code error; fs::exists(folder / "scree" / "study.py", error))
      return fs::weakly_canonical(folder, error);
  return {};
}

/// The Python that has the package: the one that started this program, that of the build, or the first in
/// PATH.
std::string python([[maybe_unused]] const fs::path& package) {
  if (const char* const named = std::getenv("SCREE_PYTHON"); named != nullptr && *named != '\0') return named;
#ifdef SCREE_PYTHON_PROGRAM
  if (std::error_code error; !package.empty() && fs::exists(SCREE_PYTHON_PROGRAM, error))
    return SCREE_PYTHON_PROGRAM;
#endif
  return "python3";
}

/// Replaces this process by Python with a module of the package, whose main() gets the words; returns only if
/// that fails. It is the same process: a signal to it is one to the study, which stops its runs.
int become_python(const std::string& name, const char* module, const std::vector<std::string>& rest) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path package = package_folder(program);
  if (!package.empty()) {
    const char* const before = std::getenv("PYTHONPATH");
    const std::string path =
        package.string() + (before != nullptr && *before != '\0' ? std::string(":") + before : "");
    setenv("PYTHONPATH", path.c_str(), 1);
  }
  if (std::getenv("SCREE_PROGRAM") == nullptr && !error) setenv("SCREE_PROGRAM", program.c_str(), 1);
  const std::string start = fmt::format(
      "import importlib.util as u, sys\n"
      "if u.find_spec('scree') is None:\n"
      "  print('error: `scree {}` needs Python with the package scree: `./scree python` builds it, `pip "
      "install .` or '\n"
      "        'the Debian package python3-scree install it (docs/python.md)', file=sys.stderr)\n"
      "  sys.exit({})\n"
      "from scree import {} as command\n"
      "sys.exit(command.main(sys.argv[1:]))\n",
      name, static_cast<int>(exit_missing_program), module);
  std::vector<std::string> words{python(package), "-c", start};
  words.insert(words.end(), rest.begin(), rest.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  spdlog::error("cannot start {}: {}", words[0], std::strerror(errno));
  return exit_missing_program;
}

/// The words of a parsed command line, for Python to parse again.
std::vector<std::string> words_of(const CLI::App& command) {
  std::vector<std::string> options, places;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    if (option->get_positional()) {
      for (const std::string& word : option->results()) places.push_back(word);
    } else if (option->get_expected_max() == 0) {
      options.push_back(option->get_name());
    } else {
      for (const std::string& word : option->results())
        options.insert(options.end(), {option->get_name(), word});
    }
  }
  options.insert(options.end(), places.begin(), places.end());
  return options;
}

/// Common options of both kinds of commands.
void add_common(CLI::App& command, const std::string& folder) {
  command.add_option("--folder", folder)->type_name("FOLDER")->expected(1);
  command.add_option("--workers", "Number of runs at the same time")
      ->type_name("N")
      ->check(whole_number_in(counts))
      ->expected(1);
  command.add_flag("--retry")->description("Repeat runs that failed");
  command.add_flag("-q,--quiet")->description("Print only warnings and errors");
}

void add_study(CLI::App& command, const std::string& figure) {
  command.add_option("study", "Study file (docs/studies.md)")
      ->type_name("STUDY.toml")
      ->required()
      ->expected(1);
  add_common(command, "Folder for runs and tables (default: `folder` of the study file, or results/NAME)");
  command.add_option("-o,--output")
      ->description("File of the figure (default: " + figure + " in the folder)")
      ->type_name("FILE")
      ->expected(1);
  command.add_option("--threads", "Number of threads of each run (default: that of the study file)")
      ->type_name("N")
      ->check(whole_number_in(counts))
      ->expected(1);
  command.add_flag("--dry-run")->description("Only list the runs");
}

}  // namespace

void add_studies(CLI::App& app, std::function<int()>& action) {
  struct Lists {
    std::vector<std::string> cases, settings;
  };
  const auto lists = std::make_shared<Lists>();  // the parser fills them later
  const auto add = [&](const char* name, const char* module, const char* title, bool is_named) {
    CLI::App* command = app.add_subcommand(name, title);
    command->callback([=, kept = lists, &action] {
      std::vector<std::string> words = words_of(*command);
      if (is_named) words.insert(words.begin(), name);
      action = [=] { return become_python(name, module, words); };
    });
    return command;
  };
  CLI::App* const sweep = add("sweep", "study",
                              "Run a scene with many values of its parameters and seeds; write a table with "
                              "standard errors, and figures",
                              true);
  add_study(*sweep, "figures.png");
  sweep->add_option("--task", "Number of the only run to execute, from 0, for a task of a Slurm array")
      ->type_name("N")
      ->expected(1);
  sweep->add_flag("--tasks")->description("Print the number of runs");
  sweep->add_flag("--gather")
      ->description(
          "Write the tables and the figure from the runs which already "
          "exist");
  sweep->add_flag("--print-slurm")->description("Print a script for sbatch, with one task for each run");
  add_study(*add("calibrate", "study",
                 "Fit parameters so that runs reproduce measured values, with uncertainties", true),
            "calibration.png");
  CLI::App* const validate = add(
      "validate", "validation", "Compare results with published experiments and analytical solutions", false);
  validate->add_option("cases", lists->cases, "Names of cases (default: all)")->type_name("CASE");
  validate->add_flag("--full")->description(
      "Run the full form, which is larger and has more seeds, and "
      "write validation.md");
  validate->add_flag("--list")->description("Only list the cases");
  add_common(*validate, "Folder for runs and results (default: results/validation)");
  validate->add_option("--library", "Folder of the cases")->type_name("FOLDER")->expected(1);
  validate
      ->add_option("--set", lists->settings,
                   "Setting of all scenes to override, to see its effect on the results; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  validate->add_flag("--page")->description("Write validation.md also for the short form");
}

}  // namespace scree
