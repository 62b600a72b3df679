// Does an equilibrium attract? The flow dz/dt = F(z) - z comes to rest in z only if no eigenvalue of G = J - I has a
// positive real part. Newton's method, which ends a search, does not ask: it also finds the centre of a small cycle.
//
// The Cayley transform maps the left half of the plane into the unit circle and its right half outside:
//   C = (I + h G) (I - h G)^-1 = (2 / h) ((1 + 1/h) I - J)^-1 - I
// so one factorisation and a solve an iteration tell whether C^k v dies away or grows. Of the equilibria of trained networks
// nine in ten show a tenth of v within seven iterations; the few that do not are looked at again for longer.
#if defined(IRN_EQUILIBRIUM_ATTRACTION_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_ATTRACTION_INL_H_
#undef IRN_EQUILIBRIUM_ATTRACTION_INL_H_
#else
#define IRN_EQUILIBRIUM_ATTRACTION_INL_H_
#endif

#include "irn/equilibrium/step-inl.h"

IRN_LANES_BEGIN

template <class V>
class Attraction {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  using Mask = typename V::Mask;
  // Measured: |C| is smallest here over the equilibria of trained networks, whose eigenvalues lie about -1 and -1/2 +- i.
  static constexpr T length = T(0.7);
  static constexpr T gone = T(0.1);
  static constexpr int first_look = 8, second_look = 64;

  template <class Memory>
  IRN_FN Attraction(Size n, Memory& memory) : n_(n), v_(memory.vectors(1, n)), w_(memory.vectors(1, n)) {}

  // At the map's last linearisation: the lanes in which v dies away, within the first look,
  template <class Map>
  IRN_FN Mask at_first(Map& map) {
    start(map);
    Mask open = V() <= V();  // all; once gone, gone: how long the other lanes take must not matter
    for (int k = 0; k < first_look && !none<V>(open); ++k) open = and_not(iterate(map) <= V(gone), open);
    return and_not(open, V() <= V());
  }
  // or within the second, or at least falls from one quarter of it to the next: its size swings with a rotation, whose
  // half turn takes an iteration or a few.
  template <class Map>
  IRN_FN Mask at_last(Map& map) {
    start(map);
    constexpr int quarter = second_look / 4;
    V peaks[4];
    for (int k = 0; k < second_look; ++k) peaks[k / quarter] = larger_size(peaks[k / quarter], iterate(map));
    return (peaks[3] < peaks[2]) | (peaks[3] <= V(gone));
  }

 private:
  // Signs that look random, the same for every sample.
  template <class Map>
  IRN_FN void start(Map& map) {
    map.factor(V(T(1) + T(1) / length));
    for (std::size_t i = 0; i < n_; ++i) v_[i] = V(i * 0x9E3779B9u >> 7 & 1u ? T(1) : T(-1));
  }
  template <class Map>
  IRN_FN V iterate(Map& map) {
    const Size n = n_;
    V *v = v_, *w = w_;
    std::copy_n(v, n, w);
    map.solve(w);
    V size;
    for (std::size_t i = 0; i < n; ++i) {
      const V next = mul_add(V(T(2) / length), w[i], -v[i]);
      size = larger_size(size, next);
      v[i] = next;
    }
    return size;
  }

  [[no_unique_address]] Size n_;
  V *v_, *w_;
};

IRN_LANES_END

#endif
