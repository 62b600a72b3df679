// u = g + A^T D u by products with A^T D alone.
//
// Restarted GMRES gains in every cycle as long as its Krylov space reaches far enough. Most lanes need one
// cycle or two. Those that are not done after the usual number continue while they gain: a ring z_i = 0.99
// z_{i-1}, in which each product reaches one neuron further, takes 15 cycles in float, 41 in double.
#if defined(IRN_GRADIENT_KRYLOV_ADJOINT_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_GRADIENT_KRYLOV_ADJOINT_INL_H_
#undef IRN_GRADIENT_KRYLOV_ADJOINT_INL_H_
#else
#define IRN_GRADIENT_KRYLOV_ADJOINT_INL_H_
#endif

#include "irn/equilibrium/gmres-inl.h"
#include "irn/gradient/adjoint_trust.h"

IRN_LANES_BEGIN

template <class V>
class KrylovAdjointSolve {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  static constexpr std::size_t memory = 60;
  static constexpr int usual_cycles = 4, most_cycles = 100;

  template <class Memory>
  IRN_FN KrylovAdjointSolve(T accuracy, Size n, Memory& handed)
      : accuracy_(accuracy),
        n_(n),
        gmres_(memory, n, handed),
        rest_(handed.vectors(1, n)),
        step_(handed.vectors(1, n)) {}

  IRN_FN V products() const { return products_; }  // of the last solve, for each lane
  IRN_FN V miss() const { return miss_; }          // |g + A^T D u - u| / |g|

  // op(v, out): out = v - A^T D v. Each cycle solves for the residual of the one before. Lanes that are done
  // see a zero right side.
  template <class Op>
  IRN_FN void solve(Op& op, const V* g, V* u) {
    find_scale(g);
    for (std::size_t i = 0; i < n_; ++i) rest_[i] = scale_ * g[i], u[i] = V();
    const V size = sqrt(dot(rest_, rest_, n_));
    products_ = V();
    V left = size, before = size;
    Mask open = V() <= V();
    for (int cycle = 0; cycle < most_cycles; ++cycle) {
      open = open & (left > V(slack * accuracy_) * size);
      if (cycle == usual_cycles) open = open & (left > V(adjoint_trust<T>) * size);
      if (cycle > usual_cycles) open = open & (left <= V(gain) * before);
      if (none<V>(open)) break;
      before = left;
      left = select(open, run_cycle(op, g, u, open, V(accuracy_) * size / left), left);
    }
    miss_ = select(size > V(), left / size, V());
    const V back = V(T(1)) / scale_;
    for (std::size_t i = 0; i < n_; ++i) u[i] = back * u[i];
  }

 private:
  using Mask = typename V::Mask;
  // A lane gets another cycle only if its residual exceeds its aim by this factor: by rounding alone every
  // lane misses its aim a little.
  static constexpr T slack = T(4);
  // Beyond the usual cycles, another one follows only if the last left at most this share of the residual.
  static constexpr T gain = T(0.95);

  // A sample that is nearly right has a g whose squares underflow. It is solved as if g were larger by a
  // power of two, so that no bit changes.
  IRN_FN void find_scale(const V* g) {
    constexpr T small = T(0x1p-40), tiny = T(0x1p-90);
    V size;
    for (std::size_t i = 0; i < n_; ++i) size = larger_size(size, g[i]);
    size = largest_of_all(size);
    scale_ = select(size < V(small), select(size < V(tiny), V(T(0x1p110)), V(T(0x1p60))), V(T(1)));
  }

  // Adds one cycle's correction to u, solved to the accuracy `wanted`; returns the new residual.
  template <class Op>
  IRN_FN V run_cycle(Op& op, const V* g, V* u, const Mask& open, V wanted) {
    for (std::size_t i = 0; i < n_; ++i) rest_[i] = select(open, rest_[i], V());
    V reached;
    const V products = gmres_.solve(op, rest_, select(open, wanted, V(T(1))), step_, reached);
    products_ = products_ + products + select(open, V(T(1)), V());
    add_scaled(u, V(T(1)), step_, n_);
    op(u, rest_);
    for (std::size_t i = 0; i < n_; ++i) rest_[i] = scale_ * g[i] - rest_[i];
    return sqrt(dot(rest_, rest_, n_));
  }

  T accuracy_;
  [[no_unique_address]] Size n_;
  Gmres<V> gmres_;
  V *rest_, *step_, products_, miss_, scale_;
};

IRN_LANES_END

#endif
