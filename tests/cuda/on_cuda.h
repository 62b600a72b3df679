// Support for tests that need a CUDA device, or this host in its place (on_host): a fixture, and comparisons.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "irn/base/threads.h"
#include "irn/data/sample_table.h"
#include "irn/engine/devices.h"
#include "irn/equilibrium/equilibria.h"
#include "tests/support/refusal.h"

namespace irn {

inline constexpr Device cuda_device{Device::Kind::cuda};

// Whether the kernels are built for the host (libirn_cuda_on_host.so).
inline bool on_host() {
  const char* module = std::getenv("IRN_CUDA_MODULE");
  return module && std::string_view(module).find("on_host") != std::string_view::npos;
}

// Skipped where there is no device.
class OnCuda : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why = refusal([] { check_device(cuda_device); });
    if (why.empty()) return;
    ASSERT_FALSE(on_host()) << why;
    GTEST_SKIP() << why;
  }
  ThreadPool threads_{4};
};

// The number of samples that a test takes. It is smaller where this host replaces a device, but, up to 224
// neurons, larger than what the host takes at a time, so that some samples wait for others there, too.
inline std::size_t enough_samples(std::size_t neurons, std::size_t on_device) {
  if (!on_host()) return on_device;
  const std::size_t enough = neurons <= 8 ? 1000 : neurons <= 24 ? 150 : neurons <= 224 ? 40 : 6;
  return std::min(on_device, enough);
}

// Whether a test skips a network that would take long on this host; smaller ones use the threads in the same
// way.
inline bool takes_long_here(std::size_t neurons, std::size_t limit) { return on_host() && neurons > limit; }

// Counts how often inputs were read.
class CountedInputs : public SampleTable<float> {
 public:
  CountedInputs(const SampleTable<float>& samples, bool may_change)
      : SampleTable<float>(samples), may_change_(may_change) {}
  void inputs_as_rows(std::span<const std::uint64_t> index, float* out) const override {
    asked_ += index.size();
    SampleTable<float>::inputs_as_rows(index, out);
  }
  std::uint64_t inputs_id() const override { return may_change_ ? 0 : SampleTable<float>::inputs_id(); }
  std::size_t asked() const { return asked_; }

 private:
  bool may_change_;
  mutable std::atomic<std::size_t> asked_ = 0;
};

// The largest distance between the states of samples that settle in both, and the number of different
// verdicts.
struct Apart {
  double states = 0;
  std::size_t verdicts = 0, both = 0;
};
template <class T>
Apart apart(const Equilibria<T>& a, const Equilibria<T>& b) {
  Apart found;
  for (std::size_t s = 0; s < a.size(); ++s) {
    found.verdicts += a.verdicts[s].outcome != b.verdicts[s].outcome;
    if (!a.settled(s) || !b.settled(s)) continue;
    ++found.both;
    double far = 0;
    for (std::size_t i = 0; i < a.neurons; ++i)
      far = std::max(far, std::abs(double(a.state(s)[i]) - double(b.state(s)[i])));
    found.states = std::max(found.states, far);
  }
  return found;
}

}  // namespace irn
