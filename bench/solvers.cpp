// Comparison of solvers: one thread, float, trained networks (exact gradient).
//   solver     every solver of the list at its defaults, 5, 20 and 64 hidden neurons
//   crossover  rosenbrock (a factorisation for each sample), newton-krylov and rosenbrock-krylov (products)
//              as networks grow
//   krylov     options of newton-krylov
//   certified  the same, and anderson, newton and auto, on networks with a certificate and so one equilibrium
//   width      samples side by side in rosenbrock: half a register, or a whole one
//   wide_step  one training step with either solver; dense_limit chooses the adjoint
// Counters: settled, agrees (both shares; solvers that do not follow the flow may settle elsewhere),
// evaluations. Answers are compared but not required to agree: their differences are part of what is
// measured.
#include "bench/harness.h"
#include "bench/kernels.h"
#include "irn/base/options_text.h"
#include "irn/equilibrium/chunk_solver.h"
#include "irn/train/trainer.h"

namespace irn::bench {
namespace {

void report(benchmark::State& state, const Workload<float>& work, const Equilibria<float>& out) {
  state.SetItemsProcessed(state.iterations() * std::int64_t(out.size()));
  const Summary summary = out.summary();
  state.counters["settled"] = summary.settled_share();
  state.counters["agrees"] = compare(out, work.flow, agreement_distance<float>).share();
  state.counters["evaluations"] = summary.mean_evaluations;
}

void settle(benchmark::State& state, std::size_t hidden, NetworkKind kind, const Solver& solver) {
  Workload<float>& work = workload<float>(hidden, kind);
  Settler<float> settler(work.network, {.solver = solver, .certified = kind == NetworkKind::certified},
                         pool(1));
  const std::span<const std::uint64_t> index =
      std::span(work.index).first(std::min<std::size_t>(work.index.size(), 8192));
  Equilibria<float> out;
  for (auto _ : state) settler.settle(work.samples, index, out);
  report(state, work, out);
}

void width(benchmark::State& state, std::size_t hidden, std::size_t lanes) {
  Workload<float>& work = workload<float>(hidden, NetworkKind::exact);
  const PackedNetwork<float> packed(work.network, {.dense_a = true});
  const std::size_t n = packed.neurons(), count = 64 * lanes;
  const auto solver = make_chunk_solver<float>(
      packed, Rosenbrock{}, Rules<double>{.tolerance = default_tolerance<float>(), .bounded = true},
      {lanes, count});
  Equilibria<float> out{n, std::vector<float>(work.index.size() * n),
                        std::vector<Verdict>(work.index.size())};
  const std::span<const std::uint64_t> index = work.index;
  const auto all = [&] {
    for (std::size_t first = 0; first < index.size(); first += count)
      solver->solve(work.samples, index.subspan(first, std::min(count, index.size() - first)), {},
                    out.states.data() + first * n, out.verdicts.data() + first);
  };
  all();
  for (auto _ : state) all();
  report(state, work, out);
}

void wide_step(benchmark::State& state, std::size_t hidden, NetworkKind kind, const Solver& solver) {
  NetworkOf<float> network = workload<float>(hidden, NetworkKind::exact).network;
  const Gradient gradient = recipe(hidden, kind).gradient;
  Trainer<float> trainer(
      network,
      {.gradient = {.gradient = gradient, .settle = {.solver = solver}}, .optimiser = Adam{.rate = 1e-9}},
      pool(1));
  const Oscillator<float> samples(test_samples(1 << 16));
  std::vector<std::uint64_t> index(256);
  StepReport last;
  for (auto _ : state) {
    std::iota(index.begin(), index.end(), state.iterations() % 256 * 256);
    last = trainer.step(samples, index);
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["settled"] = double(last.settled) / double(last.samples);
}

template <class... Arguments>
void add_job(const std::string& title, Arguments&&... arguments) {
  add(title, benchmark::kMillisecond, 1, arguments...);
}

void register_list() {
  for (std::size_t hidden : {5, 20, 64})
    for_each_choice<Solver>([&](const auto& options) {
      add_job(label("solver", hidden, options.name), settle, hidden, NetworkKind::exact, Solver(options));
    });
}

void register_crossover() {
  for (std::size_t hidden : {14, 22, 30, 38, 46, 54, 62, 78, 94, 126})
    for (const Solver& solver : {Solver(Rosenbrock{}), Solver(NewtonKrylov{}), Solver(RosenbrockKrylov{})}) {
      add_job(label("crossover", hidden, to_text(solver)), settle, hidden, NetworkKind::exact, solver);
      add_job(label("wide_step_exact", hidden, to_text(solver)), wide_step, hidden, NetworkKind::exact,
              solver);
      add_job(label("wide_step_semi", hidden, to_text(solver)), wide_step, hidden, NetworkKind::semi, solver);
    }
}

void register_certified() {
  for (std::size_t hidden : {5, 14, 22, 30, 38, 46, 64, 126})
    for (const Solver& solver : {Solver(Auto{}), Solver(Newton{}), Solver(Anderson{.memory = 6}),
                                 Solver(Rosenbrock{}), Solver(RosenbrockKrylov{})})
      add_job(label("certified", hidden, to_text(solver)), settle, hidden, NetworkKind::certified, solver);
}

void register_krylov() {
  for (NetworkKind kind : {NetworkKind::exact, NetworkKind::semi})
    for (std::size_t hidden : {64, 256})
      for (double accuracy : {0.5, 0.3, 0.1, 0.03, 0.01})
        for (std::size_t memory : {10, 30})
          for (double step : {0.5, 1.0}) {
            const NewtonKrylov options{.step = step, .memory = memory, .accuracy = accuracy};
            add_job(label("krylov_" + std::string(name(kind)), hidden, to_full_text(options)), settle, hidden,
                    kind, Solver(options));
          }
}

void register_widths() {
  for (std::size_t hidden : {5, 10, 20, 32})
    for (std::size_t lanes : {lane_product_width() / 2, lane_product_width()})
      add_job(label("width", hidden, std::to_string(lanes)), width, hidden, lanes);
}

void register_all() {
  register_list();
  register_crossover();
  register_certified();
  register_krylov();
  register_widths();
}

}  // namespace
}  // namespace irn::bench

int main(int argc, char** argv) { return irn::bench::run(argc, argv, irn::bench::register_all); }
