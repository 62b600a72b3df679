// What users are told of a model before they rely on its answers: that its training never came to its end, and that rows do not settle.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace irn::app {

using Metrics = std::map<std::string, double>;

// Whether the training came to its end; nothing if the model does not know (it was not made by irn train).
std::optional<bool> complete(const Metrics& metrics);

// "the model is of a training that diverged after 7 epochs; ..."; empty if there is nothing to say.
std::string unfinished_note(const Metrics& metrics);

// What to do about rows that do not settle. A certified network has the equilibrium; what is missing is a search that ends there.
std::string settling_advice(bool certified);

}  // namespace irn::app
