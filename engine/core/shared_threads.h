// The number of threads is the process's. Who steps several simulations at the same time asks here.
#pragma once

#include <shared_mutex>

namespace scree {

/// Sets the number of threads (0: all of the machine's) for as long as it lives. Those who want the same
/// number work side by side; who wants another waits until they are done, and nobody is let in before it.
class SharedThreads {
 public:
  explicit SharedThreads(int count);
  SharedThreads(const SharedThreads&) = delete;
  SharedThreads& operator=(const SharedThreads&) = delete;

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

}  // namespace scree
