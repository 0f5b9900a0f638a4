#include "engine/modules/equations/symbolic.h"

#include <algorithm>
#include <cln/cln.h>
#include <cmath>
#include <ginac/ginac.h>
#include <map>
#include <stdexcept>

#include "engine/core/errors.h"

#if defined(__SANITIZE_ADDRESS__)
#define SCREE_LEAKS_ARE_TOLD
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SCREE_LEAKS_ARE_TOLD
#endif
#endif
#ifdef SCREE_LEAKS_ARE_TOLD
// CLN keeps 26 bytes until the end.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libcln"; }
#endif

namespace {

using GiNaC::ex;

// (c, a, b): a if c > 0.5, else b. Not evaluated until all are numbers.
DECLARE_FUNCTION_3P(choose)
ex choose_derivative(const ex& c, const ex&, const ex&, unsigned parameter) {
  if (parameter == 0) return 0;
  return parameter == 1 ? choose(c, 1, 0) : choose(c, 0, 1);
}
ex choose_value(const ex& c, const ex& a, const ex& b) { return a.is_equal(b) ? a : choose(c, a, b).hold(); }
REGISTER_FUNCTION(choose, eval_func(choose_value).derivative_func(choose_derivative))

// base^exponent that GiNaC, which evaluates powers of numbers, must not expand into a huge number.
DECLARE_FUNCTION_2P(raised)
ex raised_derivative(const ex& base, const ex& exponent, unsigned parameter) {
  return parameter == 0 ? exponent * raised(base, exponent - 1) : log(base) * raised(base, exponent);
}
REGISTER_FUNCTION(raised, derivative_func(raised_derivative))

}  // namespace

namespace scree::equations {

namespace {

/// Maps each of our symbols to one of GiNaC, for the processing of one expression.
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
  struct Term {
    GiNaC::numeric factor;
    Expr rest;
  };
  std::vector<Term> terms(const ex& sum) const;
  static Expr sum_of(const std::vector<Term>& all);
  Expr product(const ex& e, GiNaC::numeric& factor) const;
  Expr power(const ex& base, const ex& exponent, GiNaC::numeric& factor) const;
  Expr function(const ex& e) const;

