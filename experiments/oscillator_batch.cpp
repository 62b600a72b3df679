#include "experiments/oscillator_batch.h"

#include <chrono>
#include <thread>
#include <tuple>

#include "experiments/large_parts.h"
#include "irn/engine/cuda/replica_task.h"

namespace irn::experiments {
namespace {

using cuda::ReplicaGradient;
using Clock = std::chrono::steady_clock;

// Above so many runs a replica takes as few threads as its batch has samples, below a warp: measured on an H200.
constexpr std::size_t few_runs = 500;
constexpr std::size_t paper_samples = 1000;

std::size_t batch_of(const Protocol& p, const OscillatorRun& run) {
  return run.other_reading ? p.other_batch : p.batch;
}
ReplicaGradient gradient_of(NetworkKind kind) {
  return kind == NetworkKind::feed_forward ? ReplicaGradient::sweep
         : kind == NetworkKind::semi       ? ReplicaGradient::semi
                                           : ReplicaGradient::exact;
}
bool is_replica(const Protocol& p, const OscillatorRun& run) {
  return run.solver == "auto" && !run.method && cuda::has_replicas(run.hidden, batch_of(p, run));
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

// Runs that differ in their repeat alone.
class Group {
 public:
  Group(const Protocol& protocol, Device device, std::vector<OscillatorRun> runs, bool crowded)
      : protocol_(protocol), runs_(std::move(runs)), curve_(runs_[0].curve) {
    const std::size_t stretches = (protocol_.epochs + protocol_.test_every - 1) / protocol_.test_every;
    cuda::ReplicaPlan plan{.task = task_of(protocol_, runs_[0]),
                           .numbers = start(),
                           .epochs = protocol_.epochs,
                           .tests = curve_ ? stretches : 1,
                           .crowded = crowded};
    replicas_ = cuda::make_replicas(device, std::move(plan));
  }

  // Keeps the device at work, a stretch ahead; true if something was done.
  bool go_on() {
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
  bool finished() { return epoch_ == protocol_.epochs && replicas_->pending() == 0; }

  void keep_results(const Keep& keep) const {
    const std::vector<cuda::EpochSums> epochs = replicas_->epochs();
    const std::vector<cuda::TestSums> tests = replicas_->tests();
    const std::vector<cuda::PaperRecord> paper = replicas_->paper();
    const double seconds =
        std::chrono::duration<double>(Clock::now() - began_).count() / double(runs_.size());
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      Json result = {{"parameters", parameters_}, {"train", Json::object()}, {"test", Json::array()}};
      for (std::size_t e = 0; curve_ && e < protocol_.epochs; ++e)
        add_epoch(epochs[e * runs_.size() + r], result["train"]);
      for (std::size_t t = 0; t < tested_.size(); ++t) {
        const std::size_t at = t * runs_.size() + r;
        result["test"].push_back(test_json(tested_[t], tests[at], at < paper.size() ? &paper[at] : nullptr));
      }
      keep(runs_[r].key(), result, seconds);
    }
  }

 private:
  cuda::ReplicaNumbers start() {
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
  void add_epoch(const cuda::EpochSums& e, Json& train) const {
    const double samples = double(e.steps) * double(batch_of(protocol_, runs_[0]));
    train["loss"].push_back(e.counted > 0 ? Json(e.loss / e.counted) : Json());
    train["settled"].push_back(e.settled / samples);
    train["evaluations"].push_back(double(e.evaluations) / samples);
  }
  Json test_json(std::size_t epoch, const cuda::TestSums& sums, const cuda::PaperRecord* paper) const {
    const auto count = [&](Outcome outcome) { return sums.outcomes[static_cast<std::size_t>(outcome)]; };
    const double samples = double(protocol_.test_samples), settled = count(Outcome::settled);
    Json json = {{"epoch", epoch},
                 {"loss", settled > 0 ? Json(sums.squares / (2 * settled)) : Json()},
                 {"settled", settled / samples},
                 {"no_limit", count(Outcome::repels) + count(Outcome::cycles) + count(Outcome::runs_away)},
                 {"evaluations", double(sums.evaluations) / samples},
                 {"max_residual", sums.max_residual}};
    if (paper)
      json["paper_solver"] = {{"settled", paper->settled_share}, {"median_residual", paper->median_residual}};
    return json;
  }

  const Protocol& protocol_;
  std::vector<OscillatorRun> runs_;
  bool curve_;
  Clock::time_point began_ = Clock::now();
  std::size_t epoch_ = 0, parameters_ = 0;
  std::vector<std::size_t> tested_;
  std::unique_ptr<cuda::Replicas> replicas_;
};

// Wide networks first: they take longest.
std::vector<std::vector<OscillatorRun>> grouped(const std::map<std::string, OscillatorRun>& known,
                                                const std::vector<std::string>& keys) {
  std::map<std::tuple<std::size_t, bool, bool, NetworkKind>, std::vector<OscillatorRun>> groups;
  for (const std::string& key : keys) {
    const OscillatorRun& run = known.at(key);
    groups[{~run.hidden, !run.curve, run.other_reading, run.kind}].push_back(run);
  }
  std::vector<std::vector<OscillatorRun>> all;
  for (auto& [what, runs] : groups) all.push_back(std::move(runs));
  return all;
}

void run_groups(const Protocol& protocol, Device device, const std::map<std::string, OscillatorRun>& known,
                const std::vector<std::string>& keys, const Watch& watch, const Keep& keep) {
  std::vector<std::unique_ptr<Group>> open;
  for (std::vector<OscillatorRun>& runs : grouped(known, keys)) {
    watch.check();
    open.push_back(std::make_unique<Group>(protocol, device, std::move(runs), keys.size() > few_runs));
    open.back()->go_on();
  }
  while (!open.empty()) {
    watch.check();
    bool busy = false;
    for (std::unique_ptr<Group>& group : open) {
      busy |= group->go_on();
      if (!group->finished()) continue;
      group->keep_results(keep);
      group.reset();
      busy = true;
    }
    std::erase(open, nullptr);
    if (!busy) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace

DeviceBatch oscillator_batch(const Protocol& protocol, Device device) {
  std::map<std::string, OscillatorRun> known;
  for (const auto& runs : {curve_runs(protocol), sweep_runs(protocol), comparison_runs(protocol)})
    for (const OscillatorRun& run : runs)
      if (is_replica(protocol, run)) known.emplace(run.key(), run);
  return {.takes = [known](const std::string& key) { return known.contains(key); },
          .run = [=](const std::vector<std::string>& keys, const Watch& watch,
                     const Keep& keep) { run_groups(protocol, device, known, keys, watch, keep); }};
}

}  // namespace irn::experiments
