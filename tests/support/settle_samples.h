// Random samples for a network of any width, and a settler made for one call.
#pragma once

#include <cstdint>
#include <vector>

#include "irn/data/sample_table.h"
#include "irn/equilibrium/cpu_settler.h"
#include "tests/support/plain_network.h"

namespace irn {

template <class T>
SampleTable<T> random_samples(std::size_t inputs, std::size_t count, std::uint64_t seed = 9) {
  return SampleTable<T>(inputs, 0, random_numbers<T>(inputs * count, seed), {});
}
template <class T>
Equilibria<T> settle_with(const Solver& solver, const NetworkOf<T>& network, const SampleTable<T>& samples,
                          double tolerance = 0, std::size_t thread_count = 1) {
  ThreadPool threads(thread_count);
  return CpuSettler<T>(network, {solver, tolerance}, threads).settle(samples);
}

}  // namespace irn
