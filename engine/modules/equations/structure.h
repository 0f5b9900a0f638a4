// Structure: which unknowns occur in which equations, and its consequences. Rows are equations, columns
// unknowns.
#pragma once

#include <span>
#include <vector>

#include "engine/modules/equations/model.h"

namespace scree::equations {

struct Incidence {
  int columns = 0;
  std::vector<std::vector<int>> rows;  // [row] columns, ascending
};

struct Matching {
  std::vector<int> of_row, of_column;  // the partner, -1: none
  int size() const;
};

/// As many pairs as possible (Edmonds 1965, by Boost).
Matching maximum_matching(const Incidence& incidence);

/// The part that a maximum matching leaves over, with all rows and columns connected to it (Dulmage,
/// Mendelsohn 1958): rows without enough columns, and columns without enough rows.
struct LeftOver {
  std::vector<int> over_rows, over_columns, under_rows, under_columns;  // ascending
  bool empty() const { return over_rows.empty() && under_columns.empty(); }
};
LeftOver dulmage_mendelsohn(const Incidence& incidence, const Matching& matching);

struct Block {
  std::vector<int> rows, columns;  // rows[k] is matched with columns[k]
};

/// Strongly connected components (Tarjan 1972, by Boost) of a square system with a full matching. Each comes
/// after those whose unknowns it contains. Blocks that no coupled block (more than one unknown) needs come
/// last; blocks that coupled ones need and that need no coupled block come first.
std::vector<Block> block_order(const Incidence& incidence, const Matching& matching);

/// Occurrence of unknowns [column] in equations [row].
Incidence incidence_of(std::span<const Expr> residuals, std::span<const int> unknowns);

/// Throws InputError if equations and variables cannot be matched (a variable also stands for its
/// derivatives). Names the superfluous equations and the undetermined variables, with those connected to
/// them.
void check_structure(const FlatModel& model);

}  // namespace scree::equations
