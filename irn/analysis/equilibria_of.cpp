#include "irn/analysis/equilibria_of.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <tuple>

#include "irn/analysis/problem_at-inl.h"
#include "irn/analysis/stability-inl.h"
#include "irn/base/random.h"

namespace irn {
namespace {

// sign det(I - J), or 0 if the smallest pivot is lost in rounding.
int index_at(const Matrix& jacobian) {
  const Eigen::PartialPivLU<Matrix> lu(Matrix::Identity(jacobian.rows(), jacobian.rows()) - jacobian);
  const Vector pivots = lu.matrixLU().diagonal();
  if (!(pivots.cwiseAbs().minCoeff() > 1e-12 * std::max(1.0, pivots.cwiseAbs().maxCoeff()))) return 0;
  return lu.determinant() > 0 ? 1 : -1;
}

class Search {
 public:
  Search(const Problem& problem, std::size_t i, const SearchOptions& options, ThreadPool& threads)
      : whole_(problem), i_(i), problem_(problem, i), options_(options), threads_(threads) {}

  EquilibriaOf run() {
    follow({problem_.start()});
    for (std::size_t round = 0; round < options_.rounds; ++round) {
      const std::size_t before = found_.size();
      std::vector<Vector> starts = draw(round);
      follow(starts);
      deflate(starts);
      if (crowded() || (found_.size() == before && round > 0 && !misses_some())) break;
    }
    return finish();
  }

 private:
  struct Known {
    Vector state;
    FoundEquilibrium facts;
  };

  bool crowded() const { return found_.size() >= options_.most; }
  int degree() const {
    int sum = 0;
    for (const Known& known : found_) sum += known.facts.index;
    return sum;
  }
  // An equilibrium with an unknown index leaves the sum open.
  bool misses_some() const {
    const bool open =
        std::any_of(found_.begin(), found_.end(), [](const Known& known) { return known.facts.index == 0; });
    return crowded() || (options_.degree && !open && degree() != *options_.degree);
  }

  // The equilibrium at z; a new one is added. Null if z is none, or if there are too many.
  Known* recognise(const Vector& z) {
    const std::optional<Vector> exact = problem_.polished(z);
    if (!exact) return nullptr;
    for (Known& known : found_)
      if (same_state(*exact, known.state)) return &known;
    if (crowded()) return nullptr;
    const Matrix jacobian = problem_.jacobian(*exact);
    Known known{*exact, {.state = values_of(*exact), .residual = problem_.residual(*exact)}};
    known.facts.stability = stability_of(jacobian, {.modes = true});
    known.facts.index = index_at(jacobian);
    return &found_.emplace_back(std::move(known));
  }

  // Follows the flow from these starts, and from both sides of each equilibrium that this finds.
  void follow(const std::vector<Vector>& starts) {
    count(starts);
    for (std::vector<Vector> sides; beside_ < found_.size(); sides.clear()) {
      for (; beside_ < found_.size(); ++beside_) add_sides(found_[beside_], {1e-3, 0.5}, sides);
      count(sides);
    }
  }
  void count(const std::vector<Vector>& starts) {
    if (starts.empty()) return;
    const bool from_rest = starts_ == 0;
    const Equilibria<double> ends = from_rest ? problem_.careful_flows(starts, options_.settle, threads_)
                                              : problem_.flows(starts, options_.settle, threads_);
    for (std::size_t k = 0; k < starts.size(); ++k) {
      Known* known = ends.settled(k) ? recognise(vector_of(ends.state(k))) : nullptr;
      if (known && known->facts.stability.attraction() == Attraction::repels) known = nullptr;
      known ? ++known->facts.starts : ++unsettled_;
      if (known && from_rest) known->facts.from_rest = true;
    }
    starts_ += starts.size();
  }
  // Adds starts on both sides along the rightmost mode.
  static void add_sides(const Known& known, std::initializer_list<double> lengths,
                        std::vector<Vector>& sides) {
    Vector mode(known.state.size());
    for (Eigen::Index k = 0; k < mode.size(); ++k)
      mode[k] = known.facts.stability.mode[static_cast<std::size_t>(k)].real();
    const double size = std::max(1.0, known.state.cwiseAbs().maxCoeff());
    if (!(mode.norm() > 0)) return;
    for (const double length : lengths)
      for (const double way : {length, -length})
        sides.push_back(known.state + way * size * mode.normalized());
  }

  // Corners and random points of the current box, new ones each round.
  std::vector<Vector> draw(std::size_t round) const {
    const Eigen::Index n = problem_.size();
    const auto [low, high] = box();
    const Stream stream(options_.seed, round);
    std::vector<Vector> starts;
    if (round == 0) starts = {low, high, (low + high) / 2};
    for (std::size_t k = 0; k < options_.starts; ++k) {
      Vector z(n);
      for (Eigen::Index j = 0; j < n; ++j) {
        const double u = stream.uniform(k * whole_.size + static_cast<std::size_t>(j));
        z[j] = low[j] + (high[j] - low[j]) * (k % 2 == 0 ? u : u < 0.5 ? 0 : 1);
      }
      starts.push_back(std::move(z));
    }
    return starts;
  }
  std::pair<Vector, Vector> box() const {
    Vector size = Vector::Ones(problem_.size()).cwiseMax(problem_.start().cwiseAbs());
    for (const Known& known : found_) size = size.cwiseMax(known.state.cwiseAbs());
    Vector low = -2 * size, high = 2 * size;
    for (std::size_t j = 0; j < options_.box.low.size(); ++j) {
      low[index_of(j)] = std::max(low[index_of(j)], options_.box.low[j]);
      high[index_of(j)] = std::min(high[index_of(j)], options_.box.high[j]);
    }
    return {low, high};
  }

