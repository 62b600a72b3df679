// A pair of states that can be run forwards and backwards, with c = 1 - damping:
//   forwards    y+ = c y + damping F(z),        z+ = c z + damping F(y+)
//   backwards   z = (z+ - damping F(y+)) / c,   y = (y+ - damping F(z)) / c
//
// Every half step back multiplies rounding errors by 1 / c: by 2^30 for 30 steps with damping 1/2, more than
// a float has digits. So y and z are sums of two doubles, high and low, with 106 bits. F sees them rounded to
// the lanes' type: as long as the way back meets the same rounded states, it meets the same values of F, and
// the error grows only by 1 / c. Then the lanes see exactly what they saw on the way forwards. error() is the
// distance from the start after the way back.
#if defined(IRN_EQUILIBRIUM_REVERSIBLE_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_REVERSIBLE_INL_H_
#undef IRN_EQUILIBRIUM_REVERSIBLE_INL_H_
#else
#define IRN_EQUILIBRIUM_REVERSIBLE_INL_H_
#endif

#include <cmath>

#include "irn/equilibrium/judge-inl.h"
#include "irn/equilibrium/step-inl.h"

IRN_LANES_BEGIN

// high + low, to 106 bits (Dekker 1971). All in plain doubles, in an order that no optimisation may change.
struct LongNumber {
  double high, low;

  // The sum, and exactly its rounding error: quick_sum for |a| >= |b|, the other for any sizes.
  IRN_INLINE static LongNumber quick_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
  }
  IRN_INLINE static LongNumber sum(double a, double b) {
    const double sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
  }
  IRN_INLINE static LongNumber product(double a, double b) {
    constexpr double split = 134217729;  // 2^27 + 1 splits 53 bits into halves
    const double p = a * b, sa = split * a, sb = split * b;
    const double a1 = sa - (sa - a), a2 = a - a1, b1 = sb - (sb - b), b2 = b - b1;
    return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
  }

  // c * this + q
  IRN_INLINE LongNumber mixed(double c, double q) const {
    const LongNumber p = product(c, high), s = sum(p.high, q);
    return quick_sum(s.high, s.low + (p.low + c * low));
  }
  // (this - q) / c
  IRN_INLINE LongNumber unmixed(double c, double q) const {
    const LongNumber s = sum(high, -q), d = quick_sum(s.high, s.low + low);
    const double ratio = d.high / c;
    const LongNumber p = product(ratio, c);
    return quick_sum(ratio, (((d.high - p.high) - p.low) + d.low) / c);
  }
};

template <class V>
class ReversibleIteration {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  template <class Memory>
  IRN_FN ReversibleIteration(const Reversible& options, Size n, Memory& memory)
      : steps_(options.steps),
        n_(n),
        damping_(options.damping),
        y_(memory.template numbers<LongNumber>(n * V::width)),
        z_(memory.template numbers<LongNumber>(n * V::width)),
        point_(memory.vectors(1, n)),
        f_(memory.vectors(1, n)),
        first_(memory.vectors(1, n)) {}

  template <class Map>
  IRN_FN void run(Map& map, std::size_t first, std::size_t count) {
    map.load_group(first, count, point_, f_);
    for (std::size_t i = 0; i < n_; ++i) first_[i] = abs(f_[i] - point_[i]);
    for (std::size_t k = 0; k < n_ * V::width; ++k) y_[k] = z_[k] = {double(value_at(point_, k)), 0.0};
    for (std::size_t t = 0; t < steps_; ++t) {
      mix(y_);
      look(map, y_);
      mix(z_);
      look(map, z_);
    }
  }

  // Goes `steps` back. Calls see(point, F(point), of_y) for every value of F on the way, the last first; of_y
  // where it moved z.
  template <class Map, class See>
  IRN_FN void run_back(Map& map, std::size_t steps, const See& see) {
    for (std::size_t t = 0; t < steps; ++t) {
      look(map, y_);
      see(point_, f_, true);
      unmix(z_);
      look(map, z_);
      see(point_, f_, false);
      unmix(y_);
    }
  }

  // The largest difference of y and z from the start in a lane; NaN if one of them is NaN.
  IRN_FN double error(const V* start, std::size_t lane) const {
    double most = 0;
    for (std::size_t k = lane; k < n_ * V::width; k += V::width) {
      const double from = double(start[k / V::width].lane(lane));
      for (const LongNumber& v : {y_[k], z_[k]}) {
        const double off = std::abs((v.high - from) + v.low);
        if (!(off <= most)) most = off;
      }
    }
    return most;
  }

  // y and z, as 4 n numbers for each lane.
  IRN_FN std::size_t size() const { return 2 * sizeof(LongNumber) / sizeof(double) * (n_ * V::width); }
  IRN_FN void save(double* to) const {
    for (const LongNumber* each : {y_, z_})
      for (std::size_t k = 0; k < n_ * V::width; ++k) *to++ = each[k].high, *to++ = each[k].low;
  }
  IRN_FN void load(const double* from) {
    for (LongNumber* each : {y_, z_})
      for (std::size_t k = 0; k < n_ * V::width; ++k) each[k].high = *from++, each[k].low = *from++;
  }

  IRN_FN const V* state() const { return point_; }
  IRN_FN const V* value() const { return f_; }          // F(state)
  IRN_FN V* first_residuals() const { return first_; }  // |F(z) - z|_i at the start
  IRN_FN std::size_t evaluations() const { return 2 * steps_ + 1; }

 private:
  IRN_FN static T value_at(const V* v, std::size_t k) { return v[k / V::width].lane(k % V::width); }
  // point = v, rounded; f = F(point)
  template <class Map>
  IRN_FN void look(Map& map, const LongNumber* v) {
    for (std::size_t k = 0; k < n_ * V::width; ++k)
      point_[k / V::width].lane(k % V::width) = static_cast<T>(v[k].high);
    map.apply(point_, f_);
  }
  IRN_FN void mix(LongNumber* v) const {
    for (std::size_t k = 0; k < n_ * V::width; ++k)
      v[k] = v[k].mixed(1 - damping_, damping_ * double(value_at(f_, k)));
  }
  IRN_FN void unmix(LongNumber* v) const {
    for (std::size_t k = 0; k < n_ * V::width; ++k)
      v[k] = v[k].unmixed(1 - damping_, damping_ * double(value_at(f_, k)));
  }

  std::size_t steps_;
  [[no_unique_address]] Size n_;
  double damping_;
  LongNumber *y_, *z_;
  V *point_, *f_, *first_;
};

IRN_LANES_END

#endif
