// The phases of a search, which many problems go through together. A solver names its phases, in their order:
//
//   Launch        explicit steps along the flow (launch-inl.h) for all problems, a group of lanes at a time;
//                 problems wait where it ends
//   Shortcut      the rest of the way by Anderson acceleration (shortcut-inl.h), for problems that the launch
//                 has left near rest; the others, and those that it does not settle, wait where the launch
//                 has left them
//   Steps         the rounds of the solver's own step (rounds-inl.h) for all that still wait; every solver
//                 has them
//   Confirmation  whether a settled state attracts (attraction-inl.h): the flow does not come to rest at an
//                 equilibrium that repels
//   Iteration     instead of all these, a given number of steps (iterate-inl.h)
#if defined(IRN_EQUILIBRIUM_PHASES_INL_H_) == defined(IRN_LANES_TOGGLE)
#ifdef IRN_EQUILIBRIUM_PHASES_INL_H_
#undef IRN_EQUILIBRIUM_PHASES_INL_H_
#else
#define IRN_EQUILIBRIUM_PHASES_INL_H_
#endif

#include "irn/equilibrium/attraction-inl.h"
#include "irn/equilibrium/launch-inl.h"
#include "irn/equilibrium/rounds-inl.h"
#include "irn/equilibrium/shortcut-inl.h"

IRN_LANES_BEGIN

// The phases of a solver that has only its steps; the order is that of the list.
template <template <class V, class Options> class... Phase>
struct InOrder {
  template <class V, class Options>
  struct Of : Phase<V, Options>... {
    template <class Setting>
    IRN_FN explicit Of(const Setting& setting) : Phase<V, Options>(setting)... {}
    template <class Map, class Search>
    IRN_FN void run(Map& map, Search& search) {
      (static_cast<Phase<V, Options>&>(*this).run(map, search), ...);
    }
  };
};

// The arguments that every phase is made from.
template <class Options, class T, class Size, class Memory>
struct Setting {
  const Options& options;
  [[no_unique_address]] Size n;
  Rules<T> rules;
  std::size_t most;  // the most problems at a time
  Memory& memory;
};

// Numbers of problems, in memory for the largest count.
class ProblemList {
 public:
  IRN_FN explicit ProblemList(std::size_t* memory) : first_(memory) {}
  IRN_FN void clear() { size_ = 0; }
  IRN_FN void add(std::size_t problem) { first_[size_++] = problem; }
  IRN_FN std::size_t size() const { return size_; }
  IRN_FN std::size_t& operator[](std::size_t i) { return first_[i]; }
  IRN_FN void shrink(std::size_t size) { size_ = size; }
  IRN_FN std::span<const std::size_t> all() const { return {first_, size_}; }

 private:
  std::size_t* first_;
  std::size_t size_ = 0;
};

// Where problems wait after the launch: z, f, the length of the next step, evaluations, and the highest
// residuals that are kept.
template <class V>
struct Launched {
  V* data = nullptr;
  std::size_t n = 0, highest = 0;

  IRN_FN std::size_t stride() const { return 2 * n + 2 + highest; }
  IRN_FN V* group(std::size_t g) const { return data + g * stride(); }
  IRN_FN typename V::Scalar& evaluations(std::size_t problem) const {
    return group(problem / V::width)[2 * n + 1].lane(problem % V::width);
  }
  // Loads problems into lanes.
  template <class Map>
  IRN_FN void resume(Map& map, std::span<const Placed> placed, V* z, V* f, V& h, V& spent,
                     V* highest_of) const {
    map.resume(placed);
    const V* from = data;
    const auto take = [&](V* to, std::size_t size) {
      copy_lanes<V>(from, stride(), placed, to, size);
      from += size;
    };
    take(z, n), take(f, n), take(&h, 1), take(&spent, 1), take(highest_of, highest);
  }
};

