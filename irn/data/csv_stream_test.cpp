#include "irn/data/csv_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns its bytes in pieces, like a pipe.
class Pieces : public ByteSource {
 public:
  explicit Pieces(std::vector<std::string> pieces) : ByteSource("data.csv"), pieces_(std::move(pieces)) {}
  std::size_t read(char*, std::size_t) override { return 0; }
  std::size_t read_some(char* out, std::size_t size) override {
    if (next_ == pieces_.size()) return 0;
    const std::string& piece = pieces_[next_++];
    EXPECT_LE(piece.size(), size);
    std::copy(piece.begin(), piece.end(), out);
    return piece.size();
  }
  bool seek(std::uint64_t) override { return false; }
  std::optional<std::uint64_t> size() const override { return {}; }
  std::size_t given() const { return next_; }

 private:
  std::vector<std::string> pieces_;
  std::size_t next_ = 0;
};

TEST(CsvStream, RowsComeAsSoonAsTheyAreWhole) {
  auto source = std::make_unique<Pieces>(
      std::vector<std::string>{"a,", "b\n", "1,2\n3,", "4\n", "5,\"x\n", "y\"\n", "6,7"});
  const Pieces& pieces = *source;
  const std::vector<std::string> known = {"a"};
  CsvStream stream(std::move(source), {}, known);
  ThreadPool threads(2);
  EXPECT_EQ(stream.head().columns()[1].name, "b");
  EXPECT_EQ(pieces.given(), 2u) << "the names tell that it is the header";
  EXPECT_THAT(stream.next(threads)->row(0), ElementsAre(1, 2));
  EXPECT_EQ(pieces.given(), 3u);
  EXPECT_THAT(stream.next(threads)->row(0), ElementsAre(3, 4));
  const std::optional<Frame> text = stream.next(threads);
  EXPECT_EQ(text->columns()[1].categories, (std::vector<std::string>{"x\ny"}));
  EXPECT_EQ(pieces.given(), 6u);
  const std::optional<Frame> last = stream.next(threads);
  EXPECT_THAT(last->row(0), ElementsAre(6, 7));
  EXPECT_EQ(last->place(0), "data.csv, line 6");
  EXPECT_FALSE(stream.next(threads));
}

TEST(CsvStream, Utf16IsNamedWithWhatToDo) {
  const std::string text(
      "\xFF\xFE"
      "a\0,\0b\0\n\0"
      "1\0,\0"
      "2\0\n\0",
      18);
  const std::vector<std::string> known = {"a", "b"};
  CsvStream stream(std::make_unique<Pieces>(std::vector<std::string>{text.substr(0, 1), text.substr(1)}), {},
                   known);
  EXPECT_THAT(refusal([&] { stream.head(); }),
              HasSubstr("data.csv: UTF-16 text; save it as UTF-8, or convert"));
}

TEST(CsvStream, AByteOrderMarkBeforeAnEmptyLineIsNoRecord) {
  CsvStream stream(std::make_unique<Pieces>(std::vector<std::string>{"\xEF\xBB\xBF\n", "1,2\n"}),
                   {.header = HeaderLine::absent}, {});
  ThreadPool threads(1);
  EXPECT_EQ(stream.head().width(), 2u);
  EXPECT_THAT(stream.next(threads)->row(0), ElementsAre(1, 2));
}

// However the bytes are cut, the rows are those of read_csv.
TEST(CsvStream, GivesTheRowsOfTheWholeTable) {
  std::string text = "\xEF\xBB\xBF\na;b;c\r\n";
  for (int r = 0; r < 40; ++r)
    text += std::to_string(r) + ";\"q" + std::to_string(r % 3) + (r % 7 == 0 ? "\n;\"\"x" : "") + "\";" +
            (r % 5 == 0 ? "" : "0.5") + "\n" + (r % 11 == 0 ? "\n" : "");
  ThreadPool threads(1);
  MemorySource memory("data.csv", text);
  const Frame whole = read_csv(memory, {}, threads);
  for (const std::size_t size : {1u, 2u, 7u, 64u, 100000u}) {
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < text.size(); at += size) pieces.push_back(text.substr(at, size));
    CsvStream stream(std::make_unique<Pieces>(pieces), {.text = {"b"}}, {});
    std::size_t row = 0;
    while (const std::optional<Frame> part = stream.next(threads))
      for (std::size_t r = 0; r < part->rows(); ++r, ++row) {
        ASSERT_LT(row, whole.rows());
        EXPECT_EQ(part->row(r)[0], whole.row(row)[0]);
        EXPECT_EQ(part->columns()[1].categories[std::size_t(part->row(r)[1])],
                  whole.columns()[1].categories[std::size_t(whole.row(row)[1])]);
        EXPECT_EQ(std::isnan(part->row(r)[2]), std::isnan(whole.row(row)[2]));
        EXPECT_EQ(part->place(r), whole.place(row));
      }
    EXPECT_EQ(row, whole.rows()) << size;
  }
}

TEST(CsvStream, AHeaderAloneIsATableWithoutRows) {
  ThreadPool threads(1);
  CsvStream stream(std::make_unique<Pieces>(std::vector<std::string>{"a,b\n"}), {}, {});
  EXPECT_EQ(stream.head().width(), 2u);
  EXPECT_FALSE(stream.next(threads));
}

TEST(CsvStream, MistakesHaveTheirPlace) {
  ThreadPool threads(1);
  const auto last = [&](std::vector<std::string> pieces) {
    return refusal([&] {
      CsvStream stream(std::make_unique<Pieces>(std::move(pieces)), {}, {});
      while (stream.next(threads)) continue;
    });
  };
  EXPECT_THAT(last({"a,b\n1,2\n", "3,4\n5\n"}), HasSubstr("line 4"));
  EXPECT_THAT(last({"a,b\n1,2\n", "3,\"4\n"}), HasSubstr("never closed"));
  EXPECT_THAT(last({""}), HasSubstr("empty"));
}

}  // namespace
}  // namespace irn
