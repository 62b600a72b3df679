// What the kernels of a search read and write, in the device's memory.
#pragma once

#include <cstddef>

#include "irn/equilibrium/outcome.h"
#include "irn/equilibrium/rules.h"
#include "irn/equilibrium/solver.h"
#include "irn/network/activation.h"

namespace irn::cuda {

// Vectors of all samples lie so that neighbouring threads read neighbours: entry (sample, i) at sample * by_sample + i * by_neuron.
struct VectorLayout {
  std::size_t by_sample, by_neuron;
};

template <class T>
struct SearchMemory {
  const T* a;                 // n x n, as the kernel wants it
  const Activation* kinds;    // n
  const T* drives;            // B x + b
  const T* starts;            // [sample][neuron], or none: at rest
  T *z, *f, *highest;         // after the launch
  T *h, *evaluations;         // one a sample
  T* states;                  // [sample][neuron]
  Verdict* verdicts;
  std::size_t count;          // of samples
  std::size_t neurons;        // without those that pad
};

}  // namespace irn::cuda
