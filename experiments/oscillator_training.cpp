#include "experiments/oscillator_training.h"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "experiments/settling/held_trainer.h"
#include "irn/base/random.h"
#include "irn/data/oscillator.h"
#include "irn/train/evaluate.h"

namespace irn::experiments {
namespace {

const Method& method_of(const OscillatorRun& run) { return run.method ? *run.method : method_of(run.kind); }

std::size_t hidden_neurons(const OscillatorRun& run) {
  return run.layers.empty() ? run.hidden
                            : std::accumulate(run.layers.begin(), run.layers.end(), std::size_t{0});
}

TrainOptions train_options(const Protocol& protocol, const OscillatorRun& run) {
  TrainOptions options;
  options.gradient.settle = {from_text<Solver>(run.solver), run.tolerance};
  options.optimiser = Adam{.rate = protocol.rate};
  return options;
}

Oscillator<float> samples(const Protocol& p, std::uint64_t first, std::uint64_t count) {
  return Oscillator<float>({.seed = p.seed,
                            .first = first,
                            .count = count,
                            .points = p.points,
                            .time_step = p.time_step,
                            .spread = p.spread});
}

// The samples of each step. Reading one: `batch` fresh samples. Reading two: the epoch's batches in turn.
class Batches {
 public:
  Batches(const Protocol& p, const OscillatorRun& run)
      : protocol_(p),
        other_(run.other_reading),
        stream_(p.seed, stream_of(run)),
        index_(other_ ? p.other_batch : p.batch) {}

  std::span<const std::uint64_t> at(std::size_t step) {
    const std::size_t epoch = step / protocol_.steps_per_epoch;
    const std::size_t batch =
        other_ ? epoch * protocol_.batches_per_epoch + step % protocol_.batches_per_epoch : step;
    for (std::size_t b = 0; b < index_.size(); ++b)
      index_[b] = stream_.below(batch * index_.size() + b, protocol_.train_samples);
    return index_;
  }

