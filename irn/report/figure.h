// Figures as in a journal, as plain data, and their rendering to SVG.
//
//   Figure -> Panels "(a)", "(b)", ... -> Series over two Axes, or a Matrix of numbers
//
// Every field has a default that looks right. Colours, dashes, markers and hatches follow from the order of
// the series, so that curves can be told apart by colour-blind readers and in black-and-white print. A point
// that is not finite, or not positive on a logarithmic axis, breaks its line and is not drawn. Nothing is
// computed from the data: means and bands must be given.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace irn::report {

enum class Mark { line, points, both, bars, steps };  // a step holds its value until the next x

struct Series {
  std::string label = {};  // an empty label keeps the series out of the legend
  std::vector<double> x = {}, y = {};
  // Mean -/+ its standard error, for example: a shaded band for lines, whiskers for points and bars. Empty:
  // none.
  std::vector<double> low = {}, high = {};
  Mark mark = Mark::line;
  int colour = -1;           // index of the palette, also of markers and hatches; -1: position in the panel
  int dash = -1;             // 0 is solid; -1: follows the colour
  bool show_values = false;  // bars only: the number above each bar
  bool hollow = false;       // points only: outlines, for equilibria that repel
  std::vector<std::string> names = {};  // points only: a text beside each; empty: none
};

struct Range {
  double low = 0, high = 1;
};

struct Axis {
  std::string label = {};  // with its unit: "time (s)"
  bool log = false;
  std::optional<Range> range = {};
  std::vector<double> ticks = {};            // empty: chosen automatically
  std::vector<std::string> categories = {};  // names for the values 0, 1, 2, ...; replaces numbers
};

struct ReferenceLine {
  enum class Kind { horizontal, vertical };
  Kind kind = Kind::horizontal;
  double at = 0;
  std::string label = {};
};

// A heat map or a confusion matrix; the first row is drawn at the top.
struct Matrix {
  std::vector<std::string> rows = {}, columns = {};
  std::vector<double> values = {};  // row by row; a cell whose value is not finite stays empty
  bool shade_by_row = false;        // shade by the share of the row's sum: suits confusion matrices
  bool numbers = true;              // print the value if the cell has room for it
  std::string value_label = {};     // beside the colour bar
};

// `automatic` takes the first inner corner without curves, or the strip above the plot if there is none; it
// shows nothing for a single series.
enum class Legend { automatic, top_right, top_left, bottom_left, bottom_right, above, none };

struct Panel {
  std::string title = {};  // "(a) Training error"
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  Legend legend = Legend::automatic;
  std::vector<ReferenceLine> references = {};
  std::optional<Matrix> matrix = {};  // drawn instead of the series; x.label and y.label still apply
};

struct Figure {
  std::string name = {};  // file stem, and the prefix of the identifiers inside the SVG
  std::string caption = {};
  std::vector<Panel> panels = {};
  int columns = 0;  // 0: up to two panels side by side
  double plot_width = 0,
         plot_height = 0;  // of one panel's inner rectangle, in pixels; 0: by number of columns
};

// A complete SVG document without XML declaration: can be a file of its own or part of HTML. Throws
// irn::Error if the lengths of x, y, low and high, or the size of a matrix, do not fit.
std::string svg(const Figure& figure);

}  // namespace irn::report
