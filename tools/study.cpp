#include "tools/study.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>
#include <vector>

#include "tools/exit_codes.h"

namespace scree {

namespace {

namespace fs = std::filesystem;

/// Where the Python package lies beside this program: in a build, or in a package of pip's; empty where
/// Python has to find it by itself.
fs::path package_folder(const fs::path& program) {
  for (const fs::path& folder : {program.parent_path() / "../python", program.parent_path() / "../.."})
    if (std::error_code error; fs::exists(folder / "scree" / "study.py", error))
      return fs::weakly_canonical(folder, error);
  return {};
}

/// The Python that has the package: the one that called this program, that of the build, or the first in
/// PATH.
std::string python(const fs::path& package) {
  if (const char* const named = std::getenv("SCREE_PYTHON"); named != nullptr && *named != '\0') return named;
#ifdef SCREE_PYTHON_PROGRAM
  if (std::error_code error; !package.empty() && fs::exists(SCREE_PYTHON_PROGRAM, error))
    return SCREE_PYTHON_PROGRAM;
#endif
  return "python3";
}

/// Becomes Python with the package's command; returns only if that fails. It is one process: a signal to it
/// is one to the study, which stops its runs.
int become_study(const std::string& name, const std::vector<std::string>& rest) {
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
      "from scree import study\n"
      "sys.exit(study.main(sys.argv[1:]))\n",
      name, static_cast<int>(exit_missing_program));
  std::vector<std::string> words{python(package), "-c", start, name};
  words.insert(words.end(), rest.begin(), rest.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  spdlog::error("cannot start {}: {}", words[0], std::strerror(errno));
  return exit_missing_program;
}

}  // namespace

void add_studies(CLI::App& app, std::function<int()>& action) {
  const auto add = [&](const char* name, const char* title) {
    CLI::App* command = app.add_subcommand(name, title);
    command->prefix_command();  // its options are Python's
    command->set_help_flag();
    command->callback([command, name, &action] {
      action = [words = command->remaining(), name] { return become_study(name, words); };
    });
  };
  add("sweep", "Run a scene over many parameters and seeds: one table, errors, figures (study.toml)");
  add("calibrate", "Find the parameters of a scene that give measured values, with uncertainty (study.toml)");
}

}  // namespace scree
