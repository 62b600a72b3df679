// The one loop that all solvers run in: it judges, the step moves.
//
// Lanes are filled with waiting problems. Each round: residual, verdicts, one step for all lanes. A lane that is done
// hands its state and verdict out; if the step is memoryless the next waiting problem takes the lane at once, else when
// the whole group is done. What a lane computes depends on its own problem only.
#if defined(IRN_EQUILIBRIUM_DRIVER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_EQUILIBRIUM_DRIVER_INL_H_
#undef IRN_EQUILIBRIUM_DRIVER_INL_H_
#else
#define IRN_EQUILIBRIUM_DRIVER_INL_H_
#endif

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

template <class T, class Step>
class Driver {
 public:
  static constexpr std::size_t width = Lanes<T>::width;

  template <class Options>
  Driver(const Options& options, std::size_t n, T tolerance)
      : n_(n),
        tolerance_(tolerance),
        step_limit_(static_cast<T>(options.steps)),
        z_(arena_.vectors(1, n)),
        f_(arena_.vectors(1, n)),
        age_(arena_.lanes()),
        evaluations_(arena_.lanes()),
        busy_(arena_.lanes()),
        window_(arena_.lanes()),
        peak_(arena_.lanes()),
        previous_peak_(arena_.lanes()),
        step_(options, n, arena_) {}

  // Solves problems 0 .. count - 1 of the map.
  void run(LaneMap<T>& map, std::size_t count, const Answers<T>& answers) {
    map_ = &map, count_ = count, waiting_ = 0, active_ = 0, answers_ = answers;
    for (;;) {
      if (active_ == 0 || Step::memoryless) fill();
      if (active_ == 0) return;
      const Lanes<T> residual = judge();
      if (active_ == 0 || (changed_ && Step::memoryless && waiting_ < count_)) continue;
      advance(residual);
    }
  }

 private:
  void fill() {
    for (std::size_t lane = 0; lane < width && waiting_ < count_; ++lane) {
      if (active_ >> lane & 1u) continue;
      map_->load(lane, waiting_, z_, f_);
      step_.reset(lane);
      problem_[lane] = waiting_++;
      age_[lane] = 0, evaluations_[lane] = 1, window_[lane] = 1, peak_[lane] = 0, previous_peak_[lane] = 0;
      active_ |= 1u << lane, busy_[lane] = T(1);
    }
  }

  // Residual of every lane; lanes that are done leave.
  Lanes<T> judge() {
    Lanes<T> residual, size(T(1));
    auto finite = is_finite(residual);
    for (std::size_t i = 0; i < n_; ++i) {
      const Lanes<T> z = at(z_, i), r = abs(at(f_, i) - z);
      residual = max(residual, r);
      size = max(size, abs(z));
      finite = hn::And(finite, is_finite(r));
    }
    const auto settled = hn::And(finite, residual <= Lanes<T>(tolerance_) * size);
    const auto young = Lanes<T>::load(age_) < Lanes<T>(step_limit_);
    const auto done = hn::AndNot(hn::AndNot(settled, hn::And(finite, young)), Lanes<T>::load(busy_) > Lanes<T>());
    changed_ = !none<T>(done);
    if (changed_) retire(bits_of<T>(done), bits_of<T>(settled), ~bits_of<T>(finite), residual);
    return residual;
  }

  void retire(unsigned done, unsigned settled, unsigned broken, Lanes<T> residual) {
    HWY_ALIGN T r[width];
    residual.store(r);
    for (std::size_t lane = 0; lane < width; ++lane) {
      if (!(done >> lane & 1u)) continue;
      const Outcome outcome = broken >> lane & 1u    ? Outcome::not_finite
                              : settled >> lane & 1u ? Outcome::settled
                              : still_falls(lane)    ? Outcome::step_limit
                                                     : Outcome::oscillates;
      answers_.verdicts[problem_[lane]] = {outcome, static_cast<std::uint32_t>(evaluations_[lane]), double(r[lane])};
      T* state = answers_.states + problem_[lane] * n_;
      for (std::size_t i = 0; i < n_; ++i) state[i] = z_[i * width + lane];
      map_->retire(lane);
      busy_[lane] = T(0);
    }
    active_ &= ~done;
  }

  // Peaks of the residual over windows of 1, 2, 4, ... steps: a slow approach lowers them from window to window, a
  // cycle does not.
  bool still_falls(std::size_t lane) const { return peak_[lane] < T(0.5) * previous_peak_[lane]; }

  void advance(Lanes<T> residual) {
    const Lanes<T> age = Lanes<T>::load(age_), window = Lanes<T>::load(window_), peak = Lanes<T>::load(peak_);
    const auto full = window <= age;
    select(full, peak, Lanes<T>::load(previous_peak_)).store(previous_peak_);
    select(full, residual, max(peak, residual)).store(peak_);
    select(full, window + window, window).store(window_);
    const Lanes<T> spent = step_.move(*map_, z_, f_, residual);
    (Lanes<T>::load(evaluations_) + spent).store(evaluations_);
    (age + Lanes<T>(T(1))).store(age_);
    map_->apply(z_, f_);
  }

  Arena<T> arena_;
  std::size_t n_;
  T tolerance_, step_limit_;
  T *z_, *f_, *age_, *evaluations_, *busy_, *window_, *peak_, *previous_peak_;
  Step step_;
  LaneMap<T>* map_ = nullptr;
  std::size_t count_ = 0, waiting_ = 0;
  unsigned active_ = 0;
  bool changed_ = false;
  Answers<T> answers_{};
  std::size_t problem_[width] = {};
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