  std::map<int, GiNaC::realsymbol> symbols_;
  std::map<ex, int, GiNaC::ex_is_less> index_;
};

/// Bits of the largest number in it.
double bits_of(const ex& e) {
  double most = 1.0;
  if (GiNaC::is_a<GiNaC::numeric>(e)) {
    const GiNaC::numeric& n = GiNaC::ex_to<GiNaC::numeric>(e);
    if (n.is_rational()) most = std::max(n.numer().int_length(), n.denom().int_length());
  }
  for (std::size_t k = 0; k < e.nops(); ++k) most = std::max(most, bits_of(e.op(k)));
  return most;
}

ex power_of(const ex& base, const ex& exponent) {
  constexpr double most_bits = 1e5;
  if (!GiNaC::is_a<GiNaC::numeric>(exponent)) return GiNaC::pow(base, exponent);
  const double size = std::abs(GiNaC::ex_to<GiNaC::numeric>(exponent).to_double());
  return size * bits_of(base) > most_bits ? ex(raised(base, exponent)) : GiNaC::pow(base, exponent);
}

ex Translation::to(const Expr& e) {
  std::vector<ex> x;
  for (const Expr& operand : e->operands) x.push_back(to(operand));
  switch (e->op) {
    case Op::number:  // a fraction, so that operations on it are exact
      if (!std::isfinite(e->value)) throw std::runtime_error("it has a number that is not finite");
      return GiNaC::numeric(cln::rational(cln::cl_DF(e->value)));
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
      return power_of(x[0], x[1]);
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
  throw std::logic_error("an equation that was solved for an angle cannot be differentiated");
}

/// Terms of a sum in our own order, each without its numerical factor: GiNaC's order depends on addresses,
/// and so on the run.
std::vector<Translation::Term> Translation::terms(const ex& sum) const {
  std::vector<Term> all;
  for (std::size_t k = 0; k < sum.nops(); ++k) {
    GiNaC::numeric factor = 1;
    const Expr rest = product(sum.op(k), factor);
    all.push_back({factor, rest});
  }
  std::ranges::sort(all, [](const Term& a, const Term& b) { return compare(a.rest, b.rest) > 0; });
  return all;
}

Expr Translation::sum_of(const std::vector<Term>& all) {
  Expr sum = number(0.0);
  for (const Term& t : all) {
    const double factor = t.factor.to_double();
    sum = factor < 0.0 ? sum - number(-factor) * t.rest : sum + number(factor) * t.rest;
  }
  return sum;
}

/// GiNaC evaluates roots and logarithms of negative numbers as complex.
const GiNaC::numeric& real(const ex& e) {
  const GiNaC::numeric& n = GiNaC::ex_to<GiNaC::numeric>(e);
  if (!n.is_real()) throw std::runtime_error("it has a root or a logarithm of a negative number");
  return n;
}

/// The factors in e other than the number, which goes into `factor`. For sums in products the number before
/// the first term is factored out: GiNaC's order also decides whether it multiplied it in.
Expr Translation::product(const ex& e, GiNaC::numeric& factor) const {
  if (GiNaC::is_a<GiNaC::numeric>(e)) {
    factor *= real(e);
    return number(1.0);
  }
  if (GiNaC::is_a<GiNaC::add>(e)) {
    std::vector<Term> all = terms(e);
    const GiNaC::numeric first = all[0].factor;
    for (Term& t : all) t.factor /= first;
    factor *= first;
    return sum_of(all);
  }
  if (GiNaC::is_a<GiNaC::power>(e)) return power(e.op(0), e.op(1), factor);
  if (!GiNaC::is_a<GiNaC::mul>(e)) return from(e);
  std::vector<Expr> above, below;
  for (std::size_t k = 0; k < e.nops(); ++k) {
    const Expr one = product(e.op(k), factor);
    if (one->op == Op::divide && is_number(one->operands[0], 1.0))
      below.push_back(one->operands[1]);
    else
      above.push_back(one);
  }
  const auto multiplied = [](std::vector<Expr>& all) {
    std::ranges::sort(all, [](const Expr& a, const Expr& b) { return compare(a, b) > 0; });
    Expr result = number(1.0);
    for (const Expr& x : all) result = result * x;
    return result;
  };
  const Expr numerator = multiplied(above);
  return below.empty() ? numerator : numerator / multiplied(below);
}

Expr Translation::power(const ex& base, const ex& exponent, GiNaC::numeric& factor) const {
  if (exponent.is_equal(ex(1) / 2)) return make(Op::sqrt, {from(base)});
  if (exponent.info(GiNaC::info_flags::negative)) {
    GiNaC::numeric inner = 1;
    const Expr below = exponent.is_equal(-1) ? product(base, inner) : power(base, -exponent, inner);
    factor /= inner;
    return number(1.0) / below;
  }
  if (!exponent.info(GiNaC::info_flags::integer)) return make(Op::power, {from(base), from(exponent)});
  GiNaC::numeric inner = 1;
  const Expr below = product(base, inner);
  factor *= inner.power(GiNaC::ex_to<GiNaC::numeric>(exponent));
  return make(Op::power, {below, from(exponent)});
}

Expr Translation::function(const ex& e) const {
  static const std::map<std::string, Op> known{
      {"sin", Op::sin},       {"cos", Op::cos},     {"tan", Op::tan},     {"asin", Op::asin},
      {"acos", Op::acos},     {"atan", Op::atan},   {"atan2", Op::atan2}, {"sinh", Op::sinh},
      {"cosh", Op::cosh},     {"tanh", Op::tanh},   {"exp", Op::exp},     {"log", Op::log},
      {"choose", Op::select}, {"raised", Op::power}};
  const std::string name = GiNaC::ex_to<GiNaC::function>(e).get_name();
  const auto found = known.find(name);
  if (found == known.end()) throw std::logic_error("GiNaC's function " + name + " is not supported");
  std::vector<Expr> operands;
  for (std::size_t k = 0; k < e.nops(); ++k) operands.push_back(from(e.op(k)));
  return make(found->second, std::move(operands));
}

Expr Translation::from(const ex& e) const {
  if (GiNaC::is_a<GiNaC::numeric>(e)) return number(real(e).to_double());
  if (GiNaC::is_a<GiNaC::symbol>(e)) return symbol(index_.at(e));
  if (GiNaC::is_a<GiNaC::function>(e)) return function(e);
  if (GiNaC::is_a<GiNaC::constant>(e)) return number(GiNaC::ex_to<GiNaC::numeric>(e.evalf()).to_double());
  if (GiNaC::is_a<GiNaC::add>(e)) return sum_of(terms(e));
  if (!GiNaC::is_a<GiNaC::mul>(e) && !GiNaC::is_a<GiNaC::power>(e))
    throw std::logic_error("GiNaC returned an unsupported expression");
  GiNaC::numeric factor = 1;
  const Expr rest = product(e, factor);
  return number(factor.to_double()) * rest;
}

bool has_choice(const ex& e) {
  if (GiNaC::is_a<GiNaC::function>(e) && GiNaC::ex_to<GiNaC::function>(e).get_name() == "choose") return true;
  for (std::size_t k = 0; k < e.nops(); ++k)
    if (has_choice(e.op(k))) return true;
  return false;
}

constexpr double most_terms = 2000.0;  // after expansion
constexpr int most_places = 32;        // of a solved angle

/// Upper bound of the number of terms of an expanded sum.
double expanded_terms(const ex& e) {
  double terms = GiNaC::is_a<GiNaC::add>(e) ? 0.0 : 1.0;
  if (GiNaC::is_a<GiNaC::power>(e) && e.op(1).info(GiNaC::info_flags::integer)) {
    const double base = expanded_terms(e.op(0)), n = GiNaC::ex_to<GiNaC::numeric>(e.op(1)).to_double();
    if (base <= 1.0 || n <= 1.0) return n > 1.0 ? 0.5 * n + 1.0 : base;  // squares of sines are sums
    for (double k = 1.0; k <= n && terms <= most_terms; ++k) terms *= (base + n - k) / k;
    return std::max(terms, base);
  }
  for (std::size_t k = 0; k < e.nops(); ++k) {
    if (GiNaC::is_a<GiNaC::add>(e)) terms += expanded_terms(e.op(k));
    if (GiNaC::is_a<GiNaC::mul>(e)) terms *= expanded_terms(e.op(k));
  }
  return terms;
}

int places_of(const ex& e, const GiNaC::realsymbol& x) {
  int places = e.is_equal(x) ? 1 : 0;
  for (std::size_t k = 0; k < e.nops(); ++k) places += places_of(e.op(k), x);
  return places;
}

/// The same with sin^2 replaced by 1 - cos^2.
ex without_squared_sines(const ex& e) {
  const ex any = GiNaC::wild(0);
  return e.expand()
      .subs(GiNaC::pow(GiNaC::sin(any), 2) == 1 - GiNaC::pow(GiNaC::cos(any), 2),
            GiNaC::subs_options::algebraic)
      .expand();
}

std::optional<Solution> solve_angle(Translation& translation, const ex& f, const GiNaC::realsymbol& x) {
  if (places_of(f, x) > most_places || expanded_terms(f) > most_terms) return std::nullopt;
  const ex second = f.diff(x, 2);
  if (expanded_terms(f + second) > most_terms) return std::nullopt;
  // f = a cos x + b sin x + c holds exactly if f + f'' = c does not depend on x.
  const ex c = without_squared_sines(f + second);
  if (c.has(x)) return std::nullopt;
  const ex a = (f.subs(x == 0) - c).expand(), b = f.diff(x).subs(x == 0).expand();
  if (has_choice(a) || has_choice(b)) return std::nullopt;
  return Solution{Solution::Kind::angle, translation.from(a), translation.from(b), translation.from(c)};
}

}  // namespace

namespace {

/// Exceptions of GiNaC mean a division by zero or similar in the model.
template <class F>
auto told(const F& work) {
  try {
    return work();
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(
        {{{}, {}, std::string("an equation cannot be differentiated: ") + error.what(), {}, {}, {}, {}}});
  }
}

}  // namespace

Expr derivative(const Expr& e, int symbol) {
  return told([&] {
    Translation translation;
    const ex f = translation.to(e);
    return translation.from(f.diff(translation.symbol_of(symbol)));
  });
}

std::optional<Solution> solve(const Expr& e, int symbol) {
  return told([&]() -> std::optional<Solution> {
    Translation translation;
    const ex f = translation.to(e);
    const GiNaC::realsymbol x = translation.symbol_of(symbol);
    try {
      ex a = f.diff(x);
      if (a.has(x) && expanded_terms(a) <= most_terms) a = a.expand();
      if (a.is_zero() || has_choice(a)) return std::nullopt;
      if (a.has(x)) return solve_angle(translation, f, x);
      return Solution{Solution::Kind::linear, translation.from(a), translation.from(f.subs(x == 0)), nullptr};
    } catch (const GiNaC::pole_error&) {  // x alone in a denominator or a logarithm
      return std::nullopt;
    }
  });
}

}  // namespace scree::equations
