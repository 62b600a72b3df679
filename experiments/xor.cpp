// Claims 2 to 5: XOR by one layer of two neurons (figures 2 and 3 of the paper), over many starts, and irn's
// default training compared with the paper's.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/small_parts.h"
#include "experiments/xor_results.h"
#include "experiments/xor_training.h"

namespace irn::experiments {
namespace {

constexpr std::size_t seeds_a_job = 50;
// Seconds on one core for a step: settling and gradient of four patterns.
constexpr double seconds_a_step = 3e-6;

// Figures show fewer than three digits.
double rounded(double value) {
  if (!(value > 0)) return value;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::round(value / unit) * unit;
}

Json train_many(const Protocol& p, const XorVariant& variant, std::size_t first, std::size_t count,
                const Watch& watch) {
  Json json = {{"seeds", count}};
  for (std::size_t i = first; i < first + count; ++i) {
    const XorRecord record = train_xor(variant, xor_start(p, i), p.xor_steps, p.rate, watch);
    json["first"].push_back(record.first_solved);
    json["solved"].push_back(record.end.solved());
    json["falls"].push_back(record.falls);
    json["gate"].push_back(record.end.gate());
    json["error"].push_back(record.end.error());
    json["unsettled"].push_back(record.unsettled);
    Json curve = Json::array();
    for (std::size_t k = 0; k < record.errors.size(); k += looks_a_curve_point)
      curve.push_back(rounded(record.errors[k]));
    json["curves"].push_back(std::move(curve));
  }
  return json;
}

// The runs in the figures, all from the same start: the curve at every look, and the answers at the end.
Json train_shown(const Protocol& p, const Watch& watch) {
  Json json;
  for (std::size_t v = 0; v < main_xor_variants; ++v) {
    const XorVariant& variant = xor_variants()[v];
    const XorRecord record = train_xor(variant, p.seed, p.xor_steps, p.rate, watch);
    json[std::string(variant.name)] = {{"errors", record.errors},      {"y1", record.end.y1},
                                       {"y2", record.end.y2},          {"settled", record.end.settled},
                                       {"gate", record.end.gate()},    {"solved", record.end.solved()},
                                       {"first", record.first_solved}, {"falls", record.falls}};
  }
  return json;
}

std::vector<Job> jobs(const Protocol& p) {
  const double seconds = seconds_a_step * double(p.xor_steps);
  std::vector<Job> all = {
      {"xor-shown", main_xor_variants * seconds, [p](const Watch& watch) { return train_shown(p, watch); }}};
  for (const XorVariant& variant : xor_variants()) {
    const std::size_t seeds = xor_seeds(p, variant);
    for (std::size_t first = 0; first < seeds; first += seeds_a_job) {
      const std::size_t count = std::min(seeds_a_job, seeds - first);
      all.push_back(
          {xor_key(variant, first / seeds_a_job), double(count) * seconds,
           [=, &variant](const Watch& watch) { return train_many(p, variant, first, count, watch); }});
    }
  }
  return all;
}

Claim solves_claim(const XorTally& exact, const XorTally& standard) {
  const Share ever = exact.ever(), end = exact.at_end();
  return {.number = 2,
          .statement =
              "A one-layer, two-neuron implicit network solves XOR although only one neuron has a target.",
          .measured = fmt::format("solved at some step by {}, at the end by {} of {} starts (holds if the "
                                  "interval of the latter lies "
                                  "above 50 %); {} had been solved and were not at the end. With irn's "
                                  "default training {} of {} end solved",
                                  text(ever), text(end), exact.seeds, exact.fell_off, standard.solved,
                                  standard.seeds),
          .finding = end.low > 0.5           ? Finding::holds
                     : exact.ever_solved > 0 ? Finding::partly
                                             : Finding::fails,
          .numbers = {{"exact", exact.json()}, {"default", standard.json()}}};
}

Claim helper_claim(const XorTally& exact) {
  const Share helpers = share(exact.helpers(), exact.solved),
              nor = share(exact.solved_gates[1], exact.solved);
  const std::size_t itself = exact.solved_gates[6] + exact.solved_gates[9];
  return {.number = 3,
          .statement = "The free neuron becomes a helper gate.",
          .measured = fmt::format(
              "Y2 is a gate that makes XOR linearly separable in {} of the solved starts (holds if "
              "the interval lies above 50 %), NOR as in the paper's run in {}; in {} Y2 is XOR or "
              "its negation itself",
              text(helpers), text(nor), text(share(itself, exact.solved))),
          .finding = helpers.low > 0.5     ? Finding::holds
                     : exact.helpers() > 0 ? Finding::partly
                                           : Finding::fails,
          .numbers = {{"solved", exact.solved}, {"helpers", exact.helpers()}, {"gates", exact.gates_json()}}};
}

Claim feed_forward_claim(const XorTally& tally) {
  const double least = quantile(tally.errors, 0);
  return {
      .number = 4,
      .statement = "A one-layer feed-forward network cannot solve XOR.",
      .measured = fmt::format(
          "{} of {} starts solve it at any step (holds if none does); least error at the end {:.4f}, that of "
          "answering 1/2 is 0.25. It cannot: the drive u of Y1 is affine in (a, b), so u(00) + u(11) = u(01) "
          "+ "
          "u(10), while XOR needs the left side negative and the right side positive",
          tally.ever_solved, tally.seeds, least),
      .finding = tally.ever_solved == 0 ? Finding::holds : Finding::fails,
      .numbers = tally.json()};
}

// "Solves" and "does not" mean nine in ten starts; partly if the second target helps beyond doubt, but less
// clearly.
Claim semi_claim(const XorTally& two, const XorTally& one) {
  const bool clear = two.at_end().value >= 0.9 && one.at_end().value <= 0.1;
  const bool helps = two.at_end().low > one.at_end().high;
  return {
      .number = 5,
      .statement = "The semi-gradient solves XOR when both neurons have targets, and not when only one has.",
      .measured =
          fmt::format("solved at the end: both targets {}, one target {} (holds at 90 % or more against 10 % "
                      "or less); at some step: {} and {}",
                      text(two.at_end()), text(one.at_end()), text(two.ever()), text(one.ever())),
      .finding = clear   ? Finding::holds
                 : helps ? Finding::partly
                         : Finding::fails,
      .numbers = {{"both_targets", two.json()}, {"one_target", one.json()}}};
}

std::vector<std::string> paragraphs(const Protocol& p, const std::vector<XorTally>& tallies) {
  const XorTally &exact = tallies[0], &standard = tallies[4];
  return {
      fmt::format(
          "One layer of two neurons, two inputs, all four patterns a step, Adam at {:g}, {} steps, {} starts "
          "drawn as in the paper (the same for every variant). Solved: all four patterns settled and |Y1 - "
          "target| "
          "< 0.2, looked at every {} steps.",
          p.rate, p.xor_steps, p.xor_seeds, steps_between_looks),
      fmt::format("With the paper's settings {} of {} starts solve XOR at some step, the median one at step "
                  "{:g}; {} are "
                  "still or again solved at the end and {} have fallen off: the equilibrium reached from "
                  "rest vanishes, or "
                  "rest leaves its basin, while the weights move, and the state jumps to another (on average "
                  "{:.1f} times a "
                  "start; most are learned again).",
                  exact.ever_solved, exact.seeds, quantile(exact.first, 0.5), exact.solved, exact.fell_off,
                  exact.mean_falls()),
      fmt::format("irn's default training takes the same steps with gradients clipped to norm 1 and ends "
                  "with the best "
                  "parameters seen: {} of {} starts end solved; the worst error at the end is {:.2g}.",
                  standard.solved, standard.seeds, quantile(standard.errors, 1)),
  };
}

PartReport assemble(const Protocol& p, const Results& results) {
  const std::vector<XorTally> tallies = xor_tallies(p, results);
  PartReport report;
  report.text = paragraphs(p, tallies);
  report.figures = {xor_error_figure(p, results, tallies), xor_gate_figure(tallies)};
  report.tables = {xor_share_table(tallies), xor_answer_table(results.at("xor-shown"), 0),
                   xor_answer_table(results.at("xor-shown"), 1)};
  report.claims = {solves_claim(tallies[0], tallies[4]), helper_claim(tallies[0]),
                   feed_forward_claim(tallies[3]), semi_claim(tallies[1], tallies[2])};
  return report;
}

}  // namespace

Part xor_part() { return {"xor", "XOR by one layer of two neurons", jobs, assemble}; }

}  // namespace irn::experiments
