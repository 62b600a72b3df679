#include "experiments/settling/settings.h"

#include "irn/base/error.h"

namespace irn::experiments {

// One or two minutes on two cores.
SettlingSettings SettlingSettings::quick() {
  SettlingSettings s;
  s.repeats = 3;
  s.rows = 400;
  s.held_out = 1000;
  s.width = 30;
  s.epochs = 30;
  s.oscillator_repeats = 4;
  s.oscillator_epochs = 200;
  s.oscillator_held_out = 5000;
  s.xor_starts = 100;
  return s;
}

void SettlingSettings::check() const {
  check_above_zero(*this);
  if (repeats < 2 || oscillator_repeats < 2)
    throw Error(std::string(name) + ": a spread over repeats needs at least two of them");
  if (rows < 50) throw Error(std::string(name) + ": rows is below 50; a fifth of them chooses the epoch");
}

Protocol SettlingSettings::paper() const {
  Protocol p;
  p.seed = seed;
  p.epochs = oscillator_epochs;
  p.repeats = oscillator_repeats;
  p.test_samples = oscillator_held_out;
  p.xor_seeds = xor_starts;
  p.xor_steps = xor_steps;
  return p;
}

}  // namespace irn::experiments
