// The paper's closed forms of the derivatives of a two-layer network (appendix B), in its own notation and in
// plain code.
//
//   S = (1 - f1 W1 - f1 Q1 (1 - f2 W2)^-1 f2 R)^-1
//   dY1/dW1 = S f1 Y1    dY1/dQ1 = S f1 Y2    dY1/dT1 = S f1
//   with P = S f1 Q1 (1 - f2 W2)^-1 f2:
//   dY1/dQ2 = P X        dY1/dR = P Y1        dY1/dW2 = P Y2        dY1/dT2 = P
//
// Index 1 is the output layer, 2 the hidden layer; every derivative is a matrix (output x neuron) times a
// vector.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "irn/network/network.h"

namespace irn::experiments {

struct Matrix {
  std::size_t rows = 0, cols = 0;
  std::vector<double> values = {};  // row-major
  Matrix(std::size_t r, std::size_t c) : rows(r), cols(c), values(r * c, 0.0) {}
  double& operator()(std::size_t i, std::size_t j) { return values[i * cols + j]; }
  double operator()(std::size_t i, std::size_t j) const { return values[i * cols + j]; }
};

Matrix product(const Matrix& a, const Matrix& b);
Matrix inverse(Matrix a);  // Gauss-Jordan elimination with pivoting

inline constexpr std::array<std::string_view, 7> closed_form_names = {"W1", "Q1", "T1", "W2",
                                                                      "Q2", "R",  "T2"};

// The indices in the parameter vector of the parameters in one of these matrices.
std::vector<std::size_t> places(const Architecture& two_layers, std::string_view name);

// d(output)/d(parameter), row-major [output][parameter], at the state (hidden, then output neurons) reached
// for `input`.
Matrix closed_forms(const NetworkOf<double>& two_layers, std::span<const double> state,
                    std::span<const double> input);
// dY1/dW1 of the output layer taken as a network of one layer: (1 - f1 W1)^-1 f1 Y1. Fills in the entries of
// W1 only.
Matrix one_layer_form(const NetworkOf<double>& two_layers, std::span<const double> state);

}  // namespace irn::experiments
