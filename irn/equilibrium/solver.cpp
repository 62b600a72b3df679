#include "irn/equilibrium/solver.h"

#include "irn/base/error.h"
#include "irn/base/options_text.h"

namespace irn {
namespace {

// Version 0.1 had Euler's method under a name of its own; its models and configurations can still be read.
struct Euler {
  static constexpr std::string_view name = "euler";
  double step = 0.1;
  std::size_t steps = 2000;
  template <class V>
  void fields(V&& v) {
    v("step", step), v("steps", steps);
  }
};

// A thread factors 16 samples side by side (8 in double precision). The factors take 64 n^2 bytes, and a
// search that confirms keeps two more such matrices (Powers, attraction-inl.h): 768 MiB a thread at this
// size.
constexpr std::size_t largest_dense = 2048;

Solver resolve(const Solver& solver, std::size_t n, bool certified) {
  if (!std::holds_alternative<Auto>(solver)) return solver;
  if (certified) return n <= flow_limit ? Solver(Rosenbrock{}) : Solver(Anderson{.memory = 6, .steps = 100});
  if (n <= dense_limit) return Rosenbrock{};
  return RosenbrockKrylov{};
}

}  // namespace

template <>
Solver from_text<Solver>(std::string_view text) {
  if (text == Euler::name || text.starts_with(std::string(Euler::name) + ":")) {
    const auto old = std::get<Euler>(parse_choice<std::variant<Euler>>(text, "solver"));
    const Solver solver = FixedPoint{.damping = old.step, .steps = old.steps};
    check(solver);
    return solver;
  }
  const Solver solver = parse_choice<Solver>(text, "solver");
  check(solver);
  return solver;
}
std::string to_text(const Solver& solver) { return to_text<>(solver); }

void check(const Solver& solver) {
  std::visit(
      [](auto options) {
        for (const FieldText& field : fields_of(options)) {
          if (field.value == "true" || field.value == "false") continue;
          double value = 0;
          read_value(field.value, value);
          const bool may_be_zero = field.key == "launch" || field.key == "shortcut" ||
                                   (field.key == "memory" && options.name == Anderson::name);
          if (!(value > 0 || (may_be_zero && value == 0)))
            throw Error("solver " + std::string(options.name) + ": " + field.key + " is " + field.value +
                        (may_be_zero ? "; it must not be below zero" : "; it must be above zero"));
          if (field.key == "memory" && value > 1000)
            throw Error("solver " + std::string(options.name) + ": memory is " + field.value +
                        "; at most 1000 make sense");
          constexpr double most_steps = 1e6;  // counted in the number type of the lanes, which may be float
          if ((field.key == "steps" || field.key == "launch") && value > most_steps)
            throw Error("solver " + std::string(options.name) + ": " + field.key + " is " + field.value +
                        "; at most 1000000 can be counted");
        }
        if constexpr (std::is_same_v<decltype(options), Reversible>)
          if (!(options.damping < 1)) throw Error("solver reversible: damping must lie in (0, 1)");
      },
      solver);
}

bool follows_flow(const Solver& solver) {
  return std::visit([](const auto& options) { return options.follows_flow; }, solver);
}
bool needs_factors(const Solver& solver) {
  return std::visit([](const auto& options) { return needs_factors(options); }, solver);
}
bool only_iterates(const Solver& solver) {
  return std::visit([](const auto& options) { return only_iterates(options); }, solver);
}

Solver careful_solver(std::size_t n) {
  if (n <= dense_limit)
    return Rosenbrock{
        .error = 0.001, .step = 0.05, .launch = 0, .steps = 1000, .share = 0.02, .newton = false};
  return RosenbrockKrylov{.error = 0.001,
                          .step = 0.05,
                          .launch = 0,
                          .steps = 1000,
                          .share = 0.02,
                          .newton = false,
                          .shortcut = 0};
}

Solver solver_for(const Solver& asked, std::size_t n, bool certified) {
  const Solver solver = resolve(asked, n, certified);
  check(solver);
  if (needs_factors(solver) && n > largest_dense)
    throw Error("solver " + to_text(solver) + " factors a " + std::to_string(n) + " x " + std::to_string(n) +
                " matrix a sample; above " + std::to_string(largest_dense) +
                " neurons take newton-krylov or anderson");
  return solver;
}

}  // namespace irn
