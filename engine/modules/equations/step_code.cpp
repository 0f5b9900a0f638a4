#include "engine/modules/equations/step_code.h"

#include <algorithm>

namespace scree::equations {

namespace {

using Gradient = std::vector<int>;  // [tear] registers

class BlockBuilder {
 public:
  BlockBuilder(const FlatModel& model, const TornBlock& block, const Inlined& system, SolvedEquations& solved)
      : block_(block), system_(system), solved_(solved), code_(static_cast<int>(model.symbols.size())) {}

  void follow() {
    for (const TornBlock::Assignment& one : block_.assignments) code_.assign(one.unknown, value_of(one));
  }

  Program evaluate() {
    const int zero = code_.number(0.0), one = code_.number(1.0);
    for (std::size_t t = 0; t < block_.tears.size(); ++t) {
      Gradient unit(block_.tears.size(), zero);
      unit[t] = one;
      gradient_[block_.tears[t]] = unit;
    }
    for (const TornBlock::Assignment& a : block_.assignments) {
      code_.assign(a.unknown, value_of(a));
      Gradient all = gradient_of(a.equation, a.unknown);
      const int pivot = code_.add(solved_.derivative(a.equation, a.unknown));
      for (int& g : all) g = code_.operate(Op::divide, {code_.operate(Op::negate, {g}), pivot});
      gradient_[a.unknown] = std::move(all);
    }
    std::vector<int> outputs, jacobian;
    for (const int e : block_.residuals) {
      outputs.push_back(code_.add(residual(e)));
      const Gradient row = gradient_of(e, -1);
      jacobian.insert(jacobian.end(), row.begin(), row.end());
    }
    outputs.insert(outputs.end(), jacobian.begin(), jacobian.end());
    for (const TornBlock::Assignment& a : block_.assignments) {
      const Gradient& row = gradient_.at(a.unknown);
      outputs.insert(outputs.end(), row.begin(), row.end());
    }
    return code_.finish(std::move(outputs));
  }

  Program finish() { return code_.finish({}); }

 private:
  const Expr& residual(int equation) const { return system_.residuals[equation]; }

  int value_of(const TornBlock::Assignment& one) {
    const Solution& s = one.solution;
    const int a = code_.add(s.a), b = code_.add(s.b);
    if (s.kind == Solution::Kind::angle) return code_.operate(Op::angle, {a, b, code_.add(s.c), one.unknown});
    return code_.operate(Op::divide, {code_.operate(Op::negate, {b}), a});
  }

  /// Gradient of an equation by the tears, through all existing assignments; without the part of `except`.
  Gradient gradient_of(int equation, int except) {
    Gradient sum(block_.tears.size(), code_.number(0.0));
    for (const int k : symbols_of(residual(equation))) {
      const auto found = gradient_.find(k);
      if (k == except || found == gradient_.end()) continue;
      const int partial = code_.add(solved_.derivative(equation, k));
      for (std::size_t t = 0; t < sum.size(); ++t)
        sum[t] = code_.operate(Op::add, {sum[t], code_.operate(Op::multiply, {partial, found->second[t]})});
    }
    return sum;
  }

  const TornBlock& block_;
  const Inlined& system_;
  SolvedEquations& solved_;
  ProgramBuilder code_;
  std::map<int, Gradient> gradient_;
};

}  // namespace

BlockCode block_code(const FlatModel& model, const TornBlock& block, const Inlined& system,
                     SolvedEquations& solved) {
  BlockBuilder plain(model, block, system, solved);
  plain.follow();
  return {plain.finish(), BlockBuilder(model, block, system, solved).evaluate()};
}

Program expressions_code(const FlatModel& model, std::span<const Expr> expressions) {
  ProgramBuilder code(static_cast<int>(model.symbols.size()));
  std::vector<int> outputs;
  for (const Expr& e : expressions) outputs.push_back(code.add(e));
  return code.finish(std::move(outputs));
}

}  // namespace scree::equations
