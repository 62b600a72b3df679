// Which layers answer, and what each is trained for:
//   L = sum over the heads of weight * loss(the layer's outputs, its targets)
// The targets of a sample are those of the heads, one head after the other. A head may be on any layer: on a
// hidden layer it is an auxiliary target or another answer. The usual network has one head, on the last
// layer.
// Refuses layers that do not exist, two heads on one layer, and weights that are negative or not finite.
#pragma once

#include <cassert>
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
  // The number of targets. They belong to the first neurons of the layer; the others are free. 0: one for
  // each neuron or, for a single head, as many as the samples have.
  std::size_t targets = 0;
};

// Heads of a network, and their places in its states.
class Heads {
 public:
  Heads(const Architecture& architecture, const std::vector<Head>& heads);

  std::size_t size() const { return places_.size(); }
  const Head& operator[](std::size_t h) const { return place(h).head; }
  std::vector<std::size_t> layers() const;
  std::size_t neurons() const { return neurons_; }  // of all heads: the slopes of a sample
  // Throws irn::Error unless `count` targets for each sample are what the heads take.
  void check_targets(std::size_t count) const;
  // Throws irn::Error unless cross-entropy has a target for each class, that is, shares that add up to 1. `all`
  // are the targets of some samples, `count` each; a sample of weight 0 may have any.
  template <class T>
  void check_classes(std::span<const T> all, std::size_t count, std::span<const T> weights) const;

  // The part of a sample's state, and of its targets, that belongs to head h.
  template <class T>
  std::span<const T> outputs(std::size_t h, std::span<const T> state) const {
    assert(state.size() >= place(h).first_neuron + place(h).neurons);
    return state.subspan(place(h).first_neuron, place(h).neurons);
  }
  template <class T>
  std::span<const T> targets(std::size_t h, std::span<const T> all) const {
    const auto& [head, first_neuron, neurons, first_target] = place(h);
    assert(head.targets == 0 ? all.size() <= neurons : all.size() >= first_target + head.targets);
    return head.targets == 0 ? all : all.subspan(first_target, head.targets);
  }

  // The loss of one sample; `slopes` (one a neuron of the heads, one head after the other) receives dL/dz.
  template <class T>
  double loss_and_slopes(std::span<const T> state, std::span<const T> targets, std::span<T> slopes) const;

 private:
  struct Place {
    Head head;
    std::size_t first_neuron, neurons, first_target;
  };
  const Place& place(std::size_t h) const {
    assert(h < places_.size());
    return places_[h];
  }
  void add(const Architecture& architecture, Head head, bool alone);

  std::vector<Place> places_;
  std::size_t neurons_ = 0, targets_ = 0;  // targets: 0 if they are as many as the samples have
  std::string network_;
};

}  // namespace irn
