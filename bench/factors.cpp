// Factors of I - D A, as many as lie side by side in the lanes, one thread, float:
//   anew      factored at the equilibrium, all lanes at once
//   moved     taken over from the forward solve, where each belongs to another round and another lane: put aside when its
//             sample is done, and put into the gradient's lanes
// Per sample, in nanoseconds: why the gradient takes over the forward solve's factors only where they lie in place. Moved, they would
// still be those of the iterate before the last step, and need a round of refinement more than those made anew.
#include "bench/harness.h"
#include "bench/kernels.h"
#include "irn/base/aligned.h"
#include "irn/base/random.h"

namespace irn::bench {
namespace {

struct Factors {
  explicit Factors(std::size_t size)
      : n(size),
        a(n * n),
        slopes(n * lane_product_width()),
        made(a.size() * lane_product_width()),
        kept(made.size()) {
    const Stream random(1);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = float(random.uniform(i, -0.5, 0.5));
    for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = float(random.uniform(a.size() + i, 0, 0.25));
    lane_factors(a.data(), slopes.data(), n, made.data());
    move_lanes(made.data(), n * n, kept.data());
    // Each lane moves to the next, the last to the first.
    for (std::size_t k = 0; k < made.size(); ++k)
      if (kept[k] != made[k % lane_product_width() == 0 ? k + lane_product_width() - 1 : k - 1])
        throw Error("factors were lost on the way, nothing timed");
  }
  std::size_t n;
  AlignedBuffer<float> a, slopes, made, kept;
};

template <class Work>
void measure(benchmark::State& state, const Work& work) {
  const Stopwatch watch(1);
  for (auto _ : state) work();
  state.counters["ns_a_sample"] =
      1e9 * watch.seconds() / double(state.iterations()) / double(lane_product_width());
}

void anew(benchmark::State& state, std::size_t n) {
  Factors f(n);
  measure(state, [&] { lane_factors(f.a.data(), f.slopes.data(), n, f.made.data()); });
}
void moved(benchmark::State& state, std::size_t n) {
  Factors f(n);
  measure(state, [&] {
    move_lanes(f.made.data(), n * n, f.kept.data());
    move_lanes(f.kept.data(), n * n, f.made.data());
  });
}

void register_all() {
  for (std::size_t n : {7, 22, 48, 80}) {
    const std::string size = "/n:" + std::to_string(n);
    add("anew" + size, benchmark::kMicrosecond, 1, anew, n);
    add("moved" + size, benchmark::kMicrosecond, 1, moved, n);
  }
}

}  // namespace
}  // namespace irn::bench

int main(int argc, char** argv) { return irn::bench::run(argc, argv, irn::bench::register_all); }
