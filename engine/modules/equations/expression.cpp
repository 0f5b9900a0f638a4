#include "engine/modules/equations/expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

namespace scree::equations {

namespace {

/// If both solutions nearly coincide, rounding in c is magnified: then there is none.
constexpr double farthest_cosine = 1.0 - 1e-6;

/// Both solutions have the same distance from the middle between them; the nearer one is on the side of
/// `near`. The C++ code of cpp_preamble() has the same operations.
double angle_root(double a, double b, double c, double near) {
  const double cosine = -c / std::sqrt(a * a + b * b);
  if (!(std::abs(cosine) <= farthest_cosine)) return std::numeric_limits<double>::quiet_NaN();
  constexpr double turn = 2.0 * std::numbers::pi;
  double middle = std::atan2(b, a);
  middle = middle + turn * std::round((near - middle) / turn);
  const double half = std::acos(cosine);
  return near >= middle ? middle + half : middle - half;
}

Expr folded(Op op, const std::vector<Expr>& x) {
  const auto is = [&](std::size_t k, double value) { return is_number(x[k], value); };
  switch (op) {
    case Op::add:
      return is(0, 0.0) ? x[1] : is(1, 0.0) ? x[0] : nullptr;
    case Op::subtract:
      if (x[0]->op == Op::symbol && compare(x[0], x[1]) == 0) return number(0.0);
      return is(1, 0.0) ? x[0] : is(0, 0.0) ? make(Op::negate, {x[1]}) : nullptr;
    case Op::multiply:
      if (is(0, 0.0) || is(1, 1.0)) return x[0];
      if (is(1, 0.0) || is(0, 1.0)) return x[1];
      return is(0, -1.0) ? make(Op::negate, {x[1]}) : is(1, -1.0) ? make(Op::negate, {x[0]}) : nullptr;
    case Op::divide:
      return is(1, 1.0) || (is(0, 0.0) && x[1]->op != Op::number) ? x[0] : nullptr;
    case Op::power:
      return is(1, 1.0) ? x[0] : is(1, 0.0) ? number(1.0) : nullptr;
    case Op::negate:
      return x[0]->op == Op::negate ? x[0]->operands[0] : nullptr;
    case Op::select:
      if (x[0]->op == Op::number) return x[0]->value > 0.5 ? x[1] : x[2];
      return compare(x[1], x[2]) == 0 ? x[1] : nullptr;
    default:
      return nullptr;
  }
}

struct Written {
  Op op;
  const char* name;
};
constexpr std::array written_functions{
    Written{Op::sin, "sin"},     Written{Op::cos, "cos"},   Written{Op::tan, "tan"},
    Written{Op::asin, "asin"},   Written{Op::acos, "acos"}, Written{Op::atan, "atan"},
    Written{Op::atan2, "atan2"}, Written{Op::sinh, "sinh"}, Written{Op::cosh, "cosh"},
    Written{Op::tanh, "tanh"},   Written{Op::sqrt, "sqrt"}, Written{Op::exp, "exp"},
    Written{Op::log, "log"}};

int precedence(Op op) {
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::negate:
      return 1;
    case Op::multiply:
    case Op::divide:
      return 2;
    case Op::power:
      return 3;
    case Op::select:
      return 0;
    default:
      return 4;
  }
}

const char* sign_of(Op op) {
  switch (op) {
    case Op::add:
      return " + ";
    case Op::subtract:
      return " - ";
    case Op::multiply:
      return "*";
    case Op::divide:
      return "/";
    case Op::power:
      return "^";
    default:
      return "";
  }
}

}  // namespace

Expr number(double value) {
  Node node;
  node.value = value;
  return std::make_shared<const Node>(std::move(node));
}

Expr symbol(int index) {
  Node node;
  node.op = Op::symbol;
  node.symbol = index;
  return std::make_shared<const Node>(std::move(node));
}

Expr make(Op op, std::vector<Expr> operands) {
  bool numbers = true;
  for (const Expr& x : operands) numbers = numbers && x->op == Op::number;
  if (numbers) {
    std::array<double, 4> values{};
    for (std::size_t k = 0; k < operands.size(); ++k) values[k] = operands[k]->value;
    return number(apply(op, {values.data(), operands.size()}));
  }
  if (Expr simple = folded(op, operands)) return simple;
  Node node;
  node.op = op;
  constexpr std::size_t saturated = std::size_t{1} << 40;
  for (const Expr& x : operands) node.size = std::min(node.size + x->size, saturated);
  node.operands = std::move(operands);
  return std::make_shared<const Node>(std::move(node));
}

bool is_number(const Expr& e, double value) { return e->op == Op::number && e->value == value; }