// What the phases of one search pass on to each other.
template <class V>
struct Search {
  using T = typename V::Scalar;
  std::size_t count = 0;        // of problems
  T* states = nullptr;          // answers, row-major [problem][n]
  Verdict* verdicts = nullptr;  // one for each problem
  ProblemList waiting;          // problems still to be solved
  Launched<V> launched = {};    // where they wait, if there was a launch

  IRN_FN void answer(std::size_t lane, std::size_t problem, const Verdict& verdict, const V* z,
                     std::size_t n) const {
    verdicts[problem] = verdict;
    T* state = states + problem * n;
    for (std::size_t i = 0; i < n; ++i) state[i] = z[i].lane(lane);
  }
};

template <class V, class Options>
class LaunchPhase {
 public:
  using T = typename V::Scalar;
  template <class Setting>
  IRN_FN explicit LaunchPhase(const Setting& s)
      : n_(s.n),
        launch_(s.options, s.rules, s.n, s.memory),
        launched_{nullptr, s.n, remembered(s.rules, s.n)} {
    launched_.data = s.memory.vectors((s.most + V::width - 1) / V::width, launched_.stride());
  }

  template <class Map>
  IRN_FN void run(Map& map, Search<V>& search) {
    search.launched = launched_;
    for (std::size_t first = 0; first < search.count; first += V::width) {
      V *z = search.launched.group(first / V::width), *f = z + n_, *last = f + n_;
      map.load_group(first, std::min(std::size_t{V::width}, search.count - first), z, f);
      last[1] = V(T(1)) + launch_.run(map, z, f, last[0], last + 2);
      map.retire(all_lanes<V>);
    }
  }

 private:
  [[no_unique_address]] typename V::Size n_;
  Launch<V> launch_;
  Launched<V> launched_;
};

template <class V, class Options>
class ShortcutPhase {
 public:
  using T = typename V::Scalar;
  template <class Setting>
  IRN_FN explicit ShortcutPhase(const Setting& s)
      : n_(s.n),
        wanted_(s.options.shortcut > 0),
        shortcut_(s.options.shortcut, s.n, s.rules, s.memory),
        near_(s.memory.template numbers<std::size_t>(s.most)) {}

  template <class Map>
  IRN_FN void run(Map& map, Search<V>& search) {
    if (!wanted_) return;
    find_near(search);
    shortcut_.rounds().run(
        map, near_.all(),
        [&](std::span<const Placed> placed, typename V::Mask lanes, V* z, V* f, V& evaluations, V* highest) {
          V h;
          shortcut_.step().reset(lanes);
          search.launched.resume(map, placed, z, f, h, evaluations, highest);
        },
        [&](std::size_t lane, std::size_t problem, const Verdict& verdict, const V* z) {
          if (verdict.outcome == Outcome::settled) return search.answer(lane, problem, verdict, z, n_);
          search.launched.evaluations(problem) = static_cast<T>(verdict.evaluations);
          search.waiting.add(problem);
        });
  }

 private:
  // Moves the problems that may try it out of the waiting ones.
  IRN_FN void find_near(Search<V>& search) {
    near_.clear(), search.waiting.clear();
    for (std::size_t first = 0; first < search.count; first += V::width) {
      const V* z = search.launched.group(first / V::width);
      const unsigned near = bits_of<V>(shortcut_.may_try(z, z + n_, z[2 * n_], n_));
      for (std::size_t p = first; p < std::min(first + V::width, search.count); ++p)
        (near >> (p - first) & 1u ? near_ : search.waiting).add(p);
    }
  }

  [[no_unique_address]] typename V::Size n_;
  bool wanted_;
  Shortcut<V> shortcut_;
  ProblemList near_;
};

template <class V, class Options>
class StepsPhase {
 public:
  using T = typename V::Scalar;
  using Step = typename SolverOf<V, Options>::Step;
  template <class Setting>
  IRN_FN explicit StepsPhase(const Setting& s)
      : n_(s.n), step_(made(s)), rounds_(step_, s.n, s.rules, steps_left(s.options), s.memory) {}
  StepsPhase(const StepsPhase&) = delete;  // the rounds refer to the step
  StepsPhase& operator=(const StepsPhase&) = delete;

