// A solver from start to finish: the rounds of its step, and what comes before and after them.
//
// Where the solver begins with explicit steps (launch-inl.h), all problems go through these first, a group of lanes at a time,
// and wait in the states they have reached. From there some may take the shortcut (shortcut-inl.h); those that do not get there
// by it, and all others, go through the rounds.
//
// If the step follows the flow and has factors, what has settled is looked at again in the end: an equilibrium that
// repels is not where the flow comes to rest, unless it began there.
#if defined(IRN_EQUILIBRIUM_DRIVER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_DRIVER_INL_H_
#undef IRN_EQUILIBRIUM_DRIVER_INL_H_
#else
#define IRN_EQUILIBRIUM_DRIVER_INL_H_
#endif

#include <optional>
#include <vector>

#include "irn/equilibrium/attraction-inl.h"
#include "irn/equilibrium/launch-inl.h"
#include "irn/equilibrium/rounds-inl.h"
#include "irn/equilibrium/shortcut-inl.h"
#include "irn/kernels/rows_to_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// Where answers go: states row-major [problem][n], one verdict a problem.
template <class T>
struct Answers {
  T* states;
  Verdict* verdicts;
};

template <class V, class Options>
class Driver {
 public:
  using T = typename V::Scalar;
  using Step = typename StepOf<V, Options>::type;
  static constexpr std::size_t width = V::width;

  // For maps of n unknowns, `most` problems at a time at most.
  Driver(const Options& options, std::size_t n, T tolerance, std::size_t most)
      : n_(n),
        step_(options, n, arena_),
        rounds_(step_, n, tolerance, options.steps, arena_),
        attraction_(Step::follows_flow ? n : 0, arena_),
        examined_(Step::follows_flow ? arena_.vectors(1, n) : nullptr) {
    remaining_.reserve(most);
    if constexpr (Step::launches) {
      launch_.emplace(options, tolerance, n, arena_);
      launched_ = arena_.vectors((most + width - 1) / width, 2 * n + extras);
    }
    if constexpr (Step::takes_shortcut) {
      candidates_.reserve(most);
      if (options.shortcut > 0) shortcut_.emplace(options.shortcut, n, tolerance, arena_);
    }
  }

  // Solves problems 0 .. count - 1 of the map.
  void run(LaneMap<V>& map, std::size_t count, const Answers<T>& answers);

 private:
  using Mask = typename V::Mask;

  // What the launch leaves of a group of problems: z, f, and the length of the next step, evaluations, highest residual.
  static constexpr std::size_t extras = 3;
  V* launched(std::size_t group) { return launched_ + group * (2 * n_ + extras); }
  T& launched_evaluations(std::size_t problem) {
    return launched(problem / width)[2 * n_ + 1].lane(problem % width);
  }

  // Of every problem; candidates_ and remaining_ receive those that may take the shortcut and those that may not.
  void launch(std::size_t all) {
    for (std::size_t first = 0; first < all; first += width) {
      const std::size_t count = std::min(width, all - first);
      V *z = launched(first / width), *f = z + n_, *last = f + n_;
      map_->load_group(first, count, z, f);
      last[1] = V(T(1)) + launch_->run(*map_, z, f, last[0], last[2]);
      unsigned near = 0;
      if constexpr (Step::takes_shortcut)
        if (shortcut_) near = bits_of<V>(shortcut_->may_try(z, f, last[0], n_));
      for (std::size_t lane = 0; lane < count; ++lane)
        (near >> lane & 1u ? candidates_ : remaining_).push_back(first + lane);
      map_->retire(all_lanes<V>);
    }
  }

  // Takes problems up where the launch has left them.
  void resume(std::span<const Placed> placed, V* z, V* f, V& h, V& evaluations, V& highest) {
    map_->resume(placed);
    const V* from = launched_;
    const auto take = [&](V* to, std::size_t size) {
      copy_lanes<V>(from, 2 * n_ + extras, placed, to, size);
      from += size;
    };
    take(z, n_), take(f, n_), take(&h, 1), take(&evaluations, 1), take(&highest, 1);
  }

