#include "irn/front/analysis.h"

#include "irn/front/samples_of_view.h"

namespace irn {
namespace {

// body(core, x as its numbers).
template <class Body>
auto with_core(const Network& network, View x, const Body& body) {
  if (x.rows() != 1 || x.columns() != network.inputs())
    throw Error("the inputs are " + shape_text(x) + "; one sample of network " + network.text() + " is 1 x " +
                std::to_string(network.inputs()));
  const auto run = [&]<class T>(const NetworkOf<T>& core) {
    std::vector<T> copy;
    return body(core, x.as(copy));
  };
  if (const NetworkOf<float>* core = network.core<float>()) return run(*core);
  return run(*network.core<double>());
}

std::vector<double> state_of(const Network& network, View z) {
  if (z.rows() != 1 || z.columns() != network.neurons())
    throw Error("the state is " + shape_text(z) + "; one of network " + network.text() + " is 1 x " +
                std::to_string(network.neurons()));
  return z.values();
}

}  // namespace

std::vector<double> flow_jacobian(const Network& network, View x, View z) {
  const std::vector<double> state = state_of(network, z);
  const std::size_t n = network.neurons();
  if (n > dense_analysis_limit)
    throw Error("the Jacobian of " + std::to_string(n) + " neurons is not made; up to " +
                std::to_string(dense_analysis_limit) + " are");
  return with_core(network, x, [&]<class T>(const NetworkOf<T>& core, std::span<const T> inputs) {
    std::vector<double> jacobian(n * n);
    network_problem(core, inputs).jacobian(0, state, jacobian);
    for (std::size_t i = 0; i < n; ++i) jacobian[i * n + i] -= 1;
    return jacobian;
  });
}

StateStability stability(const Network& network, View x, View z, const StabilityOptions& options) {
  const std::vector<double> state = state_of(network, z);
  return with_core(network, x, [&]<class T>(const NetworkOf<T>& core, std::span<const T> inputs) {
    return stability<T>(core, inputs, state, options);
  });
}

Trajectory trajectory(const Network& network, View x, View start, const TrajectoryOptions& options) {
  const std::vector<double> from = start.empty() ? std::vector<double>{} : state_of(network, start);
  return with_core(network, x, [&]<class T>(const NetworkOf<T>& core, std::span<const T> inputs) {
    return trajectory(network_problem(core, inputs), 0, from, options);
  });
}

ParameterProblem along_input(const Network& network, View x, std::size_t input) {
  return with_core(network, x, [&]<class T>(const NetworkOf<T>& core, std::span<const T> inputs) {
    return along_input<T>(core, inputs, input);
  });
}

ParameterProblem along_gain(const Network& network, View x) {
  return with_core(network, x, [&]<class T>(const NetworkOf<T>& core, std::span<const T> inputs) {
    return along_gain<T>(core, inputs);
  });
}

}  // namespace irn
