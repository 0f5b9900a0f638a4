// scree run --view: the page of a run of this process.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>

namespace scree {

/// `scree watch` for the run as a separate process, so that neither can damage or delay the other.
class WatchProcess {
 public:
  /// Prints the page's address. If there is no page, a message is printed, and the run continues.
  WatchProcess(std::filesystem::path folder, bool open);
  WatchProcess(const WatchProcess&) = delete;
  /// Waits until open pages show the end of the run, a few seconds at most.
  ~WatchProcess();

 private:
  std::filesystem::path folder_;
  pid_t process_ = -1;
};

}  // namespace scree
