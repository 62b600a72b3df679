#include "irn/front/check.h"

#include "irn/front/samples_of_view.h"

namespace irn {
namespace {

template <class T>
CheckReport check_core(const NetworkOf<T>& network, View inputs, Checking how) {
  const SamplesOfView<T> samples(inputs, {}, {}, network.architecture());
  CheckReport report{irn::check(network, samples.table(), how.options, shared_threads()), {}};
  const std::vector<std::uint64_t> worst = worst_samples(report, how.closer);
  if (!worst.empty())
    report.closer = look_closer<T>(network, samples.table(), worst, how.closely, shared_threads());
  return report;
}

}  // namespace

CheckReport check(const Network& network, View inputs, const Checking& how) {
  Checking own = how;
  own.options.settle = own.closely.settle = network.trained_with();
  if (const NetworkOf<float>* core = network.core<float>()) return check_core(*core, inputs, own);
  return check_core(*network.core<double>(), inputs, own);
}

}  // namespace irn
