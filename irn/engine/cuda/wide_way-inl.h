// Networks beyond 48 neurons, and solvers that take products alone (anderson, rosenbrock-krylov): in single precision a warp a sample up to 256
// neurons, a block of threads a sample beyond and in double precision. The search of a sample is the driver's own, of one problem.
#ifndef IRN_ENGINE_CUDA_WIDE_WAY_INL_H_
#define IRN_ENGINE_CUDA_WIDE_WAY_INL_H_

// Not all inlined: a search of this kind does not live in registers, and would take minutes to compile.
#define IRN_FN __host__ __device__
#define IRN_INLINE __host__ __device__ inline
#define IRN_NOINLINE __host__ __device__ __noinline__
#define IRN_UNROLL _Pragma("unroll")
#include "irn/engine/cuda/wide_memory-inl.h"
//
#include "irn/engine/cuda/shared_state-inl.h"
#include "irn/engine/cuda/way.h"
#include "irn/engine/cuda/wide_map-inl.h"
#include "irn/equilibrium/all_solvers-inl.h"

namespace irn::cuda {

template <class T, class Options>
struct WideGiven {
  Options options;
  Rules<T> rules;
  std::size_t rows;
  bool matrix_in_block;
};

// Threads that share a sample's state, and samples a block.
template <std::size_t count>
struct WarpTeam {
  using Share = plain::WarpShare<32>;
  static constexpr std::size_t samples = count, threads = 32 * count;
};
template <std::size_t count>
struct BlockTeam {
  using Share = plain::BlockShare<count>;
  static constexpr std::size_t samples = 1, threads = count;
};

// Bytes of a block's shared memory: the matrix, if it fits, and for each sample the vector that goes round.
template <class T, class Team>
std::size_t shared_bytes(std::size_t rows, bool with_matrix) {
  const std::size_t size = rows * Team::Share::threads;
  return sizeof(T) * ((with_matrix ? size * size : 0) + Team::samples * size);
}

template <class T, class Options, class Team>
__global__ void __launch_bounds__(Team::threads)
    search_wide(const __grid_constant__ WideGiven<T, Options> given,
                const __grid_constant__ SearchMemory<T> memory) {
  using Share = typename Team::Share;
  using V = plain::One<T, std::size_t, Share>;
  using Map = plain::WideMap<V, most_rows>;
  extern __shared__ unsigned char block[];
  const std::size_t rows = given.rows, size = rows * Share::threads, team = threadIdx.x / Share::threads;
  T* shared = reinterpret_cast<T*>(block);
  const T* a = memory.a;
  if (given.matrix_in_block) {
    for (std::size_t k = threadIdx.x; k < size * size; k += blockDim.x) shared[k] = memory.a[k];
    a = shared, shared += size * size;
    __syncthreads();
  }
  T* vector = shared + team * size;
  V own[WideSizes<Options>::vectors * most_rows];
  V scalars[WideSizes<
      Options>::scalars];  // each thread has its own: alike, since all come from what is put together
  const std::size_t stride = std::size_t(gridDim.x) * Team::samples;
  for (std::size_t s = std::size_t(blockIdx.x) * Team::samples + team; s < memory.count; s += stride) {
    V drive[most_rows], start[most_rows], state[most_rows];
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t i = plain::unknown<V>(r);
      drive[r] = V(memory.drives[s * size + i]);
      start[r] = memory.starts && i < memory.neurons ? V(memory.starts[s * memory.neurons + i]) : V();
    }
    Map map(rows, memory.neurons, a, vector, drive, start, memory.kinds);
    WideMemory<V> handed(own, scalars);
    plain::Driver<V, Options, Map> driver(given.options, rows, given.rules, 1, handed);
    Verdict verdict;
    driver.run(map, 1, {reinterpret_cast<T*>(state), &verdict});
    for (std::size_t r = 0; r < rows; ++r)
      if (plain::unknown<V>(r) < memory.neurons)
        memory.states[s * memory.neurons + plain::unknown<V>(r)] = state[r].v;
    if (Share::rank() == 0) memory.verdicts[s] = verdict;
  }
}

template <class T, class Options, class Team>
class WideWay final : public SearchWay<T> {
 public:
  explicit WideWay(std::size_t n) : rows_((n + Team::Share::threads - 1) / Team::Share::threads) {}
  std::size_t size() const override { return rows_ * Team::Share::threads; }
  VectorLayout layout(std::size_t) const override { return {size(), 1}; }

  std::vector<T> arranged(const T* a, std::size_t n) const override {
    std::vector<T> all(size() * size());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) all[j * size() + i] = a[i * n + j];
    return all;
  }
  void run(const std::vector<T>&, const Solver& solver, const Rules<double>& rules,
           const SearchMemory<T>& memory, cudaStream_t stream) const override {
    const auto kernel = search_wide<T, Options, Team>;
    const bool fits =
        shared_bytes<T, Team>(rows_, true) <= attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    const std::size_t bytes = shared_bytes<T, Team>(rows_, fits);
    allow_shared(kernel);
    int resident = 0;
    checked(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, Team::threads, bytes));
    const std::size_t needed = (memory.count + Team::samples - 1) / Team::samples;
    const std::size_t room =
        attribute(cudaDevAttrMultiProcessorCount) * static_cast<std::size_t>(std::max(resident, 1));
    kernel<<<static_cast<unsigned>(std::min(needed, room)), Team::threads, bytes, stream>>>(
        {std::get<Options>(solver), rules.in<T>(), rows_, fits}, memory);
    checked(cudaGetLastError());
  }

 private:
  std::size_t rows_;
};

inline constexpr std::size_t warp_limit = 32 * most_rows;
static_assert(256 * most_rows == widest);

template <class T, class Options>
std::unique_ptr<SearchWay<T>> wide_way_of(const SearchPlan& plan) {
  const std::size_t n = plan.neurons.size();
  const Options* options = std::get_if<Options>(&plan.solver);
  if (!options) return nullptr;
  if constexpr (sizeof(T) == sizeof(float))
    if (n <= warp_limit) return std::make_unique<WideWay<T, Options, WarpTeam<4>>>(n);
  return std::make_unique<WideWay<T, Options, BlockTeam<256>>>(n);
}

}  // namespace irn::cuda

#endif
