#include "experiments/oscillator_batch.h"

#include <chrono>
#include <future>
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
// Threads that write the results of a group: each result is a file that must have reached the disk.
constexpr std::size_t writers = 8;

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

  // Once it is finished.
  void fetch_results() {
    epochs_ = replicas_->epochs(), tests_ = replicas_->tests(), paper_ = replicas_->paper();
    replicas_.reset();
    seconds_ = std::chrono::duration<double>(Clock::now() - began_).count() / double(runs_.size());
  }
  // Those of every `writers`-th run, from `first` on.
  void keep_results(const Keep& keep, std::size_t first) const {
    for (std::size_t r = first; r < runs_.size(); r += writers) {
      Json result = {{"parameters", parameters_}, {"train", Json::object()}, {"test", Json::array()}};
      for (std::size_t e = 0; curve_ && e < protocol_.epochs; ++e)
        add_epoch(epochs_[e * runs_.size() + r], result["train"]);
      for (std::size_t t = 0; t < tested_.size(); ++t) {
        const std::size_t at = t * runs_.size() + r;
        result["test"].push_back(
            test_json(tested_[t], tests_[at], at < paper_.size() ? &paper_[at] : nullptr));
      }
      keep(runs_[r].key(), result, seconds_);
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
                 {"loss", settled > 0 ? Json(sums.squared_errors() / (2 * settled)) : Json()},
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
  std::vector<cuda::EpochSums> epochs_;
  std::vector<cuda::TestSums> tests_;
  std::vector<cuda::PaperRecord> paper_;
  double seconds_ = 0;
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
  std::vector<std::shared_ptr<Group>> open;
  std::vector<std::future<void>> keeping;  // while the device goes on
  for (std::vector<OscillatorRun>& runs : grouped(known, keys)) {
    watch.check();
    open.push_back(std::make_shared<Group>(protocol, device, std::move(runs), keys.size() > few_runs));
    open.back()->go_on();
  }
  while (!open.empty()) {
    watch.check();
    bool busy = false;
    for (std::shared_ptr<Group>& group : open) {
      busy |= group->go_on();
      if (!group->finished()) continue;
      group->fetch_results();
      for (std::size_t first = 0; first < writers; ++first)
        keeping.push_back(
            std::async(std::launch::async, [group, &keep, first] { group->keep_results(keep, first); }));
      group.reset();
      busy = true;
    }
    std::erase(open, nullptr);
    if (!busy) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  for (std::future<void>& kept : keeping) kept.get();
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
