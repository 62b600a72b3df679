// The one loop in which all solvers run: the judge judges (judge-inl.h), the step moves.
//
// Lanes are filled with waiting problems. Each round: residual, verdicts, one step for all lanes. A lane that
// is done hands out its state and verdict. The next waiting problem takes the lane as soon as the step is
// open to it: at once, or, for a step with a memory, when that memory has been filled. What a lane computes
// depends on its own problem only.
#if defined(IRN_EQUILIBRIUM_ROUNDS_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_ROUNDS_INL_H_
#undef IRN_EQUILIBRIUM_ROUNDS_INL_H_
#else
#define IRN_EQUILIBRIUM_ROUNDS_INL_H_
#endif

#include <span>

#include "irn/equilibrium/judge-inl.h"
#include "irn/equilibrium/step-inl.h"

IRN_LANES_BEGIN

template <class V, class Step>
class Rounds {
 public:
  using T = typename V::Scalar;
  using Size = typename V::Size;
  static constexpr std::size_t width = V::width;

  template <class Memory>
  IRN_FN Rounds(Step& step, Size n, const Rules<T>& rules, std::size_t step_limit, Memory& memory)
      : step_(step),
        n_(n),
        judge_(rules, Step::leaps, n, step_limit, step.patience(), memory),
        z_(memory.vectors(1, n)),
        f_(memory.vectors(1, n)) {}

  Rounds(const Rounds&) = delete;  // a copy would refer to the step of the original
  Rounds& operator=(const Rounds&) = delete;

  // Calls begin(placed, lanes, z, f, evaluations, highest), which loads problems into lanes of map, step, z
  // and f, with their evaluations and highest residuals so far (0 in a lane that begins), and end(lane,
  // problem, verdict, z) for each problem that is done, until all are.
  template <class Map, class Begin, class End>
  IRN_FN void run(Map& map, std::span<const std::size_t> problems, const Begin& begin, const End& end) {
    waiting_ = problems, active_ = 0;  // an exception may have left lanes busy
    for (;;) {
      if (active_ == 0) step_.restart();
      if (step_.open()) fill(begin);
      if (active_ == 0) break;
      const bool changed = judge(map, end);
      if (active_ == 0 || (changed && step_.open() && !waiting_.empty())) continue;
      advance(map);
    }
  }

 private:
  using Mask = typename V::Mask;

  template <class Begin>
  IRN_FN void fill(const Begin& begin) {
    Placed placed[width];
    std::size_t count = 0;
    unsigned begun = 0;
    for (unsigned free = all_lanes<V> & ~active_; free != 0 && count < waiting_.size(); free &= free - 1) {
      const auto lane = lowest_lane(free);
      placed[count] = {lane, waiting_[count]};
      problem_[lane] = waiting_[count++];
      begun |= 1u << lane;
    }
    if (count == 0) return;
    waiting_ = waiting_.subspan(count);
    active_ |= begun;
    const Mask lanes = mask_of<V>(begun);
    judge_.begin(lanes);
    begin(std::span<const Placed>(placed, count), lanes, z_, f_, evaluations_, judge_.highest());
  }

  // Lanes that are done leave; returns whether any did.
  template <class Map, class End>
  IRN_FN bool judge(Map& map, const End& end) {
    Mask open = judge_.look(z_, f_, n_);
    if constexpr (requires { step_.lost(judge_.residual()); })
      open = and_not(step_.lost(judge_.residual()), open);
    const Mask done = and_not(open, mask_of<V>(active_));
    if (none<V>(done)) return false;
    const auto bits = judge_.bits();
    const unsigned leaving = bits_of<V>(done);
    for_lanes(leaving, [&](std::size_t lane) {
      end(lane, problem_[lane], judge_.verdict(lane, bits, evaluations_.lane(lane)), z_);
    });
    map.retire(leaving);
    active_ &= ~leaving;
    return true;
  }

  template <class Map>
  IRN_FN void advance(Map& map) {
    judge_.count_step();
    evaluations_ = evaluations_ + step_.move(map, z_, f_, judge_.residual());
    map.apply(z_, f_);
  }

  V evaluations_;
  Step& step_;
  [[no_unique_address]] Size n_;
  Judge<V> judge_;
  V *z_, *f_;
  std::span<const std::size_t> waiting_;
  unsigned active_ = 0;
  std::size_t problem_[width] = {};
};

IRN_LANES_END

#endif
