// Plots of measured curves, drawn by gnuplot.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace scree::io {

struct Curve {
  std::string label;
  std::vector<double> x, y;
  bool points = true;  // marks the values on the line
};

enum class Axis { linear, logarithmic };

/// One diagram. On a logarithmic axis values that are not positive are left out.
struct Panel {
  std::string title, x_label, y_label;
  Axis x_axis = Axis::linear, y_axis = Axis::linear;
  std::vector<Curve> curves;
  bool y_from_zero = false;  // on a linear axis: heights can be compared by eye
  bool whole_x = false;      // x counts something: marks at whole numbers only
};

/// True if the ending is one that write_plot() knows: .svg, .png or .pdf.
bool is_plot_file(const std::filesystem::path& path);

/// Draws the panels under a title, side by side, from four on in two columns. Throws WriteError if gnuplot is missing or fails.
void write_plot(const std::filesystem::path& path, const std::string& title,
                const std::vector<Panel>& panels);

}  // namespace scree::io
