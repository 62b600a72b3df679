#include "irn/kernels/flush_denormals.h"

#include <gtest/gtest.h>

#include <limits>

namespace irn::kernels {
namespace {

template <class T>
T half_of_the_least_normal_number() {
  volatile T least = std::numeric_limits<T>::min();
  return least * T(0.5);
}

TEST(FlushDenormals, ActsOnItsThreadForAsLongAsItLives) {
#if !defined(__SSE__)
  GTEST_SKIP() << "not on this processor";
#endif
  EXPECT_GT(half_of_the_least_normal_number<float>(), 0.0f);
  {
    const FlushDenormals flush;
    {
      const FlushDenormals nested;
      EXPECT_EQ(half_of_the_least_normal_number<float>(), 0.0f);
    }
    EXPECT_EQ(half_of_the_least_normal_number<float>(), 0.0f) << "the inner one leaves the outer one alone";
    EXPECT_EQ(half_of_the_least_normal_number<double>(), 0.0);
  }
  EXPECT_GT(half_of_the_least_normal_number<float>(), 0.0f);
  EXPECT_GT(half_of_the_least_normal_number<double>(), 0.0);
}

}  // namespace
}  // namespace irn::kernels
