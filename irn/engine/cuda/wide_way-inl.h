// Networks beyond 48 neurons, and solvers that use products alone (anderson, rosenbrock-krylov). In single
// precision a warp has a sample as long as the matrix fits into a block's shared memory, then as long as it
// fits into that of a cluster of blocks (cluster_product-inl.h). Beyond that a block of threads has a sample,
// and all blocks compute the products together (grid_product-inl.h). In double precision a block has a
// sample. The search of a sample is the driver's own, of one problem.
#ifndef IRN_ENGINE_CUDA_WIDE_WAY_INL_H_
#define IRN_ENGINE_CUDA_WIDE_WAY_INL_H_

// Not everything is inlined: such a search does not fit into registers, and would take minutes to compile.
#define IRN_FN __host__ __device__
#define IRN_INLINE __host__ __device__ inline
#define IRN_NOINLINE __host__ __device__ __noinline__
#define IRN_UNROLL _Pragma("unroll")
#include "irn/engine/cuda/wide_memory-inl.h"
//
#include "irn/engine/cuda/cluster_shape.h"
#include "irn/engine/cuda/grid_work-inl.h"
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

// Threads that share a sample's state, and the threads of a block with this many samples.
struct WarpTeam {
  using Share = plain::WarpShare<32>;
  static constexpr unsigned most_threads = 32 * most_warps;
  static unsigned threads_for(std::size_t samples) { return 32 * warps_a_block(samples, most_warps); }
};
template <unsigned count>
struct BlockTeam {
  using Share = plain::BlockShare<count>;
  static constexpr unsigned most_threads = count;
  static unsigned threads_for(std::size_t) { return count; }
};

template <class T, class Team>
std::size_t shared_bytes(std::size_t rows, bool with_matrix, unsigned threads = Team::most_threads) {
  constexpr std::size_t of_a_sample = Team::Share::threads;
  return bytes_of_block(sizeof(T), rows * of_a_sample, with_matrix, threads / of_a_sample);
}

// A sample that threads share, at most `most` unknowns each: its search, and then whether the state found
// attracts. That is examined for all samples at the end, not amid the searches of others: its code is long,
// and warps at different places of it wait for their instructions. (64 neurons settle 1.5 times as fast;
// where blocks multiply together it makes no difference.)
template <std::size_t most, class T, class Options, class V, class Product>
class SampleSearch {
 public:
  // The sizes of own and scalars are given by WideSizes<Options>.
  __device__ SampleSearch(const WideGiven<T, Options>& given, const SearchMemory<T>& memory, Product& product,
                          V* own, V* scalars)
      : given_(given), memory_(memory), product_(product), own_(own), scalars_(scalars) {}

  __device__ void search(std::size_t s) {
    const std::size_t rows = given_.rows, size = rows * V::Share::threads;
    V drive[most], start[most], state[most];
    for (std::size_t r = 0; r < rows; ++r) {
      const std::size_t i = plain::unknown<V>(r);
      drive[r] = V(memory_.drives[s * size + i]);
      start[r] = memory_.starts && i < memory_.neurons ? V(memory_.starts[s * memory_.neurons + i]) : V();
    }
    Map map(rows, product_, drive, start, memory_.kinds);
    WideMemory<V> handed(own_, scalars_);
    Rules<T> rules = given_.rules;
    rules.confirm = false;
    plain::Driver<V, Options, Map> driver(given_.options, rows, rules, 1, handed);
    Verdict verdict;
    driver.run(map, 1, {reinterpret_cast<T*>(state), &verdict});
    for (std::size_t r = 0; r < rows; ++r)
      if (plain::unknown<V>(r) < memory_.neurons)
        memory_.states[s * memory_.neurons + plain::unknown<V>(r)] = state[r].v;
    if (V::Share::rank() == 0) memory_.verdicts[s] = verdict;
  }

  __device__ void confirm(std::size_t s) {
    V::Share::meet();  // one thread has the verdict
    Verdict verdict = memory_.verdicts[s];
    if (verdict.outcome != Outcome::settled) return;
    const std::size_t rows = given_.rows;
    V state[most];
    for (std::size_t r = 0; r < rows; ++r)
      if (plain::unknown<V>(r) < memory_.neurons)
        state[r] = V(memory_.states[s * memory_.neurons + plain::unknown<V>(r)]);
    Map map(rows, product_, nullptr, nullptr, memory_.kinds);
    WideMemory<V> handed(own_, scalars_);
    plain::ConfirmationPhase<V, Options> phase(plain::Setting<Options, T, std::size_t, WideMemory<V>>{
        given_.options, rows, given_.rules, 1, handed});
    plain::Search<V> search{1, reinterpret_cast<T*>(state), &verdict,
                            plain::ProblemList(handed.template numbers<std::size_t>(1))};
    phase.run(map, search);
    if (V::Share::rank() == 0) memory_.verdicts[s] = verdict;
  }

 private:
  using Map = plain::WideMap<V, most, Product>;

  const WideGiven<T, Options>& given_;
  const SearchMemory<T>& memory_;
  Product& product_;
  V *own_, *scalars_;
};

// Searches for a block's samples, one after the other; all blocks compute a product together.
template <std::size_t most, class Options, class V, class Product>
__device__ void search_together(const WideGiven<float, Options>& given, const SearchMemory<float>& memory,
                                Product& product) {
  V own[WideSizes<Options>::vectors * most], scalars[WideSizes<Options>::scalars];
  SampleSearch<most, float, Options, V, Product> samples(given, memory, product, own, scalars);
  for (std::size_t s = blockIdx.x; s < memory.count; s += gridDim.x) samples.search(s);
  product.help_others();
  if (!given.rules.confirm) return;
  for (std::size_t s = blockIdx.x; s < memory.count; s += gridDim.x) samples.confirm(s);
  product.help_others();
}

