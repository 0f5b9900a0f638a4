// A scene file as a tree of values with their positions in the file. Only document.cpp uses the TOML
// library; all other code works on this tree.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/errors.h"

namespace scree::io {

enum class NodeKind { boolean, integer, number, text, list, table };

/// One value of the file. `items` has the elements of a list or the entries of a table, in the file's
/// order.
struct Node {
  NodeKind kind = NodeKind::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0.0;  // also set for an integer
  std::string text;
  std::vector<Node> items;
  std::string key;                // in a table: the entry's name
  SourceLocation key_where;       // where that name stands
  SourceLocation where;           // where the value stands
  std::string expression;         // "= 2 * radius" if the value was computed from that
  bool faulty = false;            // a fault of it was reported: what reads it takes the default
  bool has_foreign_keys = false;  // of a table: names of other programs, whose Scree names may be missing

  bool is_number() const { return kind == NodeKind::integer || kind == NodeKind::number; }
  const Node* find(std::string_view name) const;  // entry of a table; null if there is none
  Node* find(std::string_view name);
};

/// The value for a message: 0.5, "glass", [1, 2, 3].
std::string written(const Node& node);

/// Parses TOML. Throws InputError with the position of a syntax error.
Node parse_document(const std::string& text, const std::string& file);

/// Parses one TOML value; text that is not TOML becomes a text value.
Node parse_value(const std::string& text, const SourceLocation& where);

/// Overwrites the value of `key`: a parameter if one has that name, else a key path such as
/// "solver.max_sweeps" or "bodies[2].position[0]". Missing tables in the path are created; an index must
/// exist.
void apply_override(Node& root, const std::pair<std::string, std::string>& key_and_value,
                    std::vector<Fault>& faults);

/// Replaces each text that begins with '=' by its value; see expressions.h for the notation. Parameters are
/// evaluated first. Returns the names of unused parameters.
std::vector<std::string> evaluate_expressions(Node& root, std::vector<Fault>& faults);

}  // namespace scree::io
