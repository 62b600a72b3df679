#include "irn/engine/cuda/replica_kernels-inl.h"

template <>
irn::cuda::ReplicaKernels irn::cuda::replica_kernels<14>(bool recurrent) {
  return shared_kernels<14, 2, 8>(recurrent);
}
