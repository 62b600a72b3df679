#include "irn/gradient/chunk_adjoint.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "irn/gradient/chunk_adjoint.cpp"
#include "irn/kernels/targets.h"
// The order matters: Highway compiles this file once for each target from here.
#include "hwy/foreach_target.h"
// clang-format off
#include "hwy/highway.h"
#include "irn/kernels/highway_lanes-inl.h"
#include "irn/equilibrium/arena.h"
#include "irn/gradient/krylov_adjoint-inl.h"
#include "irn/gradient/lane_rows-inl.h"
#include "irn/network/network_map-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// What the adjoint solvers share: u = g + A^T D u over lanes; if samples have gates M, u = g + M A^T D u.
template <class V>
class AdjointBase : public ChunkAdjoint<typename V::Scalar> {
 public:
  using T = typename V::Scalar;
  static constexpr std::size_t lane_count = V::width;
  AdjointBase(const PackedNetwork<T>& network, std::span<const HeadRange> heads)
      : network_(network),
        heads_(heads),
        n_(network.neurons()),
        z_(n_),
        g_(n_),
        u_(n_),
        delta_(n_),
        slopes_(n_) {}
  std::size_t width() const override { return lane_count; }

  void solve(const AdjointTask<T>& task) override {
    rows_to_lanes(task.states, task.samples, n_, z_.data());
    slopes_to_lanes(task.slopes, task.samples, heads_, n_, g_.data());
    activate_rows<V, true>(network_.a, z_.data(), slopes_.data());
    find_gates(task);
    products_ = V(), miss_ = V();
    const auto regular = solve_lanes();
    scale_by_slopes(u_.data());
    lanes_to_rows(delta_.data(), task.samples, n_, task.deltas);
    const V g = largest(g_.data(), n_), u = largest(u_.data(), n_);
    const V ratio = select(g > V(), u / g, V());
    const V nowhere(std::numeric_limits<T>::infinity());
    const V found = select(regular & is_finite(u), ratio, nowhere);
    const V amplification = select(is_finite(g), found, V(std::numeric_limits<T>::quiet_NaN()));
    for (std::size_t s = 0; s < task.samples; ++s) {
      task.amplification[s] = double(amplification.lane(s));
      task.products[s] = double(products_.lane(s));
      task.miss[s] = double(miss_.lane(s));
    }
  }

 protected:
  // Computes u_ from g_ and slopes_; returns the lanes in which I - D A was not found singular.
  virtual typename V::Mask solve_lanes() = 0;
  static typename V::Mask all_regular() { return V() <= V(); }

  // out = start + A^T D v
  void add_transposed_product(const V* v, const V* start, V* out) {
    scale_by_slopes(v);
    for (const RowGroup<T>& group : network_.a_transposed) pass_back(group, gates_, start, out);
  }
  // out = start + M A^T delta, for the rows of the group; gates, start and out are indexed as in the group.
  void pass_back(const RowGroup<T>& group, const V* gates, const V* start, V* out) {
    if (!gates) return multiply_group<V>(group, delta_.data(), start, out);
    multiply_group<V>(group, delta_.data(), nullptr, passed_.data());
    for (std::size_t i = group.first; i < group.first + group.panels.rows; ++i)
      out[i] = mul_add(gates[i], passed_[i], start[i]);
  }
  // Computes u and delta for the layers from last to first; each adds what the later layers pass back.
  void sweep_back(const std::vector<RowGroup<T>>& groups) {
    for (std::size_t k = groups.size(); k-- > 0;) {
      pass_back(groups[k], gates_, g_.data(), u_.data());
      for (std::size_t i = groups[k].first; i < groups[k].first + groups[k].panels.rows; ++i)
        delta_[i] = slopes_[i] * u_[i];
    }
  }
  // delta = D v
  void scale_by_slopes(const V* v) {
    const std::size_t n = n_;
    const V* slopes = slopes_.data();
    V* delta = delta_.data();
    for (std::size_t i = 0; i < n; ++i) delta[i] = slopes[i] * v[i];
  }

