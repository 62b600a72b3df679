#include "irn/report/figure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "irn/base/error.h"
#include "irn/report/legend-inl.h"
#include "irn/report/panel-inl.h"
#include "irn/report/well_formed-inl.h"

namespace irn::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                 kInf = std::numeric_limits<double>::infinity();
constexpr Mark kMarks[] = {Mark::line, Mark::points, Mark::both, Mark::bars, Mark::steps};

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string draw(Panel panel) { return svg({.name = "test", .panels = {std::move(panel)}}); }

// The odd numbers that users will pass.
std::vector<std::vector<double>> odd_values() {
  return {{},
          {1},
          {0, 0, 0},
          {-1, -1},
          {kNan, kNan},
          {kInf, 1, -kInf},
          {1, kNan, 3, 4},
          {1e308, -1e308},
          {5e-324, 1},
          {1, 1 + 1e-16},
          {1e15, 1e15 + 1},
          {-5, 0, 5},
          {1e-300, 1e300},
          {0.25, 0.25},
          {1e-9, 2e-9, 3e-9},
          {-0.0, 0.0}};
}

TEST(Figure, IsWellFormedForEveryMarkScaleAndOddValue) {
  for (const auto& y : odd_values()) {
    for (const Mark mark : kMarks) {
      for (int scales = 0; scales < 4; ++scales) {
        Series s{.label = "odd", .x = y, .y = y, .low = y, .high = y, .mark = mark, .show_values = true};
        const Panel panel{.x = {.label = "x", .log = scales % 2 == 1},
                          .y = {.log = scales > 1},
                          .series = {s, s},
                          .references = {{ReferenceLine::Kind::horizontal, y.empty() ? kNan : y[0], "here"}}};
        ASSERT_EQ(WellFormed::complaint(draw(panel)), "") << testing::PrintToString(y) << scales;
      }
    }
  }
}

TEST(Figure, TakesOddRanges) {
  for (const Range range :
       {Range{0, 0}, {1, -1}, {kNan, 1}, {-kInf, kInf}, {-1, 1}, {1e9, 2e9}, {1, 1 + 1e-15}}) {
    for (const bool log : {false, true}) {
      const Axis axis{.log = log, .range = range};
      EXPECT_EQ(WellFormed::complaint(draw({.x = axis, .y = axis, .series = {{.x = {1, 2}, .y = {3, 4e5}}}})),
                "");
    }
  }
}

TEST(Figure, WithoutPanelsOrDataStillStands) {
  EXPECT_EQ(WellFormed::complaint(svg({})), "");
  EXPECT_TRUE(contains(draw({}), "no data"));
  EXPECT_TRUE(contains(draw({.y = {.log = true}, .series = {{.x = {1}, .y = {-1}}}}), "no data"));
  EXPECT_FALSE(contains(draw({.series = {{.x = {1}, .y = {-1}}}}), "no data"));
}

TEST(Figure, EscapesEveryText) {
  const std::string bad = "<b>&\"'\xFF";
  const ReferenceLine line{.at = 1, .label = bad};
  const Panel curves{.title = bad,
                     .x = {.label = bad, .categories = {bad}},
                     .y = {.label = bad},
                     .series = {{.label = bad, .x = {0}, .y = {1}}, {.label = bad}},
                     .references = {line}};
  const Panel cells{.title = bad,
                    .matrix = Matrix{.rows = {bad}, .columns = {bad}, .values = {1}, .value_label = bad}};
  const std::string out = svg({.name = bad, .caption = bad, .panels = {curves, cells}});
  EXPECT_EQ(WellFormed::complaint(out), "");
  EXPECT_FALSE(contains(out, "<b>"));
}

TEST(Figure, BreaksTheLineAtWhatCannotBeShown) {
  const std::string out = draw({.series = {{.x = {0, 1, 2, 3, 4}, .y = {0, 1, kNan, 1, 0}}}});
  const std::string path = out.substr(out.rfind("<path d="));
  const std::string line = path.substr(0, path.find("/>"));
  EXPECT_EQ(std::ranges::count(line, 'M'), 2);
}

