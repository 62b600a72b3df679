#include "experiments/settling/generated_tables.h"

#include <cmath>
#include <numbers>

#include "irn/base/random.h"

namespace irn::experiments {
namespace {

using std::numbers::pi;

// Uniform and normal numbers of one row; each has its own stream.
struct Row {
  std::uint64_t seed, i;
  double uniform(std::uint64_t k) const { return Stream(seed, 1 + 2 * k).uniform(i); }
  double normal(std::uint64_t k) const { return Stream(seed, 2 + 2 * k).normal(i); }
};

float number(double value) { return static_cast<float>(value); }

// Three arms of one and a quarter turns each.
std::size_t spiral(std::uint64_t seed, std::uint64_t i, float* x) {
  const Row row{seed, i};
  const std::size_t arm = i % 3;
  const double radius = 0.1 + 0.9 * row.uniform(0), angle = 2 * pi * (1.25 * radius + double(arm) / 3);
  constexpr double scale = 2.2, noise = 0.02;
  x[0] = number(scale * (radius * std::cos(angle) + noise * row.normal(0)));
  x[1] = number(scale * (radius * std::sin(angle) + noise * row.normal(1)));
  return arm;
}

// Four by four fields in two colours.
std::size_t checkerboard(std::uint64_t seed, std::uint64_t i, float* x) {
  const Row row{seed, i};
  const double a = row.uniform(0), b = row.uniform(1);
  constexpr double scale = 3.46;  // to deviation 1
  x[0] = number(scale * (a - 0.5)), x[1] = number(scale * (b - 0.5));
  return static_cast<std::size_t>(std::floor(4 * a) + std::floor(4 * b)) % 2;
}

std::size_t moons(std::uint64_t seed, std::uint64_t i, float* x) {
  const Row row{seed, i};
  const std::size_t moon = i % 2;
  const double angle = pi * row.uniform(0);
  constexpr double noise = 0.2, scale = 1.4;
  const double a = moon == 0 ? std::cos(angle) : 1 - std::cos(angle),
               b = moon == 0 ? std::sin(angle) : 0.5 - std::sin(angle);
  x[0] = number(scale * (a - 0.5 + noise * row.normal(0)));
  x[1] = number(scale * (b - 0.25 + noise * row.normal(1)));
  return moon;
}

// Inside or outside the sphere that halves a normal cloud: 9.342 is the median of chi^2 with ten degrees of
// freedom.
std::size_t sphere(std::uint64_t seed, std::uint64_t i, float* x) {
  const Row row{seed, i};
  double square = 0;
  for (std::uint64_t k = 0; k < 10; ++k) {
    const double value = row.normal(k);
    x[k] = number(value);
    square += value * value;
  }
  return square > 9.342 ? 1 : 0;
}

}  // namespace

const std::vector<GeneratedTable>& generated_tables() {
  static const std::vector<GeneratedTable> all = {{"spirals", "three spiral arms", 2, 3, spiral},
                                                  {"checkerboard", "checkerboard", 2, 2, checkerboard},
                                                  {"moons", "moons", 2, 2, moons},
                                                  {"sphere", "sphere in ten dimensions", 10, 2, sphere}};
  return all;
}

SampleTable<float> GeneratedTable::rows(std::uint64_t seed, std::uint64_t first, std::uint64_t count) const {
  std::vector<float> x(count * inputs), y(count * classes);
  for (std::uint64_t i = 0; i < count; ++i) y[i * classes + row(seed, first + i, x.data() + i * inputs)] = 1;
  return SampleTable<float>(inputs, classes, std::move(x), std::move(y));
}

}  // namespace irn::experiments
