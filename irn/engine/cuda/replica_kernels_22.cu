#include "irn/engine/cuda/replica_kernels-inl.h"

template <>
irn::cuda::ReplicaKernels irn::cuda::replica_kernels<22>(bool recurrent) {
  return shared_kernels<22, 3, 8>(recurrent);
}
