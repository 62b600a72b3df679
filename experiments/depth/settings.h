// The settings of `irn study depth`, in a quick form and a full one.
#pragma once

#include "experiments/images/image_source.h"

namespace irn::experiments {

struct DepthSettings {
  static constexpr std::string_view name = "study depth";

  std::size_t seed = 1;
  std::size_t deepest = 6;  // hidden layers: from 1 to this many
  // The paper's oscillator task.
  std::size_t oscillator_repeats = 5;
  std::size_t oscillator_epochs = 60;
  std::size_t oscillator_held_out = 20'000;
  std::size_t oscillator_width = 12;  // of one recurrent layer; all networks have as many parameters
  // Images.
  ImageChoice images = {std::string(mnist_folder)};
  std::size_t repeats = 5;  // each has its own rows and start, the same for all networks
  std::size_t rows = 4000;  // for training; a fifth as many again choose the epoch
  std::size_t held_out = 5000;
  std::size_t width = 32;  // of one recurrent layer
  std::size_t epochs = 10;
  double rate = 0.003;

  template <class Visit>
  void fields(Visit&& visit) {
    visit("seed", seed);
    visit("deepest", deepest);
    visit("oscillator-repeats", oscillator_repeats);
    visit("oscillator-epochs", oscillator_epochs);
    visit("oscillator-held-out", oscillator_held_out);
    visit("oscillator-width", oscillator_width);
    visit("images", images);
    visit("repeats", repeats);
    visit("rows", rows);
    visit("held-out", held_out);
    visit("width", width);
    visit("epochs", epochs);
    visit("rate", rate);
  }

  static DepthSettings full() { return {}; }
  static DepthSettings quick();
  void check() const;      // irn::Error for settings that make no sense, or missing images
  Protocol paper() const;  // the paper's protocol with these numbers
  std::uint64_t seed_of(std::size_t repeat) const { return seed * 1'000'003 + repeat; }
};

}  // namespace irn::experiments
