// The exact gradient of a small batch is found with the factors that the search for its equilibria ended with. It must be that of a
// large one, in which I - D A is factored anew.
#include <gtest/gtest.h>

#include "tests/support/batch_gradient.h"

namespace irn {
namespace {

constexpr std::size_t few = 2;  // fits the lanes of every processor

LossCase first_of(const LossCase& c, std::size_t begin) {
  LossCase part = c;
  part.inputs = {c.inputs.begin() + std::ptrdiff_t(begin), c.inputs.begin() + std::ptrdiff_t(begin + few)};
  part.slopes = {c.slopes.begin() + std::ptrdiff_t(begin), c.slopes.begin() + std::ptrdiff_t(begin + few)};
  return part;
}

struct Compared {
  double error = 0;  // the largest of the input gradients of a pair, relative to the largest entry
  std::size_t reused = 0, samples = 0;
};

template <class T>
Compared compare(const LossCase& c, const GradientOptions& options) {
  const std::size_t m = c.network.architecture().inputs();
  const GradientResult<T> whole = batch_gradient<T>(c, options);
  Compared result;
  for (std::size_t begin = 0; begin + few <= c.inputs.size(); begin += few) {
    const GradientResult<T> part = batch_gradient<T>(first_of(c, begin), options);
    for (std::size_t s = 0; s < few; ++s) {
      EXPECT_EQ(whole.products[begin + s], 0) << "a large batch factors anew";
      EXPECT_EQ(part.outcomes[s], whole.outcomes[begin + s]);
      if (part.outcomes[s] != GradientOutcome::used) continue;
      result.reused += part.products[s] > 0, ++result.samples;
      result.error =
          std::max(result.error, relative_error(std::span(part.inputs).subspan(s * m, m),
                                                std::span(whole.inputs).subspan((begin + s) * m, m)));
    }
  }
  return result;
}

TEST(ReusedFactors, GiveTheGradientOfNewOnes) {
  for (const char* text : {"3-20-2", "3-12tanh-9-4", "3-30softplus-2identity", "3-40-2", "4-16relu-8-2"}) {
    SCOPED_TRACE(text);
    const LossCase c(Architecture::parse(text), 7, 0.5, 60);
    GradientOptions options{.input_gradient = true};
    const Compared in_double = compare<double>(c, options);
    EXPECT_LE(in_double.error, 1e-9);
    EXPECT_GE(in_double.reused, in_double.samples * 3 / 4) << "of " << in_double.samples;
    EXPECT_GE(in_double.samples, 50u);
    const Compared in_float = compare<float>(c, options);
    EXPECT_LE(in_float.error, 1e-3);
    EXPECT_GE(in_float.reused, in_float.samples * 3 / 4) << "of " << in_float.samples;
  }
}

// Wild networks, where Newton's method does not always end the search and I - D A comes close to being singular.
TEST(ReusedFactors, AreNotTrustedBlindly) {
  std::size_t reused = 0, samples = 0;
  for (const double gain : {2.5, 6.0, 15.0})
    for (const char* text : {"3-18tanh-2", "3-24-2"}) {
      SCOPED_TRACE(text);
      const LossCase c(Architecture::parse(text), 11, gain, 80);
      const Compared in_double = compare<double>(c, {.input_gradient = true}),
                     in_float = compare<float>(c, {.input_gradient = true});
      EXPECT_LE(in_double.error, 1e-7) << gain;
      EXPECT_LE(in_float.error, 0.05) << gain;
      reused += in_double.reused + in_float.reused, samples += in_double.samples + in_float.samples;
    }
  EXPECT_GE(reused, 50u);
  EXPECT_LT(reused, samples) << "none was found with new factors";
}

TEST(ReusedFactors, SmallNetworksFactorAnew) {
  const LossCase c(Architecture::parse("3-14-2"), 7, 0.5, 20);
  EXPECT_EQ(compare<double>(c, {.input_gradient = true}).reused, 0u);
}

TEST(ReusedFactors, GiveTheSameBitsOnAnyNumberOfThreads) {
  const LossCase c = first_of(LossCase(Architecture::parse("3-20-2"), 7, 0.5, 60), 0);
  const GradientResult<float> one = batch_gradient<float>(c, {}, 1);
  EXPECT_GT(one.products[0], 0);
  for (const std::size_t threads : {2u, 3u, 8u})
    EXPECT_EQ(batch_gradient<float>(c, {}, threads).parameters, one.parameters) << threads;
}

}  // namespace
}  // namespace irn
