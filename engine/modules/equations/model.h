// A model without submodels: symbols and equations between them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/core/errors.h"
#include "engine/modules/equations/expression.h"
#include "engine/modules/equations/syntax.h"

namespace scree::equations {

/// A number of an unknown or an equation as an index.
inline std::size_t at(int k) { return static_cast<std::size_t>(k); }

enum class StateSelect { never, avoid, standard, prefer, always };

struct Symbol {
  enum class Kind {
    parameter,  // a constant number
    variable,   // unknown, or the derivative of one
    input,      // an external value, known at all times, or its derivative
    time,       // s
    relation,   // 1 if a relation of a condition holds, else 0; changes only at events
    rate,       // the a of the inlined formula: der(x) = a x + history(x)
    history,    // of a variable: contribution of earlier steps to the inlined formula
  };
  std::string name;
  Kind kind = Kind::variable;
  std::string unit = {};
  double start = 0.0, nominal = 1.0;
  bool has_start = false, fixed = false;
  bool iterates = false;  // marked as a tearing variable
  StateSelect select = StateSelect::standard;
  int derivative = -1, integral = -1;  // the variable that is its derivative; the one differentiated
  int history = -1;                    // the symbol of kind history, of a variable with a derivative
  SourceLocation where = {};
};

/// residual = 0.
struct Equation {
  Expr residual;
  std::string text;                    // source text, with full names
  int derivative = -1, integral = -1;  // the equation that is its derivative; the one differentiated
  SourceLocation where = {};
};

/// Holds if difference > 0, or >= 0 if not strict.
struct Relation {
  Expr difference;
  bool strict = true;
  int symbol = -1;
};

/// When `condition` becomes true, variables jump.
struct Jump {
  Expr condition;
  struct To {
    int variable;
    Expr value;
  };
  std::vector<To> to;
};

/// variable = sign * other, or a number if there is no other.
struct Alias {
  int variable;
  double sign;
  int other;
  double value = 0.0;
};

struct FlatModel {
  std::string name;
  std::vector<Symbol> symbols;  // 0: time
  std::vector<double> value;    // [symbol] values of parameters
  std::vector<int> variables;   // unknowns, and derivatives that occur
  std::vector<int> inputs;      // of the main model, in the order of declaration
  std::vector<Equation> equations;
  std::vector<Equation> at_start;  // of `initial equation`
  std::vector<Relation> relations;
  std::vector<Jump> jumps;
  std::vector<Alias> aliases;  // variables that were eliminated

  int rate = -1;                                // the symbol of kind rate, after formulas are inlined
  std::unordered_map<std::string, int> places;  // [name] indices of symbols

  static constexpr int time = 0;
  const Symbol& operator[](int k) const { return symbols[k]; }
  Symbol& operator[](int k) { return symbols[k]; }
  int find(const std::string& name) const;  // -1: not found
  int add(Symbol symbol);
  /// The derivative of a variable or an input; it is created if it is missing.
  int derivative_of(int variable);
  bool is_variable(int k) const { return (*this)[k].kind == Symbol::Kind::variable; }
  bool is_input(int k) const { return (*this)[k].kind == Symbol::Kind::input; }
  std::string text(const Expr& e) const;
};

/// Expands all submodels. The main model is the one with this name or, if empty, the last of the file; its
/// `parameters` get these values.
/// Throws InputError with all errors: unknown names and types with similar ones, names used
/// twice, parameters that depend on themselves.
FlatModel flatten(const Tree& file, const SourceText& source, const std::string& main = {},
                  const std::map<std::string, double>& parameters = {});

/// Eliminates variables that equations a = b, a + b = 0 or a = number express by others. Of the two
/// variables, states, marked variables and those with fixed starts are kept.
void remove_aliases(FlatModel& model);

}  // namespace scree::equations
