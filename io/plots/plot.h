// Plots of measured curves, drawn by gnuplot.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace scree::io {

enum class Line {
  plain,
  marked,  // the values stand out as points
  dashed,
  nested,  // each thinner than the one before, so that all show where they coincide
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

/// One diagram. Values that are not positive are left out where the axis is not linear.
struct Panel {
  std::string title, x_label, y_label;
  Axis x_axis = Axis::linear, y_axis = Axis::linear;
  std::vector<Curve> curves;
  bool y_from_zero = false;                         // on a linear axis: heights can be compared by eye
  bool whole_x = false;                             // x counts something: marks at whole numbers only
  std::optional<AxisRange> x_range = {}, y_range = {};  // else what the values need
};

/// True if the ending is one that write_plot() knows: .svg, .png or .pdf.
bool is_plot_file(const std::filesystem::path& path);

/// Draws the panels under a title, side by side, from four on in two columns. Throws WriteError if gnuplot is
/// missing or fails.
void write_plot(const std::filesystem::path& path, const std::string& title,
                const std::vector<Panel>& panels);

}  // namespace scree::io
