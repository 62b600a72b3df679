#include "irn/analysis/settling_path.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <Eigen/Core>

#include "irn/analysis/path_watch-inl.h"
#include "irn/base/error.h"

namespace irn {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Beyond this a state of networks is on its way to nowhere: the largest activations of trained networks are of order 1e3.
constexpr double far_away = 1e9;

class Flow {
 public:
  Flow(const StateMap& map, std::span<const double> start, const PathOptions& options)
      : map_(map), error_(options.error), longest_step_(options.longest / 200) {
    const Index n = static_cast<Index>(start.size());
    now_.z = Eigen::Map<const VectorXd>(start.data(), n);
    now_.slope = slope_at(now_.z);
  }

  const PathPoint& now() const { return now_; }
  bool gone() const { return !now_.slope.allFinite() || now_.z.cwiseAbs().maxCoeff() > far_away; }

  void advance() {
    for (;;) {
      PathPoint next = tried();
      const double e = error_of(next);
      const double factor = 0.9 * std::pow(std::max(e, 1e-6), -0.2);
      const double taken = step_;
      step_ = std::min(step_ * (std::isfinite(e) ? std::clamp(factor, 0.2, 4.0) : 0.1), longest_step_);
      if (!(e <= 1) && taken > 1e-12) continue;
      now_ = std::move(next);
      return;
    }
  }

 private:
  VectorXd slope_at(const VectorXd& z) const {
    VectorXd value(z.size());
    const std::size_t n = static_cast<std::size_t>(z.size());
    map_({z.data(), n}, {value.data(), n});
    return value - z;
  }

  PathPoint tried() {
    const double h = step_;
    const VectorXd &z = now_.z, &k1 = now_.slope;
    const VectorXd k2 = slope_at(z + h * k1 / 5);
    const VectorXd k3 = slope_at(z + h * (3. / 40 * k1 + 9. / 40 * k2));
    const VectorXd k4 = slope_at(z + h * (44. / 45 * k1 - 56. / 15 * k2 + 32. / 9 * k3));
    const VectorXd k5 =
        slope_at(z + h * (19372. / 6561 * k1 - 25360. / 2187 * k2 + 64448. / 6561 * k3 - 212. / 729 * k4));
    const VectorXd k6 = slope_at(z + h * (9017. / 3168 * k1 - 355. / 33 * k2 + 46732. / 5247 * k3 +
                                          49. / 176 * k4 - 5103. / 18656 * k5));
    PathPoint next{
        now_.t + h,
        z + h * (35. / 384 * k1 + 500. / 1113 * k3 + 125. / 192 * k4 - 2187. / 6784 * k5 + 11. / 84 * k6),
        {}};
    next.slope = slope_at(next.z);
    difference_ = h * (71. / 57600 * k1 - 71. / 16695 * k3 + 71. / 1920 * k4 - 17253. / 339200 * k5 +
                       22. / 525 * k6 - 1. / 40 * next.slope);
    return next;
  }

  // Against what is allowed. Close to rest that is also a share of the residual, by the unit of time: else errors would outweigh the damping
  // of a flow that turns fast, |lambda| times the distance being its residual, and keep it from coming to rest.
  double error_of(const PathPoint& next) const {
    constexpr double share = 1e-4;
    const VectorXd size = now_.z.cwiseAbs().cwiseMax(next.z.cwiseAbs()).cwiseMax(1);
    return std::max((difference_.array() / size.array()).abs().maxCoeff() / error_,
                    difference_.cwiseAbs().maxCoeff() / (share * (next.t - now_.t) * now_.residual()));
  }

  const StateMap& map_;
  double error_, longest_step_;
  PathPoint now_;
  VectorXd difference_;
  double step_ = 0.01;
};

// Keeps every point of the path, and every second one whenever they become too many.
class Keeper {
 public:
  Keeper(SettlingPath& path, std::size_t most) : path_(path), most_(std::max<std::size_t>(most, 16)) {}

