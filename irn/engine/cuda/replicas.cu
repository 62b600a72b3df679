#include "irn/engine/cuda/replicas.h"

#include <algorithm>
#include <deque>

#include "irn/engine/cuda/replica_kernels.h"
#include "irn/engine/cuda/runtime.h"

namespace irn::cuda {
namespace {

// Each is compiled in a file of its own.
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
    case 12:
      return replica_kernels<14>(recurrent);
    case 20:
      return replica_kernels<22>(recurrent);
    case 32:
      return replica_kernels<34>(recurrent);
  }
  throw Error("there are no kernels for replicas with " + std::to_string(hidden) + " hidden neurons");
}

// Records of every replica, one set after the other.
template <class Record>
class Records {
 public:
  Records(std::size_t times, std::size_t replicas)
      : replicas_(replicas), room_(times), memory_(on_device<Record>(times * replicas)) {}
  // Room for the next records, on the device.
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
        piece_(plan.tests > 0 ? replicas_of_piece(task_.test_samples) : 0),
        stream_(made_stream(Priority::high)),
        test_stream_(made_stream()),
        trained_(made_event()),
        tested_(made_event()),
        states_(on_device<ReplicaState>(replicas_)),
        weights_(on_device<float>(numbers_)),
        moments_(on_device<Moments>(numbers_)),
        tested_weights_(on_device<float>(plan.tests > 0 ? numbers_ : 0)),
        adam_(on_device<AdamNumbers>(adam_table_size)),
        hard_list_(on_device<std::uint32_t>(kernels_.test_hard ? 1 + piece_ * task_.test_samples : 0)),
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
  ~DeviceReplicas() override {
    cudaStreamSynchronize(stream_.get()), cudaStreamSynchronize(test_stream_.get());
  }

  void train(std::size_t epochs) override {
    use(device_);
    const auto blocks = static_cast<unsigned>((replicas_ + a_block_ - 1) / a_block_);
    launch(kernels_.train, {blocks, block_, stream_.get(), shared_}, task_,
           {states_.get(), weights_.get(), moments_.get(), adam_.get(), epochs_.next(epochs), replicas_},
           epochs, lanes_);
    mark(stream_.get());
  }

