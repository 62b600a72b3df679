// How much two decisions matter: which solver finds the equilibria, and how to read "six batches".
#include <fmt/format.h>

#include "experiments/large_parts.h"
#include "experiments/oscillator_training.h"
#include "experiments/statistics.h"

namespace irn::experiments {
namespace {

// On trained networks the paper's solver rarely reaches its 1e-8. To let it train at all, a sample counts as
// settled here if its residual is below 1e-3; the others are left out and counted.
constexpr double paper_tolerance = 1e-3;

OscillatorRun with_paper_solver(OscillatorRun run) {
  run.solver = "rk4";
  run.tolerance = paper_tolerance;
  return run;
}
OscillatorRun with_other_reading(OscillatorRun run) {
  run.other_reading = true;
  return run;
}

using Change = OscillatorRun (*)(OscillatorRun);

std::vector<Job> jobs_of(const Protocol& p, Change change, std::span<const NetworkKind> chosen) {
  std::vector<Job> all;
  for (const NetworkKind kind : chosen)
    for (std::size_t r = 0; r < p.comparison_repeats; ++r) {
      const OscillatorRun run{.kind = kind, .hidden = p.hidden, .repeat = r};
      all.push_back(job_of(p, run));
      all.push_back(job_of(p, change(run)));
    }
  return all;
}

double mean_of_last(const Results& results, OscillatorRun run, std::size_t repeats, const char* field) {
  double sum = 0;
  for (run.repeat = 0; run.repeat < repeats; ++run.repeat)
    sum += results.at(run.key()).at("test").back().at(field).get<double>() / double(repeats);
  return sum;
}

report::Table table_of(const Protocol& p, const Results& results, Change change,
                       std::span<const NetworkKind> chosen, std::string caption, const std::string& ours,
                       const std::string& theirs) {
  report::Table table{.caption = std::move(caption),
                      .columns = {{"network"},
                                  {"way"},
                                  {"final test error", report::Align::right},
                                  {"settled", report::Align::right},
                                  {"evaluations", report::Align::right},
                                  {"difference within repeats", report::Align::right}}};
  for (const NetworkKind kind : chosen) {
    const OscillatorRun run{.kind = kind, .hidden = p.hidden}, other = change(run);
    const auto a = final_errors(results, run, p.comparison_repeats),
               b = final_errors(results, other, p.comparison_repeats);
    const auto row = [&](const OscillatorRun& r, const std::string& way, const std::vector<double>& errors,
                         std::string gap) {
      table.rows.push_back(
          {std::string(name(kind)), way, text(estimate(errors)),
           fmt::format("{:.2f} %", 100 * mean_of_last(results, r, p.comparison_repeats, "settled")),
           fmt::format("{:.1f}", mean_of_last(results, r, p.comparison_repeats, "evaluations")),
           std::move(gap)});
    };
    row(run, ours, a, "");
    row(other, theirs, b, text(paired_difference(b, a)));
  }
  return table;
}

constexpr NetworkKind implicit_kinds[] = {NetworkKind::semi, NetworkKind::exact};

std::vector<Job> solver_jobs(const Protocol& p) { return jobs_of(p, with_paper_solver, implicit_kinds); }
PartReport solver_report(const Protocol& p, const Results& results) {
  return {
      .text = {fmt::format(
          "The same networks trained and tested with the paper's RK4 x 30 (step 1, a sample counts as "
          "settled "
          "below a residual of {}) and with the default solver. Errors are over settled samples only, so the "
          "paper's solver is judged on the samples it can settle.",
          paper_tolerance)},
      .figures = {},
      .tables = {table_of(p, results, with_paper_solver, implicit_kinds,
                          fmt::format("Two solvers, {} repeats; intervals are 95 %.", p.comparison_repeats),
                          "default", "RK4 x 30")},
      .claims = {}};
}

std::vector<Job> reading_jobs(const Protocol& p) { return jobs_of(p, with_other_reading, kinds); }
PartReport reading_report(const Protocol& p, const Results& results) {
  return {
      .text = {fmt::format("\"200 gradient steps over six batches\": batches of {} fresh samples a step, or "
                           "{} batches of {} samples "
                           "drawn each epoch and gone round.",
                           p.batch, p.batches_per_epoch, p.other_batch)},
      .figures = {},
      .tables = {table_of(p, results, with_other_reading, kinds,
                          fmt::format("Two readings, {} repeats; intervals are 95 %.", p.comparison_repeats),
                          fmt::format("batches of {}", p.batch),
                          fmt::format("{} batches of {}", p.batches_per_epoch, p.other_batch))},
      .claims = {}};
}

}  // namespace

std::vector<OscillatorRun> comparison_runs(const Protocol& protocol) {
  std::vector<OscillatorRun> all;
  for (const NetworkKind kind : kinds)
    for (std::size_t r = 0; r < protocol.comparison_repeats; ++r) {
      all.push_back({.kind = kind, .hidden = protocol.hidden, .repeat = r});
      all.push_back(with_other_reading(all.back()));
      if (method_of(kind).recurrent)
        all.push_back(with_paper_solver({.kind = kind, .hidden = protocol.hidden, .repeat = r}));
    }
  return all;
}

Part solvers_part() { return {"solvers", "The paper's solver and the default", solver_jobs, solver_report}; }
Part readings_part() { return {"readings", "Two readings of the batch size", reading_jobs, reading_report}; }

}  // namespace irn::experiments
