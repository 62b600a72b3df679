#include "apps/irn/model_notes.h"

#include <fmt/format.h>

namespace irn::app {
namespace {

std::optional<double> find(const Metrics& metrics, const char* name) {
  const auto found = metrics.find(name);
  return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

// Models from older versions of irn, which did not tell the two apart, have no entry.
std::string what_happened(const Metrics& metrics) {
  const std::optional<double> diverged = find(metrics, "diverged");
  if (!diverged) return "diverged or is not finished";
  return *diverged == 1 ? "diverged" : "is not finished (irn train --resume goes on)";
}

}  // namespace

std::optional<bool> complete(const Metrics& metrics) {
  const std::optional<double> entry = find(metrics, "complete");
  return entry ? std::optional(*entry != 0) : std::nullopt;
}

std::string unfinished_note(const Metrics& metrics) {
  if (complete(metrics).value_or(true)) return "";
  return fmt::format(
      "the model is of a training that {}: it has the best weights of its {:g} epochs, those of epoch {:g}",
      what_happened(metrics), find(metrics, "epochs").value_or(0), find(metrics, "best_epoch").value_or(0));
}

std::string settling_advice(bool certified) {
  return certified ? "the network is certified to have an equilibrium for each: irn train --tolerance with a "
                     "larger "
                     "one, or --precision double, finds it"
                   : "irn train --certify 0.95 makes a network that settles for every row";
}

std::string undecided_note(std::size_t undecided, std::size_t rows) {
  return fmt::format(
      "{} of {} rows settled in a state of which it could not be told whether it attracts; irn check "
      "computes "
      "its eigenvalues",
      undecided, rows);
}

}  // namespace irn::app
