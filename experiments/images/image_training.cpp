#include "experiments/images/image_training.h"

#include "experiments/settling/held_trainer.h"
#include "irn/base/random.h"
#include "irn/train/best_parameters.h"
#include "irn/train/evaluate.h"

namespace irn::experiments {
namespace {

constexpr std::size_t batch = 32;

TrainOptions options(const ImageTraining& training, std::size_t rows) {
  TrainOptions options = default_training();
  options.loss = CrossEntropy{};
  options.optimiser = Adam{.rate = training.rate};
  options.schedule = lasting(CosineRate{}, training.epochs * ((rows + batch - 1) / batch));
  return options;
}

void train_epoch(HeldTrainer<float>& trainer, const SampleTable<float>& rows, const Stream& order,
                 const Watch& watch) {
  const std::vector<std::uint64_t> index = order.permutation(rows.size());
  for (std::size_t first = 0; first < index.size(); first += batch) {
    watch.check();
    trainer.step(rows, std::span(index).subspan(first, std::min(batch, index.size() - first)));
  }
}

Evaluation judge(const NetworkOf<float>& network, const SampleTable<float>& rows, const Method& method,
                 ThreadPool& threads) {
  Settler<float> settler(network, settle_for(method), threads);
  return evaluate(settler, rows, CrossEntropy{});
}

Json json(const Evaluation& e) {
  return {{"right", e.score},
          {"settled", e.summary.settled_share()},
          {"lost", e.summary.samples - e.summary.count[static_cast<std::size_t>(Outcome::settled)]}};
}

}  // namespace

Json train_images(NetworkOf<float> network, const Method& method, const ImageRows& rows,
                  const ImageTraining& training, const std::vector<Disturbance>& asked, const Watch& watch) {
  ThreadPool threads(1);
  NetworkOf<float> kept = network;
  HeldTrainer<float> trainer(network, options(training, rows.training.size()), method, threads);
  BestParameters<float> best;
  for (std::size_t epoch = 0; epoch < training.epochs; ++epoch) {
    train_epoch(trainer, rows.training, Stream(training.seed, 1'000'000 + epoch), watch);
    const NetworkOf<float>& now = trainer.answering();
    best.consider(now, judge(now, rows.choosing, method, threads));
  }
  best.put_into(kept);
  const Evaluation e = judge(kept, rows.held_out, method, threads);
  Json result = json(e);
  result["evaluations"] = e.summary.mean_evaluations;
  result["parameters"] = kept.parameters().size();
  for (const Disturbance& d : asked) {
    watch.check();
    result["disturbed"][std::string(d.name)] =
        json(judge(kept, d.of(rows.held_out, training.seed), method, threads));
  }
  return result;
}

}  // namespace irn::experiments
