#include "irn/train/augmentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "irn/base/options_text.h"
#include "irn/data/sample_table.h"
#include "irn/train/augmented_samples.h"
#include "irn/train/batch_rows.h"
#include "tests/support/refusal.h"

namespace irn {
namespace {

using ::testing::HasSubstr;

constexpr Augmentation everything = {
    .shift = 2, .rotate = 20, .scale = 0.2, .shear = 0.3, .elastic = 1.5, .cutout = 4, .flip = true};

std::vector<double> picture(const ImageShape& shape, std::uint64_t number = 0) {
  std::vector<double> values(shape.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = Stream(7, number).uniform(i, -1, 1);
  return values;
}

// The formula of the header, one pixel at a time.
double cubic(double t) {  // the B-spline around 0
  t = std::abs(t);
  return t >= 2 ? 0 : t >= 1 ? std::pow(2 - t, 3) / 6 : (4 - 6 * t * t + 3 * t * t * t) / 6;
}
double bend_at(const ImageChange& by, int axis, double u, double v) {  // places on the lattice, 0 to 4
  double sum = 0;
  for (int j = 0; j < 7; ++j)
    for (int i = 0; i < 7; ++i) sum += by.bend[axis][j * 7 + i] * cubic(u - (i - 1)) * cubic(v - (j - 1));
  return sum;
}
double plain_pixel(const ImageShape& s, const double* plane, const ImageChange& by, std::size_t x,
                   std::size_t y) {
  const double cx = double(s.width - 1) / 2, cy = double(s.height - 1) / 2, dx = double(x) - cx,
               dy = double(y) - cy;
  double px = cx + by.matrix[0] * dx + by.matrix[1] * dy + by.shift[0],
         py = cy + by.matrix[2] * dx + by.matrix[3] * dy + by.shift[1];
  const double u = 4.0 * double(x) / double(s.width - 1), v = 4.0 * double(y) / double(s.height - 1);
  if (by.bends) px += bend_at(by, 0, u, v), py += bend_at(by, 1, u, v);
  const auto value = [&](double i, double j) {
    const double column = std::clamp(i, 0.0, double(s.width - 1)),
                 line = std::clamp(j, 0.0, double(s.height - 1));
    return plane[std::size_t(line) * s.width + std::size_t(column)];
  };
  const double left = std::floor(px), top = std::floor(py), a = px - left, b = py - top;
  return (1 - b) * ((1 - a) * value(left, top) + a * value(left + 1, top)) +
         b * ((1 - a) * value(left, top + 1) + a * value(left + 1, top + 1));
}

TEST(Augmentation, ReadsAndWritesTheSameText) {
  for (const char* text :
       {"none", "shift=2", "shift=2,rotate=10.5,flip=true", "elastic=1,cutout=8", "scale=0.1,shear=0.2"})
    EXPECT_EQ(to_text(from_text<Augmentation>(text)), text);
  EXPECT_EQ(from_text<Augmentation>(to_text(everything)), everything);
  EXPECT_TRUE(from_text<Augmentation>("shift=0").none());
}

TEST(Augmentation, RefusesNonsense) {
  for (const char* text : {"",           "shift",      "shift=",          "=2",
                           "shift=2,",   ",shift=2",   "shift=2,shift=3", "shfit=2",
                           "shift=a",    "shift=-1",   "shift=nan",       "shift=inf",
                           "rotate=181", "rotate=-1",  "scale=1",         "scale=-0.1",
                           "shear=11",   "elastic=-1", "cutout=-1",       "cutout=1.5",
                           "flip=2",     "flip=maybe", "none,shift=2",    "shift=2;rotate=3",
                           "shift:2"})
    EXPECT_THROW(from_text<Augmentation>(text), Error) << text;
  EXPECT_THAT(refusal([] { from_text<Augmentation>("shfit=2"); }), HasSubstr("shift")) << "what is meant";
}

TEST(Augmentation, RefusesMoreThanTheImageHas) {
  const ImageShape shape{1, 8, 12};
  EXPECT_NO_THROW(check_augmentation({.shift = 11, .cutout = 15}, shape));
  EXPECT_THAT(refusal([&] { check_augmentation({.shift = 12}, shape); }), HasSubstr("8x12"));
  EXPECT_THAT(refusal([&] { check_augmentation({.elastic = 1e9}, shape); }), HasSubstr("elastic=1"));
  EXPECT_THAT(refusal([&] { check_augmentation({.cutout = 16}, shape); }), HasSubstr("cutout=16"));
}

TEST(ImageChanger, IsThePlainFormula) {
  for (const ImageShape& shape : {ImageShape{1, 28, 28}, ImageShape{3, 9, 17}, ImageShape{2, 2, 5}}) {
    Augmentation chosen = everything;
    chosen.shift = chosen.elastic = 1.2, chosen.cutout = 0;
    const ImageChanger<double> changer(chosen, shape);
    const std::vector<double> image = picture(shape);
    std::vector<double> out(shape.size());
    ImageChanger<double>::Scratch scratch;
    for (std::uint64_t number = 0; number < 20; ++number) {
      const ImageChange change = draw_change(chosen, shape, Stream(3), number);
      changer.change(change, image.data(), out.data(), scratch);
      for (std::size_t c = 0; c < shape.channels; ++c)
        for (std::size_t i = 0; i < shape.pixels(); ++i)
          ASSERT_NEAR(
              out[c * shape.pixels() + i],
              plain_pixel(shape, image.data() + c * shape.pixels(), change, i % shape.width, i / shape.width),
              1e-12)
              << to_text(shape) << " pixel " << i;
    }
  }
}

TEST(ImageChanger, WholeShiftsMoveWholePixels) {
  const ImageShape shape{1, 5, 6};
  const std::vector<double> image = picture(shape);
  std::vector<double> out(shape.size());
  ImageChanger<double>::Scratch scratch;
  ImageChange change;
  change.shift[0] = 2, change.shift[1] = -1;
  ImageChanger<double>({.shift = 2}, shape).change(change, image.data(), out.data(), scratch);
  for (std::size_t y = 0; y < 5; ++y)
    for (std::size_t x = 0; x < 6; ++x)
      EXPECT_EQ(out[y * 6 + x], image[(y == 0 ? 0 : y - 1) * 6 + std::min<std::size_t>(x + 2, 5)]);
}

TEST(ImageChanger, FlipsHalfOfTheImagesLeftForRight) {
  const ImageShape shape{2, 4, 5};
  const Augmentation flip{.flip = true};
  const ImageChanger<float> changer(flip, shape);
  const std::vector<double> drawn = picture(shape);
  const std::vector<float> image(drawn.begin(), drawn.end());
  std::vector<float> mirrored(image.size()), out(image.size());
  for (std::size_t i = 0; i < image.size(); ++i) mirrored[i / 5 * 5 + 4 - i % 5] = image[i];
  ImageChanger<float>::Scratch scratch;
  std::size_t flipped = 0;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    changer.change(draw_change(flip, shape, Stream(1), number), image.data(), out.data(), scratch);
    ASSERT_TRUE(out == image || out == mirrored);
    flipped += out == mirrored;
  }
  EXPECT_NEAR(double(flipped), 500, 60);
}

TEST(ImageChanger, CutsOneSquareOutOfEveryChannel) {
  const ImageShape shape{3, 9, 8};
  const Augmentation cut{.cutout = 3};
  const ImageChanger<double> changer(cut, shape);
  std::vector<double> image(shape.size(), 2), out(shape.size());
  ImageChanger<double>::Scratch scratch;
  std::vector<bool> reached(shape.pixels());
  for (std::uint64_t number = 0; number < 500; ++number) {
    changer.change(draw_change(cut, shape, Stream(1), number), image.data(), out.data(), scratch);
    const auto zeros = std::count(out.begin(), out.end(), 0.0);
    EXPECT_LE(zeros, 27);
    EXPECT_GE(zeros, 12) << "in a corner four pixels remain";
    EXPECT_EQ(zeros % 3, 0);
    for (std::size_t i = 0; i < shape.pixels(); ++i) {
      EXPECT_EQ(out[i], out[i + shape.pixels()]);
      if (out[i] == 0) reached[i] = true;
    }
  }
  EXPECT_EQ(std::count(reached.begin(), reached.end(), false), 0);
}

TEST(ImageChanger, StaysWithinTheRangeOfTheImage) {
  const ImageShape shape{1, 28, 28};
  const Augmentation wild{.shift = 20, .rotate = 180, .scale = 0.9, .shear = 10, .elastic = 20, .flip = true};
  const ImageChanger<float> changer(wild, shape);
  std::vector<float> image(shape.size()), out(shape.size());
  std::iota(image.begin(), image.end(), 1.0f);
  ImageChanger<float>::Scratch scratch;
  for (std::uint64_t number = 0; number < 200; ++number) {
    changer.change(draw_change(wild, shape, Stream(4), number), image.data(), out.data(), scratch);
    for (const float value : out) ASSERT_TRUE(value >= 1 && value <= 784.001f) << value;
  }
}

TEST(DrawChange, OneKindOfChangeLeavesTheOthersWhatTheyAre) {
  const ImageShape shape{1, 28, 28};
  const ImageChange all = draw_change(everything, shape, Stream(2), 5),
                    one = draw_change({.shift = everything.shift}, shape, Stream(2), 5);
  EXPECT_EQ(all.shift[0], one.shift[0]);
  EXPECT_EQ(all.shift[1], one.shift[1]);
  EXPECT_EQ(one.matrix[0], 1);
  EXPECT_EQ(one.matrix[1], 0);
}

class AugmentedImages : public ::testing::Test {
 protected:
  static constexpr std::size_t rows = 60;
  static constexpr ImageShape shape = {2, 7, 9};
  AugmentedImages() : table_(shape.size(), 1, values(), std::vector<double>(rows, 3.0)) {}

