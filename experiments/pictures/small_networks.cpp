#include "experiments/pictures/small_networks.h"

#include <algorithm>
#include <cmath>

#include "irn/analysis/network_problem.h"

namespace irn::pictures {

using report::Mark;
using report::Series;

NetworkOf<double> one_neuron(double w) {
  return NetworkOf<double>(from_text<Architecture>("1-1tanh"), {1, w, 0});
}

NetworkOf<double> two_neurons(const std::vector<double>& a) {
  return NetworkOf<double>(from_text<Architecture>("2-2tanh"), {1, 0, 0, 1, a[0], a[1], a[2], a[3], 0, 0});
}

SettlingPath path(const NetworkOf<double>& network, std::vector<double> x, std::vector<double> start,
                  const PathOptions& options) {
  return settling_path(network_problem<double>(network, x), 0, start, options);
}

PathOptions until(double end) { return {.tolerance = 1e-12, .longest = end, .watched = 64}; }

Series over_time(const SettlingPath& path, std::size_t neuron, double end, std::string label) {
  Series series{.label = std::move(label)};
  const Trajectory& way = path.way;
  for (std::size_t k = 0; k < way.times.size() && way.times[k] <= end; ++k)
    series.x.push_back(way.times[k]), series.y.push_back(way.state(k)[neuron]);
  if (way.at_rest && way.times.back() < end) series.x.push_back(end), series.y.push_back(way.last()[neuron]);
  return series;
}

Series residual_over_time(const SettlingPath& path, double end) {
  Series series;
  for (std::size_t k = 0; k < path.way.times.size() && path.way.times[k] <= end; ++k)
    series.x.push_back(path.way.times[k]), series.y.push_back(path.way.residuals[k]);
  return series;
}

Series in_the_plane(const SettlingPath& path) {
  Series series;
  for (std::size_t k = 0; k < path.way.times.size(); ++k)
    series.x.push_back(path.way.state(k)[0]), series.y.push_back(path.way.state(k)[1]);
  return series;
}

std::vector<Series> drawn(const std::vector<Branch>& branches, std::size_t neuron) {
  Series stable{.label = "stable", .colour = 0, .dash = 0},
      unstable{.label = "unstable", .colour = 0, .dash = 4}, special{.mark = Mark::points, .colour = 1};
  for (const Branch& branch : branches) {
    for (const BranchPoint& point : branch.points) {
      Series &here = point.stable() ? stable : unstable, &other = point.stable() ? unstable : stable;
      here.x.push_back(point.p), here.y.push_back(point.state[neuron]);
      other.x.push_back(point.p), other.y.push_back(std::nan(""));
    }
    for (Series* series : {&stable, &unstable}) series->x.push_back(std::nan("")), series->y.push_back(0);
    for (const TurningPoint& point : branch.turnings) {
      special.x.push_back(point.p), special.y.push_back(point.state[neuron]);
      special.names.emplace_back(point.kind == Turning::hopf ? "Hopf point" : name(point.kind));
    }
  }
  return {stable, unstable, special};
}

}  // namespace irn::pictures
