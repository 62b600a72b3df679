// A search of the paper's network, 5 + 2 sigmoid neurons, as one thread of a device makes it. Compiled, nothing is run: all of it must live in
// registers, which the compiler says with "0 bytes stack frame".
#include "irn/engine/cuda/thread_map-inl.h"
//
#include "irn/equilibrium/rosenbrock-inl.h"
#include "irn/equilibrium/single_search-inl.h"

namespace irn::plain {

template <class T, std::size_t n>
struct Matrix {
  T a[n * n];
};

template <class T, std::size_t n>
__global__ void search(const __grid_constant__ Matrix<T, n> shared, const __grid_constant__ Rosenbrock solver,
                       const Rules<T> rules, const T* drives, T* states, Verdict* verdicts,
                       std::size_t samples) {
  using V = One<T, std::integral_constant<std::size_t, n>>;
  const std::size_t sample = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (sample >= samples) return;
  V drive[n], z[n], f[n];
  for (std::size_t i = 0; i < n; ++i) drive[i] = V(drives[i * samples + sample]);
  ThreadMap<V, n, SigmoidNeurons<V>> map({}, shared.a, drive, {});
  ThreadMemory<V, n> memory;
  map.apply(z, f);
  Rules<T> of_sigmoid = rules;
  of_sigmoid.bounded = true;  // known to the compiler, too: no highest residuals are kept
  verdicts[sample] = search_single<V>(map, solver, {}, of_sigmoid, z, f, memory);
  for (std::size_t i = 0; i < n; ++i) states[i * samples + sample] = z[i].lane(0);
}

template __global__ void search<float, 7>(const __grid_constant__ Matrix<float, 7>,
                                          const __grid_constant__ Rosenbrock, const Rules<float>,
                                          const float*, float*, Verdict*, std::size_t);

}  // namespace irn::plain
