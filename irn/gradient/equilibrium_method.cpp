// Gradients at an equilibrium (exact, semi, truncated): settle, then solve the adjoint equation at the state
// found.
#include <algorithm>
#include <cmath>
#include <functional>

#include "irn/gradient/chunk_adjoint.h"
#include "irn/gradient/method.h"

namespace irn {
namespace {

template <class T>
class EquilibriumMethod final : public GradientMethod<T> {
 public:
  explicit EquilibriumMethod(const MethodContext<T>& context)
      : options_(context.options), settler_(context.settler), heads_(context.heads) {
    for (const HeadRange& head : heads_) slopes_a_sample_ += head.size;
    for (std::size_t w = 0; w < settler_.threads().size(); ++w)
      adjoints_.push_back(
          make_chunk_adjoint<T>(settler_.packed(), options_.gradient, heads_, settler_.tolerance()));
  }

  void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, Forward<T>& out) override {
    settler_.settle(samples, index, out.equilibria, out.starts);
  }

  void backward(const Forward<T>& forward, std::span<const T> slopes, std::vector<T>& deltas,
                GradientResult<T>& result) override {
    const std::size_t n = forward.equilibria.neurons;
    miss_.resize(forward.size());
    for_groups(settler_.threads(), forward.size(), adjoints_[0]->width(),
               [&](std::size_t first, std::size_t count, std::size_t worker) {
                 adjoints_[worker]->solve(
                     {.samples = count,
                      .states = forward.equilibria.states.data() + first * n,
                      .slopes = slopes.data() + first * slopes_a_sample_,
                      .gates = forward.gates.empty() ? nullptr : forward.gates.data() + first * n,
                      .deltas = deltas.data() + first * n,
                      .amplification = result.amplification.data() + first,
                      .miss = miss_.data() + first,
                      .products = result.products.data() + first});
               });
    for (std::size_t s = 0; s < forward.size(); ++s)
      result.outcomes[s] = forward.equilibria.settled(s) ? judge(std::span<const T>(&deltas[s * n], n),
                                                                 result.amplification[s], miss_[s])
                                                         : GradientOutcome::not_settled;
  }

  Pairs<T> pairs(const Forward<T>& forward, const std::vector<T>& deltas, std::span<const T> factors,
                 std::size_t) override {
    const Equilibria<T>& found = forward.equilibria;
    const T* states = without_left_out<T>(factors, found.neurons, 1, found.states.data(), states_used_);
    return {found.size(), deltas.data(), forward.gates.empty() ? states : passed(forward.gates, states)};
  }

 private:
  // m z: what the weights multiply
  const T* passed(const std::vector<T>& gates, const T* states) {
    states_passed_.resize(gates.size());
    std::transform(gates.begin(), gates.end(), states, states_passed_.begin(), std::multiplies<>());
    return states_passed_.data();
  }
  GradientOutcome judge(std::span<const T> delta, double amplification, double miss) const {
    return judged_adjoint({amplification, miss, all_finite(delta)}, options_.on_fold,
                          options_.amplification_limit, double(adjoint_trust<T>));
  }

  const GradientOptions& options_;
  CpuSettler<T>& settler_;
  std::vector<HeadRange> heads_;
  std::size_t slopes_a_sample_ = 0;
  std::vector<std::unique_ptr<ChunkAdjoint<T>>> adjoints_;
  std::vector<double> miss_;
  std::vector<T> states_used_, states_passed_;
};

}  // namespace

template <class T>
std::unique_ptr<GradientMethod<T>> make_equilibrium_method(const MethodContext<T>& context) {
  return std::make_unique<EquilibriumMethod<T>>(context);
}
template std::unique_ptr<GradientMethod<float>> make_equilibrium_method(const MethodContext<float>&);
template std::unique_ptr<GradientMethod<double>> make_equilibrium_method(const MethodContext<double>&);

}  // namespace irn
