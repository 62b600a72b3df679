#include "irn/data/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string idx(char type, const std::vector<unsigned>& shape, const std::string& values) {
  std::string file{0, 0, type, static_cast<char>(shape.size())};
  for (const unsigned size : shape)
    for (const unsigned shift : {24u, 16u, 8u, 0u}) file += static_cast<char>(size >> shift);
  return file + values;
}

Frame read(const std::string& file) {
  MemorySource source("data.idx", file);
  return read_idx(source);
}

TEST(Idx, EveryTypeReads) {
  EXPECT_THAT(read(idx(0x08, {1}, "\xFE")).row(0), ElementsAre(254));
  EXPECT_THAT(read(idx(0x09, {1}, "\xFE")).row(0), ElementsAre(-2));
  EXPECT_THAT(read(idx(0x0B, {1}, "\xFF\xFE")).row(0), ElementsAre(-2));
  EXPECT_THAT(read(idx(0x0C, {1}, "\xFF\xFF\xFF\xFE")).row(0), ElementsAre(-2));
  EXPECT_THAT(read(idx(0x0D, {1}, std::string("\xC0\0\0\0", 4))).row(0), ElementsAre(-2));
  EXPECT_THAT(read(idx(0x0E, {1}, std::string("\xC0\0\0\0\0\0\0\0", 8))).row(0), ElementsAre(-2));
}

TEST(Idx, AnImageIsARow) {
  const Frame frame = read(idx(0x08, {2, 2, 2}, std::string("\0\1\2\3\4\5\6\7", 8)));
  EXPECT_EQ(frame.columns()[3].name, "pixel3");
  EXPECT_THAT(frame.row(1), ElementsAre(4, 5, 6, 7));
}

TEST(Idx, ImagesHaveTheShapeOfTheFile) {
  EXPECT_EQ(read(idx(0x08, {1, 2, 3}, "abcdef")).images()->shape, (ImageShape{1, 2, 3}));
  EXPECT_FALSE(read(idx(0x08, {2, 3}, "abcdef")).images());
  EXPECT_FALSE(read(idx(0x08, {6}, "abcdef")).images());
}

TEST(Idx, LabelsAreTheLastColumn) {
  const std::string pixels = idx(0x08, {2, 1, 2}, "abcd"), names = idx(0x08, {2}, "\7\5");
  MemorySource images("images", pixels), labels("labels", names);
  const Frame frame = read_idx(images, labels);
  EXPECT_EQ(frame.columns()[2].name, "label");
  EXPECT_THAT(frame.row(0), ElementsAre('a', 'b', 7));
  EXPECT_THAT(frame.row(1), ElementsAre('c', 'd', 5));
}

TEST(Idx, LabelsMustFitTheImages) {
  const std::string pixels = idx(0x08, {2, 1, 2}, "abcd"), names = idx(0x08, {3}, "\7\5\1");
  MemorySource images("images", pixels), labels("labels", names), more_images("more", pixels);
  EXPECT_THAT(refusal([&] { read_idx(images, labels); }), HasSubstr("3 labels for 2 images"));
  images.seek(0);
  EXPECT_THAT(refusal([&] { read_idx(images, more_images); }), HasSubstr("one dimension"));
}

TEST(Idx, BadFilesAreRefused) {
  const std::pair<std::string, std::string> bad[] = {
      {"", "truncated"},
      {std::string("\0\1\x08\1", 4), "not an IDX"},
      {idx(0x0A, {1}, "a"), "not an IDX"},
      {idx(0x08, {}, "a"), "not an IDX"},
      {idx(0x08, {2}, "a"), "truncated"},
      {idx(0x08, {1}, "ab"), "bytes over"},
      {idx(0x08, {0}, ""), "no values"},
      {idx(0x08, {1u << 31, 1u << 16}, "a"), "truncated"},
      {idx(0x0E, {~0u, ~0u, ~0u, ~0u}, "a"), "too many columns"},
  };
  for (const auto& [file, message] : bad) EXPECT_THAT(refusal([&] { read(file); }), HasSubstr(message));
}

}  // namespace
}  // namespace irn