  static std::vector<double> values() {
    std::vector<double> all;
    for (std::size_t i = 0; i < rows; ++i)
      for (const double value : picture(shape, i)) all.push_back(value);
    return all;
  }
  std::vector<double> drawn(AugmentedSamples<double>& samples,
                            const std::vector<std::uint64_t>& index) const {
    std::vector<double> out(index.size() * shape.size());
    samples.inputs_as_rows(index, out.data());
    return out;
  }
  AugmentedSamples<double> samples(std::uint64_t seed = 5) const { return {table_, everything, shape, seed}; }

  SampleTable<double> table_;
};

TEST_F(AugmentedImages, AreAFunctionOfSeedEpochAndSample) {
  AugmentedSamples<double> first = samples(), again = samples(), other = samples(6);
  first.set_epoch(3), again.set_epoch(3), other.set_epoch(3);
  const std::vector<double> some = drawn(first, {4, 17, 4});
  EXPECT_EQ(some, drawn(again, {4, 17, 4}));
  EXPECT_NE(some, drawn(other, {4, 17, 4}));
  EXPECT_TRUE(std::equal(some.begin(), some.begin() + shape.size(), some.end() - shape.size()));
  again.set_epoch(4);
  EXPECT_NE(some, drawn(again, {4, 17, 4}));
}

TEST_F(AugmentedImages, AreTheSameAsLanesAndInAnyOrder) {
  AugmentedSamples<double> all = samples();
  all.set_epoch(1);
  const std::vector<std::uint64_t> index = {17, 3, 59};
  std::vector<double> lanes(shape.size() * 4, 9.0);
  all.inputs_as_lanes(index, 4, lanes.data());
  const std::vector<double> wanted = drawn(all, index);
  for (std::size_t k = 0; k < shape.size(); ++k) {
    for (std::size_t lane = 0; lane < 3; ++lane)
      EXPECT_EQ(lanes[k * 4 + lane], wanted[lane * shape.size() + k]);
    EXPECT_EQ(lanes[k * 4 + 3], 0) << "an empty lane stays empty";
  }
  double target = 0;
  all.targets_as_rows(std::vector<std::uint64_t>{4}, &target);
  EXPECT_EQ(target, 3.0);
}

TEST_F(AugmentedImages, ViewsChangeEveryImageAlikeAndTheFirstNone) {
  AugmentedSamples<double> views = samples();
  views.set_view(0);
  EXPECT_EQ(drawn(views, {8}), picture(shape, 8));
  views.set_view(2);
  const std::vector<double> once = drawn(views, {8});
  EXPECT_NE(once, picture(shape, 8));
  const std::vector<double> same = picture(shape, 8);
  const SampleTable<double> elsewhere(shape.size(), 1, same, {3.0});
  AugmentedSamples<double> moved(elsewhere, everything, shape, 5);
  moved.set_view(2);
  EXPECT_EQ(drawn(moved, {0}), once) << "wherever the image stands";
}

TEST_F(AugmentedImages, OfAnotherSizeAreRefused) {
  EXPECT_THAT(refusal([&] { AugmentedSamples<double>(table_, everything, {1, 28, 28}, 0); }),
              HasSubstr("784 pixels, and a sample has 126"));
}

TEST_F(AugmentedImages, ABatchHasThemOnAnyNumberOfThreads) {
  AugmentedSamples<double> all = samples();
  const std::vector<std::uint64_t> index = {17, 3, 59, 0, 12};
  for (const std::size_t count : {1, 3}) {
    ThreadPool threads(count);
    BatchRows<double> batch;
    batch.fill(all, index, threads);
    std::vector<double> filled(index.size() * shape.size());
    batch.inputs_as_rows(batch.all(), filled.data());
    EXPECT_EQ(filled, drawn(all, index));
    double target = 0, weight = 0;
    batch.targets_as_rows(batch.all().subspan(2, 1), &target);
    batch.weights(batch.all().subspan(2, 1), &weight);
    EXPECT_EQ(target, 3.0);
    EXPECT_EQ(weight, 1.0);
  }
}

}  // namespace
}  // namespace irn
