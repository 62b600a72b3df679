// The library's matrix product beside OpenBLAS, one thread each:  C = A V,  A n x n,  V n x 256, float.
//   lanes     V and C in groups of samples side by side, as the solvers keep them
//   openblas  sgemm, all row-major
// The library does not use OpenBLAS: the bits of sgemm depend on the processor, on a column's position and on the
// number of columns, and a sample's answer must not depend on its batch. This is the price of that, in GFLOP/s.
#include <cmath>

#include "bench/harness.h"
#include "bench/kernels.h"
#include "irn/base/aligned.h"
#include "irn/base/random.h"
#ifdef IRN_BENCH_OPENBLAS
#include <cblas.h>
#endif

namespace irn::bench {
namespace {

constexpr std::size_t batch = 256;

struct Matrices {
  explicit Matrices(std::size_t size) : n(size), a(n * n), v(n * batch), c(n * batch) {
    const Stream random(1);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = float(random.uniform(i, -1, 1));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = float(random.uniform(a.size() + i, -1, 1));
  }
  std::size_t n;
  AlignedBuffer<float> a, v, c;
};

// Entry (i, s) of A V in double, V's entries at place(k, s).
template <class Place>
void check(const Matrices& m, const Place& place) {
  for (std::size_t k = 0; k < 64; ++k) {
    const std::size_t i = k * 37 % m.n, s = k * 29 % batch;
    double sum = 0;
    for (std::size_t j = 0; j < m.n; ++j) sum += double(m.a[i * m.n + j]) * double(m.v[place(j, s)]);
    if (std::abs(sum - double(m.c[place(i, s)])) > 1e-5 * double(m.n))
      throw Error("a product is wrong, nothing timed");
  }
}

void finish(benchmark::State& state, std::size_t n, const Stopwatch& watch) {
  const double seconds = watch.seconds();
  const double multiply_adds = double(n) * double(n) * batch * double(state.iterations());
  state.counters["GFLOP/s"] = 2e-9 * multiply_adds / seconds;
  state.counters["of_peak"] = multiply_adds / (multiply_add_peak<float>() * seconds);
}

void lanes(benchmark::State& state, std::size_t n) {
  Matrices m(n);
  const std::size_t width = lane_product_width();
  Panels<float> panels(n, {{0, n}});
  panels.set(0, n, 0, n, m.a.data(), n, 1);
  const auto multiply = [&] { lane_product(panels, m.v.data(), batch / width, m.c.data()); };
  multiply();
  check(m, [&](std::size_t k, std::size_t s) { return (s / width * n + k) * width + s % width; });
  const Stopwatch watch(1);
  for (auto _ : state) multiply();
  finish(state, n, watch);
}

#ifdef IRN_BENCH_OPENBLAS
void openblas(benchmark::State& state, std::size_t n) {
  openblas_set_num_threads(1);
  Matrices m(n);
  const int size = int(n), columns = int(batch);
  const auto multiply = [&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, columns, size, 1.0f, m.a.data(), size,
                m.v.data(), columns, 0.0f, m.c.data(), columns);
  };
  multiply();
  check(m, [&](std::size_t k, std::size_t s) { return k * batch + s; });
  const Stopwatch watch(1);
  for (auto _ : state) multiply();
  finish(state, n, watch);
}
#endif

void register_all() {
  for (std::size_t n : {64, 128, 256, 512, 1024}) {
    const std::string size = "/n:" + std::to_string(n);
    add("lanes" + size, benchmark::kMicrosecond, 1, lanes, n);
#ifdef IRN_BENCH_OPENBLAS
    add("openblas" + size, benchmark::kMicrosecond, 1, openblas, n);
#endif
  }
}

}  // namespace
}  // namespace irn::bench

int main(int argc, char** argv) { return irn::bench::run(argc, argv, irn::bench::register_all); }
