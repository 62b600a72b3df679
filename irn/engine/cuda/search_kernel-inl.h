// The kernels of a search by factors (rosenbrock): launch, rounds, confirmation. Each is for all samples,
// like the phases of a processor's search. In the rounds a sample that is done makes room for the next, so
// slow samples do not hold up others.
//
// A way defines how a sample is distributed over threads: ThreadWay, one thread for each sample, all in
// registers; SharedWay, several threads of a warp for each sample. What a sample's threads compute depends on
// that sample alone.
#ifndef IRN_ENGINE_CUDA_SEARCH_KERNEL_INL_H_
#define IRN_ENGINE_CUDA_SEARCH_KERNEL_INL_H_

#include "irn/engine/cuda/thread_map-inl.h"
//
#include "irn/engine/cuda/search_memory.h"
#include "irn/engine/cuda/shared_map-inl.h"
#include "irn/engine/cuda/shared_state-inl.h"
#include "irn/equilibrium/rosenbrock-inl.h"
#include "irn/equilibrium/single_search-inl.h"

namespace irn::cuda {

inline constexpr unsigned threads_a_block = 128;

template <std::size_t n>
using Known = std::integral_constant<std::size_t, n>;

// What every thread reads: as an argument of the kernel it is in constant memory.
template <class T, std::size_t entries>
struct Given {
  Rosenbrock solver;
  Rules<T> rules;
  T a[entries];
};

// Whether no value of F is larger than 1: no or yes if the compiler knows, which saves registers since
// bounded maps need no highest residuals; otherwise as the rules say.
enum class Bounded : unsigned char { no, yes, as_rules_say };

// n sigmoid neurons, one thread for each sample.
template <class Number, std::size_t n>
struct ThreadWay {
  using T = Number;
  using V = plain::One<T, Known<n>>;
  using Neurons = plain::SigmoidNeurons<V>;
  using Map = plain::ThreadMap<V, n, Neurons>;
  using LaunchMap = Map;
  using Memory = plain::ThreadMemory<V, n>;
  static constexpr std::size_t size = n, constants = n * n;
  static constexpr Bounded bounded = Bounded::yes;
  static constexpr VectorLayout layout(std::size_t count) { return {1, count}; }
  static constexpr std::size_t entry(std::size_t i, std::size_t j) { return i * n + j; }

  __device__ static const T* weights(const Given<T, constants>& given, const SearchMemory<T>&) {
    return given.a;
  }
  template <class AnyMap>
  __device__ static AnyMap map(const T* a, const V* drive, const SearchMemory<T>&) {
    return {{}, a, drive, {}};
  }
};

// Up to rows * threads neurons of any kind, `threads` threads of a warp for each sample.
template <class Number, std::size_t rows, std::size_t threads, Bounded is_bounded>
struct SharedWay {
  using T = Number;
  using V = plain::One<T, Known<rows>, plain::WarpShare<threads>>;
  using Neurons = plain::MixedNeurons<V>;
  using Map = plain::SharedMap<V, Neurons>;
  using LaunchMap = plain::SharedMap<V, Neurons, plain::RowsInRegisters<V>>;  // there are no factors to keep
  using Memory = plain::ThreadMemory<V, rows>;
  static constexpr std::size_t size = rows * threads, constants = 1;
  static constexpr Bounded bounded = is_bounded;
  static constexpr VectorLayout layout(std::size_t) { return {size, 1}; }
  static constexpr std::size_t entry(std::size_t i, std::size_t j) { return Map::entry(i, j); }

  // From the device's memory into the block's.
  __device__ static const T* weights(const Given<T, constants>&, const SearchMemory<T>& memory) {
    T* a = shared_memory<T>();
    for (std::size_t k = threadIdx.x; k < size * size; k += blockDim.x) a[k] = memory.a[k];
    __syncthreads();
    return a;
  }
  template <class AnyMap>
  __device__ static AnyMap map(const T* a, const V* drive, const SearchMemory<T>& memory) {
    return {a, drive, Neurons(memory.kinds)};
  }
};

// The first sample of a thread and of those that share it, and the distance to the next.
template <class Way>
struct Turn {
  static constexpr std::size_t threads = Way::V::Share::threads;
  std::size_t first = (std::size_t(blockIdx.x) * blockDim.x + threadIdx.x) / threads;
  std::size_t stride = std::size_t(gridDim.x) * blockDim.x / threads;
};

// Vectors of a sample; this thread has a part of each.
template <class Way>
struct Rows {
  using T = typename Way::T;
  using V = typename Way::V;
  static constexpr std::size_t here = V::Size::value;
  VectorLayout layout;
  __device__ Rows(std::size_t count) : layout(Way::layout(count)) {}
  __device__ __forceinline__ std::size_t at(std::size_t sample, std::size_t r) const {
    return sample * layout.by_sample + plain::unknown<V>(r) * layout.by_neuron;
  }
  __device__ __forceinline__ void load(const T* from, std::size_t sample, V* to) const {
#pragma unroll
    for (std::size_t r = 0; r < here; ++r) to[r] = V(from[at(sample, r)]);
  }
  __device__ __forceinline__ void store(const V* from, std::size_t sample, T* to) const {
#pragma unroll
    for (std::size_t r = 0; r < here; ++r) to[at(sample, r)] = from[r].v;
  }
};

template <class Way>
__device__ Rules<typename Way::T> rules_of(const Rules<typename Way::T>& given) {
  Rules<typename Way::T> rules = given;
  if (Way::bounded != Bounded::as_rules_say) rules.bounded = Way::bounded == Bounded::yes;
  return rules;
}

template <class Way>
__global__ void __launch_bounds__(threads_a_block)
    launch_all(const __grid_constant__ Given<typename Way::T, Way::constants> given,
               const __grid_constant__ SearchMemory<typename Way::T> memory) {
  using V = typename Way::V;
  constexpr std::size_t here = V::Size::value;
  const Rows<Way> rows(memory.count);
  const Turn<Way> turn;
  const typename Way::T* a = Way::weights(given, memory);
  // All threads of a warp make the same turns; a turn beyond the last sample repeats it and is not kept.
  for (std::size_t s = turn.first; s - s % 32 < memory.count; s += turn.stride) {
    const std::size_t sample = s < memory.count ? s : memory.count - 1;
    V drive[here], z[here], f[here], highest[here];
    rows.load(memory.drives, sample, drive);
#pragma unroll
    for (std::size_t r = 0; r < here; ++r)
      if (memory.starts && plain::unknown<V>(r) < memory.neurons)
        z[r] = V(memory.starts[sample * memory.neurons + plain::unknown<V>(r)]);
    auto map = Way::template map<typename Way::LaunchMap>(a, drive, memory);
    typename Way::Memory own;
    map.apply(z, f);
    plain::AfterLaunch<V> after{V(), V(), highest};
    plain::launch_single<V>(map, given.solver, {}, rules_of<Way>(given.rules), z, f, after, own);
    if (s >= memory.count) continue;
    rows.store(z, s, memory.z), rows.store(f, s, memory.f);
    if (!rules_of<Way>(given.rules).bounded) rows.store(highest, s, memory.highest);
    memory.h[s] = after.h.v, memory.evaluations[s] = after.evaluations.v;
  }
}

// Hands out a thread's samples, and takes their answers.
template <class Way>
class InTurn {
 public:
  using V = typename Way::V;
  using Mask = typename V::Mask;
  static constexpr std::size_t here = V::Size::value;
  __device__ InTurn(const SearchMemory<typename Way::T>& memory, bool bounded, V* drive)
      : memory_(memory), rows_(memory.count), bounded_(bounded), next_(turn_.first), drive_(drive) {}

