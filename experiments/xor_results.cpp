#include "experiments/xor_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/small_parts.h"
#include "irn/data/logic_gates.h"

namespace irn::experiments {
namespace {

void add(XorTally& tally, const Json& part) {
  const std::size_t count = part.at("seeds").get<std::size_t>();
  for (std::size_t i = 0; i < count; ++i) {
    const bool solved = part.at("solved").at(i).get<bool>();
    const double first = number(part.at("first").at(i));
    const std::size_t gate = part.at("gate").at(i).get<std::size_t>();
    ++tally.seeds;
    tally.solved += solved;
    tally.ever_solved += first >= 0;
    tally.fell_off += first >= 0 && !solved;
    if (first >= 0) tally.first.push_back(first);
    tally.falls += part.at("falls").at(i).get<std::size_t>();
    ++tally.gates[gate];
    tally.solved_gates[gate] += solved;
    tally.errors.push_back(number(part.at("error").at(i)));
    tally.curves.push_back(numbers(part.at("curves").at(i)));
    tally.unsettled += number(part.at("unsettled").at(i));
  }
}

// The median over the starts, with the band that contains eighty in a hundred.
report::Series median_curve(const XorTally& tally, const XorVariant& variant) {
  report::Series s{.label = tally.label, .colour = variant.colour, .dash = variant.dash};
  for (std::size_t k = 0; k < tally.curves.front().size(); ++k) {
    std::vector<double> values;
    for (const std::vector<double>& curve : tally.curves) values.push_back(curve[k]);
    s.x.push_back(double(k * looks_a_curve_point * steps_between_looks));
    s.y.push_back(quantile(values, 0.5));
    s.low.push_back(quantile(values, 0.1));
    s.high.push_back(quantile(values, 0.9));
  }
  return s;
}

report::Series shown_curve(const Json& shown, const XorVariant& variant) {
  report::Series s{.label = std::string(variant.label),
                   .y = numbers(shown.at(std::string(variant.name)).at("errors")),
                   .colour = variant.colour,
                   .dash = variant.dash};
  for (std::size_t k = 0; k < s.y.size(); ++k) s.x.push_back(double(k * steps_between_looks));
  return s;
}

std::string step_text(double step) { return std::isnan(step) ? "–" : fmt::format("{:g}", step); }
std::string error_text(double error) {
  return std::isfinite(error) ? fmt::format("{:.2g}", error) : "not settled";
}

}  // namespace

std::size_t xor_seeds(const Protocol& protocol, const XorVariant& variant) {
  return variant.aside ? std::max<std::size_t>(1, protocol.xor_seeds / 10) : protocol.xor_seeds;
}

std::string xor_key(const XorVariant& variant, std::size_t job) {
  return fmt::format("xor-{}-{:04}", variant.name, job);
}

std::size_t XorTally::helpers() const {
  std::size_t count = 0;
  for (unsigned gate = 0; gate < solved_gates.size(); ++gate)
    if (is_helper(gate)) count += solved_gates[gate];
  return count;
}

Json XorTally::json() const {
  return {{"seeds", seeds},
          {"ever_solved", ever_solved},
          {"solved_at_end", solved},
          {"fell_off", fell_off},
          {"mean_falls", mean_falls()},
          {"median_first_step", quantile(first, 0.5)},
          {"median_error", quantile(errors, 0.5)},
          {"unsettled_share", unsettled}};
}

Json XorTally::gates_json() const {
  Json json = Json::object();
  for (unsigned gate = 0; gate < solved_gates.size(); ++gate)
    if (solved_gates[gate] > 0) json[std::string(gate_name(gate))] = solved_gates[gate];
  return json;
}

std::vector<XorTally> xor_tallies(const Protocol& protocol, const Results& results) {
  std::vector<XorTally> all;
  for (const XorVariant& variant : xor_variants()) {
    XorTally tally{.label = std::string(variant.label)};
    for (std::size_t job = 0; tally.seeds < xor_seeds(protocol, variant); ++job)
      add(tally, results.at(xor_key(variant, job)));
    tally.unsettled /= double(tally.seeds);
    all.push_back(std::move(tally));
  }
  return all;
}

report::Figure xor_error_figure(const Protocol& protocol, const Results& results,
                                const std::vector<XorTally>& tallies) {
  const report::Axis steps{.label = "step"}, error{.label = "mean squared error of Y1", .log = true};
  report::Panel shown{.title = "(a) One start", .x = steps, .y = error};
  report::Panel many{.title = fmt::format("(b) {} starts", tallies[0].seeds), .x = steps, .y = error};
  for (std::size_t v = 0; v < main_xor_variants; ++v) {
    shown.series.push_back(shown_curve(results.at("xor-shown"), xor_variants()[v]));
    many.series.push_back(median_curve(tallies[v], xor_variants()[v]));
  }
  shown.legend = many.legend = report::Legend::above;
  return {.name = "xor-error",
          .caption = fmt::format(
              "Error of Y1 on XOR over the steps of training. (a) One start (seed {}). (b) Median "
              "over {} starts; the bands hold 80 % of them. irn's default is shown with the best "
              "parameters seen so far, which is what it answers with.",
              protocol.seed, tallies[0].seeds),
          .panels = {shown, many}};
}

report::Figure xor_gate_figure(const std::vector<XorTally>& tallies) {
  std::vector<unsigned> learned;
  for (unsigned gate = 0; gate < 16; ++gate)
    if (tallies[0].solved_gates[gate] + tallies[4].solved_gates[gate] > 0) learned.push_back(gate);
  report::Panel panel{.x = {.label = "gate that Y2 has become"},
                      .y = {.label = "share of the solved starts (%)"}};
  for (const std::size_t v : {0, 4}) {
    report::Series bars{
        .label = tallies[v].label, .mark = report::Mark::bars, .colour = xor_variants()[v].colour};
    for (std::size_t k = 0; k < learned.size(); ++k) {
      const Share s = share(tallies[v].solved_gates[learned[k]], tallies[v].solved);
      bars.x.push_back(double(k)), bars.y.push_back(100 * s.value);
      bars.low.push_back(100 * s.low), bars.high.push_back(100 * s.high);
    }
    panel.series.push_back(bars);
  }
  for (const unsigned gate : learned) {
    std::string name(gate_name(gate));
    std::replace(name.begin(), name.end(), '_', ' ');
    panel.x.categories.push_back(name);
  }
  return {
      .name = "xor-gates",
      .caption =
          "What the free neuron has become by the end, of the starts that are solved then; whiskers are 95 % "
          "intervals. All but XOR and XNOR make XOR a threshold of the two inputs and Y2.",
      .panels = {panel},
      .columns = 1};
}

report::Table xor_share_table(const std::vector<XorTally>& tallies) {
  using enum report::Align;
  report::Table table{
      .caption =
          "XOR over many starts: shares of starts solved with their 95 % intervals; how many were solved and "
          "were not at the end; medians of the first step solved and of the error of Y1 at the end; share of "
          "patterns not settled when looked at.",
      .columns = {{"training"},
                  {"at some step", right},
                  {"at the end", right},
                  {"fell off", right},
                  {"first step", right},
                  {"error", right},
                  {"not settled", right}}};
  for (const XorTally& t : tallies)
    table.rows.push_back({t.label, text(t.ever()), text(t.at_end()),
                          fmt::format("{} of {}", t.fell_off, t.seeds), step_text(quantile(t.first, 0.5)),
                          error_text(quantile(t.errors, 0.5)), fmt::format("{:.2f} %", 100 * t.unsettled)});
  return table;
}

report::Table xor_answer_table(const Json& shown, std::size_t variant) {
  using enum report::Align;
  const XorVariant& v = xor_variants()[variant];
  const Json& run = shown.at(std::string(v.name));
  const bool settled = run.at("settled").get<std::size_t>() == 4;
  report::Table table{
      .caption = fmt::format("The shown run after training, {}: Y2 is {}{}.", v.label,
                             gate_name(run.at("gate").get<unsigned>()),
                             settled ? "" : "; not every pattern is settled"),
      .columns = {{"a", right}, {"b", right}, {"target of Y1", right}, {"Y1", right}, {"Y2", right}}};
  for (unsigned p = 0; p < 4; ++p)
    table.rows.push_back({std::to_string(p >> 1), std::to_string(p & 1), std::to_string(6u >> p & 1u),
                          fmt::format("{:.3f}", number(run.at("y1").at(p))),
                          fmt::format("{:.3f}", number(run.at("y2").at(p)))});
  return table;
}

}  // namespace irn::experiments
