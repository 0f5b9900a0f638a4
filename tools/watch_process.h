// scree run --view: the page of a run that this process makes.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>

namespace scree {

/// `scree watch` of the run as a process of its own, so that neither can hurt or hold up the other.
class WatchProcess {
 public:
  /// Prints the page's address. That there is no page is told, and does not stop the run.
  WatchProcess(std::filesystem::path folder, bool open);
  WatchProcess(const WatchProcess&) = delete;
  /// Waits until open pages show the run's end, some seconds at most.
  ~WatchProcess();

 private:
  std::filesystem::path folder_;
  pid_t process_ = -1;
};

}  // namespace scree
