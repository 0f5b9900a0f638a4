// Plots of measured curves, drawn by gnuplot.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scree::io {

enum class Line {
  plain,
  marked,  // values are shown as points
  dashed,
  nested,  // each thinner than the one before, so that coinciding lines remain visible
};

struct Curve {
  std::string label;
  std::vector<double> x, y;
  Line line = Line::marked;
};

enum class Axis { linear, logarithmic, doubling };  // doubling: logarithmic with marks at powers of two

struct AxisRange {
  double low, high;
};

/// One diagram. Values that are not positive are left out if the axis is not linear.
struct Panel {
  std::string title, x_label, y_label;
  Axis x_axis = Axis::linear, y_axis = Axis::linear;
  std::vector<Curve> curves;
  bool y_from_zero = false;                             // on a linear axis: heights can be compared by eye
  bool whole_x = false;                                 // x is a count: marks at whole numbers only
  std::optional<AxisRange> x_range = {}, y_range = {};  // default: from the values
};

/// True if write_plot() supports the ending: .svg, .png or .pdf.
bool is_plot_file(const std::filesystem::path& path);

/// Draws the panels under a title, side by side, in two columns for four or more. Throws WriteError if
/// gnuplot missing or fails.
void write_plot(const std::filesystem::path& path, const std::string& title,
                const std::vector<Panel>& panels);

}  // namespace scree::io
