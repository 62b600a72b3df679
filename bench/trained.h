// Networks trained on the oscillator task, for benchmarks. An untrained network is harmless: plain iteration
// settles it; training makes it anything but (docs/solvers.md).
//
// A trained network is a pure function of its recipe. It is kept as raw floats in a folder of the build tree,
// so that only the first run trains; the recipe is the file's name. A change of solvers that changes the
// training's last bits does not change the name: delete the folder to train anew.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "irn/data/oscillator.h"
#include "irn/gradient/gradient.h"
#include "irn/network/network.h"

namespace irn::bench {

enum class NetworkKind : unsigned char { exact, semi, feed_forward, certified };
inline constexpr std::array<std::string_view, 4> kind_names = {"exact", "semi", "feed-forward", "certified"};
constexpr std::string_view name(NetworkKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

struct Recipe {
  std::string architecture;
  Gradient gradient;
  Start start;
  double rate;  // of Adam
  std::size_t batch, steps;
  std::uint64_t seed;
  double certify = 0;  // bound of a certificate (network/certificate.h)
};

// The paper's recipe up to 32 hidden neurons (its start, batches of 6, 80,000 steps), another for wider
// layers.
Recipe recipe(std::size_t hidden, NetworkKind kind, std::uint64_t seed = 1);
// The paper's recipe at any width: its 80,000 small steps make a network far harder to settle than the recipe
// for wide layers, whose networks plain iteration still settles (docs/solvers.md).
Recipe paper_recipe(std::size_t hidden, NetworkKind kind, std::uint64_t seed = 1);

NetworkOf<float> trained(const Recipe& recipe);

template <class T>
NetworkOf<T> trained_as(const Recipe& recipe) {
  const NetworkOf<float> network = trained(recipe);
  const auto values = network.parameters();
  return NetworkOf<T>(network.architecture(), std::vector<T>(values.begin(), values.end()));
}

template <class T>
NetworkOf<T> trained(std::size_t hidden, NetworkKind kind) {
  return trained_as<T>(recipe(hidden, kind));
}

// Samples on which no network was trained.
OscillatorOptions test_samples(std::size_t count);

}  // namespace irn::bench
