// The options of a search for equilibria, and its results.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "irn/base/device.h"
#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/solver.h"
#include "irn/equilibrium/tolerance.h"

namespace irn {

struct SettleOptions {
  Solver solver = Auto{};
  double tolerance = 0;         // of the residual; 0 takes the default of the precision
  Device device = Device::cpu;  // whose engine computes (irn/engine/engine.h)
  // The network has a certificate and keeps it (network/certificate.h): there is one equilibrium, and it
  // attracts. Auto then takes the fastest way there.
  bool certified = false;
  double floor = 1;     // residuals and errors of an unknown are measured against max(floor, |z_i|)
  bool confirm = true;  // ask of every equilibrium whether it attracts; one that repels is no answer
  // In networks of up to this many neurons, eigenvalues decide whether an equilibrium attracts if the quick
  // test leaves that open. In larger ones the verdict says `undecided`.
  std::size_t decide_up_to = dense_limit;
};

// The same options for answers that are relied on one by one: a doubtful one is worth some milliseconds.
inline SettleOptions for_answers(SettleOptions options) {
  options.decide_up_to = 128;
  return options;
}

// States and verdicts of a batch. A state whose verdict is neither `settled` nor `iterated` is only where a
// search ended; it is no answer.
template <class T>
struct Equilibria {
  std::size_t neurons = 0;
  std::vector<T> states;  // row-major [sample][neuron]
  std::vector<Verdict> verdicts;

  std::size_t size() const { return verdicts.size(); }
  bool settled(std::size_t sample) const { return verdicts[sample].outcome == Outcome::settled; }
  bool answered(std::size_t sample) const { return has_answer(verdicts[sample].outcome); }
  std::span<const T> state(std::size_t sample) const { return {states.data() + sample * neurons, neurons}; }
  Summary summary() const { return summarise(verdicts); }
};

}  // namespace irn