  // Starts from `starts`, from midpoints between equilibria, and from points beside them along their slowest
  // modes, where near a fold the other one of a pair is; until none of them finds anything new.
  void deflate(std::vector<Vector> starts) {
    const auto [low, high] = box();
    const double reach = (high - low).maxCoeff();
    for (std::size_t joined = 0; !crowded();) {
      for (; joined < found_.size(); ++joined) {
        add_sides(found_[joined], {0.001, 0.01, 0.03, 0.1, 0.3}, starts);
        for (std::size_t k = 0; k < joined && starts.size() < 4 * options_.starts; ++k)
          starts.push_back((found_[joined].state + found_[k].state) / 2);
      }
      std::vector<std::optional<Vector>> ends(starts.size());
      threads_.for_each(starts.size(),
                        [&](std::size_t k, std::size_t) { ends[k] = deflated(starts[k], reach); });
      const std::size_t before = found_.size();
      for (const auto& end : ends)
        if (end) recognise(*end);
      if (found_.size() == before) return;
      follow({});
    }
  }

  // Newton's step on m R, where R(z) = F(z) - z, is tau times the step on R (Sherman and Morrison): tau = 1 /
  // (1 - step . grad m / m).
  std::optional<Vector> deflated(Vector z, double reach) const {
    for (std::size_t k = 0; k < options_.newton; ++k) {
      Vector step = problem_.newton_step(z);
      if (!step.allFinite()) return {};
      if (step.cwiseAbs().maxCoeff() <= 1e-9 * std::max(1.0, z.cwiseAbs().maxCoeff())) return z;
      step *= 1 / (1 - step.dot(slope_of_deflation(z)));
      if (const double length = step.cwiseAbs().maxCoeff(); length > reach) step *= reach / length;
      z += step;
      if (!z.allFinite()) return {};
    }
    return {};
  }
  // grad m / m = sum_k -2 (z - z_k) / (r^2 + r^4), r = |z - z_k|.
  Vector slope_of_deflation(const Vector& z) const {
    Vector sum = Vector::Zero(z.size());
    for (const Known& known : found_) {
      const Vector away = z - known.state;
      const double r2 = std::max(away.squaredNorm(), 1e-300);
      sum -= 2 / (r2 * (1 + r2)) * away;
    }
    return sum;
  }

  EquilibriaOf finish() {
    const auto rank = [](const Known& known) {  // larger first
      const FoundEquilibrium& facts = known.facts;
      return std::tuple(facts.from_rest, facts.stability.attracts(), facts.starts);
    };
    std::sort(found_.begin(), found_.end(),
              [&](const Known& a, const Known& b) { return rank(a) > rank(b); });
    EquilibriaOf result{.starts = starts_, .unsettled = unsettled_, .degree = degree()};
    result.misses_some = misses_some();
    std::vector<std::vector<double>> states;
    for (Known& known : found_) {
      states.push_back(known.facts.state);
      result.equilibria.push_back(std::move(known.facts));
    }
    if (options_.edge && result.reached_from_rest())
      result.edge = basin_edge(whole_, i_, states, 0, options_.settle, threads_);
    return result;
  }

  const Problem& whole_;
  std::size_t i_;
  ProblemAt problem_;
  SearchOptions options_;
  ThreadPool& threads_;
  std::vector<Known> found_;
  std::size_t starts_ = 0, unsettled_ = 0;
  std::size_t beside_ = 0;  // how many equilibria had the flow followed from their sides
};

}  // namespace

std::size_t EquilibriaOf::stable() const {
  return static_cast<std::size_t>(
      std::count_if(equilibria.begin(), equilibria.end(),
                    [](const FoundEquilibrium& found) { return found.stability.attracts(); }));
}

EquilibriaOf equilibria_of(const Problem& problem, std::size_t i, const SearchOptions& options,
                           ThreadPool& threads) {
  return Search(problem, i, options, threads).run();
}
EquilibriaOf equilibria_of(const Problem& problem, std::size_t i, const SearchOptions& options) {
  ThreadPool alone(1);
  return equilibria_of(problem, i, options, alone);
}

namespace {

// If so, F maps every state of the loops into one box.
bool has_bounded_loops(const Architecture& architecture) {
  const StateBox box = state_box(architecture);
  for (const Loop& loop : loops(architecture))
    for (const std::size_t l : loop.layers)
      if (const std::size_t first = architecture.first_neuron(l);
          !std::isfinite(box.low[first]) || !std::isfinite(box.high[first]))
        return false;
  return true;
}

}  // namespace

template <class T>
EquilibriaOf equilibria_of(const NetworkOf<T>& network, std::span<const T> x, const SearchOptions& options,
                           ThreadPool& threads) {
  SearchOptions own = options;
  if (own.box.low.empty()) own.box = state_box(network.architecture());
  if (!own.degree && has_bounded_loops(network.architecture())) own.degree = 1;
  return equilibria_of(network_problem(network, x), 0, own, threads);
}
template <class T>
EquilibriaOf equilibria_of(const NetworkOf<T>& network, std::span<const T> x, const SearchOptions& options) {
  ThreadPool alone(1);
  return equilibria_of<T>(network, x, options, alone);
}
template EquilibriaOf equilibria_of(const NetworkOf<float>&, std::span<const float>, const SearchOptions&);
template EquilibriaOf equilibria_of(const NetworkOf<double>&, std::span<const double>, const SearchOptions&);
template EquilibriaOf equilibria_of(const NetworkOf<float>&, std::span<const float>, const SearchOptions&,
                                    ThreadPool&);
template EquilibriaOf equilibria_of(const NetworkOf<double>&, std::span<const double>, const SearchOptions&,
                                    ThreadPool&);

}  // namespace irn
