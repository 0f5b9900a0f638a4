#include "io/scene/document.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <toml++/toml.h>

#include "io/scene/faults.h"
#include "io/scene/foreign_names.h"
#include "io/scene/keys.h"

namespace scree::io {

namespace {

SourceLocation location(const toml::source_region& region, const std::string& file) {
  return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

void convert_scalar(const toml::node& from, Node& to) {
  if (const auto* boolean = from.as_boolean()) {
    to.kind = NodeKind::boolean;
    to.boolean = boolean->get();
  } else if (const auto* integer = from.as_integer()) {
    to.kind = NodeKind::integer;
    to.integer = integer->get();
    to.number = static_cast<double>(to.integer);
  } else if (const auto* number = from.as_floating_point()) {
    to.kind = NodeKind::number;
    to.number = number->get();
  } else {  // texts; also dates and times, which no key accepts: the check of the key's type rejects their
            // text
    to.kind = NodeKind::text;
    to.text = from.value<std::string>().value_or("date or time");
  }
}

Node convert(const toml::node& from, const std::string& file) {
  Node to;
  to.where = location(from.source(), file);
  if (const toml::table* table = from.as_table()) {
    to.kind = NodeKind::table;
    for (const auto& [key, value] : *table) {
      Node item = convert(value, file);
      item.key = std::string(key.str());
      item.key_where = location(key.source(), file);
      if (item.where.line == 0) item.where = item.key_where;
      to.items.push_back(std::move(item));
    }
    std::stable_sort(to.items.begin(), to.items.end(), [](const Node& a, const Node& b) {
      return std::pair(a.key_where.line, a.key_where.column) <
             std::pair(b.key_where.line, b.key_where.column);
    });
  } else if (const toml::array* array = from.as_array()) {
    to.kind = NodeKind::list;
    for (const toml::node& element : *array) to.items.push_back(convert(element, file));
  } else {
    convert_scalar(from, to);
  }
  return to;
}

/// One step of a key path: a name, or an index if the name is empty.
struct PathStep {
  std::string name;
  std::size_t index = 0;
};

constexpr std::size_t most_path_steps = 16;

/// "bodies[2].position" -> bodies, 2, position. Empty if the text is not a path.
std::vector<PathStep> split_path(std::string_view path) {
  std::vector<PathStep> steps;
  while (!path.empty()) {
    if (path.front() == '[') {
      PathStep step;
      const auto [end, error] = std::from_chars(path.data() + 1, path.data() + path.size(), step.index);
      if (error != std::errc() || end == path.data() + path.size() || *end != ']') return {};
      path.remove_prefix(static_cast<std::size_t>(end - path.data()) + 1);
      steps.push_back(step);
    } else {
      if (!steps.empty()) {
        if (path.front() != '.') return {};
        path.remove_prefix(1);
      }
      const std::size_t length = std::min(path.find_first_of(".["), path.size());
      if (length == 0) return {};
      steps.push_back({std::string(path.substr(0, length)), 0});
      path.remove_prefix(length);
    }
  }
  return steps;
}

Node& entry(Node& table, const std::string& name, const SourceLocation& where) {
  if (Node* found = table.find(name)) return *found;
  Node item;
  item.key = name;
  item.key_where = item.where = where;
  table.items.push_back(std::move(item));
  return table.items.back();
}

/// A single word that is neither a parameter nor a key of the scene.
bool is_unknown_word(const Node& root, const std::string& name, const Fault& fault,
                     std::vector<Fault>& faults) {
  std::vector<std::string> words = key_names("");
  if (const Node* parameters = root.find("parameters")) {
    for (const Node& parameter : parameters->items) words.push_back(parameter.key);
  }
  if (std::find(words.begin(), words.end(), name) != words.end()) return false;
  faults.push_back(fault);
  faults.back().problem = "is neither a parameter nor a key of the scene";
  for (const char* section : {"materials", "bodies", "boundaries", "solver", "output", "checkpoints"}) {
    if (find_key(section, name) == nullptr) continue;
    const Node* const given = root.find(section);
    const bool is_list = given != nullptr && given->kind == NodeKind::list;
    faults.back().suggestion = fmt::format("write {}{}.{}", section, is_list ? "[0]" : "", name);
    return true;
  }
  faults.back().suggestion = did_you_mean(name, words);
  return true;
}

}  // namespace

const Node* Node::find(std::string_view name) const {
  for (const Node& item : items) {
    if (item.key == name) return &item;
  }
  return nullptr;
}

Node* Node::find(std::string_view name) { return const_cast<Node*>(std::as_const(*this).find(name)); }

std::string written(const Node& node) {
  std::string text;
  switch (node.kind) {
    case NodeKind::boolean:
      text = node.boolean ? "true" : "false";
      break;
    case NodeKind::integer:
      text = fmt::format("{}", node.integer);
      break;
    case NodeKind::number:
      text = fmt::format("{}", node.number);
      break;
    case NodeKind::text:
      text = '"' + node.text + '"';
      break;
    case NodeKind::table:
      text = "{...}";
      break;
    case NodeKind::list:
      for (const Node& item : node.items) text += (text.empty() ? "" : ", ") + written(item);
      text = '[' + text + ']';
      break;
  }
  return text;
}

namespace {

/// The TOML library and later code recurse once for each part of a key. The library itself limits the depth
/// of inline tables and lists.
constexpr int most_key_dots = 8;

/// Scans a text, skips strings and comments, and counts the dots of each key.
class KeyDots {
 public:
  explicit KeyDots(std::string_view text) : text_(text) {}

