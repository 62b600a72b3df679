// The gradient of n plain iterations from the start, by going back through all of them:
//   u_n = g,   delta_t = D_t u_t with D_t = f' at z_t,   u_{t-1} = A^T delta_t
//   dA = sum_t delta_t z_{t-1}^T
// Keeps every iterate. Knows nothing of equilibria.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/gradient/unrolled.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/equilibrium/arena.h"
#include "irn/equilibrium/iterate-inl.h"
#include "irn/gradient/chunk_unrolled.h"
#include "irn/gradient/lane_rows-inl.h"
#include "irn/base/memory.h"
#include "irn/gradient/method.h"
#include "irn/network/network_map-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class V>
class PlainUnrolled final : public ChunkUnrolled<typename V::Scalar> {
 public:
  using T = typename V::Scalar;
  PlainUnrolled(const PackedNetwork<T>& network, std::size_t steps, double tolerance,
                std::span<const HeadRange> heads)
      : network_(network),
        heads_(heads),
        n_(network.neurons()),
        steps_(steps),
        tolerance_(static_cast<T>(tolerance)),
        map_(network, V::width, false),
        iteration_(Iterate{steps}, n_, arena_),
        z_(n_),
        u_(n_),
        slopes_(n_),
        next_(n_) {}
  std::size_t width() const override { return V::width; }

  void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, const StartStates<T>& starts,
               T* visited, std::size_t step_stride, T* states, Verdict* verdicts) override {
    map_.begin(samples, index, starts);
    iteration_.run(map_, 0, index.size(), [&](std::size_t t, const V* z) {
      lanes_to_rows(z, index.size(), n_, visited + t * step_stride);
    });
    lanes_to_rows(iteration_.state(), index.size(), n_, states);
    judge_last<V>(iteration_, n_, Rules<T>{tolerance_}, index.size(), verdicts);
  }

  void backward(const AdjointTask<T>& task, const T* visited, std::size_t step_stride, T* deltas) override {
    slopes_to_lanes(task.slopes, task.samples, heads_, n_, u_.data());
    for (std::size_t t = steps_; t-- > 0;) {
      const T* after = t + 1 == steps_ ? task.states : visited + (t + 1) * step_stride;
      rows_to_lanes(after, task.samples, n_, z_.data());
      activate_rows<V, true>(network_.a, z_.data(), slopes_.data());
      for (std::size_t i = 0; i < n_; ++i) u_[i] = slopes_[i] * u_[i];
      lanes_to_rows(u_.data(), task.samples, n_, deltas + t * step_stride);
      for (const RowGroup<T>& group : network_.a_transposed)
        multiply_group<V>(group, u_.data(), nullptr, next_.data());
      std::swap(u_, next_);
    }
  }

 private:
  const PackedNetwork<T>& network_;
  std::span<const HeadRange> heads_;
  std::size_t n_, steps_;
  T tolerance_;
  NetworkMap<V> map_;
  Arena<V> arena_;
  PlainIteration<V> iteration_;
  AlignedBuffer<V> z_, u_, slopes_, next_;
};

