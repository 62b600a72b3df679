#include "apps/irn/self_test.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <span>

#include <fmt/format.h>

#include "irn/data/oscillator.h"
#include "irn/irn.h"

namespace irn::app {
namespace {

// One neuron with a recurrent weight: z = f(a z + w x + c).
Network neuron(const std::string& activation, double a, double w, double c) {
  Network network("1-1" + activation + "/lateral", {.precision = Precision::float64});
  network.set_parameter("layer1.layer1", {std::vector{a}, 1});
  network.set_parameter("layer1.input", {std::vector{w}, 1});
  network.set_parameter("layer1.bias", {std::vector{c}, 1});
  return network;
}

// z = sigmoid(4 - 8 z) has the equilibrium 1/2, because sigmoid(0) = 1/2, and the slope -2 there. The flow
// dz/dt = F(z) - z reaches it, the iteration z <- F(z) does not.
SelfTest settles() {
  Network network = neuron("sigmoid", -8, 0, 4);
  const Answers answers = network.settle({std::vector{0.0}, 1}, {.tolerance = 1e-9});
  const double z = answers.outputs()[0];
  return {
      "settling", answers.settled(0) && std::abs(z - 0.5) < 1e-8,
      fmt::format("z = sigmoid(4 - 8 z) at {:.9f} ({}), known 0.5", z, name(answers.verdicts()[0].outcome))};
}

// z = relu(2 z + 1) has no equilibrium: no result may be called one.
SelfTest refuses() {
  Network network = neuron("relu", 2, 0, 1);
  const Answers answers = network.settle({std::vector{0.0}, 1});
  return {
      "honesty", !answers.answered(0),
      fmt::format("z = relu(2 z + 1), which has no equilibrium: {}", name(answers.verdicts()[0].outcome))};
}

// z = a z + w x + c = (w x + c) / (1 - a), and the loss (z - t)^2: a step of gradient descent in closed form,
//   dz/da = z / (1 - a),  dz/dw = x / (1 - a),  dz/dc = 1 / (1 - a)
SelfTest trains() {
  double a = 0.5, w = 0.3, c = -0.2;
  constexpr double x = 0.7, t = 1, rate = 0.05;
  constexpr int steps = 5;
  Network network = neuron("identity", a, w, c);
  Training training(network,
                    {.optimiser = Sgd{.rate = rate, .momentum = 0}, .gradient = {.tolerance = 1e-12}});
  for (int k = 0; k < steps; ++k) {
    training.step({std::vector{x}, 1}, {std::vector{t}, 1});
    const double z = (w * x + c) / (1 - a), slope = 2 * (z - t) * rate / (1 - a);
    a -= slope * z, w -= slope * x, c -= slope;
  }
  const double found = network.parameter("layer1.input")[0], self = network.parameter("layer1.layer1")[0];
  return {
      "training", std::abs(found - w) < 1e-8 && std::abs(self - a) < 1e-8,
      fmt::format("weights {:.9f}, {:.9f} after {} steps, known {:.9f}, {:.9f}", found, self, steps, w, a)};
}

// The same bits on one thread and on all of them.
SelfTest repeats(std::size_t threads) {
  const NetworkOf<float> network(from_text<Architecture>("100-12-2"), Start::paper, 1);
  const Oscillator<float> samples({.seed = 1, .count = 500});
  ThreadPool one(1), all(threads);
  const auto states = [&](ThreadPool& pool) {
    return Settler<float>(network, {}, pool).settle(samples).states;
  };
  const bool same = states(one) == states(all);
  return {"threads", same,
          fmt::format("{} on 1 thread and on {}", same ? "the same bits" : "different bits", all.size())};
}

double distance(std::span<const float> a, std::span<const float> b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(double(a[i]) - double(b[i]), 2);
  return std::sqrt(squares);
}

// A network that a few threads of a device settle, and one that a block does. The states of untrained
// networks are about as exact as their residuals; a wrong kernel's states are far off.
SelfTest agrees(Device device, const std::string& name) {
  const double far_off = 100 * default_tolerance<float>();
  const Oscillator<float> samples({.seed = 1, .count = 50});
  ThreadPool threads(1);
  std::size_t all = 0, alike = 0;
  double farthest = 0;
  for (const char* text : {"100-12-2", "100-96-2"}) {
    const NetworkOf<float> network(from_text<Architecture>(text), Start::paper, 1);
    const auto here = Settler<float>(network, {}, threads).settle(samples),
               there = Settler<float>(network, {.device = device}, threads).settle(samples);
    all += here.size();
    for (std::size_t s = 0; s < here.size(); ++s) {
      const double apart = distance(here.state(s), there.state(s));
      alike += here.verdicts[s].outcome == there.verdicts[s].outcome && apart <= far_off;
      farthest = std::max(farthest, apart);
    }
  }
  return {name, alike == all,
          fmt::format("{} of {} samples settled as on the processor, states at most {:.1g} apart", alike, all,
                      farthest)};
}

SelfTest guarded(const std::string& name, const std::function<SelfTest()>& test) {
  try {
    return test();
  } catch (const std::exception& error) {
    return {name, false, error.what(), false};
  }
}

}  // namespace

std::vector<SelfTest> self_tests(std::size_t threads) {
  return {guarded("settling", settles), guarded("honesty", refuses), guarded("training", trains),
          guarded("threads", [&] { return repeats(threads); })};
}

SelfTest self_test_on(Device device) {
  const std::string name = "on " + to_text(device);
  return guarded(name, [&] { return agrees(device, name); });
}

}  // namespace irn::app
