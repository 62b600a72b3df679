#include "irn/engine/cuda/kept_inputs.h"
#include "irn/engine/cuda/search.h"

#include <algorithm>

#include "irn/engine/cuda/drives-inl.h"
#include "irn/engine/cuda/launched_product.h"
#include "irn/engine/cuda/staged_search.h"

namespace irn::cuda {
namespace {

template <class T>
class StreamSearch final : public DeviceSearch<T> {
 public:
  explicit StreamSearch(const SearchPlan& plan) : plan_(plan), capacity_(plan.capacity) {
    use(plan_.device);
    const SearchPlan searched = of_core(plan_);
    way_ = thread_way<T>(searched);
    if (!way_) way_ = shared_way<T>(searched);
    if (!way_) way_ = wide_way<T>(searched);
    if (!way_) throw Error("solver " + std::string(name_of(plan_.solver)) + " does not run on a CUDA device");
    stream_ = made_stream();
    within_memory_of_device();
    kinds_ = brought(padded(plan_.neurons)), searched_kinds_ = brought(padded(searched.neurons));
  }

  std::size_t capacity() const override { return capacity_; }
  T* inputs() override { return host_inputs_.get(); }
  T* starts() override { return host_starts_.get(); }

  void upload(const NetworkNumbers<T>& network) override {
    use(plan_.device);
    arranged_ = way_->arranged(network.a, neurons());
    checked(cudaMemcpyAsync(a_.get(), arranged_.data(), arranged_.size() * sizeof(T), cudaMemcpyHostToDevice,
                            stream_.get()));
    checked(cudaMemcpyAsync(b_.get(), network.b, weights_of_b() * sizeof(T), cudaMemcpyHostToDevice,
                            stream_.get()));
    checked(cudaMemcpyAsync(bias_.get(), network.bias, neurons() * sizeof(T), cudaMemcpyHostToDevice,
                            stream_.get()));
    checked(cudaStreamSynchronize(stream_.get()));  // the network may change before the next call
    read_ = {a_.get(), b_.get(), bias_.get()};
  }
  void borrow(const NumbersOnDevice& numbers) override {
    if constexpr (std::is_same_v<T, float>)
      if ((plan_.a ? numbers.by_plan : way_->by_columns() && !numbers.by_plan) &&
          way_->size() == numbers.size) {
        read_ = {numbers.a, numbers.b, numbers.bias};
        return;
      }
    throw Error("this search cannot read the numbers of a training");
  }
  SamplesOnDevice last() const override {
    if constexpr (std::is_same_v<T, float>)
      return {device_inputs_.get(), states_.get()};
    else
      return {};
  }

  void solve(std::size_t count, bool from_starts, T* states, Verdict* verdicts) override {
    use(plan_.device);
    copy_to(device_inputs_, host_inputs_.get(), count * plan_.inputs, stream_.get());
    solve_there(count, from_starts, states, verdicts);
  }
  void solve_kept(const KeptInputs<T>& inputs, std::span<const std::uint64_t> index, bool from_starts,
                  T* states, Verdict* verdicts) override {
    use(plan_.device);
    std::copy_n(index.data(), index.size(), host_index_.get());
    copy_to(index_, host_index_.get(), index.size(), stream_.get());
    gather(inputs, index_.get(), index.size(), device_inputs_.get(), stream_.get());
    solve_there(index.size(), from_starts, states, verdicts);
  }

