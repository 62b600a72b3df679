#include "irn/engine/engine.h"

#include "irn/base/error.h"
#include "irn/engine/cuda_engine-inl.h"

namespace irn {
namespace {

template <class T, class Options>
std::unique_ptr<Engine<T>> engine_of(Device device, const NetworkOf<T>& network, const Options& options,
                                     ThreadPool& threads) {
  switch (device.kind) {
    case Device::Kind::cpu:
      return std::make_unique<CpuEngine<T>>(network, options, threads);
    case Device::Kind::cuda:
      return std::make_unique<CudaEngine<T>>(device, network, options, threads);
  }
  throw Error("there is no engine for this device");
}

}  // namespace

template <class T>
std::unique_ptr<Engine<T>> make_engine(const NetworkOf<T>& network, const SettleOptions& options,
                                       ThreadPool& threads) {
  return engine_of(options.device, network, options, threads);
}
template <class T>
std::unique_ptr<Engine<T>> make_engine(const NetworkOf<T>& network, const GradientOptions& options,
                                       ThreadPool& threads) {
  return engine_of(options.settle.device, network, options, threads);
}

template std::unique_ptr<Engine<float>> make_engine(const NetworkOf<float>&, const SettleOptions&,
                                                    ThreadPool&);
template std::unique_ptr<Engine<double>> make_engine(const NetworkOf<double>&, const SettleOptions&,
                                                     ThreadPool&);
template std::unique_ptr<Engine<float>> make_engine(const NetworkOf<float>&, const GradientOptions&,
                                                    ThreadPool&);
template std::unique_ptr<Engine<double>> make_engine(const NetworkOf<double>&, const GradientOptions&,
                                                     ThreadPool&);

}  // namespace irn
