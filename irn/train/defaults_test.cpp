// Defaults depend on the table and are valid for it.
#include "irn/train/defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "irn/train/image_architecture.h"

namespace irn {
namespace {

using ::testing::HasSubstr;

TEST(TrainDefaults, HoldOutRowsWhereThereAreEnough) {
  EXPECT_EQ(default_validation(49), 0);
  EXPECT_EQ(default_validation(50), 0.2);
  EXPECT_EQ(default_validation(100), 0.1);
}

TEST(TrainDefaults, TakeAboutNineThousandSteps) {
  for (const std::size_t rows : {10u, 100u, 1000u, 5000u, 100000u}) {
    const std::size_t epochs = default_epochs({.rows = rows}, 32), steps = epochs * ((rows + 31) / 32);
    EXPECT_GE(epochs, 30u);
    EXPECT_LE(epochs, 300u);
    const bool bounded = epochs == 30 || epochs == 300;
    EXPECT_TRUE(bounded || (steps > 8000 && steps <= 9000)) << steps;
  }
}

TEST(TrainDefaults, TakeNoFewerStepsForFewImagesThanForMany) {
  EXPECT_EQ(default_epochs({.rows = 60000, .images = true}, 128), 10u) << "MNIST, as documented";
  EXPECT_EQ(default_epochs({.rows = 1000000, .images = true}, 128), 10u);
  EXPECT_EQ(default_epochs({.rows = 1347, .images = true}, 128), 300u);
  const std::size_t epochs = default_epochs({.rows = 5000, .images = true}, 128), steps = epochs * 40;
  EXPECT_TRUE(steps > 4500 && steps <= 4700) << steps;
}

TEST(TrainDefaults, OfImagesAreOthers) {
  const TrainDefaults table = train_defaults({.task = Task::classification}),
                      images = train_defaults({.images = true});
  EXPECT_EQ(table.loss, "cross-entropy");
  EXPECT_EQ(images.loss, "squared");
  EXPECT_EQ(table.noise, 0);
  EXPECT_GT(images.noise, 0);
}

TEST(TrainDefaults, OfImagesOfAnySizeAreANetwork) {
  for (std::size_t height = 1; height <= 9; ++height)
    for (std::size_t width = 1; width <= 9; ++width) {
      const ImageShape image{3, height, width};
      const TrainDefaults defaults = train_defaults({.images = true, .image = image});
      EXPECT_EQ(defaults.convolutions == "none", height == 2 || width == 2);
      if (defaults.convolutions != "none")
        image_architecture(image, defaults.convolutions, {}, defaults.activation, 2, "lateral");
    }
}

TEST(TrainDefaults, OutputsDoNotFeedThemselves) {
  const std::vector<std::size_t> layers = {5, 4};
  EXPECT_EQ(to_text(table_architecture(3, layers, "tanh", 2, "full")), "3-5tanh-4tanh-2identity/full-3:3");
  EXPECT_EQ(to_text(table_architecture(3, {}, "tanh", 2, "lateral")), "3-2identity/none");
}

TEST(TrainDefaults, ALossThatDoesNotFitTheTaskIsNamed) {
  EXPECT_EQ(loss_misfit(Task::regression, SquaredLoss{}), "");
  EXPECT_EQ(loss_misfit(Task::classification, CrossEntropy{}), "");
  EXPECT_THAT(loss_misfit(Task::classification, SquaredLoss{}), HasSubstr("take cross-entropy"));
  EXPECT_THAT(loss_misfit(Task::regression, CrossEntropy{}), HasSubstr("squared"));
}

}  // namespace
}  // namespace irn
