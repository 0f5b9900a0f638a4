// Blocks of coupled equations, torn: some unknowns are iterated, all others follow from them one by one.
#pragma once

#include <map>
#include <span>

#include "engine/modules/equations/inlining.h"
#include "engine/modules/equations/structure.h"
#include "engine/modules/equations/symbolic.h"

namespace scree::equations {

enum class Tearing {
  marked,     // the variables marked in the model, then by the heuristic what is still missing
  heuristic,  // the variable that stands in most open equations, until the rest follows (after Elmqvist,
              // Otter 1994, and Cellier)
  none,       // all unknowns of a block are iterated
  whole,      // all blocks from the first coupled one to the last are one, all its unknowns iterated
};

struct TornBlock {
  struct Assignment {
    int unknown, equation;  // symbol; place in Inlined::residuals
    Solution solution;
  };
  std::vector<int> unknowns, equations;  // all of the block, matched
  std::vector<int> tears;                // symbols; empty: the block is assignments alone
  std::vector<Assignment> assignments;   // in the order in which they follow
  std::vector<int> residuals;            // as many equations as tears
  bool linear = false;                   // in its unknowns: one step of Newton's method solves it
  std::size_t size() const { return unknowns.size(); }
};

/// Solves and differentiates, each question once.
class SolvedEquations {
 public:
  explicit SolvedEquations(const Inlined& system) : system_(system) {}
  const std::optional<Solution>& solve(int equation, int unknown);
  const Expr& derivative(int equation, int unknown);

 private:
  const Inlined& system_;
  std::map<std::pair<int, int>, std::optional<Solution>> solutions_;
  std::map<std::pair<int, int>, Expr> derivatives_;
};

/// The blocks of a step in the order in which they are solved, all torn.
std::vector<TornBlock> tear(const FlatModel& model, const Inlined& system, std::span<const Block> blocks,
                            Tearing way, SolvedEquations& solved);

}  // namespace scree::equations
