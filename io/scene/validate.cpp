#include "io/scene/validate.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>

#include "io/files/csv_file.h"
#include "io/scene/faults.h"
#include "io/scene/foreign_names.h"
#include "io/scene/keys.h"

namespace scree::io {

namespace {

class Validator {
 public:
  explicit Validator(std::vector<Fault>& faults) : faults_(faults) {}

  void section(Node& node, std::string_view name, const std::string& path) {
    const std::size_t before = faults_.size();
    const std::string form = form_of(node, name);
    for (Node& item : node.items) {
      if (faults_.size() >= most_faults) {
        item.faulty = true;
        continue;
      }
      const std::string item_path = path.empty() ? item.key : path + '.' + item.key;
      if (section_info(name).free_keys) {
        parameter(item, item_path);
      } else if (const Key* key = find_key(name, item.key); key == nullptr) {
        unknown(item, name, item_path);
        node.has_foreign_keys = node.has_foreign_keys || !foreign_key_advice(name, item.key).empty();
      } else if (!key->forms.empty() && !form.empty() && !has_word(key->forms, form)) {
        misplaced(item, *key, form, item_path);
      } else {
        value(item, *key, item_path);
      }
    }
    if (!node.has_foreign_keys) required(node, name, form, path);
    if (faults_.size() > before || has_faulty_item(node)) node.faulty = true;
  }

 private:
  void add(Node& node, const std::string& path, const std::string& problem, const Key* key = nullptr,
           const std::string& allowed = "", const std::string& suggestion = "") {
    node.faulty = true;
    Fault fault = fault_at(node, path, problem);
    if (key != nullptr && (node.is_number() || node.kind == NodeKind::list)) fault.unit = key->unit;
    fault.allowed = allowed;
    if (!suggestion.empty()) fault.suggestion = suggestion;
    const bool is_element = path.ends_with(']');
    if (key != nullptr && fault.suggestion.empty() && !is_element && is_of_wrong_type(node, *key))
      fault.suggestion = wrong_type_advice(*key);
    faults_.push_back(std::move(fault));
  }

  /// False for a number that is out of range.
  static bool is_of_wrong_type(const Node& node, const Key& key) {
    const bool wants_number = key.type == ValueType::number || key.type == ValueType::integer;
    return !(wants_number && node.is_number());
  }

  void parameter(Node& node, const std::string& path) {
    if (node.faulty) return;
    const std::string name = path.substr(path.rfind('.') + 1);
    if (name == "pi" || name == "degree") {
      add(node, path, "is a constant of expressions", nullptr, "", "choose another name");
    } else if (node.kind == NodeKind::list || node.kind == NodeKind::table) {
      const Key* const top = find_key("", name);
      add(node, path, "must be a number, a text, true or false", nullptr, "",
          top == nullptr
              ? ""
              : fmt::format("below [parameters] it is a parameter: move it above the first heading{}",
                            top->type == ValueType::tables ? fmt::format(", or write [[{}]]", name) : ""));
    } else if (node.kind == NodeKind::number && !std::isfinite(node.number)) {
      add(node, path, "must be finite");
    }
  }

  void unknown(Node& item, std::string_view name, const std::string& path) {
    item.faulty = true;
    Fault fault;
    fault.where = item.key_where;
    fault.key_path = path;
    fault.problem = "unknown key";
    fault.suggestion = advice_on(name, item.key);
    faults_.push_back(std::move(fault));
  }

  /// Suggests a replacement for an unknown key.
  static std::string advice_on(std::string_view section, const std::string& key) {
    if (const std::string_view now = renamed_key(section, key); !now.empty())
      return fmt::format("it is called '{}' now", now);
    if (const std::string_view advice = foreign_key_advice(section, key); !advice.empty())
      return std::string(advice);
    const bool is_top = section.empty();
    if (!is_top && find_key("", key) != nullptr)
      return fmt::format(
          "'{}' belongs at the top of the file, before the first heading: below {} it belongs to that "
          "heading",
          key, section_info(section).heading);
    if (const std::string near = did_you_mean(key, key_names(section)); !near.empty()) return near;
    for (const char* other : {"materials", "bodies", "boundaries", "inlets", "parts", "solver", "output"})
      if (section != other && find_key(other, key) != nullptr)
        return fmt::format("'{}' belongs in {}", key, section_info(other).heading);
    return "";
  }

