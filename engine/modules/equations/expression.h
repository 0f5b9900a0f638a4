// Expressions of a model after flattening: trees whose leaves are numbers and symbols.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace scree::equations {

enum class Op : unsigned char {
  number,
  symbol,
  add,
  subtract,
  multiply,
  divide,
  power,
  negate,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  sqrt,
  exp,
  log,
  select,  // (c, a, b): a if c > 0.5, else b
  angle,   // (a, b, c, near): the angle r nearest to `near` with a cos r + b sin r + c = 0; NaN if there
           // is none, or if two nearly coincide
};

struct Node;
using Expr = std::shared_ptr<const Node>;

struct Node {
  Op op = Op::number;
  double value = 0.0;    // of a number
  int symbol = -1;       // index of a symbol in FlatModel::symbols
  std::size_t size = 1;  // nodes of the tree; shared ones count at each occurrence
  std::vector<Expr> operands;
};

// Construction with constant folding: 0 + a = a, 1 a = a, 0 a = 0, and functions of numbers.
Expr number(double value);
Expr symbol(int index);
Expr make(Op op, std::vector<Expr> operands);
inline Expr operator+(const Expr& a, const Expr& b) { return make(Op::add, {a, b}); }
inline Expr operator-(const Expr& a, const Expr& b) { return make(Op::subtract, {a, b}); }
inline Expr operator*(const Expr& a, const Expr& b) { return make(Op::multiply, {a, b}); }
inline Expr operator/(const Expr& a, const Expr& b) { return make(Op::divide, {a, b}); }
inline Expr operator-(const Expr& a) { return make(Op::negate, {a}); }

bool is_number(const Expr& e, double value);
/// An order of trees that does not depend on addresses: negative, zero (the same tree) or positive.
int compare(const Expr& a, const Expr& b);

/// Trees are traversed completely, shared parts at each occurrence: larger trees are rejected.
inline constexpr std::size_t most_operations = 20'000;

/// One operation on numbers; `x` has its operands.
double apply(Op op, std::span<const double> x);
/// The value if symbol k has value[k].
double evaluate(const Expr& e, std::span<const double> value);

void collect_symbols(const Expr& e, std::set<int>& found);
std::set<int> symbols_of(const Expr& e);
bool contains(const Expr& e, Op op);
/// Replaces each symbol for which `of` has an expression.
Expr substitute(const Expr& e, const std::function<Expr(int)>& of);
std::string to_text(const Expr& e, const std::function<std::string(int)>& name);

/// The name of a function in models ("sin"); empty if it has none.
const char* function_name(Op op);

}  // namespace scree::equations
