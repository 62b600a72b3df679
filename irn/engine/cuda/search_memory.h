// What the kernels of a search read and write, in the device's memory.
#pragma once

#include <cstddef>

#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/rules.h"
#include "irn/equilibrium/solver.h"
#include "irn/network/activation.h"

namespace irn::cuda {

// Vectors of all samples, laid out so that neighbouring threads read neighbouring numbers: entry (sample, i)
// is at sample * by_sample + i * by_neuron.
struct VectorLayout {
  std::size_t by_sample, by_neuron;
};

template <class T>
struct SearchMemory {
  const T* a;               // n x n, in the kernel's layout
  const Activation* kinds;  // n
  const T* drives;          // B x + b
  const T* starts;          // [sample][neuron], or null: at rest
  T *z, *f, *highest;       // after the launch
  T *h, *evaluations;       // one for each sample
  T* states;                // [sample][neuron]
  Verdict* verdicts;
  std::size_t count;    // of samples
  std::size_t neurons;  // without padding
};

}  // namespace irn::cuda
