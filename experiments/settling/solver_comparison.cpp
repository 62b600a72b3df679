#include "experiments/settling/solver_comparison.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "irn/base/random.h"
#include "irn/engine/settler.h"

namespace irn::experiments {
namespace {

double distance(std::span<const float> a, std::span<const float> b) {
  double largest = 0, size = 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(double(a[i]) - double(b[i])));
    size = std::max(size, std::abs(double(a[i])));
  }
  return largest / size;
}

Json compared(const std::string& name, const Equilibria<float>& states, const Equilibria<float>& flow) {
  std::size_t both = 0, elsewhere = 0;
  double farthest = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!states.settled(i) || !flow.settled(i)) continue;
    const double off = distance(states.state(i), flow.state(i));
    ++both, elsewhere += off > same_state;
    farthest = std::max(farthest, off);
  }
  const Summary summary = states.summary();
  return {{"solver", name},
          {"settled", summary.settled_share()},
          {"evaluations", summary.mean_evaluations},
          {"compared", both},
          {"elsewhere", elsewhere},
          {"distance", farthest}};
}

std::vector<float> random_starts(std::size_t numbers) {
  const Stream stream(1, 1);
  std::vector<float> starts(numbers);
  for (std::size_t i = 0; i < numbers; ++i) starts[i] = static_cast<float>(stream.uniform(i, -2, 2));
  return starts;
}

}  // namespace

Json compare_solvers(const NetworkOf<float>& network, const SampleTable<float>& rows, std::size_t count,
                     ThreadPool& threads) {
  std::vector<std::uint64_t> index(std::min(count, rows.size()));
  std::iota(index.begin(), index.end(), std::uint64_t{0});
  const auto settle = [&](const Solver& solver, std::span<const float> starts = {}) {
    Equilibria<float> states;
    Settler<float>(network, {.solver = solver}, threads).settle(rows, index, states, starts);
    return states;
  };
  const Equilibria<float> flow = settle(Auto{});
  Json all = Json::array();
  for_each_choice<Solver>([&](const auto& solver) {
    if (!only_iterates(Solver(solver)))
      all.push_back(compared(std::string(solver.name), settle(solver), flow));
  });
  all.push_back(compared("auto, random starts",
                         settle(Auto{}, random_starts(index.size() * network.architecture().neurons())),
                         flow));
  return all;
}

}  // namespace irn::experiments