  double seconds_again(std::size_t count) override {
    use(plan_.device);
    const Event begin = made_event(), end = made_event();
    checked(cudaEventRecord(begin.get(), stream_.get()));
    search(count, false);
    checked(cudaEventRecord(end.get(), stream_.get()));
    checked(cudaEventSynchronize(end.get()));
    float milliseconds = 0;
    checked(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
    return 1e-3 * double(milliseconds);
  }

 private:
  // The network that is searched: only its core if it has stages.
  static SearchPlan of_core(SearchPlan plan) {
    if (!plan.stages) return plan;
    const auto first = plan.neurons.begin() + static_cast<std::ptrdiff_t>(plan.stages->first);
    plan.neurons = {first, first + static_cast<std::ptrdiff_t>(plan.stages->neurons)};
    plan.a = plan.stages->core;
    return plan;
  }
  std::vector<Activation> padded(std::vector<Activation> kinds) const {
    kinds.resize(std::max(kinds.size(), way_->size()), Activation::identity);
    return kinds;
  }

  // Solves for inputs on the device.
  void solve_there(std::size_t count, bool from_starts, T* states, Verdict* verdicts) {
    cudaStream_t stream = stream_.get();
    const std::size_t n = neurons();
    if (from_starts) copy_to(device_starts_, host_starts_.get(), count * n, stream);
    search(count, from_starts);
    copy_from(host_states_.get(), states_, count * n, stream);
    copy_from(host_verdicts_.get(), verdicts_, count, stream);
    checked(cudaStreamSynchronize(stream));
    std::copy_n(host_states_.get(), count * n, states);
    std::copy_n(host_verdicts_.get(), count, verdicts);
  }
  void search(std::size_t count, bool from_starts) {
    const T* starts = from_starts ? device_starts_.get() : nullptr;
    find_drives(count);
    if constexpr (std::is_same_v<T, float>)
      if (stages_) {
        const StagedOrder order{read_.a,       kinds_.get(),    drives_.get(), starts,
                                states_.get(), verdicts_.get(), count};
        const CoreVectors core = stages_->before(order, stream_.get());
        run(core.drives, core.starts, core.states, count, plan_.stages->neurons);
        return stages_->behind(order, stream_.get());
      }
    run(drives_.get(), starts, states_.get(), count, neurons());
  }
  void run(const T* drives, const T* starts, T* states, std::size_t count, std::size_t n) {
    way_->run(arranged_, plan_.solver, plan_.rules,
              {read_.a, searched_kinds_.get(), drives, starts, z_.get(), f_.get(), highest_.get(), h_.get(),
               evaluations_.get(), states, verdicts_.get(), count, n},
              stream_.get());
  }
  // How many numbers a sample's drives have: padding included, unless a search over the core takes them from
  // there.
  std::size_t driven() const { return plan_.stages ? neurons() : way_->size(); }
  void find_drives(std::size_t count) {
    if constexpr (std::is_same_v<T, float>)
      if (by_plan_) {
        write_bias(read_.bias, neurons(), driven(), count, drives_.get(), stream_.get());
        const ProductOrder order{read_.b, device_inputs_.get(), plan_.inputs, drives_.get(), driven(), count};
        return by_plan_->add(order, stream_.get());
      }
    if (plan_.inputs >= drive_tile && neurons() >= drive_tile) {
      const dim3 tiles(static_cast<unsigned>((count + drive_tile - 1) / drive_tile),
                       static_cast<unsigned>((way_->size() + drive_tile - 1) / drive_tile));
      return launch(drives_in_tiles<T>, {tiles, tiled_threads, stream_.get()}, device_inputs_.get(), read_.b,
                    read_.bias, neurons(), way_->size(), plan_.inputs, count, way_->layout(count),
                    drives_.get());
    }
    const dim3 grid(static_cast<unsigned>((count + drive_threads - 1) / drive_threads),
                    static_cast<unsigned>((way_->size() + drive_rows - 1) / drive_rows));
    launch(drives_of<T>, {grid, drive_threads, stream_.get()}, device_inputs_.get(), read_.b, read_.bias,
           neurons(), way_->size(), plan_.inputs, count, way_->layout(count), drives_.get());
  }
  // How many numbers of A and B there are.
  std::size_t weights_of_a() const {
    return plan_.a ? plan_.a->parameter.size() : way_->size() * way_->size();
  }
  std::size_t weights_of_b() const { return plan_.b ? plan_.b->parameter.size() : neurons() * plan_.inputs; }
  static std::string_view name_of(const Solver& solver) {
    return std::visit([](const auto& options) { return options.name; }, solver);
  }
  std::size_t neurons() const { return plan_.neurons.size(); }

  // Tries smaller pieces if the device has too little memory.
  void within_memory_of_device() {
    for (;; capacity_ /= 2) try {
        return allocate();
      } catch (const OutOfMemory&) {
        if (capacity_ <= 256) throw;
        release();
      }
  }
  // Frees what a failed try has allocated, for the next one.
  void release() {
    for (Pinned<T>* buffer : {&host_inputs_, &host_starts_, &host_states_}) buffer->reset();
    for (OnDevice<T>* buffer : {&a_, &b_, &bias_, &device_inputs_, &device_starts_, &drives_, &z_, &f_,
                                &highest_, &h_, &evaluations_, &states_})
      buffer->reset();
    host_verdicts_.reset(), verdicts_.reset(), host_index_.reset(), index_.reset();
    by_plan_.reset(), stages_.reset();
  }
  void allocate() {
    const std::size_t n = neurons(), inputs = plan_.inputs, count = capacity_;
    host_inputs_ = pinned<T>(count * inputs), host_starts_ = pinned<T>(count * n);
    host_states_ = pinned<T>(count * n), host_verdicts_ = pinned<Verdict>(count);
    host_index_ = pinned<std::uint64_t>(count), index_ = on_device<std::uint64_t>(count);
    a_ = on_device<T>(weights_of_a()), b_ = on_device<T>(weights_of_b()), bias_ = on_device<T>(n);
    if (plan_.b) by_plan_ = launched_product(plan_.b, count);
    if (plan_.stages) stages_ = staged_search(*plan_.stages, n, way_->size(), count);
    device_inputs_ = on_device<T>(count * inputs), device_starts_ = on_device<T>(count * n);
    const std::size_t launched = way_->keeps_launched() ? count * way_->size() : 0;
    drives_ = on_device<T>(count * driven()), z_ = on_device<T>(launched), f_ = on_device<T>(launched);
    highest_ = on_device<T>(launched), h_ = on_device<T>(count), evaluations_ = on_device<T>(count);
    states_ = on_device<T>(count * n), verdicts_ = on_device<Verdict>(count);
  }

  SearchPlan plan_;
  std::size_t capacity_;
  std::unique_ptr<SearchWay<T>> way_;
  std::unique_ptr<LaunchedProduct> by_plan_;  // or null
  std::unique_ptr<StagedSearch> stages_;      // or null
  Stream stream_;
  std::vector<T> arranged_;
  NetworkNumbers<T> read_;  // on the device: its own, or borrowed
  Pinned<T> host_inputs_, host_starts_, host_states_;
  Pinned<Verdict> host_verdicts_;
  Pinned<std::uint64_t> host_index_;
  OnDevice<std::uint64_t> index_;
  OnDevice<T> a_, b_, bias_, device_inputs_, device_starts_, drives_, z_, f_, highest_, h_, evaluations_,
      states_;
  OnDevice<Activation> kinds_, searched_kinds_;
  OnDevice<Verdict> verdicts_;
};

}  // namespace

template <>
std::unique_ptr<SearchWay<double>> thread_way(const SearchPlan&) {
  return nullptr;
}

template <>
std::unique_ptr<DeviceSearch<float>> make_search(const SearchPlan& plan) {
  return std::make_unique<StreamSearch<float>>(plan);
}
template <>
std::unique_ptr<DeviceSearch<double>> make_search(const SearchPlan& plan) {
  return std::make_unique<StreamSearch<double>>(plan);
}

}  // namespace irn::cuda
