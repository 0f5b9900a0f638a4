#include "engine/core/shared_threads.h"

#include <mutex>

#include "engine/core/parallel.h"

namespace scree {

namespace {

struct InUse {
  std::mutex door;           // held while one caller waits for all others, so that no other one overtakes
  std::shared_mutex number;  // shared while loops run, exclusive to change it
  int count = -1;
};

InUse& in_use() {
  static InUse one;
  return one;
}

}  // namespace

SharedThreads::SharedThreads(int count) {
  InUse& now = in_use();
  const std::lock_guard door(now.door);
  if (now.count != count) {  // only the holder of `door` changes it
    const std::unique_lock alone(now.number);
    set_thread_count(count);
    now.count = count;
  }
  lock_ = std::shared_lock(now.number);
}

}  // namespace scree
