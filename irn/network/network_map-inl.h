// F(z) = f(A z + drive),  drive = B x + b,  for one group of samples: a LaneMap.
//
// The drive of a whole chunk of samples is computed once, with the first value F(0) = f(drive), so that a lane that
// takes a waiting sample costs 2 n copies and no product.
#if defined(IRN_NETWORK_NETWORK_MAP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef IRN_NETWORK_NETWORK_MAP_INL_H_
#undef IRN_NETWORK_NETWORK_MAP_INL_H_
#else
#define IRN_NETWORK_NETWORK_MAP_INL_H_
#endif

#include <span>

#include "irn/base/aligned.h"
#include "irn/data/samples.h"
#include "irn/kernels/activation-inl.h"
#include "irn/kernels/lu-inl.h"
#include "irn/kernels/product-inl.h"
#include "irn/network/lane_map.h"
#include "irn/network/packed.h"

HWY_BEFORE_NAMESPACE();
namespace irn::HWY_NAMESPACE {

// out = f(start + M v) for the rows of one group.
template <class T>
HWY_INLINE void multiply_group(const RowGroup<T>& group, const T* v, const T* start, T* out) {
  const std::size_t offset = group.first * Lanes<T>::width;
  const T* from = start ? start + offset : nullptr;
  switch (group.activation) {
    case Activation::sigmoid: return multiply<T, Sigmoid<T>>(group.panels, v, from, out + offset);
    case Activation::tanh: return multiply<T, Tanh<T>>(group.panels, v, from, out + offset);
    case Activation::relu: return multiply<T, Relu<T>>(group.panels, v, from, out + offset);
    case Activation::softplus: return multiply<T, Softplus<T>>(group.panels, v, from, out + offset);
    case Activation::identity: return multiply<T, Identity<T>>(group.panels, v, from, out + offset);
  }
}

template <class T, class F, bool slope>
HWY_INLINE void map_rows(const T* in, std::size_t rows, T* out) {
  constexpr std::size_t width = Lanes<T>::width;
  for (std::size_t i = 0; i < rows; ++i) {
    const Lanes<T> v = Lanes<T>::load(in + i * width);
    (slope ? F::slope(v) : F::value(v)).store(out + i * width);
  }
}

// out = f(in), or f' where f's value is `in`, row by row with each layer's own f.
template <class T, bool slope>
HWY_NOINLINE void activate_rows(const PackedNetwork<T>& network, const T* in, T* out) {
  for (const RowGroup<T>& g : network.a) {
    const std::size_t offset = g.first * Lanes<T>::width, rows = g.panels.rows;
    switch (g.activation) {
      case Activation::sigmoid: map_rows<T, Sigmoid<T>, slope>(in + offset, rows, out + offset); break;
      case Activation::tanh: map_rows<T, Tanh<T>, slope>(in + offset, rows, out + offset); break;
      case Activation::relu: map_rows<T, Relu<T>, slope>(in + offset, rows, out + offset); break;
      case Activation::softplus: map_rows<T, Softplus<T>, slope>(in + offset, rows, out + offset); break;
      case Activation::identity: map_rows<T, Identity<T>, slope>(in + offset, rows, out + offset); break;
    }
  }
}

// The entries of  shift I - D A  for the factorisation: lanes differ in D and shift, not in A.
template <class T>
struct ShiftedJacobian {
  const T* a;
  const T* slopes;
  Lanes<T> shift;
  std::size_t n;
  HWY_INLINE Lanes<T> operator()(std::size_t i, std::size_t j) const {
    const Lanes<T> slope = Lanes<T>::load(slopes + i * Lanes<T>::width);
    return neg_mul_add(slope, Lanes<T>(a[i * n + j]), i == j ? shift : Lanes<T>());
  }
};

template <class T>
class NetworkMap final : public LaneMap<T> {
 public:
  static constexpr std::size_t width = Lanes<T>::width;

  // `chunk` samples at most are begun together.
  NetworkMap(const PackedNetwork<T>& network, std::size_t chunk, bool dense)
      : network_(network),
        n_(network.neurons()),
        groups_((chunk + width - 1) / width),
        inputs_(network.architecture().inputs() * width),
        drives_(groups_ * n_ * width),
        first_values_(groups_ * n_ * width),
        drive_(n_ * width),
        slopes_(n_ * width),
        factors_(dense ? n_ * n_ * width : 0) {}

  std::size_t size() const override { return n_; }

  // Computes the drives of the samples index[0..]; they become problems 0, 1, ...
  void begin(const Samples<T>& samples, std::span<const std::uint64_t> index) {
    for (std::size_t g = 0; g * width < index.size(); ++g) {
      const std::size_t count = index.size() - g * width < width ? index.size() - g * width : width;
      samples.inputs_as_lanes(index.subspan(g * width, count), width, inputs_.data());
      T* drive = drives_.data() + g * n_ * width;
      for (std::size_t i = 0; i < n_; ++i) Lanes<T>(network_.bias[i]).store(drive + i * width);
      for (const RowGroup<T>& b : network_.b) multiply_group(b, inputs_.data(), drive, drive);
      activate_rows<T, false>(network_, drive, first_values_.data() + g * n_ * width);
    }
  }

  void load(std::size_t lane, std::size_t index, T* z, T* f) override {
    const std::size_t from = index / width * n_ * width + index % width;
    for (std::size_t i = 0; i < n_; ++i) {
      drive_[i * width + lane] = drives_[from + i * width];
      f[i * width + lane] = first_values_[from + i * width];
      z[i * width + lane] = T(0);
    }
  }

  void apply(const T* z, T* f) override {
    for (const RowGroup<T>& g : network_.a) multiply_group(g, z, drive_.data(), f);
  }

  // Without recurrence: the layers in order, each reading what those before it have become, are the exact answer.
  void sweep(std::size_t group, T* z) {
    const T* drive = drives_.data() + group * n_ * width;
    for (const RowGroup<T>& g : network_.a) multiply_group(g, z, drive, z);
  }

  void linearise(const T*, const T* f) override { activate_rows<T, true>(network_, f, slopes_.data()); }

  void jacobian_times(const T* v, T* out) override {
    for (const RowGroup<T>& g : network_.a) {
      const std::size_t offset = g.first * width;
      multiply<T, Identity<T>>(g.panels, v, nullptr, out + offset);
    }
    for (std::size_t i = 0; i < n_; ++i)
      (Lanes<T>::load(slopes_.data() + i * width) * Lanes<T>::load(out + i * width)).store(out + i * width);
  }

  void factor(const T* shift) override {
    const ShiftedJacobian<T> source{network_.dense_a.data(), slopes_.data(), Lanes<T>::load(shift), n_};
    irn::HWY_NAMESPACE::factor(LaneMatrix<T>{factors_.data(), n_}, source);
  }

  void solve(T* x) override { irn::HWY_NAMESPACE::solve<T, false>(LaneMatrix<T>{factors_.data(), n_}, x); }
  void solve_transposed(T* x) { irn::HWY_NAMESPACE::solve<T, true>(LaneMatrix<T>{factors_.data(), n_}, x); }
  const T* slopes() const { return slopes_.data(); }

 private:
  const PackedNetwork<T>& network_;
  std::size_t n_, groups_;
  AlignedBuffer<T> inputs_, drives_, first_values_, drive_, slopes_, factors_;
};

}  // namespace irn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
