// The interface between the library and its part for CUDA, libirn_cuda.so: plain C++, without CUDA types. The
// part is compiled by nvcc, depends on the driver alone, and is loaded when a CUDA device is first asked for
// (load_module.h). A build with it starts as fast as one without, and runs on machines without a driver. Both
// are built from one tree; the part refuses a library of another version.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "irn/engine/cuda/limits.h"
#include "irn/engine/cuda/product_plan.h"
#include "irn/engine/cuda/replicas.h"
#include "irn/engine/cuda/training.h"
#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/rules.h"
#include "irn/equilibrium/solver.h"
#include "irn/network/activation.h"
#include "irn/network/architecture.h"

namespace irn::cuda {

// What a machine has.
struct DeviceFacts {
  std::string name;
  std::size_t memory = 0;  // bytes
  unsigned major = 0, minor = 0, processors = 0;
  std::string trouble = {};  // why the device cannot be used; empty: it can
};
struct MachineFacts {
  std::string driver, runtime;  // their versions
  std::vector<DeviceFacts> devices;
  std::string trouble = {};  // why there are no devices
};

// A network's numbers, in host memory. If products go by a plan, a and b are its weights.
template <class T>
struct NetworkNumbers {
  const T* a = nullptr;     // neurons x neurons
  const T* b = nullptr;     // neurons x inputs
  const T* bias = nullptr;  // neurons
};

// The kind of search that is asked for.
struct SearchPlan {
  unsigned device = 0;
  std::size_t inputs = 0;
  std::vector<Activation> neurons;  // one for each neuron
  Solver solver;                    // one that takes_solver() accepts
  Rules<double> rules;
  std::size_t capacity = 0;  // samples at a time; fewer if the device has too little memory
  // Plans of products with A and B, block by block, for networks in single precision whose solver uses
  // products alone; if null, products use matrices.
  std::shared_ptr<const ProductPlan> a = nullptr, b = nullptr;
  std::shared_ptr<const StagedPlans> stages = nullptr;  // of A, if only the core is searched
};

// Inputs of many samples, [sample][input], kept in a device's memory.
template <class T>
class KeptInputs {
 public:
  virtual ~KeptInputs() = default;
  virtual void put(std::size_t first, std::size_t count, const T* inputs) = 0;
};

// Searches in a stream of its own, with buffers of its own in host and device memory. For one caller at a
// time. Throws irn::Error, in one line, for everything that CUDA refuses.
template <class T>
class DeviceSearch {
 public:
  virtual ~DeviceSearch() = default;
  virtual std::size_t capacity() const = 0;
  virtual void upload(const NetworkNumbers<T>& network) = 0;
  // From now on reads the numbers of a training, for a wide network in single precision; until the next
  // upload().
  virtual void borrow(const NumbersOnDevice& numbers) = 0;
  // Where the samples of the last solve are; valid until the next.
  virtual SamplesOnDevice last() const = 0;
  // To be filled before solve(): [sample][input], and if starts are given [sample][neuron].
  virtual T* inputs() = 0;
  virtual T* starts() = 0;
  // states: [sample][neuron].
  virtual void solve(std::size_t count, bool from_starts, T* states, Verdict* verdicts) = 0;
  // The same for inputs on the device: those of samples index[0], index[1], ...
  virtual void solve_kept(const KeptInputs<T>& inputs, std::span<const std::uint64_t> index, bool from_starts,
                          T* states, Verdict* verdicts) = 0;
  // Repeats the last solve and returns the seconds that the device took, without copies to and from the host.
  virtual double seconds_again(std::size_t count) = 0;
};

// Whether a device has this solver for a network of n neurons: by factors while these fit a warp's registers,
// otherwise by products.
inline constexpr std::size_t most_anderson_memory = 8, most_krylov_memory = 30;
inline bool takes_solver(const Solver& solver, std::size_t n) {
  if (std::holds_alternative<Rosenbrock>(solver)) return n <= dense_limit;
  if (const auto* anderson = std::get_if<Anderson>(&solver)) return anderson->memory <= most_anderson_memory;
  if (const auto* krylov = std::get_if<RosenbrockKrylov>(&solver))
    return krylov->memory <= most_krylov_memory;
  return false;
}

inline std::vector<Activation> neurons_of(const Architecture& architecture) {
  std::vector<Activation> all;
  for (const Layer& layer : architecture.layers()) all.insert(all.end(), layer.size, layer.activation);
  return all;
}

class Module {
 public:
  virtual ~Module() = default;
  virtual MachineFacts machine() const = 0;
  virtual DeviceLimits limits(unsigned device) const = 0;  // measured now
  virtual std::unique_ptr<DeviceSearch<float>> search_in_float(const SearchPlan& plan) const = 0;
  virtual std::unique_ptr<DeviceSearch<double>> search_in_double(const SearchPlan& plan) const = 0;
  // Throws irn::MemoryError if the inputs would take more than a quarter of the device's free memory.
  virtual std::unique_ptr<KeptInputs<float>> kept_in_float(unsigned device, std::size_t samples,
                                                           std::size_t inputs) const = 0;
  virtual std::unique_ptr<KeptInputs<double>> kept_in_double(unsigned device, std::size_t samples,
                                                             std::size_t inputs) const = 0;
  virtual std::unique_ptr<DeviceTraining> training(const TrainingPlan& plan) const = 0;
  virtual std::unique_ptr<Replicas> replicas(const ReplicaPlan& plan) const = 0;
};

// extern "C" const Module* irn_cuda_module(const char* version): null if the versions differ.
inline constexpr const char* module_entry = "irn_cuda_module";
using ModuleEntry = const Module* (*)(const char* version);

}  // namespace irn::cuda
