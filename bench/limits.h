// The least that a job must do: the operations of its method, counted from the equations, and the bytes that
// must come from and go to memory. Compared with the measured peak, this gives the share of the limit that a
// run reached.
//
// Only useful work is counted: not lanes that wait, loads, stores, masks, the test of convergence, or the
// choice of step lengths. An activation counts as the vector operations that it consists of, each in place of
// a multiply-add; so does every addition, multiplication or maximum of the combinations of vectors in the
// equations of launch-inl.h, rosenbrock-inl.h and anderson-inl.h. Of Krylov methods only the products are
// counted, not the work on their vectors, so that shares are lower bounds.
#pragma once

#include <algorithm>

#include "irn/gradient/gradient.h"
#include "irn/network/packed.h"

namespace irn::bench {

struct Work {
  double multiply_adds = 0;
  double activations = 0;
  double bytes = 0;
  // Counted in irn/kernels/activation-inl.h: bounds 2, exponential 11, one addition, reciprocal 3.
  static constexpr double operations_a_sigmoid = 17;
  double operations() const { return multiply_adds + operations_a_sigmoid * activations; }
  Work& operator+=(const Work& other) {
    multiply_adds += other.multiply_adds, activations += other.activations, bytes += other.bytes;
    return *this;
  }
  friend Work operator*(double times, const Work& w) {
    return {times * w.multiply_adds, times * w.activations, times * w.bytes};
  }
};

// Operations of a step for each neuron. launch: three stages, the next state and the error estimate.
inline constexpr double launch_operations = 19;
// rosenbrock: right sides of three solves, slopes, the next state and the error estimate.
inline constexpr double rosenbrock_operations = 18;
// anderson: differences and relaxation; in addition, three for each column (two inner products, one
// combination).
inline constexpr double anderson_operations = 5;

// Weights of A (or of its forward blocks) and of B.
struct Weights {
  double a = 0, a_forward = 0, b = 0;
};
inline Weights weights_of(const Architecture& architecture) {
  Weights w;
  for (const Block& block : architecture.blocks()) {
    const double entries = double(block.rows) * double(block.cols);
    (block.from_input() ? w.b : w.a) += entries;
    if (block.forward() && !block.from_input()) w.a_forward += entries;
  }
  return w;
}

// One sample from its inputs to its equilibrium, in `evaluations` evaluations of F on average.
template <class T>
Work settle_work(const Architecture& architecture, const Solver& solver, double evaluations) {
  const Weights w = weights_of(architecture);
  const double n = double(architecture.neurons());
  Work work{.multiply_adds = w.b,
            .activations = n,
            .bytes = sizeof(T) * (double(architecture.inputs()) + n) + sizeof(Verdict)};
  if (!architecture.recurrent()) return work += Work{.multiply_adds = w.a};
  const double repeats = evaluations - 1;  // F(0) needs no product with A
  work.multiply_adds += repeats * w.a;
  if (const auto* o = std::get_if<Rosenbrock>(&solver)) {
    const double steps = std::max(0.0, repeats - 3 * double(o->launch)) / 2;
    const double factors = n * n * n / 3 + n * n;  // and the matrix itself
    work.activations += repeats * n;
    work.multiply_adds +=
        std::min(repeats / 3, double(o->launch)) * launch_operations * n + steps * rosenbrock_operations * n;
    work.multiply_adds += steps * (factors + 3 * n * n);  // three solves
    // The test whether the equilibrium attracts; its solves are not counted.
    work.multiply_adds += factors;
  } else if (const auto* k = std::get_if<RosenbrockKrylov>(&solver)) {
    const double launched = std::min(repeats, 3 * double(k->launch));
    work.activations += launched * n;
    work.multiply_adds += launched / 3 * launch_operations * n;
  } else if (const auto* m = std::get_if<Anderson>(&solver)) {
    work.activations += repeats * n;
    const double all = double(m->memory), few = std::min(repeats, all);  // the first steps have fewer columns
    const double columns = repeats * all - few * (2 * all + 1 - few) / 2;
    work.multiply_adds += (repeats * anderson_operations + 3 * columns) * n;
  }
  return work;
}

// One step of training: forward, adjoint, sums of outer products, Adam. Evaluations and products of the
// adjoint are averages over samples.
template <class T>
Work training_work(const Architecture& architecture, const Solver& solver, const Gradient& gradient,
                   double batch, double evaluations, double adjoint_products) {
  const Weights w = weights_of(architecture);
  const double n = double(architecture.neurons()), parameters = double(architecture.parameters());
  const bool exact = std::holds_alternative<ExactGradient>(gradient) && architecture.recurrent();
  Work sample = settle_work<T>(architecture, solver, evaluations);
  sample.multiply_adds += w.a + w.b;  // outer products
  if (!exact) sample.multiply_adds += w.a_forward;
  if (exact && architecture.neurons() <= dense_adjoint_limit)  // factors, two solves and two residuals
    sample.multiply_adds += n * n * n / 3 + n * n + 2 * n * n + 2 * w.a;
  sample.multiply_adds += adjoint_products * w.a;
  constexpr double adam_operations = 10;
  Work work = batch * sample;
  work += {.multiply_adds = adam_operations * parameters, .bytes = 7 * sizeof(T) * parameters};
  return work;
}

}  // namespace irn::bench
