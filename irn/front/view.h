// A matrix of numbers that is stored elsewhere, in either precision and with any strides. Data come in and
// results go out through views, without a copy where the layout allows.
#pragma once

#include <cassert>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "irn/base/error.h"

namespace irn {

enum class Precision : unsigned char { float32, float64 };

template <class T>
concept FloatOrDouble = std::same_as<T, float> || std::same_as<T, double>;

template <FloatOrDouble T>
inline constexpr Precision precision_of = std::same_as<T, float> ? Precision::float32 : Precision::float64;

class View {
 public:
  View() = default;  // nothing: 0 x 0
  // Entry (i, j) is data[i * row_stride + j * column_stride]; strides count numbers and may be negative.
  template <FloatOrDouble T>
  View(const T* data, std::size_t rows, std::size_t columns, std::ptrdiff_t row_stride,
       std::ptrdiff_t column_stride)
      : data_(data),
        precision_(precision_of<T>),
        rows_(rows),
        columns_(columns),
        row_stride_(row_stride),
        column_stride_(column_stride) {}
  // Row by row.
  template <FloatOrDouble T>
  View(const T* data, std::size_t rows, std::size_t columns)
      : View(data, rows, columns, static_cast<std::ptrdiff_t>(columns), 1) {}
  // A vector, row by row; it must live as long as the view. Throws irn::Error if its numbers do not make
  // whole rows.
  template <FloatOrDouble T>
  View(const std::vector<T>& values, std::size_t columns) : View(std::span<const T>(values), columns) {}
  template <FloatOrDouble T>
  View(std::span<const T> values, std::size_t columns)
      : View(values.data(), whole_rows(values.size(), columns), columns) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t size() const { return rows_ * columns_; }
  bool empty() const { return size() == 0; }
  Precision precision() const { return precision_; }

  double operator()(std::size_t i, std::size_t j) const {
    assert(i < rows_ && j < columns_);
    const std::ptrdiff_t at =
        static_cast<std::ptrdiff_t>(i) * row_stride_ + static_cast<std::ptrdiff_t>(j) * column_stride_;
    return precision_ == Precision::float32 ? double(static_cast<const float*>(data_)[at])
                                            : static_cast<const double*>(data_)[at];
  }
  // Number k, row by row.
  double operator[](std::size_t k) const {
    assert(k < size());
    return (*this)(k / columns_, k % columns_);
  }

  // The numbers in place, if they are of type T and stored row by row without gaps; else null.
  template <FloatOrDouble T>
  const T* plain() const {
    const bool rows_follow = rows_ <= 1 || row_stride_ == static_cast<std::ptrdiff_t>(columns_);
    const bool columns_follow = columns_ <= 1 || column_stride_ == 1;
    return precision_ == precision_of<T> && rows_follow && columns_follow ? static_cast<const T*>(data_)
                                                                          : nullptr;
  }
  // The numbers row by row as T: in place where that is possible, else copied into `copy`.
  template <FloatOrDouble T>
  std::span<const T> as(std::vector<T>& copy) const {
    if (const T* numbers = plain<T>()) return {numbers, size()};
    copy.resize(size());
    for (std::size_t i = 0; i < rows_; ++i)
      for (std::size_t j = 0; j < columns_; ++j) copy[i * columns_ + j] = static_cast<T>((*this)(i, j));
    return copy;
  }
  std::vector<double> values() const {  // a copy, row by row
    std::vector<double> copy(size());
    for (std::size_t k = 0; k < copy.size(); ++k) copy[k] = (*this)[k];
    return copy;
  }
  // Columns first .. first + count - 1.
  View columns(std::size_t first, std::size_t count) const {
    assert(first <= columns_ && count <= columns_ - first);
    View part = from(static_cast<std::ptrdiff_t>(first) * column_stride_);
    part.columns_ = count;
    return part;
  }
  View row(std::size_t i) const { return rows(i, 1); }
  // Rows first .. first + count - 1.
  View rows(std::size_t first, std::size_t count) const {
    assert(first <= rows_ && count <= rows_ - first);
    View part = from(static_cast<std::ptrdiff_t>(first) * row_stride_);
    part.rows_ = count;
    return part;
  }

 private:
  static std::size_t whole_rows(std::size_t size, std::size_t columns) {
    if (size == 0) return 0;
    if (columns == 0 || size % columns != 0)
      throw Error(std::to_string(size) + " numbers do not make whole rows of " + std::to_string(columns) +
                  " columns");
    return size / columns;
  }
  View from(std::ptrdiff_t offset) const {
    View moved = *this;
    if (precision_ == Precision::float32)
      moved.data_ = static_cast<const float*>(data_) + offset;
    else
      moved.data_ = static_cast<const double*>(data_) + offset;
    return moved;
  }

  const void* data_ = nullptr;
  Precision precision_ = Precision::float64;
  std::size_t rows_ = 0, columns_ = 0;
  std::ptrdiff_t row_stride_ = 0, column_stride_ = 0;
};

}  // namespace irn