template <class T, class Options, class Team>
__global__ void __launch_bounds__(Team::most_threads)
    search_wide(const __grid_constant__ WideGiven<T, Options> given,
                const __grid_constant__ SearchMemory<T> memory) {
  using Share = typename Team::Share;
  using V = plain::One<T, std::size_t, Share>;
  const std::size_t size = given.rows * Share::threads, team = threadIdx.x / Share::threads;
  T* shared = shared_memory<T>();
  const T* a = memory.a;
  if (given.matrix_in_block) {
    for (std::size_t k = threadIdx.x; k < size * size; k += blockDim.x) shared[k] = memory.a[k];
    a = shared, shared += size * size;
    __syncthreads();
  }
  plain::OwnProduct<V, most_rows> product(memory.neurons, a, shared + team * size);
  V own[WideSizes<Options>::vectors * most_rows];
  // Each thread has its own copy; all are equal, since they come from combined values.
  V scalars[WideSizes<Options>::scalars];
  SampleSearch<most_rows, T, Options, V, decltype(product)> samples(given, memory, product, own, scalars);
  const std::size_t teams = blockDim.x / Share::threads, first = blockIdx.x * teams + team,
                    stride = gridDim.x * teams;
  for (std::size_t s = first; s < memory.count; s += stride) samples.search(s);
  if (!given.rules.confirm) return;
  for (std::size_t s = first; s < memory.count; s += stride) samples.confirm(s);
}

// One block for each sample; all blocks compute a product together (grid_product-inl.h).
template <class Options, class Tile>
__global__ void __launch_bounds__(Tile::threads, 2)
    search_in_grid(const __grid_constant__ WideGiven<float, Options> given,
                   const __grid_constant__ SearchMemory<float> memory,
                   const __grid_constant__ GridMemory grid) {
  using V = plain::One<float, std::size_t, plain::BlockShare<Tile::threads>>;
  __shared__ __align__(16) float block[Tile::floats];
  GridProduct<V, Tile> product(memory.a, given.rows * Tile::threads, memory.neurons, grid, block);
  search_together<most_rows, Options, V>(given, memory, product);
}

template <class T, class Team>
bool matrix_fits(std::size_t rows) {
  return shared_bytes<T, Team>(rows, true) <= attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

template <class T, std::size_t threads>
class WideLayout : public SearchWay<T> {
 public:
  explicit WideLayout(std::size_t n) : rows_((n + threads - 1) / threads) {}
  std::size_t size() const override { return rows_ * threads; }
  VectorLayout layout(std::size_t) const override { return {size(), 1}; }
  bool by_columns() const override { return true; }
  std::vector<T> arranged(const T* a, std::size_t n) const override {
    std::vector<T> all(size() * size());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) all[j * size() + i] = a[i * n + j];
    return all;
  }

 protected:
  std::size_t rows_;
};

template <class T, class Options, class Team>
class WideWay final : public WideLayout<T, Team::Share::threads> {
 public:
  using WideLayout<T, Team::Share::threads>::WideLayout;
  void run(const std::vector<T>&, const Solver& solver, const Rules<double>& rules,
           const SearchMemory<T>& memory, cudaStream_t stream) const override {
    const auto kernel = search_wide<T, Options, Team>;
    const unsigned threads = Team::threads_for(memory.count);
    const bool fits = matrix_fits<T, Team>(this->rows_);
    const std::size_t bytes = shared_bytes<T, Team>(this->rows_, fits, threads),
                      teams = threads / Team::Share::threads;
    allow_shared(kernel);
    const unsigned blocks = blocks_for(kernel, threads, bytes, (memory.count + teams - 1) / teams);
    launch(kernel, {blocks, threads, stream, bytes},
           {std::get<Options>(solver), rules.in<T>(), this->rows_, fits}, memory);
  }
};

template <class Options, class Tile>
class GridWay final : public WideLayout<float, Tile::threads> {
 public:
  explicit GridWay(std::size_t n)
      : WideLayout<float, Tile::threads>(n),
        work_(search_in_grid<Options, Tile>, Tile::threads, this->size()) {}
  void run(const std::vector<float>&, const Solver& solver, const Rules<double>& rules,
           const SearchMemory<float>& memory, cudaStream_t stream) const override {
    work_.launch(memory.count, stream,
                 WideGiven<float, Options>{std::get<Options>(solver), rules.in<float>(), this->rows_, false},
                 memory);
  }

 private:
  GridWork<WideGiven<float, Options>, SearchMemory<float>> work_;
};

static_assert(256 * most_rows == widest_matrix && 256 * most_rows_by_plan == widest);

// Compiled separately: a minute each.
template <class T, class Options>
std::unique_ptr<SearchWay<T>> wide_way_of(std::size_t n);  // a sample has a warp, or in double a block
template <class Options>
std::unique_ptr<SearchWay<float>> cluster_way_of(std::size_t n);
template <class Options>
std::unique_ptr<SearchWay<float>> grid_way_of(std::size_t n);
template <class Options>
std::unique_ptr<SearchWay<float>> plan_way_of(const SearchPlan& plan);

}  // namespace irn::cuda

#endif
