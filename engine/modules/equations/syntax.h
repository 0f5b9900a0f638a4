// The syntax of models: a file of models as a tree, before names are resolved.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/errors.h"

namespace scree::equations {

/// One node of a file's tree. Its parts depend on its kind.
struct Tree {
  enum class Kind {
    none,
    // expressions
    number,       // value
    truth,        // value: 0 or 1
    name,         // text, dotted
    string,       // text
    call,         // text(parts...); der, pre among them
    negate,       // parts[0]
    invert,       // not parts[0]
    binary,       // parts[0] text parts[1]; text: + - * / ^ < <= > >= == <> and or
    conditional,  // if parts[0] then parts[1] else parts[2], which may be a conditional
    // declarations
    modifier,     // text = the name that is changed; parts: modifiers, then optionally a binding
    binding,      // parts[0]
    annotation,   // parts: modifiers
    component,    // text = the name; parts: modifiers, optionally a binding, optionally annotations
    prefix,       // text: parameter, constant, flow, input, output, discrete
    declaration,  // text = the type; parts: prefixes, then components
    // equations
    equality,    // parts[0] = parts[1]
    branch,      // parts[0] the condition, then equations
    otherwise,   // parts: equations
    choice,      // an if-equation: parts: branches, then optionally otherwise
    connection,  // connect(parts[0], parts[1])
    reinit,      // parts[0] a name, parts[1]
    when,        // parts[0] the condition, then reinits
    equations,   // parts
    initial,     // parts: equations at the start
    // classes
    definition,  // text = the name; parts: prefixes (model, connector), declarations, sections
    file,        // parts: definitions
  };
  Kind kind = Kind::none;
  std::string text;
  double value = 0.0;
  std::vector<Tree> parts;
  std::size_t at = 0;  // offset in the text
};

/// A source text; location() finds the line and column of an offset.
struct SourceText {
  std::string file, text;
  SourceLocation location(std::size_t offset) const;
};

/// Throws InputError with line, column, the text found and the expected one.
Tree parse(const SourceText& source);

}  // namespace scree::equations
