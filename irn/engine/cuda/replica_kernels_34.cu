#include "irn/engine/cuda/replica_kernels-inl.h"

template <>
irn::cuda::ReplicaKernels irn::cuda::replica_kernels<34>(bool recurrent) {
  return shared_kernels<34, 3, 16>(recurrent);
}
