#include "experiments/depth/settings.h"

namespace irn::experiments {

// One or two minutes on two cores.
DepthSettings DepthSettings::quick() {
  DepthSettings s;
  s.deepest = 4;
  s.oscillator_repeats = 3;
  s.oscillator_epochs = 20;
  s.oscillator_held_out = 2000;
  s.images = {};
  s.repeats = 3;
  s.rows = 400;
  s.held_out = 500;
  s.epochs = 6;
  return s;
}

void DepthSettings::check() const {
  check_above_zero(*this);
  if (repeats < 2 || oscillator_repeats < 2)
    throw Error(std::string(name) + ": a spread over repeats needs at least two of them");
  if (deepest < 2 || deepest > 12)
    throw Error(std::string(name) + ": deepest is " + std::to_string(deepest) + "; it must be from 2 to 12");
  if (rows < 50) throw Error(std::string(name) + ": rows is below 50; a fifth of them chooses the epoch");
  if (width < deepest || oscillator_width < deepest)
    throw Error(std::string(name) + ": widths below " + std::to_string(deepest) +
                " leave nothing for that many layers with as many parameters");
  check_images(name, images);
}

Protocol DepthSettings::paper() const {
  Protocol p;
  p.seed = seed;
  p.epochs = oscillator_epochs;
  p.repeats = oscillator_repeats;
  p.test_samples = oscillator_held_out;
  return p;
}

}  // namespace irn::experiments
