// The library's products compared with OpenBLAS, one thread each, n neurons, 256 samples, float:
//   states    C = A V,  A n x n,  V n x 256: where every solver spends its time
//   gradient  C = U^T V,  U and V 256 x n: the gradient of a weight matrix, in the pieces that threads share
// `_openblas` is the same by sgemm, all row-major. The bits of sgemm depend on the processor, on a column's
// position and on the number of columns, but a sample's answer must not depend on its batch: so products with
// states are always our own. Gradients of wide layers may use OpenBLAS (IRN_WITH_OPENBLAS,
// irn/kernels/outer.h).
#include <algorithm>
#include <cmath>

#include "bench/harness.h"
#include "bench/kernels.h"
#include "irn/base/aligned.h"
#include "irn/base/random.h"
#include "irn/kernels/outer.h"
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

struct Gradient {
  explicit Gradient(std::size_t size) : n(size), u(n * batch), v(n * batch), c(n * n) {
    const Stream random(1);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = float(random.uniform(i, -1, 1));
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = float(random.uniform(u.size() + i, -1, 1));
  }
  void check() const {
    for (std::size_t k = 0; k < 64; ++k) {
      const std::size_t i = k * 37 % n, j = k * 29 % n;
      double sum = 0;
      for (std::size_t s = 0; s < batch; ++s) sum += double(u[s * n + i]) * double(v[s * n + j]);
      if (std::abs(sum - double(c[i * n + j])) > 1e-5 * batch)
        throw Error("a product is wrong, nothing timed");
    }
  }
  std::size_t n;
  AlignedBuffer<float> u, v, c;
};

// Entry (i, s) of A V in double, where V's entries are at place(k, s).
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

void states(benchmark::State& state, std::size_t n) {
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
void states_openblas(benchmark::State& state, std::size_t n) {
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

// U^T V by multiply(first row, rows), one piece after the other.
template <class Multiply>
void by_pieces(benchmark::State& state, std::size_t n, const Multiply& multiply) {
  Gradient g(n);
  const std::size_t piece = n < kernels::blas_columns ? 48 : 96;
  const auto all = [&] {
    for (std::size_t row = 0; row < n; row += piece) multiply(g, row, std::min(piece, n - row));
  };
  all();
  g.check();
  const Stopwatch watch(1);
  for (auto _ : state) all();
  finish(state, n, watch);
}

void gradient(benchmark::State& state, std::size_t n) {
  by_pieces(state, n, [&](Gradient& g, std::size_t row, std::size_t rows) {
    kernels::sum_outer<float>(batch, g.u.data() + row, n, rows, g.v.data(), n, n, g.c.data() + row * n);
  });
}

#ifdef IRN_BENCH_OPENBLAS
void gradient_openblas(benchmark::State& state, std::size_t n) {
  openblas_set_num_threads(1);
  const int stride = int(n);
  by_pieces(state, n, [&](Gradient& g, std::size_t row, std::size_t rows) {
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, int(rows), stride, int(batch), 1.0f,
                g.u.data() + row, stride, g.v.data(), stride, 0.0f, g.c.data() + row * n, stride);
  });
}
#endif

void register_all() {
  for (std::size_t n : {64, 128, 256, 512, 1024, 2048}) {
    const std::string size = "/n:" + std::to_string(n);
    add("states" + size, benchmark::kMicrosecond, 1, states, n);
    add("gradient" + size, benchmark::kMicrosecond, 1, gradient, n);
#ifdef IRN_BENCH_OPENBLAS
    add("states_openblas" + size, benchmark::kMicrosecond, 1, states_openblas, n);
    add("gradient_openblas" + size, benchmark::kMicrosecond, 1, gradient_openblas, n);
#endif
  }
}

}  // namespace
}  // namespace irn::bench

int main(int argc, char** argv) { return irn::bench::run(argc, argv, irn::bench::register_all); }
