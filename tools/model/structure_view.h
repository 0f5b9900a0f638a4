// The structure of a step of a declarative model for users: as text and as an image.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/modules/equations/simulation.h"

namespace scree {

/// The incidence matrix of a step, and an order in which torn blocks are on the diagonal: within a
/// block first the unknowns that follow, then the iterated ones.
struct StructureView {
  struct Span {
    int first, size, tears;  // positions in the order; the last `tears` are iterated
  };
  std::vector<std::string> unknowns, equations;  // source texts
  std::vector<std::vector<char>> stands;         // [equation][unknown]
  std::vector<int> rows, columns;                // [position] equation, unknown
  std::vector<Span> blocks;                      // those with more than one unknown, or iterated
};

StructureView structure_view(const equations::FlatModel& model, const equations::StepSystem& system);

/// Counts, states, differentiated equations, both matrices if they are small, each block and its tearing.
std::string structure_text(const equations::FlatModel& model, const equations::StepSystem& system);

/// Both matrices side by side. Throws io::WriteError.
void draw_structure(const StructureView& view, const std::string& title, const std::filesystem::path& png);

}  // namespace scree
