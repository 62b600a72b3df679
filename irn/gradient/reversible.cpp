// The gradient of n steps of the reversible iteration (irn/equilibrium/reversible-inl.h), by running it
// backwards: v = dL/dz, w = dL/dy at the end; for every step, the last first, with D = f' at the point at
// which F was taken,
//     delta = damping D(y) v,   w += A^T delta,   v <- (1 - damping) v,   dA += delta y^T
//     delta = damping D(z) w,   v += A^T delta,   w <- (1 - damping) w,   dA += delta z^T
// It is exact for this iteration, and keeps the last states only. A sample that does not return to its start
// is left out.
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/gradient/reversible.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/equilibrium/arena.h"
#include "irn/equilibrium/iterate-inl.h"
#include "irn/gradient/chunk_reversible.h"
#include "irn/gradient/lane_rows-inl.h"
#include "irn/gradient/method.h"
#include "irn/network/network_map-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class V>
class ReversiblePass final : public ChunkReversible<typename V::Scalar> {
 public:
  using T = typename V::Scalar;
  ReversiblePass(const PackedNetwork<T>& network, const Reversible& options, double tolerance,
                 std::span<const HeadRange> heads)
      : network_(network),
        heads_(heads),
        n_(network.neurons()),
        tolerance_(static_cast<T>(tolerance)),
        damping_(static_cast<T>(options.damping)),
        rest_(static_cast<T>(1 - options.damping)),
        map_(network, V::width, false),
        iteration_(options, n_, arena_),
        start_(n_),
        value_(n_),
        v_(n_),
        w_(n_),
        total_(n_),
        delta_(n_),
        slopes_(n_) {}
  std::size_t width() const override { return V::width; }
  std::size_t end_size() const override { return iteration_.size(); }
  std::size_t carry_size() const override { return end_size() + 3 * n_ * V::width; }

  void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, const StartStates<T>& starts,
               T* states, Verdict* verdicts, double* end) override {
    map_.begin(samples, index, starts);
    iteration_.run(map_, 0, index.size());
    lanes_to_rows(iteration_.state(), index.size(), n_, states);
    judge_last<V>(iteration_, n_, Rules<T>{tolerance_}, index.size(), verdicts);
    iteration_.save(end);
  }

  void begin(const double* end, const T* slopes, std::size_t samples, double* carry) override {
    std::copy_n(end, end_size(), carry);
    slopes_to_lanes(slopes, samples, heads_, n_, v_.data());
    w_.fill(V()), total_.fill(V());
    keep(carry);
  }

  void back(const Samples<T>& inputs, std::span<const std::uint64_t> index, std::size_t steps,
            const PairRows<T>& pairs, double* carry) override {
    map_.begin(inputs, index);
    map_.load_group(0, index.size(), start_.data(), value_.data());
    take(carry);
    PairRows<T> rows = pairs;
    iteration_.run_back(map_, steps, [&](const V* point, const V* f, bool of_y) {
      of_y ? pass_back(f, v_.data(), w_.data()) : pass_back(f, w_.data(), v_.data());
      if (!rows.deltas) return;
      lanes_to_rows(delta_.data(), index.size(), n_, rows.deltas);
      lanes_to_rows(point, index.size(), n_, rows.sources);
      rows.deltas += rows.stride, rows.sources += rows.stride;
    });
    iteration_.save(carry);
    keep(carry);
  }

  void finish(const double* carry, const StartStates<T>& starts, std::size_t samples, T* deltas,
              double* errors) override {
    take(carry);
    lanes_to_rows(total_.data(), samples, n_, deltas);
    start_.fill(V());
    for (std::size_t s = 0; !starts.at_rest() && s < samples; ++s)
      for (std::size_t i = 0; i < n_; ++i) start_[i].lane(s) = starts.of(s)[i];
    for (std::size_t s = 0; s < samples; ++s) errors[s] = iteration_.error(start_.data(), s);
  }

 private:
  // delta = damping D u;  other += A^T delta;  u <- (1 - damping) u
  void pass_back(const V* f, V* u, V* other) {
    activate_rows<V, true>(network_.a, f, slopes_.data());
    for (std::size_t i = 0; i < n_; ++i) {
      delta_[i] = V(damping_) * (slopes_[i] * u[i]);
      total_[i] = total_[i] + delta_[i];
      u[i] = V(rest_) * u[i];
    }
    for (const RowGroup<T>& group : network_.a_transposed)
      multiply_group<V>(group, delta_.data(), other, other);
  }

  // Stores v, w and the sum of the deltas behind the pair of states. A double holds every float exactly.
  void keep(double* carry) const {
    double* to = carry + end_size();
    for (const auto* each : {&v_, &w_, &total_})
      for (std::size_t k = 0; k < n_ * V::width; ++k)
        *to++ = double((*each)[k / V::width].lane(k % V::width));
  }
  void take(const double* carry) {
    iteration_.load(carry);
    const double* from = carry + end_size();
    for (auto* each : {&v_, &w_, &total_})
      for (std::size_t k = 0; k < n_ * V::width; ++k)
        (*each)[k / V::width].lane(k % V::width) = static_cast<T>(*from++);
  }

  const PackedNetwork<T>& network_;
  std::span<const HeadRange> heads_;
  std::size_t n_;
  T tolerance_, damping_, rest_;
  NetworkMap<V> map_;
  Arena<V> arena_;
  ReversibleIteration<V> iteration_;
  AlignedBuffer<V> start_, value_, v_, w_, total_, delta_, slopes_;
};