TEST(Figure, DrawsAHundredThousandPointsInFewBytes) {
  Series s;
  for (int i = 0; i < 100'000; ++i) s.x.push_back(i), s.y.push_back(std::sin(0.1 * i * i));
  EXPECT_LT(draw({.series = {s}}).size(), 60'000u);
}

TEST(Figure, NamesPointsInsideThePlot) {
  Series s{.x = {1, 2, 3, 9},
           .y = {1, 2, 3, 9},
           .mark = Mark::points,
           .hollow = true,
           .names = {"", "fold", "Hopf", "beyond"}};
  const Axis axis{.range = Range{0, 3}};
  const std::string out = draw({.x = axis, .y = axis, .series = {s}});
  EXPECT_EQ(WellFormed::complaint(out), "");
  EXPECT_TRUE(contains(out, ">fold<"));
  EXPECT_TRUE(contains(out, ">Hopf<"));
  EXPECT_FALSE(contains(out, ">beyond<"));
  s.names = {"one"};
  EXPECT_THROW(draw({.series = {s}}), Error);
}

TEST(Figure, NamesOfPointsKeepClearOfEachOther) {
  const PanelPlan plan = plan_panel(
      {.series = {{.x = {1, 1, 1}, .y = {1, 1, 1}, .mark = Mark::points, .names = {"fold", "fold", "fold"}}}},
      300, 200);
  ASSERT_EQ(plan.names.size(), 3u);
  EXPECT_NE(plan.names[0].label.at.x, plan.names[1].label.at.x);
  EXPECT_NE(plan.names[1].label.at.y, plan.names[2].label.at.y);
}

TEST(Figure, RefusesLengthsThatDoNotFit) {
  EXPECT_THROW(draw({.series = {{.x = {1, 2}, .y = {1}}}}), Error);
  EXPECT_THROW(draw({.series = {{.x = {1, 2}, .y = {1, 2}, .low = {1, 2}}}}), Error);
  EXPECT_THROW(draw({.series = {{.x = {1, 2}, .y = {1, 2}, .low = {1}, .high = {2}}}}), Error);
  EXPECT_THROW(draw({.matrix = Matrix{.rows = {"a"}, .columns = {"b"}, .values = {}}}), Error);
}

TEST(Matrix, ShowsNumbersWhereTheyFit) {
  const auto cells = [](std::size_t n) {
    return Matrix{std::vector<std::string>(n, "r"), std::vector<std::string>(n, "c"),
                  std::vector<double>(n * n, 4321)};
  };
  EXPECT_TRUE(contains(draw({.matrix = cells(3)}), ">4321<"));
  EXPECT_FALSE(contains(draw({.matrix = cells(90)}), ">4321<"));
  for (const double odd : {kNan, kInf, 0.0, -1.0, 1e308}) {
    const Matrix m{.rows = {"a", "b"}, .columns = {"c"}, .values = {odd, odd}, .shade_by_row = odd < 0};
    EXPECT_EQ(WellFormed::complaint(draw({.matrix = m})), "") << odd;
  }
  EXPECT_EQ(WellFormed::complaint(draw({.matrix = Matrix{}})), "");
}

// Random walks: the legend must be outside of the plot or on no curve.
TEST(Legend, NeverCoversACurve) {
  std::mt19937 random(3);
  std::normal_distribution<double> step;
  int inside = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Panel panel;
    for (int k = 0; k < 3; ++k) {
      Series s{.label = "a walk"};
      for (int i = 0; i < 60; ++i)
        s.x.push_back(i), s.y.push_back((i ? s.y.back() : 0) + step(random) + trial * 0.01);
      panel.series.push_back(s);
    }
    const PanelPlan plan = plan_panel(panel, 345, 235);
    inside += plan.legend.above ? 0 : 1;
    EXPECT_TRUE(plan.legend.above || hits(covered_pixels(panel, plan.axes.frame), plan.legend.box) == 0);
  }
  EXPECT_GT(inside, 50);
}

TEST(Legend, IsLeftOutForASingleSeriesOrOnRequest) {
  const Series s{.label = "alone", .x = {0, 1}, .y = {0, 1}};
  EXPECT_FALSE(contains(draw({.series = {s}}), ">alone<"));
  EXPECT_TRUE(contains(draw({.series = {s}, .legend = Legend::above}), ">alone<"));
  EXPECT_TRUE(contains(draw({.series = {s, s}}), ">alone<"));
  EXPECT_FALSE(contains(draw({.series = {s, s}, .legend = Legend::none}), ">alone<"));
}

// Labels along x keep their distance, whatever the numbers are.
TEST(Axes, LabelsDoNotOverlap) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> exponent(-8, 8), sign(-1, 1);
  for (int trial = 0; trial < 2000; ++trial) {
    const double low = sign(random) * std::pow(10, exponent(random)),
                 high = low + std::pow(10, exponent(random));
    const AxesPlan plan = plan_axes({.x = {.range = Range{low, high}}}, 255, 185, false);
    double end = -1e9;
    for (const Tick& tick : plan.x.major) {
      const double half = label_width(tick.label, 11) / 2;
      if (tick.label.text.empty()) continue;
      EXPECT_GE(plan.frame.x(tick.at) - half, end) << low << " " << high;
      end = plan.frame.x(tick.at) + half;
    }
  }
}

