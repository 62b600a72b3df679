#include "irn/report/svg-inl.h"

#include <algorithm>
#include <cmath>

#include "irn/base/number_text.h"
#include "irn/base/text.h"
#include "irn/report/xml-inl.h"

namespace irn::report {
namespace {

constexpr double kFarAway = 20000;      // pixels; some viewers hold coordinates in 16 bits
constexpr double kExponentSize = 0.72;  // of the text size
constexpr double kExponentRise = 0.42;

std::string stroke_attributes(const Stroke& stroke) {
  if (stroke.width <= 0) return "";
  std::string out = fill_in(R"( stroke="{}" stroke-width="{}")", {stroke.colour, pixel(stroke.width)});
  if (!stroke.dash.empty()) out += fill_in(R"( stroke-dasharray="{}")", {stroke.dash});
  return out;
}

std::string fill_attributes(const Fill& fill) {
  std::string out = fill_in(R"( fill="{}")", {fill.paint});
  if (fill.opacity < 1) out += fill_in(R"( fill-opacity="{}")", {pixel(fill.opacity)});
  return out;
}

std::string text_attributes(Point at, const TextStyle& style) {
  std::string out = fill_in(R"( x="{}" y="{}" font-size="{}" fill="{}")",
                            {pixel(at.x), pixel(at.y), pixel(style.size), style.colour});
  if (style.anchor == Anchor::middle) out += R"( text-anchor="middle")";
  if (style.anchor == Anchor::end) out += R"( text-anchor="end")";
  if (style.bold) out += R"( font-weight="bold")";
  if (style.halo) out += R"( stroke="#fff" stroke-width="3" stroke-linejoin="round" paint-order="stroke")";
  if (style.turn != 0) {
    out += fill_in(R"~( transform="rotate({} {} {})")~", {pixel(style.turn), pixel(at.x), pixel(at.y)});
  }
  return out;
}

// The advance of a character, in units of the text size.
double advance(std::string_view character) {
  if (character.size() > 1) return 0.68;
  const char c = character[0];
  if (std::string_view("ijl.,:;'|! ").find(c) != std::string_view::npos) return 0.32;
  if (std::string_view("frt()[]-/").find(c) != std::string_view::npos) return 0.40;
  if (std::string_view("mwMW@%").find(c) != std::string_view::npos) return 0.95;
  return c >= 'A' && c <= 'Z' ? 0.69 : 0.61;
}

}  // namespace

std::string pixel(double value) {
  const double bounded = std::isfinite(value) ? std::clamp(value, -kFarAway, kFarAway) : 0;
  std::string out = fixed_text(bounded, 2);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

double text_width(std::string_view text, double size) {
  double width = 0;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(1, utf8_length(text));
    width += advance(text.substr(0, length));
    text.remove_prefix(length);
  }
  return width * size;
}

double label_width(const TickLabel& label, double size) {
  return text_width(label.text, size) + text_width(label.exponent, kExponentSize * size);
}

std::vector<std::string> wrap(std::string_view text, double size, double width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    const bool fits = !lines.empty() && text_width(lines.back() + " " + std::string(word), size) <= width;
    if (fits)
      lines.back().append(" ").append(word);
    else
      lines.emplace_back(word);
  }
  return lines;
}

void Svg::line(Point from, Point to, const Stroke& stroke) {
  out_ += fill_in(R"(<line x1="{}" y1="{}" x2="{}" y2="{}"{}/>)",
                  {pixel(from.x), pixel(from.y), pixel(to.x), pixel(to.y), stroke_attributes(stroke)}) +
          "\n";
}

void Svg::rect(const Box& box, const Fill& fill, const Stroke& stroke) {
  out_ += fill_in(R"(<rect x="{}" y="{}" width="{}" height="{}"{}{}/>)",
                  {pixel(box.left), pixel(box.top), pixel(std::max(0.0, box.width)),
                   pixel(std::max(0.0, box.height)), fill_attributes(fill), stroke_attributes(stroke)}) +
          "\n";
}

void Svg::path(std::string_view commands, const Fill& fill, const Stroke& stroke) {
  if (commands.empty()) return;
  out_ +=
      fill_in(R"(<path d="{}"{}{}/>)", {commands, fill_attributes(fill), stroke_attributes(stroke)}) + "\n";
}

void Svg::text(Point at, std::string_view text, const TextStyle& style) {
  this->text(at, TickLabel{std::string(text), ""}, style);
}

void Svg::text(Point at, const TickLabel& label, const TextStyle& style) {
  if (label.text.empty()) return;
  std::string body = escape(label.text);
  if (!label.exponent.empty()) {
    body += fill_in(
        R"(<tspan dy="{}" font-size="{}">{}</tspan>)",
        {pixel(-kExponentRise * style.size), pixel(kExponentSize * style.size), escape(label.exponent)});
  }
  out_ += fill_in("<text{}>{}</text>\n", {text_attributes(at, style), body});
}

}  // namespace irn::report
