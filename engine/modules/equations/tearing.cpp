#include "engine/modules/equations/tearing.h"

#include <algorithm>

namespace scree::equations {

namespace {

class Tear {
 public:
  Tear(const FlatModel& model, const Inlined& system, SolvedEquations& solved, TornBlock& block)
      : model_(model), system_(system), solved_(solved), block_(block) {
    open_unknowns_ = {block.unknowns.begin(), block.unknowns.end()};
    for (const int e : block.equations) {
      std::set<int> inside;
      for (const int k : symbols_of(system.residuals[at(e)]))
        if (open_unknowns_.contains(k)) inside.insert(k);
      open_.emplace_back(e, inside);
    }
  }

  void run(bool marks) {
    const std::vector<int> unknowns(open_unknowns_.begin(), open_unknowns_.end());
    for (const int k : unknowns) {
      if (!marks || unknowns.size() == 1 || !model_[k].iterates) continue;
      choose(k);
      angles_ = true;
    }
    for (;;) {
      while (assign_one()) {
      }
      if (open_unknowns_.empty()) break;
      choose(most_wanted());
    }
    for (const auto& [equation, inside] : open_) block_.residuals.push_back(equation);
    std::ranges::sort(block_.residuals);
  }

 private:
  struct Open {
    int equation;
    std::set<int> inside;  // unknowns that are still open
    Open(int e, std::set<int> s) : equation(e), inside(std::move(s)) {}
  };

  void close(int unknown) {
    open_unknowns_.erase(unknown);
    for (Open& one : open_) one.inside.erase(unknown);
  }
  void choose(int unknown) {
    block_.tears.push_back(unknown);
    close(unknown);
  }

  /// Cost of solving an equation: lowest for a numerical factor of x, then an angle; inlined formulas last,
  /// so that they remain residuals. Negative: not solvable, since the factor of x may vanish during a run. An
  /// angle has two solutions, which coincide at dead centres: only the user who marks a variable knows that
  /// its block stays away from them.
  int cost(int equation, const Solution& s) const {
    constexpr int formula = 10;
    const int marked = system_.marked[at(equation)] ? formula : 0;
    if (s.kind == Solution::Kind::angle) return angles_ ? marked + 1 : -1;
    for (const int k : symbols_of(s.a)) {
      const Symbol::Kind kind = model_[k].kind;
      if (kind != Symbol::Kind::parameter && kind != Symbol::Kind::rate)
        return block_.unknowns.size() > 1 ? -1 : marked;
    }
    return marked;
  }

  bool assign_one() {
    constexpr int none = 1000;
    int least = none;
    std::size_t best = 0;
    for (std::size_t k = 0; k < open_.size(); ++k) {
      if (open_[k].inside.size() != 1) continue;
      const std::optional<Solution>& s = solved_.solve(open_[k].equation, *open_[k].inside.begin());
      if (!s) continue;
      if (const int c = cost(open_[k].equation, *s); c >= 0 && c < least) {
        least = c;
        best = k;
      }
    }
    if (least == none) return false;
    const int unknown = *open_[best].inside.begin(), equation = open_[best].equation;
    block_.assignments.push_back({unknown, equation, *solved_.solve(equation, unknown)});
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(best));
    close(unknown);
    return true;
  }

  /// The unknown in most open equations; of several the one for which fewest of these can be solved.
  int most_wanted() {
    int best = -1, most = -1, fewest = 0;
    for (const int k : open_unknowns_) {
      int there = 0, solvable = 0;
      for (const Open& one : open_) {
        if (!one.inside.contains(k)) continue;
        ++there;
        if (const auto& s = solved_.solve(one.equation, k); s && cost(one.equation, *s) >= 0) ++solvable;
      }
      if (there > most || (there == most && solvable < fewest)) {
        best = k;
        most = there;
        fewest = solvable;
      }
    }
    return best;
  }

  const FlatModel& model_;
  const Inlined& system_;
  SolvedEquations& solved_;
  TornBlock& block_;
  std::set<int> open_unknowns_;
  std::vector<Open> open_;
  bool angles_ = false;  // may equations be solved for angles?
};

bool is_linear(const Inlined& system, const TornBlock& block, SolvedEquations& solved) {
  const std::set<int> inside(block.unknowns.begin(), block.unknowns.end());
  for (const int e : block.equations) {
    for (const int u : symbols_of(system.residuals[at(e)])) {
      if (!inside.contains(u)) continue;
      for (const int k : symbols_of(solved.derivative(e, u)))
        if (inside.contains(k)) return false;
    }
  }
  return true;
}

/// All blocks from the first coupled one to the last as one block.
std::vector<Block> merged(std::span<const Block> blocks) {
  const auto coupled = [](const Block& b) { return b.rows.size() > 1; };
  std::vector<Block> all(blocks.begin(), blocks.end());
  const auto first = std::ranges::find_if(all, coupled);
  if (first == all.end()) return all;
  const auto last = std::find_if(all.rbegin(), all.rend(), coupled).base();
  for (auto b = first + 1; b != last; ++b) {
    first->rows.insert(first->rows.end(), b->rows.begin(), b->rows.end());
    first->columns.insert(first->columns.end(), b->columns.begin(), b->columns.end());
  }
  all.erase(first + 1, last);
  return all;
}

}  // namespace

const std::optional<Solution>& SolvedEquations::solve(int equation, int unknown) {
  const auto key = std::pair(equation, unknown);
  const auto found = solutions_.find(key);
  if (found != solutions_.end()) return found->second;
  return solutions_.emplace(key, equations::solve(system_.residuals[at(equation)], unknown)).first->second;
}

const Expr& SolvedEquations::derivative(int equation, int unknown) {
  Expr& e = derivatives_[{equation, unknown}];
  if (!e) e = equations::derivative(system_.residuals[at(equation)], unknown);
  return e;
}

std::vector<TornBlock> tear(const FlatModel& model, const Inlined& system, std::span<const Block> blocks,
                            Tearing way, SolvedEquations& solved) {
  std::vector<TornBlock> torn;
  for (const Block& block :
       way == Tearing::whole ? merged(blocks) : std::vector<Block>(blocks.begin(), blocks.end())) {
    TornBlock made;
    made.equations = block.rows;
    for (const int c : block.columns) made.unknowns.push_back(system.unknowns[at(c)]);
    const bool coupled = block.rows.size() > 1;
    if (coupled && (way == Tearing::none || way == Tearing::whole)) {
      made.tears = made.unknowns;
      made.residuals = made.equations;
    } else {
      Tear(model, system, solved, made).run(way == Tearing::marked);
    }
    made.linear = !made.tears.empty() && is_linear(system, made, solved);
    torn.push_back(std::move(made));
  }
  return torn;
}

}  // namespace scree::equations