 private:
  const Protocol& protocol_;
  bool other_;
  Stream stream_;
  std::vector<std::uint64_t> index_;
};

// The result of the paper's own solver on the present network.
Json paper_solver(const NetworkOf<float>& network, const Samples<float>& test, ThreadPool& threads) {
  Settler<float> settler(network, {RungeKutta4{}, 0}, threads);
  std::vector<std::uint64_t> index(std::min<std::size_t>(1000, test.size()));
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  Equilibria<float> states;
  settler.settle(test, index, states);
  std::vector<double> residuals;
  for (const irn::Verdict& v : states.verdicts) residuals.push_back(v.residual);
  std::nth_element(residuals.begin(), residuals.begin() + residuals.size() / 2, residuals.end());
  return {{"settled", states.summary().settled_share()},
          {"median_residual", residuals[residuals.size() / 2]}};
}

// Samples known to have no limit, or none that attracts.
std::size_t without_limit(const Summary& summary) {
  std::size_t count = 0;
  for (const Outcome outcome : {Outcome::repels, Outcome::cycles, Outcome::runs_away})
    count += summary.count[static_cast<std::size_t>(outcome)];
  return count;
}

Json test_now(const NetworkOf<float>& network, const Samples<float>& test, const OscillatorRun& run,
              std::size_t epoch, ThreadPool& threads) {
  const Method& method = method_of(run);
  Settler<float> settler(network, settle_for(method, {from_text<Solver>(run.solver), run.tolerance}),
                         threads);
  const Evaluation e = evaluate(settler, test);
  Json json = {{"epoch", epoch},
               {"loss", e.loss},
               {"settled", e.summary.settled_share()},
               {"no_limit", without_limit(e.summary)},
               {"evaluations", e.summary.mean_evaluations},
               {"max_residual", e.summary.max_residual_settled}};
  if (!run.method && method.recurrent) json["paper_solver"] = paper_solver(network, test, threads);
  return json;
}

// The means over one epoch.
struct EpochRecord {
  double loss = 0, settled = 0, evaluations = 0;
  std::size_t steps = 0, counted = 0;
  void add(const StepReport& r) {
    ++steps;
    settled += double(r.settled) / double(r.samples);
    evaluations += r.mean_evaluations;
    if (std::isfinite(r.loss)) loss += r.loss, ++counted;
  }
  void append_to(Json& train) const {
    train["loss"].push_back(counted > 0 ? Json(loss / double(counted)) : Json());
    train["settled"].push_back(settled / double(steps));
    train["evaluations"].push_back(evaluations / double(steps));
  }
};

}  // namespace

const Method& method_of(NetworkKind kind) {
  static const Method all[] = {{.name = "feed-forward", .recurrent = false},
                               {.name = "semi-gradient", .gradient = SemiGradient{}},
                               {.name = "exact"}};
  return all[static_cast<std::size_t>(kind)];
}

std::string_view name(NetworkKind kind) { return method_of(kind).name; }

std::string OscillatorRun::key() const {
  std::string solver_part = solver == "auto" ? "" : "-" + solver;
  for (char& c : solver_part)
    if (c == ':' || c == '=' || c == ',') c = '_';
  std::string size = fmt::format("h{:02}", hidden_neurons(*this));
  if (!layers.empty()) size += fmt::format("-in-{}", layers.size());
  return fmt::format("oscillator-{}-{}{}{}{}-r{:02}", method_of(*this).name, size, solver_part,
                     other_reading ? "-other" : "", curve ? "-curve" : "", repeat);
}

// From measured speeds of one core: only which jobs are long matters.
double OscillatorRun::cost(const Protocol& p) const {
  const double n = double(hidden_neurons(*this)) + 2, steps = double(p.epochs * p.steps_per_epoch);
  const double tests = curve ? double(p.epochs / p.test_every) : 1;
  if (!method_of(*this).recurrent) return steps * 3e-6 + tests * double(p.test_samples) * 5e-8;
  const double slower = solver == "auto" ? 1 : 4;
  return slower * (steps * (4e-6 + 4e-8 * n * n) + tests * double(p.test_samples) * (1e-7 + 3.5e-9 * n * n));
}

Architecture architecture_of(const Protocol& protocol, const OscillatorRun& run) {
  std::vector<Layer> layers;
  for (const std::size_t size : run.layers) layers.push_back({size, Activation::tanh});
  if (layers.empty()) layers.push_back({run.hidden});
  layers.push_back({2});
  return architecture_for(method_of(run), protocol.points, layers, Recurrence::full);
}

NetworkOf<float> start_of(const Protocol& protocol, const OscillatorRun& run) {
  // The paper's start is for its one layer; weights of deeper networks are scaled, so that signals pass
  // through.
  return NetworkOf<float>(architecture_of(protocol, run), run.layers.empty() ? Start::paper : Start::scaled,
                          protocol.seed * 1'000'003 + run.repeat);
}

Json train_oscillator(const Protocol& protocol, const OscillatorRun& run, const Watch& watch) {
  ThreadPool threads(1);
  const Oscillator<float> train = samples(protocol, 0, protocol.train_samples);
  const Oscillator<float> test = samples(protocol, protocol.train_samples, protocol.test_samples);
  NetworkOf<float> network = start_of(protocol, run);
  HeldTrainer<float> trainer(network, train_options(protocol, run), method_of(run), threads);
  Batches batches(protocol, run);
  Json result = {
      {"parameters", network.parameters().size()}, {"train", Json::object()}, {"test", Json::array()}};
  for (std::size_t epoch = 1; epoch <= protocol.epochs; ++epoch) {
    EpochRecord record;
    for (std::size_t s = 0; s < protocol.steps_per_epoch; ++s)
      record.add(trainer.step(train, batches.at((epoch - 1) * protocol.steps_per_epoch + s)));
    record.append_to(result["train"]);
    watch.check();
    const bool due = run.curve && epoch % protocol.test_every == 0;
    if (due || epoch == protocol.epochs)
      result["test"].push_back(test_now(trainer.answering(), test, run, epoch, threads));
  }
  return result;
}

Job job_of(const Protocol& protocol, const OscillatorRun& run) {
  return {run.key(), run.cost(protocol),
          [protocol, run](const Watch& watch) { return train_oscillator(protocol, run, watch); }};
}

std::vector<Job> jobs_of(const Protocol& protocol, const std::vector<OscillatorRun>& runs) {
  std::vector<Job> jobs;
  for (const OscillatorRun& run : runs) jobs.push_back(job_of(protocol, run));
  return jobs;
}

std::vector<double> final_errors(const Results& results, OscillatorRun run, std::size_t repeats) {
  std::vector<double> errors;
  for (run.repeat = 0; run.repeat < repeats; ++run.repeat) {
    const Json& loss = results.at(run.key()).at("test").back().at("loss");
    errors.push_back(loss.is_number() ? loss.get<double>() : std::nan(""));
  }
  return errors;
}

}  // namespace irn::experiments