int compare(const Expr& a, const Expr& b) {
  if (a == b) return 0;
  const auto order = [](auto x, auto y) { return x < y ? -1 : y < x ? 1 : 0; };
  if (const int by = order(a->op, b->op)) return by;
  if (const int by = order(a->symbol, b->symbol)) return by;
  if (const int by = order(a->value, b->value)) return by;
  if (const int by = order(a->operands.size(), b->operands.size())) return by;
  for (std::size_t k = 0; k < a->operands.size(); ++k)
    if (const int by = compare(a->operands[k], b->operands[k])) return by;
  return 0;
}

double apply(Op op, std::span<const double> x) {
  switch (op) {
    case Op::number:
    case Op::symbol:
      break;
    case Op::add:
      return x[0] + x[1];
    case Op::subtract:
      return x[0] - x[1];
    case Op::multiply:
      return x[0] * x[1];
    case Op::divide:
      return x[0] / x[1];
    case Op::power:
      return std::pow(x[0], x[1]);
    case Op::negate:
      return -x[0];
    case Op::sin:
      return std::sin(x[0]);
    case Op::cos:
      return std::cos(x[0]);
    case Op::tan:
      return std::tan(x[0]);
    case Op::asin:
      return std::asin(x[0]);
    case Op::acos:
      return std::acos(x[0]);
    case Op::atan:
      return std::atan(x[0]);
    case Op::atan2:
      return std::atan2(x[0], x[1]);
    case Op::sinh:
      return std::sinh(x[0]);
    case Op::cosh:
      return std::cosh(x[0]);
    case Op::tanh:
      return std::tanh(x[0]);
    case Op::sqrt:
      return std::sqrt(x[0]);
    case Op::exp:
      return std::exp(x[0]);
    case Op::log:
      return std::log(x[0]);
    case Op::select:
      return x[0] > 0.5 ? x[1] : x[2];
    case Op::angle:
      return angle_root(x[0], x[1], x[2], x[3]);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double evaluate(const Expr& e, std::span<const double> value) {
  if (e->op == Op::number) return e->value;
  if (e->op == Op::symbol) return value[e->symbol];
  if (e->op == Op::select) return evaluate(e->operands[evaluate(e->operands[0], value) > 0.5 ? 1 : 2], value);
  std::array<double, 4> x{};
  for (std::size_t k = 0; k < e->operands.size(); ++k) x[k] = evaluate(e->operands[k], value);
  return apply(e->op, {x.data(), e->operands.size()});
}

void collect_symbols(const Expr& e, std::set<int>& found) {
  if (e->op == Op::symbol) found.insert(e->symbol);
  for (const Expr& x : e->operands) collect_symbols(x, found);
}

std::set<int> symbols_of(const Expr& e) {
  std::set<int> found;
  collect_symbols(e, found);
  return found;
}

bool contains(const Expr& e, Op op) {
  if (e->op == op) return true;
  for (const Expr& x : e->operands)
    if (contains(x, op)) return true;
  return false;
}

Expr substitute(const Expr& e, const std::function<Expr(int)>& of) {
  if (e->op == Op::symbol) {
    Expr other = of(e->symbol);
    return other ? other : e;
  }
  if (e->operands.empty()) return e;
  bool same = true;
  std::vector<Expr> operands;
  for (const Expr& x : e->operands) {
    operands.push_back(substitute(x, of));
    same = same && operands.back() == x;
  }
  return same ? e : make(e->op, std::move(operands));
}

std::string to_text(const Expr& e, const std::function<std::string(int)>& name) {
  if (e->op == Op::symbol) return name(e->symbol);
  if (e->op == Op::number) {
    std::ostringstream text;
    text.precision(12);
    text << e->value;
    return text.str();
  }
  const auto inside = [&](std::size_t k, int least) {
    const std::string text = to_text(e->operands[k], name);
    const bool bare = precedence(e->operands[k]->op) >= least && (text[0] != '-' || k == 0);
    return bare ? text : "(" + text + ")";
  };
  const int own = precedence(e->op);
  switch (e->op) {
    case Op::negate:
      return "-" + inside(0, 2);
    case Op::add:
    case Op::multiply:
      return inside(0, own) + sign_of(e->op) + inside(1, own);
    case Op::subtract:
    case Op::divide:
      return inside(0, own) + sign_of(e->op) + inside(1, own + 1);
    case Op::power:
      return inside(0, own + 1) + "^" + inside(1, own + 1);
    case Op::select:
      return "if " + to_text(e->operands[0], name) + " then " + to_text(e->operands[1], name) + " else " +
             to_text(e->operands[2], name);
    default:
      break;
  }
  std::string text = e->op == Op::angle ? "angle" : function_name(e->op);
  for (std::size_t k = 0; k < e->operands.size(); ++k)
    text += (k ? ", " : "(") + to_text(e->operands[k], name);
  return text + ")";
}

const char* function_name(Op op) {
  for (const Written& f : written_functions)
    if (f.op == op) return f.name;
  return "";
}

}  // namespace scree::equations
