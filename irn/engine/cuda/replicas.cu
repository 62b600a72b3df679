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
  throw Error("there are no kernels for replicas with " + std::to_string(hidden) + " hidden neurons");
}

// Records of every replica, again and again.
template <class Record>
class Records {
 public:
  Records(std::size_t times, std::size_t replicas)
      : replicas_(replicas), room_(times), memory_(on_device<Record>(times * replicas)) {}
  // Room for the next, on the device.
  Record* next(std::size_t times = 1) {
    if (times > room_ - used_) throw Error("replicas: more stretches than were planned");
    used_ += times;
    return memory_.get() + (used_ - times) * replicas_;
  }
  std::vector<Record> all(cudaStream_t stream) const {
    std::vector<Record> host(used_ * replicas_);
    copy_from(host.data(), memory_, host.size(), stream);
    checked(cudaStreamSynchronize(stream));
    return host;
  }

 private:
  std::size_t replicas_, room_, used_ = 0;
  OnDevice<Record> memory_;
};

const ReplicaPlan& checked_plan(const ReplicaPlan& plan) {
  const std::size_t numbers = plan.numbers.states.size() * plan.task.shape.weights();
  const std::size_t moments = plan.numbers.moments.size();
  if (numbers == 0 || plan.numbers.weights.size() != numbers || (moments != 0 && moments != numbers) ||
      plan.adam.size() != adam_table_size)
    throw Error("replicas: weights, moments or Adam's table are not those of the replicas");
  use(plan.device);
  return plan;
}

class DeviceReplicas final : public Replicas {
 public:
  explicit DeviceReplicas(const ReplicaPlan& plan)
      : task_(checked_plan(plan).task),
        device_(plan.device),
        kernels_(kernels_for(task_.shape.hidden, task_.gradient != ReplicaGradient::sweep)),
        replicas_(plan.numbers.states.size()),
        numbers_(plan.numbers.weights.size()),
        chunks_((task_.test_samples + test_chunk - 1) / test_chunk),
        stream_(made_stream()),
        states_(on_device<ReplicaState>(replicas_)),
        weights_(on_device<float>(numbers_)),
        moments_(on_device<Moments>(numbers_)),
        adam_(on_device<AdamNumbers>(adam_table_size)),
        partial_(on_device<TestSums>(plan.tests > 0 ? chunks_ * replicas_ : 0)),
        epochs_(plan.epochs, replicas_),
        tests_(plan.tests, replicas_),
        paper_(plan.tests, replicas_) {
    const ReplicaNumbers& start = plan.numbers;
    copy_to(states_, start.states.data(), replicas_, stream_.get());
    copy_to(weights_, start.weights.data(), numbers_, stream_.get());
    copy_to(adam_, plan.adam.data(), adam_table_size, stream_.get());
    if (start.moments.empty())
      checked(cudaMemsetAsync(moments_.get(), 0, numbers_ * sizeof(Moments), stream_.get()));
    else
      copy_to(moments_, start.moments.data(), numbers_, stream_.get());
    checked(cudaStreamSynchronize(stream_.get()));
    choose_shape(plan.crowded);
  }
  ~DeviceReplicas() override { cudaStreamSynchronize(stream_.get()); }

  void train(std::size_t epochs) override {
    use(device_);
    const std::size_t a_block = std::size_t(warps_) * (replica_warp / lanes_);
    const auto blocks = static_cast<unsigned>((replicas_ + a_block - 1) / a_block);
    kernels_.train<<<blocks, warps_ * replica_warp, shared_, stream_.get()>>>(
        task_, {states_.get(), weights_.get(), moments_.get(), adam_.get(), epochs_.next(epochs), replicas_},
        epochs, lanes_);
    mark();
  }

