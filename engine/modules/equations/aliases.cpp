// Aliases: variables that equations equate with others, or with a number.
#include <algorithm>

#include "engine/modules/equations/model.h"

namespace scree::equations {

namespace {

class Aliases {
 public:
  explicit Aliases(FlatModel& m) : model_(m) {}
  void run();

 private:
  struct Tie {
    int a, b;     // b -1: none
    double sign;  // a = sign b
    double value;
  };
  Expr resolved(const Expr& e) {
    return substitute(e, [this](int k) { return instead_of(k); });
  }
  Expr instead_of(int k);
  std::optional<Tie> tie(const Expr& e) const;
  int worth(int variable) const;
  void take_out(int variable, int other, double sign, double value);
  void merge(int variable, int other, double sign);

  FlatModel& model_;
  std::map<int, Expr> instead_;
};

/// The final expression for a variable; none if it stays. Long chains are followed once.
Expr Aliases::instead_of(int k) {
  std::vector<std::map<int, Expr>::iterator> way;
  for (auto found = instead_.find(k); found != instead_.end(); found = instead_.find(k)) {
    way.push_back(found);
    const Expr& next = found->second->op == Op::negate ? found->second->operands[0] : found->second;
    if (next->op == Op::number) break;
    k = next->symbol;
  }
  if (way.empty()) return nullptr;
  for (std::size_t i = way.size() - 1; i-- > 0;) {
    const Expr& last = way[i + 1]->second;
    way[i]->second = way[i]->second->op == Op::negate ? -last : last;
  }
  return way[0]->second;
}

std::optional<Aliases::Tie> Aliases::tie(const Expr& e) const {
  const std::set<int> symbols = symbols_of(e);
  std::vector<int> variables;
  for (const int k : symbols) {
    if (model_.is_variable(k))
      variables.push_back(k);
    else if (model_[k].kind != Symbol::Kind::parameter)
      return std::nullopt;
  }
  const auto leaf = [&](const Expr& x) { return x->op == Op::symbol && model_.is_variable(x->symbol); };
  if (leaf(e)) return Tie{e->symbol, -1, 1.0, 0.0};
  if (e->op != Op::add && e->op != Op::subtract) return std::nullopt;
  const Expr &a = e->operands[0], &b = e->operands[1];
  if (variables.size() == 2 && leaf(a) && leaf(b))
    return Tie{a->symbol, b->symbol, e->op == Op::add ? -1.0 : 1.0, 0.0};
  if (variables.size() == 2 && e->op == Op::subtract && leaf(a) && b->op == Op::negate &&
      leaf(b->operands[0]))
    return Tie{a->symbol, b->operands[0]->symbol, -1.0, 0.0};
  if (variables.size() != 1) return std::nullopt;
  const double sign = e->op == Op::add ? -1.0 : 1.0;
  const auto alone = [&](const Expr& x, const Expr& other) {
    return leaf(x) && !symbols_of(other).contains(x->symbol);
  };
  if (alone(a, b)) return Tie{a->symbol, -1, 1.0, sign * evaluate(b, model_.value)};
  if (alone(b, a)) return Tie{b->symbol, -1, 1.0, sign * evaluate(a, model_.value)};
  return std::nullopt;
}

/// Priority of a variable to stay: differentiated, selected as a state, marked, fixed, of the outer
/// model.
int Aliases::worth(int variable) const {
  const Symbol& s = model_[variable];
  const auto dots = std::ranges::count(s.name, '.');
  return (s.iterates ? 800 : 0) + 100 * static_cast<int>(s.select) + (s.fixed ? 60 : 0) +
         (s.derivative >= 0 ? 40 : 0) + (s.has_start ? 20 : 0) - static_cast<int>(dots);
}

void Aliases::merge(int variable, int other, double sign) {
  const Symbol from = model_[variable];
  Symbol& to = model_[other];
  if (!to.has_start && from.has_start) {
    to.start = sign * from.start;
    to.has_start = true;
  }
  if (to.nominal == 1.0) to.nominal = from.nominal;
  to.fixed = to.fixed || from.fixed;
  to.iterates = to.iterates || from.iterates;
  to.select = std::max(to.select, from.select);
  if (to.unit.empty()) to.unit = from.unit;
}

void Aliases::take_out(int variable, int other, double sign, double value) {
  if (other >= 0) merge(variable, other, sign);
  const Expr kept = other < 0 ? number(value) : sign > 0.0 ? symbol(other) : -symbol(other);
  instead_[variable] = kept;
  model_.aliases.push_back({variable, sign, other, value});
  std::erase(model_.variables, variable);
  const int rate = model_[variable].derivative;
  if (rate < 0) return;
  const int other_rate = other < 0 ? -1 : model_.derivative_of(other);
  if (!instead_.contains(rate)) take_out(rate, other_rate, sign, 0.0);
}

void Aliases::run() {
  for (bool again = true; again;) {
    again = false;
    for (auto e = model_.equations.begin(); e != model_.equations.end();) {
      e->residual = resolved(e->residual);
      std::optional<Tie> t = tie(e->residual);
      const auto is_rate = [&](int k) { return k >= 0 && model_[k].integral >= 0; };
      if (t && (is_rate(t->a) || is_rate(t->b))) t.reset();  // der(x) = v stays
      if (!t || t->a == t->b) {
        ++e;
        continue;
      }
      if (t->b >= 0 && worth(t->a) > worth(t->b)) std::swap(t->a, t->b);
      take_out(t->a, t->b, t->sign, t->value);
      e = model_.equations.erase(e);
      again = true;
    }
  }
  for (auto* all : {&model_.equations, &model_.at_start})
    for (Equation& e : *all) e.residual = resolved(e.residual);
  for (Relation& r : model_.relations) r.difference = resolved(r.difference);
  for (Jump& j : model_.jumps) {
    j.condition = resolved(j.condition);
    for (Jump::To& to : j.to) {
      const Expr now = resolved(symbol(to.variable));
      to.value = resolved(to.value);
      if (now->op == Op::negate) to.value = -to.value;
      if (now->op == Op::symbol) to.variable = now->symbol;
      if (now->op == Op::negate) to.variable = now->operands[0]->symbol;
    }
  }
}

}  // namespace

void remove_aliases(FlatModel& model) { Aliases(model).run(); }

}  // namespace scree::equations
