#include "engine/equations/symbolic.h"

#include <algorithm>
#include <cmath>
#include <ginac/ginac.h>
#include <map>
#include <stdexcept>

namespace {

using GiNaC::ex;

// (c, a, b): a where c > 0.5, else b. Stays as it is until all are numbers.
DECLARE_FUNCTION_3P(choose)
ex choose_derivative(const ex& c, const ex&, const ex&, unsigned parameter) {
  if (parameter == 0) return 0;
  return parameter == 1 ? choose(c, 1, 0) : choose(c, 0, 1);
}
ex choose_value(const ex& c, const ex& a, const ex& b) {
  return a.is_equal(b) ? a : choose(c, a, b).hold();
}
REGISTER_FUNCTION(choose, eval_func(choose_value).derivative_func(choose_derivative))

}  // namespace

namespace scree::equations {

namespace {

/// One symbol of GiNaC for each of ours, while one expression is worked on.
class Translation {
 public:
  ex to(const Expr& e);
  Expr from(const ex& e) const;
  const GiNaC::realsymbol& symbol_of(int k) {
    const auto found = symbols_.find(k);
    if (found != symbols_.end()) return found->second;
    const GiNaC::realsymbol made("s" + std::to_string(k));
    index_.emplace(made, k);
    return symbols_.emplace(k, made).first->second;
  }

 private:
  std::vector<Expr> sorted(const ex& e) const;
  Expr power(const ex& base, const ex& exponent) const;
  Expr function(const ex& e) const;

