// Which layers answer, and what each is trained for:
//   L = sum over the heads of weight * loss(the layer's outputs, its targets)
// The targets of a sample are those of the heads, one after the other. A head may lie on any layer: one on a hidden layer is an
// auxiliary target, or an answer of its own. One head on the last layer is the usual network.
// Refuses layers that do not exist, two heads on one layer, and weights that are negative or not finite.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "irn/network/architecture.h"
#include "irn/train/loss.h"

namespace irn {

struct Head {
  std::size_t layer = 0;  // counted from 1; 0 is the last
  Loss loss = SquaredLoss{};
  double weight = 1;
  // They belong to the first neurons of the layer, the others are free. 0: one a neuron, but for a single head as many as
  // the samples have.
  std::size_t targets = 0;
};

// Heads of a network, and where they lie in its states.
class Heads {
 public:
  Heads(const Architecture& architecture, const std::vector<Head>& heads);

  std::size_t size() const { return places_.size(); }
  const Head& operator[](std::size_t h) const { return places_[h].head; }
  std::vector<std::size_t> layers() const;
  std::size_t neurons() const { return neurons_; }  // of all heads: the slopes of a sample
  // Throws irn::Error unless samples with so many targets a sample have one for each that the heads take.
  void check_targets(std::size_t count) const;

  // What is head h's of the state of a sample, and of its targets.
  template <class T>
  std::span<const T> outputs(std::size_t h, std::span<const T> state) const {
    return state.subspan(places_[h].first_neuron, places_[h].neurons);
  }
  template <class T>
  std::span<const T> targets(std::size_t h, std::span<const T> all) const {
    const Place& place = places_[h];
    return place.head.targets == 0 ? all : all.subspan(place.first_target, place.head.targets);
  }

  // The loss of one sample; `slopes` (one a neuron of the heads, one head after the other) receives dL/dz.
  template <class T>
  double loss_and_slopes(std::span<const T> state, std::span<const T> targets, std::span<T> slopes) const;

 private:
  struct Place {
    Head head;
    std::size_t first_neuron, neurons, first_target;
  };
  void add(const Architecture& architecture, Head head, bool alone);

  std::vector<Place> places_;
  std::size_t neurons_ = 0, targets_ = 0;  // targets: 0 if they are as many as the samples have
  std::string network_;
};

}  // namespace irn
