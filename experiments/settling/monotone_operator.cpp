#include "experiments/settling/monotone_operator.h"

#include <cmath>

#include "irn/base/error.h"
#include "irn/network/own_operator.h"

namespace irn::experiments {
namespace {

struct Monotone : OwnOperatorOf<Monotone> {
  Monotone(std::size_t size, double most, double factor) : n(size), bound(most), scale(factor) {}
  std::size_t parameters() const override { return 2 * n * n; }

  template <class T>
  void multiply(const T* w, std::size_t width, const T* v, T* out) const {
    apply<T>(w, width, v, out, 1);
  }
  template <class T>
  void multiply_transposed(const T* w, std::size_t width, const T* v, T* out) const {
    apply<T>(w, width, v, out, -1);  // Q - Q^T changes its sign, the rest is symmetric
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
  template <class T>
  void apply(const T* w, std::size_t width, const T* v, T* out, int sign) const {
    const T c = static_cast<T>(scale), turn = static_cast<T>(sign) * c, own = static_cast<T>(bound) * c;
    for (std::size_t i = 0; i < n * width; ++i) out[i] += own * v[i];
    thread_local std::vector<T> product;
    product.resize(width);
    for (std::size_t k = 0; k < n; ++k) {  // row k of P, and row and column k of Q
      std::fill(product.begin(), product.end(), T(0));
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t s = 0; s < width; ++s) product[s] += w[k * n + j] * v[j * width + s];
      for (std::size_t j = 0; j < n; ++j) {
        const T p = c * w[k * n + j], q = turn * w[n * n + k * n + j];
        for (std::size_t s = 0; s < width; ++s) {
          out[j * width + s] -= p * product[s] + q * v[k * width + s];
          out[k * width + s] += q * v[j * width + s];
        }
      }
    }
  }

  std::size_t n;
  double bound, scale;
};

// Its number in an architecture's text: 1 / s, and the bound in hundredths.
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
  return operator_from_text("monotone", inverse_slope * hundred + hundredths);
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
