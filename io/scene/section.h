// A validated section, read by key: absent or faulty keys have their defaults.
#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/types.h"
#include "io/scene/document.h"

namespace scree::io {

class Section {
 public:
  /// `node` may be null: then all keys have their defaults.
  Section(const Node* node, std::string_view name, std::string path)
      : node_(node), name_(name), path_(std::move(path)) {}

  bool has(std::string_view key) const;  // given, and not faulty
  /// Preconditions for all: the key is in the table of keys with that type, and it is given or has a default.
  double number(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  bool boolean(std::string_view key) const;
  std::string text(std::string_view key) const;  // also for words
  Vec3 vector(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;  // for words and names
  std::vector<double> numbers(std::string_view key) const;
  std::vector<Vec2> profile(std::string_view key) const;
  Section child(std::string_view key) const;

  const Node* node() const { return node_; }
  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + '.' + std::string(key);
  }
  const Node& given(std::string_view key) const;  // precondition: has(key)

 private:
  Node value(std::string_view key) const;
  const Node* node_;
  std::string name_;
  std::string path_;
};

/// Precondition: a list of three numbers.
Vec3 to_vector(const Node& node);

}  // namespace scree::io
