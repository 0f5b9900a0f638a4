#include "io/results/background_writer.h"

#include <chrono>

namespace scree::io {

namespace {
constexpr std::size_t most_waiting = 2;
constexpr std::chrono::milliseconds pause{100};
}  // namespace

BackgroundWriter::BackgroundWriter(std::function<void()> rest)
    : rest_(std::move(rest)), thread_([this] { work(); }) {}

BackgroundWriter::~BackgroundWriter() { stop_and_join(); }

void BackgroundWriter::push(Task write) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.size() < most_waiting || error_; });
  if (error_) std::rethrow_exception(error_);
  waiting_.push_back(std::move(write));
  changed_.notify_all();
}

void BackgroundWriter::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return (waiting_.empty() && !busy_) || error_; });
  rested_ = true;
  if (error_) std::rethrow_exception(error_);
}

void BackgroundWriter::finish() {
  stop_and_join();
  if (error_) std::rethrow_exception(error_);
}

void BackgroundWriter::stop_and_join() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BackgroundWriter::work() {
  while (true) {
    Task write;
    {
      std::unique_lock lock(mutex_);
      const auto wanted = [&] { return !waiting_.empty() || stopping_; };
      if (rested_)
        changed_.wait(lock, wanted);
      else
        changed_.wait_for(lock, pause, wanted);
      if (waiting_.empty() && stopping_) return;
      if (waiting_.empty() && rested_) continue;  // new data came during the pause
      rested_ = waiting_.empty();
      if (!rested_) {
        write = std::move(waiting_.front());
        waiting_.pop_front();
      }
      busy_ = true;
    }
    changed_.notify_all();
    std::exception_ptr error;
    try {
      if (write)
        write();
      else
        rest_();
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      busy_ = false;
      if (error) waiting_.clear();
      error_ = error;
    }
    changed_.notify_all();
    if (error) return;
  }
}

}  // namespace scree::io