  V products_, miss_;         // of the solvers by products
  const V* gates_ = nullptr;  // of all neurons, if the samples have gates
  const PackedNetwork<T>& network_;
  std::span<const HeadRange> heads_;
  std::size_t n_;
  AlignedBuffer<V> z_, g_, u_, delta_, slopes_;

 private:
  void find_gates(const AdjointTask<T>& task) {
    gates_ = nullptr;
    if (!task.gates) return;
    if (all_gates_.empty()) all_gates_ = AlignedBuffer<V>(n_), passed_ = AlignedBuffer<V>(n_);
    rows_to_lanes(task.gates, task.samples, n_, all_gates_.data());
    gates_ = all_gates_.data();
  }
  AlignedBuffer<V> all_gates_, passed_;
};

// By factors of I - D A, with one round of refinement. The factorisation does not pivot, so its answer is
// checked. If it is wrong, the matrix is singular to working accuracy.
//
// Tried and left: reusing the factors with which the search for the equilibrium ended, and refining. It saved
// one per cent of a step with 40 hidden neurons, nothing with 20, and made a sample's gradient depend on its
// batch.
template <class V>
class DenseAdjoint final : public AdjointBase<V> {
 public:
  using T = typename V::Scalar;
  DenseAdjoint(const PackedNetwork<T>& network, std::span<const HeadRange> heads)
      : AdjointBase<V>(network, heads), rest_(this->n_), factors_(this->n_ * this->n_) {}

 private:
  typename V::Mask solve_lanes() override {
    const std::size_t n = this->n_;
    V *u = this->u_.data(), *rest = rest_.data();
    const ShiftedJacobian<V> source{this->network_.dense_a.data(), this->slopes_.data(), V(T(1)), n};
    const LaneMatrix<V> m{factors_.data(), n};
    factor_shifted<V>(m, source, this->gates_);
    std::copy_n(this->g_.data(), n, u);
    irn::IRN_LANES::solve<V, true>(m, u);
    residual();
    irn::IRN_LANES::solve<V, true>(m, rest);
    add_scaled(u, V(T(1)), rest, n);
    return residual() <= V(adjoint_trust<T>) * scale();
  }

  V scale() const { return max(largest(this->u_.data(), this->n_), largest(this->g_.data(), this->n_)); }
  // rest = g + A^T D u - u, and its size.
  V residual() {
    const std::size_t n = this->n_;
    const V* u = this->u_.data();
    V *rest = rest_.data(), size;
    this->add_transposed_product(u, this->g_.data(), rest);
    for (std::size_t i = 0; i < n; ++i) {
      const V value = rest[i] - u[i];
      size = larger_size(size, value);
      rest[i] = value;
    }
    return size + (size - size);
  }
  AlignedBuffer<V> rest_, factors_;
};

// By products with A^T D alone (krylov_adjoint-inl.h). In stages (stages.h) only the core's part of u is
// found in a Krylov space. The part of the layers behind the core follows from g, the part of the layers
// before it from both, each by one sweep back.
template <class V>
class KrylovAdjoint final : public AdjointBase<V> {
 public:
  using T = typename V::Scalar;
  KrylovAdjoint(const PackedNetwork<T>& network, std::span<const HeadRange> heads, double tolerance)
      : AdjointBase<V>(network, heads),
        stages_(network.stages ? &*network.stages : nullptr),
        first_(stages_ ? stages_->first : 0),
        searched_(stages_ ? stages_->neurons : this->n_),
        krylov_(adjoint_accuracy<T>(tolerance), searched_, arena_),
        g_(arena_.vectors(1, searched_)) {}

