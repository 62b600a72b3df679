// Does an equilibrium attract? The flow dz/dt = F(z) - z comes to rest in z only if no eigenvalue of G = J - I has a
// positive real part. Newton's method, which ends a search, does not ask: it also finds the centre of a small cycle.
//
// The Cayley transform maps the left half of the plane into the unit circle and its right half outside:
//   C = (I + h G) (I - h G)^-1 = (2 / h) ((1 + 1/h) I - J)^-1 - I
// so one factorisation and a solve an iteration tell whether C^k v dies away or grows. Of the equilibria of trained networks
// nine in ten show a tenth of v within seven iterations; the few that do not are looked at again for longer.
#if defined(IRN_EQUILIBRIUM_ATTRACTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_ATTRACTION_INL_H_
#undef IRN_EQUILIBRIUM_ATTRACTION_INL_H_
#else
#define IRN_EQUILIBRIUM_ATTRACTION_INL_H_
#endif

#include "irn/equilibrium/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class V>
class Attraction {
 public:
  using T = typename V::Scalar;
  using Mask = typename V::Mask;
  // Measured: |C| is smallest here over the equilibria of trained networks, whose eigenvalues lie about -1 and -1/2 +- i.
  static constexpr T length = T(0.7);
  static constexpr T gone = T(0.1);
  static constexpr int first_look = 8, second_look = 64;

  Attraction(std::size_t n, Arena<V>& arena) : n_(n), v_(arena.vectors(1, n)), w_(arena.vectors(1, n)) {}

  // At the map's last linearisation: the lanes in which v dies away, within the first look,
  Mask at_first(LaneMap<V>& map) {
    start(map);
    V size(T(1));
    for (int k = 0; k < first_look && !none<V>(size > V(gone)); ++k) size = iterate(map);
    return size <= V(gone);
  }
  // or within the second, or at least falls from one quarter of it to the next: its size swings with a rotation, whose
  // half turn takes an iteration or a few.
  Mask at_last(LaneMap<V>& map) {
    start(map);
    constexpr int quarter = second_look / 4;
    V peaks[4];
    for (int k = 0; k < second_look; ++k) peaks[k / quarter] = max(peaks[k / quarter], iterate(map));
    return peaks[3] < peaks[2];
  }

 private:
  // Signs that look random, the same for every sample.
  void start(LaneMap<V>& map) {
    map.factor(V(T(1) + T(1) / length));
    for (std::size_t i = 0; i < n_; ++i) v_[i] = V(i * 0x9E3779B9u >> 7 & 1u ? T(1) : T(-1));
  }
  V iterate(LaneMap<V>& map) {
    std::copy_n(v_, n_, w_);
    map.solve(w_);
    V size;
    for (std::size_t i = 0; i < n_; ++i) {
      v_[i] = mul_add(V(T(2) / length), w_[i], -v_[i]);
      size = max(size, size_of(v_[i]));
    }
    return size;
  }

  std::size_t n_;
  V *v_, *w_;
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
