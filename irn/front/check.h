// Examines the equilibria of a network and returns what it finds (irn/analysis/check.h explains each number):
//
//   irn::CheckReport report = irn::check(network, {inputs, 4}, {.closer = 5});
//   report.samples[0].state->stability.time_constant()       // if there is a state, stable or not
//   report.network.strongest()                               // the certificate that holds, or null
//   report.closer[0].equilibria->equilibria.size()           // of the most doubtful sample
#pragma once

#include <vector>

#include "irn/analysis/check.h"
#include "irn/front/network.h"

namespace irn {

struct Checking {
  // options.settle is ignored: samples are settled as in training (Network::trained_with).
  CheckOptions options = {};
  // This device settles the samples; their equilibria are examined on the processor.
  OrText<Device> device = Device::cpu;
  // How many samples are examined closely, the most doubtful first: all their equilibria, the edge of the
  // basin, the nearest fold.
  std::size_t closer = 0;
  CloserOptions closely = {};
};

struct CheckReport : Check {
  std::vector<CloserLook> closer;
};

CheckReport check(const Network& network, View inputs, const Checking& how = {});

// Only the closer look, for the rows of `inputs` that `samples` names. Settles as in training.
std::vector<CloserLook> look_closer(const Network& network, View inputs,
                                    std::span<const std::uint64_t> samples,
                                    const CloserOptions& options = {});

}  // namespace irn
