#include "io/results/background_writer.h"

namespace scree::io {

namespace {
constexpr std::size_t most_waiting = 2;
}

BackgroundWriter::BackgroundWriter(std::function<void(const Frame&, bool)> write)
    : write_(std::move(write)), thread_([this] { work(); }) {}

BackgroundWriter::~BackgroundWriter() { stop_and_join(); }

void BackgroundWriter::push(Frame frame) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.size() < most_waiting || error_; });
  if (error_) std::rethrow_exception(error_);
  waiting_.push_back(std::move(frame));
  changed_.notify_all();
}

void BackgroundWriter::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return (waiting_.empty() && !writing_) || error_; });
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
    Frame frame;
    bool another = false;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !waiting_.empty() || stopping_; });
      if (waiting_.empty()) return;
      frame = std::move(waiting_.front());
      waiting_.pop_front();
      writing_ = true;
      another = !waiting_.empty();
    }
    changed_.notify_all();
    try {
      write_(frame, another);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      waiting_.clear();
      changed_.notify_all();
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      writing_ = false;
    }
    changed_.notify_all();
  }
}

}  // namespace scree::io
