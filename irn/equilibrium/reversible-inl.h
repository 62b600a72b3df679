// A pair of states that can be run forwards and backwards, with c = 1 - damping:
//   forwards    y+ = c y + damping F(z),        z+ = c z + damping F(y+)
//   backwards   z = (z+ - damping F(y+)) / c,   y = (y+ - damping F(z)) / c
//
// Every half step back multiplies what rounding lost by 1 / c: 2^30 for 30 steps with damping 1/2, more than a float has digits.
// So y and z are sums of two doubles, high and low, of 106 bits. F sees them rounded to the lanes' type: as long as the way
// back meets the same rounded states, it meets the same values of F, and the error grows by 1 / c and nothing else. Then the lanes
// see, to the bit, what they saw on the way there. How far it came back from the start it left, error() says.
#if defined(IRN_EQUILIBRIUM_REVERSIBLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_REVERSIBLE_INL_H_
#undef IRN_EQUILIBRIUM_REVERSIBLE_INL_H_
#else
#define IRN_EQUILIBRIUM_REVERSIBLE_INL_H_
#endif

#include <cmath>

#include "irn/equilibrium/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// high + low, to 106 bits (Dekker 1971). All in plain doubles, in an order that nothing may change.
struct LongNumber {
  double high, low;

  // Of |a| >= |b|, or both of any size: the sum, and exactly what it leaves out.
  static HWY_INLINE LongNumber quick_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
  }
  static HWY_INLINE LongNumber sum(double a, double b) {
    const double sum = a + b, part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
  }
  static HWY_INLINE LongNumber product(double a, double b) {
    constexpr double split = 134217729;  // 2^27 + 1 cuts 53 bits into halves
    const double p = a * b, sa = split * a, sb = split * b;
    const double a1 = sa - (sa - a), a2 = a - a1, b1 = sb - (sb - b), b2 = b - b1;
    return {p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
  }

  // c this + q
  HWY_INLINE LongNumber mixed(double c, double q) const {
    const LongNumber p = product(c, high), s = sum(p.high, q);
    return quick_sum(s.high, s.low + (p.low + c * low));
  }
  // (this - q) / c
  HWY_INLINE LongNumber unmixed(double c, double q) const {
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
  ReversibleIteration(const Reversible& options, std::size_t n)
      : steps_(options.steps),
        n_(n),
        damping_(options.damping),
        y_(n * V::width),
        z_(n * V::width),
        point_(n),
        f_(n) {}

  template <class Map>
  void run(Map& map, std::size_t first, std::size_t count) {
    map.load_group(first, count, point_.data(), f_.data());
    begin_ = Distance<V>(point_.data(), f_.data(), n_).residual;
    for (std::size_t k = 0; k < y_.size(); ++k) y_[k] = z_[k] = {double(value_at(point_, k)), 0.0};
    for (std::size_t t = 0; t < steps_; ++t) {
      mix(y_);
      look(map, y_);
      mix(z_);
      look(map, z_);
    }
  }

  // `steps` back. see(point, F(point), of_y) for every value of F on the way, the last first: of_y where it moved z.
  template <class Map, class See>
  void run_back(Map& map, std::size_t steps, const See& see) {
    for (std::size_t t = 0; t < steps; ++t) {
      look(map, y_);
      see(point_.data(), f_.data(), true);
      unmix(z_);
      look(map, z_);
      see(point_.data(), f_.data(), false);
      unmix(y_);
    }
  }

  // The largest difference of y and z from the start, in a lane; not a number where one is none.
  double error(const V* start, std::size_t lane) const {
    double most = 0;
    for (std::size_t k = lane; k < y_.size(); k += V::width) {
      const double from = double(start[k / V::width].lane(lane));
      for (const LongNumber& v : {y_[k], z_[k]}) {
        const double off = std::abs((v.high - from) + v.low);
        if (!(off <= most)) most = off;
      }
    }
    return most;
  }

  // y and z as 4 n numbers a lane.
  std::size_t size() const { return 2 * sizeof(LongNumber) / sizeof(double) * y_.size(); }
  void save(double* to) const {
    for (const auto* each : {&y_, &z_})
      for (const LongNumber& v : *each) *to++ = v.high, *to++ = v.low;
  }
  void load(const double* from) {
    for (auto* each : {&y_, &z_})
      for (LongNumber& v : *each) v.high = *from++, v.low = *from++;
  }

  const V* state() const { return point_.data(); }
  const V* value() const { return f_.data(); }  // F(state)
  V first_residual() const { return begin_; }
  std::size_t evaluations() const { return 2 * steps_ + 1; }

 private:
  using Long = AlignedBuffer<LongNumber>;
  static T value_at(const AlignedBuffer<V>& v, std::size_t k) { return v[k / V::width].lane(k % V::width); }
  // point = v, rounded; f = F(point)
  template <class Map>
  void look(Map& map, const Long& v) {
    for (std::size_t k = 0; k < v.size(); ++k)
      point_[k / V::width].lane(k % V::width) = static_cast<T>(v[k].high);
    map.apply(point_.data(), f_.data());
  }
  void mix(Long& v) const {
    for (std::size_t k = 0; k < v.size(); ++k)
      v[k] = v[k].mixed(1 - damping_, damping_ * double(value_at(f_, k)));
  }
  void unmix(Long& v) const {
    for (std::size_t k = 0; k < v.size(); ++k)
      v[k] = v[k].unmixed(1 - damping_, damping_ * double(value_at(f_, k)));
  }

  std::size_t steps_, n_;
  double damping_;
  Long y_, z_;
  AlignedBuffer<V> point_, f_;
  V begin_;
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
