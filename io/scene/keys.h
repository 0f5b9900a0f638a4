// The table of all keys of a scene file. Validation, defaults, the reference page and the JSON
// schema are all made from it.
#pragma once

#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scree::io {

enum class ValueType {
  text,
  word,   // one of `words`
  words,  // a list of any of `words`; of any texts if there are none
  boolean,
  number,  // or one of `words`, if there are any
  integer,
  vector,       // three numbers, each within `range`
  orientation,  // a unit quaternion [w, x, y, z], or one of `words`
  names,        // a list of two texts
  numbers,      // a list of numbers, each within `range`
  profile,      // a list of [r, z], each r within `range`
  functions,    // three expressions, or numbers
  table,        // a section of the same name
  tables        // a list of such sections
};

/// Allowed numbers. An open end is not itself allowed.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool holds(double x) const { return (low_open ? x > low : x >= low) && x <= high; }
};
std::string to_string(const Range& range);  // "> 0", "0 to 1", ">= 1"; empty if any number is allowed

struct Key {
  std::string_view section;  // "" is the top level
  std::string_view name;
  ValueType type = ValueType::text;
  std::string_view unit = {};      // "" is dimensionless
  std::string_view fallback = {};  // TOML text of the value if the key is absent; default_of() gives
                                   // those of settings
  bool required = false;           // in each of `forms`
  Range range = {};
  std::string_view words = {};  // "plane|box|tube"
  std::string_view forms = {};  // forms of the section with this key, "lattice|random"; "" is all
  std::string_view description = {};
};

/// A table of the file. If a section has several forms, its key `chooser` selects one.
struct SectionInfo {
  std::string_view name;
  std::string_view heading;  // in the file: "[solver]", "[[bodies]]"
  bool free_keys = false;    // its keys are names chosen by the user
  std::string_view chooser;
  std::string_view description;
};

std::span<const SectionInfo> sections();
std::span<const Key> keys();
const SectionInfo& section_info(std::string_view section);
const Key* find_key(std::string_view section, std::string_view name);  // null if there is none
std::vector<std::string> key_names(std::string_view section);
std::vector<std::string> split_words(std::string_view words);  // at '|'
bool has_word(std::string_view words, std::string_view word);
/// The new name of a renamed key of a section, or of a renamed word of a key; empty: it was not renamed.
std::string_view renamed_key(std::string_view section, std::string_view name);
std::string_view renamed_word(const Key& key, std::string_view word);

/// TOML text of a key's default; empty if there is none.
std::string default_of(const Key& key);

// Documents about scene files for users and editors: docs/scene_reference.md, and docs/scene.schema.json
// (JSON Schema draft 7), for completion and hints in editors that support TOML.
/// Files below docs/, by their paths there.
std::map<std::string, std::string> scene_reference();
std::string scene_schema();
/// For terminals: all keys of this name ("friction", or in one section "materials.friction"), and the section of
/// this name with its keys; empty if there is nothing.
std::string explanation(std::string_view name);

}  // namespace scree::io
