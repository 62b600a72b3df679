// What users are told of a model before they rely on its answers: that its training did not finish, and that
// some rows do not settle.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace irn::app {

using Metrics = std::map<std::string, double>;

// Whether the training came to its end; none if the model does not say (it was not made by irn train).
std::optional<bool> complete(const Metrics& metrics);

// "the model is of a training that diverged after 7 epochs; ..."; empty if there is nothing to report.
std::string unfinished_note(const Metrics& metrics);

// What to do about rows that do not settle. A certified network has the equilibrium; only the search has not
// reached it.
std::string settling_advice(bool certified);
// "3 of 178 rows settled in a state of which it could not be told whether it attracts; ..."
std::string undecided_note(std::size_t undecided, std::size_t rows);

}  // namespace irn::app
