// Writes while the run continues.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace scree::io {

/// A thread that writes frames one after another, in order, and calls `rest` when no frame has come for a
/// tenth of a second. At most two frames wait: a run that makes frames faster than they can be written is
/// slowed down, so that memory does not fill up.
class BackgroundWriter {
 public:
  /// Writes a frame.
  using Task = std::function<void()>;

  explicit BackgroundWriter(std::function<void()> rest);
  ~BackgroundWriter();
  BackgroundWriter(const BackgroundWriter&) = delete;
  BackgroundWriter& operator=(const BackgroundWriter&) = delete;

  /// Throws the exception of an earlier frame's task; from then on frames are dropped.
  void push(Task write);
  /// Waits until all frames are written; until the next frame nothing is done in the background. Throws the
  /// exception of a task.
  void drain();
  /// Waits until all frames are written and ends the thread. Throws the exception of a task. May be called
  /// again.
  void finish();

 private:
  void work();
  void stop_and_join();

  std::function<void()> rest_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  bool stopping_ = false, busy_ = false, rested_ = true;
  std::exception_ptr error_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace scree::io