ChunkReversible<float>* reversible_float(const PackedNetwork<float>& network, const Reversible& iteration,
                                         double tolerance, std::span<const HeadRange> heads) {
  return new ReversiblePass<Lanes<float>>(network, iteration, tolerance, heads);
}
ChunkReversible<double>* reversible_double(const PackedNetwork<double>& network, const Reversible& iteration,
                                           double tolerance, std::span<const HeadRange> heads) {
  return new ReversiblePass<Lanes<double>>(network, iteration, tolerance, heads);
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn {

HWY_EXPORT(reversible_float);
HWY_EXPORT(reversible_double);

template <>
std::unique_ptr<ChunkReversible<float>> make_chunk_reversible(const PackedNetwork<float>& network,
                                                              const Reversible& iteration, double tolerance,
                                                              std::span<const HeadRange> heads) {
  return std::unique_ptr<ChunkReversible<float>>(
      HWY_DYNAMIC_DISPATCH(reversible_float)(network, iteration, tolerance, heads));
}
template <>
std::unique_ptr<ChunkReversible<double>> make_chunk_reversible(const PackedNetwork<double>& network,
                                                               const Reversible& iteration, double tolerance,
                                                               std::span<const HeadRange> heads) {
  return std::unique_ptr<ChunkReversible<double>>(
      HWY_DYNAMIC_DISPATCH(reversible_double)(network, iteration, tolerance, heads));
}

namespace {

// The inputs of a forward pass as samples 0, 1, ...
template <class T>
class InputRows final : public Samples<T> {
 public:
  InputRows(const std::vector<T>& rows, std::size_t inputs) : rows_(rows), inputs_(inputs) {}
  std::size_t size() const override { return rows_.size() / inputs_; }
  std::size_t inputs() const override { return inputs_; }
  std::size_t targets() const override { return 0; }
  void inputs_as_lanes(std::span<const std::uint64_t> index, std::size_t width, T* out) const override {
    kernels::rows_to_lanes(rows_.data(), inputs_, index, width, out);
  }
  void inputs_as_rows(std::span<const std::uint64_t> index, T* out) const override {
    for (const std::uint64_t i : index) out = std::copy_n(rows_.data() + i * inputs_, inputs_, out);
  }
  void targets_as_rows(std::span<const std::uint64_t>, T*) const override {}

 private:
  const std::vector<T>& rows_;
  std::size_t inputs_;
};

template <class T>
class ReversibleMethod final : public GradientMethod<T> {
 public:
  ReversibleMethod(const MethodContext<T>& context, const ReversibleGradient& gradient)
      : settler_(context.settler),
        heads_(context.heads),
        n_(settler_.packed().neurons()),
        steps_(gradient.steps) {
    for (const HeadRange& head : heads_) slopes_a_sample_ += head.size;
    for (std::size_t w = 0; w < settler_.threads().size(); ++w)
      chunks_.push_back(make_chunk_reversible<T>(settler_.packed(), Reversible{steps_, gradient.damping},
                                                 settler_.tolerance(), heads_));
  }

  void forward(const Samples<T>& samples, std::span<const std::uint64_t> index, Forward<T>& out) override {
    const std::size_t batch = index.size(), end_size = chunks_[0]->end_size();
    out.equilibria.neurons = n_;
    out.equilibria.states.resize(batch * n_);
    out.equilibria.verdicts.resize(batch);
    out.ends.resize((batch + width() - 1) / width() * end_size);
    const StartStates<T> starts = out.start_states(batch);
    each_group(batch, [&](std::size_t first, std::size_t count, auto& chunk) {
      chunk.forward(samples, index.subspan(first, count), starts.from(first),
                    out.equilibria.states.data() + first * n_, out.equilibria.verdicts.data() + first,
                    out.ends.data() + first / width() * end_size);
    });
  }

  // The whole pass back. If the pairs are few, they are kept; otherwise pairs() goes back once more, a
  // stretch at a time.
  void backward(const Forward<T>& forward, std::span<const T> slopes, std::vector<T>& deltas,
                GradientResult<T>& result) override {
    const std::size_t batch = forward.size();
    slopes_ = slopes;
    errors_.resize(batch);
    index_.resize(batch);
    std::iota(index_.begin(), index_.end(), std::uint64_t{0});
    stretch_ = std::clamp<std::size_t>(pairs_kept / (2 * std::max<std::size_t>(batch, 1) * n_), 1, steps_);
    begin(forward);
    run_back(forward, steps_, slices() == 1);
    const StartStates<T> starts = forward.start_states(batch);
    each_group(batch, [&](std::size_t first, std::size_t count, auto& chunk) {
      chunk.finish(carry(first), starts.from(first), count, deltas.data() + first * n_,
                   errors_.data() + first);
    });
    for (std::size_t s = 0; s < batch; ++s)
      result.outcomes[s] =
          judge(forward.equilibria.answered(s), std::span<const T>(&deltas[s * n_], n_), errors_[s]);
  }

  std::size_t slices() const override { return (steps_ + stretch_ - 1) / stretch_; }
  Pairs<T> pairs(const Forward<T>& forward, const std::vector<T>&, std::span<const T> factors,
                 std::size_t slice) override {
    if (slices() > 1 && slice == 0) begin(forward);
    const std::size_t steps = std::min(stretch_, steps_ - slice * stretch_);
    if (slices() > 1) run_back(forward, steps, true);
    weigh_rows<T>(factors, n_, 2 * steps, pair_deltas_.data());
    return {2 * steps * forward.size(), pair_deltas_.data(),
            without_left_out<T>(factors, n_, 2 * steps, pair_sources_.data(), sources_used_)};
  }

 private:
  // How many numbers of pairs are kept at once.
  static constexpr std::size_t pairs_kept = std::size_t{1} << 20;
  // How far from its start an iteration may end when run backwards; the states on the way are no further off.
  static constexpr double most_error = sizeof(T) == 4 ? 1e-4 : 1e-9;

  std::size_t width() const { return chunks_[0]->width(); }
  double* carry(std::size_t first) { return carry_.data() + first / width() * chunks_[0]->carry_size(); }

  template <class Body>
  void each_group(std::size_t batch, const Body& body) {
    for_groups(settler_.threads(), batch, width(),
               [&](std::size_t first, std::size_t count, std::size_t worker) {
                 body(first, count, *chunks_[worker]);
               });
  }

  void begin(const Forward<T>& forward) {
    const std::size_t batch = forward.size();
    carry_.resize((batch + width() - 1) / width() * chunks_[0]->carry_size());
    each_group(batch, [&](std::size_t first, std::size_t count, auto& chunk) {
      chunk.begin(forward.ends.data() + first / width() * chunk.end_size(),
                  slopes_.data() + first * slopes_a_sample_, count, carry(first));
    });
  }

  void run_back(const Forward<T>& forward, std::size_t steps, bool keep_pairs) {
    const std::size_t batch = forward.size();
    const InputRows<T> inputs(forward.inputs, settler_.packed().architecture().inputs());
    if (keep_pairs) pair_deltas_.resize(2 * steps * batch * n_), pair_sources_.resize(2 * steps * batch * n_);
    each_group(batch, [&](std::size_t first, std::size_t count, auto& chunk) {
      PairRows<T> rows{.stride = batch * n_};
      if (keep_pairs)
        rows.deltas = pair_deltas_.data() + first * n_, rows.sources = pair_sources_.data() + first * n_;
      chunk.back(inputs, std::span<const std::uint64_t>(index_).subspan(first, count), steps, rows,
                 carry(first));
    });
  }

  static GradientOutcome judge(bool answered, std::span<const T> delta, double error) {
    if (!answered) return GradientOutcome::not_finite;
    if (!(error <= most_error)) return GradientOutcome::not_reversed;
    return all_finite(delta) ? GradientOutcome::used : GradientOutcome::not_finite;
  }

  CpuSettler<T>& settler_;
  std::vector<HeadRange> heads_;
  std::size_t n_, steps_, stretch_ = 1, slopes_a_sample_ = 0;
  std::vector<std::unique_ptr<ChunkReversible<T>>> chunks_;
  std::span<const T> slopes_;  // of the backward pass under way
  std::vector<std::uint64_t> index_;
  std::vector<double> errors_, carry_;
  std::vector<T> pair_deltas_, pair_sources_, sources_used_;
};

}  // namespace

template <class T>
std::unique_ptr<GradientMethod<T>> make_method(const MethodContext<T>& context,
                                               const ReversibleGradient& gradient) {
  return std::make_unique<ReversibleMethod<T>>(context, gradient);
}
template std::unique_ptr<GradientMethod<float>> make_method(const MethodContext<float>&,
                                                            const ReversibleGradient&);
template std::unique_ptr<GradientMethod<double>> make_method(const MethodContext<double>&,
                                                             const ReversibleGradient&);

}  // namespace irn
#endif