  // out = v - M A^T D v, for the neurons that are searched
  void operator()(const V* v, V* out) {
    V* delta = this->delta_.data() + first_;
    const V* slopes = this->slopes_.data() + first_;
    for (std::size_t i = 0; i < searched_; ++i) delta[i] = slopes[i] * v[i];
    for (const RowGroup<T>& group : stages_ ? stages_->core_transposed : this->network_.a_transposed)
      multiply_group<V>(group, delta, nullptr, out);
    if (const V* gates = searched_gates())
      for (std::size_t i = 0; i < searched_; ++i) out[i] = neg_mul_add(gates[i], out[i], v[i]);
    else
      for (std::size_t i = 0; i < searched_; ++i) out[i] = v[i] - out[i];
  }

 private:
  typename V::Mask solve_lanes() override {
    if (stages_) this->sweep_back(stages_->behind_transposed);
    std::copy_n(this->AdjointBase<V>::g_.data() + first_, searched_, g_);
    if (stages_)
      for (const RowGroup<T>& group : stages_->core_from_behind)
        this->pass_back(group, searched_gates(), g_, g_);
    krylov_.solve(*this, g_, this->u_.data() + first_);
    this->products_ = krylov_.products(), this->miss_ = krylov_.miss();
    if (!stages_) return this->all_regular();
    this->scale_by_slopes(this->u_.data());
    this->sweep_back(stages_->before_transposed);
    return this->all_regular();
  }

  const V* searched_gates() const { return this->gates_ ? this->gates_ + first_ : nullptr; }

  const PackedStages<T>* stages_;  // or null
  std::size_t first_, searched_;   // neurons
  Arena<V> arena_;
  KrylovAdjointSolve<V> krylov_;
  V* g_;
};

// The forward blocks only: the layers from last to first; each adds what the later layers pass back.
template <class V>
class SweepAdjoint final : public AdjointBase<V> {
 public:
  using T = typename V::Scalar;
  using AdjointBase<V>::AdjointBase;

 private:
  typename V::Mask solve_lanes() override {
    this->sweep_back(this->network_.a_forward_transposed);
    return this->all_regular();
  }
};

// u = damping sum_{t < terms} ((1 - damping) I + damping A^T D)^t g
template <class V>
class SeriesAdjoint final : public AdjointBase<V> {
 public:
  using T = typename V::Scalar;
  SeriesAdjoint(const PackedNetwork<T>& network, std::span<const HeadRange> heads, const TruncatedGradient& o)
      : AdjointBase<V>(network, heads), options_(o), next_(this->n_) {}

 private:
  typename V::Mask solve_lanes() override {
    const V damping(static_cast<T>(options_.damping)), rest(static_cast<T>(1 - options_.damping));
    std::fill_n(this->u_.data(), this->n_, V());
    for (std::size_t t = 0; t < options_.terms; ++t) {
      this->add_transposed_product(this->u_.data(), this->g_.data(), next_.data());
      for (std::size_t i = 0; i < this->n_; ++i) this->u_[i] = mul_add(damping, next_[i], rest * this->u_[i]);
    }
    this->products_ = V(static_cast<T>(options_.terms));
    return this->all_regular();
  }
  TruncatedGradient options_;
  AlignedBuffer<V> next_;
};

template <class V>
class InputGradient final : public ChunkInputGradient<typename V::Scalar> {
 public:
  using T = typename V::Scalar;
  explicit InputGradient(const PackedNetwork<T>& network)
      : network_(network), delta_(network.neurons()), dx_(network.architecture().inputs()) {}
  std::size_t width() const override { return V::width; }

  void multiply(std::size_t samples, const T* deltas, T* out) override {
    rows_to_lanes(deltas, samples, delta_.size(), delta_.data());
    for (const RowGroup<T>& group : network_.b_transposed)
      multiply_group<V>(group, delta_.data(), nullptr, dx_.data());
    lanes_to_rows(dx_.data(), samples, dx_.size(), out);
  }

 private:
  const PackedNetwork<T>& network_;
  AlignedBuffer<V> delta_, dx_;
};