  void misplaced(Node& item, const Key& key, const std::string& form, const std::string& path) {
    item.faulty = true;
    Fault fault;
    fault.where = item.key_where;
    fault.key_path = path;
    std::string others;
    for (const std::string& word : split_words(key.forms)) others += (others.empty() ? "" : " or ") + word;
    fault.problem =
        fmt::format("cannot be used in the form '{}' of {}", form, section_info(key.section).heading);
    fault.suggestion = fmt::format("it can be used in the form {}", others);
    faults_.push_back(std::move(fault));
  }

  void required(const Node& node, std::string_view name, const std::string& form, const std::string& path) {
    for (const Key& key : keys()) {
      const Node* const given = node.find(key.name);
      const bool is_there = given != nullptr && !(key.type == ValueType::tables &&
                                                  given->kind == NodeKind::list && given->items.empty());
      if (key.section != name || !key.required || is_there) continue;
      if (!key.forms.empty() && !has_word(key.forms, form)) continue;
      Fault fault;
      fault.where = node.where;
      fault.key_path = path.empty() ? std::string(key.name) : fmt::format("{}.{}", path, key.name);
      fault.problem = "is missing";
      fault.unit = key.unit;
      fault.allowed = key.type == ValueType::word ? listed(key.words) : to_string(key.range);
      faults_.push_back(std::move(fault));
    }
  }

  /// Names stand in tables, one row a line.
  static bool is_control(char c) { return std::iscntrl(static_cast<unsigned char>(c)) != 0; }

  void value(Node& node, const Key& key, const std::string& path) {
    if (node.faulty) return;
    const std::size_t before = faults_.size();
    switch (key.type) {
      case ValueType::text:
        if (node.kind != NodeKind::text)
          add(node, path, "must be a text in quotes", &key);
        else if (key.name == "name" && std::ranges::any_of(node.text, is_control))
          add(node, path, "must not contain line breaks or other control characters");
        break;
      case ValueType::word:
        word(node, key, path);
        break;
      case ValueType::words:
        words(node, key, path);
        break;
      case ValueType::boolean:
        if (node.kind != NodeKind::boolean) add(node, path, "must be true or false", &key);
        break;
      case ValueType::number:
      case ValueType::integer:
        number(node, key, path);
        break;
      case ValueType::vector:
        vector(node, key, path);
        break;
      case ValueType::orientation:
        orientation(node, key, path);
        break;
      case ValueType::names:
        names(node, key, path);
        break;
      case ValueType::numbers:
        numbers(node, key, path);
        break;
      case ValueType::profile:
        profile(node, key, path);
        break;
      case ValueType::functions:
        functions(node, key, path);
        break;
      case ValueType::table:
        if (node.kind == NodeKind::table) {
          section(node, key.name, path);
        } else {
          const std::string_view advice = wrong_type_advice(key);
          add(node, path, "must be a table", nullptr, "",
              advice.empty() ? fmt::format("write {}", section_info(key.name).heading) : std::string(advice));
        }
        break;
      case ValueType::tables:
        tables(node, key, path);
        break;
    }
    if (faults_.size() > before || has_faulty_item(node)) node.faulty = true;
  }

  /// True also if an expression could not be computed; this was already reported.
  static bool has_faulty_item(const Node& node) {
    return std::any_of(node.items.begin(), node.items.end(), [](const Node& item) { return item.faulty; });
  }

  static std::string listed(std::string_view words) {
    std::string list;
    for (const std::string& word : split_words(words))
      list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", word);
    return list;
  }

  void word(Node& node, const Key& key, const std::string& path) {
    if (node.kind == NodeKind::text && has_word(key.words, node.text)) return;
    const std::vector<std::string> known = split_words(key.words);
    std::string suggestion;
    if (node.kind == NodeKind::text) {
      const std::string_view now = renamed_word(key, node.text);
      const std::string_view advice = foreign_word_advice(key, node.text);
      suggestion = !now.empty()      ? fmt::format("it is called \"{}\" now", now)
                   : !advice.empty() ? std::string(advice)
                                     : did_you_mean(node.text, known);
    }
    add(node, path, "is not a known word", nullptr, listed(key.words), suggestion);
  }

