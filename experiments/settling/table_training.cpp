#include "experiments/settling/table_training.h"

#include <fmt/format.h>

#include "experiments/settling/held_trainer.h"
#include "experiments/settling/solver_comparison.h"
#include "irn/base/random.h"
#include "irn/train/best_parameters.h"
#include "irn/train/evaluate.h"

namespace irn::experiments {
namespace {

constexpr std::size_t batch = 32;

// Rows of one repeat: for training, for choosing the epoch, and held out.
struct Rows {
  SampleTable<float> training, choosing, held_out;
  Rows(const SettlingSettings& s, const TableRun& run)
      : training(run.table->rows(seed(s, run), 0, s.rows)),
        choosing(run.table->rows(seed(s, run), s.rows, s.rows / 5)),
        held_out(run.table->rows(seed(s, run), s.rows + s.rows / 5, s.held_out)) {}
  static std::uint64_t seed(const SettlingSettings& s, const TableRun& run) {
    return s.seed * 1'000'003 + run.repeat;
  }
};

NetworkOf<float> start(const SettlingSettings& s, const TableRun& run) {
  const std::vector<Layer> layers = {{s.width, run.activation}, {run.table->classes, Activation::identity}};
  Architecture architecture = architecture_for(*run.method, run.table->inputs, layers, Recurrence::lateral);
  if (architecture.connected(2, 2)) architecture.disconnect(2, 2);  // the read-out is forward
  return NetworkOf<float>(std::move(architecture), Start::scaled, Rows::seed(s, run));
}

TrainOptions options(const SettlingSettings& s) {
  TrainOptions options = default_training();
  options.loss = CrossEntropy{};
  options.optimiser = Adam{.rate = s.rate};
  options.schedule = lasting(CosineRate{}, s.epochs * ((s.rows + batch - 1) / batch));
  return options;
}

void train_epoch(HeldTrainer<float>& trainer, const Rows& rows, const Stream& order) {
  const std::vector<std::uint64_t> index = order.permutation(rows.training.size());
  for (std::size_t first = 0; first < index.size(); first += batch)
    trainer.step(rows.training, std::span(index).subspan(first, std::min(batch, index.size() - first)));
}

Evaluation judge(const NetworkOf<float>& network, const SampleTable<float>& rows, const Method& method,
                 ThreadPool& threads) {
  Settler<float> settler(network, settle_for(method), threads);
  return evaluate(settler, rows, CrossEntropy{});
}

}  // namespace

std::string TableRun::key() const {
  return fmt::format("table-{}-{}-{}-r{:02}", table->name, name(activation), method->name, repeat);
}

bool compares_solvers(const TableRun& run) {
  return run.repeat == 0 && (run.method->name == "certified-95" || run.method->name == "free");
}

Json train_table(const SettlingSettings& s, const TableRun& run, const Watch& watch) {
  ThreadPool threads(1);
  const Rows rows(s, run);
  NetworkOf<float> network = start(s, run);
  HeldTrainer<float> trainer(network, options(s), *run.method, threads);
  NetworkOf<float> kept = network;
  BestParameters<float> best;
  for (std::size_t epoch = 0; epoch < s.epochs; ++epoch) {
    watch.check();
    train_epoch(trainer, rows, Stream(Rows::seed(s, run), 1'000'000 + epoch));
    const NetworkOf<float>& now = trainer.answering();
    best.consider(now, judge(now, rows.choosing, *run.method, threads));
  }
  const Evaluation last = judge(trainer.answering(), rows.held_out, *run.method, threads);
  best.put_into(kept);
  const Evaluation e = judge(kept, rows.held_out, *run.method, threads);
  const double settled = e.summary.settled_share();
  Json json = {{"right", e.score},
               {"settled", settled},
               {"settled_last", last.summary.settled_share()},
               {"lost", e.summary.samples - e.summary.count[static_cast<std::size_t>(Outcome::settled)]},
               {"evaluations", e.summary.mean_evaluations},
               {"parameters", kept.parameters().size()}};
  if (compares_solvers(run)) json["solvers"] = compare_solvers(kept, rows.held_out, s.compared_rows, threads);
  return json;
}

Job job_of(const SettlingSettings& s, const TableRun& run) {
  const double steps = double(s.epochs) * double(s.rows), neurons = double(s.width);
  const double slower = run.method->hold == Hold::monotone ? 6 : run.method->recurrent ? 1 : 0.2;
  return {run.key(), slower * steps * neurons * neurons * 5e-9,
          [s, run](const Watch& watch) { return train_table(s, run, watch); }};
}

}  // namespace irn::experiments
