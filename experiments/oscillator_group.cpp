#include "experiments/oscillator_group.h"

#include "irn/engine/cuda/replica_task.h"

namespace irn::experiments {
namespace {

using cuda::ReplicaGradient;

constexpr std::size_t paper_samples = 1000;

std::size_t batch_of(const Protocol& p, const OscillatorRun& run) {
  return run.other_reading ? p.other_batch : p.batch;
}
ReplicaGradient gradient_of(NetworkKind kind) {
  return kind == NetworkKind::feed_forward ? ReplicaGradient::sweep
         : kind == NetworkKind::semi       ? ReplicaGradient::semi
                                           : ReplicaGradient::exact;
}
cuda::ReplicaTask task_of(const Protocol& p, const OscillatorRun& run) {
  return cuda::task_of({.seed = p.seed,
                        .points = p.points,
                        .time_step = p.time_step,
                        .spread = p.spread,
                        .train_samples = p.train_samples,
                        .test_samples = p.test_samples,
                        .gradient = gradient_of(run.kind),
                        .hidden = run.hidden,
                        .batch = batch_of(p, run),
                        .steps_per_epoch = p.steps_per_epoch,
                        .batches_per_epoch = run.other_reading ? p.batches_per_epoch : 0});
}

}  // namespace

bool is_replica(const Protocol& protocol, const OscillatorRun& run) {
  return run.solver == "auto" && !run.method && cuda::has_replicas(run.hidden, batch_of(protocol, run));
}

OscillatorGroup::OscillatorGroup(const Protocol& protocol, Device device, std::vector<OscillatorRun> runs,
                                 bool crowded)
    : protocol_(protocol), runs_(std::move(runs)), curve_(runs_[0].curve) {
  const std::size_t stretches = (protocol_.epochs + protocol_.test_every - 1) / protocol_.test_every;
  cuda::ReplicaPlan plan{.task = task_of(protocol_, runs_[0]),
                         .numbers = start(),
                         .epochs = protocol_.epochs,
                         .tests = curve_ ? stretches : 1,
                         .crowded = crowded};
  replicas_ = cuda::make_replicas(device, std::move(plan));
}

bool OscillatorGroup::go_on() {
  if (epoch_ == protocol_.epochs || replicas_->pending() > 1) return false;
  const std::size_t stretch =
      std::min(protocol_.test_every - epoch_ % protocol_.test_every, protocol_.epochs - epoch_);
  replicas_->train(stretch);
  epoch_ += stretch;
  if (epoch_ == protocol_.epochs || (curve_ && epoch_ % protocol_.test_every == 0)) {
    replicas_->test(paper_samples);
    tested_.push_back(epoch_);
  }
  return true;
}

void OscillatorGroup::fetch_results() {
  epochs_ = replicas_->epochs(), tests_ = replicas_->tests(), paper_ = replicas_->paper();
  replicas_.reset();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_;
  seconds_ = took.count() / double(runs_.size());
}

void OscillatorGroup::keep_results(const Keep& keep, std::size_t first, std::size_t step) const {
  for (std::size_t r = first; r < runs_.size(); r += step) {
    Json result = {{"parameters", parameters_}, {"train", Json::object()}, {"test", Json::array()}};
    for (std::size_t e = 0; curve_ && e < protocol_.epochs; ++e)
      add_epoch(epochs_[e * runs_.size() + r], result["train"]);
    for (std::size_t t = 0; t < tested_.size(); ++t) {
      const std::size_t at = t * runs_.size() + r;
      result["test"].push_back(test_json(tested_[t], tests_[at], at < paper_.size() ? &paper_[at] : nullptr));
    }
    keep(runs_[r].key(), result, seconds_);
  }
}

cuda::ReplicaNumbers OscillatorGroup::start() {
  cuda::ReplicaNumbers numbers;
  for (const OscillatorRun& run : runs_) {
    const NetworkOf<float> network = start_of(protocol_, run);
    const std::vector<float> weights = cuda::replica_weights(network);
    parameters_ = network.parameters().size();
    numbers.weights.insert(numbers.weights.end(), weights.begin(), weights.end());
    numbers.states.push_back({.stream = stream_of(run), .rate = static_cast<float>(protocol_.rate)});
  }
  return numbers;
}

void OscillatorGroup::add_epoch(const cuda::EpochSums& e, Json& train) const {
  const double samples = double(e.steps) * double(batch_of(protocol_, runs_[0]));
  train["loss"].push_back(e.counted > 0 ? Json(e.loss / e.counted) : Json());
  train["settled"].push_back(e.settled / samples);
  train["evaluations"].push_back(double(e.evaluations) / samples);
}

Json OscillatorGroup::test_json(std::size_t epoch, const cuda::TestSums& sums,
                                const cuda::PaperRecord* paper) const {
  const auto count = [&](Outcome outcome) { return sums.outcomes[static_cast<std::size_t>(outcome)]; };
  const double samples = double(protocol_.test_samples), settled = count(Outcome::settled);
  Json json = {{"epoch", epoch},
               {"loss", settled > 0 ? Json(sums.squared_errors() / (2 * settled)) : Json()},
               {"settled", settled / samples},
               {"no_limit", count(Outcome::repels) + count(Outcome::cycles) + count(Outcome::runs_away)},
               {"evaluations", double(sums.evaluations) / samples},
               {"max_residual", sums.max_residual}};
  if (paper)
    json["paper_solver"] = {{"settled", paper->settled_share}, {"median_residual", paper->median_residual}};
  return json;
}

}  // namespace irn::experiments
