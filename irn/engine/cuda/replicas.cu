#include "irn/engine/cuda/replicas.h"

#include <algorithm>
#include <deque>

#include "irn/engine/cuda/replica_kernels.h"
#include "irn/engine/cuda/runtime.h"

namespace irn::cuda {
namespace {

// Adds up the chunks of each replica, in their order.
__global__ void add_tests(const TestSums* sums, std::size_t chunks, std::size_t replicas, TestSums* out) {
  const std::size_t replica = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (replica >= replicas) return;
  TestSums all;
  for (std::size_t c = 0; c < chunks; ++c) all.add(sums[replica * chunks + c]);
  out[replica] = all;
}

// Each compiled in a file of its own.
ReplicaKernels kernels_for(std::size_t hidden, bool recurrent) {
  switch (hidden) {
    case 1:
      return replica_kernels<3>(recurrent);
    case 2:
      return replica_kernels<4>(recurrent);
    case 3:
      return replica_kernels<5>(recurrent);
    case 5:
      return replica_kernels<7>(recurrent);
    case 8:
      return replica_kernels<10>(recurrent);
  }
  throw Error("replicas of " + std::to_string(hidden) + " hidden neurons are not among those compiled");
}

// What one launch leaves behind, copied to the host while the next one runs.
template <class Record>
struct Records {
  OnDevice<Record> device;
  std::vector<Record> host;
};

void allow_shared(const void* kernel, std::size_t bytes) {
  checked(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
}

struct EndEvent {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using Event = std::unique_ptr<CUevent_st, EndEvent>;

}  // namespace

struct Replicas::Inside {
  Inside(unsigned number, const ReplicaTask& chosen, const ReplicaNumbers& start, bool is_crowded)
      : device(number),
        task(chosen),
        kernels(kernels_for(chosen.shape.hidden, chosen.gradient != ReplicaGradient::sweep)),
        replicas(start.states.size()),
        numbers(replicas * chosen.shape.weights()) {
    if (replicas == 0 || start.weights.size() != numbers ||
        (!start.moments.empty() && start.moments.size() != numbers))
      throw Error("replicas: weights or moments are not those of the replicas");
    use(device);
    stream = made_stream();
    states = on_device<ReplicaState>(replicas), weights = on_device<float>(numbers);
    moments = on_device<Moments>(numbers), adam = on_device<AdamNumbers>(adam_table_size);
    const std::vector<AdamNumbers> table = adam_table();
    const std::vector<Moments> none(start.moments.empty() ? numbers : 0);
    copy_to(states, start.states.data(), replicas, stream.get());
    copy_to(weights, start.weights.data(), numbers, stream.get());
    copy_to(moments, start.moments.empty() ? none.data() : start.moments.data(), numbers, stream.get());
    copy_to(adam, table.data(), table.size(), stream.get());
    checked(cudaStreamSynchronize(stream.get()));
    choose_shape(is_crowded);
  }

  // How many threads a replica takes, and how many replicas a block: two blocks a multiprocessor, if their memory allows it.
  void choose_shape(bool crowded) {
    lanes = crowded ? static_cast<unsigned>(task.shape.batch) : replica_warp;
    const std::size_t a_replica = ReplicaPlaces(task.shape).size * sizeof(float), together = replica_warp / lanes;
    const std::size_t most_shared = 112 * 1024;
    warps = static_cast<unsigned>(
        std::clamp<std::size_t>(most_shared / (a_replica * together), 1, most_replica_threads / replica_warp));
    if (!crowded) warps = 1;
    shared = a_replica * together * warps;
    while (shared > 224 * 1024) throw Error("replicas: a batch of such networks does not fit a multiprocessor's memory");
    allow_shared(reinterpret_cast<const void*>(kernels.train), shared);
    weights_shared = task.shape.weights() * sizeof(float);
  }

  void train(std::size_t epochs) {
    use(device);
    Records<EpochSums>& records = epoch_records.emplace_back();
    records.device = on_device<EpochSums>(epochs * replicas), records.host.resize(epochs * replicas);
    const std::size_t a_block = std::size_t(warps) * (replica_warp / lanes);
    const auto blocks = static_cast<unsigned>((replicas + a_block - 1) / a_block);
    kernels.train<<<blocks, warps * replica_warp, shared, stream.get()>>>(
        task, {states.get(), weights.get(), moments.get(), adam.get(), records.device.get(), replicas}, epochs,
        lanes);
    checked(cudaGetLastError());
    copy_from(records.host.data(), records.device, records.host.size(), stream.get());
    mark();
  }

  void test(std::size_t paper_samples) {
    use(device);
    const std::size_t chunks = (task.test_samples + test_chunk - 1) / test_chunk;
    if (!partial) partial = on_device<TestSums>(chunks * replicas);
    Records<TestSums>& records = test_records.emplace_back();
    records.device = on_device<TestSums>(replicas), records.host.resize(replicas);
    const std::size_t bytes = test_threads * (sizeof(double) + sizeof(float)) + weights_shared;
    allow_shared(reinterpret_cast<const void*>(kernels.test), bytes);
    const dim3 grid(static_cast<unsigned>(chunks), static_cast<unsigned>(replicas));
    kernels.test<<<grid, test_threads, bytes, stream.get()>>>(task, weights.get(), partial.get());
    checked(cudaGetLastError());
    add_tests<<<static_cast<unsigned>((replicas + 31) / 32), 32, 0, stream.get()>>>(
        partial.get(), chunks, replicas, records.device.get());
    checked(cudaGetLastError());
    copy_from(records.host.data(), records.device, replicas, stream.get());
    if (paper_samples > 0 && kernels.paper) test_by_paper(std::min<std::size_t>(paper_samples, task.test_samples));
    mark();
  }
  void test_by_paper(std::size_t samples) {
    Records<PaperRecord>& records = paper_records.emplace_back();
    records.device = on_device<PaperRecord>(replicas), records.host.resize(replicas);
    const std::size_t bytes = samples * sizeof(float) + weights_shared;
    allow_shared(reinterpret_cast<const void*>(kernels.paper), bytes);
    kernels.paper<<<static_cast<unsigned>(replicas), test_threads, bytes, stream.get()>>>(
        task, weights.get(), static_cast<unsigned>(samples), records.device.get());
    checked(cudaGetLastError());
    copy_from(records.host.data(), records.device, replicas, stream.get());
  }

  void mark() {
    cudaEvent_t event = nullptr;
    checked(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    marks.emplace_back(event);
    checked(cudaEventRecord(event, stream.get()));
  }
  std::size_t pending() {
    while (!marks.empty()) {
      const cudaError_t status = cudaEventQuery(marks.front().get());
      if (status == cudaErrorNotReady) break;
      checked(status);
      marks.pop_front();
    }
    return marks.size();
  }

  unsigned device;
  ReplicaTask task;
  ReplicaKernels kernels;
  std::size_t replicas, numbers;
  unsigned lanes = 0, warps = 0;
  std::size_t shared = 0, weights_shared = 0;
  Stream stream;
  OnDevice<ReplicaState> states;
  OnDevice<float> weights;
  OnDevice<Moments> moments;
  OnDevice<AdamNumbers> adam;
  OnDevice<TestSums> partial;
  std::deque<Records<EpochSums>> epoch_records;
  std::deque<Records<TestSums>> test_records;
  std::deque<Records<PaperRecord>> paper_records;
  std::deque<Event> marks;
};

Replicas::Replicas(unsigned device, const ReplicaTask& task, const ReplicaNumbers& numbers, bool crowded)
    : inside_(std::make_unique<Inside>(device, task, numbers, crowded)) {}
Replicas::~Replicas() = default;
Replicas::Replicas(Replicas&&) noexcept = default;

void Replicas::train(std::size_t epochs) { inside_->train(epochs); }
void Replicas::test(std::size_t paper_samples) { inside_->test(paper_samples); }
std::size_t Replicas::pending() { return inside_->pending(); }
void Replicas::wait() {
  use(inside_->device);
  checked(cudaStreamSynchronize(inside_->stream.get()));
}

namespace {
template <class Record>
std::vector<Record> all_of(const std::deque<Records<Record>>& records) {
  std::vector<Record> all;
  for (const Records<Record>& some : records) all.insert(all.end(), some.host.begin(), some.host.end());
  return all;
}
}  // namespace

std::vector<EpochSums> Replicas::epochs() const { return all_of(inside_->epoch_records); }
std::vector<TestSums> Replicas::tests() const { return all_of(inside_->test_records); }
std::vector<PaperRecord> Replicas::paper() const { return all_of(inside_->paper_records); }

ReplicaNumbers Replicas::numbers() const {
  const Inside& p = *inside_;
  ReplicaNumbers numbers{std::vector<ReplicaState>(p.replicas), std::vector<float>(p.numbers),
                         std::vector<Moments>(p.numbers)};
  use(p.device);
  copy_from(numbers.states.data(), p.states, p.replicas, p.stream.get());
  copy_from(numbers.weights.data(), p.weights, p.numbers, p.stream.get());
  copy_from(numbers.moments.data(), p.moments, p.numbers, p.stream.get());
  checked(cudaStreamSynchronize(p.stream.get()));
  return numbers;
}

}  // namespace irn::cuda
