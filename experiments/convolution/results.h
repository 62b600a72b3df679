// The trainings of `irn study convolution`, looked up by pattern and method.
#pragma once

#include "experiments/convolution/pattern.h"
#include "experiments/convolution/settings.h"
#include "experiments/images/disturbances.h"
#include "experiments/settling/measured.h"

namespace irn::experiments {

// A pattern of connections, trained in one way. All recurrent variants are certified: training without a
// certificate takes many times as long.
struct Variant {
  const Pattern* pattern;
  const Method* method;
  std::string label() const;
  std::string key(std::size_t repeat) const;
};
// The one list of variants. The first has no recurrence.
const std::vector<Variant>& variants();
Variant exact(const Pattern& pattern);  // certified if recurrent
Variant semi(const Pattern& pattern);

std::vector<Job> convolution_jobs(const ConvolutionSettings& settings);

class Convolved {
 public:
  // Both arguments must outlive it.
  Convolved(const ConvolutionSettings& settings, const Results& results)
      : settings_(settings), results_(results) {}

  Measured at(const Variant& v) const;  // value: the share of right answers
  // The share of right answers on disturbed images, one entry for each repeat.
  std::vector<double> right(const Variant& v, const Disturbance& d) const;
  // The mean over the strengths of a kind.
  std::vector<double> right(const Variant& v, std::string_view kind) const;
  std::size_t parameters(const Variant& v) const;
  std::size_t lost(const Variant& v) const;  // images without an answer, disturbed ones included
  std::size_t asked() const;                 // images shown to each variant

 private:
  const Json& result(const Variant& v, std::size_t repeat) const { return results_.at(v.key(repeat)); }
  const ConvolutionSettings& settings_;
  const Results& results_;
};

// The mean of values(pattern) over all recurrent patterns, for each repeat.
template <class Values>
std::vector<double> over_recurrent(const Values& values) {
  std::vector<double> sum;
  for (const Pattern& p : patterns()) {
    if (!p.recurrent()) continue;
    const std::vector<double> of_one = values(p);
    sum.resize(of_one.size());
    for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += of_one[r] / double(patterns().size() - 1);
  }
  return sum;
}

// The claim "a is better than b", from the difference of right answers within repeats.
Claim better_claim(int number, const std::string& statement, const Estimate& difference,
                   const std::string& more = "");

}  // namespace irn::experiments
