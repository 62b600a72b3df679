// The first steps along dz/dt = G(z) = F(z) - z from the start: explicit and error-controlled, the pair of
// orders 3 and 2 of Bogacki and Shampine (Appl. Math. Lett. 2 (1989) 321); each lane has its own h.
//   k1 = G(z),  k2 = G(z + h/2 k1),  k3 = G(z + 3/4 h k2),  z+ = z + h (2 k1 + 3 k2 + 4 k3) / 9
//   k4 = G(z+), which is the next k1
//   error estimate  h (-5 k1 + 6 k2 + 8 k3 - 9 k4) / 72
// Away from rest accuracy keeps the steps short, not stability, and an explicit step takes three values of F
// where a linearly implicit one takes two, a factorisation and three solves. All samples take the same number
// of steps, so that whole groups of lanes go through together.
#if defined(IRN_EQUILIBRIUM_LAUNCH_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_LAUNCH_INL_H_
#undef IRN_EQUILIBRIUM_LAUNCH_INL_H_
#else
#define IRN_EQUILIBRIUM_LAUNCH_INL_H_
#endif

#include "irn/equilibrium/flow_error-inl.h"
#include "irn/equilibrium/judge-inl.h"

IRN_LANES_BEGIN

template <class V>
class Launch {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;

  template <class Options, class Memory>
  IRN_FN Launch(const Options& o, const Rules<T>& rules, Size n, Memory& memory)
      : n_(n),
        steps_(std::min(o.launch, o.steps)),
        start_(static_cast<T>(o.step)),
        share_(static_cast<T>(o.share)),
        flow_error_(static_cast<T>(o.error), rules),
        rules_(rules),
        k2_(memory.vectors(1, n)),
        k3_(memory.vectors(1, n)),
        stage_(memory.vectors(1, n)),
        value_(memory.vectors(1, n)) {}

  // Moves z and f = F(z); lanes that are at rest, or not finite, stay and are retired. Sets the length h of
  // the next step and the highest residuals, and returns the evaluations spent.
  template <class Map>
  IRN_FN V run(Map& map, V* z, V* f, V& h, V* highest) {
    V evaluations;
    for (std::size_t i = 0; i < remembered(rules_, n_); ++i) highest[i] = V();
    Mask busy = V() <= V();  // all
    h = V(start_);
    for (std::size_t step = 0; step < steps_; ++step) {
      const Distance<V> from_rest(z, f, n_, rules_, highest);
      const V residual = from_rest.residual;
      const Mask open = and_not(from_rest.at_rest, is_finite(residual));
      const Mask done = and_not(open, busy);
      if (!none<V>(done)) map.retire(bits_of<V>(done));
      busy = open;
      if (none<V>(open)) break;
      evaluations = evaluations + select(open, V(T(3)), V());
      const typename FlowError<V>::Estimate estimated = try_step(map, z, f, h);
      const V estimate = estimated.error();
      const V allowed = flow_error_.allowed(estimated.size(), V(share_) * residual);
      const Mask good = open & (estimate <= allowed);  // false where it is not finite
      const Size n = n_;
      const V *stage = stage_, *value = value_;
      for (std::size_t i = 0; i < n; ++i) {
        z[i] = select(good, stage[i], z[i]);
        f[i] = select(good, value[i], f[i]);
      }
      h = select(open, h * change_of_step(allowed, estimate), h);
    }
    return evaluations;
  }

 private:
  using Mask = typename V::Mask;

  // stage_ = z+, value_ = F(z+); returns the error estimate.
  template <class Map>
  IRN_FN typename FlowError<V>::Estimate try_step(Map& map, const V* z, const V* f, V h) {
    const V half = h * V(T(0.5)), three_quarters = h * V(T(0.75)), ninth = h * V(T(1) / 9),
            part = h * V(T(1) / 72);
    const Size n = n_;
    V *stage = stage_, *value = value_, *k2s = k2_, *k3s = k3_;
    for (std::size_t i = 0; i < n; ++i) stage[i] = mul_add(half, f[i] - z[i], z[i]);
    map.apply(stage, value);
    for (std::size_t i = 0; i < n; ++i) {
      const V k2 = value[i] - stage[i];
      k2s[i] = k2;
      stage[i] = mul_add(three_quarters, k2, z[i]);
    }
    map.apply(stage, value);
    for (std::size_t i = 0; i < n; ++i) {
      const V k3 = value[i] - stage[i];
      const V sum = mul_add(V(T(2)), f[i] - z[i], mul_add(V(T(3)), k2s[i], V(T(4)) * k3));
      k3s[i] = k3;
      stage[i] = mul_add(ninth, sum, z[i]);
    }
    map.apply(stage, value);
    typename FlowError<V>::Estimate estimate(flow_error_);
    for (std::size_t i = 0; i < n; ++i) {
      const V k1 = f[i] - z[i], k4 = value[i] - stage[i];
      const V sum = mul_add(V(T(-5)), k1, mul_add(V(T(6)), k2s[i], mul_add(V(T(8)), k3s[i], V(T(-9)) * k4)));
      estimate.add(z[i], part * sum);
    }
    estimate.finish();
    return estimate;
  }

  [[no_unique_address]] Size n_;
  std::size_t steps_;
  T start_, share_;
  FlowError<V> flow_error_;
  Rules<T> rules_;
  V *k2_, *k3_, *stage_, *value_;
};

IRN_LANES_END

#endif
