#include "io/plots/plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <sys/wait.h>

#include "io/files/file_errors.h"
#include "io/files/text_file.h"

namespace scree::io {

namespace {

constexpr int panel_width = 520, panel_height = 420;  // pixels
constexpr int most_columns = 3;
constexpr double most_whole_marks = 16.0;  // above it, marks are at whole numbers anyway
// Okabe and Ito's colours, which colour-blind people can distinguish.
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                   "#e69f00", "#56b4e9", "#000000"};

/// A text between single quotes.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

struct Layout {
  int rows, columns;
};

Layout layout(std::size_t panels) {
  const int count = static_cast<int>(panels), columns = count > most_columns ? 2 : count;
  return {(count + columns - 1) / columns, columns};
}

std::string terminal(const std::filesystem::path& path, const Layout& panels) {
  const int width = panel_width * panels.columns, height = panel_height * panels.rows;
  const std::string ending = path.extension().string();
  if (ending == ".svg")
    return fmt::format("svg size {},{} noenhanced font 'sans-serif,13' background 'white'", width, height);
  if (ending == ".pdf")
    return fmt::format("pdfcairo size {}in,{}in noenhanced font 'sans,11'", width / 100.0, height / 100.0);
  return fmt::format("pngcairo size {},{} noenhanced font 'sans,11'", width, height);
}

bool is_shown(const Panel& panel, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && (panel.x_axis == Axis::linear || x > 0.0) &&
         (panel.y_axis == Axis::linear || y > 0.0);
}

bool is_shown(const Panel& panel, const Curve& curve) {
  for (std::size_t k = 0; k < curve.x.size(); ++k)
    if (is_shown(panel, curve.x[k], curve.y[k])) return true;
  return false;
}

std::string data_block(const Panel& panel, const Curve& curve, const std::string& name) {
  std::string text = "$" + name + " << END\n";
  for (std::size_t k = 0; k < curve.x.size(); ++k) {
    if (is_shown(panel, curve.x[k], curve.y[k]))
      text += fmt::format("{} {}\n", curve.x[k], curve.y[k]);
  }
  return text + "END\n";
}

double largest_x(const Panel& panel) {
  double largest = 0.0;
  for (const Curve& curve : panel.curves) {
    for (const double x : curve.x) largest = std::max(largest, x);
  }
  return largest;
}

/// Style of curve k of this number of curves.
std::string style(const Curve& curve, std::size_t k, std::size_t curves) {
  constexpr double thinnest = 2.0, thicker = 2.0;  // points
  // A line has two points.
  const Line line = curve.x.size() == 1 ? Line::marked : curve.line;
  switch (line) {
    case Line::plain:
      return "lines linewidth 2";
    case Line::marked:
      return "linespoints pointtype 7 pointsize 0.5 linewidth 2";
    case Line::dashed:
      return "lines dashtype 2 linewidth 2";
    case Line::nested:
      return fmt::format("lines linewidth {}", thinnest + thicker * static_cast<double>(curves - 1 - k));
  }
  return "";
}

std::string axis_commands(char which, Axis kind) {
  switch (kind) {
    case Axis::linear:
      return fmt::format("unset logscale {0}\nset format {0} '%g'\n", which);
    case Axis::logarithmic:
      return fmt::format("set logscale {0}\nset format {0} '%.0e'\n", which);
    case Axis::doubling:
      return fmt::format("set logscale {0} 2\nset format {0} '%g'\n", which);
  }
  return "";
}

std::string range_command(char which, const std::optional<AxisRange>& range, bool from_zero) {
  if (range) return fmt::format("set {}range [{:.9g}:{:.9g}]\n", which, range->low, range->high);
  return fmt::format("set {}range [{}:*]\n", which, from_zero ? "0" : "*");
}

std::string panel_commands(const Panel& panel, std::size_t number) {
  std::string data, plot;
  for (std::size_t k = 0; k < panel.curves.size(); ++k) {
    const Curve& curve = panel.curves[k];
    if (!is_shown(panel, curve)) continue;
    const std::string name = fmt::format("curve_{}_{}", number, k);
    data += data_block(panel, curve, name);
    plot += fmt::format("{}${} using 1:2 with {} linecolor rgb '{}' title {}", plot.empty() ? "plot " : ", ",
                        name, style(curve, k, panel.curves.size()), colours[k % std::size(colours)],
                        quoted(curve.label));
  }
  const std::string texts = "set title " + quoted(panel.title) + "\nset xlabel " + quoted(panel.x_label) +
                            " offset 0,0.6" + "\nset ylabel " + quoted(panel.y_label) + "\n";
  if (plot.empty())
    return texts +
           "unset logscale\nset xrange [0:1]\nset yrange [0:1]\nset format x ''\nset format y ''\n"
           "set label 1 'no values' at graph 0.5,0.5 center\nplot NaN notitle\nunset label 1\n";
  return data + texts + axis_commands('x', panel.x_axis) + axis_commands('y', panel.y_axis) +
         (panel.whole_x && largest_x(panel) <= most_whole_marks ? "set xtics 1\n" : "set xtics autofreq\n") +
         range_command('x', panel.x_range, false) + range_command('y', panel.y_range, panel.y_from_zero) +
         plot + "\n";
}

}  // namespace

bool is_plot_file(const std::filesystem::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".svg" || ending == ".png" || ending == ".pdf";
}

void write_plot(const std::filesystem::path& path, const std::string& title,
                const std::vector<Panel>& panels) {
  // gnuplot runs a name that begins with | as a command, and a line end terminates its strings.
  const std::filesystem::path file = std::filesystem::absolute(path);
  if (file.string().find('\n') != std::string::npos)
    throw WriteError(fmt::format("cannot write {}: the name has a line break", path.string()));
  const std::filesystem::path passing = temporary_name(file);  // a picture that is there stays if this fails
  const Layout grid = layout(panels.size());
  std::string script = fmt::format("set terminal {}\nset output {}\nset grid\nset key below height 0.5\n",
                                   terminal(path, grid), quoted(passing.string()));
  script += fmt::format("set multiplot layout {},{} title {}\n", grid.rows, grid.columns, quoted(title));
  for (std::size_t k = 0; k < panels.size(); ++k) script += panel_commands(panels[k], k);
  script += "unset multiplot\nset output\n";
  FILE* pipe = popen("gnuplot >/dev/null 2>&1", "w");
  if (!pipe) throw WriteError("gnuplot cannot be started");
  const bool sent = std::fwrite(script.data(), 1, script.size(), pipe) == script.size();
  const int status = pclose(pipe);
  constexpr int command_not_found = 127;
  if (WIFEXITED(status) && WEXITSTATUS(status) == command_not_found)
    throw WriteError(fmt::format(
        "{}: plots are drawn by gnuplot, which is not installed (Debian: gnuplot-nox)", path.string()));
  if (!sent || status != 0) {
    std::error_code ignored;
    std::filesystem::remove(passing, ignored);
    throw WriteError(fmt::format("{}: gnuplot could not draw it", path.string()));
  }
  rename_file(passing, file);
}

}  // namespace scree::io
