// One training run on the oscillator task, as in the paper.
#pragma once

#include "experiments/part.h"
#include "experiments/settling/method.h"
#include "irn/network/network.h"

namespace irn::experiments {

// The three networks of the paper. Colours and order are the same in all figures.
enum class NetworkKind : unsigned char { feed_forward, semi, exact };
inline constexpr NetworkKind kinds[] = {NetworkKind::feed_forward, NetworkKind::semi, NetworkKind::exact};
std::string_view name(NetworkKind kind);
const Method& method_of(NetworkKind kind);

struct OscillatorRun {
  NetworkKind kind = NetworkKind::exact;
  std::size_t hidden = 5;
  std::size_t repeat = 0;       // repeats of different kinds share start and samples
  std::string solver = "auto";  // for training and for its tests
  double tolerance = 0;         // 0: the default
  bool other_reading = false;   // the other reading of "200 gradient steps over six batches"
  bool curve = false;           // test during training, not only at the end
  // Hidden layers of tanh instead of one layer of `hidden` sigmoid neurons.
  std::vector<std::size_t> layers = {};
  // A study's method (settling/method.h) instead of the paper's kind; must outlive the run.
  const Method* method = nullptr;

  std::string key() const;
  double cost(const Protocol& protocol) const;  // roughly, in seconds of one core
};

// parameters; train: loss, settled, evaluations of each epoch; test: epoch, loss, settled, evaluations and,
// on a thousand samples, the result of the paper's RK4 x 30: share settled to 1e-5 and median residual.
Json train_oscillator(const Protocol& protocol, const OscillatorRun& run, const Watch& watch);

Architecture architecture_of(const Protocol& protocol, const OscillatorRun& run);
// The start of a run, and the stream of the protocol's seed from which its samples are drawn.
NetworkOf<float> start_of(const Protocol& protocol, const OscillatorRun& run);
inline std::uint64_t stream_of(const OscillatorRun& run) { return 1000 + run.repeat; }

Job job_of(const Protocol& protocol, const OscillatorRun& run);
std::vector<Job> jobs_of(const Protocol& protocol, const std::vector<OscillatorRun>& runs);

// The final test error of each repeat.
std::vector<double> final_errors(const Results& results, OscillatorRun run, std::size_t repeats);

}  // namespace irn::experiments
