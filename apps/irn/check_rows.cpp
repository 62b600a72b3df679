#include "apps/irn/check_rows.h"

#include <cmath>
#include <functional>

#include <nlohmann/json.hpp>

#include "irn/base/options_text.h"
#include "irn/base/text.h"

namespace irn::app {
namespace {

using Json = nlohmann::ordered_json;

// A sample with the results of its closer look, if it had one.
struct Sample {
  const CheckStory& story;
  std::uint64_t index;
  const SampleCheck& check;
  const RowStory* closer = nullptr;

  const StateCheck* state() const { return check.state ? &*check.state : nullptr; }
  const EquilibriaOf* equilibria() const {
    return closer && closer->closer && closer->closer->equilibria ? &*closer->closer->equilibria : nullptr;
  }
  const FoldDistance* fold() const {
    return closer && closer->closer && closer->closer->fold ? &*closer->closer->fold : nullptr;
  }
};

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// The one list of columns: each has a name and a value, null where there is none.
struct Column {
  const char* name;
  Json (*value)(const Sample&);
};

template <auto value>
Json of_state(const Sample& sample) {
  return sample.state() ? Json(value(*sample.state())) : Json(nullptr);
}
// `proven` is the value where every input is proven to have one equilibrium.
template <auto value, int proven = 0>
Json of_equilibria(const Sample& sample) {
  if (sample.equilibria()) return Json(value(*sample.equilibria()));
  return proven > 0 && sample.story.proven() ? Json(proven) : Json(nullptr);
}

template <auto value>
Json of_path(const Sample& sample) {
  return sample.closer && sample.closer->path ? Json(value(*sample.closer->path)) : Json(nullptr);
}

const std::vector<Column>& columns() {
  using S = const StateCheck&;
  using E = const EquilibriaOf&;
  using P = const SettlingPath&;
  static const std::vector<Column> all = {
      {"row", [](const Sample& s) { return Json(s.story.rows[s.index]); }},
      {"outcome", [](const Sample& s) { return Json(name(s.check.verdict.outcome)); }},
      {"settled", [](const Sample& s) { return Json(int(s.check.verdict.outcome == Outcome::settled)); }},
      {"residual", [](const Sample& s) { return number(s.check.verdict.residual); }},
      {"evaluations", [](const Sample& s) { return Json(s.check.verdict.evaluations); }},
      {"more_steps",
       [](const Sample& s) {
         return s.check.verdict.outcome == Outcome::slow ? Json(s.check.verdict.more_steps) : Json(nullptr);
       }},
      {"distance", of_state<[](S s) { return number(s.distance); }>},
      {"stability", of_state<[](S s) { return Json(name(s.stability.attraction())); }>},
      {"abscissa", of_state<[](S s) { return number(s.stability.abscissa()); }>},
      {"time_constant", of_state<[](S s) { return number(s.stability.time_constant()); }>},
      {"frequency", of_state<[](S s) { return number(s.stability.frequency()); }>},
      {"growing_modes", of_state<[](S s) { return Json(s.unstable); }>},
      {"singular_value", of_state<[](S s) { return number(s.singular); }>},
      {"sensitivity", of_state<[](S s) { return number(s.sensitivity); }>},
      {"most_sensitive_to",
       [](const Sample& s) {
         return s.state() && std::isfinite(s.state()->sensitivity) ? Json(s.story.inputs[s.state()->input])
                                                                   : Json(nullptr);
       }},
      {"amplification", of_state<[](S s) { return number(s.amplification); }>},
      {"equilibria", of_equilibria<[](E e) { return e.equilibria.size(); }, 1>},
      {"stable_equilibria", of_equilibria<[](E e) { return e.stable(); }, 1>},
      {"basin_edge", of_equilibria<[](E e) { return e.edge ? number(e.edge->from_path) : Json(nullptr); }>},
      {"fold_distance",
       [](const Sample& s) {
         return s.fold() && s.fold()->fold ? number(s.fold()->fold->distance) : Json(nullptr);
       }},
      {"flow", of_path<[](P p) { return Json(name(p.end)); }>},
      {"period", of_path<[](P p) { return p.end == PathEnd::cycles ? number(p.period) : Json(nullptr); }>},
      {"amplitude",
       of_path<[](P p) { return p.end == PathEnd::cycles ? number(p.amplitude) : Json(nullptr); }>},
  };
  return all;
}

std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return csv_cell(value.get<std::string>());
  return value.is_number_float() ? write_value(value.get<double>()) : value.dump();
}

Json eigenvalues(const StateStability& stability) {
  Json all = Json::array();
  for (const std::complex<double> value : stability.eigenvalues)
    all.push_back({number(value.real()), number(value.imag())});
  return all;
}

Json found_json(const EquilibriaOf& found, const std::vector<std::string>& answers) {
  Json all = Json::array();
  for (std::size_t k = 0; k < found.equilibria.size(); ++k) {
    const FoundEquilibrium& e = found.equilibria[k];
    all.push_back({{"answer", k < answers.size() ? Json(answers[k]) : Json(nullptr)},
                   {"from_rest", e.from_rest},
                   {"stability", name(e.stability.attraction())},
                   {"starts", e.starts},
                   {"eigenvalues", eigenvalues(e.stability)},
                   {"state", e.state}});
  }
  return all;
}

void for_each_sample(const CheckStory& story, const std::function<void(const Sample&)>& visit) {
  std::vector<const RowStory*> closer(story.check.samples.size());
  for (const RowStory& row : story.closer) closer[row.sample] = &row;
  for (std::size_t s = 0; s < story.check.samples.size(); ++s)
    visit({story, s, story.check.samples[s], closer[s]});
}

}  // namespace

std::string rows_csv(const CheckStory& story) {
  std::string text;
  for (const Column& column : columns()) text += (text.empty() ? "" : ",") + std::string(column.name);
  text += "\n";
  for_each_sample(story, [&](const Sample& sample) {
    const std::size_t start = text.size();
    for (const Column& column : columns())
      text += (text.size() == start ? "" : ",") + cell(column.value(sample));
    text += "\n";
  });
  return text;
}

std::string rows_json(const CheckStory& story) {
  std::string text;
  for_each_sample(story, [&](const Sample& sample) {
    Json line;
    for (const Column& column : columns()) line[column.name] = column.value(sample);
    if (sample.state()) line["eigenvalues"] = eigenvalues(sample.state()->stability);
    if (sample.equilibria())
      line["all_equilibria"] = found_json(*sample.equilibria(), sample.closer->answers);
    text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  });
  return text;
}

}  // namespace irn::app
