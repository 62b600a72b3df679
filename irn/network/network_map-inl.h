// F(z) = f(A z + drive),  drive = B x + b,  for one group of samples: a LaneMap (lane_map-inl.h).
//
// The drives of a group of samples are computed together, and so are the first values F(start). A lane that
// then takes a waiting sample costs copies, but no product.
//
// If samples have gates (data/samples.h), products with A read  m z  instead of z, each lane with its own m.
//
// A map in stages (stages.h) is that of the core alone: the outputs of the layers before it are a part of its
// drive, and finish() adds the layers before and behind it to an equilibrium.
#if defined(IRN_NETWORK_NETWORK_MAP_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_NETWORK_NETWORK_MAP_INL_H_
#undef IRN_NETWORK_NETWORK_MAP_INL_H_
#else
#define IRN_NETWORK_NETWORK_MAP_INL_H_
#endif

#include <algorithm>
#include <limits>
#include <span>

#include "irn/base/aligned.h"
#include "irn/base/error.h"
#include "irn/data/samples.h"
#include "irn/kernels/activation-inl.h"
#include "irn/kernels/lu-inl.h"
#include "irn/kernels/product-inl.h"
#include "irn/network/chain_product-inl.h"
#include "irn/network/lane_map-inl.h"
#include "irn/network/packed.h"
#include "irn/network/start_states.h"

IRN_LANES_BEGIN

// out = start + M v for the rows of one group.
template <class V>
IRN_INLINE void multiply_group(const RowGroup<typename V::Scalar>& group, const V* v, const V* start,
                               V* out) {
  multiply<V>(group.panels, v, start ? start + group.first : nullptr, out + group.first);
  for (const auto& chain : group.chains) add_chain<V>(chain, v, out + group.first);
}

template <class V, class F, bool slope>
IRN_INLINE void map_rows(const V* in, std::size_t rows, V* out) {
  for (std::size_t i = 0; i < rows; ++i) out[i] = slope ? F::slope(in[i]) : F::value(in[i]);
}

// For the rows of one group: out = f(in) or, if `slope`, f' at the point where f = in.
template <class V, bool slope>
IRN_NOINLINE void activate_group(const RowGroup<typename V::Scalar>& group, const V* in, V* out) {
  const std::size_t first = group.first, rows = group.panels.rows;
  switch (group.activation) {
    case Activation::sigmoid:
      return map_rows<V, Sigmoid<V>, slope>(in + first, rows, out + first);
    case Activation::tanh:
      return map_rows<V, Tanh<V>, slope>(in + first, rows, out + first);
    case Activation::relu:
      return map_rows<V, Relu<V>, slope>(in + first, rows, out + first);
    case Activation::softplus:
      return map_rows<V, Softplus<V>, slope>(in + first, rows, out + first);
    case Activation::identity:
      return map_rows<V, Identity<V>, slope>(in + first, rows, out + first);
  }
}

// The same for the rows of several groups, each with its own f.
template <class V, bool slope>
IRN_NOINLINE void activate_rows(const std::vector<RowGroup<typename V::Scalar>>& groups, const V* in,
                                V* out) {
  for (const auto& group : groups) activate_group<V, slope>(group, in, out);
}

// to = m v, for entries first .. end - 1
template <class V>
IRN_INLINE void pass_gates(const V* gates, const V* v, std::size_t first, std::size_t end, V* to) {
  for (std::size_t i = first; i < end; ++i) to[i] = gates[i] * v[i];
}

// Computes layers in order; each reads the new values of those before it: z or, with gates, passed = m z.
template <class V>
IRN_NOINLINE void sweep_rows(const std::vector<RowGroup<typename V::Scalar>>& groups, const V* drive, V* z,
                             const V* gates, V* passed) {
  for (const auto& group : groups) {
    multiply_group<V>(group, gates ? passed : z, drive, z);
    activate_group<V, false>(group, z, z);
    if (gates) pass_gates(gates, z, group.first, group.first + group.panels.rows, passed);
  }
}

// The entries of  shift I - D A  for the factorisation. Lanes have their own D and shift, but the same A.
template <class V>
struct ShiftedJacobian {
  const typename V::Scalar* a;
  const V* slopes;
  V shift;
  std::size_t n;
  IRN_INLINE V operator()(std::size_t i, std::size_t j) const {
    return neg_mul_add(slopes[i], V(a[i * n + j]), i == j ? shift : V());
  }
};
// Of  shift I - D A M,  M = diag(gates).
template <class V>
struct GatedJacobian {
  ShiftedJacobian<V> open;
  const V* gates;
  IRN_INLINE V operator()(std::size_t i, std::size_t j) const {
    return neg_mul_add(open.slopes[i] * gates[j], V(open.a[i * open.n + j]), i == j ? open.shift : V());
  }
};