  // Tests a copy of the weights that training has reached; training continues meanwhile.
  void test(std::size_t paper_samples) override {
    use(device_);
    const cudaStream_t stream = test_stream_.get();
    checked(cudaStreamWaitEvent(stream_.get(), tested_.get(), 0));  // the last test no longer needs its copy
    checked(cudaMemcpyAsync(tested_weights_.get(), weights_.get(), numbers_ * sizeof(float),
                            cudaMemcpyDeviceToDevice, stream_.get()));
    checked(cudaEventRecord(trained_.get(), stream_.get()));
    checked(cudaStreamWaitEvent(stream, trained_.get(), 0));
    TestSums* sums = tests_.next();
    checked(cudaMemsetAsync(sums, 0, replicas_ * sizeof(TestSums), stream));
    for (std::size_t first = 0; first < replicas_; first += piece_)
      test_piece(first, std::min(piece_, replicas_ - first), sums + first);
    const auto samples = static_cast<unsigned>(std::min<std::uint64_t>(paper_samples, task_.test_samples));
    if (samples > 0 && kernels_.paper)
      launch(
          kernels_.paper,
          {static_cast<unsigned>(replicas_), test_threads, stream, weights_bytes() + samples * sizeof(float)},
          task_, tested_weights_.get(), samples, paper_.next());
    checked(cudaEventRecord(tested_.get(), stream));
    mark(stream);
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
  void wait() override {
    checked(cudaStreamSynchronize(stream_.get()));
    checked(cudaStreamSynchronize(test_stream_.get()));
  }

  std::vector<EpochSums> epochs() const override { return epochs_.all(stream_.get()); }
  std::vector<TestSums> tests() const override { return tests_.all(test_stream_.get()); }
  std::vector<PaperRecord> paper() const override { return paper_.all(test_stream_.get()); }
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

  // How many replicas are tested at a time: as many as the list of hard samples has room for with all their
  // samples.
  std::size_t replicas_of_piece(std::size_t samples) const {
    constexpr std::size_t room = std::size_t{1} << 26;
    return std::clamp<std::size_t>(room / std::max<std::size_t>(samples, 1), 1, replicas_);
  }
  void test_piece(std::size_t first, std::size_t count, TestSums* sums) {
    const cudaStream_t stream = test_stream_.get();
    const HardSamples hard{hard_list_.get(), hard_list_.get() + 1};
    const float* weights = tested_weights_.get() + first * task_.shape.weights();
    const dim3 grid(static_cast<unsigned>((task_.test_samples + test_chunk - 1) / test_chunk),
                    static_cast<unsigned>(count));
    if (kernels_.test_hard) checked(cudaMemsetAsync(hard.count, 0, sizeof *hard.count, stream));
    launch(kernels_.test, {grid, test_threads, stream, weights_bytes()}, task_, weights, sums, hard);
    if (kernels_.test_hard)
      launch(kernels_.test_hard, {hard_blocks_, test_threads, stream}, task_, weights, sums, hard);
  }

  // Chooses the threads of a replica and of a block. If there are few replicas, each has a warp or a block.
  // Otherwise each has as few threads as the samples of a batch need, and a multiprocessor has room for two
  // blocks. A replica with many weights always has a warp.
  void choose_shape(bool crowded) {
    const std::size_t bytes = ReplicaPlaces(task_.shape).size * sizeof(float);
    if (kernels_.sample_threads > 1) {
      const std::size_t needed = task_.shape.batch * kernels_.sample_threads;
      block_ = block_of_shared(kernels_.sample_threads);
      lanes_ = block_ / static_cast<unsigned>(crowded ? std::max<std::size_t>(1, block_ / needed) : 1);
      a_block_ = block_ / lanes_;
    } else {
      lanes_ = crowded && task_.shape.hidden <= 8 ? static_cast<unsigned>(task_.shape.batch) : replica_warp;
      const std::size_t a_warp = replica_warp / lanes_;
      const std::size_t half = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / 2 - 1024;
      const std::size_t warps =
          std::clamp<std::size_t>(half / (bytes * a_warp), 1, most_replica_threads / replica_warp);
      block_ = replica_warp * (crowded ? static_cast<unsigned>(warps) : 1);
      a_block_ = block_ / replica_warp * a_warp;
    }
    shared_ = bytes * a_block_;
    hard_blocks_ = static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount)) * 4;
    take_shared();
  }
  void take_shared() const {
    const std::size_t most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - 1024;
    if (shared_ > most)
      throw Error("replicas: batches and weights of a block take " + std::to_string(shared_) +
                  " bytes of shared memory, and this device has " + std::to_string(most));
    cuda::allow_shared(kernels_.train);
    cuda::allow_shared(kernels_.test);
    if (kernels_.paper) cuda::allow_shared(kernels_.paper);
  }

  // Marks the end of a stretch that has been queued.
  void mark(cudaStream_t stream) {
    cudaEvent_t event = nullptr;
    checked(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    marks_.emplace_back(event);
    checked(cudaEventRecord(event, stream));
  }

  ReplicaTask task_;
  unsigned device_;
  ReplicaKernels kernels_;
  std::size_t replicas_, numbers_, piece_, a_block_ = 1;
  unsigned lanes_ = 0, block_ = 0, hard_blocks_ = 0;  // threads of a replica and of a block
  std::size_t shared_ = 0;
  Stream stream_, test_stream_;
  Event trained_,
      tested_;  // how far the streams are: at the weights that are tested, and past their test
  OnDevice<ReplicaState> states_;
  OnDevice<float> weights_;
  OnDevice<Moments> moments_;
  OnDevice<float> tested_weights_;
  OnDevice<AdamNumbers> adam_;
  OnDevice<std::uint32_t> hard_list_;  // their number, then the samples
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
