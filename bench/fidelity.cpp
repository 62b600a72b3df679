// Do the solvers find the state that the dynamics reach from rest? On networks trained on the oscillator
// task, with 5,000 test samples each, and on wild random ones, in double to 1e-8: how many of the samples
// whose flow settles (RK4, step 0.1, to 1e-12) get the same state to 1e-6, and what the verdicts on the
// others are.
//   bench_fidelity           `auto`; status 1 if on any trained network it falls below 99.97 % (exact
//                            gradient) or 99.8 % (semi), or settles a sample whose flow does not. The wild
//                            networks are only shown: chaos on the way to rest leaves no path to follow
//   bench_fidelity --all     also every solver of the list; only `auto` is judged
//   --solver TEXT            also this solver, in the same way; may be given several times
//   --seeds N                networks of each kind (6)
//   --wild                   the random networks only; --trained: the others only
//   --paper                  the paper's recipe of training at any size, instead of another above 32 neurons
//   --hidden N               only this size, instead of 5 and 20 hidden neurons
#include <cmath>
#include <cstdio>

#include "bench/flow.h"
#include "bench/trained.h"
#include "irn/base/error.h"
#include "irn/base/options_text.h"
#include "irn/base/random.h"
#include "irn/data/sample_table.h"

namespace irn::bench {
namespace {

constexpr std::size_t samples = 5000;
constexpr double tolerance = 1e-8, distance = 1e-6;

struct Arguments {
  bool all = false, paper = false, trained = true, wild = true;
  std::size_t seeds = 6;
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
    else if (option == "--wild")
      arguments.trained = false;
    else if (option == "--trained")
      arguments.wild = false;
    else if (option == "--seeds")
      arguments.seeds = number("--seeds", argv[++i]);
    else if (option == "--solver")
      arguments.solvers.push_back(from_text<Solver>(++i < argc ? argv[i] : ""));
    else if (option == "--hidden")
      arguments.hidden = {number("--hidden", argv[++i])}, arguments.wild = false;
    else
      throw Error("unknown argument \"" + std::string(option) +
                  "\"; usage: bench_fidelity [--all] [--solver TEXT] [--paper] [--seeds N] [--hidden N] "
                  "[--wild] [--trained]");
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

// The verdicts on samples whose flow does not settle.
std::string names_of_the_others(const Equilibria<double>& found, const Equilibria<double>& flow) {
  std::array<std::size_t, outcome_names.size()> count{};
  for (std::size_t s = 0; s < flow.size(); ++s)
    if (!flow.settled(s)) ++count[static_cast<std::size_t>(found.verdicts[s].outcome)];
  std::string text;
  for (std::size_t k = 0; k < count.size(); ++k)
    if (count[k] > 0) text += " " + std::string(outcome_names[k]) + " " + std::to_string(count[k]);
  return text.empty() ? " -" : text;
}

// The share required of `auto`.
constexpr double least_share(NetworkKind kind) { return kind == NetworkKind::exact ? 0.9997 : 0.998; }

class Examination {
 public:
  explicit Examination(const Arguments& arguments)
      : arguments_(arguments), solvers_(shown_solvers(arguments)) {}

  int run() {
    std::printf("  %-26s %11s %6s %7s %8s %12s   %s\n", "solver", "agrees", "wrong", "missed", "falsely",
                "evaluations", "samples without a flow limit are called");
    if (arguments_.trained) trained_networks();
    if (arguments_.wild) wild_networks();
    if (arguments_.trained)
      std::printf(
          failed_ == 0
              ? "auto agrees with the flow on at least 99.97 %% (exact) and 99.8 %% (semi) of the samples of "
                "every trained network, and names all others\n"
              : "auto falls below 99.97 %% (exact) or 99.8 %% (semi), or settles what does not, on %zu "
                "networks\n",
          failed_);
    return failed_ == 0 ? 0 : 1;
  }