  std::map<int, GiNaC::realsymbol> symbols_;
  std::map<ex, int, GiNaC::ex_is_less> index_;
};

ex Translation::to(const Expr& e) {
  std::vector<ex> x;
  for (const Expr& operand : e->operands) x.push_back(to(operand));
  switch (e->op) {
    case Op::number: {
      constexpr double exact_up_to = 1e15;
      if (e->value == std::floor(e->value) && std::abs(e->value) < exact_up_to)
        return GiNaC::numeric(static_cast<long>(e->value));
      return GiNaC::numeric(e->value);
    }
    case Op::symbol:
      return symbol_of(e->symbol);
    case Op::add:
      return x[0] + x[1];
    case Op::subtract:
      return x[0] - x[1];
    case Op::multiply:
      return x[0] * x[1];
    case Op::divide:
      return x[0] / x[1];
    case Op::power:
      return GiNaC::pow(x[0], x[1]);
    case Op::negate:
      return -x[0];
    case Op::sin:
      return GiNaC::sin(x[0]);
    case Op::cos:
      return GiNaC::cos(x[0]);
    case Op::tan:
      return GiNaC::tan(x[0]);
    case Op::asin:
      return GiNaC::asin(x[0]);
    case Op::acos:
      return GiNaC::acos(x[0]);
    case Op::atan:
      return GiNaC::atan(x[0]);
    case Op::atan2:
      return GiNaC::atan2(x[0], x[1]);
    case Op::sinh:
      return GiNaC::sinh(x[0]);
    case Op::cosh:
      return GiNaC::cosh(x[0]);
    case Op::tanh:
      return GiNaC::tanh(x[0]);
    case Op::sqrt:
      return GiNaC::sqrt(x[0]);
    case Op::exp:
      return GiNaC::exp(x[0]);
    case Op::log:
      return GiNaC::log(x[0]);
    case Op::select:
      return choose(x[0], x[1], x[2]);
    case Op::angle:
      break;
  }
  throw std::logic_error("an angle that was solved for is not differentiated");
}

/// Operands in an order of our own: GiNaC's depends on addresses, and so on the run.
std::vector<Expr> Translation::sorted(const ex& e) const {
  std::vector<Expr> operands;
  for (std::size_t k = 0; k < e.nops(); ++k) operands.push_back(from(e.op(k)));
  std::ranges::sort(operands, [](const Expr& a, const Expr& b) { return compare(a, b) > 0; });
  return operands;
}

Expr Translation::power(const ex& base, const ex& exponent) const {
  if (exponent.is_equal(ex(1) / 2)) return make(Op::sqrt, {from(base)});
  if (exponent.info(GiNaC::info_flags::negative))
    return number(1.0) / (exponent.is_equal(-1) ? from(base) : power(base, -exponent));
  return make(Op::power, {from(base), from(exponent)});
}

Expr Translation::function(const ex& e) const {
  static const std::map<std::string, Op> known{
      {"sin", Op::sin},   {"cos", Op::cos},     {"tan", Op::tan},   {"asin", Op::asin}, {"acos", Op::acos},
      {"atan", Op::atan}, {"atan2", Op::atan2}, {"sinh", Op::sinh}, {"cosh", Op::cosh}, {"tanh", Op::tanh},
      {"exp", Op::exp},   {"log", Op::log},     {"choose", Op::select}};
  const std::string name = GiNaC::ex_to<GiNaC::function>(e).get_name();
  const auto found = known.find(name);
  if (found == known.end()) throw std::logic_error("GiNaC's function " + name + " is not known here");
  std::vector<Expr> operands;
  for (std::size_t k = 0; k < e.nops(); ++k) operands.push_back(from(e.op(k)));
  return make(found->second, std::move(operands));
}

Expr Translation::from(const ex& e) const {
  if (GiNaC::is_a<GiNaC::numeric>(e)) return number(GiNaC::ex_to<GiNaC::numeric>(e).to_double());
  if (GiNaC::is_a<GiNaC::symbol>(e)) return symbol(index_.at(e));
  if (GiNaC::is_a<GiNaC::power>(e)) return power(e.op(0), e.op(1));
  if (GiNaC::is_a<GiNaC::function>(e)) return function(e);
  if (GiNaC::is_a<GiNaC::constant>(e)) return number(GiNaC::ex_to<GiNaC::numeric>(e.evalf()).to_double());
  const bool sum = GiNaC::is_a<GiNaC::add>(e);
  if (!sum && !GiNaC::is_a<GiNaC::mul>(e)) throw std::logic_error("GiNaC made what is not known here");
  Expr all = number(sum ? 0.0 : 1.0);
  for (const Expr& operand : sorted(e)) {
    if (sum && operand->op == Op::negate)
      all = all - operand->operands[0];
    else if (!sum && operand->op == Op::divide && is_number(operand->operands[0], 1.0))
      all = all / operand->operands[1];
    else
      all = sum ? all + operand : all * operand;
  }
  return all;
}

bool has_choice(const ex& e) {
  if (GiNaC::is_a<GiNaC::function>(e) && GiNaC::ex_to<GiNaC::function>(e).get_name() == "choose") return true;
  for (std::size_t k = 0; k < e.nops(); ++k)
    if (has_choice(e.op(k))) return true;
  return false;
}

/// With sin^2 written as 1 - cos^2 throughout.
ex without_squared_sines(const ex& e) {
  const ex any = GiNaC::wild(0);
  return e.expand()
      .subs(GiNaC::pow(GiNaC::sin(any), 2) == 1 - GiNaC::pow(GiNaC::cos(any), 2), GiNaC::subs_options::algebraic)
      .expand();
}

std::optional<Solution> solve_angle(Translation& translation, const ex& f, const GiNaC::realsymbol& x) {
  const ex second = f.diff(x, 2);
  // f = a cos x + b sin x + c, just if f + f'' = c does not depend on x.
  const ex c = without_squared_sines(f + second);
  if (c.has(x)) return std::nullopt;
  const ex a = (f.subs(x == 0) - c).expand(), b = f.diff(x).subs(x == 0).expand();
  if (has_choice(a) || has_choice(b)) return std::nullopt;
  return Solution{Solution::Kind::angle, translation.from(a), translation.from(b), translation.from(c)};
}

}  // namespace

Expr derivative(const Expr& e, int symbol) {
  Translation translation;
  const ex f = translation.to(e);
  return translation.from(f.diff(translation.symbol_of(symbol)));
}

std::optional<Solution> solve(const Expr& e, int symbol) {
  Translation translation;
  const ex f = translation.to(e);
  const GiNaC::realsymbol x = translation.symbol_of(symbol);
  try {
    ex a = f.diff(x);
    if (a.has(x)) a = a.expand();
    if (a.is_zero() || has_choice(a)) return std::nullopt;
    if (a.has(x)) return solve_angle(translation, f, x);
    return Solution{Solution::Kind::linear, translation.from(a), translation.from(f.subs(x == 0)), nullptr};
  } catch (const GiNaC::pole_error&) {  // x alone in a denominator or a logarithm
    return std::nullopt;
  }
}

}  // namespace scree::equations
