// Whether all solvers find the same state: certain on certified networks, luck on free ones.
#include <fmt/format.h>

#include "experiments/settling/parts.h"
#include "experiments/settling/solver_comparison.h"
#include "experiments/settling/table_results.h"
#include "experiments/small_parts.h"

namespace irn::experiments {
namespace {

constexpr std::string_view shown[] = {"free", "certified-95"};

std::vector<TableRun> runs(std::string_view method_name) {
  std::vector<TableRun> all;
  for (const auto& [table, f] : cases()) all.push_back({table, f, &method(method_name), 0});
  return all;
}

std::vector<Job> jobs(const SettlingSettings& s) {
  std::vector<Job> all;
  for (const std::string_view name : shown)
    for (const TableRun& run : runs(name)) all.push_back(job_of(s, run));
  return all;
}

// One solver on all networks of a method.
struct SolverTally {
  std::string solver;
  double settled = 0, evaluations = 0, distance = 0;
  std::size_t compared = 0, elsewhere = 0;
};

std::vector<SolverTally> tallies(const Results& results, std::string_view method_name) {
  std::vector<SolverTally> all;
  const std::vector<TableRun> networks = runs(method_name);
  for (const TableRun& run : networks) {
    const Json& solvers = results.at(run.key()).at("solvers");
    all.resize(solvers.size());
    for (std::size_t k = 0; k < solvers.size(); ++k) {
      SolverTally& tally = all[k];
      tally.solver = solvers[k].at("solver").get<std::string>();
      tally.settled += number(solvers[k].at("settled")) / double(networks.size());
      tally.evaluations += number(solvers[k].at("evaluations")) / double(networks.size());
      tally.compared += solvers[k].at("compared").get<std::size_t>();
      tally.elsewhere += solvers[k].at("elsewhere").get<std::size_t>();
      tally.distance = std::max(tally.distance, number(solvers[k].at("distance")));
    }
  }
  return all;
}

report::Table solver_table(const std::vector<SolverTally>& free, const std::vector<SolverTally>& certified,
                           const SettlingSettings& s) {
  using report::Align;
  report::Table table{
      .caption = fmt::format(
          "Every solver on the first repeat's networks, {} held-out rows each, from rest. Elsewhere: of the "
          "rows that it and the flow (auto) settle, those that end in another state.",
          s.compared_rows),
      .columns = {{"solver"},
                  {"free: settled", Align::right},
                  {"evaluations", Align::right},
                  {"elsewhere", Align::right},
                  {"certified: settled", Align::right},
                  {"evaluations", Align::right},
                  {"elsewhere", Align::right},
                  {"largest distance", Align::right}}};
  const auto elsewhere = [](const SolverTally& t) {
    return fmt::format("{} of {}", t.elsewhere, t.compared);
  };
  for (std::size_t k = 0; k < free.size(); ++k)
    table.rows.push_back({free[k].solver, settled_text(free[k].settled),
                          fmt::format("{:.1f}", free[k].evaluations), elsewhere(free[k]),
                          settled_text(certified[k].settled), fmt::format("{:.1f}", certified[k].evaluations),
                          elsewhere(certified[k]), fmt::format("{:.1g}", certified[k].distance)});
  return table;
}

Claim same_claim(const std::vector<SolverTally>& free, const std::vector<SolverTally>& certified) {
  std::size_t compared = 0, off = 0, free_compared = 0, free_off = 0;
  double farthest = 0;
  for (const SolverTally& t : certified) {
    compared += t.compared, off += t.elsewhere;
    farthest = std::max(farthest, t.distance);
  }
  for (const SolverTally& t : free) free_compared += t.compared, free_off += t.elsewhere;
  return {
      .number = 9,
      .statement = "Every solver that settles finds the same state on certified networks, from every start.",
      .measured = fmt::format("{} of {} settled rows end elsewhere (holds if none), the largest distance is "
                              "{:.1g}; on free networks {} of {}",
                              off, compared, farthest, free_off, free_compared),
      .finding = off == 0                ? Finding::holds
                 : off * 1000 < compared ? Finding::partly
                                         : Finding::fails,
      .numbers = {{"elsewhere", off}, {"compared", compared}, {"free_elsewhere", free_off}}};
}

// The solver that Auto takes on certified networks follows from their size; the page of the tables has its
// evaluations.
Claim fast_claim(const std::vector<SolverTally>& certified) {
  std::vector<std::string> all;
  double flow = 0, least = std::numeric_limits<double>::infinity();
  std::string fastest = "none";
  for (const SolverTally& t : certified) {
    if (t.solver == "auto") flow = t.evaluations;
    if (t.settled < 1) continue;
    all.push_back(t.solver);
    if (t.evaluations < least) least = t.evaluations, fastest = t.solver;
  }
  std::string names;
  for (const std::string& each : all) names += (names.empty() ? "" : ", ") + each;
  return {
      .number = 10,
      .statement = "On certified networks a faster solver than the flow's settles every row.",
      .measured = fmt::format("every row by {}; fewest evaluations a row: {}, {:.1f}, against {:.1f} of the "
                              "flow (auto without a certificate; holds below half)",
                              names.empty() ? "none" : names, fastest, least, flow),
      .finding = least < 0.5 * flow ? Finding::holds
                 : least < flow     ? Finding::partly
                                    : Finding::fails,
      .numbers = {{"fastest", fastest}, {"evaluations", least}, {"flow", flow}}};
}

PartReport assemble(const SettlingSettings& s, const Results& results) {
  const std::vector<SolverTally> free = tallies(results, shown[0]), certified = tallies(results, shown[1]);
  PartReport report;
  report.text = {
      "With one equilibrium it does not matter how it is found. An evaluation of the network is not the "
      "whole "
      "price of a step: solvers that factor matrices need few and pay for each."};
  report.tables = {solver_table(free, certified, s)};
  report.claims = {same_claim(free, certified), fast_claim(certified)};
  return report;
}

}  // namespace

SettlingPart held_solvers_part() { return {"solvers", "One state, whichever the solver", jobs, assemble}; }

}  // namespace irn::experiments
