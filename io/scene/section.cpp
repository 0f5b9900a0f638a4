#include "io/scene/section.h"

#include "io/scene/keys.h"

namespace scree::io {

bool Section::has(std::string_view key) const {
  const Node* found = node_ == nullptr ? nullptr : node_->find(key);
  return found != nullptr && !found->faulty;
}

const Node& Section::given(std::string_view key) const {
  assert(has(key));
  return *node_->find(key);
}

Node Section::value(std::string_view key) const {
  if (has(key)) return given(key);
  const Key* entry = find_key(name_, key);
  assert(entry != nullptr && !entry->fallback.empty());
  return parse_value(std::string(entry->fallback), {});
}

double Section::number(std::string_view key) const { return value(key).number; }
std::int64_t Section::integer(std::string_view key) const {
  return static_cast<std::int64_t>(value(key).number);
}
bool Section::boolean(std::string_view key) const { return value(key).boolean; }
std::string Section::text(std::string_view key) const { return value(key).text; }
Vec3 Section::vector(std::string_view key) const { return to_vector(value(key)); }

std::vector<std::string> Section::texts(std::string_view key) const {
  std::vector<std::string> texts;
  for (const Node& item : value(key).items) texts.push_back(item.text);
  return texts;
}

std::vector<double> Section::numbers(std::string_view key) const {
  std::vector<double> numbers;
  for (const Node& item : value(key).items) numbers.push_back(item.number);
  return numbers;
}

std::vector<Vec2> Section::profile(std::string_view key) const {
  std::vector<Vec2> corners;
  for (const Node& item : value(key).items) corners.emplace_back(item.items[0].number, item.items[1].number);
  return corners;
}

Section Section::child(std::string_view key) const {
  return {has(key) ? node_->find(key) : nullptr, key, path_of(key)};
}

Vec3 to_vector(const Node& node) {
  return {node.items[0].number, node.items[1].number, node.items[2].number};
}

}  // namespace scree::io
