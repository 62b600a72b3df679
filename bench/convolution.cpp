// Convolutions in the layout of lanes, one thread, float, c channels to c channels with a kernel of k x k on
// images of s x s:
//   product     out += C v for one group of lanes: where every solver spends its time
//   transposed  out += C^T v: the adjoint
//   gradient    of the kernel's numbers, over 64 samples, transposition into lanes included
// Each is checked before it is timed, and shown with its share of the machine's peak. Only taps inside the
// image count as work.
#include <cmath>

#include "bench/harness.h"
#include "bench/kernels.h"
#include "irn/base/aligned.h"
#include "irn/base/random.h"

namespace irn::bench {
namespace {

ConvolutionShape shape_of(std::size_t channels, std::size_t kernel, std::size_t side) {
  return {channels, side, side, channels, side, side, kernel, kernel, 1, kernel / 2, kernel / 2, 1, 1};
}

AlignedBuffer<float> random_buffer(std::size_t count, std::uint64_t stream) {
  AlignedBuffer<float> values(count);
  const Stream random(1, stream);
  for (std::size_t i = 0; i < count; ++i) values[i] = float(random.uniform(i, -1, 1));
  return values;
}

void check(double found, double expected) {
  if (!(std::abs(found - expected) < 1e-3)) throw Error("a convolution is wrong, nothing timed");
}

void finish(benchmark::State& state, const ConvolutionShape& c, std::size_t samples, const Stopwatch& watch) {
  double taps = 0;
  for_each_tap(c, [&](std::size_t, std::size_t, std::size_t) { ++taps; });
  const double multiply_adds = taps * double(samples) * double(state.iterations()), seconds = watch.seconds();
  state.counters["GFLOP/s"] = 2e-9 * multiply_adds / seconds;
  state.counters["of_peak"] = multiply_adds / (multiply_add_peak<float>() * seconds);
}

void product(benchmark::State& state, const ConvolutionShape& c, bool transposed) {
  const std::size_t lanes = lane_product_width();
  const auto numbers = random_buffer(c.numbers(), 1), v = random_buffer(c.in_size() * lanes, 2);
  AlignedBuffer<float> out(c.out_size() * lanes);
  PackedConvolution<float> packed{ConvolutionRoute(c, transposed)};
  packed.pack(numbers.data());
  lane_convolution(packed, v.data(), out.data());
  std::vector<double> expected(c.out_size());
  for_each_tap(c, [&](std::size_t o, std::size_t i, std::size_t number) {
    if (transposed) std::swap(o, i);
    expected[o] += double(numbers[number]) * double(v[i * lanes]);
  });
  for (std::size_t o = 0; o < expected.size(); ++o) check(out[o * lanes], expected[o]);
  out.fill(0);
  const Stopwatch watch(1);
  for (auto _ : state) lane_convolution(packed, v.data(), out.data());
  finish(state, c, lanes, watch);
}

void gradient(benchmark::State& state, const ConvolutionShape& c) {
  constexpr std::size_t samples = 64;
  const auto u = random_buffer(c.out_size() * samples, 1), v = random_buffer(c.in_size() * samples, 2);
  std::vector<float> found(c.numbers());
  const auto sum = [&] {
    kernels::sum_convolution<float>(c, 0, c.out_channels, samples, u.data(), c.out_size(), v.data(),
                                    c.in_size(), found.data());
  };
  sum();
  std::vector<double> expected(c.numbers());
  for (std::size_t s = 0; s < samples; ++s)
    for_each_tap(c, [&](std::size_t o, std::size_t i, std::size_t number) {
      expected[number] += double(u[s * c.out_size() + o]) * double(v[s * c.in_size() + i]);
    });
  for (std::size_t k = 0; k < found.size(); ++k) check(found[k] / 100, expected[k] / 100);
  const Stopwatch watch(1);
  for (auto _ : state) sum();
  finish(state, c, samples, watch);
}

void register_all() {
  for (const std::size_t channels : {16, 32, 64})
    for (const std::size_t kernel : {1, 3, 5}) {
      const std::size_t side = channels == 64 ? 7 : 14;
      const std::string size =
          "/c:" + std::to_string(channels) + "/k:" + std::to_string(kernel) + "/s:" + std::to_string(side);
      const ConvolutionShape c = shape_of(channels, kernel, side);
      add("product" + size, benchmark::kMicrosecond, 1, product, c, false);
      add("transposed" + size, benchmark::kMicrosecond, 1, product, c, true);
      add("gradient" + size, benchmark::kMicrosecond, 1, gradient, c);
    }
}

}  // namespace
}  // namespace irn::bench

int main(int argc, char** argv) { return irn::bench::run(argc, argv, irn::bench::register_all); }
