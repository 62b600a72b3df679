// A training with its folder: begun or continued, reported on the screen, saved, and brought to its end.
#pragma once

#include "apps/irn/train_settings.h"

namespace irn::app {

struct TrainCommand {
  Settings settings;
  TrainSettings chosen;
};

// Returns the exit code. `tell_result`: print the model's path on standard output.
int run_training(TrainCommand& command, bool tell_result);

}  // namespace irn::app
