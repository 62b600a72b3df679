// The one loop that all solvers run in: it judges, the step moves.
//
// Lanes are filled with waiting problems. Each round: residual, verdicts, one step for all lanes. A lane that is done
// hands its state and verdict out, and the next waiting problem takes the lane as soon as the step is open to it: at once, or
// when a step with a memory has filled it. What a lane computes depends on its own problem only.
//
// Where the solver begins with explicit steps (launch-inl.h), all problems go through these first, a group of lanes at a time,
// and wait in the states they have reached.
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

#include "irn/equilibrium/attraction-inl.h"
#include "irn/equilibrium/launch-inl.h"
#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/step-inl.h"

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
        tolerance_(tolerance),
        step_limit_(static_cast<T>(options.steps)),
        z_(arena_.vectors(1, n)),
        f_(arena_.vectors(1, n)),
        step_(options, n, arena_),
        attraction_(Step::follows_flow ? n : 0, arena_) {
    if (Step::follows_flow) doubtful_.reserve(most);
    if constexpr (Step::launches) {
      launch_.emplace(options, tolerance, n, arena_);
      launched_ = arena_.vectors((most + width - 1) / width, 2 * n + 2);
    }
  }

  // Solves problems 0 .. count - 1 of the map.
  void run(LaneMap<V>& map, std::size_t count, const Answers<T>& answers);

 private:
  using Mask = typename V::Mask;
  using Offset = hn::TFromD<hn::RebindToSigned<typename V::Tag>>;

  // What the launch leaves of a group of problems: z, f, the length of the next step, evaluations.
  V* launched(std::size_t group) { return launched_ + group * (2 * n_ + 2); }

  void launch() {
    for (std::size_t first = 0; first < count_; first += width) {
      const std::size_t count = std::min(width, count_ - first);
      V *z = launched(first / width), *f = z + n_, *last = f + n_;
      map_->load_group(first, count, z, f);
      last[1] = V(T(1)) + launch_->run(*map_, z, f, last[0]);
      for (std::size_t lane = 0; lane < count; ++lane) map_->retire(lane);
    }
  }

  // Starts the waiting problem in a lane, or takes it up where the launch left it.
  void begin(std::size_t lane) {
    if constexpr (Step::launches) {
      map_->resume(lane, waiting_);
      const V* from = launched(waiting_ / width);
      const std::size_t kept = waiting_ % width;
      copy_lane(from, kept, only<V>(lane), z_, n_);
      copy_lane(from + n_, kept, only<V>(lane), f_, n_);
      step_.reset(lane, from[2 * n_].lane(kept));
      evaluations_.lane(lane) = from[2 * n_ + 1].lane(kept);
    } else {
      map_->load(lane, waiting_, z_, f_);
      step_.reset(lane);
      evaluations_.lane(lane) = 1;
    }
  }

  void fill() {
    for (std::size_t lane = 0; lane < width && waiting_ < count_; ++lane) {
      if (active_ >> lane & 1u) continue;
      begin(lane);
      problem_[lane] = waiting_++;
      age_.lane(lane) = 0;
      window_.lane(lane) = 1, peak_.lane(lane) = 0, previous_peak_.lane(lane) = 0;
      active_ |= 1u << lane, busy_.lane(lane) = 1;
    }
  }

  // Residual of every lane; lanes that are done leave.
  V judge() {
    V residual, size(T(1));
    Mask finite = is_finite(residual);
    for (std::size_t i = 0; i < n_; ++i) {
      const V r = abs(f_[i] - z_[i]);
      residual = max(residual, r);
      size = max(size, abs(z_[i]));
      finite = finite & is_finite(r);
    }
    const Mask settled = finite & (residual <= V(tolerance_) * size);
    const Mask open = and_not(settled, finite & (age_ < V(step_limit_)));
    const Mask done = and_not(open, busy_ > V());
    changed_ = !none<V>(done);
    if (changed_) retire(bits_of<V>(done), bits_of<V>(settled), ~bits_of<V>(finite), residual);
    return residual;
  }

  void retire(unsigned done, unsigned settled, unsigned broken, const V& residual) {
    for (std::size_t lane = 0; lane < width; ++lane) {
      if (!(done >> lane & 1u)) continue;
      const Outcome outcome = broken >> lane & 1u    ? Outcome::not_finite
                              : settled >> lane & 1u ? Outcome::settled
                              : still_falls(lane)    ? Outcome::step_limit
                                                     : Outcome::oscillates;
      answers_.verdicts[problem_[lane]] = {outcome, static_cast<std::uint32_t>(evaluations_.lane(lane)),
                                           double(residual.lane(lane))};
      T* state = answers_.states + problem_[lane] * n_;
      for (std::size_t i = 0; i < n_; ++i) state[i] = z_[i].lane(lane);
      map_->retire(lane);
      busy_.lane(lane) = 0;
    }
    active_ &= ~done;
  }

  // Peaks of the residual over windows of 1, 2, 4, ... steps: a slow approach lowers them from window to window, a
  // cycle does not. Before a few windows there is nothing to tell.
  bool still_falls(std::size_t lane) const {
    return window_.lane(lane) < T(16) || peak_.lane(lane) < T(0.95) * previous_peak_.lane(lane);
  }

  void advance(V residual) {
    const Mask full = window_ <= age_;
    previous_peak_ = select(full, peak_, previous_peak_);
    peak_ = select(full, residual, max(peak_, residual));
    window_ = select(full, window_ + window_, window_);
    evaluations_ = evaluations_ + step_.move(*map_, z_, f_, residual);
    age_ = age_ + V(T(1));
    map_->apply(z_, f_);
  }

  // Problems that settled where the flow does not come to rest have no answer.
  void confirm() {
    doubtful_.clear();
    for (std::size_t p = 0; p < count_; ++p)
      if (answers_.verdicts[p].outcome == Outcome::settled && answers_.verdicts[p].evaluations > 1)
        doubtful_.push_back(p);
    look_again([&] { return attraction_.at_first(*map_); });
    look_again([&] { return attraction_.at_last(*map_); });
    for (const std::size_t p : doubtful_) answers_.verdicts[p].outcome = Outcome::oscillates;
  }

  // Keeps those of the doubtful problems that are not found to attract.
  template <class Look>
  void look_again(const Look& look) {
    std::size_t kept = 0;
    for (std::size_t first = 0; first < doubtful_.size(); first += width) {
      const std::size_t count = std::min(width, doubtful_.size() - first);
      const std::size_t* problem = doubtful_.data() + first;
      Offset row[width] = {};
      for (std::size_t lane = 0; lane < count; ++lane) row[lane] = static_cast<Offset>(problem[lane] * n_);
      gather_rows(answers_.states, row, n_, z_);
      map_->linearise_at(problem, count, z_);
      const unsigned attracts = bits_of<V>(look());
      for (std::size_t lane = 0; lane < count; ++lane)
        if (!(attracts >> lane & 1u)) doubtful_[kept++] = problem[lane];
    }
    doubtful_.resize(kept);
  }

  V age_, evaluations_, busy_, window_, peak_, previous_peak_;
  Arena<V> arena_;
  std::size_t n_;
  T tolerance_, step_limit_;
  V *z_, *f_;
  Step step_;
  std::optional<Launch<V>> launch_;
  V* launched_ = nullptr;
  Attraction<V> attraction_;
  std::vector<std::size_t> doubtful_;
  LaneMap<V>* map_ = nullptr;
  std::size_t count_ = 0, waiting_ = 0;
  unsigned active_ = 0;
  bool changed_ = false;
  Answers<T> answers_{};
  std::size_t problem_[width] = {};
};

// Not in the class: there it would be inline, and compiled by everybody who runs a driver (see drivers-inl.h).
template <class V, class Options>
void Driver<V, Options>::run(LaneMap<V>& map, std::size_t count, const Answers<T>& answers) {
  map_ = &map, count_ = count, waiting_ = 0, active_ = 0, answers_ = answers;
  if constexpr (Step::launches) launch();
  for (;;) {
    if (active_ == 0) step_.restart();
    if (step_.open()) fill();
    if (active_ == 0) break;
    const V residual = judge();
    if (active_ == 0 || (changed_ && step_.open() && waiting_ < count_)) continue;
    advance(residual);
  }
  if constexpr (Step::follows_flow) confirm();
}

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
