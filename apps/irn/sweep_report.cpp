#include "apps/irn/sweep_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/irn/counted.h"
#include "apps/irn/sweep_teller.h"
#include "irn/base/options_text.h"
#include "irn/base/text.h"

namespace irn::app {
namespace {

using Json = nlohmann::ordered_json;

std::string cell(double value) { return std::isnan(value) ? "" : write_value(value); }
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// All metrics in the folds' results, in their order.
std::vector<std::string> metric_list(const SweepState& state) {
  std::vector<std::string> names;
  for (const TrialResult& result : state.results)
    for (const Json& fold : result.folds) {
      if (fold.is_null()) continue;
      for (const auto& [key, value] : fold.at("metrics").items()) names.push_back(key);
      return names;
    }
  return names;
}

}  // namespace

std::string sweep_text(const SweepPlan& plan, const SweepState& state) {
  const bool rungs = plan.rungs.size() > 1;
  const std::size_t most = rungs ? 5 : 10;
  const std::string metric(name(plan.metric));
  std::string text =
      fmt::format("{:>5}  {:>17}  {:>9}  {:>6}  options\n", "trial", metric, "deviation", "epochs");
  for (std::size_t rung = plan.rungs.size(); rung-- > 0;) {
    const std::vector<const TrialResult*> order = ranked_on(rung, state, plan.metric);
    if (rungs) text += fmt::format("{}, {}:\n", rung_text(plan, state, rung), counted(order.size(), "trial"));
    for (std::size_t k = 0; k < std::min(most, order.size()); ++k) {
      const TrialResult& result = *order[k];
      text += fmt::format("{:>5}  {:>17.4f}  {:>9.4f}  {:>6}  {}{}\n", result.trial, result.mean(metric),
                          result.spread(metric), result.epochs,
                          trial_text(plan, plan.trials[result.trial - 1]), diverged_text(result));
    }
  }
  return text;
}

Json sweep_json(const SweepPlan& plan, const SweepState& state, const std::filesystem::path& out) {
  const std::vector<std::string> metrics = metric_list(state);
  Json json = {{"out", out.string()},
               {"model", (out / "best" / "model.safetensors").string()},
               {"metric", name(plan.metric)},
               {"best", ranked(state, plan.metric).front()->trial}};
  for (const TrialResult& result : state.results) {
    Json trial = {{"trial", result.trial},
                  {"rung", result.rung + 1},
                  {"rung_epochs", result.epochs},
                  {"seconds", result.sum("seconds")}};
    for (std::size_t k = 0; k < plan.space.size(); ++k)
      trial["options"][plan.space[k].key] = plain_value(plan.trials[result.trial - 1].values[k]);
    for (const std::string& metric : metrics) trial["metrics"][metric] = number(result.mean(metric));
    trial["folds"] = result.folds;
    json["trials"].push_back(std::move(trial));
  }
  return json;
}

std::string trials_csv(const SweepPlan& plan, const SweepState& state) {
  const std::vector<std::string> metrics = metric_list(state);
  std::string text = "trial,rung,rung_epochs,trainings,diverged,settled,seconds";
  for (const std::string& metric : metrics) text += "," + csv_cell(metric);
  text += ",deviation of " + std::string(name(plan.metric));
  for (const SpaceOption& option : plan.space) text += "," + csv_cell(option.key);
  for (const TrialResult& r : state.results) {
    text += fmt::format("\n{},{},{},{},{:g},{},{:.3f}", r.trial, r.rung + 1, r.epochs, r.folds.size(),
                        r.sum("diverged"), write_value(r.sum("settled") / double(r.folds.size())),
                        r.sum("seconds"));
    for (const std::string& metric : metrics) text += "," + cell(r.mean(metric));
    text += "," + cell(r.spread(std::string(name(plan.metric))));
    for (const std::string& value : plan.trials[r.trial - 1].values)
      text += "," + csv_cell(plain_value(value));
  }
  return text + "\n";
}

}  // namespace irn::app