ChunkUnrolled<float>* unrolled_float(const PackedNetwork<float>& network, std::size_t steps, double tolerance,
                                     std::span<const HeadRange> heads) {
  return new PlainUnrolled<Lanes<float>>(network, steps, tolerance, heads);
}
ChunkUnrolled<double>* unrolled_double(const PackedNetwork<double>& network, std::size_t steps,
                                       double tolerance, std::span<const HeadRange> heads) {
  return new PlainUnrolled<Lanes<double>>(network, steps, tolerance, heads);
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn {

HWY_EXPORT(unrolled_float);
HWY_EXPORT(unrolled_double);

template <>
std::unique_ptr<ChunkUnrolled<float>> make_chunk_unrolled(const PackedNetwork<float>& network,
                                                          std::size_t steps, double tolerance,
                                                          std::span<const HeadRange> heads) {
  return std::unique_ptr<ChunkUnrolled<float>>(
      HWY_DYNAMIC_DISPATCH(unrolled_float)(network, steps, tolerance, heads));
}
template <>
std::unique_ptr<ChunkUnrolled<double>> make_chunk_unrolled(const PackedNetwork<double>& network,
                                                           std::size_t steps, double tolerance,
                                                           std::span<const HeadRange> heads) {
  return std::unique_ptr<ChunkUnrolled<double>>(
      HWY_DYNAMIC_DISPATCH(unrolled_double)(network, steps, tolerance, heads));
}

namespace {

template <class T>
class UnrolledMethod final : public GradientMethod<T> {
 public:
  UnrolledMethod(const MethodContext<T>& context, const UnrolledGradient& gradient)
      : settler_(context.settler),
        heads_(context.heads),
        n_(settler_.packed().neurons()),
        steps_(gradient.steps) {
    for (const HeadRange& head : heads_) slopes_a_sample_ += head.size;
    for (std::size_t w = 0; w < settler_.threads().size(); ++w)
      chunks_.push_back(make_chunk_unrolled<T>(settler_.packed(), steps_, settler_.tolerance(), heads_));
  }

  void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, Forward<T>& out) override {
    const std::size_t batch = index.size();
    out.equilibria.neurons = n_;
    out.equilibria.states.resize(batch * n_);
    out.equilibria.verdicts.resize(batch);
    out.visited.resize(allocatable(steps_, batch * n_));
    const StartStates<T> starts = out.start_states(batch);
    for_groups(settler_.threads(), batch, chunks_[0]->width(),
               [&](std::size_t first, std::size_t count, std::size_t worker) {
                 chunks_[worker]->forward(samples, index.subspan(first, count), starts.from(first),
                                          out.visited.data() + first * n_, batch * n_,
                                          out.equilibria.states.data() + first * n_,
                                          out.equilibria.verdicts.data() + first);
               });
  }

  void backward(const Forward<T>& forward, std::span<const T> slopes, std::vector<T>& deltas,
                GradientResult<T>& result) override {
    const std::size_t batch = forward.size();
    step_deltas_.resize(allocatable(steps_, batch * n_));
    for_groups(settler_.threads(), batch, chunks_[0]->width(),
               [&](std::size_t first, std::size_t count, std::size_t worker) {
                 const AdjointTask<T> task{.samples = count,
                                           .states = forward.equilibria.states.data() + first * n_,
                                           .slopes = slopes.data() + first * slopes_a_sample_};
                 chunks_[worker]->backward(task, forward.visited.data() + first * n_, batch * n_,
                                           step_deltas_.data() + first * n_);
               });
    std::fill(deltas.begin(), deltas.end(), T(0));
    for (std::size_t t = 0; t < steps_; ++t)
      for (std::size_t k = 0; k < batch * n_; ++k) deltas[k] += step_deltas_[t * batch * n_ + k];
    for (std::size_t s = 0; s < batch; ++s) {
      const bool finite =
          forward.equilibria.answered(s) && all_finite(std::span<const T>(&deltas[s * n_], n_));
      result.outcomes[s] = finite ? GradientOutcome::used : GradientOutcome::not_finite;
    }
  }

  Pairs<T> pairs(const Forward<T>& forward, const std::vector<T>&, std::span<const T> factors,
                 std::size_t) override {
    weigh_rows<T>(factors, n_, steps_, step_deltas_.data());
    return {steps_ * forward.size(), step_deltas_.data(),
            without_left_out<T>(factors, n_, steps_, forward.visited.data(), visited_used_)};
  }

 private:
  CpuSettler<T>& settler_;
  std::vector<HeadRange> heads_;
  std::size_t n_, steps_, slopes_a_sample_ = 0;
  std::vector<std::unique_ptr<ChunkUnrolled<T>>> chunks_;
  std::vector<T> step_deltas_, visited_used_;
};

}  // namespace

template <class T>
std::unique_ptr<GradientMethod<T>> make_method(const MethodContext<T>& context,
                                               const UnrolledGradient& gradient) {
  return std::make_unique<UnrolledMethod<T>>(context, gradient);
}
template std::unique_ptr<GradientMethod<float>> make_method(const MethodContext<float>&,
                                                            const UnrolledGradient&);
template std::unique_ptr<GradientMethod<double>> make_method(const MethodContext<double>&,
                                                             const UnrolledGradient&);

}  // namespace irn
#endif
