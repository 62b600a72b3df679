#include "experiments/settling/monotone_operator.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "irn/base/error.h"
#include "irn/network/own_operator.h"

namespace irn::experiments {
namespace {

// out += W v for some rows and lanes at a time, with the sums in registers.
template <std::size_t rows, std::size_t lanes, class T>
void add_tile(const T* w, std::size_t n, std::size_t width, const T* v, T* out) {
  T sums[rows][lanes] = {};
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t s = 0; s < lanes; ++s) sums[i][s] += w[i * n + j] * v[j * width + s];
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t s = 0; s < lanes; ++s) out[i * width + s] += sums[i][s];
}
template <std::size_t lanes, class T>
void add_lanes(const T* w, std::size_t n, std::size_t width, const T* v, T* out) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) add_tile<4, lanes>(w + i * n, n, width, v, out + i * width);
  for (; i < n; ++i) add_tile<1, lanes>(w + i * n, n, width, v, out + i * width);
}
template <class T>
void add_product(const T* w, std::size_t n, std::size_t width, const T* v, T* out) {
  std::size_t s = 0;
  for (; s + 8 <= width; s += 8) add_lanes<8>(w, n, width, v + s, out + s);
  for (; s < width; ++s) add_lanes<1>(w, n, width, v + s, out + s);
}

struct Monotone : OwnOperatorOf<Monotone> {
  Monotone(std::size_t size, double most, double factor) : n(size), bound(most), scale(factor) {}
  std::size_t parameters() const override { return 2 * n * n; }

  template <class T>
  void multiply(const T* w, std::size_t width, const T* v, T* out) const {
    add_product(multiplied_out(w).data(), n, width, v, out);
  }
  template <class T>
  void multiply_transposed(const T* w, std::size_t width, const T* v, T* out) const {
    add_product(multiplied_out(w).data() + n * n, n, width, v, out);
  }
  // u^T (dW) v: -(P u)_k v_j - u_j (P v)_k for P_kj, u_k v_j - u_j v_k for Q_kj.
  template <class T>
  void add_gradient(const T* w, const T* u, const T* v, T* gradient) const {
    T* const by_q = gradient + n * n;
    const T c = static_cast<T>(scale);
    for (std::size_t k = 0; k < n; ++k) {
      T pu = 0, pv = 0;
      for (std::size_t j = 0; j < n; ++j) pu += w[k * n + j] * u[j], pv += w[k * n + j] * v[j];
      for (std::size_t j = 0; j < n; ++j) {
        gradient[k * n + j] -= c * (pu * v[j] + u[j] * pv);
        by_q[k * n + j] += c * (u[k] * v[j] - u[j] * v[k]);
      }
    }
  }

 private:
  // W and W^T of these numbers. They change once a step and are used in many products, so each thread keeps
  // the last ones.
  template <class T>
  const std::vector<T>& multiplied_out(const T* w) const {
    thread_local std::vector<T> numbers, both;
    thread_local double bound_kept = 0, scale_kept = 0;
    if (bound_kept == bound && scale_kept == scale && numbers.size() == parameters() &&
        std::memcmp(numbers.data(), w, parameters() * sizeof(T)) == 0)
      return both;
    numbers.assign(w, w + parameters());
    bound_kept = bound, scale_kept = scale;
    both.assign(2 * n * n, T(0));
    const T *p = w, *q = w + n * n, c = static_cast<T>(scale);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) both[i * n + j] -= p[k * n + i] * p[k * n + j];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const T own = i == j ? static_cast<T>(bound) : T(0);
        both[i * n + j] = c * (both[i * n + j] + own + q[i * n + j] - q[j * n + i]);
      }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) both[n * n + j * n + i] = both[i * n + j];
    return both;
  }

  std::size_t n;
  double bound, scale;
};

// The operator's number in an architecture's text: 1 / s, and the bound in hundredths.
constexpr std::size_t hundred = 100;

std::shared_ptr<const OwnOperator> make(std::size_t rows, std::size_t cols, std::size_t number) {
  if (rows != cols || number % hundred == 0)
    throw Error("operator monotone is for lateral blocks, with 1 / slope and bound behind it: monotone495");
  return std::make_shared<Monotone>(rows, double(number % hundred) / double(hundred),
                                    double(number / hundred));
}

}  // namespace

Operator monotone_operator(Activation f, double bound) {
  [[maybe_unused]] static const bool registered = (register_operator("monotone", make), true);
  const auto inverse_slope = static_cast<std::size_t>(std::lround(1 / max_slope(f)));
  const auto hundredths = static_cast<std::size_t>(std::lround(double(hundred) * bound));
  return operator_from_text("monotone" + std::to_string(inverse_slope * hundred + hundredths));
}

template <class T>
void start_monotone(NetworkOf<T>& network, double bound) {
  for (const Block& block : network.architecture().blocks()) {
    const Own* own = std::get_if<Own>(&block.op);
    if (!own || own->registered != "monotone") continue;
    for (std::size_t i = 0; i < block.parameters; ++i) network.parameters()[block.weights + i] = T(0);
    for (std::size_t i = 0; i < block.rows; ++i)
      network.parameters()[block.weights + i * (block.rows + 1)] = static_cast<T>(std::sqrt(bound));
  }
}

template void start_monotone(NetworkOf<float>&, double);
template void start_monotone(NetworkOf<double>&, double);

}  // namespace irn::experiments
