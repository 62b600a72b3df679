// Views as samples for the core: used in place if they have the core's precision and layout, else copied.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "irn/base/error.h"
#include "irn/data/sample_table.h"
#include "irn/front/view.h"
#include "irn/network/architecture.h"

namespace irn {

inline std::string shape_text(View view) {
  return std::to_string(view.rows()) + " x " + std::to_string(view.columns());
}

template <class T>
class SamplesOfView {
 public:
  // `targets` and `weights` may be empty. Their sizes are checked against the inputs, and the inputs against
  // the network.
  SamplesOfView(View inputs, View targets, View weights, const Architecture& architecture) {
    if (inputs.columns() != architecture.inputs())
      throw Error("the inputs are " + shape_text(inputs) + "; network " + to_text(architecture) + " takes " +
                  std::to_string(architecture.inputs()) + " columns");
    if (!targets.empty() && targets.rows() != inputs.rows())
      throw Error("there are " + std::to_string(targets.rows()) + " rows of targets for " +
                  std::to_string(inputs.rows()) + " rows of inputs");
    if (!weights.empty() && weights.size() != inputs.rows())
      throw Error("there are " + std::to_string(weights.size()) + " weights for " +
                  std::to_string(inputs.rows()) + " rows of inputs");
    table_.emplace(SampleTable<T>::borrow(inputs.columns(), targets.columns(), inputs.as(input_copy_),
                                          targets.as(target_copy_), weights.as(weight_copy_)));
  }
  SamplesOfView(const SamplesOfView&) = delete;  // the table may refer to the copies
  SamplesOfView& operator=(const SamplesOfView&) = delete;

  const SampleTable<T>& table() const { return *table_; }

 private:
  std::vector<T> input_copy_, target_copy_, weight_copy_;
  std::optional<SampleTable<T>> table_;
};

}  // namespace irn
