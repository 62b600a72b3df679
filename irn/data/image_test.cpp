#include "irn/data/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "irn/data/encoded_samples.h"
#include "irn/data/encoding.h"
#include "irn/data/scaling.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::HasSubstr;

std::optional<ArrayImages> of(std::initializer_list<std::uint64_t> shape) { return images_of(shape); }

// Rows of six numbers and a target.
Frame table(bool with_shape) {
  std::vector<FrameColumn> columns;
  for (int i = 0; i < 6; ++i) columns.push_back({"x" + std::to_string(i)});
  columns.push_back({"y"});
  Frame frame("pictures", columns);
  frame.resize(4);
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 7; ++c) frame.mutable_row(r)[c] = double(r * 7 + c);
  if (with_shape) frame.set_images(Frame::Images{{1, 2, 3}, 0});
  return frame;
}

Encoding fitted(const Frame& frame, std::vector<std::string> inputs = {}) {
  return fit_encoding(frame, {.targets = {"y"}, .inputs = std::move(inputs), .task = Task::regression});
}

TEST(ImageShape, ReadsAndWritesTheSameText) {
  EXPECT_EQ(from_text<ImageShape>("28x30"), (ImageShape{1, 28, 30}));
  EXPECT_EQ(from_text<ImageShape>("3x32x16"), (ImageShape{3, 32, 16}));
  EXPECT_EQ(from_text<ImageShape>("1x28x28"), (ImageShape{1, 28, 28}));
  for (const char* text : {"28x30", "3x32x16"}) EXPECT_EQ(to_text(from_text<ImageShape>(text)), text);
}

TEST(ImageShape, RefusesWhatIsNone) {
  for (const char* text : {"", "28", "x", "28x", "x28", "28x-1", "28x0", "1x2x3x4", "28 x 28", "ax2", "28X28",
                           "1000000x1", "65536x65536x65536", "999999999999999999999x2"})
    EXPECT_THAT(refusal([&] { from_text<ImageShape>(text); }), HasSubstr("no shape of images")) << text;
}

TEST(ImageShape, IsThatOfAnArrayOfMoreThanTwoAxes) {
  EXPECT_EQ(of({5, 28, 30})->shape, (ImageShape{1, 28, 30}));
  EXPECT_EQ(of({5, 3, 32, 30})->shape, (ImageShape{3, 32, 30}));
  EXPECT_FALSE(of({5, 3, 32, 30})->channels_last);
  EXPECT_EQ(of({5, 32, 30, 3})->shape, (ImageShape{3, 32, 30}));
  EXPECT_TRUE(of({5, 32, 30, 3})->channels_last);
  EXPECT_EQ(of({5, 4, 6, 4})->shape, (ImageShape{4, 6, 4})) << "alike: channels come first";
  EXPECT_FALSE(of({5}) || of({5, 784}) || of({5, 1, 784}) || of({5, 784, 1}) || of({5, 2, 2, 2, 2}));
}

TEST(ImageOf, IsWhatTheFileSaysOrTheUser) {
  const Frame plain = table(false), shaped = table(true);
  EXPECT_TRUE(image_of(fitted(plain), plain, "auto").none());
  EXPECT_EQ(image_of(fitted(shaped), shaped, "auto"), (ImageShape{1, 2, 3}));
  EXPECT_TRUE(image_of(fitted(shaped), shaped, "none").none());
  EXPECT_TRUE(image_of(fitted(shaped, {"x0", "x1"}), shaped, "auto").none()) << "part of an image is none";
  EXPECT_TRUE(image_of(fitted(shaped, {"x1", "x0", "x2", "x3", "x4", "x5"}), shaped, "auto").none());
  EXPECT_EQ(image_of(fitted(plain), plain, "3x2"), (ImageShape{1, 3, 2}));
  EXPECT_EQ(image_of(fitted(plain), plain, "3x1x2"), (ImageShape{3, 1, 2}));
}

TEST(ImageOf, RefusesWhatDoesNotFitAndNamesBothSizes) {
  const Frame plain = table(false), shaped = table(true);
  const std::string inputs = refusal([&] { image_of(fitted(plain), plain, "28x28"); });
  EXPECT_THAT(inputs, HasSubstr("784 pixels"));
  EXPECT_THAT(inputs, HasSubstr("6 inputs"));
  const std::string file = refusal([&] { image_of(fitted(shaped), shaped, "3x2"); });
  EXPECT_THAT(file, HasSubstr("images of 3x2"));
  EXPECT_THAT(file, HasSubstr("are 2x3"));
}

TEST(ImageOf, IsKeptWithTheEncoding) {
  const Frame frame = table(true);
  Encoding encoding = fitted(frame);
  EXPECT_THAT(to_json_text(encoding), HasSubstr("\"version\":1"));
  encoding.image = {1, 2, 3};
  const std::string text = to_json_text(encoding);
  EXPECT_EQ(encoding_from_json_text(text), encoding);
  for (const char* wrong : {"28x28", "2", ""}) {
    std::string changed = text;
    changed.replace(changed.find("2x3"), 3, wrong);
    EXPECT_THROW(encoding_from_json_text(changed), DataError) << changed;
  }
}

TEST(ImageOf, ImagesOfAnotherShapeAreRefused) {
  Frame frame = table(true);
  Encoding encoding = fitted(frame);
  encoding.image = {1, 2, 3};
  EXPECT_NO_THROW(EncodedSamples<float>(frame, encoding));
  frame.set_images(Frame::Images{{1, 3, 2}, 0});
  const std::string message = refusal([&] { EncodedSamples<float>(frame, encoding); });
  EXPECT_THAT(message, HasSubstr("images of 3x2"));
  EXPECT_THAT(message, HasSubstr("images of 2x3"));
}

TEST(ImageOf, FilesOfDifferentSizesAreNotOneTable) {
  Frame frame = table(true), other = table(true);
  other.set_images(Frame::Images{{1, 3, 2}, 0});
  EXPECT_THAT(refusal([&] { frame.append(other); }), HasSubstr("images of 3x2"));
}

TEST(IsImages, FollowsTheFileOrTheUser) {
  EXPECT_TRUE(is_images(table(true), "auto"));
  EXPECT_FALSE(is_images(table(true), "none"));
  EXPECT_FALSE(is_images(table(false), "auto"));
  EXPECT_TRUE(is_images(table(false), "2x3"));
}

}  // namespace
}  // namespace irn
