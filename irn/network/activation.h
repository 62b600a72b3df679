// Activations, the f of z = f(A z + B x + b).
//
// Each is monotone and its slope is a function of its value, so a gradient needs nothing but the state:
//   sigmoid  1 / (1 + e^-u)   slope s (1 - s)
//   tanh     tanh u           slope 1 - s^2
//   relu     max(u, 0)        slope [s > 0]
//   softplus log(1 + e^u)     slope 1 - e^-s
//   identity u                slope 1
#pragma once

#include <array>
#include <string_view>

namespace irn {

enum class Activation : unsigned char { sigmoid, tanh, relu, softplus, identity };

// The only list: the text form of networks, the tests and the documentation use it. Index = the enum's value.
inline constexpr std::array activation_names =
    std::to_array<std::string_view>({"sigmoid", "tanh", "relu", "softplus", "identity"});

constexpr std::string_view name(Activation f) { return activation_names[static_cast<std::size_t>(f)]; }

// Plain versions for one number, against which the fast kernels are tested.
double activate(Activation f, double u);
double slope_from_value(Activation f, double value);
// The largest slope of f: the dynamics contract for certain if  mu_inf(A) < 1 / max_slope.
double max_slope(Activation f);
double min_slope(Activation f);  // the infimum of the slopes
bool is_bounded(Activation f);   // whether |f| <= 1 everywhere

}  // namespace irn