 private:
  void trained_networks() {
    for (NetworkKind kind : {NetworkKind::exact, NetworkKind::semi})
      for (std::size_t hidden : arguments_.hidden)
        for (std::uint64_t seed = 1; seed <= arguments_.seeds; ++seed) {
          const Recipe recipe = (arguments_.paper ? paper_recipe : bench::recipe)(hidden, kind, seed);
          const std::vector<Agreement> all =
              examine(trained_as<double>(recipe), Oscillator<double>(test_samples(samples)),
                      ", " + std::string(name(kind)) + " gradient, seed " + std::to_string(seed));
          failed_ += all.front().share() < least_share(kind) || all.front().falsely > 0;
        }
  }

  // Weights of A with standard deviation gain / sqrt(n), far beyond those of trained networks: cycles, many
  // equilibria, long transients.
  void wild_networks() {
    std::vector<Agreement> sum(solvers_.size());
    for (const char* activation : {"sigmoid", "tanh"})
      for (const std::size_t neurons : {7u, 20u, 40u, 60u})
        for (const double gain : {5.0, 10.0, 15.0})
          for (std::uint64_t seed = 1; seed <= arguments_.seeds; ++seed) {
            const std::string text = "5-" + std::to_string(neurons) + activation;
            const std::vector<Agreement> all =
                examine(wild_network(text, gain, seed), wild_samples(seed),
                        ", gain " + write_value(gain) + ", seed " + std::to_string(seed));
            for (std::size_t k = 0; k < all.size(); ++k) sum[k] += all[k];
          }
    std::printf("all wild networks together\n");
    for (std::size_t k = 0; k < solvers_.size(); ++k) print(solvers_[k], sum[k], 0, "");
  }
  static NetworkOf<double> wild_network(const std::string& text, double gain, std::uint64_t seed) {
    NetworkOf<double> network(from_text<Architecture>(text), Start::scaled, seed);
    const Stream stream(seed, 77);
    const double n = double(network.architecture().neurons());
    for (const Block& block : network.architecture().blocks())
      for (std::size_t k = 0; k < block.rows * block.cols; ++k)
        network.parameters()[block.weights + k] =
            stream.normal(block.weights + k) * (block.from_input() ? 1 : gain / std::sqrt(n));
    return network;
  }
  static SampleTable<double> wild_samples(std::uint64_t seed) {
    constexpr std::size_t count = 200, inputs = 5;
    std::vector<double> x(count * inputs);
    const Stream stream(seed, 78);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = stream.normal(k);
    return SampleTable<double>(inputs, 0, std::move(x), {});
  }

  // Compares every solver with the flow.
  std::vector<Agreement> examine(const NetworkOf<double>& network, const Samples<double>& inputs,
                                 const std::string& which) {
    const Equilibria<double> flow = flow_limits(network, inputs, {.more_steps = 200'000}, threads_);
    std::printf("%s%s: the flow of %zu of %zu samples settles; others:%s\n",
                to_text(network.architecture()).c_str(), which.c_str(), flow.summary().settled(), flow.size(),
                names_of_the_others(flow, flow).c_str());
    std::vector<Agreement> all;
    for (const Solver& solver : solvers_) {
      Settler<double> settler(network, {.solver = solver, .tolerance = tolerance}, threads_);
      const Equilibria<double> found = settler.settle(inputs);
      all.push_back(compare(found, flow, distance));
      print(solver, all.back(), found.summary().mean_evaluations, names_of_the_others(found, flow));
    }
    std::fflush(stdout);
    return all;
  }
  static void print(const Solver& solver, const Agreement& a, double evaluations, const std::string& others) {
    std::printf("  %-26s %9.3f %% %6zu %7zu %8zu %12.1f  %s\n", to_text(solver).c_str(), 100 * a.share(),
                a.wrong, a.missed, a.falsely, evaluations, others.c_str());
  }

  const Arguments& arguments_;
  std::vector<Solver> solvers_;
  ThreadPool threads_;
  std::size_t failed_ = 0;
};

}  // namespace
}  // namespace irn::bench

int main(int argc, char** argv) try {
  const irn::bench::Arguments arguments = irn::bench::parse(argc, argv);
  return irn::bench::Examination(arguments).run();
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_fidelity: %s\n", error.what());
  return 2;
}
