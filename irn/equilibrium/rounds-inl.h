// The one loop that all solvers run in: it judges, the step moves.
//
// Lanes are filled with waiting problems. Each round: residual, verdicts, one step for all lanes. A lane that is done
// hands its state and verdict out, and the next waiting problem takes the lane as soon as the step is open to it: at once, or
// when a step with a memory has filled it. What a lane computes depends on its own problem only.
#if defined(IRN_EQUILIBRIUM_ROUNDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_ROUNDS_INL_H_
#undef IRN_EQUILIBRIUM_ROUNDS_INL_H_
#else
#define IRN_EQUILIBRIUM_ROUNDS_INL_H_
#endif

#include <span>

#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/step-inl.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

template <class V, class Step>
class Rounds {
 public:
  using T = typename V::Scalar;
  static constexpr std::size_t width = V::width;

  Rounds(Step& step, std::size_t n, T tolerance, std::size_t step_limit, Arena<V>& arena)
      : step_(step),
        n_(n),
        tolerance_(tolerance),
        step_limit_(static_cast<T>(step_limit)),
        z_(arena.vectors(1, n)),
        f_(arena.vectors(1, n)) {}

  Rounds(const Rounds&) = delete;  // moved with its step, it would refer to the old one
  Rounds& operator=(const Rounds&) = delete;

  // Calls begin(placed, lanes, z, f, evaluations, highest), which puts problems into lanes of map, step, z and f, with the evaluations
  // that they have taken so far and the highest residual they have had (0 in a lane that begins), and end(lane, problem, verdict, z) when one is done, until all are.
  template <class Begin, class End>
  void run(LaneMap<V>& map, std::span<const std::size_t> problems, const Begin& begin, const End& end) {
    waiting_ = problems, active_ = 0;  // an exception may have left lanes busy
    for (;;) {
      if (active_ == 0) step_.restart();
      if (step_.open()) fill(begin);
      if (active_ == 0) break;
      const V residual = judge(map, end);
      if (active_ == 0 || (changed_ && step_.open() && !waiting_.empty())) continue;
      advance(map, residual);
    }
  }

 private:
  using Mask = typename V::Mask;

  template <class Begin>
  void fill(const Begin& begin) {
    Placed placed[width];
    std::size_t count = 0;
    unsigned begun = 0;
    for (unsigned free = all_lanes<V> & ~active_; free != 0 && count < waiting_.size(); free &= free - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(free));
      placed[count] = {lane, waiting_[count]};
      problem_[lane] = waiting_[count++];
      begun |= 1u << lane;
    }
    if (count == 0) return;
    waiting_ = waiting_.subspan(count);
    active_ |= begun;
    const Mask lanes = mask_of<V>(begun);
    age_ = select(lanes, V(), age_);
    window_ = select(lanes, V(T(1)), window_);
    peak_ = select(lanes, V(), peak_);
    previous_peak_ = select(lanes, V(), previous_peak_);
    highest_ = select(lanes, V(), highest_);
    begin(std::span<const Placed>(placed, count), lanes, z_, f_, evaluations_, highest_);
  }

  // Residual of every lane; lanes that are done leave.
  template <class End>
  V judge(LaneMap<V>& map, const End& end) {
    const Distance<V> from_rest(z_, f_, n_);
    const V residual = from_rest.residual;
    const Mask finite = is_finite(residual);
    const Mask settled = Step::leaps ? finite & (residual <= V(tolerance_) * from_rest.size)
                                     : has_settled(from_rest, tolerance_, highest_);
    Mask open = and_not(settled, finite & (age_ < V(step_limit_)));
    if constexpr (requires { step_.lost(residual); }) open = and_not(step_.lost(residual), open);
    const Mask done = and_not(open, mask_of<V>(active_));
    changed_ = !none<V>(done);
    if (changed_) retire(map, bits_of<V>(done), bits_of<V>(settled), ~bits_of<V>(finite), residual, end);
    return residual;
  }

  template <class End>
  void retire(LaneMap<V>& map, unsigned done, unsigned settled, unsigned broken, const V& residual,
              const End& end) {
    for_lanes(done, [&](std::size_t lane) {
      const Outcome outcome = broken >> lane & 1u    ? Outcome::not_finite
                              : settled >> lane & 1u ? Outcome::settled
                              : still_falls(lane)    ? Outcome::step_limit
                                                     : Outcome::oscillates;
      const Verdict verdict{outcome, static_cast<std::uint32_t>(evaluations_.lane(lane)),
                            double(residual.lane(lane))};
      end(lane, problem_[lane], verdict, z_);
    });
    map.retire(done);
    active_ &= ~done;
  }

  // Peaks of the residual over windows of 1, 2, 4, ... steps: a slow approach lowers them from window to window, a
  // cycle does not. Before a few windows there is nothing to tell.
  bool still_falls(std::size_t lane) const {
    return window_.lane(lane) < T(16) || peak_.lane(lane) < T(0.95) * previous_peak_.lane(lane);
  }

  void advance(LaneMap<V>& map, V residual) {
    const Mask full = window_ <= age_;
    previous_peak_ = select(full, peak_, previous_peak_);
    peak_ = select(full, residual, max(peak_, residual));
    window_ = select(full, window_ + window_, window_);
    evaluations_ = evaluations_ + step_.move(map, z_, f_, residual);
    age_ = age_ + V(T(1));
    map.apply(z_, f_);
  }

  V age_, evaluations_, highest_, window_, peak_, previous_peak_;
  Step& step_;
  std::size_t n_;
  T tolerance_, step_limit_;
  V *z_, *f_;
  std::span<const std::size_t> waiting_;
  unsigned active_ = 0;
  bool changed_ = false;
  std::size_t problem_[width] = {};
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
