// The number of threads belongs to the process. Callers that step several simulations in parallel use this.
#pragma once

#include <shared_mutex>

namespace scree {

/// Sets the number of threads (0: all of the machine's) for its lifetime. Callers with the same number work
/// at the same time. A caller with another number waits until they have finished; later callers wait behind
/// it.
class SharedThreads {
 public:
  explicit SharedThreads(int count);
  SharedThreads(const SharedThreads&) = delete;
  SharedThreads& operator=(const SharedThreads&) = delete;

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

}  // namespace scree