  template <class Map>
  IRN_FN void run(Map& map, Search<V>& search) {
    rounds_.run(
        map, search.waiting.all(),
        [&](std::span<const Placed> placed, typename V::Mask lanes, V* z, V* f, V& evaluations, V* highest) {
          if constexpr (requires(V h) { step_.reset(lanes, h); }) {
            V h;
            search.launched.resume(map, placed, z, f, h, evaluations, highest);
            step_.reset(lanes, h);
          } else {
            step_.reset(lanes);
            evaluations = select(lanes, V(T(1)), evaluations);
            map.load(placed, z, f);
          }
        },
        [&](std::size_t lane, std::size_t problem, const Verdict& verdict, const V* z) {
          search.answer(lane, problem, verdict, z, n_);
        });
  }

 private:
  template <class Setting>
  IRN_FN static Step made(const Setting& s) {
    if constexpr (requires { Step(s.options, s.rules, s.n, s.memory); })
      return Step(s.options, s.rules, s.n, s.memory);
    else
      return Step(s.options, s.n, s.memory);
  }
  // The launch counts as steps.
  IRN_FN static std::size_t steps_left(const Options& options) {
    if constexpr (requires { options.launch; })
      return options.steps - std::min(options.launch, options.steps);
    else
      return options.steps;
  }

  [[no_unique_address]] typename V::Size n_;
  Step step_;
  Rounds<V, Step> rounds_;
};

template <class V, class Options>
class ConfirmationPhase {
 public:
  template <class Setting>
  IRN_FN explicit ConfirmationPhase(const Setting& s)
      : n_(s.n),
        floor_(s.rules.floor),
        wanted_(s.rules.confirm),
        attraction_(wanted_ ? s.n : typename V::Size{}, s.memory),
        examined_(s.memory.vectors(1, s.n)) {}

  template <class Map>
  IRN_FN void run(Map& map, Search<V>& search) {
    if (!wanted_) return;
    ProblemList& doubtful = search.waiting;  // the list of waiting problems is free for reuse
    doubtful.clear();
    for (std::size_t p = 0; p < search.count; ++p)
      if (search.verdicts[p].outcome == Outcome::settled) doubtful.add(p);
    look_again(map, search, [&] { return attraction_.at_first(map); });
    look_again(map, search, [&] { return attraction_.at_last(map); });
  }

 private:
  // Keeps the problems that are still doubtful.
  template <class Map, class Look>
  IRN_FN void look_again(Map& map, Search<V>& search, const Look& look) {
    ProblemList& doubtful = search.waiting;
    std::size_t kept = 0;
    for (std::size_t first = 0; first < doubtful.size(); first += V::width) {
      const std::size_t count = std::min(std::size_t{V::width}, doubtful.size() - first);
      const std::span<const std::size_t> problems = doubtful.all().subspan(first, count);
      rows_to_lanes(search.states, n_, problems, examined_);
      map.linearise_at(problems, examined_);
      attraction_.begin(examined_, floor_);
      const Looked<V> found = look();
      const unsigned attracts = bits_of<V>(found.attracts), repels = bits_of<V>(found.repels);
      for (std::size_t lane = 0; lane < count; ++lane) {
        const std::size_t problem = problems[lane];
        Verdict& verdict = search.verdicts[problem];
        verdict.stability = attracts >> lane & 1u ? Stability::attracts
                            : repels >> lane & 1u ? Stability::repels
                                                  : Stability::undecided;
        verdict.outcome = judged({.at_rest = true, .stability = verdict.stability});
        verdict.evaluations += static_cast<std::uint32_t>(found.products.lane(lane));
        if (verdict.stability == Stability::undecided) doubtful[kept++] = problem;
      }
    }
    doubtful.shrink(kept);
  }

  [[no_unique_address]] typename V::Size n_;
  typename V::Scalar floor_;
  bool wanted_;
  typename AttractionOf<V, Options>::Type attraction_;
  V* examined_;
};

IRN_LANES_END

#endif
