// Inputs of many samples that stay on the device (KeptInputs), and gathering those of some samples.
#pragma once

#include "irn/engine/cuda/module.h"
#include "irn/engine/cuda/runtime.h"

namespace irn::cuda {

template <class T>
std::unique_ptr<KeptInputs<T>> kept_inputs(unsigned device, std::size_t samples, std::size_t inputs);

// gathered(s, k) = kept(index[s], k) for s < count. `index` and `gathered` are on the device.
template <class T>
void gather(const KeptInputs<T>& kept, const std::uint64_t* index, std::size_t count, T* gathered,
            cudaStream_t stream);

}  // namespace irn::cuda
