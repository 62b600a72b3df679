// The settings of `irn study convolution`, in a quick form and a full one.
#pragma once

#include "experiments/images/image_source.h"

namespace irn::experiments {

struct ConvolutionSettings {
  static constexpr std::string_view name = "study convolution";

  std::size_t seed = 1;
  ImageChoice images = {std::string(mnist_folder)};
  std::size_t repeats = 5;    // each has its own rows and start, the same for all networks
  std::size_t rows = 10'000;  // for training; a fifth as many again choose the epoch
  std::size_t held_out = 10'000;
  // Of the first layer without recurrence; the second has twice as many. The other networks have as many
  // parameters.
  std::size_t channels = 8;
  std::size_t epochs = 10;
  double rate = 0.003;

  template <class Visit>
  void fields(Visit&& visit) {
    visit("seed", seed);
    visit("images", images);
    visit("repeats", repeats);
    visit("rows", rows);
    visit("held-out", held_out);
    visit("channels", channels);
    visit("epochs", epochs);
    visit("rate", rate);
  }

  static ConvolutionSettings full() { return {}; }
  static ConvolutionSettings quick();
  void check() const;  // irn::Error for settings that make no sense, or missing images
  std::uint64_t seed_of(std::size_t repeat) const { return seed * 1'000'003 + repeat; }
};

}  // namespace irn::experiments
