// Numbers as consecutive bytes, for messages between processes.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace scree {

/// Types that std::memcpy may copy; also Eigen's matrices of fixed size, which only lack the trait.
template <class T>
void append(const T& value, std::vector<std::byte>& to) {
  const std::size_t before = to.size();
  to.resize(before + sizeof(T));
  std::memcpy(to.data() + before, static_cast<const void*>(&value), sizeof(T));
}
template <class T>
void append_list(std::span<const T> list, std::vector<std::byte>& to) {
  append(list.size(), to);
  const std::size_t before = to.size();
  to.resize(before + list.size() * sizeof(T));
  if (!list.empty())
    std::memcpy(to.data() + before, static_cast<const void*>(list.data()), list.size() * sizeof(T));
}

/// Reads values back in the order in which they were appended; it must not read more.
class BytesReader {
 public:
  explicit BytesReader(std::span<const std::byte> bytes) : left_(bytes) {}
  std::span<const std::byte> rest() const { return left_; }
  template <class T>
  T take() {
    T value;
    std::memcpy(static_cast<void*>(&value), left_.data(), sizeof(T));
    left_ = left_.subspan(sizeof(T));
    return value;
  }
  /// Appends the list that was written to `list`.
  template <class T>
  void take_list(std::vector<T>& list) {
    const auto n = take<std::size_t>(), before = list.size();
    list.resize(before + n);
    if (n > 0) std::memcpy(static_cast<void*>(list.data() + before), left_.data(), n * sizeof(T));
    left_ = left_.subspan(n * sizeof(T));
  }

 private:
  std::span<const std::byte> left_;
};

/// Appends the values that fill `bytes` to `list`.
template <class T>
void append_all(std::span<const std::byte> bytes, std::vector<T>& list) {
  const std::size_t before = list.size();
  list.resize(before + bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(static_cast<void*>(list.data() + before), bytes.data(), bytes.size());
}

}  // namespace scree
