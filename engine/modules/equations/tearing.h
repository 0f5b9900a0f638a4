// Tearing of blocks of coupled equations: some unknowns are iterated, all others follow from them one by one.
#pragma once

#include <map>
#include <span>

#include "engine/modules/equations/inlining.h"
#include "engine/modules/equations/structure.h"
#include "engine/modules/equations/symbolic.h"

namespace scree::equations {

enum class Tearing {
  marked,     // the variables marked in the model, then more by the heuristic if needed
  heuristic,  // the variable that occurs in most open equations, until the rest follows (after Elmqvist,
              // Otter 1994, and Cellier)
  none,       // all unknowns of a block are iterated
  whole,      // all blocks from the first coupled one to the last form one, with all its unknowns iterated
};

struct TornBlock {
  struct Assignment {
    int unknown, equation;  // index of a symbol; index in Inlined::residuals
    Solution solution;
  };
  std::vector<int> unknowns, equations;  // all of the block, matched
  std::vector<int> tears;                // symbols; empty: the block has only assignments
  std::vector<Assignment> assignments;   // in the order of evaluation
  std::vector<int> residuals;            // as many equations as tears
  bool linear = false;                   // in its unknowns: one Newton step solves it
  std::size_t size() const { return unknowns.size(); }
};

/// Solves and differentiates equations, and keeps the results.
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

/// The blocks of a step in the order of solution, all torn.
std::vector<TornBlock> tear(const FlatModel& model, const Inlined& system, std::span<const Block> blocks,
                            Tearing way, SolvedEquations& solved);

}  // namespace scree::equations