  __device__ __forceinline__ Mask take(Mask wanted) {
    const bool taken = wanted.m && next_ < memory_.count;
    if (taken) sample_ = next_, next_ += turn_.stride;
    return {taken};
  }
  __device__ __forceinline__ Mask more() const { return {next_ < memory_.count}; }
  __device__ __forceinline__ void load(Mask begun, V* z, V* f, plain::AfterLaunch<V>& after) const {
    if (!begun.m) return;
    rows_.load(memory_.drives, sample_, drive_);
    rows_.load(memory_.z, sample_, z), rows_.load(memory_.f, sample_, f);
    if (!bounded_) rows_.load(memory_.highest, sample_, after.highest);
    after.h = V(memory_.h[sample_]), after.evaluations = V(memory_.evaluations[sample_]);
  }
  template <class Verdict>
  __device__ __forceinline__ void end(Mask done, const Verdict& verdict, const V* z) const {
    if (!done.m) return;
#pragma unroll
    for (std::size_t r = 0; r < here; ++r)
      if (plain::unknown<V>(r) < memory_.neurons)
        memory_.states[sample_ * memory_.neurons + plain::unknown<V>(r)] = z[r].v;
    if (V::Share::rank() == 0) memory_.verdicts[sample_] = verdict();
  }

 private:
  const SearchMemory<typename Way::T>& memory_;
  Rows<Way> rows_;
  Turn<Way> turn_;
  bool bounded_;
  std::size_t next_, sample_ = 0;
  V* drive_;
};

template <class Way>
__global__ void __launch_bounds__(threads_a_block)
    go_rounds(const __grid_constant__ Given<typename Way::T, Way::constants> given,
              const __grid_constant__ SearchMemory<typename Way::T> memory) {
  using V = typename Way::V;
  constexpr std::size_t here = V::Size::value;
  V drive[here], z[here], f[here];
  auto map = Way::template map<typename Way::Map>(Way::weights(given, memory), drive, memory);
  InTurn<Way> samples(memory, rules_of<Way>(given.rules).bounded, drive);
  typename Way::Memory own;
  plain::rounds_single<V>(map, given.solver, {}, rules_of<Way>(given.rules), z, f, samples, own);
}

template <class Way>
__global__ void __launch_bounds__(threads_a_block)
    confirm_all(const __grid_constant__ Given<typename Way::T, Way::constants> given,
                const __grid_constant__ SearchMemory<typename Way::T> memory) {
  using V = typename Way::V;
  constexpr std::size_t here = V::Size::value;
  const Turn<Way> turn;
  const typename Way::T* a = Way::weights(given, memory);
  for (std::size_t s = turn.first; s - s % 32 < memory.count; s += turn.stride) {
    const std::size_t sample = s < memory.count ? s : memory.count - 1;
    Verdict verdict = memory.verdicts[sample];
    const typename V::Mask settled{s < memory.count && verdict.outcome == Outcome::settled};
    if (plain::none<V>(settled)) continue;
    V z[here];
#pragma unroll
    for (std::size_t r = 0; r < here; ++r)
      if (plain::unknown<V>(r) < memory.neurons)
        z[r] = V(memory.states[sample * memory.neurons + plain::unknown<V>(r)]);
    auto map = Way::template map<typename Way::Map>(a, nullptr, memory);
    typename Way::Memory own;
    plain::confirm_single<V>(map, {}, rules_of<Way>(given.rules), z, settled, verdict, own);
    if (settled.m && V::Share::rank() == 0) memory.verdicts[sample] = verdict;
  }
}

}  // namespace irn::cuda

#endif
