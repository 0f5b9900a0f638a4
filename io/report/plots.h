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
  std::vector<double> values;  // [x]; NaN if there is none
};

/// A line across the diagram as a reference for values.
struct Limit {
  std::string name;
  double value = 0.0;
  std::string colour;  // CSS colour
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
/// `points` per line; only columns that the table has.
std::vector<Plot> step_plots(const StepRows& rows, std::size_t points);

/// One line for each column of the steps that varies, for a diagram of any of them. Values are means of the
/// steps that share a point.
Plot any_column(const StepRows& rows, std::size_t points);

/// Measurements of the scene; loads of boundaries, parts, joints and a periodic cell; throughput of inlets
/// and outlets: from each table that the run has, at most `points` per line.
std::vector<Plot> load_plots(const RunFolder& folder, std::size_t points);

/// Sizes, directions and packing of the bodies at the first and the last frame. Throws ReadError.
std::vector<Plot> body_plots(const TrajectoryReader& reader);

}  // namespace scree::io