  void add(const PathPoint& point) {
    if (seen_++ % stride_ == 0) append(point);
    if (path_.size() > most_) thin();
  }
  void close(const PathPoint& last) {
    if (path_.time.back() != last.t) append(last);
  }

 private:
  void append(const PathPoint& point) {
    path_.time.push_back(point.t);
    path_.residual.push_back(point.residual());
    path_.states.insert(path_.states.end(), point.z.begin(), point.z.end());
  }
  void thin() {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < path_.size(); k += 2, ++kept) {
      path_.time[kept] = path_.time[k], path_.residual[kept] = path_.residual[k];
      std::copy_n(path_.states.begin() + static_cast<std::ptrdiff_t>(k * path_.neurons), path_.neurons,
                  path_.states.begin() + static_cast<std::ptrdiff_t>(kept * path_.neurons));
    }
    path_.time.resize(kept), path_.residual.resize(kept), path_.states.resize(kept * path_.neurons);
    stride_ *= 2, seen_ = (kept - 1) * stride_ + 1;
  }

  SettlingPath& path_;
  std::size_t most_, stride_ = 1, seen_ = 0;
};

// From the residuals of the last fifth of the path.
double final_rate(const SettlingPath& path) {
  const std::size_t last = path.size() - 1, from = last - last / 5;
  if (from == last || !(path.residual[last] > 0) || !(path.residual[from] > 0)) return 0;
  return std::log(path.residual[from] / path.residual[last]) / (path.time[last] - path.time[from]);
}

}  // namespace

template <class T>
StateMap state_map(const NetworkOf<T>& network, std::span<const double> x) {
  const Architecture& architecture = network.architecture();
  if (x.size() != architecture.inputs())
    throw Error("the input has " + std::to_string(x.size()) + " numbers, the network " +
                std::to_string(architecture.inputs()) + " inputs");
  const Index n = static_cast<Index>(architecture.neurons()), m = static_cast<Index>(x.size());
  auto a = std::make_shared<const std::vector<double>>(network.dense_a());
  VectorXd drive =
      Eigen::Map<const Matrix>(network.dense_b().data(), n, m) * Eigen::Map<const VectorXd>(x.data(), m);
  for (Index i = 0; i < n; ++i)
    drive(i) += double(network.parameters()[architecture.biases() + static_cast<std::size_t>(i)]);
  std::vector<Activation> f;
  for (const Layer& layer : architecture.layers()) f.insert(f.end(), layer.size, layer.activation);
  return [a, drive, f, n](std::span<const double> z, std::span<double> value) {
    const VectorXd u =
        Eigen::Map<const Matrix>(a->data(), n, n) * Eigen::Map<const VectorXd>(z.data(), n) + drive;
    for (Index i = 0; i < n; ++i)
      value[static_cast<std::size_t>(i)] = activate(f[static_cast<std::size_t>(i)], u(i));
  };
}

SettlingPath settling_path(const StateMap& map, std::span<const double> start, const PathOptions& options) {
  SettlingPath path{.neurons = start.size()};
  Flow flow(map, start, options);
  Keeper keeper(path, options.most_points);
  PathWatch watch(options.watched);
  keeper.add(flow.now());
  for (std::size_t step = 0; !watch.full(); ++step) {
    if (flow.gone() || flow.now().residual() <= options.tolerance) break;
    if (flow.now().t >= options.longest || step >= options.most_steps) watch.add(flow.now());
    flow.advance();
    keeper.add(flow.now());
  }
  keeper.close(flow.now());
  if (flow.gone()) {
    path.end = PathEnd::runs_away;
  } else if (flow.now().residual() <= options.tolerance) {
    path.end = PathEnd::settled;
    path.rate = final_rate(path);
  } else {
    watch.judge(options.tolerance, path);
  }
  return path;
}

template StateMap state_map(const NetworkOf<float>&, std::span<const double>);
template StateMap state_map(const NetworkOf<double>&, std::span<const double>);

}  // namespace irn
