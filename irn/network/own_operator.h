// The caller's own operators for blocks of A and B: a sparse pattern, a Fourier transform, shared weights.
//
//   struct Shift : irn::OwnOperatorOf<Shift> {   // each neuron to the next in a ring, with one weight
//     explicit Shift(std::size_t n) : n(n) {}
//     std::size_t parameters() const override { return 1; }
//     template <class T> void multiply(const T* w, std::size_t width, const T* v, T* out) const { ... }
//     template <class T>
//     void multiply_transposed(const T* w, std::size_t width, const T* v, T* out) const { ... }
//     template <class T> void add_gradient(const T* w, const T* u, const T* v, T* gradient) const { ... }
//     std::size_t n;
//   };
//   irn::register_operator("shift", [](std::size_t rows, std::size_t cols, std::size_t) {
//     return std::make_shared<Shift>(rows);
//   });
//   irn::from_text<irn::Architecture>("4-20-2/none+1:1=shift")
//
// States come as lanes: entry j of sample s of a group of `width` samples is v[j * width + s]. Many threads
// call the functions at once. The same numbers must give the same bits whatever the other samples are. A file
// with such a block can be read by any program that registers the name.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace irn {

class OwnOperator {
 public:
  virtual ~OwnOperator() = default;
  virtual std::size_t parameters() const = 0;
  // The w of initial numbers uniform in [-w, w). `width` is the w of a dense block, 0 if the block is
  // recurrent.
  virtual double half_width(double width) const { return width; }

  // out += W v and out += W^T v for `width` samples; w are the operator's numbers.
  virtual void multiply(const float* w, std::size_t width, const float* v, float* out) const = 0;
  virtual void multiply(const double* w, std::size_t width, const double* v, double* out) const = 0;
  virtual void multiply_transposed(const float* w, std::size_t width, const float* v, float* out) const = 0;
  virtual void multiply_transposed(const double* w, std::size_t width, const double* v,
                                   double* out) const = 0;
  // gradient_k += u^T (dW/dw_k) v, for one sample.
  virtual void add_gradient(const float* w, const float* u, const float* v, float* gradient) const = 0;
  virtual void add_gradient(const double* w, const double* u, const double* v, double* gradient) const = 0;
};

// Implements both precisions by templates of the derived struct.
template <class Derived>
class OwnOperatorOf : public OwnOperator {
 public:
  void multiply(const float* w, std::size_t width, const float* v, float* out) const final {
    self().template multiply<float>(w, width, v, out);
  }
  void multiply(const double* w, std::size_t width, const double* v, double* out) const final {
    self().template multiply<double>(w, width, v, out);
  }
  void multiply_transposed(const float* w, std::size_t width, const float* v, float* out) const final {
    self().template multiply_transposed<float>(w, width, v, out);
  }
  void multiply_transposed(const double* w, std::size_t width, const double* v, double* out) const final {
    self().template multiply_transposed<double>(w, width, v, out);
  }
  void add_gradient(const float* w, const float* u, const float* v, float* gradient) const final {
    self().template add_gradient<float>(w, u, v, gradient);
  }
  void add_gradient(const double* w, const double* u, const double* v, double* gradient) const final {
    self().template add_gradient<double>(w, u, v, gradient);
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

// Makes the operator of a block of this shape. `number` is the number after the name in the architecture, 0
// if there is none. Should throw irn::Error for shapes that it cannot have.
using OperatorMaker =
    std::function<std::shared_ptr<const OwnOperator>(std::size_t rows, std::size_t cols, std::size_t number)>;

// `name` consists of letters a to z and is not one of irn's own. Registering a name again replaces its
// operator in architectures made later.
void register_operator(const std::string& name, OperatorMaker maker);

}  // namespace irn
