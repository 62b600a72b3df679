#include "experiments/xor_training.h"

#include <bit>
#include <cmath>
#include <limits>

#include "experiments/settling/held_trainer.h"
#include "irn/base/random.h"
#include "irn/data/logic_gates.h"
#include "irn/train/best_parameters.h"

namespace irn::experiments {
namespace {

constexpr unsigned xor_gate = 0b0110;
constexpr double solved_within = 0.2;
constexpr std::array<std::uint64_t, 4> patterns = {0, 1, 2, 3};

double target(std::size_t pattern) { return xor_gate >> pattern & 1u; }

SampleTable<double> table_of(const XorVariant& variant) {
  std::vector<unsigned> gates = {xor_gate};
  if (!variant.helper.empty()) gates.push_back(truth_table(variant.helper));
  return logic_gates<double>(gates);
}

TrainOptions options_of(const XorVariant& variant, double rate) {
  TrainOptions options = variant.by_default ? default_training() : TrainOptions{};
  options.gradient.settle = variant.settle;
  options.optimiser = Adam{.rate = rate};
  return options;
}

// A training, and its answer if it ended now.
class Training {
 public:
  Training(const XorVariant& variant, std::uint64_t start, double rate)
      : table_(table_of(variant)),
        network_(architecture_for(variant.method, 2, {{2}}, Recurrence::full), Start::paper, start),
        answering_(network_),
        method_(variant.method),
        trainer_(network_, options_of(variant, rate), method_, threads_),
        settler_(network_, settle_for(method_, variant.settle), threads_),
        keeps_best_(variant.by_default) {}

  void step() {
    StepReport report = trainer_.look(table_, patterns);
    if (keeps_best_) best_.consider(network_, report);
    trainer_.apply(report);
  }

  XorAnswer answer() {
    answering_.set_parameters(trainer_.answering().parameters());
    best_.put_into(answering_);
    settler_.update(answering_);
    settler_.settle(table_, patterns, states_);
    XorAnswer answer;
    for (std::size_t p = 0; p < patterns.size(); ++p) {
      answer.settled += states_.settled(p);
      answer.y1[p] = states_.state(p)[0];
      answer.y2[p] = states_.state(p)[1];
    }
    return answer;
  }

 private:
  ThreadPool threads_{1};
  SampleTable<double> table_;
  NetworkOf<double> network_, answering_;
  Method method_;
  HeldTrainer<double> trainer_;
  Settler<double> settler_;
  bool keeps_best_;
  BestParameters<double> best_;
  Equilibria<double> states_;
};

}  // namespace

const std::vector<XorVariant>& xor_variants() {
  static const std::vector<XorVariant> all = {
      {.name = "exact", .label = "exact, Y2 free", .colour = 2, .dash = 0},
      {.name = "semi-two",
       .label = "semi-gradient, Y2 = NOR",
       .method = {.gradient = SemiGradient{}},
       .helper = "NOR",
       .colour = 1,
       .dash = 1},
      {.name = "semi-one",
       .label = "semi-gradient, Y2 free",
       .method = {.gradient = SemiGradient{}},
       .colour = 3,
       .dash = 2},
      {.name = "feed-forward",
       .label = "feed-forward",
       .method = {.recurrent = false},
       .colour = 0,
       .dash = 3},
      {.name = "default", .label = "irn's default", .by_default = true, .colour = 4, .dash = 4},
      {.name = "semi-and",
       .label = "semi-gradient, Y2 = AND",
       .method = {.gradient = SemiGradient{}},
       .helper = "AND",
       .aside = true},
      {.name = "semi-or",
       .label = "semi-gradient, Y2 = OR",
       .method = {.gradient = SemiGradient{}},
       .helper = "OR",
       .aside = true},
      {.name = "semi-nand",
       .label = "semi-gradient, Y2 = NAND",
       .method = {.gradient = SemiGradient{}},
       .helper = "NAND",
       .aside = true},
      // The paper reports residuals of 1e-8 after these 30 steps. While XOR is learned they become far
      // larger; with a tolerance of 1e-8 most patterns would be left out and almost no seed would learn.
      {.name = "exact-rk4",
       .label = "exact, RK4 x 30 to 1e-4",
       .settle = {.solver = RungeKutta4{}, .tolerance = 1e-4},
       .aside = true},
  };
  return all;
}

double XorAnswer::error() const {
  if (settled < patterns.size()) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (std::size_t p = 0; p < patterns.size(); ++p) sum += (y1[p] - target(p)) * (y1[p] - target(p));
  return sum / static_cast<double>(patterns.size());
}

bool XorAnswer::solved() const {
  bool all = settled == patterns.size();
  for (std::size_t p = 0; p < patterns.size(); ++p) all &= std::abs(y1[p] - target(p)) < solved_within;
  return all;
}

unsigned XorAnswer::gate() const { return truth_table<double>(y2); }

bool is_helper(unsigned gate) { return std::popcount(gate) % 2 == 1; }

std::uint64_t xor_start(const Protocol& protocol, std::size_t i) {
  constexpr std::uint64_t stream = 0x786f72;  // "xor": a stream of its own
  return Stream(protocol.seed, stream).bits(i);
}

XorRecord train_xor(const XorVariant& variant, std::uint64_t start, std::size_t steps, double rate,
                    const Watch& watch) {
  Training training(variant, start, rate);
  XorRecord record;
  std::size_t looks = 0, settled = 0;
  bool solved = false;
  for (std::size_t step = 0; step <= steps; ++step) {
    if (step % steps_between_looks == 0 || step == steps) {
      watch.check();
      record.end = training.answer();
      record.errors.push_back(record.end.error());
      if (solved && !record.end.solved()) ++record.falls;
      solved = record.end.solved();
      if (solved && record.first_solved < 0) record.first_solved = static_cast<long>(step);
      ++looks, settled += record.end.settled;
    }
    if (step < steps) training.step();
  }
  record.unsettled = 1 - double(settled) / double(patterns.size() * looks);
  return record;
}

}  // namespace irn::experiments