// `gates` may be null.
template <class V>
IRN_NOINLINE void factor_shifted(LaneMatrix<V> m, const ShiftedJacobian<V>& source, const V* gates) {
  gates ? factor(m, GatedJacobian<V>{source, gates}) : factor(m, source);
}

template <class V>
class NetworkMap {
 public:
  using T = typename V::Scalar;
  static constexpr std::size_t width = V::width;

  // begin() takes at most `chunk` samples. `dense`: the Jacobian will be factored. `staged`: the map of the
  // core alone; the network must have packed stages.
  NetworkMap(const PackedNetwork<T>& network, std::size_t chunk, bool dense, bool staged = false)
      : network_(network),
        stages_(staged ? &*network.stages : nullptr),
        core_(staged ? stages_->core : network.a),
        first_(staged ? stages_->first : 0),
        n_(staged ? stages_->neurons : network.neurons()),
        groups_((chunk + width - 1) / width),
        inputs_(network.architecture().inputs()),
        drives_(groups_ * n_),
        first_values_(groups_ * n_),
        drive_(n_),
        slopes_(n_),
        factors_(dense ? n_ * n_ : 0),
        whole_(network.neurons()),
        kept_(staged ? groups_ * network.neurons() : 0) {
    if (dense && network.dense_a.empty())
      throw Error("a network whose Jacobian is to be factored was packed without dense_a");
  }

  // Samples index[0..] become problems 0, 1, ...; all arguments must stay alive until the last problem is
  // done.
  void begin(const Samples<T>& samples, std::span<const std::uint64_t> index,
             const StartStates<T>& starts = {}) {
    samples_ = &samples, index_ = index, starts_ = starts, driven_ = 0, expected_ = 0;
    if (!starts.at_rest() && first_states_.empty()) first_states_ = AlignedBuffer<V>(groups_ * n_);
    gated_ = samples.gates() != 0;
    if (gated_ && gates_.empty()) make_gates();
  }

  void load(std::span<const Placed> placed, V* z, V* f) {
    for (const Placed& p : placed) drive_up_to(p.problem / width);
    resume(placed);
    copy_lanes<V>(first_values_.data(), n_, placed, f, n_);
    if (!starts_.at_rest()) return copy_lanes<V>(first_states_.data(), n_, placed, z, n_);
    unsigned lanes = 0;
    for (const Placed& p : placed) lanes |= 1u << p.lane;
    const typename V::Mask begins = mask_of<V>(lanes);
    for (std::size_t i = 0; i < n_; ++i) z[i] = select(begins, V(), z[i]);
  }

  void load_group(std::size_t first, std::size_t, V* z, V* f) {
    drive_up_to(first / width);
    std::copy_n(drives_.data() + first / width * n_, n_, drive_.data());
    if (gated_) std::copy_n(gates_of(first / width) + first_, n_, gate_.data());
    std::copy_n(first_values_.data() + first / width * n_, n_, f);
    starts_.at_rest() ? std::fill_n(z, n_, V())
                      : std::copy_n(first_states_.data() + first / width * n_, n_, z);
  }

  void resume(std::span<const Placed> placed) {
    copy_lanes<V>(drives_.data(), n_, placed, drive_.data(), n_);
    if (gated_) copy_lanes<V>(gates_.data() + first_, whole_.size(), placed, gate_.data(), n_);
  }

  void retire(unsigned) {}

  void apply(const V* z, V* f) {
    expect_one();
    const V* read = passed(gate_.data(), z);
    for (const RowGroup<T>& g : core_) multiply_group<V>(g, read, drive_.data(), f);
    activate_rows<V, false>(core_, f, f);
  }

  // Without recurrence: one pass through the layers in order gives the exact answer.
  void sweep(std::size_t group, V* z) {
    drive_up_to(group);
    const V* drive = drives_.data() + group * n_;
    sweep_rows<V>(core_, drive, z, gated_ ? gates_of(group) : nullptr, passed_.data());
    void_broken_lanes(drive, n_, z);
  }

