#include "irn/base/number_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "irn/base/random.h"

namespace irn {
namespace {

// Random bits, and numbers of everyday size.
template <class T, class Check>
void for_many_numbers(const Check& check) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  for (const T value : {T(0), T(-0.0), T(1), T(-1), T(0.1), T(1e-4), T(9.999e-5), T(1e15), T(1e16), T(2.5e6),
                        std::numeric_limits<T>::max(), std::numeric_limits<T>::denorm_min()})
    check(value);
  const Stream stream(3);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const T any = std::bit_cast<T>(static_cast<Bits>(stream.bits(2 * i)));
    if (std::isfinite(any)) check(any);
    check(T(std::round(stream.uniform(2 * i + 1, -1e6, 1e6)) / 1000));
    check(T(std::pow(10.0, stream.uniform(2 * i + 1, -8, 20))));
  }
}

TEST(NumberText, PlainTextIsThatOfModelFilesSoFar) {
  for_many_numbers<double>([](double value) { ASSERT_EQ(plain_text(value), fmt::format("{}", value)); });
  for_many_numbers<float>([](float value) { ASSERT_EQ(plain_text(value), fmt::format("{}", value)); });
}

TEST(NumberText, FixedAndShortTextAreThoseOfPrintf) {
  for_many_numbers<double>([](double value) {
    ASSERT_EQ(fixed_text(value, 2), fmt::format("{:.2f}", value));
    ASSERT_EQ(short_text(value, 3), fmt::format("{:.3g}", value));
  });
}

TEST(NumberText, TextWithinHasAsManyDigitsAsTheDistanceAsksFor) {
  EXPECT_EQ(text_within(1000000031.4999999, 1e-5), "1000000031.5");
  EXPECT_EQ(text_within(1700000012345.678, 0.01), "1700000012345.68");
  EXPECT_EQ(text_within(1700000012345.678, 100), "1700000012300") << "no exponent";
  EXPECT_EQ(text_within(-0.0001234567, 1e-9), "-0.000123457");
  EXPECT_EQ(text_within(0, 0), "0");
  EXPECT_EQ(text_within(0.3, 0), "0.3") << "the value itself";
  EXPECT_EQ(text_within(std::nan(""), 1), "nan");
  for_many_numbers<double>([](double value) {
    for (const double share : {0.0, 1e-15, 1e-9, 1e-3}) {
      const double off = std::abs(value) * share;
      ASSERT_LE(std::abs(std::strtod(text_within(value, off).c_str(), nullptr) - value), off);
    }
  });
}

TEST(NumberText, HexTextHasItsDigits) {
  EXPECT_EQ(hex_text(0, 8), "00000000");
  EXPECT_EQ(hex_text(0xdeadbeef, 8), "deadbeef");
  EXPECT_EQ(hex_text(10, 2), "0a");
}

}  // namespace
}  // namespace irn
