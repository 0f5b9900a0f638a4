// Which unknowns stand in which equations, and what follows from that alone. Rows are equations, columns
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

/// As many pairs as can be (Edmonds 1965, by Boost).
Matching maximum_matching(const Incidence& incidence);

/// What a maximum matching leaves over, with everything tied to it (Dulmage, Mendelsohn 1958): the rows of
/// the first part have fewer columns than they are, the columns of the second fewer rows.
struct LeftOver {
  std::vector<int> over_rows, over_columns, under_rows, under_columns;  // ascending
  bool empty() const { return over_rows.empty() && under_columns.empty(); }
};
LeftOver dulmage_mendelsohn(const Incidence& incidence, const Matching& matching);

struct Block {
  std::vector<int> rows, columns;  // rows[k] is matched with columns[k]
};

/// Strongly connected parts (Tarjan 1972, by Boost) of a square system with a full matching, each after those
/// whose unknowns stand in it. What coupled blocks (more than one unknown) do not need comes last; what they
/// need and does not need them, first.
std::vector<Block> block_order(const Incidence& incidence, const Matching& matching);

/// Unknowns [column] in equations [row].
Incidence incidence_of(std::span<const Expr> residuals, std::span<const int> unknowns);

/// Throws InputError where equations and variables cannot be matched, a variable standing for its derivatives
/// too: names the equations that are too many and the variables that are not determined, with those beside.
void check_structure(const FlatModel& model);

}  // namespace scree::equations
