#include "experiments/protocol.h"

namespace irn::experiments {

// The same figures with fewer repeats, epochs and test samples: about a minute on two idle cores.
Protocol Protocol::quick() {
  Protocol p;
  p.test_samples = 20'000;
  p.epochs = 200;
  p.repeats = 6;
  p.comparison_repeats = 3;
  p.sweep_repeats = 3;
  p.xor_seeds = 200;
  return p;
}

void Protocol::check() const {
  check_above_zero(*this);
  if (repeats < 2 || sweep_repeats < 2 || comparison_repeats < 2)
    throw Error("protocol: a spread over repeats needs at least two of them");
  if (test_every > epochs) throw Error("protocol: test-every is above epochs; no test would take place");
}

std::vector<Decision> decisions(const Protocol& p) {
  const auto text = [](auto value) { return write_value(value); };
  return {
      {"length of a trajectory", text(p.points) + " points, time step " + text(p.time_step),
       "two to three periods of the slowest oscillator"},
      {"N(0, 2) of x0 and v0", "standard deviation " + text(p.spread),
       "the usual reading of code that draws it"},
      {"\"200 gradient steps over six batches\"",
       "batches of " + text(p.batch) + " samples, " + text(p.steps_per_epoch) + " steps an epoch",
       "fits a loop over samples; part `readings` compares the other reading: " + text(p.batches_per_epoch) +
           " batches of " + text(p.other_batch) + " samples drawn each epoch and gone round"},
      {"targets", "w0 - 1 and d / 2, errors in these units", "a sigmoid cannot reach 2"},
      {"hidden sizes of the sweep", "1, 2, 3, 5, 8, 12, 20, 32", "unknown in the paper"},
      {"semi-gradient with two layers", "forward blocks carry the gradient, W and R do not",
       "\"ignore the reappearing dependence of Y\""},
      {"error", "mean over the two targets of the squared error", "the paper says mean squared error"},
      {"solver", "auto, tolerance 1e-5 in float; samples that do not settle are left out and counted",
       "the paper's RK4 x 30 leaves trained networks unsettled; part `solvers` compares the two"},
      {"drawing of training samples", "uniform with replacement from the training range",
       "80,000 steps of 6 see a seventh of the set once"},
      {"length of XOR training", text(p.xor_steps) + " Adam steps on all four patterns",
       "unknown in the paper"},
      {"XOR solved", "all four patterns settled and |Y1 - target| < 0.2", "unknown in the paper"},
  };
}

}  // namespace irn::experiments
