// DeviceSearch on CUDA: buffers, copies and kernels of one caller's searches.
#pragma once

#include "irn/engine/cuda/way.h"

namespace irn::cuda {

template <class T>
std::unique_ptr<DeviceSearch<T>> make_search(const SearchPlan& plan);

}  // namespace irn::cuda
