// The test error of a trained network, and one prediction at a time.
#include <algorithm>
#include <numeric>

#include "bench/compare/irn_jobs/job.h"
#include "bench/device_search.h"
#include "bench/limits.h"
#include "bench/trained.h"
#include "irn/base/error.h"
#include "irn/data/sample_table.h"
#include "irn/model/predictor.h"
#include "irn/train/evaluate.h"

namespace irn::bench {
namespace {

std::vector<std::uint64_t> all_of(std::size_t count) {
  std::vector<std::uint64_t> index(count);
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  return index;
}

SampleTable<float> rows_in_memory(std::size_t count) {
  const Oscillator<float> source(test_samples(count));
  const std::vector<std::uint64_t> index = all_of(count);
  std::vector<float> inputs(count * source.inputs()), targets(count * source.targets());
  source.inputs_as_rows(index, inputs.data());
  source.targets_as_rows(index, targets.data());
  return SampleTable<float>(source.inputs(), source.targets(), std::move(inputs), std::move(targets));
}

class SettleJob : public Job {
 public:
  explicit SettleJob(const Spec& spec)
      : spec_(spec),
        network_(network_of(spec, 1)),
        samples_(rows_in_memory(spec.samples)),
        index_(all_of(spec.samples)),
        settler_(network_, spec.settle_options(), pool(spec.threads)) {}

  void hand_over(Npz& file) const override {
    add_weights(file, {network_});
    file.add("x", {samples_.input_row(0).data(), spec_.samples * samples_.inputs()},
             {spec_.samples, samples_.inputs()});
    file.add("t", {samples_.target_row(0).data(), spec_.samples * samples_.targets()},
             {spec_.samples, samples_.targets()});
  }

  Json describe() override {
    const Evaluation test = evaluate(settler_, samples_);
    const Work each =
        settle_work<float>(network_.architecture(), settler_.solver(), test.summary.mean_evaluations);
    return {{"method", to_text(settler_.solver())},
            {"items", items()},
            {"evaluations", test.summary.mean_evaluations},
            {"operations", each.operations()},
            {"bytes", each.bytes}};
  }

  double run() override {
    const double start = now();
    error_ = evaluate(settler_, samples_).loss;
    return now() - start;
  }

  Json answer(Npz& file) override {
    Equilibria<float> out;
    settler_.settle(samples_, index_, out);
    file.add("z", out.states, {out.size(), out.neurons});
    return {{"error", evaluate(settler_, samples_).loss}, {"said_settled", out.summary().settled_share()}};
  }

 protected:
  virtual std::size_t items() const { return spec_.samples; }
  Spec spec_;
  NetworkOf<float> network_;
  SampleTable<float> samples_;
  std::vector<std::uint64_t> index_;
  Settler<float> settler_;
  double error_ = 0;
};

// Samples in the device's memory, answers left there.
class DeviceSettleJob : public SettleJob {
 public:
  explicit DeviceSettleJob(const Spec& spec)
      : SettleJob(spec),
        search_(spec.device, network_, settler_.solver(), spec.tolerance, samples_, spec.samples) {}

  double run() override {
    const double start = now();
    search_.again();
    return now() - start;
  }

  Json answer(Npz& file) override {
    file.add("z", search_.states(), {spec_.samples, network_.architecture().neurons()});
    const auto settled = std::ranges::count(search_.verdicts(), Outcome::settled, &Verdict::outcome);
    return {{"error", evaluate(settler_, samples_).loss},
            {"said_settled", double(settled) / double(spec_.samples)}};
  }

 private:
  SearchOnDevice search_;
};

ModelOf<float> model_of(const Spec& spec, const NetworkOf<float>& network) {
  const Architecture& a = network.architecture();
  return {.network = network,
          .encoding = plain_encoding(a.inputs(), a.outputs()),
          .settle = spec.settle_options()};
}

// Numbers in, answer out, one call for each sample: the cost for a service that answers one question at a
// time.
class LatencyJob : public SettleJob {
 public:
  explicit LatencyJob(const Spec& spec) : SettleJob(spec), predictor_(AnyModel(model_of(spec, network_))) {
    const auto all = std::span(samples_.input_row(0).data(), spec.samples * samples_.inputs());
    rows_.assign(all.begin(), all.end());
  }

  double run() override {
    const double start = now();
    for (std::size_t s = 0; s < spec_.samples; ++s) predictor_.predict(row(s), one_);
    return now() - start;
  }

  // The states, for the oracle; the timed answers must agree with them.
  Json answer(Npz& file) override {
    Equilibria<float> out;
    settler_.settle(samples_, index_, out);
    for (std::size_t s = 0; s < spec_.samples; ++s) {
      predictor_.predict(row(s), one_);
      for (std::size_t k = 0; out.settled(s) && k < one_.values.size(); ++k)
        if (one_.values[k] != double(out.state(s)[network_.architecture().first_output() + k]))
          throw Error("the predictor and the settler differ on sample " + std::to_string(s));
    }
    file.add("z", out.states, {out.size(), out.neurons});
    return {{"said_settled", out.summary().settled_share()}};
  }

 private:
  std::span<const double> row(std::size_t s) const {
    return std::span(rows_).subspan(s * samples_.inputs(), samples_.inputs());
  }

  Predictor predictor_;
  std::vector<double> rows_;
  Prediction one_;
};

}  // namespace

std::unique_ptr<Job> make_settle(const Spec& spec) { return std::make_unique<SettleJob>(spec); }
std::unique_ptr<Job> make_device_settle(const Spec& spec) { return std::make_unique<DeviceSettleJob>(spec); }
std::unique_ptr<Job> make_latency(const Spec& spec) { return std::make_unique<LatencyJob>(spec); }

void write_model_of(const Spec& spec, const std::string& file) {
  write_model(file, model_of(spec, network_of(spec, 1)));
}

}  // namespace irn::bench
