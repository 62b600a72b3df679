#include "irn/data/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Frame read(std::string_view text, const CsvOptions& options = {}, std::size_t threads = 1) {
  MemorySource source("data.csv", text);
  ThreadPool pool(threads);
  return read_csv(source, options, pool);
}

std::vector<std::string> names(const Frame& frame) {
  std::vector<std::string> result;
  for (const FrameColumn& column : frame.columns()) result.push_back(column.name);
  return result;
}

// A cell as text: what a person would see.
std::string cell(const Frame& frame, std::size_t row, std::size_t column) {
  const double value = frame.row(row)[column];
  const FrameColumn& of = frame.columns()[column];
  if (std::isnan(value)) return "missing";
  if (of.text) return of.categories.at(static_cast<std::size_t>(value));
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

std::string all_cells(const Frame& frame) {
  std::string text;
  for (std::size_t r = 0; r < frame.rows(); ++r)
    for (std::size_t c = 0; c < frame.width(); ++c)
      text += cell(frame, r, c) + (c + 1 < frame.width() ? "," : ";");
  return text;
}

struct Good {
  const char *what, *text, *names, *cells;
};

const Good good_files[] = {
    {"plain", "a,b\n1,2\n3,4\n", "a,b", "1,2;3,4;"},
    {"no newline at the end", "a,b\n1,2", "a,b", "1,2;"},
    {"CRLF", "a,b\r\n1,2\r\n3,4\r\n", "a,b", "1,2;3,4;"},
    {"CRLF, cut", "a,b\r\n1,2\r", "a,b", "1,2;"},
    {"byte order mark",
     "\xEF\xBB\xBF"
     "a,b\n1,2\n",
     "a,b", "1,2;"},
    {"empty lines", "\n\r\na,b\n\n1,2\n\r\n\n3,4\n\n", "a,b", "1,2;3,4;"},
    {"semicolons", "a;b\n1;2\n", "a,b", "1,2;"},
    {"tabs", "a\tb\n1\t2\n", "a,b", "1,2;"},
    {"an empty value between tabs", "a\tb\tc\n1\t\t3\n", "a,b,c", "1,missing,3;"},
    {"bars", "a|b\n1|2\n", "a,b", "1,2;"},
    {"a delimiter in quotes does not count", "\"a,b,c\";d\n1;2\n", "a,b,c,d", "1,2;"},
    {"one column", "a\n1\n2\n", "a", "1;2;"},
    {"blanks", " a , b\n 1 , +2 \n", "a,b", "1,2;"},
    {"quotes", "\"a\",\"b\"\n\"1\",\"x\"\n", "a,b", "1,x;"},
    {"blanks around quotes", "a, \"b\" ,c\n1, \"x y\" ,3\n", "a,b,c", "1,x y,3;"},
    {"doubled quotes", "a\n\"say \"\"hi\"\"\"\n", "a", "say \"hi\";"},
    {"only quotes", "a\n\"\"\"\"\n", "a", "\";"},
    {"newlines in quotes", "a,b\n1,\"x\ny\"\n2,z\n", "a,b", "1,x\ny;2,z;"},
    {"missing values", "a,b\n,x\nNA,\nn/a,NULL\nNaN,?\n1,\"\"\n", "a,b",
     "missing,x;missing,missing;missing,missing;missing,missing;1,missing;"},
    {"text after numbers", "a\n1\n2.50\nx\n", "a", "1;2.50;x;"},
    {"numbers of all kinds", "a\n-1\n.5\n5.\n1e2\n1E-1\n+3\n007\n", "a", "-1;0.5;5;100;0.1;3;7;"},
    {"what is no number", "a\n0x10\n1 2\n", "a", "0x10;1 2;"},
    {"UTF-8 and other bytes",
     "gr\xC3\xB6\xC3\x9F"
     "e,b\n1,\xFF\n",
     "gr\xC3\xB6\xC3\x9F"
     "e,b",
     "1,\xFF;"},
    {"no header", "1,2\n3,4\n", "column1,column2", "1,2;3,4;"},
    {"no header, with text", "1,x\n3,y\n", "column1,column2", "1,x;3,y;"},
    {"a header with numbers", "0,1,target\n5,6,7\n", "0,1,target", "5,6,7;"},
    {"a name left out", ",b\n1,2\n", "column1,b", "1,2;"},
    {"a text column may say inf", "a\nx\ninf\n", "a", "x;inf;"},
    {"tiny numbers are zero", "a\n1e-60\n", "a", "0;"},
};

TEST(Csv, GoodFilesRead) {
  for (const Good& good : good_files) {
    SCOPED_TRACE(good.what);
    const Frame frame = read(good.text);
    std::string joined;
    for (const std::string& name : names(frame)) joined += (joined.empty() ? "" : ",") + name;
    EXPECT_EQ(joined, good.names);
    EXPECT_EQ(all_cells(frame), good.cells);
  }
}

struct Bad {
  const char *what, *text, *place, *message;
};

const Bad bad_files[] = {
    {"empty", "", "data.csv: ", "empty"},
    {"only empty lines", "\n\n", "data.csv: ", "empty"},
    {"only a byte order mark", "\xEF\xBB\xBF", "data.csv: ", "empty"},
    {"only a header", "a,b\n", "data.csv: ", "no rows"},
    {"UTF-16",
     "\xFF\xFE"
     "a,b",
     "data.csv: ", "UTF-16"},
    {"a short row", "a,b,c\n1,2,3\n1,2\n", "line 3, column 2 ('b')", "ends after 2 of 3 columns"},
    {"a long row", "a,b\n1,2\n\n1,2,3\n", "line 4, column 2 ('b')", "goes on after 2 columns"},
    {"an open quote", "a,b\n1,\"x\n2,y\n", "line 2, column 2 ('b')", "never closed"},
    {"an open quote in the header", "a,\"b\n1,2\n", "line 1, column 2", "never closed"},
    {"a stray quote", "a,b\n1,x\n1,x\"y\n", "line 3, column 2 ('b')", "unquoted"},
    {"text behind quotes", "a,b\n1,\"x\"y\n", "line 2, column 2 ('b')", "closing quote"},
    {"an infinite number", "a,b\n1,2\n1,inf\n", "line 3, column 2 ('b')", "'inf'"},
    {"a number too large", "a,b\n1,2\n1e400,2\n", "line 3, column 1 ('a')", "too large"},
    {"the same name twice", "a,b,a\n1,2,3\n", "data.csv: ", "'a'"},
    {"lines are counted through quotes", "a,b\n1,\"x\n\n\"\n1\n", "line 5, column 1 ('a')", "ends"},
};

TEST(Csv, BadFilesAreRefusedWithTheirPlace) {
  for (const Bad& bad : bad_files) {
    SCOPED_TRACE(bad.what);
    const std::string message = refusal([&] { read(bad.text); });
    EXPECT_THAT(message, HasSubstr("data.csv"));
    EXPECT_THAT(message, HasSubstr(bad.place));
    EXPECT_THAT(message, HasSubstr(bad.message));
    EXPECT_EQ(message.find('\n'), message.npos);
  }
}

TEST(Csv, ANulByteIsRefusedWithItsLine) {
  EXPECT_THAT(refusal([] { read(std::string_view("a\n1\n2\0\n", 7)); }), HasSubstr("line 3"));
}

// Half of the bytes are NUL, and yet this is not binary data.
TEST(Csv, Utf16IsNamedWithWhatToDo) {
  for (const std::string_view text : {std::string_view("\xFF\xFE"
                                                       "a\0,\0b\0\n\0"
                                                       "1\0,\0"
                                                       "2\0\n\0",
                                                       18),
                                      std::string_view("\xFE\xFF\0a\0,\0b\0\n\0"
                                                       "1\0,\0"
                                                       "2\0\n",
                                                       18)})
    EXPECT_THAT(refusal([&] { read(text); }),
                HasSubstr("data.csv: UTF-16 text; save it as UTF-8, or convert it: iconv -f UTF-16"));
}

TEST(Csv, OptionsForceWhatIsDetected) {
  EXPECT_THAT(names(read("a,b\nc,d\n", {.header = HeaderLine::absent})), ElementsAre("column1", "column2"));
  EXPECT_THAT(names(read("1,2\n3,4\n", {.header = HeaderLine::present})), ElementsAre("1", "2"));
  EXPECT_THAT(names(read("a,b;c\n1;2\n", {.delimiter = ';'})), ElementsAre("a,b", "c"));
  EXPECT_EQ(all_cells(read("zip,b\n007,1\n", {.text = {"zip", "absent"}})), "007,1;");
  EXPECT_THAT(refusal([] { read("a\n1\n", {.delimiter = '"'}); }), HasSubstr("delimiter"));
}

TEST(Csv, CodesOfManyDigitsStayWhatTheyAre) {
  EXPECT_EQ(read("a\n16777217\n1e300\n").row(0)[0], 16777217.0);
  EXPECT_THAT(refusal([] { read("a\n1e400\n"); }), HasSubstr("too large"));
}

TEST(Csv, PlacesOfRowsAreLinesOfTheFile) {
  const Frame frame = read("\na,b\n1,x\n\n2,\"y\nz\"\n3,w\n", {.block_bytes = 64, .piece_bytes = 4});
  EXPECT_EQ(frame.place(0), "data.csv, line 3");
  EXPECT_EQ(frame.place(1), "data.csv, line 5");
  EXPECT_EQ(frame.place(2), "data.csv, line 7");
}

// Long enough for many blocks of 64 bytes, with everything that could go wrong at a cut.
std::string awkward_file(int rows) {
  std::string text = "a,b,\"c\"\"\nc\",d\r\n";
  for (int i = 0; i < rows; ++i) {
    text += std::to_string(i) + "," + (i % 3 == 0 ? "\"x,\n\"\"" + std::to_string(i % 7) + "\"" : "y") + ",";
    text += (i % 5 == 0 ? "NA" : std::to_string(i * 0.25)) + "," + (i == rows / 2 ? "late" : "1.50");
    text += i % 4 == 0 ? "\r\n\n" : "\n";
  }
  return text;
}

bool same(const Frame& a, const Frame& b) {
  if (a.rows() != b.rows() || a.width() != b.width()) return false;
  for (std::size_t c = 0; c < a.width(); ++c)
    if (a.columns()[c].name != b.columns()[c].name || a.columns()[c].text != b.columns()[c].text ||
        a.columns()[c].categories != b.columns()[c].categories)
      return false;
  for (std::size_t r = 0; r < a.rows(); ++r)
    if (a.place(r) != b.place(r) || std::memcmp(a.row(r).data(), b.row(r).data(), a.row(r).size_bytes()) != 0)
      return false;
  return true;
}

TEST(Csv, NeitherBlocksNorPiecesNorThreadsShow) {
  const std::string text = awkward_file(400);
  const Frame whole = read(text);
  EXPECT_EQ(whole.rows(), 400u);
  EXPECT_EQ(cell(whole, 0, 3), "1.50");  // text because of one row far below
  EXPECT_EQ(cell(whole, 200, 3), "late");
  for (const std::size_t block : {64, 100, 1000, 1 << 20})
    for (const std::size_t piece : {1, 30, 500})
      for (const std::size_t threads : {1, 3})
        EXPECT_TRUE(same(whole, read(text, {.block_bytes = block, .piece_bytes = piece}, threads)))
            << block << " " << piece << " " << threads;
}

TEST(Csv, MistakesAreTheSameInAnyPieces) {
  for (const char* end : {"1,2\n", "1,\"x,3,4\n", "1,2\"x,3,4\n", "1,2,1e600,4\n"}) {
    const std::string text = awkward_file(100) + end + "\n1,2,3,4\n";
    const std::string message = refusal([&] { read(text); });
    EXPECT_NE(message, "");
    for (const std::size_t piece : {1, 40, 1000})
      EXPECT_EQ(refusal([&] { read(text, {.block_bytes = 256, .piece_bytes = piece}, 2); }), message);
  }
}

TEST(Csv, ARecordWithoutEndIsNotReadIntoMemory) {
  const std::string row(5000, 'x');
  EXPECT_THAT(refusal([&] { read("a\n" + row + "\n", {.block_bytes = 64}); }),
              HasSubstr("more than 256 bytes"));
  EXPECT_THAT(refusal([&] { read("a\n1\n\"" + row + "\n", {.block_bytes = 64}); }),
              HasSubstr("line 3, column 1 ('a'): the quote that opens here is never closed"));
}

// A source that cannot begin again, like a long pipe.
class Stream : public MemorySource {
 public:
  using MemorySource::MemorySource;
  bool seek(std::uint64_t) override { return false; }
};

TEST(Csv, AStreamWithALateTextColumnSaysWhichColumnsToName) {
  const std::string text = awkward_file(100);
  Stream source("standard input", text);
  ThreadPool pool(1);
  EXPECT_THAT(refusal([&] { read_csv(source, {.block_bytes = 64, .piece_bytes = 1}, pool); }),
              HasSubstr("'d'"));
  Stream again("standard input", text);
  const auto frame = read_csv(again, {.text = {"b", "d"}, .block_bytes = 256}, pool);
  EXPECT_TRUE(same(frame, [&] {
    MemorySource memory("standard input", text);
    return read_csv(memory, {}, pool);
  }()));
}

TEST(Csv, WhatIsWrittenIsReadBack) {
  EXPECT_TRUE(rc::check("quoted texts survive", [](const std::vector<std::string>& values) {
    std::string text = "a,b\n";
    std::vector<std::string> written;
    for (std::string value : values) {
      std::erase(value, '\0');
      written.push_back("_" + value);  // never a missing value or a number
      text += "1,\"_";
      for (const char c : value) text += c == '"' ? "\"\"" : std::string(1, c);
      text += "\"\n";
    }
    RC_PRE(!values.empty());
    const Frame frame = read(text, {.block_bytes = 64, .piece_bytes = 8});
    RC_ASSERT(frame.rows() == written.size());
    for (std::size_t i = 0; i < written.size(); ++i) RC_ASSERT(cell(frame, i, 1) == written[i]);
  }));
}

}  // namespace
}  // namespace irn
