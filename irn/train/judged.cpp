#include "irn/train/judged.h"

#include "irn/train/score.h"
#include "irn/train/softmax.h"

namespace irn {

double Judged::value(Metric metric) const {
  if (classes) return classes->scores().value(metric);
  double sum = 0;
  for (const NumberJudge& target : targets) sum += target.scores().value(metric);
  return sum / double(targets.size());
}

template <class T>
Judged judged(const Equilibria<T>& answers, const Samples<T>& samples, bool classes,
              std::span<const Unit> units, double threshold) {
  const std::size_t width = samples.targets();
  Judged result;
  if (classes) result.classes.emplace(width, threshold);
  result.targets.resize(classes ? 0 : width);
  std::vector<T> wanted(width);
  std::vector<double> shares(width);
  T weight = 1;
  for (std::uint64_t s = 0; s < samples.size(); ++s) {
    samples.targets_as_rows({&s, 1}, wanted.data());
    samples.weights({&s, 1}, &weight);
    const bool answered = answers.answered(s);
    const std::span<const T> outputs = answers.state(s).first(width);
    if (classes) {
      const double total = answered ? softmax(outputs, shares.data()).total : 1;
      for (double& share : shares) share /= total;
      result.classes->add(largest<T>(wanted),
                          answered ? std::span<const double>(shares) : std::span<const double>(),
                          double(weight));
      continue;
    }
    for (std::size_t k = 0; k < width; ++k) {
      const Unit unit = units.empty() ? Unit{} : units[k];
      const double target = unit.of(double(wanted[k]));
      if (answered)
        result.targets[k].add(target, unit.of(double(outputs[k])), double(weight));
      else
        result.targets[k].add_unanswered(target, double(weight));
    }
  }
  return result;
}

template Judged judged(const Equilibria<float>&, const Samples<float>&, bool, std::span<const Unit>, double);
template Judged judged(const Equilibria<double>&, const Samples<double>&, bool, std::span<const Unit>,
                       double);

}  // namespace irn
