// A thin writer of SVG elements: pixels in, text out. Knows nothing of axes or data. Colours are attributes,
// not style sheets, so that every viewer and every editor shows the same picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "irn/report/ticks-inl.h"

namespace irn::report {

struct Point {
  double x = 0, y = 0;
};

struct Box {
  double left = 0, top = 0, width = 0, height = 0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 12;
  Anchor anchor = Anchor::start;
  bool bold = false;
  double turn = 0;    // degrees, clockwise, about the anchor
  bool halo = false;  // a white rim, readable over lines
  std::string_view colour = "#222222";
};

struct Stroke {
  std::string_view colour = "#222222";
  double width = 1;
  std::string_view dash = "";
};

struct Fill {
  std::string_view paint = "none";
  double opacity = 1;
};

// Two decimals without trailing zeros. Values far away are limited to what every viewer can handle.
std::string pixel(double value);

// Estimated for the wide DejaVu Sans, so that narrower fonts leave a little space and nothing is clipped.
double text_width(std::string_view text, double size);
double label_width(const TickLabel& label, double size);

// Breaks at spaces so that each line fits; a single word is never broken.
std::vector<std::string> wrap(std::string_view text, double size, double width);

class Svg {
 public:
  void raw(std::string_view markup) { out_ += markup; }
  void line(Point from, Point to, const Stroke& stroke);
  void rect(const Box& box, const Fill& fill, const Stroke& stroke = {.width = 0});
  void path(std::string_view commands, const Fill& fill, const Stroke& stroke);
  void text(Point at, std::string_view text, const TextStyle& style);
  void text(Point at, const TickLabel& label, const TextStyle& style);
  const std::string& str() const { return out_; }

 private:
  std::string out_;
};

}  // namespace irn::report
