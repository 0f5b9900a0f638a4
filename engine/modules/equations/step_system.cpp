#include "engine/modules/equations/simulation.h"

namespace scree::equations {

namespace {

/// Joins consecutive blocks that have only assignments.
std::vector<TornBlock> joined(const std::vector<TornBlock>& torn) {
  std::vector<TornBlock> stages;
  for (const TornBlock& block : torn) {
    if (!block.tears.empty() || stages.empty() || !stages.back().tears.empty()) {
      stages.push_back(block);
      continue;
    }
    TornBlock& last = stages.back();
    last.unknowns.insert(last.unknowns.end(), block.unknowns.begin(), block.unknowns.end());
    last.equations.insert(last.equations.end(), block.equations.begin(), block.equations.end());
    last.assignments.insert(last.assignments.end(), block.assignments.begin(), block.assignments.end());
  }
  return stages;
}

[[noreturn]] void tell_singular(const FlatModel& model, const StepSystem& system, const Matching& matching) {
  const LeftOver left = dulmage_mendelsohn(system.incidence, matching);
  std::string text = "a step's equations cannot be matched with its unknowns; equations:";
  for (const int r : left.over_rows) text += "\n    " + model.equations[r].text;
  text += "\n  unknowns left over:";
  for (const int c : left.under_columns) text += " " + model[system.inlined.unknowns[c]].name;
  throw InputError({{{}, model.name, text, {}, {}, {}, {}}});
}

}  // namespace

StepSystem prepare_step(const FlatModel& model, const std::set<int>& dummies, Tearing tearing) {
  StepSystem system;
  system.dummies = dummies;
  system.inlined = inline_formulas(model, dummies);
  system.incidence = incidence_of(system.inlined.residuals, system.inlined.unknowns);
  const Matching matching = maximum_matching(system.incidence);
  if (matching.size() != static_cast<int>(system.inlined.residuals.size()) ||
      system.inlined.residuals.size() != system.inlined.unknowns.size())
    tell_singular(model, system, matching);
  system.blocks = block_order(system.incidence, matching);
  SolvedEquations solved(system.inlined);
  system.torn = tear(model, system.inlined, system.blocks, tearing, solved);
  system.stages = joined(system.torn);
  for (const TornBlock& stage : system.stages) {
    system.code.push_back(block_code(model, stage, system.inlined, solved));
    system.predicted.insert(system.predicted.end(), stage.tears.begin(), stage.tears.end());
    for (const TornBlock::Assignment& a : stage.assignments)
      if (a.solution.kind == Solution::Kind::angle) system.predicted.push_back(a.unknown);
  }
  return system;
}

FlatModel compile_model(const SourceText& source, const std::string& main,
                        const std::map<std::string, double>& parameters) {
  FlatModel model = flatten(parse(source), source, main, parameters);
  check_structure(model);
  remove_aliases(model);
  check_structure(model);  // e.g. a = b, b = c, c = a
  pantelides(model);
  return model;
}

}  // namespace scree::equations
