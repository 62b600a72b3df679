// Does an equilibrium attract? The flow dz/dt = F(z) - z comes to rest in z only if every eigenvalue of
// G = J - I has a negative real part. Newton's method, which ends a search, cannot tell: it also finds
// saddles and the centres of small cycles.
//
// The Cayley transform maps the left half of the plane into the unit circle and its right half outside:
//   C = (I + h G) (I - h G)^-1 = (2 / h) ((1 + 1/h) I - J)^-1 - I
// so that C^k dies away or grows.
//   DenseAttraction    with factors: first C^k v for one v, k up to 12, which shows most equilibria of
//                      trained networks; then for the others C^2, C^4, ... as matrices, up to C^1024: a norm
//                      below 1 is a proof, up to rounding
//   KrylovAttraction   with products alone: the same powers of the small matrix H = Q^T J Q of an Arnoldi
//                      space, whose eigenvalues approach the outer ones of J. This is an estimate; a margin
//                      around the axis is left undecided
// What both leave undecided may be decided by eigenvalues (decide.h).
#if defined(IRN_EQUILIBRIUM_ATTRACTION_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_ATTRACTION_INL_H_
#undef IRN_EQUILIBRIUM_ATTRACTION_INL_H_
#else
#define IRN_EQUILIBRIUM_ATTRACTION_INL_H_
#endif

#include "irn/equilibrium/spread_powers-inl.h"
#include "irn/equilibrium/step-inl.h"
#include "irn/kernels/lu-inl.h"

IRN_LANES_BEGIN

// Measured: at this length |C| is smallest over the equilibria of trained networks, whose eigenvalues are
// near -1 and -1/2 +- i.
template <class T>
inline constexpr T cayley_length = T(0.7);

// The result of a look: the lanes that are decided, either way.
template <class V>
struct Looked {
  typename V::Mask attracts, repels;
  V products;  // spent in each lane
};

// Looks at the norms of C, C^2, C^4, ...; `square` computes the next one in the lanes that are still open.
template <class V, class Norm, class Square>
IRN_FN Looked<V> look_at_powers(const Norm& norm, const Square& square) {
  using T = typename V::Scalar;
  constexpr int squarings = 10;
  constexpr T gone = T(0.5), grown = T(1e4);
  Looked<V> found{V() < V(), V() < V(), V()};
  for (int k = 0;; ++k) {
    const V size = norm();
    found.attracts = found.attracts | and_not(found.repels, size <= V(gone));
    found.repels = found.repels | and_not(found.attracts, V(grown) <= size);
    const typename V::Mask open = and_not(found.attracts | found.repels, V() <= V());
    if (k == squarings || none<V>(open)) return found;
    square(open);
  }
}

// The powers C^2, C^4, ... of one matrix for each lane. `of_states`: its rows are unknowns of a state;
// otherwise it is small, and each thread has all of it.
template <class V, bool of_states>
class Powers {
 public:
  using T = typename V::Scalar;
  using Mask = typename V::Mask;

  template <class Memory>
  IRN_FN Powers(std::size_t n, Memory& memory) : c_(matrix(n, memory)), next_(matrix(n, memory)) {}

  // To be filled before look(), column by column: the n rows of this thread, and as many columns as there are
  // rows in all.
  IRN_FN V* columns() { return c_; }

  // Finds the lanes in which the powers decay and those in which they grow; the others are undecided. Only
  // the first `columns` columns count.
  IRN_FN Looked<V> look(std::size_t n, std::size_t columns) {
    return look_at_powers<V>([&] { return norm(n, columns); }, [&](Mask open) { square(n, columns, open); });
  }

 private:
  template <class Memory>
  IRN_FN static V* matrix(std::size_t n, Memory& memory) {
    if constexpr (of_states)
      return memory.vectors(columns_of(n), n);
    else
      return memory.scalars(n * n);
  }
  IRN_FN static std::size_t columns_of(std::size_t n) { return of_states ? unknowns<V>(n) : n; }
  IRN_FN static V entry(const V* column, std::size_t k) {
    if constexpr (of_states)
      return of_unknown(column, k);
    else
      return column[k];
  }

  // The largest row sum.
  IRN_FN V norm(std::size_t n, std::size_t columns) const {
    V most;
    for (std::size_t i = 0; i < n; ++i) {
      V sum;
      for (std::size_t j = 0; j < columns; ++j) sum = sum + abs(c_[j * n + i]);
      most = max(most, sum);
    }
    return of_states ? largest_of_all(most) : most;
  }
  IRN_FN void square(std::size_t n, std::size_t columns, Mask open) {
    for (std::size_t j = 0; j < columns; ++j) {
      V* column = next_ + j * n;
      for (std::size_t i = 0; i < n; ++i) column[i] = V();
      for (std::size_t k = 0; k < columns; ++k) add_scaled(column, entry(c_ + j * n, k), c_ + k * n, n);
    }
    for (std::size_t k = 0; k < columns * n; ++k)
      c_[k] = select(open, next_[k], V());  // lanes that are decided must not overflow
  }

  V *c_, *next_;
};

