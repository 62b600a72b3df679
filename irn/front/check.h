// What the equilibria of a network are worth, as values (irn/analysis/check.h says what each number means):
//
//   irn::CheckReport report = irn::check(network, {inputs, 4}, {.closer = 5});
//   report.samples[0].state->stability.time_constant()       // if there is a state: an equilibrium, stable or not
//   report.network.strongest()                               // the certificate that holds, or null
//   report.closer[0].equilibria->equilibria.size()           // of the most doubtful sample
#pragma once

#include <vector>

#include "irn/analysis/check.h"
#include "irn/front/network.h"

namespace irn {

struct Checking {
  CheckOptions options =
      {};  // but for its settle: samples are settled as the network was trained (Network::trained_with)
  OrText<Device> device =
      Device::cpu;  // whose engine settles the samples; equilibria are looked at on the processor
  // Samples of which all equilibria, the edge of the basin and the nearest fold are looked for, the most doubtful first.
  std::size_t closer = 0;
  CloserOptions closely = {};
};

struct CheckReport : Check {
  std::vector<CloserLook> closer;
};

CheckReport check(const Network& network, View inputs, const Checking& how = {});

// The closer look by itself, at rows `samples` of the inputs. Settles as the network was trained.
std::vector<CloserLook> look_closer(const Network& network, View inputs,
                                    std::span<const std::uint64_t> samples,
                                    const CloserOptions& options = {});

}  // namespace irn
