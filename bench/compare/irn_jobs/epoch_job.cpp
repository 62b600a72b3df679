// One epoch of MNIST from the same start: 784 - hidden sigmoid - 10 identity, fully recurrent, cross-entropy,
// Adam. Reading and scaling the images is not timed, nor is the test error, which is computed afterwards.
#include <algorithm>

#include "bench/compare/irn_jobs/job.h"
#include "bench/limits.h"
#include "irn/base/error.h"
#include "irn/base/random.h"
#include "irn/data/read_table.h"
#include "irn/data/sample_table.h"
#include "irn/engine/settler.h"
#include "irn/train/trainer.h"

namespace irn::bench {
namespace {

constexpr std::size_t classes = 10;
constexpr double adam_rate = 1e-3;

struct Images {
  std::vector<std::uint8_t> pixels, labels;
  std::size_t width = 0;
  std::size_t size() const { return labels.size(); }
};

Images read_images(const std::string& file, std::size_t most) {
  const Frame frame = read_table(file, {}, pool(1));
  Images images{.width = frame.width() - 1};
  for (std::size_t i = 0; i < std::min(most, frame.rows()); ++i) {
    const auto row = frame.row(i);
    for (std::size_t k = 0; k + 1 < row.size(); ++k) images.pixels.push_back(std::uint8_t(row[k]));
    images.labels.push_back(std::uint8_t(row.back()));
  }
  return images;
}

SampleTable<float> table_of(const Images& images) {
  std::vector<float> inputs(images.pixels.size()), targets(images.size() * classes, 0.0f);
  for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k] = float(images.pixels[k]) / 255.0f;
  for (std::size_t i = 0; i < images.size(); ++i) targets[i * classes + images.labels[i]] = 1;
  return SampleTable<float>(images.width, classes, std::move(inputs), std::move(targets));
}

std::vector<float> copy_of(std::span<const float> values) { return {values.begin(), values.end()}; }

class EpochJob : public Job {
 public:
  explicit EpochJob(const Spec& spec)
      : spec_(spec),
        training_(read_images(spec.images + "/train-images-idx3-ubyte", spec.samples)),
        test_(read_images(spec.images + "/t10k-images-idx3-ubyte", spec.samples)),
        samples_(table_of(training_)),
        order_(Stream(1, 1).permutation(training_.size())),
        network_(from_text<Architecture>("784-" + std::to_string(spec.hidden) + "-10identity"), Start::scaled,
                 1),
        start_(copy_of(network_.parameters())) {}

  void hand_over(Npz& file) const override {
    NetworkOf<float> first = network_;
    first.set_parameters(start_);
    add_weights(file, {first});
    file.add("pixels", training_.pixels, {training_.size(), training_.width});
    file.add("labels", training_.labels, {training_.size()});
    file.add("test_pixels", test_.pixels, {test_.size(), test_.width});
    file.add("test_labels", test_.labels, {test_.size()});
    file.add("order", order_, {order_.size()});
  }

  // The epoch's figures are known only after it: see answer().
  Json describe() override {
    const Settler<float> settler(network_, spec_.settle_options(), pool(1));
    return {{"method", to_text(settler.solver())}, {"items", steps() * spec_.batch}};
  }

  Json work() const {
    const Settler<float> settler(network_, spec_.settle_options(), pool(1));
    const Work each =
        training_work<float>(network_.architecture(), settler.solver(), ExactGradient{}, double(spec_.batch),
                             evaluations_ / double(steps()), products_ / double(steps()));
    const double share =
        double(steps()) / double(order_.size());  // work is counted for each step, items are samples
    return {{"evaluations", evaluations_ / double(steps())},
            {"adjoint_products", products_ / double(steps())},
            {"operations", each.operations() * share},
            {"bytes", each.bytes * share}};
  }

  double run() override {
    network_.set_parameters(start_);
    const TrainOptions options{.gradient = {.settle = spec_.settle_options()},
                               .optimiser = Adam{.rate = adam_rate},
                               .loss = CrossEntropy{}};
    Trainer<float> trainer(network_, options, pool(spec_.threads));
    trainer.stay_on_device();
    evaluations_ = 0, products_ = 0, settled_ = 0;
    const double start = now();
    for (std::size_t k = 0; k < steps(); ++k) {
      const StepReport report =
          trainer.step(samples_, std::span(order_).subspan(k * spec_.batch, spec_.batch));
      evaluations_ += report.mean_evaluations, products_ += report.mean_products;
      settled_ += double(report.used);
    }
    trainer.bring_back();
    return now() - start;
  }

  // For the network as the last run left it.
  Json answer(Npz& file) override {
    run();
    add_weights(file, {network_});
    const SampleTable<float> test = table_of(test_);
    const Equilibria<float> out =
        Settler<float>(network_, spec_.settle_options(), pool(spec_.threads)).settle(test);
    file.add("z", out.states, {out.size(), out.neurons});
    Json reply = work();
    reply["error"] = 1 - accuracy(out);
    reply["said_settled"] = settled_ / double(steps() * spec_.batch);
    return reply;
  }

 private:
  std::size_t steps() const { return order_.size() / spec_.batch; }
  // A sample that did not settle has no answer, and so a wrong one.
  double accuracy(const Equilibria<float>& out) const {
    std::size_t right = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto outputs = out.state(i).last(classes);
      const auto best = std::max_element(outputs.begin(), outputs.end()) - outputs.begin();
      right += out.settled(i) && std::size_t(best) == test_.labels[i];
    }
    return double(right) / double(out.size());
  }

  Spec spec_;
  Images training_, test_;
  SampleTable<float> samples_;
  std::vector<std::uint64_t> order_;
  NetworkOf<float> network_;
  std::vector<float> start_;
  double evaluations_ = 0, products_ = 0, settled_ = 0;
};

}  // namespace

std::unique_ptr<Job> make_epoch(const Spec& spec) { return std::make_unique<EpochJob>(spec); }

}  // namespace irn::bench
