// The paper's oscillator with one or more hidden layers.
#include <cmath>

#include <fmt/format.h>

#include "experiments/depth/growth.h"
#include "experiments/depth/parts.h"
#include "experiments/settling/oscillator_results.h"

namespace irn::experiments {
namespace {

std::size_t wanted_parameters(const DepthSettings& s) {
  return architecture_of(s.paper(), {.layers = {s.oscillator_width}, .method = &depth_method("exact")})
      .parameters();
}

OscillatorRun run_of(const DepthSettings& s, const Method& m, std::size_t depth, std::size_t repeat) {
  OscillatorRun run{.repeat = repeat, .method = &m};
  run.layers = widths_for(depth, wanted_parameters(s), [&](const std::vector<std::size_t>& widths) {
    return architecture_of(s.paper(), {.layers = widths, .method = &m});
  });
  return run;
}

std::vector<Job> jobs(const DepthSettings& s) {
  std::vector<Job> all;
  for (const Method& m : depth_methods())
    for (std::size_t depth = 1; depth <= s.deepest; ++depth)
      for (std::size_t r = 0; r < s.oscillator_repeats; ++r)
        all.push_back(job_of(s.paper(), run_of(s, m, depth, r)));
  return all;
}

DepthTask task_of(const DepthSettings& s, const Results& results) {
  return {.name = "oscillator",
          .label = "the oscillator",
          .value = "mean squared error",
          .deepest = s.deepest,
          .held_out = s.oscillator_held_out,
          .at =
              [&s, &results](const Method& m, std::size_t depth) {
                Measured all;
                for (std::size_t r = 0; r < s.oscillator_repeats; ++r) {
                  const std::string key = run_of(s, m, depth, r).key();
                  add_run(all, results.at(key), results.seconds(key));
                }
                return all;
              },
          .widths = [&s](const Method& m, std::size_t depth) { return run_of(s, m, depth, 0).layers; },
          .parameters =
              [&s, &results](const Method& m, std::size_t depth) {
                return results.at(run_of(s, m, depth, 0).key()).at("parameters").get<std::size_t>();
              },
          .score = [](double error) { return -std::log(error); },
          .words = [](const Estimate& e) { return fmt::format("{:+.2f} ± {:.2f}", e.mean, e.half_width); },
          .unit = "; in the natural logarithm of the error, which the network named first has lower",
          .log = true};
}

PartReport assemble(const DepthSettings& s, const Results& results) {
  const DepthTask task = task_of(s, results);
  PartReport report;
  report.text = {
      fmt::format("The paper's task and training (batches of {}, Adam at {:g}, {} steps, the last weights "
                  "answer) with 1 to {} "
                  "hidden layers. Every layer is connected to itself and to the one before it, as in the "
                  "paper. All networks have "
                  "about {} parameters, those of one recurrent layer of {}: a deeper one is narrower, and "
                  "without recurrence a "
                  "layer is wider. Hidden neurons are tanh and weights start scaled: a sigmoid's slope is at "
                  "most 1/4, so that of a "
                  "gradient 1/4096 would come through six layers. A sample without an answer costs 1/12, as "
                  "much as knowing nothing.",
                  s.paper().batch, s.paper().rate, s.paper().epochs * s.paper().steps_per_epoch, s.deepest,
                  wanted_parameters(s), s.oscillator_width)};
  report.figures = {depth_figure(
      task,
      fmt::format("The oscillator over hidden layers, at equal parameters: {} held-out samples, mean of {} "
                  "repeats, bands: 95 % intervals.",
                  s.oscillator_held_out, s.oscillator_repeats))};
  report.tables = depth_tables(task);
  report.claims = depth_claims(task, 1);
  return report;
}

}  // namespace

DepthPart depth_oscillator_part() { return {"oscillator", "The paper's oscillator", jobs, assemble}; }

}  // namespace irn::experiments