template <class T>
ChunkAdjoint<T>* make_adjoint(const PackedNetwork<T>& network, const Gradient& gradient,
                              std::span<const HeadRange> heads, double tolerance) {
  // One matrix for each lane: half registers halve the memory, and small batches waste fewer lanes.
  constexpr std::size_t half = half_lanes<T>;
  using Full = Lanes<T>;
  switch (adjoint_kind(network.architecture(), gradient)) {
    case AdjointKind::series:
      return new SeriesAdjoint<Full>(network, heads, std::get<TruncatedGradient>(gradient));
    case AdjointKind::sweep:
      return new SweepAdjoint<Full>(network, heads);
    case AdjointKind::krylov:
      return new KrylovAdjoint<Full>(network, heads, tolerance);
    case AdjointKind::dense:
      break;
  }
  return new DenseAdjoint<Lanes<T, half>>(network, heads);
}

ChunkAdjoint<float>* adjoint_float(const PackedNetwork<float>& network, const Gradient& gradient,
                                   std::span<const HeadRange> heads, double tolerance) {
  return make_adjoint<float>(network, gradient, heads, tolerance);
}
ChunkAdjoint<double>* adjoint_double(const PackedNetwork<double>& network, const Gradient& gradient,
                                     std::span<const HeadRange> heads, double tolerance) {
  return make_adjoint<double>(network, gradient, heads, tolerance);
}
ChunkInputGradient<float>* input_float(const PackedNetwork<float>& network) {
  return new InputGradient<Lanes<float>>(network);
}
ChunkInputGradient<double>* input_double(const PackedNetwork<double>& network) {
  return new InputGradient<Lanes<double>>(network);
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace irn {

AdjointKind adjoint_kind(const Architecture& architecture, const Gradient& gradient) {
  if (std::holds_alternative<TruncatedGradient>(gradient)) return AdjointKind::series;
  if (std::holds_alternative<SemiGradient>(gradient) || !architecture.recurrent()) return AdjointKind::sweep;
  // If blocks are not dense, a dense matrix is built only up to the size at which solvers build one, too.
  const std::size_t limit = architecture.dense() ? dense_adjoint_limit : dense_limit;
  return architecture.neurons() > limit ? AdjointKind::krylov : AdjointKind::dense;
}

HWY_EXPORT(adjoint_float);
HWY_EXPORT(adjoint_double);
HWY_EXPORT(input_float);
HWY_EXPORT(input_double);

template <>
std::unique_ptr<ChunkAdjoint<float>> make_chunk_adjoint(const PackedNetwork<float>& network,
                                                        const Gradient& gradient,
                                                        std::span<const HeadRange> heads, double tolerance) {
  return std::unique_ptr<ChunkAdjoint<float>>(
      HWY_DYNAMIC_DISPATCH(adjoint_float)(network, gradient, heads, tolerance));
}
template <>
std::unique_ptr<ChunkAdjoint<double>> make_chunk_adjoint(const PackedNetwork<double>& network,
                                                         const Gradient& gradient,
                                                         std::span<const HeadRange> heads, double tolerance) {
  return std::unique_ptr<ChunkAdjoint<double>>(
      HWY_DYNAMIC_DISPATCH(adjoint_double)(network, gradient, heads, tolerance));
}
template <>
std::unique_ptr<ChunkInputGradient<float>> make_chunk_input_gradient(const PackedNetwork<float>& network) {
  return std::unique_ptr<ChunkInputGradient<float>>(HWY_DYNAMIC_DISPATCH(input_float)(network));
}
template <>
std::unique_ptr<ChunkInputGradient<double>> make_chunk_input_gradient(const PackedNetwork<double>& network) {
  return std::unique_ptr<ChunkInputGradient<double>>(HWY_DYNAMIC_DISPATCH(input_double)(network));
}

}  // namespace irn
#endif
