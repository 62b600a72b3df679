// The networks of one and two neurons in the pictures of docs/equilibria.md, and the curves drawn of them.
#pragma once

#include <string>
#include <vector>

#include "irn/analysis/branches.h"
#include "irn/analysis/settling_path.h"
#include "irn/report/figure.h"

namespace irn::pictures {

// z = tanh(w z + x), x the input.
NetworkOf<double> one_neuron(double w);
// z = tanh(A z + x), A row by row, each input added to its neuron.
NetworkOf<double> two_neurons(const std::vector<double>& a);

SettlingPath path(const NetworkOf<double>& network, std::vector<double> x, std::vector<double> start,
                  const PathOptions& options = {});
// Options for a path that ends where its drawing does.
PathOptions until(double end);

// A neuron, or the residual, over time up to `end`.
report::Series over_time(const SettlingPath& path, std::size_t neuron, double end, std::string label = "");
report::Series residual_over_time(const SettlingPath& path, double end);
// The second neuron over the first.
report::Series in_the_plane(const SettlingPath& path);

// A neuron on all branches: stable pieces solid, unstable ones dashed, special points named.
std::vector<report::Series> drawn(const std::vector<Branch>& branches, std::size_t neuron);

}  // namespace irn::pictures
