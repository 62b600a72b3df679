#include <cmath>

#include <nlohmann/json.hpp>

#include "apps/irn/check_quantities.h"
#include "apps/irn/check_text.h"

namespace irn::app {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json certificates_json(const Certificates& network) {
  Json all = Json::array();
  for (const Certificate& c : network.all)
    all.push_back({{"name", name(c.kind)},
                   {"bound", number(c.bound)},
                   {"holds", c.holds},
                   {"promise", promise(c.kind)}});
  return all;
}

Json spread_json(const Spread& spread) {
  if (spread.samples == 0) return nullptr;
  return {{"least", number(spread.least)},
          {"median", number(spread.median)},
          {"largest", number(spread.largest)},
          {"samples", spread.samples}};
}

Json vary_json(const VaryStory& vary) {
  Json branches = Json::array();
  for (const Branch& branch : vary.branches) {
    Json one = {{"points", Json::array()}, {"special", Json::array()}};
    for (const BranchPoint& point : branch.points)
      one["points"].push_back({point.p, vary.scale * point.state[vary.neuron] + vary.shift, point.stable()});
    for (const TurningPoint& turning : branch.turnings)
      one["special"].push_back({{"kind", name(turning.kind)},
                                {"at", turning.p},
                                {"value", vary.scale * turning.state[vary.neuron] + vary.shift},
                                {"frequency", number(turning.frequency)}});
    branches.push_back(std::move(one));
  }
  return {{"what", vary.what}, {"low", vary.low},     {"high", vary.high},   {"present", vary.present},
          {"row", vary.place}, {"shown", vary.shown}, {"branches", branches}};
}

Json gradients_json(const GradientStory& story) {
  Json json = {{"samples", story.comparison.samples.size()},
               {"differences", number(story.comparison.largest_difference)},
               {"samples_with_differences", story.with_differences()}};
  for (std::size_t k = 0; k < story.names.size(); ++k) {
    const GradientSpread& s = story.comparison.spreads[k];
    json["beside_exact"][story.names[k]] = {{"samples", s.samples},
                                            {"median_angle", number(s.median_angle)},
                                            {"largest_angle", number(s.largest_angle)},
                                            {"median_length", number(s.median_length)},
                                            {"against", s.against}};
  }
  return json;
}

Json samples_json(const CheckStory& story) {
  const CheckSummary& all = story.check.summary;
  Json json = {{"samples", all.outcomes.samples},
               {"settled", all.outcomes.settled_share()},
               {"without_answer", all.outcomes.samples - all.outcomes.answered()},
               {"dropped", story.dropped}};
  for (std::size_t k = 0; k < outcome_names.size(); ++k)
    json["outcomes"][std::string(outcome_names[k])] = all.outcomes.count[k];
  json["at_rest"] = {{"attract", all.attracts}, {"repel", all.repels}, {"undecided", all.undecided}};
  for (const Quantity& q : quantities) json[q.key] = spread_json(all.*q.spread);
  for (const RowStory& row : story.closer) json["most_doubtful"].push_back(story.rows[row.sample]);
  return json;
}

}  // namespace

nlohmann::ordered_json summary_json(const CheckStory& story) {
  Json json = {{"network", story.network},
               {"neurons", story.neurons},
               {"solver", story.solver},
               {"tolerance", story.tolerance},
               {"recurrent", story.check.network.recurrent},
               {"certificates", certificates_json(story.check.network)},
               {"abscissa_at_rest", number(story.check.network.at_rest.abscissa())}};
  if (story.has_table()) json["table"] = samples_json(story);
  if (story.vary) json["vary"] = vary_json(*story.vary);
  if (story.gradients) json["gradients"] = gradients_json(*story.gradients);
  if (!story.notes.empty()) json["notes"] = story.notes;
  return json;
}

}  // namespace irn::app
