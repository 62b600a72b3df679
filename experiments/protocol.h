// The settings of a reproduction: what the paper fixes, and a decision wherever it is silent.
//
// Two presets: quick, and full (the paper's whole protocol). Results are a pure function of the protocol and
// are stored with it; a folder made with other settings is never continued.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "irn/base/error.h"
#include "irn/base/options_text.h"

namespace irn::experiments {

using Json = nlohmann::json;

struct Protocol {
  static constexpr std::string_view name = "protocol";

  std::size_t seed = 1;
  // Oscillator task.
  std::size_t train_samples = 3'200'000;
  std::size_t test_samples = 800'000;
  std::size_t points = 100;
  double time_step = 0.1;
  double spread = 2;
  std::size_t epochs = 400;
  std::size_t steps_per_epoch = 200;
  std::size_t test_every = 4;  // epochs
  std::size_t repeats = 12;
  std::size_t batch = 6;   // samples of a gradient step
  std::size_t hidden = 5;  // of the learning curves
  double rate = 0.01;
  // The other reading of "200 gradient steps over six batches": six batches are drawn anew each epoch and
  // used in turn.
  std::size_t batches_per_epoch = 6;
  std::size_t other_batch = 32;
  std::size_t comparison_repeats = 6;  // for the comparisons of readings and solvers
  // The sweep trains `sweep_repeats` networks of every size.
  std::size_t sweep_repeats = 12;
  // XOR.
  std::size_t xor_seeds = 1000;
  std::size_t xor_steps = 4000;

  template <class Visit>
  void fields(Visit&& visit) {
    visit("seed", seed);
    visit("train-samples", train_samples);
    visit("test-samples", test_samples);
    visit("points", points);
    visit("time-step", time_step);
    visit("spread", spread);
    visit("epochs", epochs);
    visit("steps-per-epoch", steps_per_epoch);
    visit("test-every", test_every);
    visit("repeats", repeats);
    visit("batch", batch);
    visit("hidden", hidden);
    visit("rate", rate);
    visit("batches-per-epoch", batches_per_epoch);
    visit("other-batch", other_batch);
    visit("comparison-repeats", comparison_repeats);
    visit("sweep-repeats", sweep_repeats);
    visit("xor-seeds", xor_seeds);
    visit("xor-steps", xor_steps);
  }

  std::vector<std::size_t> sweep_sizes() const { return {1, 2, 3, 5, 8, 12, 20, 32}; }

  static Protocol full() { return {}; }
  static Protocol quick();
  // Throws irn::Error for values that make no sense.
  void check() const;
};

// Settings as JSON, as they are stored.
template <class Settings>
Json settings_json(Settings settings) {
  Json json;
  settings.fields([&](std::string_view key, const auto& value) { json[std::string(key)] = value; });
  return json;
}

// Throws irn::Error unless all settings but the seed are above zero.
template <class Settings>
void check_above_zero(Settings settings) {
  settings.fields([&](std::string_view key, const auto& value) {
    if (key != "seed" && !(value > 0))
      throw Error(std::string(Settings::name) + ": " + std::string(key) + " is " + write_value(value) +
                  "; it must be above zero");
  });
}

// A decision where the paper is silent.
struct Decision {
  std::string question, value, reason;
};
std::vector<Decision> decisions(const Protocol& protocol);

}  // namespace irn::experiments
