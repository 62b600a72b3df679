#include "irn/report/xml-inl.h"

#include <gtest/gtest.h>

#include "irn/report/well_formed-inl.h"

namespace irn::report {
namespace {

TEST(Xml, EscapesWhatCouldBeMarkup) {
  EXPECT_EQ(escape("<a href='x'>&\"</a>"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;&lt;/a&gt;");
}

TEST(Xml, KeepsTextOfAllLanguages) {
  for (const char* text : {"ω₀ = 2π", "日本語", "😀", "naïve\ttab\nline"}) EXPECT_EQ(escape(text), text);
}

TEST(Xml, ReplacesBytesThatAreNoText) {
  const std::string replacement = "\xEF\xBF\xBD";
  EXPECT_EQ(escape("a\xFFz"), "a" + replacement + "z");
  EXPECT_EQ(escape("\xC0\xAF"), replacement + replacement) << "overlong";
  EXPECT_EQ(escape("\xED\xA0\x80").find(replacement), 0u) << "surrogate";
  EXPECT_EQ(escape("\xE2\x82"), replacement + replacement) << "cut off";
  EXPECT_EQ(escape(std::string_view("\0\x1b", 2)), replacement + replacement) << "control characters";
  EXPECT_EQ(escape("\xEF\xBF\xBF"), replacement) << "no XML character";
}

TEST(Xml, EveryPairOfBytesGivesWellFormedText) {
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      const std::string text = {static_cast<char>(a), static_cast<char>(b)};
      ASSERT_EQ(WellFormed::complaint("<p>" + escape(text) + "</p>"), "") << a << " " << b;
    }
  }
}

TEST(Xml, SlugsAreIdentifiers) {
  EXPECT_EQ(slug("Open decisions, all 12!"), "open-decisions-all-12");
  EXPECT_EQ(slug("<&>"), "x");
  EXPECT_EQ(slug(""), "x");
}

// The checker guards everything else here, so it must be able to fail.
TEST(WellFormed, ComplainsAboutBrokenDocuments) {
  for (const char* broken : {"<a><b></a></b>", "<a>", "</a>", "<a x=\"1\" x=\"2\"/>", "<a x=1/>", "<a>&</a>",
                             "<a>&nbsp;</a>", "<a>\xFF</a>", "<a id=\"q\"><b id=\"q\"/></a>",
                             "<a href=\"#nowhere\"/>", "<path d=\"Mnan,1\"/>", "<a b=\"<\"/>", "text"}) {
    EXPECT_NE(WellFormed::complaint(broken), "") << broken;
  }
  EXPECT_EQ(WellFormed::complaint("<a id=\"q\">x &amp; <b href=\"#q\"/></a>"), "");
}

}  // namespace
}  // namespace irn::report
