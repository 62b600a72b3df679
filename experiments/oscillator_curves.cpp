#include "experiments/oscillator_curves.h"

#include "experiments/small_parts.h"

namespace irn::experiments {

OscillatorRun curve_run(const Protocol& protocol, NetworkKind kind) {
  return {.kind = kind, .hidden = protocol.hidden, .curve = true};
}

Values train_values(const Protocol& p, const Results& results, NetworkKind kind, const char* field) {
  Values values(p.epochs);
  OscillatorRun run = curve_run(p, kind);
  for (run.repeat = 0; run.repeat < p.repeats; ++run.repeat) {
    const Json& of_run = results.at(run.key()).at("train").at(field);
    for (std::size_t e = 0; e < p.epochs; ++e) values[e].push_back(number(of_run.at(e)));
  }
  return values;
}

Values test_values(const Protocol& p, const Results& results, NetworkKind kind, const std::string& place) {
  OscillatorRun run = curve_run(p, kind);
  Values values(results.at(run.key()).at("test").size());
  const Json::json_pointer pointer(place);
  for (run.repeat = 0; run.repeat < p.repeats; ++run.repeat) {
    const Json& of_run = results.at(run.key()).at("test");
    for (std::size_t e = 0; e < values.size(); ++e) values[e].push_back(number(of_run.at(e).at(pointer)));
  }
  return values;
}

}  // namespace irn::experiments
