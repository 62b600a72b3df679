// The settings of `irn study settling`, in a quick form and a full one.
#pragma once

#include "experiments/protocol.h"

namespace irn::experiments {

struct SettlingSettings {
  static constexpr std::string_view name = "study settling";

  std::size_t seed = 1;
  // Tables that the program draws itself.
  std::size_t repeats = 8;  // each has its own rows and start, the same for all methods
  std::size_t rows = 1000;  // for training; a fifth as many again choose the epoch
  std::size_t held_out = 2000;
  std::size_t width = 60;  // neurons of the one lateral layer
  std::size_t epochs = 80;
  double rate = 0.01;
  std::size_t compared_rows = 200;  // held-out rows that every solver settles
  // The paper's oscillator task and XOR.
  std::size_t oscillator_repeats = 12;
  std::size_t oscillator_epochs = 400;
  std::size_t oscillator_held_out = 100'000;
  std::size_t xor_starts = 1000;
  std::size_t xor_steps = 4000;

  template <class Visit>
  void fields(Visit&& visit) {
    visit("seed", seed);
    visit("repeats", repeats);
    visit("rows", rows);
    visit("held-out", held_out);
    visit("width", width);
    visit("epochs", epochs);
    visit("rate", rate);
    visit("compared-rows", compared_rows);
    visit("oscillator-repeats", oscillator_repeats);
    visit("oscillator-epochs", oscillator_epochs);
    visit("oscillator-held-out", oscillator_held_out);
    visit("xor-starts", xor_starts);
    visit("xor-steps", xor_steps);
  }

  static SettlingSettings full() { return {}; }
  static SettlingSettings quick();
  void check() const;  // throws irn::Error for settings that make no sense
  // The paper's protocol with these settings.
  Protocol paper() const;
};

}  // namespace irn::experiments
