// The adjoint equation of wide networks: compiles gradient/krylov_adjoint-inl.h for one sample that a warp or
// a block of threads shares.
#ifndef IRN_ENGINE_CUDA_ADJOINT_INL_H_
#define IRN_ENGINE_CUDA_ADJOINT_INL_H_

// Not everything is inlined: see wide_way-inl.h.
#define IRN_FN __host__ __device__
#define IRN_INLINE __host__ __device__ inline
#define IRN_NOINLINE __host__ __device__ __noinline__
#define IRN_UNROLL _Pragma("unroll")
#include "irn/engine/cuda/wide_memory-inl.h"
//
#include "irn/engine/cuda/adjoint.h"
#include "irn/engine/cuda/cluster_product-inl.h"
#include "irn/engine/cuda/cluster_work-inl.h"
#include "irn/engine/cuda/grid_work-inl.h"
#include "irn/engine/cuda/shared_state-inl.h"
#include "irn/engine/cuda/wide_map-inl.h"
#include "irn/gradient/krylov_adjoint-inl.h"

namespace irn::cuda {

// The memory that KrylovAdjointSolve asks for.
struct AdjointSizes {
  static constexpr std::size_t most = plain::KrylovAdjointSolve<plain::One<float>>::memory;
  static constexpr std::size_t vectors = most + 1 + 2, scalars = (most + 1) * most + 3 * most + 1;
};

// What becomes of a sample whose equation was solved, judged by the largest entries of g, u and D u.
struct SampleJudged {
  SampleGradient found;
  float factor;
};
template <class V>
__device__ SampleJudged judged_sample(V g, V u, V delta, V miss, V products, const AdjointGiven& given) {
  using T = typename V::Scalar;
  const V ratio = select(g > V(), u / g, V());
  const T nowhere = std::numeric_limits<T>::infinity(), nothing = std::numeric_limits<T>::quiet_NaN();
  const T amplification = is_finite(g).m ? is_finite(u).m ? ratio.v : nowhere : nothing;
  const AdjointFacts facts{double(amplification), double(miss.v), is_finite(delta).m};
  const GradientOutcome outcome =
      judged_adjoint(facts, given.on_fold, given.amplification_limit, double(adjoint_trust<T>));
  return {{facts.amplification, double(products.v), outcome},
          factor_of<T>(outcome, facts.amplification, given.amplification_limit)};
}

template <class V, class Product, std::size_t most = most_rows>
class SampleAdjoint {
 public:
  using T = typename V::Scalar;
  __device__ SampleAdjoint(const AdjointGiven& given, const AdjointMemory& memory, Product& product,
                           V* vectors, V* scalars)
      : given_(given),
        memory_(memory),
        product_(product),
        handed_(vectors, scalars),
        krylov_(given.accuracy, given.rows, handed_) {}

  __device__ void operator()(const V* v, V* out) {  // out = v - A^T D v
    V scaled[most];
    for (std::size_t r = 0; r < given_.rows; ++r) scaled[r] = slopes_[r] * v[r];
    product_.multiply(scaled, out, given_.rows);
    for (std::size_t r = 0; r < given_.rows; ++r) out[r] = v[r] - out[r];
  }

  __device__ void run(std::size_t s) {
    const Verdict verdict = memory_.verdicts[s];
    if (verdict.outcome != Outcome::settled) return leave_out(s, {1, 0, GradientOutcome::not_settled});
    load(s);
    krylov_.solve(*this, g_, u_);
    finish(s);
  }

 private:
  __device__ void load(std::size_t s) {
    const plain::MixedNeurons<V> kind(memory_.kinds);
    for (std::size_t r = 0; r < given_.rows; ++r) {
      const std::size_t i = plain::unknown<V>(r);
      const bool there = i < given_.neurons;
      z_[r] = there ? V(memory_.states[s * given_.neurons + i]) : V();
      // As in turn_off_neurons.
      if (memory_.kinds[i] == Activation::relu && z_[r].v <= given_.off_below) z_[r] = V();
      slopes_[r] = there ? kind.slope(i, z_[r]) : V();
      const int at = there ? memory_.slope_of[i] : -1;
      g_[r] = at < 0 ? V() : V(memory_.loss_slopes[s * given_.slopes + static_cast<std::size_t>(at)]);
    }
  }

  __device__ V largest(const V* v) const {
    V size;
    for (std::size_t r = 0; r < given_.rows; ++r) size = larger_size(size, v[r]);
    size = largest_of_all(size);
    return size + (size - size);
  }

  __device__ void finish(std::size_t s) {
    V delta[most];
    for (std::size_t r = 0; r < given_.rows; ++r) delta[r] = slopes_[r] * u_[r];
    const SampleJudged judged = judged_sample<V>(largest(g_), largest(u_), largest(delta), krylov_.miss(),
                                                 krylov_.products(), given_);
    const T factor = judged.factor;
    const T weight = memory_.weights ? memory_.weights[s] : T(1);
    if (factor == T(0) || weight == T(0)) return leave_out(s, judged.found);
    for (std::size_t r = 0; r < given_.rows; ++r) put(s, r, delta[r].v * factor * weight, z_[r].v);
    note(s, judged.found, factor * weight);
  }
  __device__ void leave_out(std::size_t s, const SampleGradient& found) {
    for (std::size_t r = 0; r < given_.rows; ++r) put(s, r, T(0), T(0));
    note(s, found, T(0));
  }
  __device__ void put(std::size_t s, std::size_t r, T delta, T z) {
    const std::size_t i = plain::unknown<V>(r), at = s * given_.neurons + i;
    if (i < given_.neurons) memory_.deltas[at] = delta, memory_.states_used[at] = z;
  }
  __device__ void note(std::size_t s, const SampleGradient& found, T factor) {
    if (V::Share::rank() == 0) memory_.found[s] = found, memory_.factors[s] = factor;
  }

  const AdjointGiven& given_;
  const AdjointMemory& memory_;
  Product& product_;
  WideMemory<V> handed_;
  plain::KrylovAdjointSolve<V> krylov_;
  V z_[most], g_[most], u_[most], slopes_[most];
};

// One block for each sample; all blocks compute a product together.
template <class Tile>
__global__ void __launch_bounds__(Tile::threads, 2)
    adjoint_in_grid(const __grid_constant__ AdjointGiven given, const __grid_constant__ AdjointMemory memory,
                    const __grid_constant__ GridMemory grid) {
  using V = plain::One<float, std::size_t, plain::BlockShare<Tile::threads>>;
  __shared__ __align__(16) float block[Tile::floats];
  GridProduct<V, Tile> product(memory.a_transposed, given.rows * Tile::threads, given.neurons, grid, block);
  V vectors[AdjointSizes::vectors * most_rows], scalars[AdjointSizes::scalars];
  for (std::size_t s = blockIdx.x; s < given.count; s += gridDim.x) {
    SampleAdjoint<V, decltype(product)> adjoint(given, memory, product, vectors, scalars);
    adjoint.run(s);
  }
  product.help_others();
}

}  // namespace irn::cuda

#endif