  void test(std::size_t paper_samples) override {
    use(device_);
    const dim3 grid(static_cast<unsigned>(chunks_), static_cast<unsigned>(replicas_));
    const std::size_t bytes = weights_bytes() + test_threads * (sizeof(double) + sizeof(float));
    kernels_.test<<<grid, test_threads, bytes, stream_.get()>>>(task_, weights_.get(), partial_.get());
    add_tests<<<static_cast<unsigned>((replicas_ + 31) / 32), 32, 0, stream_.get()>>>(
        partial_.get(), chunks_, replicas_, tests_.next());
    const auto samples = static_cast<unsigned>(std::min<std::uint64_t>(paper_samples, task_.test_samples));
    if (samples > 0 && kernels_.paper)
      kernels_.paper<<<static_cast<unsigned>(replicas_), test_threads,
                       weights_bytes() + samples * sizeof(float), stream_.get()>>>(task_, weights_.get(),
                                                                                   samples, paper_.next());
    mark();
  }

  std::size_t pending() override {
    while (!marks_.empty()) {
      const cudaError_t status = cudaEventQuery(marks_.front().get());
      if (status == cudaErrorNotReady) break;
      checked(status);
      marks_.pop_front();
    }
    return marks_.size();
  }
  void wait() override { checked(cudaStreamSynchronize(stream_.get())); }

  std::vector<EpochSums> epochs() const override { return epochs_.all(stream_.get()); }
  std::vector<TestSums> tests() const override { return tests_.all(stream_.get()); }
  std::vector<PaperRecord> paper() const override { return paper_.all(stream_.get()); }
  ReplicaNumbers numbers() const override {
    ReplicaNumbers now{std::vector<ReplicaState>(replicas_), std::vector<float>(numbers_),
                       std::vector<Moments>(numbers_)};
    copy_from(now.states.data(), states_, replicas_, stream_.get());
    copy_from(now.weights.data(), weights_, numbers_, stream_.get());
    copy_from(now.moments.data(), moments_, numbers_, stream_.get());
    checked(cudaStreamSynchronize(stream_.get()));
    return now;
  }

 private:
  std::size_t weights_bytes() const { return task_.shape.weights() * sizeof(float); }

  // How many threads a replica takes, and how many replicas a block. Where there are few, a warp each; else as many as samples, and blocks such that a
  // multiprocessor has room for two.
  void choose_shape(bool crowded) {
    lanes_ = crowded ? static_cast<unsigned>(task_.shape.batch) : replica_warp;
    const std::size_t a_warp = ReplicaPlaces(task_.shape).size * sizeof(float) * (replica_warp / lanes_);
    const std::size_t half = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / 2 - 1024;
    warps_ = crowded ? static_cast<unsigned>(
                           std::clamp<std::size_t>(half / a_warp, 1, most_replica_threads / replica_warp))
                     : 1;
    take_shared(a_warp * warps_);
  }
  void take_shared(std::size_t bytes) {
    const std::size_t most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    if (bytes > most)
      throw Error("replicas: batches and weights of a block take " + std::to_string(bytes) +
                  " bytes of shared memory, and this device has " + std::to_string(most));
    shared_ = bytes;
    cuda::allow_shared(kernels_.train);
  }

  // A stretch has been queued.
  void mark() {
    checked(cudaGetLastError());
    cudaEvent_t event = nullptr;
    checked(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    marks_.emplace_back(event);
    checked(cudaEventRecord(event, stream_.get()));
  }

  ReplicaTask task_;
  unsigned device_;
  ReplicaKernels kernels_;
  std::size_t replicas_, numbers_, chunks_;
  unsigned lanes_ = 0, warps_ = 0;
  std::size_t shared_ = 0;
  Stream stream_;
  OnDevice<ReplicaState> states_;
  OnDevice<float> weights_;
  OnDevice<Moments> moments_;
  OnDevice<AdamNumbers> adam_;
  OnDevice<TestSums> partial_;
  Records<EpochSums> epochs_;
  Records<TestSums> tests_;
  Records<PaperRecord> paper_;
  std::deque<Event> marks_;
};

}  // namespace

std::unique_ptr<Replicas> made_replicas(const ReplicaPlan& plan) {
  return std::make_unique<DeviceReplicas>(plan);
}

}  // namespace irn::cuda