  // In stages: the whole states of a group of samples, row-major [sample][neuron], from those of the core.
  void finish(std::size_t group, std::size_t count, const T* core, T* states) {
    const std::size_t all = whole_.size(), behind = stages_->first + n_;
    const V* kept = kept_.data() + group * all;
    std::copy_n(kept, stages_->first, whole_.data());
    kernels::transpose(core, n_, count, n_, V::width, &whole_[stages_->first].lane(0));
    std::copy_n(kept + behind, all - behind, whole_.data() + behind);
    const V* gates = gated_ ? gates_of(group) : nullptr;
    if (gates) pass_gates<V>(gates, whole_.data(), 0, behind, passed_.data());
    sweep_rows<V>(stages_->behind, whole_.data(), whole_.data(), gates, passed_.data());
    kernels::transpose(&whole_[0].lane(0), V::width, all, count, all, states);
  }

  void linearise(const V*, const V* f) {
    activate_rows<V, true>(core_, f, slopes_.data());
    linear_gates_ = gate_.data();
  }

  void linearise_at(std::span<const std::size_t> problems, const V* z) {
    activate_rows<V, true>(core_, z, slopes_.data());  // z = F(z)
    if (!gated_) return;
    for (unsigned lane = 0; lane < problems.size(); ++lane) {
      const Placed placed{lane, problems[lane]};
      copy_lanes<V>(gates_.data() + first_, whole_.size(), {&placed, 1}, asked_gates_.data(), n_);
    }
    linear_gates_ = asked_gates_.data();
  }

  void jacobian_times(const V* v, V* out) {
    const V* read = passed(linear_gates_, v);
    for (const RowGroup<T>& g : core_) multiply_group<V>(g, read, nullptr, out);
    for (std::size_t i = 0; i < n_; ++i) out[i] = slopes_[i] * out[i];
  }

  void factor(const V& shift) {
    const ShiftedJacobian<V> source{network_.dense_a.data(), slopes_.data(), shift, n_};
    factor_shifted<V>(LaneMatrix<V>{factors_.data(), n_}, source, gated_ ? linear_gates_ : nullptr);
  }
  void solve(V* x) { irn::IRN_LANES::solve<V, false>(LaneMatrix<V>{factors_.data(), n_}, x); }
  V determinant_sign() { return irn::IRN_LANES::determinant_sign(LaneMatrix<V>{factors_.data(), n_}); }

 private:
  std::span<const std::uint64_t> samples_of(std::size_t group) const {
    const std::size_t first = std::min(group * width, index_.size());
    return index_.subspan(first, std::min(index_.size() - first, width));
  }

  // Prefetches the inputs of one sample of the next group while this group is computed. One sample for each
  // value of F: requests for all at once would wait for each other.
  void expect_one() {
    if (expected_ < driven_ * width) expected_ = driven_ * width;
    if (expected_ < std::min(index_.size(), (driven_ + 1) * width))
      samples_->expect(index_.subspan(expected_++, 1));
  }

  // Computes the drives and first values of groups up to this one, unless they exist.
  void drive_up_to(std::size_t group) {
    for (; driven_ <= group; ++driven_) {
      samples_->inputs_as_lanes(samples_of(driven_), width, &inputs_[0].lane(0));
      if (gated_) find_gates(driven_);
      V* drive = drives_.data() + driven_ * n_;
      stages_ ? drive_core(driven_, drive) : drive_all(drive);
      V* first_values = first_values_.data() + driven_ * n_;
      if (!starts_.at_rest()) start_group(driven_, first_states_.data() + driven_ * n_);
      if (!starts_.at_rest()) {
        const V* read =
            passed(gated_ ? gates_of(driven_) + first_ : nullptr, first_states_.data() + driven_ * n_);
        for (const RowGroup<T>& g : core_) multiply_group<V>(g, read, drive, first_values);
      }
      activate_rows<V, false>(core_, starts_.at_rest() ? drive : first_values, first_values);
      void_broken_lanes(drive, n_, first_values);
      if (stages_) void_broken_lanes(kept_.data() + driven_ * whole_.size(), whole_.size(), first_values);
    }
  }

  // drive = B x + b
  void drive_all(V* drive) const {
    for (std::size_t i = 0; i < whole_.size(); ++i) drive[i] = V(network_.bias[i]);
    for (const RowGroup<T>& b : network_.b) multiply_group<V>(b, inputs_.data(), drive, drive);
  }
  // The drive of the core, including the layers before it. Keeps the values of these layers and the drives of
  // those behind the core.
  void drive_core(std::size_t group, V* drive) {
    V* kept = kept_.data() + group * whole_.size();
    drive_all(kept);
    sweep_rows<V>(stages_->before, kept, kept, gated_ ? gates_of(group) : nullptr, passed_.data());
    std::copy_n(kept + stages_->first, n_, drive);
    for (const RowGroup<T>& g : stages_->into_core)
      multiply_group<V>(g, gated_ ? passed_.data() : kept, drive, drive);
  }

