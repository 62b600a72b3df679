// Compares gradients of a loss on real samples: how far exact, semi, truncated and unrolled ones
// (irn/gradient/gradient.h) point apart, and whether the exact one agrees with finite differences.
//
// Each is the gradient of one sample's loss by all parameters, in double, whatever the network's precision.
// The angle between g and the exact gradient e is acos(g . e / |g| |e|), its length |g| / |e|. Differences
// move the parameters along directions r of length 1 and settle again from the equilibrium found;
// (L(p + h r) - L(p - h r)) / 2h is compared with e . r. `differences` is the largest deviation over the
// directions, relative to |e|.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "irn/base/threads.h"
#include "irn/data/samples.h"
#include "irn/gradient/gradient.h"
#include "irn/network/network.h"
#include "irn/train/loss.h"

namespace irn {

struct GradientComparisonOptions {
  std::vector<Gradient> gradients = {SemiGradient{}, TruncatedGradient{}, UnrolledGradient{}};
  Loss loss = SquaredLoss{};
  SettleOptions settle = {};   // tolerance 0: 1e-12
  std::size_t directions = 4;  // for the differences: e / |e| itself, then random ones
  double step = 1e-5;          // h
  std::uint64_t seed = 1;
};

struct ComparedGradient {
  GradientOutcome outcome = GradientOutcome::not_settled;
  double length = 0;  // |g| / |e|
  double angle = 0;   // in degrees; 0 or 180 if both are along one line
};

struct GradientsOfSample {
  Verdict verdict;
  GradientOutcome exact = GradientOutcome::not_settled;
  double norm = 0;  // |e|
  double amplification = 0;
  std::vector<ComparedGradient>
      others;  // in the order of GradientComparisonOptions::gradients; zero if either is not used
  std::optional<double>
      differences;  // none if e is not used or too small for rounding, or a moved network did not settle
};

struct GradientSpread {
  std::size_t samples = 0;  // where both this one and the exact one are used
  double median_angle = 0, largest_angle = 0, median_length = 0, least_length = 0, largest_length = 0;
  std::size_t against = 0;  // samples with an angle above 90 degrees
};

struct GradientComparison {
  std::vector<GradientsOfSample> samples;  // in the order of `index`
  std::vector<GradientSpread> spreads;     // in the order of the gradients
  double largest_difference = 0;           // the largest `differences`
};

// For samples index[0..]. Throws irn::Error unless they have targets that the loss can take.
template <class T>
GradientComparison compare_gradients(const NetworkOf<T>& network, const Samples<T>& samples,
                                     std::span<const std::uint64_t> index,
                                     const GradientComparisonOptions& options, ThreadPool& threads);

}  // namespace irn