  void words(Node& node, const Key& key, const std::string& path) {
    if (node.kind != NodeKind::list) {
      add(node, path, key.words.empty() ? "must be a list of texts" : "must be a list of words", nullptr,
          listed(key.words));
      return;
    }
    if (key.words.empty()) {
      if (node.items.empty()) add(node, path, "is empty");
      for (std::size_t i = 0; i < node.items.size(); ++i)
        if (node.items[i].kind != NodeKind::text)
          add(node.items[i], fmt::format("{}[{}]", path, i), "must be a text");
      return;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i)
      word(node.items[i], key, fmt::format("{}[{}]", path, i));
  }

  void number(Node& node, const Key& key, const std::string& path) {
    if (node.faulty || (node.kind == NodeKind::text && has_word(key.words, node.text))) return;
    std::string allowed = to_string(key.range);
    if (!key.words.empty()) allowed += " or " + listed(key.words);
    if (!node.is_number() && !key.words.empty()) {
      add(node, path, "must be a number or a word", &key, allowed,
          node.kind == NodeKind::text ? did_you_mean(node.text, split_words(key.words)) : "");
    } else if (!node.is_number()) {
      add(node, path, key.type == ValueType::integer ? "must be a whole number" : "must be a number", &key,
          allowed, unquoted(node));
    } else if (!std::isfinite(node.number)) {
      add(node, path, "must be finite", &key, allowed);
    } else if (key.type == ValueType::integer && node.number != std::floor(node.number)) {
      add(node, path, "must be a whole number", &key, allowed);
    } else if (!key.range.holds(node.number)) {
      add(node, path, "is out of range", &key, allowed);
    }
  }

  /// Suggestion for a number in quotes.
  static std::string unquoted(const Node& node) {
    if (node.kind != NodeKind::text || !std::isfinite(csv_number(node.text))) return "";
    return fmt::format("write {} without quotes", node.text);
  }

  void vector(Node& node, const Key& key, const std::string& path) {
    if (node.kind != NodeKind::list || node.items.size() != 3) {
      add(node, path, "must be three numbers [x, y, z]", &key, to_string(key.range));
      return;
    }
    for (std::size_t i = 0; i < 3; ++i) number(node.items[i], key, fmt::format("{}[{}]", path, i));
  }

  void orientation(Node& node, const Key& key, const std::string& path) {
    if (node.kind == NodeKind::text) {
      word(node, key, path);
      return;
    }
    if (node.kind == NodeKind::table) {
      const std::size_t faults = faults_.size();
      section(node, "orientation", path);
      if (faults_.size() == faults) rotation(node, path);
      return;
    }
    if (node.kind != NodeKind::list || node.items.size() != 4) {
      const bool three = node.kind == NodeKind::list && node.items.size() == 3;
      add(node, path, "must be a unit quaternion [w, x, y, z], a table or a word", nullptr,
          listed(key.words) + ", {axis = [x, y, z], angle = degrees} or {euler = [a, b, c]}",
          three ? "for Euler angles in degrees write " + std::string(key.name) +
                      " = {euler = " + written(node) + "}"
                : "");
      return;
    }
    const std::size_t before = faults_.size();
    double norm2 = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      number(node.items[i], key, fmt::format("{}[{}]", path, i));
      norm2 += node.items[i].number * node.items[i].number;
    }
    if (faults_.size() == before && std::abs(std::sqrt(norm2) - 1.0) > quaternion_norm_tolerance) {
      add(node, path, fmt::format("is not a unit quaternion: its norm is {:.6g}", std::sqrt(norm2)), nullptr,
          fmt::format("norm 1 within {}", quaternion_norm_tolerance));
    }
  }

