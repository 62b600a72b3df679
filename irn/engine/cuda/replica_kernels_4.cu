#include "irn/engine/cuda/replica_kernels-inl.h"

template <>
irn::cuda::ReplicaKernels irn::cuda::replica_kernels<4>(bool recurrent) {
  return thread_kernels<4>(recurrent);
}
