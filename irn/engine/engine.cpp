#include "irn/engine/engine.h"

#include "irn/base/error.h"
#include "irn/engine/cpu_engine.h"

namespace irn {

std::vector<std::string_view> engine_names() { return {CpuEngine<float>::name}; }

template <class T>
std::unique_ptr<Engine<T>> make_engine(const NetworkOf<T>& network, const EngineOptions& options,
                                       ThreadPool& threads) {
  const std::string& device = options.gradient ? options.gradient->settle.device : options.settle.device;
  if (device == CpuEngine<T>::name) return std::make_unique<CpuEngine<T>>(network, options, threads);
  std::string known;
  for (const std::string_view name : engine_names()) known += (known.empty() ? "" : ", ") + std::string(name);
  throw Error("this build has no engine for device '" + device + "'; it has " + known);
}

template std::unique_ptr<Engine<float>> make_engine(const NetworkOf<float>&, const EngineOptions&,
                                                    ThreadPool&);
template std::unique_ptr<Engine<double>> make_engine(const NetworkOf<double>&, const EngineOptions&,
                                                     ThreadPool&);

}  // namespace irn