  /// Checks the keys of a rotation together.
  void rotation(Node& node, const std::string& path) {
    const Node *axis = node.find("axis"), *angle = node.find("angle"), *euler = node.find("euler"),
               *order = node.find("order");
    if ((axis != nullptr) == (euler != nullptr) || (axis != nullptr) != (angle != nullptr))
      add(node, path, "needs either axis and angle, or euler");
    else if (axis != nullptr &&
             std::ranges::all_of(axis->items, [](const Node& x) { return x.number == 0.0; }))
      add(*node.find("axis"), path + ".axis", "must not be zero");
    else if (order != nullptr && euler == nullptr)
      add(*node.find("order"), path + ".order", "has no effect without euler");
    else if (order != nullptr && !is_axis_order(order->text))
      add(*node.find("order"), path + ".order", "is not a valid order of axes", nullptr,
          "three letters of XYZ (the body's axes) or of xyz (the world's axes), without two equal letters in "
          "a row",
          "write, for example, \"XYZ\" or \"ZXZ\"");
  }

  static bool is_axis_order(const std::string& order) {
    const auto all_of = [&](std::string_view letters) {
      return std::ranges::all_of(order, [&](char c) { return letters.find(c) != std::string_view::npos; });
    };
    return order.size() == 3 && (all_of("xyz") || all_of("XYZ")) && order[0] != order[1] &&
           order[1] != order[2];
  }

  void names(Node& node, const Key& key, const std::string& path) {
    const bool two_texts = node.kind == NodeKind::list && node.items.size() == 2 &&
                           std::all_of(node.items.begin(), node.items.end(),
                                       [](const Node& item) { return item.kind == NodeKind::text; });
    if (!two_texts) add(node, path, "must be a list of two names", &key);
  }

  void numbers(Node& node, const Key& key, const std::string& path) {
    if (node.kind != NodeKind::list || node.items.empty()) {
      add(node, path, "must be a list of numbers", &key, to_string(key.range));
      return;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i)
      number(node.items[i], key, fmt::format("{}[{}]", path, i));
  }

  void profile(Node& node, const Key& key, const std::string& path) {
    if (node.kind != NodeKind::list || node.items.empty()) {
      add(node, path, "must be a list of corners [r, z]", &key);
      return;
    }
    Key height = key;
    height.range = {};
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      Node& corner = node.items[i];
      const std::string place = fmt::format("{}[{}]", path, i);
      if (corner.kind != NodeKind::list || corner.items.size() != 2) {
        add(corner, place, "must be two numbers [r, z]", &key);
        continue;
      }
      number(corner.items[0], key, place + "[0]");
      number(corner.items[1], height, place + "[1]");
      if (has_faulty_item(corner)) corner.faulty = true;
    }
  }

  void functions(Node& node, const Key& key, const std::string& path) {
    const bool right = node.kind == NodeKind::list && node.items.size() == 3 &&
                       std::all_of(node.items.begin(), node.items.end(), [](const Node& item) {
                         return item.kind == NodeKind::text || item.is_number();
                       });
    if (!right) add(node, path, "must be three expressions in quotes, or numbers", &key);
  }

  void tables(Node& node, const Key& key, const std::string& path) {
    const std::string_view foreign = wrong_type_advice(key);
    const std::string advice =
        foreign.empty() ? fmt::format("write {} above each of them", section_info(key.name).heading)
                        : std::string(foreign);
    if (node.kind != NodeKind::list) {
      add(node, path, "must be a list of tables", nullptr, "", advice);
      return;
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (faults_.size() >= most_faults) {
        node.items[i].faulty = true;
        continue;
      }
      const std::string item_path = fmt::format("{}[{}]", path, i);
      if (node.items[i].kind == NodeKind::table) {
        section(node.items[i], key.name, item_path);
      } else {
        add(node.items[i], item_path, "must be a table", nullptr, "", advice);
      }
    }
  }

  std::vector<Fault>& faults_;
};

}  // namespace

bool validate(Node& section, std::string_view name, const std::string& path, std::vector<Fault>& faults) {
  Validator(faults).section(section, name, path);
  return !section.faulty;
}

std::string form_of(const Node& section, std::string_view name) {
  const SectionInfo& info = section_info(name);
  if (info.chooser.empty()) return "";
  if (const Node* chooser = section.find(info.chooser)) {
    const bool known =
        chooser->kind == NodeKind::text && has_word(find_key(name, info.chooser)->words, chooser->text);
    return known ? chooser->text : "";
  }
  if (name == "parts") return "none";
  if (name != "bodies") return "";
  return section.find("table") != nullptr ? "table" : "single";
}

}  // namespace scree::io