// Signs that look random, the same for every sample.
template <class V>
IRN_INLINE V start_sign(std::size_t i) {
  using T = typename V::Scalar;
  return V(i * 0x9E3779B9u >> 7 & 1u ? T(1) : T(-1));
}

template <class V>
class DenseAttraction {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  using Mask = typename V::Mask;
  static constexpr T length = cayley_length<T>;
  // A repelling direction with a share of less than `gone` in the first v is missed.
  static constexpr T gone = T(0.02);
  // 1 to 4 % of the equilibria of trained networks take more than 12 looks, none more than 48. Lanes of a
  // register can share the powers with other undecided lanes. For a thread, which is alone with its sample or
  // a part of it, each power costs as much as hundreds of looks.
  static constexpr int first_look = V::width == 1 ? 48 : 12;

  template <class Memory>
  IRN_FN DenseAttraction(Size n, Memory& memory)
      : n_(n),
        scale_(memory.vectors(1, n)),
        inverse_(memory.vectors(1, n)),
        v_(memory.vectors(1, n)),
        w_(memory.vectors(1, n)),
        powers_(n, memory) {}

  // Begins with state z, at which the map is linearised. Unknowns are measured relative to their own size, as
  // everywhere: a read-out with weights of a million would hide what its neurons do.
  IRN_FN void begin(const V* z, T floor) {
    for (std::size_t i = 0; i < n_; ++i) {
      scale_[i] = max(V(floor), abs(z[i]));
      inverse_[i] = V(T(1)) / scale_[i];
    }
  }
  // Finds, at the map's last linearisation, the lanes in which v decays soon.
  template <class Map>
  IRN_FN Looked<V> at_first(Map& map) {
    map.factor(V(T(1) + T(1) / length));
    for (std::size_t i = 0; i < n_; ++i) v_[i] = start_sign<V>(unknown<V>(i)) * scale_[i];
    // All lanes. A closed lane stays closed, so that it does not depend on how long the others take.
    Mask open = V() <= V();
    for (int k = 0; k < first_look && !none<V>(open); ++k) open = and_not(iterate(map) <= V(gone), open);
    return {and_not(open, V() <= V()), V() < V(), V()};
  }
  // Finds the lanes in which the powers of C decay, and those in which they grow.
  template <class Map>
  IRN_FN Looked<V> at_last(Map& map) {
    map.factor(V(T(1) + T(1) / length));
    V* c = powers_.columns();
    for (std::size_t j = 0; j < columns_of(map); ++j, c += n_) {
      for (std::size_t i = 0; i < n_; ++i) c[i] = unknown<V>(i) == j ? scale_[i] : V();
      map.solve(c);
      for (std::size_t i = 0; i < n_; ++i)
        c[i] = mul_add(V(T(2) / length), c[i] * inverse_[i], unknown<V>(i) == j ? V(T(-1)) : V());
    }
    return powers_.look(n_, columns_of(map));
  }
  // Powers up to C^(2^20), for lanes that are still undecided: they resolve rates down to about 1e-5, the
  // limit of float.
  template <class Map>
  IRN_FN Looked<V> beyond_last(const Map& map) {
    return powers_.look(n_, columns_of(map));
  }

 private:
  // Without padding, if the map knows about it.
  template <class Map>
  IRN_FN std::size_t columns_of(const Map& map) const {
    if constexpr (requires { map.unknowns_in_all(); })
      return map.unknowns_in_all();
    else
      return unknowns<V>(n_);
  }
  template <class Map>
  IRN_FN V iterate(Map& map) {
    const Size n = n_;
    V *v = v_, *w = w_;
    copy<V>(v, n, w);
    map.solve(w);
    V size;
    for (std::size_t i = 0; i < n; ++i) {
      const V next = mul_add(V(T(2) / length), w[i], -v[i]);
      size = larger_size(size, next * inverse_[i]);
      v[i] = next;
    }
    return largest_of_all(size);
  }

  [[no_unique_address]] Size n_;
  V *scale_, *inverse_, *v_, *w_;
  Powers<V, true> powers_;
};

// The entries of  shift I - H.
template <class V>
struct ShiftedHessenberg {
  const V* h;
  std::size_t n, stride;
  V shift;
  IRN_INLINE V operator()(std::size_t i, std::size_t j) const {
    return (i == j ? shift : V()) - (i <= j + 1 ? h[j * stride + i] : V());
  }
};

template <class V>
class KrylovAttraction {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  // How many products a look takes, and how far from the axis an estimate must be to count: `margin`, and a
  // share of the remainder |J q - Q H e_k| outside the space. With fewer products or a smaller share,
  // repelling equilibria of wild networks are mistaken for attracting ones (the test
  // Attraction.ProductsAloneTellWhatRepels).
  static constexpr std::size_t first_look = 8, second_look = 16;
  static constexpr T margin = T(0.02), first_share = T(0.5), second_share = T(0.25);

