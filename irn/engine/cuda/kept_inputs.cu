#include "irn/engine/cuda/kept_inputs.h"

namespace irn::cuda {
namespace {

template <class T>
class RowsOnDevice final : public KeptInputs<T> {
 public:
  RowsOnDevice(unsigned device, std::size_t samples, std::size_t inputs) : device_(device), inputs_(inputs) {
    use(device_);
    leave_room_beside(samples * inputs * sizeof(T));
    stream_ = made_stream();
    rows_ = on_device<T>(samples * inputs);
  }
  void put(std::size_t first, std::size_t count, const T* inputs) override {
    use(device_);
    checked(cudaMemcpyAsync(rows_.get() + first * inputs_, inputs, count * inputs_ * sizeof(T),
                            cudaMemcpyHostToDevice, stream_.get()));
    checked(cudaStreamSynchronize(stream_.get()));
  }
  const T* rows() const { return rows_.get(); }
  std::size_t inputs() const { return inputs_; }

 private:
  // Other work needs memory more than kept inputs do.
  static void leave_room_beside(std::size_t bytes) {
    std::size_t left = 0, all = 0;
    checked(cudaMemGetInfo(&left, &all));
    if (bytes > left / 4) throw OutOfMemory("the CUDA device has too little memory to keep inputs there");
  }

  unsigned device_;
  std::size_t inputs_;
  Stream stream_;
  OnDevice<T> rows_;
};

template <class T>
__global__ void gather_rows(const T* kept, const std::uint64_t* index, std::size_t count, std::size_t width,
                            T* gathered) {
  const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t at = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; at < count * width; at += stride)
    gathered[at] = kept[index[at / width] * width + at % width];
}

}  // namespace

template <class T>
std::unique_ptr<KeptInputs<T>> kept_inputs(unsigned device, std::size_t samples, std::size_t inputs) {
  return std::make_unique<RowsOnDevice<T>>(device, samples, inputs);
}

template <class T>
void gather(const KeptInputs<T>& kept, const std::uint64_t* index, std::size_t count, T* gathered,
            cudaStream_t stream) {
  constexpr unsigned threads = 256;
  const auto& rows = static_cast<const RowsOnDevice<T>&>(kept);
  const std::size_t numbers = count * rows.inputs();
  const unsigned blocks = blocks_for(gather_rows<T>, threads, 0, (numbers + threads - 1) / threads);
  launch(gather_rows<T>, {blocks, threads, stream}, rows.rows(), index, count, rows.inputs(), gathered);
}

template std::unique_ptr<KeptInputs<float>> kept_inputs<float>(unsigned, std::size_t, std::size_t);
template std::unique_ptr<KeptInputs<double>> kept_inputs<double>(unsigned, std::size_t, std::size_t);
template void gather<float>(const KeptInputs<float>&, const std::uint64_t*, std::size_t, float*,
                            cudaStream_t);
template void gather<double>(const KeptInputs<double>&, const std::uint64_t*, std::size_t, double*,
                             cudaStream_t);

}  // namespace irn::cuda
