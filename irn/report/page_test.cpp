#include "irn/report/page.h"

#include <gtest/gtest.h>

#include "irn/report/well_formed-inl.h"

namespace irn::report {
namespace {

const std::string kHostile = "</title><script>alert('x')</script> & \"q\" \xFF";

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

Page full_page(const std::string& text) {
  Page page(text, text);
  page.section(text).paragraph(text).note(text, Badge::bad).list({text, text}).facts({{text, text}});
  page.section(text).subsection(text).command(text).links({{text, text}});
  page.table({text,
              {{text}, {text, Align::right}},
              {{text, Cell(text, Badge::good)}, {Cell(text, Badge::mixed, true)}}});
  const Figure figure{
      text, text, {{.title = text, .x = {.label = text}, .series = {{.label = text, .x = {1}, .y = {2}}}}}};
  page.figure(figure, {{text, text}}).figure(figure);
  page.details(text, [&](Page& inside) { inside.paragraph(text).figure(figure); });
  return page;
}

TEST(Page, IsWellFormedAndEscapesEverything) {
  for (const std::string& text : {std::string("plain"), kHostile, std::string(), std::string("<>&\"'")}) {
    const std::string html = full_page(text).html();
    EXPECT_EQ(WellFormed::complaint(html), "") << text;
    EXPECT_FALSE(contains(html, "<script"));
  }
}

TEST(Page, FetchesNothing) {
  const std::string html = full_page("text").html();
  for (const char* source : {"<link", "@import", "src=", "url(http", "href=\"http"})
    EXPECT_FALSE(contains(html, source)) << source;
}

TEST(Page, NumbersFiguresAndTablesAndListsSections) {
  const std::string html = full_page("plain").html();
  EXPECT_TRUE(contains(html, "<b>Figure 3.</b>"));
  EXPECT_TRUE(contains(html, "<b>Table 1.</b>"));
  EXPECT_TRUE(contains(html, "<a href=\"#plain-2\">"));
  EXPECT_TRUE(contains(html, "<html lang=\"en\""));
}

TEST(Page, BadgesSpeakWithoutColour) {
  Page page("t");
  page.table({"", {{"verdict"}}, {{Cell("holds", Badge::good)}, {Cell("does not hold", Badge::bad)}}});
  EXPECT_TRUE(contains(page.html(), "<span class=\"badge good\">✓ holds</span>"));
  EXPECT_TRUE(contains(page.html(), "<span class=\"badge bad\">✗ does not hold</span>"));
}

TEST(Page, CellsLeadToHeadings) {
  Page page("t");
  page.table({"", {{"row"}}, {{Cell::link("row 7", address_of("Row 7"))}}}).subsection("Row 7");
  EXPECT_TRUE(contains(page.html(), "<td><a href=\"#row-7\">row 7</a></td>"));
  EXPECT_EQ(WellFormed::complaint(page.html()), "") << "the heading is there";
}

TEST(Page, FillsShortRows) {
  Page page("t");
  page.table({"", {{"a"}, {"b", Align::right}}, {{"1"}}});
  EXPECT_TRUE(contains(page.html(), "<td>1</td><td class=\"right\"></td>"));
}

}  // namespace
}  // namespace irn::report
