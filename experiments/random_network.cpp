#include "experiments/random_network.h"

#include "irn/base/random.h"

namespace irn::experiments {

template <class T>
NetworkOf<T> random_network(std::string_view architecture, std::uint64_t seed, Interval recurrent) {
  NetworkOf<T> network(from_text<Architecture>(architecture), Start::paper, seed);
  const Stream stream(seed, 0x7265637572);  // "recur": separate from the streams of the start
  for (const Block& block : network.architecture().blocks()) {
    if (block.forward()) continue;
    for (std::size_t i = block.weights; i < block.weights + block.rows * block.cols; ++i)
      network.parameters()[i] = static_cast<T>(stream.uniform(i, recurrent.low, recurrent.high));
  }
  return network;
}

template <class T>
SampleTable<T> random_samples(std::size_t count, std::size_t inputs, std::uint64_t seed) {
  const Stream stream(seed, 0x696e707574);  // "input"
  std::vector<T> values(count * inputs);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(stream.normal(i));
  return SampleTable<T>(inputs, 1, std::move(values), std::vector<T>(count, T(0)));
}

template NetworkOf<float> random_network(std::string_view, std::uint64_t, Interval);
template NetworkOf<double> random_network(std::string_view, std::uint64_t, Interval);
template SampleTable<float> random_samples(std::size_t, std::size_t, std::uint64_t);
template SampleTable<double> random_samples(std::size_t, std::size_t, std::uint64_t);

}  // namespace irn::experiments
