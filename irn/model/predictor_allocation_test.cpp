// A prediction allocates nothing after the first one, as this program's counting operators new show.
#include <gtest/gtest.h>

#include "irn/model/predictor.h"
#include "tests/support/count_allocations.h"
#include "tests/support/plain_network.h"

namespace irn {
namespace {

Encoding encoding() {
  return {.task = Task::classification,
          .inputs = {{"size"}, {"colour", {"blue", "red"}}},
          .targets = {{"kind", {"rose", "tulip"}}}};
}

template <class T>
std::size_t allocations_of_a_second_prediction(const char* network) {
  Predictor predictor(ModelOf<T>{random_network<T>(from_text<Architecture>(network), 11, 2), encoding()});
  const Value row[] = {1.5, "red"};
  const std::vector<Value> rows = {1.5, "red", 2.5, "blue", 3, "red"};
  Prediction one;
  std::vector<Prediction> many;
  const auto all = [&] {
    predictor.predict(row, one);
    predictor.predict_rows(rows, many);
  };
  all();
  const std::size_t before = allocations;
  all();
  return allocations - before;
}

TEST(PredictorAllocation, IsCounted) {
  if (!allocations_are_counted) GTEST_SKIP() << "the thread sanitizer has operators new of its own";
  const std::size_t before = allocations;
  std::vector<int> numbers(100);
  EXPECT_EQ(numbers.back(), 0);
  EXPECT_GT(allocations, before);
}

TEST(PredictorAllocation, APredictionAllocatesNothingOnceOneWasMade) {
  for (const char* network : {"3-5-2", "3-60-2", "3-5-2/none"}) {
    EXPECT_EQ(allocations_of_a_second_prediction<float>(network), 0u) << network;
    EXPECT_EQ(allocations_of_a_second_prediction<double>(network), 0u) << network;
  }
}

}  // namespace
}  // namespace irn
