// The list of solvers of z = F(z) and their options. The command line, the documentation, the tests and the
// benchmarks read this list. A new solver needs one file here (x-inl.h), one aggregate and one word in the
// variant.
//
// The answer sought is the state that dz/dt = F(z) - z reaches from its start. docs/solvers.md says which
// solvers follow that path closely enough to find the same one of several equilibria.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "irn/base/text_form.h"

namespace irn {

// What a solver declares, besides its name and its options:
//   follows_flow   whether it ends where the flow does, or nowhere, if its steps are short enough; tests
//                  check this
//   needs_factors  true if it factors a dense n x n matrix for each sample
//   only_iterates  true if it makes exactly the number of steps asked for, and the last state is its answer

// Chooses by size: an exact sweep without recurrence, rosenbrock for small networks, rosenbrock-krylov for
// wide ones. A search that ends at a saddle, or, with up to `flow_limit` unknowns, in a cycle, is repeated
// from its start with steps that follow the flow closely (careful_solver). With a certificate and more than
// `flow_limit` unknowns, anderson comes first, and a solver that follows the flow takes the samples that it
// leaves unsettled; up to that limit it is the other way round.
struct Auto {
  static constexpr std::string_view name = "auto";
  static constexpr bool follows_flow = true;
};

// z+ = z + damping (F(z) - z). With damping 1 this is the plain iteration, with a smaller one Euler's method
// for the flow dz/dt = F(z) - z.
struct FixedPoint {
  static constexpr std::string_view name = "fixed-point";
  static constexpr bool follows_flow = false;
  double damping = 1.0;
  std::size_t steps = 1000;
  template <class V>
  void fields(V&& v) {
    v("damping", damping), v("steps", steps);
  }
};

// The paper's solver: 30 steps of length 1. To follow the flow it needs more and shorter ones.
struct RungeKutta4 {
  static constexpr std::string_view name = "rk4";
  static constexpr bool follows_flow = true;
  double step = 1.0;
  std::size_t steps = 30;
  template <class V>
  void fields(V&& v) {
    v("step", step), v("steps", steps);
  }
};

// Cash and Karp's pair of orders 4 and 5. `error` bounds the estimated error of a step relative to the
// residual and to the length of the step. An absolute bound would let the step grow until stability, not
// accuracy, limits it, and the search would never settle. A bound that did not shrink with the step would
// outweigh the damping of fast rotations.
struct RungeKutta45 {
  static constexpr std::string_view name = "rk45";
  static constexpr bool follows_flow = true;
  double error = 0.01;
  std::size_t steps = 10000;
  template <class V>
  void fields(V&& v) {
    v("error", error), v("steps", steps);
  }
};

struct Anderson {
  static constexpr std::string_view name = "anderson";
  static constexpr bool follows_flow = false;
  std::size_t memory = 5;
  double damping = 0.5;
  std::size_t steps = 300;
  template <class V>
  void fields(V&& v) {
    v("memory", memory), v("damping", damping), v("steps", steps);
  }
};

// Broyden's first method; forgets everything every `memory` steps.
struct Broyden {
  static constexpr std::string_view name = "broyden";
  static constexpr bool follows_flow = false;
  std::size_t memory = 20;
  std::size_t steps = 300;
  template <class V>
  void fields(V&& v) {
    v("memory", memory), v("steps", steps);
  }
};

// Newton's method from the start. Finds *an* equilibrium, possibly an unstable one.
struct Newton {
  static constexpr std::string_view name = "newton";
  static constexpr bool follows_flow = false;
  static constexpr bool needs_factors = true;
  std::size_t steps = 50;
  template <class V>
  void fields(V&& v) {
    v("steps", steps);
  }
};

// Linearly implicit Euler steps that grow as the residual falls and become Newton's method in the end.
struct PseudoTransient {
  static constexpr std::string_view name = "pseudo-transient";
  static constexpr bool follows_flow = false;
  static constexpr bool needs_factors = true;
  double step = 0.5;
  std::size_t steps = 200;
  template <class V>
  void fields(V&& v) {
    v("step", step), v("steps", steps);
  }
};

// Error-controlled steps of order 3 along the flow: first a few explicit steps, then linearly implicit ones,
// and Newton's method at the end. `error` bounds the estimated error of a step in each unknown, relative to
// max(floor, |z_i|), which keeps the path in the right basin; `share` bounds it relative to the residual.
struct Rosenbrock {
  static constexpr std::string_view name = "rosenbrock";
  static constexpr bool follows_flow = true;
  static constexpr bool needs_factors = true;
  double error = 0.01;
  double step = 0.2;       // the first; each chooses the next
  std::size_t launch = 6;  // explicit steps
  // All steps. After 256 of them, a search ends early if its residual has not fallen during half of them.
  std::size_t steps = 1000;
  double share = 3;
  bool newton = true;  // whether Newton's method may end the search; without it every step follows the flow
  template <class V>
  void fields(V&& v) {
    v("error", error), v("step", step), v("launch", launch), v("steps", steps), v("share", share);
    v("newton", newton);
  }
};

// pseudo-transient with the linear systems solved by GMRES: products with the Jacobian only.
struct NewtonKrylov {
  static constexpr std::string_view name = "newton-krylov";
  static constexpr bool follows_flow = false;
  double step = 0.5;
  std::size_t steps = 200;
  std::size_t memory = 30;  // Krylov vectors a step
  double accuracy = 0.1;    // of a linear solve, relative to its right side
  template <class V>
  void fields(V&& v) {
    v("step", step), v("steps", steps), v("memory", memory), v("accuracy", accuracy);
  }
};

// rosenbrock with the linear systems solved by GMRES: follows the flow with products alone. If the launch
// ends near rest with a step of length `shortcut` or more, Anderson acceleration continues from there as long
// as it makes progress (0: never).
struct RosenbrockKrylov {
  static constexpr std::string_view name = "rosenbrock-krylov";
  static constexpr bool follows_flow = true;
  double error = 0.01;
  double step = 0.2;
  std::size_t launch = 6;
  std::size_t steps = 1000;
  double share = 3;
  bool newton = true;
  double shortcut = 1.6;
  std::size_t memory = 30;  // Krylov vectors a solve
  double accuracy = 0.05;   // of a linear solve, relative to its right side
  template <class V>
  void fields(V&& v) {
    v("error", error), v("step", step), v("launch", launch), v("steps", steps), v("share", share);
    v("newton", newton), v("shortcut", shortcut), v("memory", memory), v("accuracy", accuracy);
  }
};

// Exactly `steps` plain iterations z <- F(z) from the start. The last iterate is the answer, at rest or not:
// the answer of an iterative network of this depth, which the unrolled gradient trains.
struct Iterate {
  static constexpr std::string_view name = "iterate";
  static constexpr bool follows_flow = false;
  static constexpr bool only_iterates = true;
  std::size_t steps = 30;
  template <class V>
  void fields(V&& v) {
    v("steps", steps);
  }
};

// Exactly `steps` steps of a pair that begins at y = z = start and can be run backwards; z is the answer
// (reversible deep equilibrium models, arXiv 2509.12917), which the reversible gradient trains.
//   y+ = (1 - damping) y + damping F(z),   z+ = (1 - damping) z + damping F(y+)
struct Reversible {
  static constexpr std::string_view name = "reversible";
  static constexpr bool follows_flow = false;
  static constexpr bool only_iterates = true;
  std::size_t steps = 30;
  double damping = 0.5;
  template <class V>
  void fields(V&& v) {
    v("steps", steps), v("damping", damping);
  }
};

using Solver = std::variant<Auto, FixedPoint, RungeKutta4, RungeKutta45, Anderson, Broyden, Newton,
                            PseudoTransient, Rosenbrock, NewtonKrylov, RosenbrockKrylov, Iterate, Reversible>;

template <class Options>
constexpr bool needs_factors(const Options&) {
  return requires { requires Options::needs_factors; };
}
template <class Options>
constexpr bool only_iterates(const Options&) {
  return requires { requires Options::only_iterates; };
}
bool follows_flow(const Solver& solver);
bool needs_factors(const Solver& solver);
bool only_iterates(const Solver& solver);

// Networks up to this size are solved with a dense factorisation for each sample, wider ones with products
// alone (docs/solvers.md has the measurement behind it).
inline constexpr std::size_t dense_limit = 48;

// Where there is only one equilibrium, anderson is the fastest beyond this size (docs/solvers.md).
inline constexpr std::size_t flow_limit = 16;

// The solver for n unknowns: Auto becomes one of the others. Throws irn::Error if it cannot be used.
Solver solver_for(const Solver& asked, std::size_t n, bool certified = false);

// The solver that Auto tries next, without a certificate, if its first choice ends at a saddle or in a cycle.
// It is the same method with a small error in every step, without Newton's method; the error of each unknown
// is measured against its own size, down to a millionth.
Solver careful_solver(std::size_t n);
inline constexpr double careful_floor = 1e-6;

template <>
Solver from_text<Solver>(std::string_view text);  // "rk4:step=0.5,steps=400"
std::string to_text(const Solver& solver);
// Throws irn::Error for a value that makes no sense (a step of zero, no steps).
void check(const Solver& solver);

}  // namespace irn
