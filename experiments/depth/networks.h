// The networks that the depth study compares: one or more hidden layers with equal numbers of parameters,
// trained in five ways.
#pragma once

#include <functional>
#include <vector>

#include "experiments/settling/method.h"

namespace irn::experiments {

// Without recurrence; free with the semi-gradient and with the exact one, as in the paper; and these two with
// a certificate.
const std::vector<Method>& depth_methods();
const Method& depth_method(std::string_view name);

// Sizes of `depth` hidden layers with which `network` has about `parameters` parameters. Sizes are equal,
// except that the first ones may have one neuron more.
std::vector<std::size_t> widths_for(
    std::size_t depth, std::size_t parameters,
    const std::function<Architecture(const std::vector<std::size_t>&)>& network);
std::string widths_text(const std::vector<std::size_t>& widths);  // "8-8-7"

// Hidden layers of relu with lateral connections and feedback, and a forward read-out.
Architecture image_network(const Method& method, const std::vector<std::size_t>& hidden);

}  // namespace irn::experiments
