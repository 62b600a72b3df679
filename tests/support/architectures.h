// Architectures for tests: every activation with every recurrence at every depth up to four layers, and odd
// ones. Built from the lists of activations and recurrences, so that new entries are tested without a change
// here.
#pragma once

#include <string>
#include <vector>

#include "irn/network/architecture.h"

namespace irn {

// Skips, feedback over several layers, missing blocks, layers without inputs, different activations.
inline std::vector<Architecture> odd_architectures() {
  std::vector<Architecture> all;
  for (const char* text :
       {"1-1", "3-4tanh-3softplus-2identity", "3-4tanh-2/none+0:2", "3-4-3tanh-2/full+0:3+1:3+3:1",
        "2-3tanh-2-3softplus-2/feedback+4:1+0:4+2:4", "3-4-2/none+2:1", "3-3-2/none+1:1+2:2-1:2+0:2",
        "2-3-3-2/lateral-1:2", "3-4tanh-2/full-0:1", "3-2-2-2/full-2:1-3:3+3:1", "4-13tanh-3",
        // operators other than dense
        "3-4/lateral=diagonal", "3-4tanh-3-2/full=lowrank2",
        "3-3-3tanh/none+0:1=diagonal+1:1=lowrank2+2:1=diagonal",
        "4-13tanh-3/lateral=diagonal+0:1=lowrank2+1:2=lowrank1+2:1",
        "3-4softplus-4-2/none+1:2=diagonal+0:1=lowrank3"})
    all.push_back(from_text<Architecture>(text));
  return all;
}

inline Architecture uniform_architecture(std::size_t layers, Activation activation, Recurrence recurrence) {
  static constexpr std::size_t sizes[4] = {3, 2, 3, 2};
  std::vector<Layer> list;
  for (std::size_t l = 0; l < layers; ++l) list.push_back({sizes[l], activation});
  return Architecture(3, list, recurrence);
}

inline std::vector<Architecture> all_architectures() {
  std::vector<Architecture> all;
  for (std::size_t f = 0; f < activation_names.size(); ++f)
    for (std::size_t r = 0; r < recurrence_names.size(); ++r)
      for (std::size_t layers = 1; layers <= 4; ++layers)
        all.push_back(uniform_architecture(layers, static_cast<Activation>(f), static_cast<Recurrence>(r)));
  // The odd ones come last, so that a new one leaves the seeds of the others unchanged.
  const std::vector<Architecture> odd = odd_architectures();
  all.insert(all.end(), odd.begin(), odd.end());
  return all;
}

}  // namespace irn
