// Do the solvers find the state that the dynamics reach from rest? On networks trained on the oscillator task, 5,000 test
// samples each, in double to 1e-8: how many of the samples whose flow settles (RK4, step 0.1, to 1e-12) get the same state
// to 1e-6, and what is said of the others.
//   bench_fidelity           `auto`; status 1 if it falls below 99.9 % (exact gradient) or 99.5 % (semi) on any network, or
//                            settles a sample whose flow does not
//   bench_fidelity --all     every solver of the list beside it; only `auto` is judged
//   --solver TEXT            this solver beside it, in the same way; may be given several times
//   --seeds N                networks a kind (3)
//   --paper                  the paper's recipe of training at any size, not the one for wide layers beyond 32
//   --hidden N               of this size only, instead of 5 and 20 hidden neurons
#include <cstdio>

#include "bench/flow.h"
#include "bench/trained.h"
#include "irn/base/error.h"
#include "irn/base/options_text.h"

namespace irn::bench {
namespace {

constexpr std::size_t samples = 5000;
constexpr double tolerance = 1e-8, distance = 1e-6;

struct Arguments {
  bool all = false, paper = false;
  std::size_t seeds = 3;
  std::vector<std::size_t> hidden = {5, 20};
  std::vector<Solver> solvers;
};

std::size_t number(const char* option, const char* text) {
  std::size_t value = 0;
  if (text && read_value(text, value) && value >= 1 && value <= 1000) return value;
  throw Error(std::string(option) + " takes a number from 1 to 1000" +
              (text ? ", not \"" + std::string(text) + "\"" : ""));
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--all")
      arguments.all = true;
    else if (option == "--paper")
      arguments.paper = true;
    else if (option == "--seeds")
      arguments.seeds = number("--seeds", argv[++i]);
    else if (option == "--solver")
      arguments.solvers.push_back(from_text<Solver>(++i < argc ? argv[i] : ""));
    else if (option == "--hidden")
      arguments.hidden = {number("--hidden", argv[++i])};
    else
      throw Error("unknown argument \"" + std::string(option) +
                  "\"; usage: bench_fidelity [--all] [--solver TEXT] [--paper] [--seeds N] [--hidden N]");
  }
  return arguments;
}

// Every solver that `--all` shows: the list at its defaults, and two with other steps that look tempting.
std::vector<Solver> shown_solvers(const Arguments& arguments) {
  std::vector<Solver> shown = {Auto{}};
  shown.insert(shown.end(), arguments.solvers.begin(), arguments.solvers.end());
  if (!arguments.all) return shown;
  for_each_choice<Solver>([&](const auto& options) {
    if (options.name != Auto::name) shown.push_back(options);
  });
  shown.push_back(RungeKutta4{.step = 0.5, .steps = 2000});
  shown.push_back(NewtonKrylov{.step = 1});
  return shown;
}

// What is said of the samples whose flow does not settle.
std::string names_of_the_others(const Equilibria<double>& found, const Equilibria<double>& flow) {
  std::array<std::size_t, outcome_names.size()> count{};
  for (std::size_t s = 0; s < flow.size(); ++s)
    if (!flow.settled(s)) ++count[static_cast<std::size_t>(found.verdicts[s].outcome)];
  std::string text;
  for (std::size_t k = 0; k < count.size(); ++k)
    if (count[k] > 0) text += " " + std::string(outcome_names[k]) + " " + std::to_string(count[k]);
  return text.empty() ? " -" : text;
}

Agreement show(const NetworkOf<double>& network, const Solver& solver, const Equilibria<double>& flow,
               ThreadPool& threads) {
  Settler<double> settler(network, {.solver = solver, .tolerance = tolerance}, threads);
  const Equilibria<double> found = settler.settle(Oscillator<double>(test_samples(samples)));
  const Agreement a = compare(found, flow, distance);
  std::printf("  %-26s %9.3f %% %6zu %7zu %8zu %12.1f  %s\n", to_text(solver).c_str(), 100 * a.share(),
              a.wrong, a.missed, a.falsely, found.summary().mean_evaluations,
              names_of_the_others(found, flow).c_str());
  return a;
}

bool examine(const Recipe& recipe, NetworkKind kind, const std::vector<Solver>& solvers,
             ThreadPool& threads) {
  const NetworkOf<double> network = trained_as<double>(recipe);
  const Equilibria<double> flow = flow_limits(network, samples, {}, threads);
  std::printf("%s, %s gradient, seed %zu: the flow of %zu of %zu samples settles; others:%s\n",
              to_text(network.architecture()).c_str(), std::string(name(kind)).c_str(),
              std::size_t(recipe.seed), flow.summary().count[0], samples,
              names_of_the_others(flow, flow).c_str());
  const double least = kind == NetworkKind::exact ? 0.999 : 0.995;
  bool good = true;
  for (const Solver& solver : solvers) {
    const Agreement a = show(network, solver, flow, threads);
    if (std::holds_alternative<Auto>(solver)) good = a.share() >= least && a.falsely == 0;
  }
  std::fflush(stdout);
  return good;
}

int examine_all(const Arguments& arguments) {
  ThreadPool threads;
  const std::vector<Solver> solvers = shown_solvers(arguments);
  std::printf("  %-26s %11s %6s %7s %8s %12s   %s\n", "solver", "agrees", "wrong", "missed", "falsely",
              "evaluations", "samples without a flow limit are called");
  std::size_t below = 0;
  for (NetworkKind kind : {NetworkKind::exact, NetworkKind::semi})
    for (std::size_t hidden : arguments.hidden)
      for (std::uint64_t seed = 1; seed <= arguments.seeds; ++seed)
        below +=
            !examine((arguments.paper ? paper_recipe : recipe)(hidden, kind, seed), kind, solvers, threads);
  if (below == 0)
    std::printf(
        "auto agrees with the flow on at least 99.9 %% (exact) and 99.5 %% (semi) everywhere, and names all "
        "others\n");
  else
    std::printf(
        "auto falls below 99.9 %% (exact) or 99.5 %% (semi), or settles what does not, on %zu networks\n",
        below);
  return below == 0 ? 0 : 1;
}

}  // namespace
}  // namespace irn::bench

int main(int argc, char** argv) try {
  return irn::bench::examine_all(irn::bench::parse(argc, argv));
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_fidelity: %s\n", error.what());
  return 2;
}
