#include "bench/machine.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/machine.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
// clang-format on

#include <algorithm>
#include <chrono>
#include <vector>

#include "irn/base/threads.h"

HWY_BEFORE_NAMESPACE();
namespace irn::bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 12 chains, named one by one so that they stay in registers: enough for a latency of four cycles and two
// multiply-adds a cycle, few enough for 16 registers. They start with different values; otherwise the
// compiler would merge them.
double multiply_adds(std::size_t rounds) {
  const hn::ScalableTag<float> d;
  const auto f = hn::Set(d, 0.999f), t = hn::Set(d, 1e-3f);
  const auto from = [&](int chain) { return hn::Set(d, float(chain)); };
  auto a = from(1), b = from(2), c = from(3), e = from(4), g = from(5), h = from(6);
  auto i = from(7), j = from(8), k = from(9), l = from(10), m = from(11), n = from(12);
  for (std::size_t r = 0; r < rounds; ++r) {
    a = hn::MulAdd(a, f, t), b = hn::MulAdd(b, f, t), c = hn::MulAdd(c, f, t), e = hn::MulAdd(e, f, t);
    g = hn::MulAdd(g, f, t), h = hn::MulAdd(h, f, t), i = hn::MulAdd(i, f, t), j = hn::MulAdd(j, f, t);
    k = hn::MulAdd(k, f, t), l = hn::MulAdd(l, f, t), m = hn::MulAdd(m, f, t), n = hn::MulAdd(n, f, t);
  }
  a = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(g, h), hn::Add(i, j)));
  volatile float keep = hn::GetLane(hn::Add(a, hn::Add(hn::Add(k, l), hn::Add(m, n))));
  (void)keep;  // otherwise the compiler would remove the loop
  return double(rounds * 12 * hn::Lanes(d));
}

double read_all(const float* from, std::size_t count) {
  const hn::ScalableTag<float> d;
  const std::size_t w = hn::Lanes(d);
  auto a = hn::Zero(d), b = a, c = a, e = a;
  for (std::size_t i = 0; i + 4 * w <= count; i += 4 * w) {
    a = hn::Add(a, hn::LoadU(d, from + i)), b = hn::Add(b, hn::LoadU(d, from + i + w));
    c = hn::Add(c, hn::LoadU(d, from + i + 2 * w)), e = hn::Add(e, hn::LoadU(d, from + i + 3 * w));
  }
  volatile float keep = hn::GetLane(hn::Add(hn::Add(a, b), hn::Add(c, e)));
  (void)keep;
  return double(count) * sizeof(float);
}

}  // namespace irn::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn::bench {

HWY_EXPORT(multiply_adds);
HWY_EXPORT(read_all);

namespace {

// All threads do the same work at the same time; other programs can only slow it down.
template <class Work>
double best_rate(std::size_t threads, int tries, const Work& work) {
  ThreadPool pool(threads);
  std::vector<double> done(threads);
  double best = 0;
  for (int k = 0; k < tries; ++k) {
    const auto start = std::chrono::steady_clock::now();
    pool.for_each(threads, [&](std::size_t task, std::size_t) { done[task] = work(task); });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    double sum = 0;
    for (double d : done) sum += d;
    best = std::max(best, sum / seconds.count());
  }
  return best;
}

}  // namespace

double multiply_adds_a_second(std::size_t threads) {
  // Many short tries: even on a busy machine, one of them runs undisturbed.
  return best_rate(threads, 100, [](std::size_t) { return HWY_DYNAMIC_DISPATCH(multiply_adds)(300'000); });
}

double bytes_a_second(std::size_t threads) {
  constexpr std::size_t each = std::size_t{64} << 20;  // floats: 256 MB for each thread
  const std::size_t share = std::max<std::size_t>(each / threads, each / 8);
  const std::vector<float> values(share * threads, 1.0f);
  return best_rate(threads, 7, [&](std::size_t task) {
    return HWY_DYNAMIC_DISPATCH(read_all)(values.data() + task * share, share);
  });
}

}  // namespace irn::bench
#endif
