// How far the equilibria of a network can be trusted, for each sample and in sum.
//
//   check()          the cheap part, for every sample: verdict, distance to the limit, eigenvalues, smallest
//                    singular value, sensitivity. Thousands of samples a second for networks of up to 48
//                    neurons
//   look_closer()    the expensive part, for the samples asked for: all other equilibria, the edge of the
//                    basin, the nearest fold
//   worst_samples()  the samples that most need a closer look
// States are computed in the network's own precision, with its solver; the analysis is in double. The same
// bits on any number of threads.
#pragma once

#include <complex>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "irn/analysis/certificates.h"
#include "irn/analysis/equilibria_of.h"
#include "irn/analysis/fold_distance.h"
#include "irn/base/threads.h"
#include "irn/data/samples.h"

namespace irn {

struct CheckOptions {
  SettleOptions settle = {};
  StabilityOptions stability = {};
  CertificateOptions certificates = {};
  std::size_t eigenvalues = 6;  // how many are kept for each sample, rightmost first
  bool slopes = true;           // whether to compute singular value and sensitivity
};

// The state of a sample, if it is an equilibrium, stable or not: at rest within tolerance.
struct StateCheck {
  StateStability stability;  // with the first CheckOptions::eigenvalues eigenvalues
  std::size_t unstable = 0;  // how many of all eigenvalues have a positive real part
  double distance = 0;       // to the limit, estimated; infinite unless the state attracts
  // NaN if not asked for, or beyond dense_analysis_limit neurons.
  double singular = std::numeric_limits<double>::quiet_NaN();       // the smallest one of I - D A
  double sensitivity = std::numeric_limits<double>::quiet_NaN();    // |dy/dx|, Euclidean
  double amplification = std::numeric_limits<double>::quiet_NaN();  // the largest of a gradient
  std::size_t input = 0;  // the input to which the outputs are most sensitive
};

struct SampleCheck {
  Verdict verdict;                  // outcome, residual, evaluations
  std::optional<StateCheck> state;  // none: there is no equilibrium to look at

  bool answered() const { return has_answer(verdict.outcome); }
};

// The least, the median and the largest value of a quantity over the samples that have it; none if no sample
// does.
struct Spread {
  double least = 0, median = 0, largest = 0;
  std::size_t samples = 0;
};

struct CheckSummary {
  Summary outcomes;
  std::size_t attracts = 0, repels = 0, undecided = 0;  // among the states at rest
  std::size_t doubtful = 0;  // settled, but repelling or undecided by the eigenvalues
  Spread residual, distance, evaluations, abscissa, time_constant, frequency, singular, sensitivity,
      amplification;
};

struct Check {
  std::vector<SampleCheck> samples;
  CheckSummary summary;
  Certificates network;
};

template <class T>
Check check(const NetworkOf<T>& network, const Samples<T>& samples, const CheckOptions& options,
            ThreadPool& threads);

struct CloserOptions {
  bool equilibria = true, fold = true;
  SearchOptions search = {};
  FoldOptions folds = {};
  SettleOptions settle = {};  // of the flow, instead of search.settle
};

struct CloserLook {
  std::uint64_t sample = 0;
  std::optional<EquilibriaOf> equilibria;  // if asked for
  std::optional<FoldDistance> fold;        // if asked for and the flow from rest reaches an equilibrium
};

// For samples index[0..], in their order. Throws irn::Error beyond dense_analysis_limit neurons.
template <class T>
std::vector<CloserLook> look_closer(const NetworkOf<T>& network, const Samples<T>& samples,
                                    std::span<const std::uint64_t> index, const CloserOptions& options,
                                    ThreadPool& threads);

// Up to `count` samples, the most doubtful first: those without an answer, then those settled but not
// attracting, then the others. Within the last two, the smallest singular value comes first or, if there is
// none, the largest rightmost eigenvalue.
std::vector<std::uint64_t> worst_samples(const Check& check, std::size_t count);

}  // namespace irn
