// Random networks and samples, for parts that ask about networks in general.
#pragma once

#include <string_view>

#include "irn/data/sample_table.h"
#include "irn/network/network.h"

namespace irn::experiments {

struct Interval {
  double low, high;
};

// Forward weights and biases start as in the paper; recurrent weights are uniform in `recurrent`.
template <class T>
NetworkOf<T> random_network(std::string_view architecture, std::uint64_t seed, Interval recurrent);

// Standard normal inputs; the one target of a sample is zero and has no effect.
template <class T>
SampleTable<T> random_samples(std::size_t count, std::size_t inputs, std::uint64_t seed);

}  // namespace irn::experiments
