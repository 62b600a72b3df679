#include "irn/train/heads.h"

#include <algorithm>
#include <cmath>

#include "irn/base/error.h"
#include "irn/base/options_text.h"

namespace irn {

Heads::Heads(const Architecture& architecture, const std::vector<Head>& heads)
    : network_(to_text(architecture)) {
  if (heads.empty()) throw Error("training network " + network_ + " needs at least one head");
  for (const Head& head : heads) add(architecture, head, heads.size() == 1);
}

void Heads::add(const Architecture& architecture, Head head, bool alone) {
  const std::size_t layers = architecture.layers().size();
  if (head.layer > layers)
    throw Error("a head on layer " + std::to_string(head.layer) + ": network " + network_ + " has " +
                std::to_string(layers) + ", counted from 1");
  if (head.layer == 0) head.layer = layers;
  const std::string where = "the head on layer " + std::to_string(head.layer);
  if (std::any_of(places_.begin(), places_.end(), [&](const Place& p) { return p.head.layer == head.layer; }))
    throw Error("two heads on layer " + std::to_string(head.layer) + "; give it one");
  if (!(head.weight >= 0 && std::isfinite(head.weight)))
    throw Error(where + " has weight " + write_value(head.weight) + "; give a finite number, zero or more");
  check_loss(head.loss);
  const std::size_t neurons = architecture.layers()[head.layer - 1].size;
  if (head.targets > neurons)
    throw Error(where + " has " + std::to_string(head.targets) + " targets and " + std::to_string(neurons) +
                " outputs; there must be 1 to as many targets as outputs");
  if (head.targets == 0 && !alone) head.targets = neurons;
  places_.push_back({head, architecture.first_neuron(head.layer), neurons, targets_});
  neurons_ += neurons, targets_ += head.targets;
}

std::vector<std::size_t> Heads::layers() const {
  std::vector<std::size_t> all;
  for (const Place& place : places_) all.push_back(place.head.layer);
  return all;
}

void Heads::check_targets(std::size_t count) const {
  if (targets_ == 0 ? count >= 1 && count <= neurons_ : count == targets_) return;
  const std::string samples = "the samples have " + std::to_string(count) + " targets, ";
  if (targets_ > 0)
    throw Error(samples + "the heads of network " + network_ + " take " + std::to_string(targets_));
  throw Error(samples + "network " + network_ + " has " + std::to_string(neurons_) +
              " outputs; there must be 1 to as many targets as outputs");
}

namespace {

template <class T>
bool are_shares(std::span<const T> targets) {
  double sum = 0;
  for (const T share : targets) {
    if (!(share >= 0)) return false;
    sum += double(share);
  }
  return targets.size() > 1 && std::abs(sum - 1) <= 1e-3;
}

}  // namespace

template <class T>
void Heads::check_classes(std::span<const T> all, std::size_t count, std::span<const T> weights) const {
  for (std::size_t h = 0; h < size(); ++h) {
    if (!is_cross_entropy(places_[h].head.loss)) continue;
    for (std::size_t s = 0; s < weights.size(); ++s)
      if (weights[s] != 0 && !are_shares(targets(h, all.subspan(s * count, count))))
        throw Error(
            "cross-entropy takes a target for each class: 1 for a sample's own and 0 for others, or shares "
            "that add up to 1; sample " +
            std::to_string(s) + " of the batch has others");
  }
}

template <class T>
double Heads::loss_and_slopes(std::span<const T> state, std::span<const T> all, std::span<T> slopes) const {
  assert(slopes.size() == neurons_);
  double sum = 0;
  for (std::size_t h = 0; h < size(); ++h) {
    const auto& [head, first, neurons, first_target] = places_[h];
    const std::span<T> own = slopes.first(neurons);
    sum += head.weight * irn::loss_and_slopes(head.loss, outputs(h, state), targets(h, all), own);
    if (head.weight != 1)
      for (T& slope : own) slope *= static_cast<T>(head.weight);
    slopes = slopes.subspan(neurons);
  }
  return sum;
}

template void Heads::check_classes(std::span<const float>, std::size_t, std::span<const float>) const;
template void Heads::check_classes(std::span<const double>, std::size_t, std::span<const double>) const;
template double Heads::loss_and_slopes(std::span<const float>, std::span<const float>,
                                       std::span<float>) const;
template double Heads::loss_and_slopes(std::span<const double>, std::span<const double>,
                                       std::span<double>) const;

}  // namespace irn
