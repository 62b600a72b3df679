// A fixed number of values on a cache-line boundary, the memory of states, tiles and parameters: 64 bytes is
// both a cache line and the widest vector register. Values start at zero. A buffer moves but never copies:
// copies of large states should be visible in the code.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace irn {

template <class T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  static constexpr std::size_t alignment = 64;

  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size) : data_(allocate(size)), size_(size) {
    if (size > 0)
      std::memset(static_cast<void*>(data_), 0, size * sizeof(T));  // zero for every type allowed here
  }
  AlignedBuffer(AlignedBuffer&& other) noexcept { swap(other); }
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    AlignedBuffer(std::move(other)).swap(*this);
    return *this;
  }
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;
  ~AlignedBuffer() { ::operator delete(data_, std::align_val_t{alignment}); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }
  void fill(const T& value) { std::fill_n(data_, size_, value); }

  void swap(AlignedBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 private:
  // Rounded up to whole lines, so that a kernel may load the last vector of a buffer without a mask.
  static T* allocate(std::size_t size) {
    if (size == 0) return nullptr;
    if (size > (std::numeric_limits<std::size_t>::max() - alignment) / sizeof(T))
      throw std::bad_array_new_length();
    const std::size_t bytes = (size * sizeof(T) + alignment - 1) / alignment * alignment;
    return static_cast<T*>(::operator new(bytes, std::align_val_t{alignment}));
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace irn
