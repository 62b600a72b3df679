#include "irn/analysis/network_problem.h"

#include <limits>
#include <memory>
#include <string>

#include "irn/analysis/dynamics-inl.h"
#include "irn/base/error.h"

namespace irn {
namespace {

// What the functions of the problem share.
struct Shared {
  Dynamics dynamics;
  Matrix drives;  // B x_i + b, one in each row

  Vector drive(std::size_t i) const { return drives.row(index_of(i)).transpose(); }
  Vector slopes(std::size_t i, std::span<const double> z) const {
    return dynamics.slopes_at(vector_of(z), drive(i));
  }
};

void copy(const Vector& v, std::span<double> out) { std::copy(v.begin(), v.end(), out.begin()); }

template <class T>
std::shared_ptr<Shared> shared(const NetworkOf<T>& network, std::span<const T> inputs) {
  const std::size_t columns = network.architecture().inputs();
  if (columns == 0 || inputs.size() % columns != 0)
    throw Error(std::to_string(inputs.size()) + " inputs are no whole rows of " + std::to_string(columns) +
                ", as network " + to_text(network.architecture()) + " takes them");
  auto result = std::make_shared<Shared>(Shared{Dynamics(network), {}});
  const std::size_t rows = inputs.size() / columns;
  result->drives.resize(index_of(rows), index_of(network.architecture().neurons()));
  for (std::size_t i = 0; i < rows; ++i)
    result->drives.row(index_of(i)) =
        result->dynamics.drive(vector_of(inputs.subspan(i * columns, columns))).transpose();
  return result;
}

}  // namespace

template <class T>
Problem network_problem(const NetworkOf<T>& network, std::span<const T> inputs) {
  const auto s = shared(network, inputs);
  Problem problem{.size = network.architecture().neurons()};
  problem.map = [s](std::size_t i, std::span<const double> z, std::span<double> f) {
    copy(s->dynamics.map(vector_of(z), s->drive(i)), f);
  };
  if (s->dynamics.dense())
    problem.jacobian = [s](std::size_t i, std::span<const double> z, std::span<double> jacobian) {
      const Eigen::Index n = index_of(z.size());
      Eigen::Map<Matrix>(jacobian.data(), n, n) = s->dynamics.jacobian(s->slopes(i, z));
    };
  problem.jacobian_times = [s](std::size_t i, std::span<const double> z, std::span<const double> v,
                               std::span<double> out) {
    copy(s->slopes(i, z).cwiseProduct(s->dynamics.a_times(vector_of(v))), out);
  };
  problem.transposed_times = [s](std::size_t i, std::span<const double> z, std::span<const double> v,
                                 std::span<double> out) {
    copy(s->dynamics.a_transposed_times(s->slopes(i, z).cwiseProduct(vector_of(v))), out);
  };
  return problem;
}
template Problem network_problem(const NetworkOf<float>&, std::span<const float>);
template Problem network_problem(const NetworkOf<double>&, std::span<const double>);

StateBox state_box(const Architecture& architecture) {
  constexpr double any = std::numeric_limits<double>::infinity();
  StateBox box;
  for (const auto& [size, f, shape] : architecture.layers()) {
    const bool squashes = f == Activation::sigmoid || f == Activation::tanh;
    box.low.insert(box.low.end(), size, f == Activation::tanh ? -1 : f == Activation::identity ? -any : 0);
    box.high.insert(box.high.end(), size, squashes ? 1 : any);
  }
  return box;
}

}  // namespace irn