  void answer(std::size_t lane, std::size_t problem, const Verdict& verdict, const V* z) {
    answers_.verdicts[problem] = verdict;
    T* state = answers_.states + problem * n_;
    for (std::size_t i = 0; i < n_; ++i) state[i] = z[i].lane(lane);
  }

  void take_shortcut() {
    if constexpr (Step::takes_shortcut)
      shortcut_->rounds().run(
          *map_, candidates_,
          [&](std::span<const Placed> placed, Mask lanes, V* z, V* f, V& evaluations, V& highest) {
            V h;
            shortcut_->step().reset(lanes);
            resume(placed, z, f, h, evaluations, highest);
          },
          [&](std::size_t lane, std::size_t problem, const Verdict& verdict, const V* z) {
            if (verdict.outcome == Outcome::settled) return answer(lane, problem, verdict, z);
            launched_evaluations(problem) = static_cast<T>(verdict.evaluations);
            remaining_.push_back(problem);
          });
  }

  void run_rounds() {
    rounds_.run(
        *map_, remaining_,
        [&](std::span<const Placed> placed, Mask lanes, V* z, V* f, V& evaluations, V& highest) {
          if constexpr (Step::launches) {
            V h;
            resume(placed, z, f, h, evaluations, highest);
            step_.reset(lanes, h);
          } else {
            step_.reset(lanes);
            evaluations = select(lanes, V(T(1)), evaluations);
            map_->load(placed, z, f);
          }
        },
        [&](std::size_t lane, std::size_t problem, const Verdict& verdict, const V* z) {
          answer(lane, problem, verdict, z);
        });
  }

  // Problems that settled where the flow does not come to rest have no answer.
  void confirm(std::size_t count) {
    remaining_.clear();
    for (std::size_t p = 0; p < count; ++p)
      if (answers_.verdicts[p].outcome == Outcome::settled && answers_.verdicts[p].evaluations > 1)
        remaining_.push_back(p);
    look_again([&] { return attraction_.at_first(*map_); });
    look_again([&] { return attraction_.at_last(*map_); });
    for (const std::size_t p : remaining_) answers_.verdicts[p].outcome = Outcome::oscillates;
  }

  // Keeps of the remaining problems those that are not found to attract.
  template <class Look>
  void look_again(const Look& look) {
    std::size_t kept = 0;
    for (std::size_t first = 0; first < remaining_.size(); first += width) {
      const std::size_t count = std::min(width, remaining_.size() - first);
      const std::size_t* problem = remaining_.data() + first;
      kernels::rows_to_lanes<T>(answers_.states, n_, {problem, count}, width, &examined_[0].lane(0));
      map_->linearise_at(problem, count, examined_);
      const unsigned attracts = bits_of<V>(look());
      for (std::size_t lane = 0; lane < count; ++lane)
        if (!(attracts >> lane & 1u)) remaining_[kept++] = problem[lane];
    }
    remaining_.resize(kept);
  }

  Arena<V> arena_;
  std::size_t n_;
  Step step_;
  Rounds<V, Step> rounds_;
  std::optional<Launch<V>> launch_;
  V* launched_ = nullptr;
  std::optional<Shortcut<V>> shortcut_;
  Attraction<V> attraction_;
  V* examined_;
  // Problems still to be solved, and in the end those still to be confirmed.
  std::vector<std::size_t> remaining_;
  std::vector<std::size_t> candidates_;  // those that may take the shortcut
  LaneMap<V>* map_ = nullptr;
  Answers<T> answers_{};
};

// Not in the class: there it would be inline, and compiled by everybody who runs a driver (see drivers-inl.h).
template <class V, class Options>
void Driver<V, Options>::run(LaneMap<V>& map, std::size_t count, const Answers<T>& answers) {
  map_ = &map, answers_ = answers;
  remaining_.clear(), candidates_.clear();
  if constexpr (Step::launches) {
    launch(count);
  } else {
    for (std::size_t p = 0; p < count; ++p) remaining_.push_back(p);
  }
  if (shortcut_) take_shortcut();
  run_rounds();
  if constexpr (Step::follows_flow) confirm(count);
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