  template <class Memory>
  IRN_FN KrylovAttraction(Size n, Memory& memory)
      : n_(n),
        most_(unknowns<V>(n) < second_look ? unknowns<V>(n) : second_look),
        scale_(memory.vectors(1, n)),
        scaled_(memory.vectors(1, n)),
        basis_(memory.vectors(most_ + 1, n)),
        h_(memory.scalars(most_ * most_)),
        factors_(memory.scalars(shares_state<V> ? 0 : most_ * most_)),
        powers_(shares_state<V> ? 0 : most_, memory) {}

  // Begins with state z, at which the map is linearised.
  IRN_FN void begin(const V* z, T floor) {
    for (std::size_t i = 0; i < n_; ++i) scale_[i] = max(V(floor), abs(z[i]));
  }
  template <class Map>
  IRN_FN Looked<V> at_first(Map& map) {
    const std::size_t k = most_ < first_look ? most_ : first_look;
    const V rest = arnoldi(map, k);
    return {transformed(k, V(margin) + V(first_share) * rest).attracts, V() < V(), V(static_cast<T>(k))};
  }
  // Attracts: all eigenvalues of H - I are left of -margin. Repels: some are right of +margin.
  template <class Map>
  IRN_FN Looked<V> at_last(Map& map) {
    const V rest = arnoldi(map, most_), from_axis = V(margin) + V(second_share) * rest;
    const Looked<V> left = transformed(most_, from_axis), right = transformed(most_, -from_axis);
    return {left.attracts, right.repels, V(static_cast<T>(most_))};
  }

 private:
  // Q^T (S^-1 J S) Q = H by modified Gram-Schmidt, where S has the sizes of the unknowns. Returns the size of
  // the part of the last product outside the space.
  template <class Map>
  IRN_FN V arnoldi(Map& map, std::size_t k) {
    V rest;
    const V size = V(T(1)) / sqrt(V(static_cast<T>(unknowns<V>(n_))));
    for (std::size_t i = 0; i < n_; ++i) basis_[i] = start_sign<V>(unknown<V>(i)) * size;
    for (std::size_t j = 0; j < k; ++j) {
      V *v = basis_ + (j + 1) * n_, *column = h_ + j * most_;
      for (std::size_t i = 0; i < n_; ++i) scaled_[i] = scale_[i] * basis_[j * n_ + i];
      map.jacobian_times(scaled_, v);
      for (std::size_t i = 0; i < n_; ++i) v[i] = v[i] / scale_[i];
      for (std::size_t i = 0; i <= j; ++i) {
        column[i] = dot(basis_ + i * n_, v, n_);
        add_scaled(v, -column[i], basis_ + i * n_, n_);
      }
      rest = sqrt(dot(v, v, n_));
      if (j + 1 < k) column[j + 1] = rest;
      const V inverse = select(rest > V(std::numeric_limits<T>::min()), V(T(1)) / rest, V());
      for (std::size_t i = 0; i < n_; ++i) v[i] = v[i] * inverse;
    }
    return rest;
  }
  // The powers of the Cayley transform of H - I + from_axis I.
  IRN_FN Looked<V> transformed(std::size_t k, V from_axis) {
    if constexpr (shares_state<V>)
      return k <= first_look ? spread<first_look>(k, from_axis) : spread<second_look>(k, from_axis);
    else
      return whole(k, from_axis);
  }
  // The same, computed by one warp, if several threads share a state.
  template <std::size_t rows>
  IRN_NOINLINE Looked<V> spread(std::size_t k, V from_axis) {
    constexpr T length = cayley_length<T>;
    using Spread = SpreadPowers<V, rows>;
    const T found = V::Share::template by_some<T>([&] {
      Spread powers(h_, k, most_, T(1) + T(1) / length - from_axis.v, length);
      const auto looked = look_at_powers<typename Spread::W>([&] { return powers.norm(); },
                                                             [&](typename Spread::Mask) { powers.square(); });
      return looked.attracts.m ? T(1) : looked.repels.m ? T(-1) : T(0);
    });
    return {{found > T(0)}, {found < T(0)}, V()};
  }
  IRN_FN Looked<V> whole(std::size_t k, V from_axis) {
    constexpr T length = cayley_length<T>;
    const LaneMatrix<V> m{factors_, k};
    irn::IRN_LANES::factor(m, ShiftedHessenberg<V>{h_, k, most_, V(T(1) + T(1) / length) - from_axis});
    V* c = powers_.columns();
    for (std::size_t j = 0; j < k; ++j, c += k) {
      for (std::size_t i = 0; i < k; ++i) c[i] = i == j ? V(T(1)) : V();
      irn::IRN_LANES::solve<V, false>(m, c);
      for (std::size_t i = 0; i < k; ++i) c[i] = mul_add(V(T(2) / length), c[i], i == j ? V(T(-1)) : V());
    }
    return powers_.look(k, k);
  }

  [[no_unique_address]] Size n_;
  std::size_t most_;
  V *scale_, *scaled_, *basis_, *h_, *factors_;
  Powers<V, false> powers_;
};

// The kind of attraction test for a solver with these options.
template <class V, class Options>
struct AttractionOf {
  using Type = KrylovAttraction<V>;
};
template <class V, class Options>
  requires(Options::needs_factors)
struct AttractionOf<V, Options> {
  using Type = DenseAttraction<V>;
};

IRN_LANES_END

#endif
