// The structure of a step of a declarative model, for people: as text and as a picture.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/modules/equations/simulation.h"

namespace scree {

/// The incidence matrix of a step, and an order of it in which torn blocks stand on the diagonal: within a
/// block first what follows, then what is iterated.
struct StructureView {
  struct Span {
    int first, size, tears;  // places in the order; the last `tears` are iterated
  };
  std::vector<std::string> unknowns, equations;  // as written
  std::vector<std::vector<char>> stands;         // [equation][unknown]
  std::vector<int> rows, columns;                // [place] equation, unknown
  std::vector<Span> blocks;                      // of more than one unknown, or iterated
};

StructureView structure_view(const equations::FlatModel& model, const equations::StepSystem& system);

/// Counts, states, what was differentiated, both matrices where they are small, every block and its tearing.
std::string structure_text(const equations::FlatModel& model, const equations::StepSystem& system);

/// Both matrices side by side. Throws io::WriteError.
void draw_structure(const StructureView& view, const std::string& title, const std::filesystem::path& png);

}  // namespace scree
