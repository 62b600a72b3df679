// What the equilibria of a network are worth, sample by sample and in sum.
//
//   check()          the cheap part, for every sample: verdict, distance to the limit, eigenvalues, smallest singular value, sensitivity.
//                    Thousands of samples a second for networks of up to 48 neurons
//   look_closer()    the expensive part, for the samples asked for: all other equilibria, the edge of the basin, the nearest fold
//   worst_samples()  those most worth a closer look
// States are those of the network in its own precision, with its solver; what is said about them is computed in double. The same bits on any
// number of threads.
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
  std::size_t eigenvalues = 6;  // kept of each sample, rightmost first
  bool slopes = true;           // whether singular value and sensitivity are wanted
};

// Of the state that a sample has come to, if that is an equilibrium, stable or not: at rest within tolerance.
struct StateCheck {
  StateStability stability;  // with CheckOptions::eigenvalues of its eigenvalues
  std::size_t unstable = 0;  // of all eigenvalues, those with a positive real part
  double distance = 0;       // to the limit, estimated; infinite unless it attracts
  // Not a number where not asked for, or beyond dense_analysis_limit neurons.
  double singular = std::numeric_limits<double>::quiet_NaN();       // smallest of I - D A
  double sensitivity = std::numeric_limits<double>::quiet_NaN();    // |dy/dx|, Euclidean
  double amplification = std::numeric_limits<double>::quiet_NaN();  // of a gradient, the most
  std::size_t input = 0;                                            // to which the outputs are most sensitive
};

struct SampleCheck {
  Verdict verdict;                  // outcome, residual, evaluations
  std::optional<StateCheck> state;  // none: there is no equilibrium to look at

  bool answered() const { return has_answer(verdict.outcome); }
};

// Least, median and largest of a quantity over the samples that have it; none if none has.
struct Spread {
  double least = 0, median = 0, largest = 0;
  std::size_t samples = 0;
};

struct CheckSummary {
  Summary outcomes;
  std::size_t attracts = 0, repels = 0, undecided = 0;  // of the states at rest
  std::size_t doubtful = 0;  // settled, but by its eigenvalues repelling or undecided
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
  SettleOptions settle = {};  // of the flow, in place of search.settle
};

struct CloserLook {
  std::uint64_t sample = 0;
  std::optional<EquilibriaOf> equilibria;  // if asked for
  std::optional<FoldDistance> fold;        // if asked for and the flow from rest reaches an equilibrium
};

// At samples index[0..], in their order. Throws irn::Error beyond dense_analysis_limit neurons.
template <class T>
std::vector<CloserLook> look_closer(const NetworkOf<T>& network, const Samples<T>& samples,
                                    std::span<const std::uint64_t> index, const CloserOptions& options,
                                    ThreadPool& threads);

// Up to `count` samples, the most doubtful first: without an answer, settled but not attracting, then by the smallest singular value or, where there is
// none, by the rightmost eigenvalue.
std::vector<std::uint64_t> worst_samples(const Check& check, std::size_t count);

}  // namespace irn
