#include "engine/modules/equations/compiled.h"

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace scree::equations {

namespace {

namespace fs = std::filesystem;

/// A private folder, removed with the object.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::error_code none;
    const fs::path base = fs::temp_directory_path(none);
    std::string name = (none ? fs::path("/tmp") : base) / "scree-model-XXXXXX";
    if (mkdtemp(name.data())) path_ = name;
  }
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Exit status of a program that is run without output; -1 if it cannot be started. No shell is used.
int run_quietly(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error = posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

std::shared_ptr<const CompiledPrograms> CompiledPrograms::compile(std::span<const Program* const> programs,
                                                                  std::string& why) {
  const auto start = std::chrono::steady_clock::now();
  const PrivateFolder folder;
  if (folder.path().empty()) {
    why = "there is no folder for temporary files";
    return nullptr;
  }
  const std::string source = folder.path() / "step.cpp", library = folder.path() / "step.so";
  {
    std::ofstream text(source);
    text << cpp_preamble();
    for (std::size_t k = 0; k < programs.size(); ++k)
      text << programs[k]->to_cpp("program_" + std::to_string(k));
    if (!text.flush()) {
      why = "the code cannot be written to " + source;
      return nullptr;
    }
  }
  const char* named = std::getenv("CXX");
  const std::string compiler = named && *named ? named : "c++";
  const int status = run_quietly({compiler, "-O2", "-std=c++17", "-ffp-contract=off", "-fno-math-errno",
                                  "-shared", "-fPIC", "-w", "-o", library, source});
  if (status != 0) {
    why = status < 0 ? "there is no compiler '" + compiler + "'" : "the compiler '" + compiler + "' failed";
    return nullptr;
  }
  std::shared_ptr<CompiledPrograms> made(new CompiledPrograms);
  made->library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!made->library_) {
    why = dlerror();
    return nullptr;
  }
  for (std::size_t k = 0; k < programs.size(); ++k) {
    void* const found = dlsym(made->library_, ("program_" + std::to_string(k)).c_str());
    if (!found) {
      why = "the compiled code lacks a function";
      return nullptr;
    }
    made->functions_.push_back(reinterpret_cast<Function>(found));
  }
  made->seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return made;
}

CompiledPrograms::~CompiledPrograms() {
  if (library_) dlclose(library_);
}

}  // namespace scree::equations
