#include "irn/train/on_processor.h"

#include "irn/base/error.h"

namespace irn {

void check_device(const TrainOptions& options) {
  const Device device = options.gradient.settle.device;
  if (device == Device::cpu) return;
  const auto refuse = [&](const char* option) {
    throw Error(std::string(option) + ": device " + to_text(device) + " does not have it; take device cpu");
  };
  if (options.dropout > 0) refuse("dropout");
  if (options.normalise) refuse("normalise");
}

}  // namespace irn