  /// Location of the first key with too many dots, if there is one.
  std::optional<SourceLocation> first_deep(const std::string& file) {
    int dots = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else {
        if (c == '.') {
          ++dots;
        } else if (std::string_view("\n=[]{},").find(c) != std::string_view::npos) {
          dots = 0;
        }
        if (dots > most_key_dots) return place(file);
        ++at_;
      }
    }
    return std::nullopt;
  }

 private:
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool long_one = text_.substr(at_).starts_with(three);
    at_ += long_one ? 3 : 1;
    for (; at_ < text_.size(); ++at_) {
      if (quote == '"' && text_[at_] == '\\') {
        ++at_;
      } else if (!long_one && (text_[at_] == quote || text_[at_] == '\n')) {
        ++at_;
        return;
      } else if (long_one && text_.substr(at_).starts_with(three)) {
        at_ += 3;
        while (at_ < text_.size() && text_[at_] == quote)
          ++at_;  // up to two quotes that belong to the string
        return;
      }
    }
  }

  SourceLocation place(const std::string& file) const {
    const std::string_view before = text_.substr(0, at_);
    const auto line = std::ranges::count(before, '\n');
    const std::size_t start = before.rfind('\n') + 1;  // 0 in the first line
    return {file, static_cast<int>(line) + 1, static_cast<int>(at_ - start) + 1};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Throws InputError if a key has too many dots.
toml::table parsed(const std::string& text, const std::string& file) {
  if (const std::optional<SourceLocation> deep = KeyDots(text).first_deep(file)) {
    Fault fault;
    fault.where = *deep;
    fault.problem = fmt::format("has a key with more than {} dots", most_key_dots);
    throw InputError({fault});
  }
  return toml::parse(text);
}

}  // namespace

Node parse_document(const std::string& text, const std::string& file) {
  try {
    return convert(parsed(text, file), file);
  } catch (const toml::parse_error& error) {
    Fault fault;
    fault.where = location(error.source(), file);
    fault.problem = "is not valid TOML: " + std::string(error.description());
    fault.suggestion = foreign_text_advice(text, fault.where.line);
    if (fault.suggestion.empty() && fault.problem.find("cannot redefine existing") != std::string::npos)
      fault.suggestion = "headings that may be repeated need two brackets each time: [[materials]]";
    if (fault.suggestion.empty() && fault.problem.find("control character") != std::string::npos)
      fault.suggestion = "is a closing quote missing?";
    throw InputError({fault});
  }
}

Node parse_value(const std::string& text, const SourceLocation& where) {
  Node node;
  try {
    const toml::table table = parsed("value = " + text + "\n", where.file);
    if (const toml::node* value = table.get("value"); value != nullptr && table.size() == 1) {
      node = convert(*value, where.file);
      for (Node& item : node.items) item.where = item.key_where = where;
      node.where = where;
      return node;
    }
  } catch (const toml::parse_error&) {  // a bare word is a text
  } catch (const InputError&) {         // perhaps a file path with many dots
  }
  node.kind = NodeKind::text;
  node.text = text;
  node.where = where;
  return node;
}

void apply_override(Node& root, const std::pair<std::string, std::string>& key_and_value,
                    std::vector<Fault>& faults) {
  const auto& [key, value] = key_and_value;
  Fault fault;
  fault.where.file = "--set " + key + '=' + value;
  fault.key_path = key;
  std::vector<PathStep> steps = split_path(key);
  if (steps.size() > most_path_steps) {
    fault.problem = fmt::format("is a key path with more than {} parts", most_path_steps);
    faults.push_back(fault);
    return;
  }
  if (steps.empty() || steps.front().name.empty()) {
    fault.problem = "is not a key path such as solver.max_sweeps or bodies[2].radius";
    faults.push_back(fault);
    return;
  }
  if (steps.size() == 1) {
    const Node* parameters = root.find("parameters");
    if (parameters != nullptr && parameters->find(key) != nullptr) {
      steps.insert(steps.begin(), PathStep{"parameters", 0});
    } else if (is_unknown_word(root, key, fault, faults)) {
      return;
    }
  }
  Node* target = &root;
  for (const PathStep& step : steps) {
    if (!step.name.empty()) {
      if (target->kind != NodeKind::table) {
        fault.problem = fmt::format(
            "'{}' is not in a table; write the number of an entry before it, for example [0]", step.name);
      } else {
        target = &entry(*target, step.name, fault.where);
        continue;
      }
    } else if (target->kind == NodeKind::list && step.index < target->items.size()) {
      target = &target->items[step.index];
      continue;
    } else {
      fault.problem = fmt::format("has no entry [{}]", step.index);
      if (target->kind == NodeKind::list) fault.allowed = fmt::format("0 to {}", target->items.size() - 1);
    }
    faults.push_back(fault);
    return;
  }
  Node replacement = parse_value(value, fault.where);
  replacement.key = target->key;
  replacement.key_where = fault.where;
  *target = std::move(replacement);
}

}  // namespace scree::io
