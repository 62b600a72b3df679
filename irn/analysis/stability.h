// Does the flow dz/dt = F(z) - z return to an equilibrium, how fast, and does it turn on its way?
//
// Close to an equilibrium a difference v obeys dv/dt = (J - I) v, J = dF/dz (D A for a network). Its modes
// fall or grow like e^(Re(lambda) t) and turn with Im(lambda), where lambda is an eigenvalue of J - I:
//   attracts        all Re(lambda) < 0
//   time constant   1 / -Re of the rightmost: the time in which the slowest mode falls to 1/e
//   frequency       |Im| / 2 pi of the rightmost, in turns per unit of time; 0 if it does not turn
//   distance        |z - limit| is about residual / -Re: how far a state with this residual is from its limit
//
// Neurons on no loop (irn/network/loops.h) follow those before them and have the eigenvalue -1 each; the
// others are analysed loop by loop. For a loop of more neurons than StabilityOptions::dense the rightmost
// eigenvalues are estimated by Arnoldi's method, with products alone; `error` then says how far off they may
// be.
//
// The eigenvalues are those of the linearisation at the state given; whether it is an equilibrium is not
// checked.
#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

#include "irn/analysis/network_problem.h"

namespace irn {

struct StabilityOptions {
  std::size_t dense = dense_analysis_limit;  // loops or problems of at most this size get all eigenvalues
  std::size_t vectors = 120;                 // in Arnoldi's method
  double accuracy = 1e-6;  // at which Arnoldi's method stops, relative to its largest eigenvalue
  bool modes = false;      // whether to compute the rightmost mode itself
};

enum class Attraction : unsigned char { attracts, repels, undecided };
inline constexpr std::array<std::string_view, 3> attraction_names = {"attracts", "repels", "undecided"};
constexpr std::string_view name(Attraction a) { return attraction_names[static_cast<std::size_t>(a)]; }

struct StateStability {
  // Of J - I, rightmost first; a pair is (a, b), (a, -b) with b > 0 first. All of them, or those that an
  // estimate found.
  std::vector<std::complex<double>> eigenvalues;
  bool complete = true;  // whether these are all eigenvalues
  // About how far the rightmost may be from the true one: rounding, or the residual of an estimate. For an
  // estimate it is no bound, since Arnoldi's method may miss an eigenvalue.
  double error = 0;
  // The mode of the rightmost eigenvalue of a loop, over the neurons of that loop, |mode| = 1 (neurons behind
  // the loop follow); empty unless asked for.
  std::vector<std::complex<double>> mode;

  std::complex<double> rightmost() const { return eigenvalues.front(); }
  double abscissa() const { return rightmost().real(); }
  Attraction attraction() const;  // undecided where |abscissa| <= error
  bool attracts() const { return attraction() == Attraction::attracts; }
  double time_constant() const;  // infinite unless it attracts
  double frequency() const;
  double distance(double residual) const { return residual * time_constant(); }
  std::size_t unstable() const;  // how many eigenvalues have a positive real part
};

// For a network at state z with input x.
template <class T>
StateStability stability(const NetworkOf<T>& network, std::span<const T> x, std::span<const double> z,
                         const StabilityOptions& options = {});
// For problem i at state z. Without a Jacobian differences are taken.
StateStability stability(const Problem& problem, std::size_t i, std::span<const double> z,
                         const StabilityOptions& options = {});

}  // namespace irn
