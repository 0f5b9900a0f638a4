// The diagrams of a report, as data.
#pragma once

#include <string>
#include <vector>

#include "io/results/run_folder.h"
#include "io/results/step_rows.h"
#include "io/results/trajectory_reader.h"

namespace scree::io {

struct Series {
  std::string name;
  std::vector<double> values;  // [x]; NaN where there is none
};

/// A line across the diagram: what values are compared with.
struct Limit {
  std::string name;
  double value = 0.0;
  std::string colour;  // of CSS
};

struct Plot {
  std::string title, x_label, y_label;
  std::string note;          // below the diagram
  bool logarithmic = false;  // the y axis
  bool over_time = false;    // x is simulated time, s
  bool bars = false;
  std::vector<double> x;
  std::vector<Series> series;
  std::vector<Limit> limits;
};

/// Energies, ledger, contacts, overlap, residual, sweeps and times of the stages over the run, at most
/// `points` a line; only what the table has.
std::vector<Plot> step_plots(const StepRows& rows, std::size_t points);

/// What the scene measured; what boundaries, parts and joints bore and did, what passed inlets and outlets, and what a periodic
/// cell bore: of each table that the run has, at most `points` a line.
std::vector<Plot> load_plots(const RunFolder& folder, std::size_t points);

/// Sizes, directions and packing of the bodies at the first and the last frame. Throws ReadError.
std::vector<Plot> body_plots(const TrajectoryReader& reader);

}  // namespace scree::io
