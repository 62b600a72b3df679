#include "experiments/convolution/settings.h"

namespace irn::experiments {

// One or two minutes on two cores.
ConvolutionSettings ConvolutionSettings::quick() {
  ConvolutionSettings s;
  s.images = {};
  s.repeats = 3;
  s.rows = 400;
  s.held_out = 500;
  s.epochs = 8;
  return s;
}

void ConvolutionSettings::check() const {
  check_above_zero(*this);
  if (repeats < 2) throw Error(std::string(name) + ": a spread over repeats needs at least two of them");
  if (rows < 50) throw Error(std::string(name) + ": rows is below 50; a fifth of them chooses the epoch");
  if (channels > 64)
    throw Error(std::string(name) + ": channels is above 64; the study is one of small networks");
  check_images(name, images);
}

}  // namespace irn::experiments
