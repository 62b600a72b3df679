#include "irn/base/random.h"

#include <Random123/philox.h>

#include <cassert>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "irn/base/memory.h"

namespace irn {
namespace {

std::uint32_t low_word(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
std::uint32_t high_word(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

// floor(a b / 2^64)
std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  __extension__ using uint128 = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<uint128>(a) * b) >> 64);
}

// log(x) = e log 2 + 2 artanh((m - 1) / (m + 1)),  x = m 2^e,  1/sqrt 2 <= m < sqrt 2.
// Not std::log, whose last bit depends on the C library and, through it, on the processor. With |t| <= 0.172
// the first omitted term of the series, t^25 / 25, is below 1e-20.
double natural_log(double x) {
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);
  if (mantissa < 0.70710678118654752440) {
    mantissa *= 2;
    --exponent;
  }
  const double t = (mantissa - 1) / (mantissa + 1);
  double series = 0;
  for (int power = 23; power >= 1; power -= 2) series = series * (t * t) + 1.0 / power;
  return exponent * 0.69314718055994530942 + 2 * t * series;
}

// Coefficients from the constant term upwards.
template <std::size_t n>
double polynomial(const double (&coefficients)[n], double x) {
  double value = coefficients[n - 1];
  for (std::size_t k = n - 1; k-- > 0;) value = value * x + coefficients[k];
  return value;
}

}  // namespace

std::array<std::uint32_t, 4> Stream::block(std::uint64_t counter) const {
  const r123::Philox4x32::ctr_type position = {
      {low_word(counter), high_word(counter), low_word(stream_), high_word(stream_)}};
  const r123::Philox4x32::key_type key = {{low_word(seed_), high_word(seed_)}};
  const r123::Philox4x32::ctr_type words = r123::Philox4x32{}(position, key);
  return {words[0], words[1], words[2], words[3]};
}

std::uint64_t Stream::bits(std::uint64_t i) const {
  const std::array<std::uint32_t, 4> words = block(i / 2);
  const std::size_t half = i % 2 * 2;
  return words[half] | static_cast<std::uint64_t>(words[half + 1]) << 32;
}

double Stream::uniform(std::uint64_t i) const { return static_cast<double>(bits(i) >> 11) * 0x1p-53; }

std::uint64_t Stream::below(std::uint64_t i, std::uint64_t n) const {
  assert(n > 0);
  return multiply_high(bits(i), n);
}

// One bit is the sign. 52 bits choose a cell of the tail probability, of which the middle is taken: exactly
// symmetric, never 0 or 1/2.
double Stream::normal(std::uint64_t i) const {
  const std::uint64_t random = bits(i);
  const double tail = (static_cast<double>(random >> 12) + 0.5) * 0x1p-53;
  const double size = normal_quantile(tail);
  return random & 1 ? size : -size;
}

// The shuffle of Fisher and Yates, with one draw for each place.
std::vector<std::uint64_t> Stream::permutation(std::uint64_t n) const {
  std::vector<std::uint64_t> order =
      within_memory([&] { return std::vector<std::uint64_t>(allocatable(n)); },
                    [&] { return "an order of " + std::to_string(n) + " numbers"; });
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  for (std::uint64_t i = n; i > 1; --i) std::swap(order[i - 1], order[below(i, i)]);
  return order;
}

// Wichura's rational approximations (algorithm AS 241, PPND16, Applied Statistics 37, 1988): relative error
// 1e-16.
double normal_quantile(double tail) {
  const double q = 0.5 - tail;
  if (q <= 0.425) {
    const double r = 0.180625 - q * q;
    return q *
           polynomial(
               {3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
                45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727},
               r) /
           polynomial(
               {1.0, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077,
                21213.794301586595867, 39307.89580009271061, 28729.085735721942674, 5226.495278852545925},
               r);
  }
  const double r = std::sqrt(-natural_log(tail));
  if (r <= 5) {
    return polynomial({1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055,
                       3.64784832476320460504, 1.27045825245236838258, 0.24178072517745061177,
                       0.0227238449892691845833, 7.7454501427834140764e-4},
                      r - 1.6) /
           polynomial({1.0, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455,
                       0.14810397642748007459, 0.0151986665636164571966, 5.475938084995344946e-4,
                       1.05075007164441684324e-9},
                      r - 1.6);
  }
  return polynomial({6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358,
                     0.29656057182850489123, 0.026532189526576123093, 0.0012426609473880784386,
                     2.71155556874348757815e-5, 2.01033439929228813265e-7},
                    r - 5) /
         polynomial({1.0, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525,
                     7.868691311456132591e-4, 1.8463183175100546818e-5, 1.4215117583164458887e-7,
                     2.04426310338993978564e-15},
                    r - 5);
}

}  // namespace irn