// The whole picture of a small figure, so that no change goes unseen. After an intended change: look at it,
// and paste it here.
TEST(Figure, GoldenSmallOne) {
  const Panel panel{
      .title = "(a)",
      .x = {.label = "t", .range = Range{0, 2}},
      .y = {.range = Range{0, 1}},
      .series = {{.x = {0, 1, 2}, .y = {0, 1, 0.5}, .low = {0, 0.9, 0.4}, .high = {0.1, 1, 0.6}}}};
  EXPECT_EQ(
      svg({.name = "Golden", .caption = "Small", .panels = {panel}, .plot_width = 100, .plot_height = 50}),
      R"~(<svg xmlns="http://www.w3.org/2000/svg" width="145.3" height="131" viewBox="0 0 145.3 131" role="img" aria-labelledby="golden-title" font-family="Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif">
<title id="golden-title">Small</title>
<rect x="0" y="0" width="145.3" height="131" fill="#ffffff"/>
<g transform="translate(33.94 33)">
<text x="0" y="-8" font-size="13" fill="#222222" font-weight="bold">(a)</text>
<line x1="0" y1="0" x2="0" y2="50" stroke="#e4e4e4" stroke-width="0.8"/>
<line x1="50" y1="0" x2="50" y2="50" stroke="#e4e4e4" stroke-width="0.8"/>
<line x1="100" y1="0" x2="100" y2="50" stroke="#e4e4e4" stroke-width="0.8"/>
<line x1="0" y1="50" x2="100" y2="50" stroke="#e4e4e4" stroke-width="0.8"/>
<line x1="0" y1="25" x2="100" y2="25" stroke="#e4e4e4" stroke-width="0.8"/>
<line x1="0" y1="0" x2="100" y2="0" stroke="#e4e4e4" stroke-width="0.8"/>
<clipPath id="golden-plot0"><rect x="-2" y="-2" width="104" height="54"/></clipPath>
<g clip-path="url(#golden-plot0)" stroke-linejoin="round">
<path d="M0,45L50,0L100,20L100,30L50,5L0,50Z" fill="#0072B2" fill-opacity="0.2"/>
<path d="M0,50L50,0L100,25" fill="none" stroke="#0072B2" stroke-width="1.7"/>
</g>
<rect x="0" y="0" width="100" height="50" fill="none" stroke="#333333" stroke-width="1"/>
<line x1="0" y1="50" x2="0" y2="55" stroke="#333333" stroke-width="0.9"/>
<text x="0" y="67.8" font-size="11" fill="#222222" text-anchor="middle">0</text>
<line x1="50" y1="50" x2="50" y2="55" stroke="#333333" stroke-width="0.9"/>
<text x="50" y="67.8" font-size="11" fill="#222222" text-anchor="middle">1</text>
<line x1="100" y1="50" x2="100" y2="55" stroke="#333333" stroke-width="0.9"/>
<text x="100" y="67.8" font-size="11" fill="#222222" text-anchor="middle">2</text>
<line x1="-5" y1="50" x2="0" y2="50" stroke="#333333" stroke-width="0.9"/>
<text x="-9" y="53.96" font-size="11" fill="#222222" text-anchor="end">0.0</text>
<line x1="-5" y1="25" x2="0" y2="25" stroke="#333333" stroke-width="0.9"/>
<text x="-9" y="28.96" font-size="11" fill="#222222" text-anchor="end">0.5</text>
<line x1="-5" y1="0" x2="0" y2="0" stroke="#333333" stroke-width="0.9"/>
<text x="-9" y="3.96" font-size="11" fill="#222222" text-anchor="end">1.0</text>
<text x="50" y="86.8" font-size="12.5" fill="#222222" text-anchor="middle">t</text>
</g>
</svg>
)~");
}

}  // namespace
}  // namespace irn::report