  // The vector that products with A read: v or, with gates, m v.
  const V* passed(const V* gates, const V* v) {
    if (!gated_) return v;
    pass_gates<V>(gates, v, 0, n_, passed_.data());
    return passed_.data();
  }
  const V* gates_of(std::size_t group) const { return gates_.data() + group * whole_.size(); }
  void make_gates() {
    gate_rows_ = AlignedBuffer<T>(width * whole_.size());
    gates_ = AlignedBuffer<V>(groups_ * whole_.size());
    passed_ = AlignedBuffer<V>(whole_.size());
    gate_ = AlignedBuffer<V>(n_), asked_gates_ = AlignedBuffer<V>(n_);
  }
  // Lanes without a sample have closed gates.
  void find_gates(std::size_t group) {
    const auto index = samples_of(group);
    const std::size_t n = whole_.size();
    V* gates = gates_.data() + group * n;
    std::fill_n(gates, n, V());
    samples_->gates_as_rows(index, gate_rows_.data());
    kernels::transpose(gate_rows_.data(), n, index.size(), n, width, &gates[0].lane(0));
  }

  // The start states of a group of samples as lanes; lanes without a sample start at rest.
  void start_group(std::size_t group, V* z) const {
    const std::size_t count = samples_of(group).size(), from = stages_ ? stages_->first : 0;
    for (std::size_t i = 0; i < n_; ++i) z[i] = V();
    for (std::size_t lane = 0; lane < count; ++lane)
      for (std::size_t i = 0; i < n_; ++i) z[i].lane(lane) = starts_.of(group * width + lane)[from + i];
  }

  // A sample with a drive that is not finite has no answer, even if f of it is a number: it becomes NaN.
  void void_broken_lanes(const V* drive, std::size_t count, V* values) const {
    V size;
    for (std::size_t i = 0; i < count; ++i) size = larger_size(size, drive[i]);
    const typename V::Mask whole = is_finite(size);
    if (none<V>(and_not(whole, V() <= V()))) return;
    const V nothing(std::numeric_limits<T>::quiet_NaN());
    for (std::size_t i = 0; i < n_; ++i) values[i] = select(whole, values[i], nothing);
  }

  const PackedNetwork<T>& network_;
  const PackedStages<T>* stages_;         // or null
  const std::vector<RowGroup<T>>& core_;  // A, or its part between the neurons that are searched
  const Samples<T>* samples_ = nullptr;
  std::span<const std::uint64_t> index_;
  StartStates<T> starts_;
  std::size_t driven_ = 0;          // groups that have drives
  std::size_t expected_ = 0;        // samples whose inputs have been asked for
  std::size_t first_, n_, groups_;  // neurons that are searched: n_ from first_ on; groups of samples
  AlignedBuffer<V> inputs_, drives_, first_values_, first_states_, drive_, slopes_, factors_;
  AlignedBuffer<V> whole_, kept_;  // of a map in stages
  // With gates. gates_: of all neurons, by group; gate_: of the samples in the lanes; asked_gates_: of those
  // in linearise_at(); passed_: v times its gates.
  bool gated_ = false;
  AlignedBuffer<T> gate_rows_;
  AlignedBuffer<V> gates_, gate_, asked_gates_, passed_;
  const V* linear_gates_ = nullptr;  // of the last linearisation
};

// Compiled in network_map.cpp.
#define IRN_NETWORK_MAP(V)                                                                                 \
  extern template void activate_rows<V, false>(const std::vector<RowGroup<typename V::Scalar>>&, const V*, \
                                               V*);                                                        \
  extern template void activate_rows<V, true>(const std::vector<RowGroup<typename V::Scalar>>&, const V*,  \
                                              V*);                                                         \
  extern template void sweep_rows<V>(const std::vector<RowGroup<typename V::Scalar>>&, const V*, V*,       \
                                     const V*, V*);                                                        \
  extern template void activate_group<V, false>(const RowGroup<typename V::Scalar>&, const V*, V*);        \
  extern template void factor_shifted<V>(LaneMatrix<V>, const ShiftedJacobian<V>&, const V*);              \
  extern template class NetworkMap<V>;
IRN_FOR_LANES(IRN_NETWORK_MAP)
#undef IRN_NETWORK_MAP

IRN_LANES_END

#endif
