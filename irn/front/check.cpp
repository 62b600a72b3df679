#include "irn/front/check.h"

#include "irn/front/samples_of_view.h"

namespace irn {
namespace {

// body(core, samples)
template <class Body>
auto with_core(const Network& network, View inputs, const Body& body) {
  const auto run = [&]<class T>(const NetworkOf<T>& core) {
    const SamplesOfView<T> samples(inputs, {}, {}, core.architecture());
    return body(core, static_cast<const Samples<T>&>(samples.table()));
  };
  if (const NetworkOf<float>* core = network.core<float>()) return run(*core);
  return run(*network.core<double>());
}

SettleOptions settling_of(const Network& network, Device device) {
  SettleOptions options = network.trained_with();
  options.certified = network.certified();
  options.device = device;
  return options;
}

}  // namespace

CheckReport check(const Network& network, View inputs, const Checking& how) {
  CheckOptions options = how.options;
  options.settle = settling_of(network, how.device);
  CheckReport report{with_core(network, inputs,
                               [&](const auto& core, const auto& samples) {
                                 return irn::check(core, samples, options, shared_threads());
                               }),
                     {}};
  const std::vector<std::uint64_t> worst = worst_samples(report, how.closer);
  if (!worst.empty()) report.closer = look_closer(network, inputs, worst, how.closely);
  return report;
}

std::vector<CloserLook> look_closer(const Network& network, View inputs,
                                    std::span<const std::uint64_t> samples, const CloserOptions& options) {
  CloserOptions own = options;
  own.settle = settling_of(network, Device::cpu);
  return with_core(network, inputs, [&](const auto& core, const auto& all) {
    return irn::look_closer(core, all, samples, own, shared_threads());
  });
}

}  // namespace irn
