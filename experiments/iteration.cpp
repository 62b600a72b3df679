// Claim 11: the plain iteration compared with the differential equation, over the size of a network.
//
//   plain iteration   z <- F(z)              stable where every eigenvalue of D A has |lambda| < 1
//   the flow          dz/dt = F(z) - z       stable where every one has Re lambda < 1
//
// So the iteration loses where eigenvalues are large and negative: where neurons inhibit each other, as in
// Foldiak's networks. For independent weights of both signs the eigenvalues fill a disc about zero (circular
// law), and both lose stability at about the same size. Both kinds are drawn; trained networks are in part
// `solvers`.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/random_network.h"
#include "experiments/small_parts.h"
#include "experiments/statistics.h"
#include "irn/base/random.h"
#include "irn/engine/settler.h"

namespace irn::experiments {
namespace {

struct Ensemble {
  std::string_view name, label;
  Interval weights;
};
constexpr std::array ensembles = {
    Ensemble{"inhibiting", "W in [-1, 0]", {-1, 0}},
    Ensemble{"both-1", "W in [-1, 1]", {-1, 1}},
    Ensemble{"both-2", "W in [-2, 2]", {-2, 2}},
    Ensemble{"both-4", "W in [-4, 4]", {-4, 4}},
};
constexpr std::array<std::size_t, 8> sizes = {2, 4, 8, 16, 32, 64, 128, 256};
constexpr std::size_t usual_inputs = 10;
// According to the paper the iteration also fails for many inputs: other numbers of inputs at one size.
constexpr std::array<std::size_t, 4> input_counts = {1, 10, 100, 1000};
constexpr std::size_t size_for_inputs = 16;
constexpr std::size_t samples_a_network = 16;

struct Way {
  std::string_view label;
  std::string_view solver;
};
// Both explicit methods follow the flow to time 200.
constexpr std::array ways = {Way{"plain iteration, 200", "fixed-point:steps=200"},
                             Way{"plain iteration, 1000", "fixed-point:steps=1000"},
                             Way{"Euler, h = 0.1", "fixed-point:damping=0.1,steps=2000"},
                             Way{"RK4, h = 0.5", "rk4:step=0.5,steps=400"}, Way{"irn's default", "auto"}};
// The two that judge the claim. irn's default is not the flow itself: for wide networks it may find an
// equilibrium that the flow has not reached by time 200, or never would.
constexpr std::size_t plain = 1, flow = 3;

std::size_t networks(const Protocol& p) { return std::max<std::size_t>(2, p.xor_seeds / 50); }

std::string key(const Ensemble& e, std::size_t size, std::size_t inputs) {
  return fmt::format("iteration-{}-n{:03}-k{:04}", e.name, size, inputs);
}

// How many samples each way settles.
Json count_settled(const Protocol& p, const Ensemble& e, std::size_t size, std::size_t inputs,
                   const Watch& watch) {
  ThreadPool threads(1);
  std::vector<std::size_t> settled(ways.size(), 0);
  const Stream seeds(p.seed, 0x69746572);  // "iter"
  for (std::size_t k = 0; k < networks(p); ++k) {
    const std::uint64_t seed = seeds.bits(k);
    const auto network = random_network<float>(fmt::format("{}-{}", inputs, size), seed, e.weights);
    const auto samples = random_samples<float>(samples_a_network, inputs, seed);
    for (std::size_t w = 0; w < ways.size(); ++w) {
      watch.check();
      Settler<float> settler(network, {.solver = from_text<Solver>(ways[w].solver)}, threads);
      settled[w] += settler.settle(samples).summary().count[0];
    }
  }
  return {{"samples", networks(p) * samples_a_network}, {"settled", settled}};
}

std::vector<Job> jobs(const Protocol& p) {
  std::vector<Job> all;
  const auto add = [&](const Ensemble& e, std::size_t size, std::size_t inputs) {
    const double cost = double(networks(p)) * (1e-3 + 4e-7 * double(size * size));
    all.push_back({key(e, size, inputs), cost, [p, e, size, inputs](const Watch& watch) {
                     return count_settled(p, e, size, inputs, watch);
                   }});
  };
  for (const Ensemble& e : ensembles) {
    for (const std::size_t size : sizes) add(e, size, usual_inputs);
    for (const std::size_t inputs : input_counts)
      if (inputs != usual_inputs) add(e, size_for_inputs, inputs);
  }
  return all;
}

Share settled_share(const Results& results, const Ensemble& e, std::size_t size, std::size_t inputs,
                    std::size_t way) {
  const Json& json = results.at(key(e, size, inputs));
  return share(json.at("settled").at(way).get<std::size_t>(), json.at("samples").get<std::size_t>());
}

void append(report::Series& s, double x, const Share& share) {
  s.x.push_back(x), s.y.push_back(100 * share.value);
}

report::Panel size_panel(const Results& results, const Ensemble& e, char letter) {
  report::Panel panel{.title = fmt::format("({}) {}", letter, e.label),
                      .x = {.label = "neurons", .log = true},
                      .y = {.label = "samples settled (%)", .range = report::Range{-4, 104}}};
  for (std::size_t w = 0; w < ways.size(); ++w) {
    report::Series s{.label = std::string(ways[w].label), .mark = report::Mark::both};
    for (const std::size_t size : sizes)
      append(s, double(size), settled_share(results, e, size, usual_inputs, w));
    panel.series.push_back(s);
  }
  panel.legend = letter == 'a' ? report::Legend::above : report::Legend::none;
  return panel;
}

report::Panel input_panel(const Results& results) {
  report::Panel panel{.title = fmt::format("(e) {} neurons, plain iteration", size_for_inputs),
                      .x = {.label = "inputs", .log = true},
                      .y = {.label = "samples settled (%)", .range = report::Range{-4, 104}}};
  for (const Ensemble& e : ensembles) {
    report::Series s{
        .label = std::string(e.label), .mark = report::Mark::both, .colour = int(&e - ensembles.data())};
    for (const std::size_t inputs : input_counts)
      append(s, double(inputs), settled_share(results, e, size_for_inputs, inputs, plain));
    panel.series.push_back(s);
  }
  panel.legend = report::Legend::above;
  return panel;
}

report::Figure figure(const Protocol& p, const Results& results) {
  report::Figure f{
      .name = "iteration",
      .caption = fmt::format(
          "Share of samples that settle, over the size of random one-layer networks ({} networks of {} "
          "samples "
          "a point, {} standard normal inputs, Q and T in [-0.5, 0.5]). (a) Neurons that inhibit each other. "
          "(b, c, d) Weights of both signs. (e) Over the number of inputs.",
          networks(p), samples_a_network, usual_inputs)};
  for (std::size_t k = 0; k < ensembles.size(); ++k)
    f.panels.push_back(size_panel(results, ensembles[k], static_cast<char>('a' + k)));
  f.panels.push_back(input_panel(results));
  return f;
}

// At the largest size at which the differential equation settles at least a tenth of the samples.
struct Comparison {
  std::size_t size = 0;
  double plain = 0, flow = 0;
  double ratio() const { return plain / flow; }
};

Comparison compare(const Results& results, const Ensemble& e) {
  Comparison last;
  for (const std::size_t size : sizes) {
    const double share = settled_share(results, e, size, usual_inputs, flow).value;
    if (share >= 0.1) last = {size, settled_share(results, e, size, usual_inputs, plain).value, share};
  }
  return last;
}

Claim judge(const Results& results) {
  Claim claim{
      .number = 11,
      .statement =
          "The plain iteration fails on large networks where the differential equation still settles."};
  std::size_t apart = 0;
  for (const Ensemble& e : ensembles) {
    const Comparison c = compare(results, e);
    apart += c.size > 0 && c.ratio() < 0.1;
    claim.measured += fmt::format("{}, {} neurons: the iteration settles {:.0f} %, the equation {:.0f} %; ",
                                  e.label, c.size, 100 * c.plain, 100 * c.flow);
    claim.numbers[std::string(e.name)] = {{"neurons", c.size}, {"plain", c.plain}, {"flow", c.flow}};
  }
  claim.measured += fmt::format(
      "in {} of {} kinds of random networks the iteration settles less than a tenth of what the equation "
      "(RK4) does, at the largest size at which the equation settles 10 % or more (holds if in all)",
      apart, ensembles.size());
  claim.finding = apart == ensembles.size() ? Finding::holds : apart > 0 ? Finding::partly : Finding::fails;
  return claim;
}

PartReport assemble(const Protocol& p, const Results& results) {
  PartReport report;
  report.text = {
      "The plain iteration is stable where every eigenvalue of D A has a modulus below one, the differential "
      "equation where every one has a real part below one. Neurons that inhibit each other have one large "
      "negative eigenvalue: there the iteration jumps between two states while the equation settles. "
      "Independent weights of both signs have eigenvalues all over a disc: as it grows beyond one, the "
      "equation itself settles ever less often. At 16 neurons we do not find that many inputs harm the "
      "iteration, as the paper says: with a thousand of them, which drive the neurons to where f is flat, it "
      "settles at least as often as with ten. Trained networks are in the part on solvers."};
  report.figures = {figure(p, results)};
  report.claims = {judge(results)};
  return report;
}

}  // namespace

Part iteration_part() {
  return {"iteration", "Plain iteration against the differential equation", jobs, assemble};
}

}  // namespace irn::experiments
