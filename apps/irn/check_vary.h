// irn check --vary: moves one number of a model and follows its equilibria.
//   a column of numbers        petal_length, in its own units; of dates, in days since 1970-01-01
//   a weight                   layer1.layer1:3:2, to neuron 3 from neuron 2; layer1.bias:3;
//                              in a block that is not dense: layer1.layer1:7, its 7th number
//   the recurrence as a whole  gain: a factor for all weights on loops; 1 is the network itself
// Neurons, inputs and numbers count from 1.
#pragma once

#include "apps/irn/check_story.h"
#include "irn/data/encoding.h"
#include "irn/network/network.h"

namespace irn::app {

struct Vary {
  enum class Kind { column, parameter, gain };
  Kind kind = Kind::gain;
  std::size_t index = 0;  // of the input or the parameter
  std::string text;       // "column petal_length"
  double mean = 0, scale = 1;
  bool date = false;  // its numbers are days
};

// Throws irn::Error, with a suggestion, if `text` names no such number.
Vary read_vary(const std::string& text, const Encoding& encoding, const Architecture& architecture);
// The column to which an input belongs, if it holds numbers; else the gain.
Vary vary_of_input(std::size_t input, const Encoding& encoding);

struct VaryRange {
  double low = 0, high = 1;
  bool dates = false;  // one of them was written as a date
};
// "0,7", or "2024-01-01,2024-12-31" in days.
VaryRange read_range(const std::string& text);

// Follows the equilibria from those at input x, where the number has the value that x or the network gives
// it. `one`: every input is known to have one equilibrium.
template <class T>
VaryStory follow(const Vary& vary, const NetworkOf<T>& network, const Encoding& encoding,
                 std::span<const T> x, const VaryRange& range, bool one);
template <class T>
double present_value(const Vary& vary, const NetworkOf<T>& network, std::span<const T> x);

}  // namespace irn::app
