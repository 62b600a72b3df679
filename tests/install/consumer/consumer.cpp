// A small program on the installed library, the one that docs/library.md walks through: train a network on XOR with the
// exact gradient, look at every verdict, keep the network as a file and predict from that, then solve a fixed-point problem
// of its own.
#include <cmath>
#include <cstdio>

#include "irn/base/version.h"
#include "irn/data/logic_gates.h"
#include "irn/equilibrium/problem.h"
#include "irn/equilibrium/settle.h"
#include "irn/model/predictor.h"
#include "irn/train/trainer.h"

namespace {

bool learns_xor(irn::Network<double>& network) {
  irn::ThreadPool threads(1);
  const irn::Table<double> samples = irn::logic_gate<double>(irn::truth_table("XOR"));
  irn::Trainer<double> trainer(network, {}, threads);  // exact gradient, Adam
  const std::uint64_t all[] = {0, 1, 2, 3};
  for (int step = 0; step < 2000; ++step) trainer.step(samples, all);

  irn::Settler<double> settler(network, {}, threads);
  const irn::Equilibria<double> answers = settler.settle(samples);
  bool right = true;
  for (std::size_t s = 0; s < answers.size(); ++s) {
    const double y = answers.state(s)[0], target = samples.target_row(s)[0];
    std::printf("%s residual %.1e  y = %.3f  (%g)\n", name(answers.verdicts[s].outcome).data(),
                answers.verdicts[s].residual, y, target);
    right = right && answers.settled(s) && std::abs(y - target) < 0.2;
  }
  return right;
}

// Keeps the network as one file and uses it from there, with no word about architectures or solvers.
bool predicts_from_file(const irn::Network<double>& network) {
  irn::write_model("xor.irn", irn::Model<double>{network, irn::plain_encoding(2, 1)});
  irn::Predictor predictor("xor.irn");
  const irn::Prediction p = predictor.predict({1, 0});
  std::printf("1 xor 0 = %.3f\n", p.values[0]);
  return p.settled() && std::abs(p.values[0] - 1) < 0.2;
}

// z = cos z, a map of our own.
bool solves_own_map() {
  irn::Problem problem{.size = 1};
  problem.map = [](std::size_t, std::span<const double> z, std::span<double> f) { f[0] = std::cos(z[0]); };
  const irn::Equilibria<double> answer = irn::settle(problem, 1, {irn::Anderson{.memory = 3}, 1e-12});
  return answer.settled(0) && std::abs(answer.states[0] - 0.7390851332151607) < 1e-10;
}

}  // namespace

int main() {
  irn::Network<double> network(irn::Architecture::parse("2-2"), irn::Start::paper, 1);
  if (!learns_xor(network) || !predicts_from_file(network) || !solves_own_map()) return 1;
  std::printf("irn %s works\n", IRN_VERSION);
}
