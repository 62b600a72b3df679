#include "irn/report/palette-inl.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "irn/base/number_text.h"
#include "irn/report/xml-inl.h"

namespace irn::report {
namespace {

constexpr std::array<std::string_view, 8> kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                      "#000000", "#E69F00", "#56B4E9", "#D9CC2B"};
constexpr std::array<std::string_view, 5> kDashes = {"", "7 3", "2 2.4", "9 3 2 3", "4 2"};

// White strokes over the colour; coarse enough to survive a copier.
constexpr std::array<std::string_view, 4> kHatches = {
    "", R"(<path d="M0,6L6,0" stroke="#fff" stroke-width="1.3"/>)",
    R"(<circle cx="3" cy="3" r="1.1" fill="#fff"/>)",
    R"(<path d="M0,3H6" stroke="#fff" stroke-width="1.3"/>)"};

template <std::size_t n>
std::size_t wrapped(int index) {
  return static_cast<std::size_t>(std::max(0, index)) % n;
}

std::string circle(Point c, double r) {
  return fill_in("M{0},{1}a{2},{2} 0 1 0 {3},0a{2},{2} 0 1 0 -{3},0Z",
                 {pixel(c.x - r), pixel(c.y), pixel(r), pixel(2 * r)});
}

// After ColorBrewer's "Blues", which prints well in grey.
constexpr std::array<std::array<double, 3>, 5> kRamp = {
    {{255, 255, 255}, {198, 219, 239}, {107, 174, 214}, {33, 113, 181}, {8, 48, 107}}};

}  // namespace

Look look_of(const Panel& panel, std::size_t index) {
  const Series& series = panel.series[index];
  const int colour = series.colour >= 0 ? series.colour : static_cast<int>(index);
  return {colour, series.dash >= 0 ? series.dash : colour};
}

std::string_view colour_of(Look look) { return kColours[wrapped<kColours.size()>(look.colour)]; }
std::string_view dash_of(Look look) { return kDashes[wrapped<kDashes.size()>(look.dash)]; }

// The factors give all shapes about the same area.
std::string marker_path(Look look, Point c, double r) {
  const auto path = [&](std::string_view pattern, double size) {
    return fill_in(pattern, {pixel(c.x), pixel(c.y), pixel(c.x - size), pixel(c.x + size), pixel(c.y - size),
                             pixel(c.y + size)});
  };
  switch (wrapped<5>(look.colour)) {
    case 0:
      return circle(c, r);
    case 1:
      return path("M{2},{4}H{3}V{5}H{2}Z", 0.9 * r);
    case 2:
      return path("M{0},{4}L{3},{5}H{2}Z", 1.15 * r);
    case 3:
      return path("M{0},{4}L{3},{1}L{0},{5}L{2},{1}Z", 1.3 * r);
    default:
      return path("M{0},{5}L{3},{4}H{2}Z", 1.15 * r);
  }
}

std::string hatch_definitions(std::string_view prefix) {
  std::string out = "<defs>\n";
  for (std::size_t i = 1; i < kHatches.size(); ++i) {
    out +=
        fill_in(R"(<pattern id="{}-hatch{}" width="6" height="6" patternUnits="userSpaceOnUse">{}</pattern>)",
                {prefix, std::to_string(i), kHatches[i]}) +
        "\n";
  }
  return out + "</defs>\n";
}

std::string hatch_of(Look look, std::string_view prefix) {
  const std::size_t i = wrapped<kHatches.size()>(look.colour);
  return i == 0 ? "" : fill_in("url(#{}-hatch{})", {prefix, std::to_string(i)});
}

std::string shade(double share) {
  const double position = std::clamp(share, 0.0, 1.0) * static_cast<double>(kRamp.size() - 1);
  const auto left = std::min(static_cast<std::size_t>(position), kRamp.size() - 2);
  const double part = position - static_cast<double>(left);
  const auto mixed = [&](std::size_t i) {
    const long level = std::lround((1 - part) * kRamp[left][i] + part * kRamp[left + 1][i]);
    return hex_text(static_cast<std::uint32_t>(level), 2);
  };
  return fill_in("#{}{}{}", {mixed(0), mixed(1), mixed(2)});
}

bool is_dark(double share) { return share > 0.55; }

}  // namespace irn::report
